/// What is wrong with a message of the peer. Nothing of it can be repaired: after one of these the connection closes.
public enum HTTPError: Error, Hashable, Sendable {
  /// A control character, or a carriage return or line feed that is not half of a line end.
  case invalidByte(UInt8)
  /// The head is larger than its limit, in bytes.
  case headTooLarge(Int)
  /// The request line is larger than the head may be, in bytes.
  case targetTooLong(Int)
  /// There are more header fields than the limit.
  case tooManyHeaders(Int)
  /// Neither `METHOD SP /path SP HTTP/1.x` nor `HTTP/1.x SP 3DIGIT SP reason`.
  case malformedStartLine
  /// The message speaks neither HTTP/1.0 nor HTTP/1.1.
  case unsupportedVersion
  /// A line that is not `name: value` with a token as name.
  case malformedHeader
  /// A header line that continues the one before (RFC 9112 §5.2).
  case obsoleteFolding
  /// An HTTP/1.1 request without `Host`, with several, or with one that names no host.
  case invalidHost
  /// `Content-Length` is no number, is repeated, or stands beside `Transfer-Encoding`.
  case ambiguousLength
  /// Another transfer encoding than `chunked`, or one that HTTP/1.0 cannot have.
  case unsupportedTransferEncoding
  /// The body is larger than its limit, in bytes.
  case bodyTooLarge(UInt64)
  /// A chunk's size line, end or trailer is not what RFC 9112 §7.1 says.
  case malformedChunk
  /// The connection ended before the message did.
  case incomplete

  /// What a server answers.
  public var status: Status {
    switch self {
    case .invalidByte, .malformedStartLine, .malformedHeader, .obsoleteFolding, .invalidHost, .ambiguousLength,
      .malformedChunk, .incomplete:
      .badRequest
    case .headTooLarge, .tooManyHeaders: .requestHeaderFieldsTooLarge
    case .targetTooLong: .uriTooLong
    case .unsupportedVersion: .httpVersionNotSupported
    case .unsupportedTransferEncoding: .notImplemented
    case .bodyTooLarge: .contentTooLarge
    }
  }
}
