/// A pool of buffers for bytes to send. A connection takes a buffer when it has something to send, and gives it back
/// when the kernel has taken every byte, so an idle connection owns no buffer.
struct BufferPool {
  private var free: [[UInt8]] = []

  /// The most buffers that the pool keeps: 64 of up to 16 KiB, and small ones beyond that, since a batch sends to many
  /// streams. 1.75 MiB.
  static let bufferLimit = 256
  static let capacityLimit = 16 << 10
  static let smallCapacity = 4 << 10
  /// The number of buffers that the pool keeps while little is sent: 1 MiB.
  static let restingLimit = 64
  /// The capacity of a new buffer: a few small messages fit without growing it.
  static let firstCapacity = 1 << 10

  var count: Int { free.count }

  mutating func take() -> [UInt8] {
    if let buffer = free.popLast() { return buffer }
    var buffer: [UInt8] = []
    buffer.reserveCapacity(Self.firstCapacity)
    return buffer
  }

  /// Takes a buffer back, and overwrites what it held: positions shall not stay in memory (LOC-24).
  mutating func give(_ buffer: consuming [UInt8]) {
    for index in buffer.indices { buffer[index] = 0 }
    let limit = free.count < Self.restingLimit ? Self.capacityLimit : Self.smallCapacity
    guard buffer.capacity > 0, buffer.capacity <= limit, free.count < Self.bufferLimit else { return }
    buffer.removeAll(keepingCapacity: true)
    free.append(buffer)
  }

  /// Overwrites the buffers of the pool.
  mutating func wipe() {
    for index in free.indices {
      let capacity = free[index].capacity
      free[index].append(contentsOf: repeatElement(0, count: capacity))
      free[index].removeAll(keepingCapacity: true)
    }
  }

  /// Frees the buffers beyond `restingLimit`. A loop calls this when it has nothing to do.
  mutating func shrink() { free.removeLast(max(0, free.count - Self.restingLimit)) }
}
