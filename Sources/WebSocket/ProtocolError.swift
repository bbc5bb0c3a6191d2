/// What is wrong with the peer's frames. After any of these nothing more of the peer is read.
public enum ProtocolError: Error, Hashable, Sendable {
  /// RSV2 or RSV3 is set, or RSV1 where nothing compressed may begin.
  case reservedBits
  case reservedOpcode(UInt8)
  /// A client's frame without a mask.
  case unmasked
  /// A server's frame with a mask.
  case masked
  case fragmentedControl
  /// A control frame whose length needs more than seven bits.
  case oversizedControl
  /// A length written in more bytes than it needs, or with its highest bit set.
  case malformedLength
  /// A continuation frame with nothing to continue.
  case unexpectedContinuation
  /// A new message before the one under way is complete.
  case interruptedMessage
  /// A frame of more bytes than the limit.
  case frameTooLarge(UInt64)
  /// A message of more bytes than the limit, counted after inflating.
  case messageTooLarge(limit: Int)
  case tooManyFragments(limit: Int)
  /// Text, or the reason of a close frame, that is not UTF-8.
  case invalidUTF8
  /// A compressed message that is not what RFC 7692 §7.2.1 makes.
  case malformedDeflate
  /// A close frame of one byte.
  case malformedClose
  /// A close code that may not be on the wire.
  case invalidCloseCode(UInt16)

  /// What the close frame says (RFC 6455 §7.4.1).
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
