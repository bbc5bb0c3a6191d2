/// The text of a string or key with its escapes undone, one byte of UTF-8 after another.
///
/// Only for nodes of a parsed tape: there every escape is whole and surrogates come in pairs.
struct UnescapedBytes: Sequence, IteratorProtocol {
  private let text: RawBuffer<UInt8>
  private var position: Int
  private let end: Int
  /// The rest of the scalar that a `\u` stands for.
  private var pending: Unicode.UTF8.EncodedScalar.Iterator?

  init(_ text: RawBuffer<UInt8>, _ node: Node) {
    self.text = text
    position = Int(node.start)
    end = position + Int(node.length)
  }

  mutating func next() -> UInt8? {
    if let byte = pending?.next() { return byte }
    guard position < end else { return nil }
    let byte = text[position]
    position += 1
    guard byte == UInt8(ascii: "\\") else { return byte }

    let letter = text[position]
    position += 1
    switch letter {
    case UInt8(ascii: "b"): return 0x08
    case UInt8(ascii: "f"): return 0x0C
    case UInt8(ascii: "n"): return 0x0A
    case UInt8(ascii: "r"): return 0x0D
    case UInt8(ascii: "t"): return 0x09
    case UInt8(ascii: "u"): return scalar()
    default: return letter
    }
  }

  /// Reads the digits of a `\u`, the second half of a pair too, and gives out the first byte.
  private mutating func scalar() -> UInt8? {
    var value = unit()
    if value & 0xFC00 == 0xD800 {
      position += 2
      value = 0x10000 + (value & 0x3FF) << 10 + unit() & 0x3FF
    }
    pending = UTF8.encode(Unicode.Scalar(value) ?? "\u{FFFD}")?.makeIterator()
    return pending?.next()
  }

  private mutating func unit() -> UInt32 {
    var unit: UInt32 = 0
    for index in position..<position + 4 { unit = unit << 4 | (text[index].hexadecimalDigit ?? 0) }
    position += 4
    return unit
  }
}
