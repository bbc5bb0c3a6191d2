/// A proof of work in ALTCHA's first format: the number is sought whose SHA-256 behind a salt is known (SEC-10).
///
/// Making and verifying one takes a hash and a code; solving one takes half of `maxNumber` hashes on average.
public struct Puzzle: Sendable, Equatable {
  public static let algorithm = "SHA-256"

  public let salt: String
  /// The hash of the salt with the number behind it, as hexadecimal digits.
  public let challenge: String
  /// The maker's code of the challenge, as hexadecimal digits.
  public let signature: String
  public let maxNumber: Int

  /// A puzzle as somebody else has made it.
  public init(salt: String, challenge: String, signature: String, maxNumber: Int) {
    self.salt = salt
    self.challenge = challenge
    self.signature = signature
    self.maxNumber = maxNumber
  }

  /// Makes a puzzle.
  ///
  /// - Parameters:
  ///   - nonce: `PuzzleSalt.nonceSize` unpredictable bytes.
  ///   - number: The solution, unpredictable from 0 to `maxNumber`.
  ///   - expires: The end of its life, in seconds since 1970.
  public init(nonce: [UInt8], number: Int, maxNumber: Int, expires: Int64, key: [UInt8]) {
    salt = PuzzleSalt.text(nonce, expires: expires)
    challenge = Hex.encode(SHA256.hash(Self.bytes(salt, number)))
    signature = Self.signature(of: challenge, key)
    self.maxNumber = maxNumber
  }

  /// Seeks the solution; `nil` if no number up to `maxNumber` is one.
  public func solve() -> Int? {
    guard let wanted = Hex.decode(challenge), maxNumber >= 0 else { return nil }
    let salt = Array(salt.utf8)
    return (0...maxNumber).first { SHA256.hash(salt + String($0).utf8) == wanted }
  }

  fileprivate static func bytes(_ salt: String, _ number: Int) -> [UInt8] { Array(salt.utf8) + String(number).utf8 }

  fileprivate static func signature(of challenge: String, _ key: [UInt8]) -> String {
    Hex.encode(HMACSHA256.authenticate(key: key, Array(challenge.utf8)))
  }
}

/// A puzzle's solution, as a client sends it.
public struct PuzzleSolution: Sendable, Equatable {
  public var salt: String
  public var number: Int
  public var challenge: String
  public var signature: String

  public init(salt: String, number: Int, challenge: String, signature: String) {
    self.salt = salt
    self.number = number
    self.challenge = challenge
    self.signature = signature
  }

  /// Verifies that the number solves a puzzle that was made with this key, at whatever time.
  ///
  /// - Returns: the bytes of the challenge, and the end of the puzzle's life in seconds since 1970.
  public func verify(key: [UInt8]) -> (challenge: [UInt8], expires: Int64)? {
    guard number >= 0, let expires = PuzzleSalt.expires(salt) else { return nil }
    let hash = SHA256.hash(Puzzle.bytes(salt, number))
    let expected = Hex.encode(hash)
    guard constantTimeEqual(Array(challenge.utf8), Array(expected.utf8)),
      constantTimeEqual(Array(signature.utf8), Array(Puzzle.signature(of: expected, key).utf8))
    else { return nil }
    return (hash, expires)
  }
}

/// The salts of puzzles that are made here: a nonce, and the end of the puzzle's life.
public enum PuzzleSalt {
  public static let nonceSize = 12

  private static let middle = Array("?expires=".utf8)

  /// The delimiter at the end keeps digits from being moved between the salt and the number.
  static func text(_ nonce: [UInt8], expires: Int64) -> String { "\(Hex.encode(nonce))?expires=\(expires)&" }

  /// The end in seconds since 1970; `nil` for any text that `text` does not make.
  static func expires(_ salt: String) -> Int64? {
    let start = 2 * nonceSize
    let bytes = Array(salt.utf8.prefix(start + middle.count + 20))
    guard bytes.count > start + middle.count, let nonce = Hex.decode(String(decoding: bytes[..<start], as: UTF8.self)),
      let expires = Int64(String(decoding: bytes[(start + middle.count)...].dropLast(), as: UTF8.self))
    else { return nil }
    return text(nonce, expires: expires) == salt ? expires : nil
  }
}
