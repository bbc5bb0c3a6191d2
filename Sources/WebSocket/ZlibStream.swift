import CZlib

/// A deflate stream of zlib, in one direction.
///
/// This file and `Words.swift` hold all unsafe code of this target. zlib keeps a pointer to its stream, so the stream
/// is allocated, never moves, and is freed with the object. Buffers are lent for one call each, with their sizes; none
/// is kept after the call.
@safe
final class ZlibStream {
  enum Direction: Sendable {
    case deflate(level: Int)
    case inflate
  }

  /// The frame around the deflated data.
  enum Format: Sendable { case raw, gzip }

  /// The result of one call.
  struct Step {
    var consumed = 0
    var produced = 0
    var status = Z_OK
  }

  private let direction: Direction
  private let stream: UnsafeMutablePointer<z_stream>

  init(_ direction: Direction, windowBits: Int = 15, format: Format = .raw) {
    self.direction = direction
    unsafe stream = .allocate(capacity: 1)
    unsafe stream.initialize(to: z_stream())
    let status: Int32
    // zlib's way of naming the format.
    let bits = format == .raw ? -Int32(clamping: windowBits) : Int32(clamping: windowBits + 16)
    switch direction {
    case .deflate(let level): status = unsafe czlib_deflate_init(stream, Int32(clamping: level), bits, 8)
    case .inflate: status = unsafe czlib_inflate_init(stream, bits)
    }
    // The parameters are valid, so only an allocation can fail; an array would trap then, too.
    precondition(status == Z_OK, "zlib could not allocate memory")
  }

  deinit {
    switch direction {
    case .deflate: unsafe deflateEnd(stream)
    case .inflate: unsafe inflateEnd(stream)
    }
    unsafe stream.deallocate()
  }

  /// Discards the stream's state and keeps its memory.
  func reset() {
    switch direction {
    case .deflate: unsafe deflateReset(stream)
    case .inflate: unsafe inflateReset(stream)
    }
  }

  /// Starts a new inflate stream after the final block, keeping the window.
  func resetKeepingWindow() { unsafe inflateResetKeep(stream) }

  /// An upper bound for the compressed size of `count` bytes, without the bytes that flushing adds.
  func bound(_ count: Int) -> Int { unsafe Int(deflateBound(stream, UInt(count))) }

  /// Whether the last inflate call ended between two blocks and on a byte boundary.
  ///
  /// zlib then reports 128. It adds 64 in the final block, and the number of unread bits.
  var isBetweenBlocks: Bool { unsafe stream.pointee.data_type == 128 }

  /// Runs zlib once: reads `input` from `offset` on and writes to the range `space` of `output`.
  func step(
    _ input: Span<UInt8>, from offset: Int, into output: inout [UInt8], _ space: Range<Int>, flush: Int32
  ) -> Step {
    precondition(offset >= 0 && offset <= input.count && space.upperBound <= output.count)
    return unsafe input.withUnsafeBufferPointer { bytes in
      unsafe output.withUnsafeMutableBufferPointer { buffer in
        // zlib counts in 32 bits; the rest waits for the next call.
        let offered = UInt32(clamping: bytes.count - offset)
        let room = UInt32(clamping: space.count)
        // zlib only reads its input, although the type is not const.
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
