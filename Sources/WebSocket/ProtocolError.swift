/// A violation of the protocol in a frame of the peer. After an error nothing more is read from the peer.
public enum ProtocolError: Error, Hashable, Sendable {
  /// RSV2 or RSV3 is set, or RSV1 on a frame that cannot start a compressed message.
  case reservedBits
  case reservedOpcode(UInt8)
  /// A frame from a client without a mask.
  case unmasked
  /// A frame from a server with a mask.
  case masked
  case fragmentedControl
  /// The length of a control frame is above 125.
  case oversizedControl
  /// A length with more bytes than it needs, or with its highest bit set.
  case malformedLength
  /// A continuation frame without a message to continue.
  case unexpectedContinuation
  /// A new message before the current one is complete.
  case interruptedMessage
  /// The payload of a frame exceeds the limit.
  case frameTooLarge(UInt64)
  /// A message exceeds the limit in bytes, compressed or expanded.
  case messageTooLarge(limit: Int)
  case tooManyFragments(limit: Int)
  /// A text message, or the reason of a close frame, is not UTF-8.
  case invalidUTF8
  /// A compressed message is not valid deflate data (RFC 7692 §7.2.1).
  case malformedDeflate
  /// A close frame with a payload of one byte.
  case malformedClose
  /// A close code that is not allowed on the wire.
  case invalidCloseCode(UInt16)

  /// The code to close the connection with (RFC 6455 §7.4.1).
  public var closeCode: CloseCode {
    switch self {
    case .reservedBits, .reservedOpcode, .unmasked, .masked, .fragmentedControl, .oversizedControl, .malformedLength,
      .unexpectedContinuation, .interruptedMessage, .malformedClose, .invalidCloseCode:
      .protocolError
    case .invalidUTF8, .malformedDeflate: .invalidPayload
    case .frameTooLarge, .messageTooLarge: .messageTooBig
    case .tooManyFragments: .policyViolation
    }
  }
}
