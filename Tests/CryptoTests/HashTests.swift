import Crypto
import Testing

@Suite("Hashes")
struct HashTests {
  @Test(
    "SHA-1 matches the test vectors of RFC 3174 §7.3",
    arguments: [
      ("abc", "a9993e364706816aba3e25717850c26c9cd0d89d"),
      ("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", "84983e441c3bd26ebaae4aa1f95129e5e54670f1"),
      ("", "da39a3ee5e6b4b0d3255bfef95601890afd80709"),
    ])
  func sha1(text: String, hash: String) {
    #expect(Hex.encode(SHA1.hash(Array(text.utf8))) == hash)
  }

  @Test("SHA-1 gives the accept value of the example in RFC 6455 §1.3")
  func acceptValue() {
    let text = "dGhlIHNhbXBsZSBub25jZQ==258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
    #expect(Base64.standard.encode(SHA1.hash(Array(text.utf8))) == "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=")
  }

  @Test(
    "SHA-256 matches the test vectors of RFC 6234 §8.5",
    arguments: [
      ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
      (
        "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
        "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
      ),
      ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
    ])
  func sha256(text: String, hash: String) {
    #expect(Hex.encode(SHA256.hash(Array(text.utf8))) == hash)
  }

  @Test("SHA-256 of a million letters is the same in one part and in several")
  func long() {
    let hash = "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"
    let letters = [UInt8](repeating: UInt8(ascii: "a"), count: 1_000_000)
    #expect(Hex.encode(SHA256.hash(letters.span)) == hash)
    #expect(Hex.encode(SHA256.hash(Array(letters[..<1]), [], Array(letters[1..<65]), Array(letters[65...]))) == hash)
  }

  @Test(
    "HMAC-SHA-256 matches the test vectors of RFC 4231 §4",
    arguments: [
      (
        [UInt8](repeating: 0x0B, count: 20), Array("Hi There".utf8),
        "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"
      ),
      (
        Array("Jefe".utf8), Array("what do ya want for nothing?".utf8),
        "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
      ),
      (
        [UInt8](repeating: 0xAA, count: 20), [UInt8](repeating: 0xDD, count: 50),
        "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe"
      ),
      (
        Array(1...25), [UInt8](repeating: 0xCD, count: 50),
        "82558a389a443c0ea4cc819899f2083a85f0faa3e578f8077a2e3ff46729665b"
      ),
      (
        [UInt8](repeating: 0xAA, count: 131), Array("Test Using Larger Than Block-Size Key - Hash Key First".utf8),
        "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"
      ),
    ] as [([UInt8], [UInt8], String)])
  func hmac(key: [UInt8], message: [UInt8], code: String) {
    #expect(Hex.encode(HMACSHA256.authenticate(key: key, message)) == code)
  }

  @Test("HMAC-SHA-256 accepts an empty key, a key of one block, and a longer key")
  func hmacKeyLengths() {
    // A key shorter than a block is padded with zeros; a longer one is replaced by its hash (RFC 2104 §2).
    let message = Array("message".utf8)
    let block = [UInt8](1...64)
    #expect(
      HMACSHA256.authenticate(key: [], message)
        == HMACSHA256.authenticate(key: [UInt8](repeating: 0, count: 64), message))
    #expect(
      HMACSHA256.authenticate(key: block + [65], message)
        == HMACSHA256.authenticate(key: SHA256.hash(block + [65]), message))
    #expect(
      HMACSHA256.authenticate(key: block, message) != HMACSHA256.authenticate(key: SHA256.hash(block), message))
  }

  @Test(
    "the constant-time comparison finds only equal bytes equal",
    arguments: [
      ([], [], true), ([1], [], false), ([1, 2], [1, 2], true), ([1, 2], [1, 3], false), ([0, 2], [1, 2], false),
      ([1, 2, 3], [1, 2], false),
    ] as [([UInt8], [UInt8], Bool)])
  func comparison(left: [UInt8], right: [UInt8], areEqual: Bool) {
    #expect(constantTimeEqual(left, right) == areEqual)
  }

  @Test("random bytes come in the requested number and do not repeat", arguments: [0, 1, 16, 4096])
  func randomness(count: Int) {
    let bytes = SystemRandom.bytes(count)
    #expect(bytes.count == count)
    if count >= 16 { #expect(bytes != SystemRandom.bytes(count)) }
  }
}
