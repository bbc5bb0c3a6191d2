/// Bytes that wait for somebody to take them, in the order in which they came. Empty, it owns no memory.
struct OutputQueue {
  /// Those before `start` have been taken.
  var bytes: [UInt8] = []
  private(set) var start = 0

  var count: Int { bytes.count - start }
  var isEmpty: Bool { bytes.isEmpty }

  func withBytes<Result>(_ body: (Span<UInt8>) -> Result) -> Result { body(bytes.span.extracting(start..<bytes.count)) }

  mutating func append(_ new: Span<UInt8>, from pool: inout BufferPool) {
    guard !new.isEmpty else { return }
    if bytes.isEmpty {
      bytes = pool.take()
    } else if start >= bytes.count / 2, bytes.count + new.count > bytes.capacity {
      compact()
    }
    bytes.append(copying: new)
  }

  /// Forgets what has been taken, for somebody who appends to `bytes` by himself.
  mutating func compact() {
    guard start > 0 else { return }
    bytes.removeFirst(start)
    start = 0
  }

  /// Takes away the first `count` bytes, and gives the memory back behind the last.
  mutating func drop(_ count: Int, to pool: inout BufferPool) {
    start += count
    if start == bytes.count { clear(to: &pool) }
  }

  mutating func clear(to pool: inout BufferPool) {
    pool.give(exchange(&bytes, with: []))
    start = 0
  }
}
