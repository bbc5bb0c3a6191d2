/// The way in which the end of a body is found (RFC 9112 §6.3).
public enum BodyFraming: Hashable, Sendable {
  case none
  /// A length in bytes, not yet compared with a limit.
  case length(UInt64)
  case chunked
  /// A response body that ends with the connection.
  case untilClose

  /// The framing that the headers declare; `nil` if they declare none.
  ///
  /// A length that can be read in two ways allows request smuggling. So repeated or malformed lengths, a length beside
  /// an encoding, and encodings other than a single `chunked` are rejected.
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
    // Check the digits first: `UInt64` alone would accept a plus sign.
    guard lengths.count == 1, text.utf8.allSatisfy(\.isDigit), let length = UInt64(text) else {
      throw .ambiguousLength
    }
    return .length(length)
  }
}
