/// Conditions and preferences of a request for a representation (RFC 9110 §12 and §13).
extension RequestHead {
  /// Whether the client has the representation with this entity tag already: `If-None-Match` names it, compared weakly,
  /// or `*` (RFC 9110 §13.1.2).
  ///
  /// - Parameter tag: With its quotes.
  public func hasCopy(tagged tag: String) -> Bool {
    headers.list("If-None-Match").contains { $0 == "*" || $0 == tag || $0 == "W/\(tag)" }
  }

  /// Whether the client takes a content coding: it names it, or all others by `*`, and not with the weight 0 (RFC 9110
  /// §12.5.3).
  public func accepts(coding: String) -> Bool {
    var others = false
    for element in headers.list("Accept-Encoding") {
      let parts = element.split(separator: ";").map { String($0.filter { $0 != " " && $0 != "\t" }) }
      guard let name = parts.first else { continue }
      let weight = parts.dropFirst().first { $0.lowercased().hasPrefix("q=") }.map { $0.dropFirst(2) }
      let isWanted = weight.map { !$0.allSatisfy { $0 == "0" || $0 == "." } } ?? true
      if name.isEqualIgnoringCase(coding) { return isWanted }
      if name == "*" { others = isWanted }
    }
    return others
  }
}
