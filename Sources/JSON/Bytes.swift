// Bytes of others, compared, copied, hashed and searched by words.

extension [UInt8] {
  /// Appends the bytes of a span all at once.
  public mutating func append(contentsOf bytes: Span<UInt8>) {
    unsafe bytes.withUnsafeBufferPointer { unsafe append(contentsOf: $0) }
  }
}

extension Span<UInt8> {
  /// The bytes, to be kept.
  public var copied: [UInt8] { unsafe withUnsafeBufferPointer { unsafe Array($0) } }

  /// Eight bytes from `offset`, the first in the lowest bits.
  @inlinable
  public func word(at offset: Int) -> UInt64 {
    precondition(offset >= 0 && offset <= count &- 8)
    return UInt64(littleEndian: unsafe bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: offset, as: UInt64.self))
  }

  /// Whether these are the same bytes as those.
  public func equals(_ other: Span<UInt8>) -> Bool {
    unsafe withUnsafeBufferPointer { bytes in
      unsafe other.withUnsafeBufferPointer { unsafe bytes.equals($0) }
    }
  }

  /// Whether these are the bytes of a text.
  public func equals(_ text: StaticString) -> Bool {
    let other = unsafe text.bytes
    return unsafe equals(other.span)
  }

  /// The last bytes, fewer than eight, the first in the lowest bits.
  @inline(__always)
  private func tail(from offset: Int) -> UInt64 {
    // Where there are eight before the end they are read at once, and what was read before is shifted out.
    if count >= 8 {
      let rest = UInt64(count &- offset)
      return rest == 0 ? 0 : word(at: count &- 8) >> (64 &- 8 &* rest)
    }
    var word: UInt64 = 0
    for index in stride(from: count &- 1, through: offset, by: -1) { word = word << 8 | UInt64(self[index]) }
    return word
  }

  /// A hash of eight bytes a time, the same in every process (as FNV-1a chains them): not for tables that strangers
  /// fill.
  public func digest(_ start: UInt64 = 0xcbf2_9ce4_8422_2325) -> UInt64 {
    var value = start
    func add(_ word: UInt64) {
      value = (value ^ word) &* 0x9E37_79B9_7F4A_7C15
      // A product's low bits know nothing of the factors' high bits.
      value ^= value >> 32
    }
    var offset = 0
    while offset &+ 8 <= count {
      add(word(at: offset))
      offset &+= 8
    }
    // Seven bytes at most, and how many.
    add(tail(from: offset) | UInt64(truncatingIfNeeded: count) << 56)
    return value
  }
}

extension UnsafeBufferPointer<UInt8> {
  /// Whether these are the same bytes as those.
  @inlinable @inline(__always)
  func equals(_ other: UnsafeBufferPointer<UInt8>) -> Bool {
    guard count == other.count else { return false }
    guard let first = unsafe UnsafeRawPointer(baseAddress), let second = unsafe UnsafeRawPointer(other.baseAddress)
    else { return true }
    guard count >= 8 else {
      if count >= 4 {
        let last = count &- 4
        return unsafe first.loadUnaligned(as: UInt32.self) == second.loadUnaligned(as: UInt32.self)
          && first.loadUnaligned(fromByteOffset: last, as: UInt32.self)
            == second.loadUnaligned(fromByteOffset: last, as: UInt32.self)
      }
      var index = 0
      while index < count {
        if unsafe self[index] != other[index] { return false }
        index &+= 1
      }
      return true
    }
    // Words; the last one overlaps the one before.
    var index = 0
    while true {
      let word = unsafe first.loadUnaligned(fromByteOffset: index, as: UInt64.self)
      if unsafe word != second.loadUnaligned(fromByteOffset: index, as: UInt64.self) { return false }
      if index == count &- 8 { return true }
      index = Swift.min(index &+ 8, count &- 8)
    }
  }

  /// The offset, from `start` on, of the first byte that must be escaped; `count`, if there is none.
  func firstSpecial(from start: Int) -> Int {
    var offset = start
    while offset + 8 <= count {
      let word = unsafe UnsafeRawBufferPointer(self).loadUnaligned(fromByteOffset: offset, as: UInt64.self)
      let stop = Word.specials(UInt64(littleEndian: word))
      if stop != 0 { return offset + stop.trailingZeroBitCount / 8 }
      offset += 8
    }
    while offset < count {
      let byte = unsafe self[offset]
      if byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") { return offset }
      offset += 1
    }
    return count
  }
}

extension StaticString {
  /// The literal's bytes, which live as long as the program. Unlike `withUTF8Buffer`, this leaves nothing to inline.
  @inlinable
  var bytes: UnsafeBufferPointer<UInt8> {
    @inline(__always) get { unsafe UnsafeBufferPointer(start: utf8Start, count: utf8CodeUnitCount) }
  }
}
