import Crypto

/// A client that makes one call. If a caller has no numbers, they name the call by a key of their own choosing. The key
/// is a client of its own with number 1 (DESIGN "Exactly once").
extension ID where Of == Client {
  /// `key` has 1 to 64 visible ASCII characters.
  public init(idempotencyKey key: String) {
    let hash = SHA256.hash(Array("idempotency \(key)".utf8))
    var low: UInt64 = 0
    for byte in hash.prefix(8) { low = low << 8 | UInt64(byte) }
    let rest = UInt64(hash[8]) << 4 | UInt64(hash[9]) >> 4
    // A UUIDv8 (RFC 9562 §5.8) whose beginning marks a key. If a client draws an id with that beginning, it is treated
    // as a key, which harms no other client.
    self.init(high: Self.keyMark | rest, low: low & ~(3 << 62) | 2 << 62)
  }

  public var isIdempotencyKey: Bool { high & ~0xFFF == Self.keyMark }

  private static var keyMark: UInt64 { 0x6B65_795F_6B65_8000 }
}
