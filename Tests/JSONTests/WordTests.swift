import JSON
import Testing

/// Operations on eight bytes at once must give the same results as byte by byte.
@Suite("Operations on words of eight bytes")
struct WordTests {
  private func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }

  @Test("integers of every length are written as Swift writes them")
  func integers() {
    var values: [Int] = [0, -1, .min, .max, .min + 1, 53]
    var power = 1
    for _ in 0..<18 {
      values += [power, power - 1, power + 1, -power, power * 7 + 5]
      power *= 10
    }
    for value in values + [power, power - 1, power + 1] {
      let writer = Writer()
      writer.int(value)
      #expect(writer.bytes() == bytes(String(value)))
    }
  }

  @Test(
    "UUIDs are written in lower case and parsed in either case",
    arguments: [0, 1, 0x0123_4567_89AB_CDEF, .max as UInt64])
  func uuids(word: UInt64) {
    for (high, low) in [(word, ~word), (~word, word), (word &* 0x9E37_79B9_7F4A_7C15, word.byteSwapped)] {
      let digits = [high, low].map { word in
        let text = String(word, radix: 16)
        return String(repeating: "0", count: 16 - text.count) + text
      }.joined()
      var expected = ""
      for (index, digit) in digits.enumerated() {
        if [8, 12, 16, 20].contains(index) { expected += "-" }
        expected.append(digit)
      }
      let writer = Writer(capacity: 16)
      writer.openObject()
      writer.uuidKey(high, low)
      writer.uuid(high, low)
      writer.closeObject()
      #expect(writer.bytes() == bytes("{\"\(expected)\":\"\(expected)\"}"))
      for text in [expected, expected.uppercased()] {
        let read = bytes(text).span.uuid
        #expect(read?.high == high)
        #expect(read?.low == low)
      }
    }
  }

  @Test("a UUID with a wrong byte at any position is rejected")
  func malformedUUIDs() {
    let text = bytes("01234567-89ab-cdef-0123-456789abcdef")
    for place in text.indices {
      let isHyphen = text[place] == UInt8(ascii: "-")
      for byte in UInt8.min...UInt8.max {
        var other = text
        other[place] = byte
        let isDigit = Character(Unicode.Scalar(byte)).isHexDigit && byte < 0x80
        #expect(isUUID(other) == (isHyphen ? byte == text[place] : isDigit), "\(byte) at \(place)")
      }
    }
    for count in [0, 35, 37] { #expect(!isUUID(Array(repeating: UInt8(ascii: "0"), count: count))) }
  }

  private func isUUID(_ bytes: [UInt8]) -> Bool { bytes.span.uuid != nil }

  @Test("a text of any length is printable if all its bytes are")
  func printable() throws {
    let tape = Tape()
    for count in 0...20 {
      for place in 0..<max(1, count) {
        for byte in [UInt8(0x20), 0x21, 0x7E, 0x7F] {
          var text = [UInt8](repeating: UInt8(ascii: "x"), count: count)
          if count > 0 { text[place] = byte }
          let view = try tape.parse(bytes("[\"" + String(decoding: text, as: UTF8.self) + "\",\"\u{7F}é\"]").span)
          var first: View?
          view.forEachItem { first = first ?? $0 }
          #expect(first?.isPrintable == (count == 0 || byte != 0x7F), "\(byte) at \(place) of \(count)")
        }
      }
    }
    for text in ["\"naïve\"", "\"a\\nb\"", "\"12345678é\"", "7", "null"] {
      #expect(try tape.parse(bytes(text).span).isPrintable == false, "\(text)")
    }
  }

  private func areEqual(_ first: [UInt8], _ second: [UInt8]) -> Bool { first.span.equals(second.span) }
  private func digest(_ bytes: [UInt8]) -> UInt64 { bytes.span.digest() }
  private func says(_ bytes: [UInt8], _ text: StaticString) -> Bool { bytes.span.equals(text) }

  @Test("two spans are equal, and have the same digest, only if all bytes are the same")
  func spans() {
    for count in 0...33 {
      let text = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 37 &+ 200) }
      #expect(areEqual(text, Array(text)))
      #expect(digest(text) == digest(Array(text)))
      #expect(!areEqual(text, text + [0]))
      #expect(digest(text) != digest(text + [0]))
      for place in text.indices {
        var other = text
        other[place] ^= 0x80
        #expect(!areEqual(text, other), "\(place) of \(count)")
        #expect(digest(text) != digest(other), "\(place) of \(count)")
      }
    }
    #expect(says(bytes("household/"), "household/"))
    #expect(!says(bytes("household"), "household/"))
  }
}
