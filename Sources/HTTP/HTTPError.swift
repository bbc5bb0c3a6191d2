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
  /// The first line is neither `METHOD SP target SP HTTP/1.x` nor `HTTP/1.x SP 3DIGIT SP reason`.
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

  /// The problem, in a sentence for people.
  public var explanation: String {
    switch self {
    case .invalidByte(let byte): "The byte \(byte) may not stand where it does in the head; lines end with CR LF."
    case .headTooLarge(let limit): "The head is larger than \(limit) bytes."
    case .targetTooLong(let limit): "The first line is longer than \(limit) bytes."
    case .tooManyHeaders(let limit): "The head has more than \(limit) header lines."
    case .malformedStartLine: "The first line is not a method, a target and a version of HTTP."
    case .unsupportedVersion: "The version must be HTTP/1.1 or HTTP/1.0."
    case .malformedHeader: "A header line is not a name, a colon right behind it, and a value."
    case .obsoleteFolding: "A header line begins with a blank: lines may not be folded."
    case .invalidHost: "The request must name exactly one host, in the header Host."
    case .ambiguousLength:
      "Content-Length must be one number, and not stand beside Transfer-Encoding: the end of the body is in doubt."
    case .unsupportedTransferEncoding: "The only Transfer-Encoding is chunked, in HTTP/1.1."
    case .bodyTooLarge(let size): "The body is too large: it has at least \(size) bytes."
    case .malformedChunk: "A chunk of the body, or a line behind the last one, is malformed."
    case .incomplete: "The connection has ended inside the message."
    }
  }

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
