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
    let wanted = weighted("Accept-Encoding")
    let found = wanted.first { $0.name.isEqualIgnoringCase(coding) } ?? wanted.first { $0.name == "*" }
    return found.map { $0.weight > 0 } ?? false
  }

  /// The language that the client wants most of these, by its primary tag such as `de` of `de-AT`; `nil` if it wants
  /// none of them (RFC 9110 §12.5.4).
  public func preferredLanguage(of languages: [String]) -> String? {
    let wanted = weighted("Accept-Language").filter { $0.weight > 0 }
    // Equal weights stand in the client's order.
    let sorted = wanted.enumerated().sorted { ($1.element.weight, $0.offset) < ($0.element.weight, $1.offset) }
    for (_, element) in sorted {
      let primary = element.name.split(separator: "-").first ?? ""
      if let language = languages.first(where: { $0.isEqualIgnoringCase(String(primary)) }) { return language }
    }
    return nil
  }

  /// The elements of a list with weights, 1 where none is told (RFC 9110 §12.4.2).
  private func weighted(_ name: String) -> [(name: String, weight: Double)] {
    headers.list(name).compactMap { element in
      let parts = element.split(separator: ";").map { String($0.filter { $0 != " " && $0 != "\t" }) }
      guard let name = parts.first else { return nil }
      let weight = parts.dropFirst().first { $0.lowercased().hasPrefix("q=") }.map { Double($0.dropFirst(2)) ?? 0 }
      return (name, weight ?? 1)
    }
  }
}
