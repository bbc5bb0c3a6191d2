import CZlib

/// Expands messages as RFC 7692 §7.2.2 says, never past a limit.
///
/// Without context takeover one of these serves every connection of a thread; with it a connection owns its own, and
/// 2^windowBits + 10 KiB of memory.
public final class Inflater {
  private let stream: ZlibStream
  private let keepsContext: Bool
  /// Kept between messages while it is small, so that most of them need no allocation. A shared one may be larger.
  private var spare: [UInt8] = []
  private let spareLimit: Int

  /// - Parameters:
  ///   - windowBits: 8 to 15, others are clamped. The peer's window may be smaller, never larger.
  ///   - keepsContext: whether a message may refer to those before it.
  public init(windowBits: Int = 15, keepsContext: Bool = false) {
    stream = ZlibStream(.inflate, windowBits: min(max(windowBits, 8), 15))
    self.keepsContext = keepsContext
    spareLimit = keepsContext ? 4096 : 65_537
  }

  /// Expands the payload of a message and lends the result to `body`.
  ///
  /// Throws `messageTooLarge` as soon as there is a byte more than `limit`, whatever else there would have been, and
  /// `malformedDeflate` for what is not whole blocks up to the last byte. An inflater that keeps context is of no use
  /// after an error.
  public func withInflated(
    _ message: Span<UInt8>, limit: Int, _ body: (Span<UInt8>) throws(ProtocolError) -> Void
  ) throws(ProtocolError) {
    // The buffer is taken out while it is lent: `body` may come back here for another connection.
    var output = spare
    spare = []
    defer { if output.count <= spareLimit { spare = output } }
    if !keepsContext { stream.reset() }
    var count = 0
    try expand(message, limit: limit, into: &output, &count)
    // The end that the sender left out: an empty stored block. If there is more in it, or it is not the end, it was
    // taken for part of something else, for the message was cut or had no end of its own.
    let messageCount = count
    let tail: [UInt8] = [0x00, 0x00, 0xFF, 0xFF]
    try expand(tail.span, limit: limit, into: &output, &count)
    guard stream.isBetweenBlocks, count == messageCount else { throw .malformedDeflate }
    try body(output.span.extracting(0..<count))
  }

  /// Expands all of `input` behind the first `count` bytes of `output`.
  private func expand(
    _ input: Span<UInt8>, limit: Int, into output: inout [UInt8], _ count: inout Int
  ) throws(ProtocolError) {
    // One byte past the limit is enough to know.
    let capacity = min(max(limit, 0), Int.max - 1) + 1
    var consumed = 0
    while true {
      if count == output.count {
        let growth = min(max(output.count, 4096), capacity - output.count)
        output.append(contentsOf: repeatElement(0, count: growth))
      }
      let space = count..<min(output.count, capacity)
      let step = stream.step(input, from: consumed, into: &output, space, flush: Z_SYNC_FLUSH)
      consumed += step.consumed
      count += step.produced
      guard count <= limit else { throw .messageTooLarge(limit: limit) }
      switch step.status {
      case Z_OK, Z_BUF_ERROR:
        // Room left over is how zlib says that it has nothing more to give.
        if consumed == input.count && step.produced < space.count { return }
        // Neither input nor room is missing, so it would stay so for ever.
        guard step.consumed > 0 || step.produced > 0 else { throw .malformedDeflate }
      case Z_STREAM_END:
        // A sender may mark a block as the last, and others may follow with the same window (RFC 7692 §7.2.3.4).
        stream.resetKeepingWindow()
      default: throw .malformedDeflate
      }
    }
  }
}
