/// A fault in a message of the peer. The message cannot be repaired, so the connection closes.
public enum HTTPError: Error, Hashable, Sendable {
  /// A control character, or a carriage return or line feed that is not part of a line end.
  case invalidByte(UInt8)
  /// The head exceeds this limit in bytes.
  case headTooLarge(Int)
  /// The request line alone exceeds the limit of the head in bytes.
  case targetTooLong(Int)
  /// The head has more header fields than this limit.
  case tooManyHeaders(Int)
  /// The first line is neither `METHOD SP /path SP HTTP/1.x` nor `HTTP/1.x SP 3DIGIT SP reason`.
  case malformedStartLine
  /// The version is neither HTTP/1.0 nor HTTP/1.1.
  case unsupportedVersion
  /// A header line is not `name: value` with a token as name.
  case malformedHeader
  /// A header line that continues the one before (RFC 9112 §5.2).
  case obsoleteFolding
  /// An HTTP/1.1 request with no `Host`, several, or one that is not a host name.
  case invalidHost
  /// `Content-Length` is not a number, is repeated, or comes together with `Transfer-Encoding`.
  case ambiguousLength
  /// A transfer encoding other than `chunked`, or any in HTTP/1.0.
  case unsupportedTransferEncoding
  /// The body exceeds its limit; the value is its size in bytes as far as known.
  case bodyTooLarge(UInt64)
  /// A chunk's size line, its end, or a trailer does not match RFC 9112 §7.1.
  case malformedChunk
  /// The connection ended inside the message.
  case incomplete

  /// The status that a server responds with.
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
