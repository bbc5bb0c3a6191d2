import Crypto
import Rooms

extension ID {
  /// The first 16 bytes of SHA-256(kind ‖ cause) as a UUID of version 8 (DESIGN, "Random, ids, secrets"). One cause
  /// always has one id.
  static func derived(_ kind: String, _ cause: [UInt8]) -> ID {
    let hash = SHA256.hash(Array(kind.utf8) + [0], cause)
    let id = ID(bytes: hash.prefix(16)) ?? ID()
    return ID(high: id.high & ~0xF000 | 0x8000, low: id.low & ~(3 << 62) | 2 << 62)
  }
}
