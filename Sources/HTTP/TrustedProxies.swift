/// The proxies whose word about a client's address counts (SEC-12).
public struct TrustedProxies: Sendable {
  private let networks: [IPNetwork]

  public init(_ networks: [IPNetwork]) { self.networks = networks }

  public var isEmpty: Bool { networks.isEmpty }

  public func contains(_ address: IPAddress) -> Bool { networks.contains { $0.contains(address) } }

  /// Whether a request claims to have come through a proxy.
  public static func isForwarded(_ headers: Headers) -> Bool {
    headers.contains("Forwarded") || headers.contains("X-Forwarded-For")
  }

  /// The client of a request: the last address that is not a trusted proxy's.
  ///
  /// A hop that hides the address, or says it in a form that cannot be read, ends the chain: the proxy that took the
  /// request from there stands for it. The same holds where `Forwarded` and `X-Forwarded-For` contradict each other:
  /// the proxy sets one of them, and the client may have sent the other.
  public func client(of headers: Headers, from peer: IPAddress) -> IPAddress {
    guard contains(peer) else { return peer }
    var claims: [IPAddress] = []
    if headers.contains("Forwarded") { claims.append(last(in: Self.forwarded(headers), before: peer)) }
    if headers.contains("X-Forwarded-For") { claims.append(last(in: Self.forwardedFor(headers), before: peer)) }
    guard let claim = claims.first, claims.allSatisfy({ $0 == claim }) else { return peer }
    return claim
  }

  private func last(in hops: [IPAddress?], before peer: IPAddress) -> IPAddress {
    var nearest = peer
    for hop in hops.reversed() {
      guard let hop else { break }
      nearest = hop
      if !contains(hop) { break }
    }
    return nearest
  }

  // MARK: parsing

  /// The hops of `Forwarded` (RFC 7239 §4), the client first; `nil` for one without an address.
  static func forwarded(_ headers: Headers) -> [IPAddress?] {
    headers.list("Forwarded").map { element in
      var found: String?
      for pair in pairs(element[...]) {
        guard let equals = pair.firstIndex(of: "=") else { return nil }
        let name = String(pair[..<equals])
        guard name.isToken, let value = unquoted(pair[pair.index(after: equals)...]) else { return nil }
        guard name.isEqualIgnoringCase("for") else { continue }
        if found != nil { return nil }
        found = value
      }
      return found.flatMap { node($0) }
    }
  }

  /// The hops of `X-Forwarded-For`, the client first; `nil` for one without an address.
  static func forwardedFor(_ headers: Headers) -> [IPAddress?] {
    headers.values(of: "X-Forwarded-For").flatMap { line in
      line.utf8.split(separator: .comma, omittingEmptySubsequences: false).map { part in
        let text = String(decoding: Array(part)[...].trimmingBlanks(), as: UTF8.self)
        return IPAddress(text) ?? node(text)
      }
    }
  }

  /// The pairs of one element, apart from semicolons in quotes.
  private static func pairs(_ element: Substring) -> [Substring] {
    var pairs: [Substring] = []
    var start = element.startIndex
    var isQuoted = false
    var isEscaped = false
    for index in element.indices {
      let character = element[index]
      if isEscaped {
        isEscaped = false
      } else if character == "\\", isQuoted {
        isEscaped = true
      } else if character == "\"" {
        isQuoted.toggle()
      } else if character == ";", !isQuoted {
        pairs.append(element[start..<index])
        start = element.index(after: index)
      }
    }
    pairs.append(element[start...])
    return pairs.map { $0.trimming { $0 == " " || $0 == "\t" } }.filter { !$0.isEmpty }
  }

  /// A value without its quotes (RFC 9110 §5.6.4). Some proxies leave them away around colons and brackets.
  private static func unquoted(_ text: Substring) -> String? {
    guard text.first == "\"" else { return text.isEmpty || text.contains("\"") ? nil : String(text) }
    var value = ""
    var isEscaped = false
    var rest = text.dropFirst()
    while let character = rest.popFirst() {
      if isEscaped {
        value.append(character)
        isEscaped = false
      } else if character == "\\" {
        isEscaped = true
      } else if character == "\"" {
        return rest.isEmpty ? value : nil
      } else {
        value.append(character)
      }
    }
    return nil
  }

  /// The address of a node (RFC 7239 §6), with or without a port; `nil` for `unknown`, names such as `_hidden`, and
  /// what is no node.
  private static func node(_ text: String) -> IPAddress? {
    if text.hasPrefix("[") {
      guard let end = text.firstIndex(of: "]"), isPort(text[text.index(after: end)...]) else { return nil }
      let address = text[text.index(after: text.startIndex)..<end]
      return address.contains(":") ? IPAddress(String(address)) : nil
    }
    let end = text.firstIndex(of: ":") ?? text.endIndex
    return isPort(text[end...]) ? IPAddress(String(text[..<end])) : nil
  }

  /// Nothing, or a colon and a port: a number of up to five digits, or a name such as `_hidden`.
  private static func isPort(_ text: Substring) -> Bool {
    if text.isEmpty { return true }
    guard text.first == ":", text.count > 1 else { return false }
    let port = text.dropFirst()
    if port.first == "_" {
      return port.count > 1 && port.utf8.dropFirst().allSatisfy { $0.isDigit || $0.isLetter || ".-_".utf8.contains($0) }
    }
    return port.utf8.count <= 5 && port.utf8.allSatisfy(\.isDigit)
  }
}

extension Substring {
  fileprivate func trimming(_ isBlank: (Character) -> Bool) -> Substring {
    var rest = drop(while: isBlank)
    while let last = rest.last, isBlank(last) { rest.removeLast() }
    return rest
  }
}
