import Crypto
import Testing

@Suite("Base64 and hexadecimal")
struct EncodingTests {
  @Test(
    "Base64 encodes and decodes the examples of RFC 4648 §10",
    arguments: [
      ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="), ("fooba", "Zm9vYmE="),
      ("foobar", "Zm9vYmFy"),
    ])
  func examples(text: String, padded: String) {
    let bytes = Array(text.utf8)
    let unpadded = String(padded.prefix { $0 != "=" })
    #expect(Base64.standard.encode(bytes) == padded)
    #expect(Base64.unpadded.encode(bytes) == unpadded)
    #expect(Base64.url.encode(bytes) == unpadded)
    #expect(Base64.standard.decode(padded) == bytes)
    #expect(Base64.unpadded.decode(unpadded) == bytes)
    #expect(Base64.url.decode(unpadded) == bytes)
  }

  @Test("the two Base64 alphabets differ only in their last two letters")
  func alphabets() {
    let bytes: [UInt8] = [0xFB, 0xEF, 0xFF]
    #expect(Base64.standard.encode(bytes) == "++//")
    #expect(Base64.url.encode(bytes) == "--__")
    #expect(Base64.standard.decode("--__") == nil)
    #expect(Base64.url.decode("++//") == nil)
  }

  @Test(
    "padded Base64 that the encoder never makes is rejected",
    arguments: ["Z", "Zg", "Zg=", "Zg===", "Zh==", "Zm9=", "Z===", "====", "=", "Zg==Zg==", "Zm9v\n", " Zm9v", "Zm9vé"])
  func refusesPadded(text: String) {
    #expect(Base64.standard.decode(text) == nil)
  }

  @Test(
    "unpadded Base64 that the encoder never makes is rejected", arguments: ["Z", "Zg==", "Zh", "Zm9", "Zm9vY", "Zm 9"])
  func refusesUnpadded(text: String) {
    #expect(Base64.url.decode(text) == nil)
  }

  @Test("every Base64 text that decodes is the encoding of its bytes")
  func oneTextForEachSequence() {
    let letters = Array("AZaz09-_=+/".utf8)
    var accepted = 0
    for first in letters {
      for second in letters {
        for third in letters {
          let text = String(decoding: [first, second, third], as: UTF8.self)
          for coding in [Base64.url, .unpadded, .standard] {
            guard let bytes = coding.decode(text) else { continue }
            accepted += 1
            #expect(coding.encode(bytes) == text)
          }
        }
      }
    }
    #expect(accepted > 0)
  }

  @Test("hexadecimal is encoded in lower case and decoded in either case")
  func hexadecimal() {
    #expect(Hex.encode([0x00, 0x0F, 0xA5, 0xFF]) == "000fa5ff")
    #expect(Hex.decode("000FA5ff") == [0x00, 0x0F, 0xA5, 0xFF])
    #expect(Hex.decode("") == [])
    for text in ["0", "0g", "-1", "0x", " 1", "é"] { #expect(Hex.decode(text) == nil) }
  }
}
