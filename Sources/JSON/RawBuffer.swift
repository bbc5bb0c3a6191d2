/// Memory of a fixed capacity that its owner frees: what tape and writer are made of.
///
/// With them this is the one audited place of the target that works over raw pointers. What makes it safe to use:
/// every access is checked against the capacity, and elements are plain bits, so that memory may be copied and freed
/// without ceremony. What it leaves to its owner: to read nothing that was not filled or written, to call `deallocate`
/// once, and to use no copy of the buffer after `grown` or `deallocate`.
@safe @usableFromInline
struct RawBuffer<Element: BitwiseCopyable> {
  @usableFromInline let base: UnsafeMutablePointer<Element>
  @usableFromInline let capacity: Int

  /// Memory full of `filler`; without one, of whatever was there: its owner counts what it has written.
  init(capacity: Int, filler: Element? = nil) {
    unsafe base = .allocate(capacity: capacity)
    if let filler { unsafe base.initialize(repeating: filler, count: capacity) }
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

  /// Moves the first `count` elements to new memory and frees the old; the rest of the new is `filler`, if given.
  func grown(to newCapacity: Int, keeping count: Int, filler: Element? = nil) -> Self {
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

  /// Eight bytes from `offset`, the first in the lowest bits.
  @inlinable
  public func word(at offset: Int) -> UInt64 {
    precondition(offset >= 0 && offset <= count &- 8)
    return UInt64(littleEndian: unsafe bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: offset, as: UInt64.self))
  }

  /// Whether these are the same bytes as those.
  public func equals(_ other: Span<UInt8>) -> Bool {
    guard count == other.count else { return false }
    var offset = 0
    while offset &+ 8 <= count {
      if word(at: offset) != other.word(at: offset) { return false }
      offset &+= 8
    }
    return tail(from: offset) == other.tail(from: offset)
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

extension RawBuffer where Element == UInt8 {
  /// Eight bytes from `offset`, the first in the lowest bits.
  @inline(__always)
  func word(at offset: Int) -> UInt64 {
    precondition(offset >= 0 && offset <= capacity &- 8)
    return UInt64(littleEndian: unsafe UnsafeRawPointer(base + offset).loadUnaligned(as: UInt64.self))
  }

  /// Stores eight bytes from `offset` on, the lowest bits first.
  @inline(__always)
  func store(_ word: UInt64, at offset: Int) {
    precondition(offset >= 0 && offset <= capacity &- 8)
    unsafe UnsafeMutableRawPointer(base + offset).storeBytes(of: word.littleEndian, as: UInt64.self)
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

  /// The eight hexadecimal digits of a number as text, lower case, the highest digit in the lowest bits.
  @inline(__always)
  static func hexadecimal(_ number: UInt32) -> UInt64 {
    var digits = UInt64(number)
    digits = (digits << 16 | digits) & 0x0000_FFFF_0000_FFFF
    digits = (digits << 8 | digits) & 0x00FF_00FF_00FF_00FF
    digits = (digits << 4 | digits) & 0x0F0F_0F0F_0F0F_0F0F
    // Six more than nine carries into the next four bits: those are letters.
    let letters = ((digits &+ ones &* 6) >> 4) & ones
    return (digits &+ ones &* 0x30 &+ letters &* 0x27).byteSwapped
  }

  /// The number of eight hexadecimal digits of text in either case, the first in the lowest bits; `nil` for others.
  @inline(__always)
  static func number(hexadecimal text: UInt64) -> UInt64? {
    guard text & highBits == 0 else { return nil }
    let lower = text | ones &* 0x20
    let digits = (text &+ ones &* 0x50) & ~(text &+ ones &* 0x46)
    let letters = (lower &+ ones &* 0x1F) & ~(lower &+ ones &* 0x19)
    guard (digits | letters) & highBits == highBits else { return nil }
    var number = ((text & (ones &* 15)) &+ ((text >> 6) & ones) &* 9).byteSwapped
    number = (number | number >> 4) & 0x00FF_00FF_00FF_00FF
    number = (number | number >> 8) & 0x0000_FFFF_0000_FFFF
    return (number | number >> 16) & 0xFFFF_FFFF
  }

  /// Bytes that are no printable ASCII, where none is a control character below 0x20.
  @inline(__always)
  static func unprintable(_ word: UInt64) -> UInt64 {
    (word | ((word & ~highBits) &+ ones)) & highBits
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
