/// The UTF-8 bytes of a string or key with escapes resolved.
///
/// Only for nodes of a parsed tape, where every escape is complete and surrogates come in pairs.
struct UnescapedBytes: Sequence, IteratorProtocol {
  private let text: RawBuffer<UInt8>
  private var position: Int
  private let end: Int
  /// The remaining bytes of the scalar of a `\u` escape.
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

  /// Reads the digits of a `\u` escape, and of the second one of a surrogate pair; returns the scalar's first byte.
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
