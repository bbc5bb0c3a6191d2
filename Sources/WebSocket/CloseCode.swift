/// The reason for a close, as on the wire (RFC 6455 §7.4).
public struct CloseCode: RawRepresentable, Hashable, Sendable {
  public var rawValue: UInt16

  public init(rawValue: UInt16) { self.rawValue = rawValue }

  public static let normal = CloseCode(rawValue: 1000)
  public static let goingAway = CloseCode(rawValue: 1001)
  public static let protocolError = CloseCode(rawValue: 1002)
  public static let unsupportedData = CloseCode(rawValue: 1003)
  public static let invalidPayload = CloseCode(rawValue: 1007)
  public static let policyViolation = CloseCode(rawValue: 1008)
  public static let messageTooBig = CloseCode(rawValue: 1009)
  public static let internalError = CloseCode(rawValue: 1011)

  /// Whether a close frame may carry the code (RFC 6455 §7.4.2).
  ///
  /// Allowed are the codes of the IANA registry except those for local use (1005, 1006 and 1015), and the ranges for
  /// libraries and applications.
  public var isAllowedOnWire: Bool {
    switch rawValue {
    case 1000...1003, 1007...1014, 3000...4999: true
    default: false
    }
  }
}
