/// The type of a frame (RFC 6455 §5.2). The other ten values are reserved and rejected.
public enum Opcode: UInt8, Sendable {
  case continuation = 0x0
  case text = 0x1
  case binary = 0x2
  case close = 0x8
  case ping = 0x9
  case pong = 0xA

  /// Whether this is a control frame, which may come between the fragments of a message but is never fragmented.
  public var isControl: Bool { rawValue & 0x8 != 0 }
}

/// The local side of the connection. Only clients mask their frames (RFC 6455 §5.1).
public enum Role: Sendable {
  case server
  case client
}
