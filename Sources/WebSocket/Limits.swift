/// Limits on the messages of a peer.
public struct Limits: Sendable {
  /// The largest payload of a frame on the wire, in bytes.
  public var framePayloadBytes: Int
  /// The largest message in bytes, both compressed and expanded.
  public var messageBytes: Int
  /// The most frames of a message. A limit of bytes is not enough, since frames may be empty.
  public var fragments: Int

  public init(framePayloadBytes: Int = 65_536, messageBytes: Int = 65_536, fragments: Int = 64) {
    self.framePayloadBytes = framePayloadBytes
    self.messageBytes = messageBytes
    self.fragments = fragments
  }
}
