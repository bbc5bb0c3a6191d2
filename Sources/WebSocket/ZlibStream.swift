import CZlib

/// A raw deflate stream of zlib, in one direction.
///
/// With `Words.swift` this is all of the target that is unsafe: zlib works over pointers and keeps one to its stream,
/// so the stream is allocated, never moves, and is freed with the object. Buffers are lent for one call each, with
/// their sizes, and none of them is remembered after it.
@safe
final class ZlibStream {
  enum Direction: Sendable {
    case deflate(level: Int)
    case inflate
  }

  /// What one call did.
  struct Step {
    var consumed = 0
    var produced = 0
    var status = Z_OK
  }

  private let direction: Direction
  private let stream: UnsafeMutablePointer<z_stream>

  init(_ direction: Direction, windowBits: Int) {
    self.direction = direction
    unsafe stream = .allocate(capacity: 1)
    unsafe stream.initialize(to: z_stream())
    let status: Int32
    switch direction {
    case .deflate(let level):
      status = unsafe czlib_deflate_init(stream, Int32(clamping: level), -Int32(clamping: windowBits), 8)
    case .inflate: status = unsafe czlib_inflate_init(stream, -Int32(clamping: windowBits))
    }
    // The parameters are ours, so what can fail is the allocation; an array would trap there too.
    precondition(status == Z_OK, "zlib has no memory")
  }

  deinit {
    switch direction {
    case .deflate: unsafe deflateEnd(stream)
    case .inflate: unsafe inflateEnd(stream)
    }
    unsafe stream.deallocate()
  }

  /// Forgets everything, and keeps the memory.
  func reset() {
    switch direction {
    case .deflate: unsafe deflateReset(stream)
    case .inflate: unsafe inflateReset(stream)
    }
  }

  /// After the last block of a stream that is inflated: begins another that may refer to what came before.
  func resetKeepingWindow() { unsafe inflateResetKeep(stream) }

  /// Bytes that so many will certainly be compressed to, but for what flushing adds.
  func bound(_ count: Int) -> Int { unsafe Int(deflateBound(stream, UInt(count))) }

  /// Whether the last call that inflated ended between two blocks, on the border of a byte: zlib then says 128 and
  /// adds 64 in the last block, and the count of unread bits.
  var isBetweenBlocks: Bool { unsafe stream.pointee.data_type == 128 }

  /// One call of zlib: `input` from `offset` on goes in, what comes out goes to `space` in `output`.
  func step(
    _ input: Span<UInt8>, from offset: Int, into output: inout [UInt8], _ space: Range<Int>, flush: Int32
  ) -> Step {
    precondition(offset >= 0 && offset <= input.count && space.upperBound <= output.count)
    return unsafe input.withUnsafeBufferPointer { bytes in
      unsafe output.withUnsafeMutableBufferPointer { buffer in
        // zlib counts in 32 bits; what does not fit waits for the next call.
        let offered = UInt32(clamping: bytes.count - offset)
        let room = UInt32(clamping: space.count)
        // It only reads its input, though the type is not const.
        unsafe stream.pointee.next_in = bytes.baseAddress.map { unsafe UnsafeMutablePointer(mutating: $0 + offset) }
        unsafe stream.pointee.avail_in = offered
        unsafe stream.pointee.next_out = buffer.baseAddress.map { unsafe $0 + space.lowerBound }
        unsafe stream.pointee.avail_out = room
        defer {
          unsafe stream.pointee.next_in = nil
          unsafe stream.pointee.next_out = nil
        }
        var step = Step()
        switch direction {
        case .deflate: step.status = unsafe deflate(stream, flush)
        case .inflate: step.status = unsafe inflate(stream, flush)
        }
        unsafe step.consumed = Int(offered - stream.pointee.avail_in)
        unsafe step.produced = Int(room - stream.pointee.avail_out)
        return step
      }
    }
  }
}
