/// The target of a request: an absolute path and a query (RFC 9112 §3.2.1).
///
/// `RequestParser` also takes the absolute form (§3.2.2) apart into a host and a target. It rejects the form of CONNECT
/// and the `*` of OPTIONS.
public struct Target: Hashable, Sendable {
  /// Starts with a slash; percent escapes are not resolved.
  public let path: String
  /// The unchanged text after the question mark; `nil` if there is none.
  public let query: String?

  /// Returns `nil` unless the text is visible ASCII without `#` that starts with a slash.
  public init?(_ text: String) {
    guard text.utf8.first == UInt8(ascii: "/") else { return nil }
    guard text.utf8.allSatisfy({ $0.isVisible && $0 != UInt8(ascii: "#") }) else { return nil }
    let parts = text.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
    path = String(parts[0])
    query = parts.count == 2 ? String(parts[1]) : nil
  }

  /// Takes the absolute form apart, such as `http://host:8080/path?query`; an empty path is `/` (RFC 9112 §3.2.2).
  ///
  /// Returns `nil` unless the scheme is `http` or `https`. The authority is not checked.
  static func absolute(_ text: String) -> (authority: String, target: Target)? {
    guard let end = text.firstRange(of: "://") else { return nil }
    let scheme = String(text[..<end.lowerBound])
    guard scheme.isEqualIgnoringCase("http") || scheme.isEqualIgnoringCase("https") else { return nil }
    let rest = text[end.upperBound...]
    let authority = rest.prefix { $0 != "/" && $0 != "?" && $0 != "#" }
    let path = rest[authority.endIndex...]
    guard let target = Target(path.first == "/" ? String(path) : "/\(path)") else { return nil }
    return (String(authority), target)
  }

  /// The segments of the path with percent escapes resolved: `/a/b%20c` is `["a", "b c"]`. `nil` if an escape is
  /// malformed, is not UTF-8, or resolves to a slash or a zero byte.
  public var segments: [String]? {
    var segments: [String] = []
    for part in path.dropFirst().split(separator: "/", omittingEmptySubsequences: false) {
      guard let segment = Self.decode(part) else { return nil }
      guard !segment.utf8.contains(UInt8(ascii: "/")), !segment.utf8.contains(0) else { return nil }
      segments.append(segment)
    }
    return segments
  }

  /// Resolves percent escapes; `nil` if one is malformed or the result is not UTF-8.
  static func decode(_ text: Substring) -> String? {
    var bytes: [UInt8] = []
    var rest = text.utf8[...]
    while let byte = rest.popFirst() {
      if byte == UInt8(ascii: "%") {
        guard let high = rest.popFirst()?.hexDigitValue, let low = rest.popFirst()?.hexDigitValue else { return nil }
        bytes.append(high << 4 | low)
      } else {
        bytes.append(byte)
      }
    }
    return String(validating: bytes, as: UTF8.self)
  }
}

extension UInt8 {
  /// The value of a hexadecimal digit in either case; `nil` for any other byte.
  var hexDigitValue: UInt8? {
    switch self {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): self - UInt8(ascii: "0")
    case UInt8(ascii: "A")...UInt8(ascii: "F"): self - UInt8(ascii: "A") + 10
    case UInt8(ascii: "a")...UInt8(ascii: "f"): self - UInt8(ascii: "a") + 10
    default: nil
    }
  }
}
