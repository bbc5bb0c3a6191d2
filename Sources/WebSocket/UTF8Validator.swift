/// Validates UTF-8 in pieces of any size and rejects the first byte that cannot continue a text.
///
/// After a character's first byte, the range of the second one excludes everything that RFC 3629 §4 forbids: overlong
/// forms, surrogates, and code points above U+10FFFF.
struct UTF8Validator: Sendable {
  /// The number of bytes that complete the current character.
  private var remaining: UInt8 = 0
  private var lower: UInt8 = 0x80
  private var upper: UInt8 = 0xBF

  /// Whether the text may end here, between two characters.
  var isComplete: Bool { remaining == 0 }

  /// Whether all bytes so far can start a valid text. After `false`, do not call it again.
  mutating func accepts(_ bytes: Span<UInt8>) -> Bool {
    var index = 0
    while index < bytes.count {
      if remaining == 0 && bytes[index] < 0x80 {
        index += max(bytes.asciiWords(from: index), 1)
      } else {
        guard accepts(bytes[index]) else { return false }
        index += 1
      }
    }
    return true
  }

  private mutating func accepts(_ byte: UInt8) -> Bool {
    if remaining > 0 {
      guard byte >= lower, byte <= upper else { return false }
      remaining -= 1
      (lower, upper) = (0x80, 0xBF)
      return true
    }
    switch byte {
    case 0x00...0x7F: break
    case 0xC2...0xDF: remaining = 1
    case 0xE0: (remaining, lower) = (2, 0xA0)
    case 0xED: (remaining, upper) = (2, 0x9F)
    case 0xE1...0xEF: remaining = 2
    case 0xF0: (remaining, lower) = (3, 0x90)
    case 0xF1...0xF3: remaining = 3
    case 0xF4: (remaining, upper) = (3, 0x8F)
    default: return false
    }
    return true
  }
}

extension Span<UInt8> {
  /// Whether the bytes are valid UTF-8.
  var isUTF8: Bool {
    var validator = UTF8Validator()
    return validator.accepts(self) && validator.isComplete
  }
}
