import Crypto
import Platform
import Rooms

/// A nonce that an ID token must contain, so that it logs in once (OpenID Connect Core 1.0 §15.5.2).
///
/// The server stores nothing of one that it gives out. It is an end and random bytes, authenticated under a key of the
/// store; used ones stand in the directory until their end.
enum TokenNonce {
  /// A nonce counts for so long.
  static let life = Duration.seconds(10 * 60)
  private static let size = 8 + 16

  /// Makes a nonce under a key that `DerivedKeys` has for nonces.
  static func make(at now: Instant, key: [UInt8], _ randomness: any Randomness) -> (text: String, end: Instant) {
    let end = now + life
    let time = UInt64(bitPattern: end.milliseconds)
    let bytes = (0..<8).map { UInt8(truncatingIfNeeded: time >> UInt64(56 - 8 * $0)) } + randomness.bytes(16)
    return (Base64.url.encode(bytes + HMACSHA256.authenticate(key: key, bytes)), end)
  }

  /// Reads a nonce; `nil` if this server has not made it, or its end has come.
  static func read(_ text: String, at now: Instant, key: [UInt8]) -> IdentityProof.Nonce? {
    guard text.utf8.count <= 100, let all = Base64.url.decode(text), all.count == size + 32 else { return nil }
    let bytes = Array(all[..<size])
    guard constantTimeEqual(Array(all[size...]), HMACSHA256.authenticate(key: key, bytes)) else { return nil }
    let end = Instant(milliseconds: Int64(bitPattern: bytes[..<8].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }))
    return now < end ? IdentityProof.Nonce(bytes: bytes, end: end) : nil
  }
}
