import Crypto
import TestSupport
import Testing

@Suite("Keys that verify signatures")
struct VerificationKeyTests {
  static let rsa = SigningKey(.rs256)
  static let curve = SigningKey(.es256)
  static let message = Array("a message".utf8)

  static func rsaKey() throws -> VerificationKey {
    try #require(VerificationKey(rsaModulus: rsa.part("n"), exponent: rsa.part("e")))
  }

  static func curveKey() throws -> VerificationKey {
    try #require(VerificationKey(p256X: curve.part("qx", size: 32), y: curve.part("qy", size: 32)))
  }

  @Test("ACC-4: the signature of RFC 7515 §A.3 is verified")
  func example() throws {
    let x = try #require(Base64.url.decode("f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU"))
    let y = try #require(Base64.url.decode("x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0"))
    let key = try #require(VerificationKey(p256X: x, y: y))
    let signed = """
      eyJhbGciOiJFUzI1NiJ9.eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cn\
      VlfQ
      """
    let signature = try #require(
      Base64.url.decode("DtEhU3ljbEg8L38VWAfUAqOyKAM6-Xx-F4GawxaepmXFCgfTjDxw5djxLa8ISlSApmWQxfKTUJqPP3-Kg6NU1Q"))
    #expect(key.verifies(signature, of: Array(signed.utf8)))
    #expect(!key.verifies(signature, of: Array((signed + "A").utf8)))
  }

  @Test("ACC-4: a key verifies its own signatures, and no changed, cut, foreign or empty one")
  func signatures() throws {
    for (key, signer, other) in [
      (try Self.rsaKey(), Self.rsa, SigningKey(.rs256)), (try Self.curveKey(), Self.curve, SigningKey(.es256)),
    ] {
      let signature = signer.sign(Self.message)
      #expect(key.algorithm == signer.algorithm && key.verifies(signature, of: Self.message))
      #expect(!key.verifies(signature, of: Array("another".utf8)))
      #expect(!key.verifies(other.sign(Self.message), of: Self.message))
      for place in [0, signature.count / 2, signature.count - 1] {
        var changed = signature
        changed[place] ^= 1
        #expect(!key.verifies(changed, of: Self.message), "\(place)")
      }
      for wrong in [[], Array(signature.dropLast()), [0] + signature, signature + [0], signature + signature] {
        #expect(!key.verifies(wrong, of: Self.message), "\(wrong.count)")
      }
    }
  }

  @Test("ACC-4: numbers of ES256 that are zero, or the order of the curve and more, sign nothing")
  func degenerate() throws {
    let key = try Self.curveKey()
    let order = try #require(Hex.decode("ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551"))
    let good = Self.curve.sign(Self.message)
    let (zero, most) = ([UInt8](repeating: 0, count: 32), [UInt8](repeating: 0xFF, count: 32))
    for first in [zero, order, most, Array(good[..<32])] {
      for second in [zero, order, most] {
        #expect(!key.verifies(first + second, of: Self.message))
        #expect(!key.verifies(second + first, of: Self.message))
      }
    }
    // The same signature with the DER that OpenSSL itself would take is no JWS.
    #expect(!key.verifies([0x30, 0x06, 0x02, 0x01, 0x01, 0x02, 0x01, 0x01], of: Self.message))
  }

  @Test("ACC-4: an RSA key has 2,048 to 8,192 bits and an odd exponent above 1")
  func rsaBounds() {
    let e: [UInt8] = [1, 0, 1]
    func modulus(_ bits: Int) -> [UInt8] {
      let count = (bits + 7) / 8
      return [UInt8(1 << ((bits - 1) % 8))] + [UInt8](repeating: 0xAB, count: count - 1)
    }
    for (bits, isTaken) in [(1024, false), (2047, false), (2048, true), (8192, true), (8193, false)] {
      #expect((VerificationKey(rsaModulus: modulus(bits), exponent: e) != nil) == isTaken, "\(bits)")
    }
    #expect(VerificationKey(rsaModulus: [0, 0] + modulus(2048), exponent: e) != nil)
    #expect(VerificationKey(rsaModulus: [UInt8](repeating: 0, count: 256) + modulus(1024), exponent: e) == nil)
    for wrong: [UInt8] in [[], [0], [1], [2], [1, 0, 0], [UInt8](repeating: 0xFF, count: 9)] {
      #expect(VerificationKey(rsaModulus: modulus(2048), exponent: wrong) == nil, "\(wrong)")
    }
    #expect(VerificationKey(rsaModulus: [], exponent: e) == nil)
    #expect(VerificationKey(rsaModulus: modulus(2048).dropLast() + [2], exponent: e) == nil)
  }

  @Test("ACC-4: a point that is not on P-256 is no key")
  func points() throws {
    let (x, y) = (Self.curve.part("qx", size: 32), Self.curve.part("qy", size: 32))
    var moved = y
    moved[31] ^= 1
    let zero = [UInt8](repeating: 0, count: 32)
    for (wrongX, wrongY) in [(x, moved), (y, x), (zero, zero), (x, Array(y.dropLast())), ([0] + x, y), ([], [])] {
      #expect(VerificationKey(p256X: wrongX, y: wrongY) == nil)
    }
  }
}
