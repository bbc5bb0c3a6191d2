import Testing

@testable import Crypto

@Suite("Puzzles")
struct PuzzleTests {
  static let key = Array("a key".utf8)
  static let puzzle = Puzzle(
    nonce: [UInt8](0..<12), number: 321, maxNumber: 1000, expires: 1_900_000_000, key: key)

  static var solution: PuzzleSolution {
    PuzzleSolution(salt: puzzle.salt, number: 321, challenge: puzzle.challenge, signature: puzzle.signature)
  }

  @Test("SEC-10: a puzzle has ALTCHA's form, as computed by another program")
  func form() {
    // printf '%s' '000102030405060708090a0b?expires=1900000000&321' | sha256sum, and of it openssl dgst -hmac 'a key'.
    #expect(Self.puzzle.salt == "000102030405060708090a0b?expires=1900000000&")
    #expect(Self.puzzle.challenge == "83ea77468ac0af0b24df08e5571deab34c16aad3e9d33593fe5595ee56e711fe")
    #expect(Self.puzzle.signature == "6995e53cefc9d7530b91449f0d6510f22b0c471fb74658bf4adbcdea64363fa8")
  }

  @Test("SEC-10: the solution is found and verified, with the end of the puzzle's life")
  func solved() throws {
    #expect(Self.puzzle.solve() == 321)
    let found = try #require(Self.solution.verify(key: Self.key))
    #expect(Hex.encode(found.challenge) == Self.puzzle.challenge && found.expires == 1_900_000_000)
  }

  @Test("SEC-10: both ends of the range are tried, and none beyond", arguments: [0, 50])
  func ends(number: Int) {
    let puzzle = Puzzle(nonce: [UInt8](0..<12), number: number, maxNumber: 50, expires: 1, key: Self.key)
    #expect(puzzle.solve() == number)
    let short = Puzzle(
      salt: puzzle.salt, challenge: puzzle.challenge, signature: puzzle.signature, maxNumber: number - 1)
    #expect(short.solve() == nil)
  }

  @Test("SEC-10: nothing else verifies: another number, key, signature, challenge or salt")
  func wrong() {
    func verifies(_ change: (inout PuzzleSolution) -> Void) -> Bool {
      var solution = Self.solution
      change(&solution)
      return solution.verify(key: Self.key) != nil
    }
    #expect(verifies { _ in })
    #expect(Self.solution.verify(key: [1]) == nil)
    #expect(!verifies { $0.number = 322 })
    #expect(!verifies { $0.number = -321 })
    #expect(!verifies { $0.signature = $0.challenge })
    #expect(!verifies { $0.signature = "" })
    #expect(!verifies { $0.signature = $0.signature.uppercased() })
    #expect(!verifies { $0.challenge = $0.signature })
    #expect(!verifies { $0.challenge = $0.challenge.uppercased() })
    #expect(!verifies { $0.salt = $0.salt.replacing("1900000000", with: "1900000001") })
    #expect(!verifies { $0.salt = $0.salt.uppercased() })
  }

  @Test(
    "SEC-10: a salt of any other form is refused, though it is signed",
    arguments: [
      "", "&", "000102030405060708090a0b", "000102030405060708090a0b?expires=1900000000", "?expires=1900000000&",
      "000102030405060708090a0b?expires=&", "000102030405060708090a0b?expires=+1&",
      "000102030405060708090a0b?expires=01&", "000102030405060708090a0b?expires=1&expires=2&",
      "000102030405060708090A0B?expires=1&", "000102030405060708090a?expires=1&",
      "000102030405060708090a0b?expires=9223372036854775808&", "é00102030405060708090a0b?expires=1&",
    ])
  func salts(salt: String) {
    let challenge = Hex.encode(SHA256.hash(Array("\(salt)7".utf8)))
    let signature = Hex.encode(HMACSHA256.authenticate(key: Self.key, Array(challenge.utf8)))
    let solution = PuzzleSolution(salt: salt, number: 7, challenge: challenge, signature: signature)
    #expect(solution.verify(key: Self.key) == nil)
  }
}
