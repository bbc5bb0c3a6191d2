/// What a frame is (RFC 6455 §5.2). The other ten values are reserved, and refused.
public enum Opcode: UInt8, Sendable {
  case continuation = 0x0
  case text = 0x1
  case binary = 0x2
  case close = 0x8
  case ping = 0x9
  case pong = 0xA

  /// Control frames may stand between the fragments of a message, and are never fragmented themselves.
  public var isControl: Bool { rawValue & 0x8 != 0 }
}

/// Which side of the connection we are. Only clients mask what they send (RFC 6455 §5.1).
public enum Role: Sendable {
  case server
  case client
}
