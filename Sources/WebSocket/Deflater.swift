import CZlib

/// Compresses messages (RFC 7692 §7.2.1).
///
/// Without context takeover, messages are independent and one deflater serves all connections of a thread. With it,
/// each connection owns a deflater of 2^(windowBits+2) + 128 KiB.
public final class Deflater {
  private let stream: ZlibStream
  private let keepsContext: Bool

  /// - Parameters:
  ///   - windowBits: 9 to 15, clamped; zlib has no raw stream with a window of 8.
  ///   - level: 1 (fast) to 9 (small), clamped.
  ///   - keepsContext: whether a message may refer to earlier ones.
  public init(windowBits: Int = 15, level: Int = 1, keepsContext: Bool = false) {
    stream = ZlibStream(.deflate(level: min(max(level, 1), 9)), windowBits: min(max(windowBits, 9), 15))
    self.keepsContext = keepsContext
  }

  /// Returns the payload of a frame with RSV1 set, after `headroom` zero bytes for the frame's header.
  ///
  /// With context takeover, every result must be sent, and in this order: the peer's window follows ours.
  public func compress(_ message: Span<UInt8>, headroom: Int = 0) -> [UInt8] {
    if !keepsContext { stream.reset() }
    var output = [UInt8](repeating: 0, count: headroom + stream.bound(message.count) + 16)
    var consumed = 0
    var end = headroom
    while true {
      let step = stream.step(message, from: consumed, into: &output, end..<output.count, flush: Z_SYNC_FLUSH)
      consumed += step.consumed
      end += step.produced
      // Space left over means that zlib has no more output.
      if consumed == message.count && end < output.count { break }
      if end == output.count { output.append(contentsOf: repeatElement(0, count: output.count)) }
    }
    // The empty stored block at the end, 00 00 FF FF, is not sent (RFC 7692 §7.2.1). For an empty message zlib may
    // write nothing when its last output ended with such a block; the message is then the block's first byte
    // (§7.2.3.6).
    end = max(end - 4, headroom)
    if end == headroom {
      output[end] = 0
      end += 1
    }
    output.removeLast(output.count - end)
    return output
  }
}
