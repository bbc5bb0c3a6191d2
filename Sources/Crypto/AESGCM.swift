/// Authenticated encryption with AES-256-GCM (NIST SP 800-38D) and nonces of 96 bits.
///
/// Never use a nonce twice with one key: an attacker could then read both messages and forge others.
public enum AESGCM {
  public static let keySize = 32
  public static let nonceSize = 12
  /// The number of bytes that sealing adds.
  public static let tagSize = 16

  /// Encrypts `message` and appends the tag of 16 bytes.
  ///
  /// `associated` is authenticated but not part of the result; `open` needs the same bytes. Traps unless the key has 32
  /// bytes and the nonce 12. Throws `outOfMemory`.
  public static func seal(
    _ message: [UInt8], key: [UInt8], nonce: [UInt8], associated: [UInt8] = []
  ) throws(CryptoError) -> [UInt8] {
    try OpenSSL.gcm(message.span, key: key.span, nonce: nonce.span, associated: associated.span, isSealing: true)
  }

  /// Decrypts the result of `seal`. Throws `notAuthentic` if any bit of the input differs.
  public static func open(
    _ sealed: [UInt8], key: [UInt8], nonce: [UInt8], associated: [UInt8] = []
  ) throws(CryptoError) -> [UInt8] {
    try OpenSSL.gcm(sealed.span, key: key.span, nonce: nonce.span, associated: associated.span, isSealing: false)
  }
}
