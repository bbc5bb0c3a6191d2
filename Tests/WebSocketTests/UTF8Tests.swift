import TestSupport
import Testing

@testable import WebSocket

@Suite("UTF-8 validation")
struct UTF8Tests {
  @Test(
    "valid text is accepted at every split",
    arguments: [
      [], [0x00], [0x7F], [0xC2, 0x80], [0xDF, 0xBF], [0xE0, 0xA0, 0x80], [0xED, 0x9F, 0xBF], [0xEE, 0x80, 0x80],
      [0xEF, 0xBF, 0xBF], [0xEF, 0xBF, 0xBE], [0xF0, 0x90, 0x80, 0x80], [0xF4, 0x8F, 0xBF, 0xBF],
      Array("Hello-µ@ßöäüàá-UTF-8!!".utf8), Array("κόσμε, long enough for several words of ASCII".utf8),
    ] as [[UInt8]])
  func valid(bytes: [UInt8]) {
    for cut in 0...bytes.count {
      var validator = UTF8Validator()
      let accepted = [bytes[..<cut], bytes[cut...]].map { validator.accepts($0.span) }
      #expect(accepted == [true, true])
      #expect(validator.isComplete)
    }
  }

  /// Each with the index of the first invalid byte (RFC 3629 §4); `nil` if the text is only incomplete.
  @Test(
    "invalid text is rejected at its first invalid byte",
    arguments: [
      ([0x80], 0), ([0xBF], 0), ([0xC0, 0x80], 0), ([0xC1, 0xBF], 0), ([0xF5, 0x80], 0), ([0xFE], 0), ([0xFF], 0),
      ([0xC2, 0x7F], 1), ([0xC2, 0xC0], 1), ([0xE0, 0x9F, 0xBF], 1), ([0xED, 0xA0, 0x80], 1), ([0xED, 0xBF, 0xBF], 1),
      ([0xE1, 0x80, 0x41], 2), ([0xE1, 0x80, 0xC0], 2), ([0xF0, 0x8F, 0xBF, 0xBF], 1), ([0xF4, 0x90, 0x80, 0x80], 1),
      ([0xF1, 0x80, 0x80, 0x41], 3), ([0xF8, 0x88], 0), ([0xFC, 0x84], 0), ([0x41, 0xFF], 1),
      (Array("12345678".utf8) + [0xFF], 8), (Array("1234567".utf8) + [0xFF], 7),
      ([0xCE, 0xBA, 0xE1, 0xBD, 0xB9, 0xCF, 0x83, 0xCE, 0xBC, 0xCE, 0xB5, 0xF4, 0x90, 0x80, 0x80], 12),
      ([0xC2], nil), ([0xE1, 0x80], nil), ([0xF4, 0x8F, 0xBF], nil),
    ] as [([UInt8], Int?)])
  func invalid(bytes: [UInt8], index: Int?) {
    var validator = UTF8Validator()
    let accepted = bytes.map { validator.accepts([$0].span) }
    #expect(accepted.firstIndex(of: false) == index)
    #expect(index != nil || !validator.isComplete)
    let isText = bytes.span.isUTF8
    #expect(!isText)
  }

  @Test("the validator agrees with the standard library", arguments: 1...8)
  func agrees(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    // Bytes at the borders of the ranges, so that enough texts are valid.
    let alphabet: [UInt8] = [
      0x41, 0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC2, 0xDF, 0xE0, 0xE1, 0xED, 0xEF, 0xF0, 0xF3, 0xF4,
    ]
    var validCount = 0
    for _ in 0..<20_000 {
      let bytes = (0..<Int.random(in: 0...6, using: &random)).map { _ in alphabet.randomElement(using: &random) ?? 0 }
      let isValid = String(validating: bytes, as: UTF8.self) != nil
      if isValid { validCount += 1 }
      if bytes.span.isUTF8 != isValid { Issue.record("seed \(seed): \(bytes)") }
    }
    #expect(validCount > 1000)
  }
}
