/// The origin of a web page: scheme, host and port (RFC 6454 §4), or `null` for a page that has none to tell.
///
/// Two origins are equal if these are, whatever the case of their letters and whether or not the scheme's usual port is
/// written.
public struct Origin: Hashable, Sendable, CustomStringConvertible {
  /// As browsers write it (RFC 6454 §6.2): in lower case, without the usual port.
  public let description: String

  /// Reads an `Origin` header or a setting. Returns `nil` if no page can have this origin.
  ///
  /// No page has an origin with a path, a user, a wildcard or letters beyond ASCII. Nor has one an origin of `ws` or
  /// `wss`: a page that opens a WebSocket sends the origin from which the page itself was loaded.
  public init?(_ text: String) {
    if text == "null" {
      description = text
      return
    }
    guard let end = text.firstRange(of: "://") else { return nil }
    let scheme = text[..<end.lowerBound].lowercasedASCII
    guard let first = scheme.utf8.first, first.isLetter, scheme.utf8.allSatisfy(\.isSchemeCharacter),
      scheme != "ws", scheme != "wss"
    else { return nil }
    let authority = text[end.upperBound...].lowercasedASCII
    let isWeb = scheme == "http" || scheme == "https"
    // Some web views send `file://`, and apps choose schemes of their own: only the web needs a host.
    if authority.isEmpty, !isWeb {
      description = "\(scheme)://"
      return
    }
    guard let (host, portText) = Self.split(authority), Self.isHost(host) else { return nil }
    var port = ""
    if let portText {
      guard let number = UInt16(portText), String(number) == portText else { return nil }
      let isUsual = scheme == "http" && number == 80 || scheme == "https" && number == 443
      port = isUsual ? "" : ":\(number)"
    }
    description = "\(scheme)://\(host)\(port)"
  }

  /// Splits `host[:port]`; a colon inside brackets belongs to the host.
  private static func split(_ authority: String) -> (host: String, port: String?)? {
    if authority.utf8.first == UInt8(ascii: "[") {
      guard let bracket = authority.firstIndex(of: "]") else { return nil }
      let rest = authority[authority.index(after: bracket)...]
      if rest.isEmpty { return (authority, nil) }
      guard rest.utf8.first == UInt8(ascii: ":") else { return nil }
      return (String(authority[...bracket]), String(rest.dropFirst()))
    }
    let parts = authority.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
    switch parts.count {
    case 1: return (parts[0], nil)
    case 2: return (parts[0], parts[1])
    default: return nil
    }
  }

  /// Whether browsers write a host so: a name in letters, digits, `-`, `.` and `_`, or an address in its usual form.
  private static func isHost(_ host: String) -> Bool {
    if host.utf8.first == UInt8(ascii: "[") { return isIPv6(host.utf8.dropFirst().dropLast()) }
    guard !host.isEmpty, host.utf8.allSatisfy({ $0.isLetter || $0.isDigit || "-._".utf8.contains($0) }) else {
      return false
    }
    // Browsers read a name that ends with a number as an IPv4 address, and write it as four numbers.
    let labels = host.split(separator: ".", omittingEmptySubsequences: false)
    guard let last = labels.last, !last.isEmpty, last.utf8.allSatisfy(\.isDigit) else { return true }
    return labels.count == 4 && labels.allSatisfy { label in UInt8(label).map { String($0) == label } ?? false }
  }

  /// Whether this is an IPv6 address as RFC 5952 §4 wants it: the longest run of zeros, and only that, is left out.
  private static func isIPv6(_ text: Substring.UTF8View) -> Bool {
    let text = String(Substring(text))
    var groups: [UInt16] = []
    let halves = text.split(separator: "::", omittingEmptySubsequences: false)
    guard halves.count <= 2 else { return false }
    for (index, half) in halves.enumerated() {
      if index == 1 {
        let behind = half.isEmpty ? 0 : half.count { $0 == ":" } + 1
        guard groups.count + behind < 8 else { return false }
        groups += Array(repeating: 0, count: 8 - groups.count - behind)
      }
      if half.isEmpty, halves.count == 2 { continue }
      for group in half.split(separator: ":", omittingEmptySubsequences: false) {
        guard group.utf8.allSatisfy({ $0.hexDigitValue != nil }), let value = UInt16(group, radix: 16) else {
          return false
        }
        groups.append(value)
      }
    }
    return groups.count == 8 && canonical(groups) == text
  }

  private static func canonical(_ groups: [UInt16]) -> String {
    var longest = 0..<0
    var start = 0
    for index in 0...groups.count where index == groups.count || groups[index] != 0 {
      if index - start > max(longest.count, 1) { longest = start..<index }
      start = index + 1
    }
    func text(_ part: ArraySlice<UInt16>) -> String { part.map { String($0, radix: 16) }.joined(separator: ":") }
    if longest.isEmpty { return text(groups[...]) }
    return "\(text(groups[..<longest.lowerBound]))::\(text(groups[longest.upperBound...]))"
  }
}

extension UInt8 {
  /// Whether the byte may be part of a scheme (RFC 3986 §3.1).
  fileprivate var isSchemeCharacter: Bool { isLetter || isDigit || "+-.".utf8.contains(self) }
}

extension StringProtocol {
  fileprivate var lowercasedASCII: String { String(decoding: utf8.map(\.lowercased), as: UTF8.self) }
}
