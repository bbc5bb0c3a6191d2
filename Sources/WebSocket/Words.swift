/// Operations on eight bytes at a time over spans: unmask, find ASCII, copy.
///
/// This is one of two audited files of this target with unsafe code. The standard library does not check bounds when it
/// loads a word from a span, and cannot append a span to an array; each function here checks its bounds itself.
extension Span<UInt8> {
  /// The number of bytes from `offset` that are certainly ASCII: a multiple of eight.
  func asciiWords(from offset: Int) -> Int {
    guard offset >= 0 else { return 0 }
    return unsafe withUnsafeBytes { bytes in
      var end = offset
      while end <= bytes.count - 8 {
        guard unsafe bytes.loadUnaligned(fromByteOffset: end, as: UInt64.self) & 0x8080_8080_8080_8080 == 0 else {
          break
        }
        end += 8
      }
      return end - offset
    }
  }
}

extension MutableSpan<UInt8> {
  /// Masks or unmasks the bytes of `range` (RFC 6455 §5.3).
  ///
  /// `phase` is the number of payload bytes before the range.
  public mutating func applyMask(_ mask: UInt32, in range: Range<Int>, phase: Int = 0) {
    precondition(range.lowerBound >= 0 && range.upperBound <= count && phase >= 0)
    // The key in memory order, rotated so that its first byte applies to the first byte of the range.
    let turn = UInt32(truncatingIfNeeded: phase & 3) * 8
    let key = (mask << turn | mask >> ((32 - turn) & 31)).bigEndian
    let wideKey = UInt64(key) << 32 | UInt64(key)
    unsafe withUnsafeMutableBytes { bytes in
      var index = range.lowerBound
      while index <= range.upperBound - 8 {
        let word = unsafe bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self)
        unsafe bytes.storeBytes(of: word ^ wideKey, toByteOffset: index, as: UInt64.self)
        index += 8
      }
      var rest = key.littleEndian
      while index < range.upperBound {
        unsafe bytes[index] ^= UInt8(truncatingIfNeeded: rest)
        rest = rest >> 8 | rest << 24
        index += 1
      }
    }
  }
}

extension [UInt8] {
  mutating func append(_ bytes: Span<UInt8>) {
    unsafe bytes.withUnsafeBufferPointer { unsafe append(contentsOf: $0) }
  }
}
