// Word-wise operations on bytes owned elsewhere: compare, copy, hash, search.

extension [UInt8] {
  /// Appends all bytes of a span in one step.
  public mutating func append(contentsOf bytes: Span<UInt8>) {
    unsafe bytes.withUnsafeBufferPointer { unsafe append(contentsOf: $0) }
  }
}

extension Span<UInt8> {
  /// A copy of the bytes that outlives the span.
  public var copied: [UInt8] { unsafe withUnsafeBufferPointer { unsafe Array($0) } }

  /// Loads eight bytes from `offset`; the first is in the lowest bits.
  @inlinable
  public func word(at offset: Int) -> UInt64 {
    precondition(offset >= 0 && offset <= count &- 8)
    return UInt64(littleEndian: unsafe bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: offset, as: UInt64.self))
  }

  /// Whether both spans hold the same bytes.
  public func equals(_ other: Span<UInt8>) -> Bool {
    unsafe withUnsafeBufferPointer { bytes in
      unsafe other.withUnsafeBufferPointer { unsafe bytes.equals($0) }
    }
  }

  /// Whether the span holds exactly the bytes of `text`.
  public func equals(_ text: StaticString) -> Bool {
    let other = unsafe text.bytes
    return unsafe equals(other.span)
  }

  /// Loads the last bytes, fewer than eight; the first is in the lowest bits.
  @inline(__always)
  private func tail(from offset: Int) -> UInt64 {
    // One load that ends at the last byte; the bytes before `offset` are shifted out.
    if count >= 8 {
      let rest = UInt64(count &- offset)
      return rest == 0 ? 0 : word(at: count &- 8) >> (64 &- 8 &* rest)
    }
    var word: UInt64 = 0
    for index in stride(from: count &- 1, through: offset, by: -1) { word = word << 8 | UInt64(self[index]) }
    return word
  }

  /// A hash over eight bytes at a time, chained like FNV-1a.
  ///
  /// It is the same in every process, so do not use it for tables that untrusted input fills.
  public func digest(_ start: UInt64 = 0xcbf2_9ce4_8422_2325) -> UInt64 {
    var value = start
    func add(_ word: UInt64) {
      value = (value ^ word) &* 0x9E37_79B9_7F4A_7C15
      // The low bits of a product do not depend on the high bits of its factors.
      value ^= value >> 32
    }
    var offset = 0
    while offset &+ 8 <= count {
      add(word(at: offset))
      offset &+= 8
    }
    // At most seven bytes, and the length.
    add(tail(from: offset) | UInt64(truncatingIfNeeded: count) << 56)
    return value
  }
}

extension UnsafeBufferPointer<UInt8> {
  /// Whether both buffers hold the same bytes.
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
    // Compare words; the last word overlaps the one before it.
    var index = 0
    while true {
      let word = unsafe first.loadUnaligned(fromByteOffset: index, as: UInt64.self)
      if unsafe word != second.loadUnaligned(fromByteOffset: index, as: UInt64.self) { return false }
      if index == count &- 8 { return true }
      index = Swift.min(index &+ 8, count &- 8)
    }
  }

  /// The offset, at or after `start`, of the first byte that needs an escape; `count` if there is none.
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
  /// The literal's bytes, which live as long as the program. `withUTF8Buffer` would add a closure to inline.
  @inlinable
  var bytes: UnsafeBufferPointer<UInt8> {
    @inline(__always) get { unsafe UnsafeBufferPointer(start: utf8Start, count: utf8CodeUnitCount) }
  }
}
