/// Authenticated encryption: AES-256-GCM (NIST SP 800-38D) with nonces of 96 bits.
///
/// The same nonce must never be used twice with one key: whoever can do so reads both messages and forges others.
public enum AESGCM {
  public static let keySize = 32
  public static let nonceSize = 12
  /// How much longer a sealed message is.
  public static let tagSize = 16

  /// Encrypts `message`; the answer is the cipher text with its tag of 16 bytes behind it. `associated` is not in it,
  /// but is needed unchanged to open it.
  ///
  /// Keys of 32 and nonces of 12 bytes only; anything else is a mistake of the caller. Throws `outOfMemory`.
  public static func seal(
    _ message: [UInt8], key: [UInt8], nonce: [UInt8], associated: [UInt8] = []
  ) throws(CryptoError) -> [UInt8] {
    try OpenSSL.gcm(message.span, key: key.span, nonce: nonce.span, associated: associated.span, isSealing: true)
  }

  /// Decrypts what `seal` made. Throws `notAuthentic` when a bit of anything is different.
  public static func open(
    _ sealed: [UInt8], key: [UInt8], nonce: [UInt8], associated: [UInt8] = []
  ) throws(CryptoError) -> [UInt8] {
    try OpenSSL.gcm(sealed.span, key: key.span, nonce: nonce.span, associated: associated.span, isSealing: false)
  }
}
