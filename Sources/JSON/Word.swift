/// Operations on eight bytes of text at once.
///
/// A search sets the high bit of each byte that matches. Borrows can also set it for bytes *above* a match, so only the
/// lowest set bit counts: it is the first match in the text.
enum Word {
  static let ones: UInt64 = 0x0101_0101_0101_0101
  static let highBits: UInt64 = 0x8080_8080_8080_8080

  /// Finds quotes, backslashes and control characters, which a string cannot hold unescaped.
  @inline(__always)
  static func specials(_ word: UInt64) -> UInt64 {
    let quote = word ^ (ones &* 0x22)
    let backslash = word ^ (ones &* 0x5C)
    let control = (word &- ones &* 0x20) & ~word
    return (control | (quote &- ones) & ~quote | (backslash &- ones) & ~backslash) & highBits
  }

  /// Formats a number below 10⁸ as eight decimal digits, the first in the lowest bits.
  ///
  /// Three steps split all parts in half at once. The multiplications replace divisions; their reciprocals are exact
  /// for numbers this small.
  @inline(__always)
  static func decimal(_ number: UInt) -> UInt64 {
    let number = UInt64(truncatingIfNeeded: number)
    let fours = number / 10_000 | (number % 10_000) << 32
    let hundreds = ((fours &* 10_486) >> 20) & 0x0000_007F_0000_007F
    let twos = hundreds | (fours &- hundreds &* 100) << 16
    let tens = ((twos &* 103) >> 10) & 0x000F_000F_000F_000F
    return (tens | (twos &- tens &* 10) << 8) | ones &* 0x30
  }

  /// Formats a number as eight lower-case hexadecimal digits, the highest digit in the lowest bits.
  @inline(__always)
  static func hexadecimal(_ number: UInt32) -> UInt64 {
    var digits = UInt64(number)
    digits = (digits << 16 | digits) & 0x0000_FFFF_0000_FFFF
    digits = (digits << 8 | digits) & 0x00FF_00FF_00FF_00FF
    digits = (digits << 4 | digits) & 0x0F0F_0F0F_0F0F_0F0F
    // Adding six carries out of the four bits when the digit is above nine, that is, a letter.
    let letters = ((digits &+ ones &* 6) >> 4) & ones
    return (digits &+ ones &* 0x30 &+ letters &* 0x27).byteSwapped
  }

  /// Parses eight hexadecimal digits in either case, the first in the lowest bits; `nil` for any other text.
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

  /// Finds bytes that are not printable ASCII, provided that none is a control character below 0x20.
  @inline(__always)
  static func unprintable(_ word: UInt64) -> UInt64 {
    (word | ((word & ~highBits) &+ ones)) & highBits
  }

  /// Finds the bytes of `specials` and bytes outside ASCII.
  @inline(__always)
  static func specialsAndNonASCII(_ word: UInt64) -> UInt64 {
    specials(word) | word & highBits
  }
}
