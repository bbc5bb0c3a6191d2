import Crypto
import Testing

@Suite("Password hashes")
struct PasswordHashTests {
  @Test(
    "scrypt matches the test vectors of RFC 7914 §12",
    arguments: [
      (
        "", "", 4, 1, 1,
        "77d6576238657b203b19ca42c18a0497f16b4844e3074ae8dfdffa3fede21442"
          + "fcd0069ded0948f8326a753a0fc81f17e8d3e0fb2e0d3628cf35e20c38d18906"
      ),
      (
        "password", "NaCl", 10, 8, 16,
        "fdbabe1c9d3472007856e7190d01e9fe7c6ad7cbc8237830e77376634b373162"
          + "2eaf30d92e22a3886ff109279d9830dac727afb94a83ee6d8360cbdfa2cc0640"
      ),
      (
        "pleaseletmein", "SodiumChloride", 14, 8, 1,
        "7023bdcb3afd7348461c06cd81fd38ebfda8fbba904f8e3ea9b543f6545da1f2"
          + "d5432955613f0fcf62d49705242a9af9e61e85dc0d651e40dfcf017b45575887"
      ),
    ])
  func vectors(password: String, salt: String, logN: Int, r: Int, p: Int, key: String) throws {
    let cost = try #require(Scrypt.Cost(logN: logN, r: r, p: p))
    let derived = try Scrypt.derive(password: Array(password.utf8), salt: Array(salt.utf8), cost: cost, size: 64)
    #expect(Hex.encode(derived) == key)
  }

  @Test("a new password is hashed with the current cost, and its text form verifies it")
  func currentCost() throws {
    let made = try PasswordHash.make(password: Array("correct horse".utf8), salt: [UInt8](0..<16))
    #expect(made.text.hasPrefix("scrypt$ln=15,r=8,p=3$AAECAwQFBgcICQoLDA0ODw$"))
    let read = try #require(PasswordHash(made.text))
    #expect(read == made)
    #expect(try read.verify(password: Array("correct horse".utf8)))
    #expect(try !read.verify(password: Array("correct horsf".utf8)))
  }

  @Test("every byte of a password counts, including the 128th")
  func noTruncation() throws {
    let cost = try #require(Scrypt.Cost(logN: 4, r: 1, p: 1))
    let password = [UInt8](repeating: UInt8(ascii: "x"), count: 128)
    let made = try PasswordHash.make(password: password, salt: [UInt8](0..<16), cost: cost)
    #expect(try made.verify(password: password))
    #expect(try !made.verify(password: Array(password.dropLast())))
    #expect(try !made.verify(password: password + [0]))
    #expect(try !made.verify(password: []))
  }

  @Test("a hash of another cost verifies with that cost")
  func anotherCost() throws {
    let cost = try #require(Scrypt.Cost(logN: 4, r: 8, p: 1))
    let made = try PasswordHash.make(password: [1, 2, 3], salt: [UInt8](0..<8), cost: cost)
    let read = try #require(PasswordHash(made.text))
    #expect(read.cost == cost)
    #expect(try read.verify(password: [1, 2, 3]))
  }

  @Test(
    "a text that is not a hash, or whose cost is out of range, is rejected",
    arguments: [
      "", "scrypt", "bcrypt$ln=15,r=8,p=3$AAECAwQFBgcICQoLDA0ODw$AAECAwQFBgcICQoLDA0ODw",
      "scrypt$ln=15,r=8,p=3$AAECAwQFBgcICQoLDA0ODw",
      "scrypt$ln=15,r=8,p=3$AAECAwQFBgcICQoLDA0ODw$AAECAwQFBgcICQoLDA0ODw$",
      "scrypt$ln=21,r=8,p=3$AAECAwQFBgcICQoLDA0ODw$AAECAwQFBgcICQoLDA0ODw",
      "scrypt$ln=20,r=32,p=3$AAECAwQFBgcICQoLDA0ODw$AAECAwQFBgcICQoLDA0ODw",
      "scrypt$ln=0,r=8,p=3$AAECAwQFBgcICQoLDA0ODw$AAECAwQFBgcICQoLDA0ODw",
      "scrypt$ln=15,r=8,p=99999999999999999999$AAECAwQFBgcICQoLDA0ODw$AAECAwQFBgcICQoLDA0ODw",
      "scrypt$ln=-1,r=8,p=3$AAECAwQFBgcICQoLDA0ODw$AAECAwQFBgcICQoLDA0ODw",
      "scrypt$r=8,ln=15,p=3$AAECAwQFBgcICQoLDA0ODw$AAECAwQFBgcICQoLDA0ODw",
      "scrypt$ln=15,r=8,p=3$AAE$AAECAwQFBgcICQoLDA0ODw", "scrypt$ln=15,r=8,p=3$AAECAwQFBgcICQoLDA0ODw$AAE",
      "scrypt$ln=15,r=8,p=3$AAECAwQFBgcICQoLDA0ODw$AAECAwQFBgcICQoLDA0OD*",
    ])
  func refuses(text: String) {
    #expect(PasswordHash(text) == nil)
  }
}
