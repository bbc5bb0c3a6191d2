/// scrypt (RFC 7914), a key derivation for passwords that is slow and uses much memory on purpose.
public enum Scrypt {
  /// The cost of one derivation: `128 · r · 2^logN` bytes of memory, `p` passes.
  public struct Cost: Sendable, Equatable {
    /// 1 to 20.
    public let logN: Int
    /// 1 to 32.
    public let r: Int
    /// 1 to 16.
    public let p: Int

    /// Returns `nil` outside of these ranges, or above 128 MiB: any client that names an account makes the server spend
    /// the cost that the account's hash asks for.
    public init?(logN: Int, r: Int, p: Int) {
      guard (1...20).contains(logN), (1...32).contains(r), (1...16).contains(p), 128 * r << logN <= 128 << 20
      else { return nil }
      self.init(checkedLogN: logN, r: r, p: p)
    }

    private init(checkedLogN: Int, r: Int, p: Int) {
      logN = checkedLogN
      self.r = r
      self.p = p
    }

    /// The cost for new passwords: 32 MiB and about 0.3 s (OWASP's minimum for three passes).
    public static let current = Cost(checkedLogN: 15, r: 8, p: 3)
  }

  /// Derives a key of `size` bytes, 1 to 1,024. Throws `outOfMemory`.
  public static func derive(
    password: [UInt8], salt: [UInt8], cost: Cost = .current, size: Int = 32
  ) throws(CryptoError) -> [UInt8] {
    precondition((1...1024).contains(size), "key size out of range")
    // The current cost slightly exceeds OpenSSL's default limit, which is 32 MiB including its bookkeeping.
    let blocks = 128 * UInt64(cost.r) * (UInt64(1) << UInt64(cost.logN) + UInt64(cost.p) + 2)
    return try OpenSSL.scrypt(
      password: password.span, salt: salt.span, n: 1 << UInt64(cost.logN), r: UInt64(cost.r), p: UInt64(cost.p),
      memoryLimit: blocks + 1 << 20, size: size)
  }
}

/// A stored password: `scrypt$ln=15,r=8,p=3$salt$hash`, with salt and hash in Base64 without padding.
///
/// Passwords are UTF-8 as typed; a caller that wants normalisation does it before.
public struct PasswordHash: Sendable, Equatable {
  public let cost: Scrypt.Cost
  public let salt: [UInt8]
  public let hash: [UInt8]

  /// Hashes a new password with a unique salt of 8 to 64 bytes (usually 16). Throws `outOfMemory`.
  public static func make(
    password: [UInt8], salt: [UInt8], cost: Scrypt.Cost = .current
  ) throws(CryptoError) -> PasswordHash {
    precondition((8...64).contains(salt.count), "salt size out of range")
    return PasswordHash(
      cost: cost, salt: salt, hash: try Scrypt.derive(password: password, salt: salt, cost: cost))
  }

  private init(cost: Scrypt.Cost, salt: [UInt8], hash: [UInt8]) {
    self.cost = cost
    self.salt = salt
    self.hash = hash
  }

  /// Whether `password` matches. Takes as long as `make`, the same for yes and no. Throws `outOfMemory`.
  public func verify(password: [UInt8]) throws(CryptoError) -> Bool {
    let derived = try Scrypt.derive(password: password, salt: salt, cost: cost, size: hash.count)
    return constantTimeEqual(derived, hash)
  }

  /// The stored form.
  public var text: String {
    "scrypt$ln=\(cost.logN),r=\(cost.r),p=\(cost.p)"
      + "$\(Base64.unpadded.encode(salt.span))$\(Base64.unpadded.encode(hash.span))"
  }

  /// Parses the stored form; `nil` for any other text or a cost out of range.
  public init?(_ text: String) {
    let parts = text.split(separator: "$", omittingEmptySubsequences: false)
    guard parts.count == 4, parts[0] == "scrypt" else { return nil }
    let parameters = parts[1].split(separator: ",", omittingEmptySubsequences: false)
    guard parameters.count == 3,
      let logN = Self.number(parameters[0], after: "ln="), let r = Self.number(parameters[1], after: "r="),
      let p = Self.number(parameters[2], after: "p="), let cost = Scrypt.Cost(logN: logN, r: r, p: p),
      let salt = Base64.unpadded.decode(String(parts[2])), (8...64).contains(salt.count),
      let hash = Base64.unpadded.decode(String(parts[3])), (16...64).contains(hash.count)
    else { return nil }
    self.init(cost: cost, salt: salt, hash: hash)
  }

  private static func number(_ text: Substring, after prefix: String) -> Int? {
    text.hasPrefix(prefix) ? Int(text.dropFirst(prefix.count)) : nil
  }
}
