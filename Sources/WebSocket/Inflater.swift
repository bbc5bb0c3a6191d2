import CZlib

/// Expands messages (RFC 7692 §7.2.2) up to a limit.
///
/// Without context takeover one inflater serves all connections of a thread. With it, each connection owns an inflater
/// of 2^windowBits + 10 KiB.
public final class Inflater {
  private let stream: ZlibStream
  private let keepsContext: Bool
  /// The output buffer, kept between messages up to `spareLimit` bytes, so that most messages need no allocation.
  private var spare: [UInt8] = []
  private let spareLimit: Int

  /// - Parameters:
  ///   - windowBits: 8 to 15, clamped. The peer's window may be smaller, never larger.
  ///   - keepsContext: whether a message may refer to earlier ones.
  public init(windowBits: Int = 15, keepsContext: Bool = false) {
    stream = ZlibStream(.inflate, windowBits: min(max(windowBits, 8), 15))
    self.keepsContext = keepsContext
    spareLimit = keepsContext ? 4096 : 65_537
  }

  /// Expands the payload of a message and lends the result to `body`.
  ///
  /// Throws `messageTooLarge` as soon as the output passes `limit`, and `malformedDeflate` if the payload is not a
  /// sequence of whole blocks. After an error, an inflater that keeps context must not be used again.
  public func withInflated(
    _ message: Span<UInt8>, limit: Int, _ body: (Span<UInt8>) throws(ProtocolError) -> Void
  ) throws(ProtocolError) {
    // The buffer is moved out while it is lent, since `body` may use this inflater for another connection.
    var output = spare
    spare = []
    defer { if output.count <= spareLimit { spare = output } }
    if !keepsContext { stream.reset() }
    var count = 0
    try expand(message, limit: limit, into: &output, &count)
    // Append the empty stored block that the sender left out. If it adds output, or does not end a block, it was read
    // as part of an earlier block: the message was cut off or incomplete.
    let messageCount = count
    let tail: [UInt8] = [0x00, 0x00, 0xFF, 0xFF]
    try expand(tail.span, limit: limit, into: &output, &count)
    guard stream.isBetweenBlocks, count == messageCount else { throw .malformedDeflate }
    try body(output.span.extracting(0..<count))
  }

  /// Expands all of `input`, appending after the first `count` bytes of `output`.
  private func expand(
    _ input: Span<UInt8>, limit: Int, into output: inout [UInt8], _ count: inout Int
  ) throws(ProtocolError) {
    // One byte past the limit is enough to detect it.
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
        // Space left over means that zlib has no more output.
        if consumed == input.count && step.produced < space.count { return }
        // No progress although there is input and space: it would loop forever.
        guard step.consumed > 0 || step.produced > 0 else { throw .malformedDeflate }
      case Z_STREAM_END:
        // A block may be marked as final, and more may follow that use the same window (RFC 7692 §7.2.3.4).
        stream.resetKeepingWindow()
      default: throw .malformedDeflate
      }
    }
  }
}
