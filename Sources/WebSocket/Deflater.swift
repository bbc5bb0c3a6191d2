import CZlib

/// Compresses messages as RFC 7692 §7.2.1 says.
///
/// Without context takeover each message stands alone, and one of these serves every connection of a thread. With it a
/// connection owns its own, and 2^(windowBits+2) + 128 KiB of memory.
public final class Deflater {
  private let stream: ZlibStream
  private let keepsContext: Bool

  /// - Parameters:
  ///   - windowBits: 9 to 15, others are clamped; zlib makes no raw stream of 8.
  ///   - level: 1 (quick) to 9 (small), others are clamped.
  ///   - keepsContext: whether a message may refer to those before it.
  public init(windowBits: Int = 15, level: Int = 1, keepsContext: Bool = false) {
    stream = ZlibStream(.deflate(level: min(max(level, 1), 9)), windowBits: min(max(windowBits, 9), 15))
    self.keepsContext = keepsContext
  }

  /// The payload of a frame with RSV1 set, behind `headroom` zero bytes in which its header may be put.
  ///
  /// With context takeover all that is compressed must be sent, in this order: the peer's window follows ours.
  public func compress(_ message: Span<UInt8>, headroom: Int = 0) -> [UInt8] {
    if !keepsContext { stream.reset() }
    var output = [UInt8](repeating: 0, count: headroom + stream.bound(message.count) + 16)
    var consumed = 0
    var end = headroom
    while true {
      let step = stream.step(message, from: consumed, into: &output, end..<output.count, flush: Z_SYNC_FLUSH)
      consumed += step.consumed
      end += step.produced
      // Room left over is how zlib says that it has nothing more to give.
      if consumed == message.count && end < output.count { break }
      if end == output.count { output.append(contentsOf: repeatElement(0, count: output.count)) }
    }
    // The empty stored block at the end, 00 00 FF FF, is not sent. An empty message is the first byte of such a
    // block, and zlib makes none when it has just made one (RFC 7692 §7.2.3.6).
    end = max(end - 4, headroom)
    if end == headroom {
      output[end] = 0
      end += 1
    }
    output.removeLast(output.count - end)
    return output
  }
}
