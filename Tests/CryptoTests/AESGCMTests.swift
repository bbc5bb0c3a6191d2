import Crypto
import Testing

@Suite("AES-256-GCM")
struct AESGCMTests {
  /// Test cases 13 to 16 of "The Galois/Counter Mode of Operation" (McGrew and Viega), to which NIST SP 800-38D refers.
  static let vectors: [(key: String, nonce: String, message: String, associated: String, sealed: String)] = [
    (
      String(repeating: "0", count: 64), String(repeating: "0", count: 24), "", "",
      "530f8afbc74536b9a963b4f1c4cb738b"
    ),
    (
      String(repeating: "0", count: 64), String(repeating: "0", count: 24), String(repeating: "0", count: 32), "",
      "cea7403d4d606b6e074ec5d3baf39d18" + "d0d1c8a799996bf0265b98b5d48ab919"
    ),
    (
      "feffe9928665731c6d6a8f9467308308feffe9928665731c6d6a8f9467308308", "cafebabefacedbaddecaf888",
      "d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a72"
        + "1c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b391aafd255",
      "",
      "522dc1f099567d07f47f37a32a84427d643a8cdcbfe5c0c97598a2bd2555d1aa"
        + "8cb08e48590dbb3da7b08b1056828838c5f61e6393ba7a0abcc9f662898015ad" + "b094dac5d93471bdec1a502270e3cc6c"
    ),
    (
      "feffe9928665731c6d6a8f9467308308feffe9928665731c6d6a8f9467308308", "cafebabefacedbaddecaf888",
      "d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a72"
        + "1c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b39",
      "feedfacedeadbeeffeedfacedeadbeefabaddad2",
      "522dc1f099567d07f47f37a32a84427d643a8cdcbfe5c0c97598a2bd2555d1aa"
        + "8cb08e48590dbb3da7b08b1056828838c5f61e6393ba7a0abcc9f662" + "76fc6ece0f4e1768cddf8853bb2d551b"
    ),
  ]

  @Test("AES-256-GCM seals and opens the published test vectors", arguments: vectors.indices)
  func published(index: Int) throws {
    let vector = Self.vectors[index]
    let key = try #require(Hex.decode(vector.key))
    let nonce = try #require(Hex.decode(vector.nonce))
    let message = try #require(Hex.decode(vector.message))
    let associated = try #require(Hex.decode(vector.associated))
    let sealed = try AESGCM.seal(message, key: key, nonce: nonce, associated: associated)
    #expect(Hex.encode(sealed) == vector.sealed)
    #expect(try AESGCM.open(sealed, key: key, nonce: nonce, associated: associated) == message)
  }

  @Test("AES-256-GCM rejects a message with any bit flipped, including its tag")
  func flippedBits() throws {
    let key = [UInt8](0..<32)
    let nonce = [UInt8](0..<12)
    let sealed = try AESGCM.seal(Array("the milk is out".utf8), key: key, nonce: nonce, associated: [7, 8, 9])
    for bit in 0..<sealed.count * 8 {
      var changed = sealed
      changed[bit / 8] ^= 1 << (bit % 8)
      #expect(throws: CryptoError.notAuthentic) {
        try AESGCM.open(changed, key: key, nonce: nonce, associated: [7, 8, 9])
      }
    }
  }

  @Test("AES-256-GCM rejects another key, nonce or associated data, and a shortened message")
  func otherCircumstances() throws {
    let key = [UInt8](0..<32)
    let nonce = [UInt8](0..<12)
    let sealed = try AESGCM.seal([1, 2, 3], key: key, nonce: nonce, associated: [7])
    #expect(throws: CryptoError.notAuthentic) {
      try AESGCM.open(sealed, key: key.reversed(), nonce: nonce, associated: [7])
    }
    #expect(throws: CryptoError.notAuthentic) {
      try AESGCM.open(sealed, key: key, nonce: nonce.reversed(), associated: [7])
    }
    for associated in [[], [8], [7, 0]] as [[UInt8]] {
      #expect(throws: CryptoError.notAuthentic) {
        try AESGCM.open(sealed, key: key, nonce: nonce, associated: associated)
      }
    }
    for count in 0..<sealed.count {
      #expect(throws: CryptoError.notAuthentic) {
        try AESGCM.open(Array(sealed.prefix(count)), key: key, nonce: nonce, associated: [7])
      }
    }
  }
}
