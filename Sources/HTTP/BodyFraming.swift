/// How the end of a body is known (RFC 9112 §6.3).
public enum BodyFraming: Hashable, Sendable {
  case none
  /// So many bytes, not yet compared with any limit.
  case length(UInt64)
  case chunked
  /// A response whose body ends with the connection.
  case untilClose

  /// What the headers say, and `nil` where they say nothing.
  ///
  /// Two ways to read a length are two requests for two readers: repeated or odd lengths, a length beside an
  /// encoding, and encodings other than a single `chunked` are refused.
  static func declared(in headers: Headers, version: HTTPVersion) throws(HTTPError) -> BodyFraming? {
    let lengths = headers.values(of: "Content-Length")
    let encodings = headers.values(of: "Transfer-Encoding")
    if let encoding = encodings.first {
      guard lengths.isEmpty else { throw .ambiguousLength }
      guard encodings.count == 1, encoding.isEqualIgnoringCase("chunked"), version == .http11 else {
        throw .unsupportedTransferEncoding
      }
      return .chunked
    }
    guard let text = lengths.first else { return nil }
    // No sign, no list, no blank: `UInt64` alone would take a plus sign.
    guard lengths.count == 1, text.utf8.allSatisfy(\.isDigit), let length = UInt64(text) else {
      throw .ambiguousLength
    }
    return .length(length)
  }
}
