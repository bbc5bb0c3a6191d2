/// Memory of a fixed capacity that its owner frees: what tape and writer are made of.
///
/// With them this is the one audited place of the target that works over raw pointers. What makes it safe to use:
/// every element is initialised from the start, every access is checked against the capacity, and elements are
/// plain bits, so that memory may be copied and freed without ceremony. What it leaves to its owner: to call
/// `deallocate` once, and to use no copy of the buffer after `grown` or `deallocate`.
@safe @usableFromInline
struct RawBuffer<Element: BitwiseCopyable> {
  @usableFromInline let base: UnsafeMutablePointer<Element>
  @usableFromInline let capacity: Int

  init(capacity: Int, filler: Element) {
    unsafe base = .allocate(capacity: capacity)
    unsafe base.initialize(repeating: filler, count: capacity)
    self.capacity = capacity
  }

  func deallocate() {
    unsafe base.deallocate()
  }

  @inlinable
  subscript(index: Int) -> Element {
    @inline(__always) get {
      precondition(UInt(bitPattern: index) < UInt(bitPattern: capacity))
      return unsafe base[index]
    }
    @inline(__always) nonmutating set {
      precondition(UInt(bitPattern: index) < UInt(bitPattern: capacity))
      unsafe base[index] = newValue
    }
  }

  /// Moves the first `count` elements to new memory and frees the old; the rest of the new is `filler`.
  func grown(to newCapacity: Int, keeping count: Int, filler: Element) -> Self {
    precondition(count >= 0 && count <= capacity && count <= newCapacity)
    let grown = Self(capacity: newCapacity, filler: filler)
    unsafe grown.base.update(from: base, count: count)
    deallocate()
    return grown
  }

  /// The elements from `offset` on, for as long as neither `grown` nor `deallocate` is called.
  @inlinable @inline(__always)
  func slice(_ offset: Int, _ count: Int) -> UnsafeMutableBufferPointer<Element> {
    precondition(offset >= 0 && count >= 0 && offset <= capacity && count <= capacity &- offset)
    return unsafe UnsafeMutableBufferPointer(start: base + offset, count: count)
  }

  func fill(_ count: Int, with element: Element) {
    unsafe slice(0, count).update(repeating: element)
  }
}

extension [UInt8] {
  /// Appends the bytes of a span all at once.
  public mutating func append(contentsOf bytes: Span<UInt8>) {
    unsafe bytes.withUnsafeBufferPointer { unsafe append(contentsOf: $0) }
  }
}

extension Span<UInt8> {
  /// The bytes, to be kept.
  public var copied: [UInt8] { unsafe withUnsafeBufferPointer { unsafe Array($0) } }
}

extension RawBuffer where Element == UInt8 {
  /// Eight bytes from `offset`, the first in the lowest bits.
  @inline(__always)
  func word(at offset: Int) -> UInt64 {
    precondition(offset >= 0 && offset <= capacity &- 8)
    return UInt64(littleEndian: unsafe UnsafeRawPointer(base + offset).loadUnaligned(as: UInt64.self))
  }

  /// Copies `source` to `offset`.
  @inlinable @inline(__always)
  func copy(_ source: UnsafeBufferPointer<UInt8>, to offset: Int) {
    guard let start = source.baseAddress, !source.isEmpty else { return }
    precondition(offset >= 0 && offset <= capacity && source.count <= capacity &- offset)
    unsafe (base + offset).update(from: start, count: source.count)
  }

  /// Whether `count` bytes are the same at two places.
  @inline(__always)
  func equal(_ first: Int, _ second: Int, count: Int) -> Bool {
    unsafe equal(first, UnsafeBufferPointer(slice(second, count)))
  }

  /// Whether the bytes from `offset` on are those of `other`.
  @inlinable @inline(__always)
  func equal(_ offset: Int, _ other: UnsafeBufferPointer<UInt8>) -> Bool {
    precondition(offset >= 0 && offset <= capacity && other.count <= capacity &- offset)
    guard let others = other.baseAddress else { return true }
    let bytes = unsafe UnsafeRawPointer(base + offset)
    let count = other.count
    guard count >= 8 else {
      if count >= 4 {
        let last = count &- 4
        return unsafe bytes.loadUnaligned(as: UInt32.self) == UnsafeRawPointer(others).loadUnaligned(as: UInt32.self)
          && bytes.loadUnaligned(fromByteOffset: last, as: UInt32.self)
            == UnsafeRawPointer(others).loadUnaligned(fromByteOffset: last, as: UInt32.self)
      }
      var index = 0
      while index < count {
        if unsafe (base + offset)[index] != others[index] { return false }
        index &+= 1
      }
      return true
    }
    // Words; the last one overlaps the one before.
    var index = 0
    while true {
      let word = unsafe bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self)
      if unsafe word != UnsafeRawPointer(others).loadUnaligned(fromByteOffset: index, as: UInt64.self) { return false }
      if index == count &- 8 { return true }
      index = min(index &+ 8, count &- 8)
    }
  }
}

/// Looking at eight bytes of text at once.
///
/// The high bit of a byte is set in the result where the byte matches. Borrows make bytes *above* a match match
/// too, so only the lowest one counts, which is the first byte of the text.
enum Word {
  static let ones: UInt64 = 0x0101_0101_0101_0101
  static let highBits: UInt64 = 0x8080_8080_8080_8080

  /// Quotes, backslashes and control characters: what cannot stand in a string as it is.
  @inline(__always)
  static func specials(_ word: UInt64) -> UInt64 {
    let quote = word ^ (ones &* 0x22)
    let backslash = word ^ (ones &* 0x5C)
    let control = (word &- ones &* 0x20) & ~word
    return (control | (quote &- ones) & ~quote | (backslash &- ones) & ~backslash) & highBits
  }

  /// Specials, and bytes outside ASCII.
  @inline(__always)
  static func specialsAndNonASCII(_ word: UInt64) -> UInt64 {
    specials(word) | word & highBits
  }
}

extension UnsafeBufferPointer<UInt8> {
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
