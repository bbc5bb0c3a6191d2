/// What a peer's message may cost before it is refused.
public struct Limits: Sendable {
  /// Bytes of one frame's payload, as on the wire.
  public var framePayloadBytes: Int
  /// Bytes of one message, before inflating and after.
  public var messageBytes: Int
  /// Frames of one message. Empty ones cost the peer nothing, so bytes alone are no limit.
  public var fragments: Int

  public init(framePayloadBytes: Int = 65_536, messageBytes: Int = 65_536, fragments: Int = 64) {
    self.framePayloadBytes = framePayloadBytes
    self.messageBytes = messageBytes
    self.fragments = fragments
  }
}
