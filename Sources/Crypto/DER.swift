/// The few forms of DER (ITU-T X.690) that keys and signatures need. Only written, never read.
enum DER {
  /// A non-negative whole number from its bytes, most significant first (X.690 §8.3).
  static func integer(_ magnitude: ArraySlice<UInt8>) -> [UInt8] {
    let digits = magnitude.drop { $0 == 0 }
    // A first bit that is set would make it negative; zero has one byte.
    let lead: [UInt8] = digits.first.map { $0 < 0x80 } == true ? [] : [0]
    return element(0x02, lead + digits)
  }

  static func sequence(_ parts: [UInt8]...) -> [UInt8] { element(0x30, parts.flatMap(\.self)) }

  /// A string of whole bytes of bits.
  static func bitString(_ bytes: [UInt8]) -> [UInt8] { element(0x03, [0] + bytes) }

  static func element(_ tag: UInt8, _ content: [UInt8]) -> [UInt8] {
    var count = content.count
    guard count >= 0x80 else { return [tag, UInt8(count)] + content }
    var length: [UInt8] = []
    while count > 0 {
      length.insert(UInt8(truncatingIfNeeded: count), at: 0)
      count >>= 8
    }
    return [tag, 0x80 | UInt8(length.count)] + length + content
  }
}
