/// Rules for escapes and multibyte characters in strings. Each function returns the offset of the next character.
struct StringRules {
  private let text: RawBuffer<UInt8>
  private let count: Int

  @inline(__always)
  init(_ text: RawBuffer<UInt8>, _ count: Int) {
    self.text = text
    self.count = count
  }

  /// Checks an escape (RFC 8259 §7). Strict on §8.2: surrogates must come in pairs.
  @inline(never)
  func behindEscape(at start: Int) throws(JSONError) -> Int {
    switch text[start + 1] {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"), UInt8(ascii: "f"),
      UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
      return start + 2
    case UInt8(ascii: "u"):
      let unit = try hexadecimal(at: start + 2, escapeAt: start)
      let next = start + 6
      guard unit & 0xF800 == 0xD800 else { return next }
      guard unit < 0xDC00 else { throw .invalidEscape(offset: start) }
      guard text[next] == UInt8(ascii: "\\") else { throw wrong(at: next, escapeAt: start) }
      guard text[next + 1] == UInt8(ascii: "u") else { throw wrong(at: next + 1, escapeAt: start) }
      let second = try hexadecimal(at: next + 2, escapeAt: next)
      guard second & 0xFC00 == 0xDC00 else { throw .invalidEscape(offset: start) }
      return next + 6
    default:
      throw wrong(at: start + 1, escapeAt: start)
    }
  }

  private func wrong(at offset: Int, escapeAt start: Int) -> JSONError {
    offset == count ? .endOfInput : .invalidEscape(offset: start)
  }

  private func hexadecimal(at offset: Int, escapeAt start: Int) throws(JSONError) -> UInt32 {
    var unit: UInt32 = 0
    for index in offset..<offset + 4 {
      guard let digit = text[index].hexadecimalDigit else { throw wrong(at: index, escapeAt: start) }
      unit = unit << 4 | digit
    }
    return unit
  }

  /// Checks a UTF-8 sequence of two to four bytes (RFC 3629 §4).
  ///
  /// The range of the second byte excludes overlong forms, surrogates and code points above U+10FFFF. The zero bytes
  /// after the text are no continuation bytes, so a sequence cut off at the end is rejected too.
  @inline(never)
  func behindMultibyte(at start: Int) throws(JSONError) -> Int {
    let second = text[start + 1]
    let size: Int
    let isValid: Bool
    switch text[start] {
    case 0xC2...0xDF: (size, isValid) = (2, 0x80...0xBF ~= second)
    case 0xE0: (size, isValid) = (3, 0xA0...0xBF ~= second)
    case 0xED: (size, isValid) = (3, 0x80...0x9F ~= second)
    case 0xE1...0xEF: (size, isValid) = (3, 0x80...0xBF ~= second)
    case 0xF0: (size, isValid) = (4, 0x90...0xBF ~= second)
    case 0xF4: (size, isValid) = (4, 0x80...0x8F ~= second)
    case 0xF1...0xF3: (size, isValid) = (4, 0x80...0xBF ~= second)
    default: throw .invalidUTF8(offset: start)
    }
    guard isValid,
      size < 3 || text[start + 2] & 0xC0 == 0x80,
      size < 4 || text[start + 3] & 0xC0 == 0x80
    else { throw .invalidUTF8(offset: start) }
    return start + size
  }
}
