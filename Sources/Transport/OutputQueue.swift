/// A queue of bytes to send. An empty queue owns no memory.
struct OutputQueue {
  /// The bytes; those before `start` have been taken.
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

  /// Removes the taken bytes, so that a caller may append to `bytes` directly.
  mutating func compact() {
    guard start > 0 else { return }
    bytes.removeFirst(start)
    start = 0
  }

  /// Removes the first `count` bytes. Gives the memory back when none are left.
  mutating func drop(_ count: Int, to pool: inout BufferPool) {
    start += count
    if start == bytes.count { clear(to: &pool) }
  }

  mutating func clear(to pool: inout BufferPool) {
    pool.give(exchange(&bytes, with: []))
    start = 0
  }
}
