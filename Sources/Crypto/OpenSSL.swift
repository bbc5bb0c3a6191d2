// All calls of `Crypto` into OpenSSL, and so all its unsafe code. Pointers live for one call, and lengths come from the
// buffers themselves. The other files are safe Swift.

internal import COpenSSL

/// The reason why a computation failed. A failure that only a bug can cause is a precondition instead.
public enum CryptoError: Error, Sendable, Equatable {
  /// The bytes were not sealed with this key, nonce and associated data.
  case notAuthentic
  /// The parameters need more memory than is available.
  case outOfMemory
}

enum OpenSSL {
  /// Sets OpenSSL up without its exit handler: loops and workers may still compute while the process ends, so its
  /// tables must not be freed. Must run before any other call, since OpenSSL sets itself up only once.
  private static let isSetUp: Bool = {
    let isDone = OPENSSL_init_crypto(UInt64(OPENSSL_INIT_NO_ATEXIT), nil)
    precondition(isDone == 1, "OpenSSL could not be initialised")
    return true
  }()

  /// A message digest, fetched once: a look-up by name costs more than hashing a short message.
  @safe struct Digest: @unchecked Sendable {  // A fetched EVP_MD is never written again and never freed.
    let algorithm: OpaquePointer
    let size: Int

    init(_ name: String, size: Int) {
      _ = OpenSSL.isSetUp
      guard let algorithm = unsafe EVP_MD_fetch(nil, name, nil) else {
        preconditionFailure("OpenSSL lacks \(name)")
      }
      unsafe self.algorithm = algorithm
      self.size = size
    }

    static let sha1 = Digest("SHA1", size: 20)
    static let sha256 = Digest("SHA256", size: 32)
  }

  /// A digest in progress. Its calls fail only without memory, and then trap.
  @safe struct Context: ~Copyable {
    private let context: OpaquePointer
    private let size: Int

    init(_ digest: Digest) {
      guard let context = unsafe EVP_MD_CTX_new() else { preconditionFailure("could not allocate a digest") }
      let isReady = unsafe EVP_DigestInit_ex2(context, digest.algorithm, nil)
      precondition(isReady == 1, "could not start a digest")
      unsafe self.context = context
      size = digest.size
    }

    deinit { unsafe EVP_MD_CTX_free(context) }

    func update(_ bytes: Span<UInt8>) {
      let isDone = unsafe bytes.withUnsafeBytes { unsafe EVP_DigestUpdate(context, $0.baseAddress, $0.count) }
      precondition(isDone == 1, "could not update a digest")
    }

    consuming func finish() -> [UInt8] {
      var hash = [UInt8](repeating: 0, count: size)
      let isDone = unsafe hash.withUnsafeMutableBufferPointer {
        unsafe EVP_DigestFinal_ex(context, $0.baseAddress, nil)
      }
      precondition(isDone == 1, "could not finish a digest")
      return hash
    }
  }

  static func scrypt(
    password: Span<UInt8>, salt: Span<UInt8>, n: UInt64, r: UInt64, p: UInt64, memoryLimit: UInt64, size: Int
  ) throws(CryptoError) -> [UInt8] {
    _ = isSetUp
    var key = [UInt8](repeating: 0, count: size)
    let isDone = unsafe key.withUnsafeMutableBufferPointer { key in
      unsafe password.withUnsafeBytes { password in
        unsafe salt.withUnsafeBytes { salt in
          // An empty span has no address, which OpenSSL takes as an empty password or salt.
          unsafe EVP_PBE_scrypt(
            password.baseAddress?.assumingMemoryBound(to: CChar.self), password.count,
            salt.baseAddress?.assumingMemoryBound(to: UInt8.self), salt.count,
            n, r, p, memoryLimit, key.baseAddress, key.count)
        }
      }
    }
    guard isDone == 1 else { throw .outOfMemory }
    return key
  }

  /// Runs AES-256-GCM in either direction. Sealing appends the tag of 16 bytes; opening checks and removes it.
  static func gcm(
    _ input: Span<UInt8>, key: Span<UInt8>, nonce: Span<UInt8>, associated: Span<UInt8>, isSealing: Bool
  ) throws(CryptoError) -> [UInt8] {
    precondition(key.count == 32 && nonce.count == 12, "AES-256-GCM needs a key of 32 bytes and a nonce of 12")
    let tagSize = 16
    guard isSealing || input.count >= tagSize else { throw .notAuthentic }
    precondition(max(input.count, associated.count) <= Int(Int32.max) - tagSize, "message too long")
    guard let context = unsafe EVP_CIPHER_CTX_new() else { throw .outOfMemory }
    defer { unsafe EVP_CIPHER_CTX_free(context) }

    let textCount = isSealing ? input.count : input.count - tagSize
    var output = [UInt8](repeating: 0, count: textCount + (isSealing ? tagSize : 0))
    let direction: Int32 = isSealing ? 1 : 0
    var written: Int32 = 0
    let isReady = unsafe key.withUnsafeBufferPointer { key in
      unsafe nonce.withUnsafeBufferPointer { nonce in
        unsafe EVP_CipherInit_ex2(context, aes256gcm.cipher, key.baseAddress, nonce.baseAddress, direction, nil)
      }
    }
    guard isReady == 1 else { throw .outOfMemory }
    let isAssociated = unsafe associated.withUnsafeBufferPointer {
      unsafe $0.isEmpty ? 1 : EVP_CipherUpdate(context, nil, &written, $0.baseAddress, Int32($0.count))
    }
    let isDone = unsafe output.withUnsafeMutableBufferPointer { output in
      unsafe input.withUnsafeBufferPointer { input in
        guard isAssociated == 1 else { return false }
        if textCount > 0 {
          let isDone = unsafe EVP_CipherUpdate(
            context, output.baseAddress, &written, input.baseAddress, Int32(textCount))
          guard isDone == 1 else { return false }
        }
        if !isSealing {
          // OpenSSL only reads the tag, although its parameter is not const.
          let tag = unsafe UnsafeMutableRawPointer(mutating: input.baseAddress.map { unsafe $0 + textCount })
          let isSet = unsafe EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_GCM_SET_TAG, Int32(tagSize), tag)
          guard isSet == 1 else { return false }
        }
        var unused: UInt8 = 0  // GCM holds nothing back for the end.
        guard unsafe EVP_CipherFinal_ex(context, &unused, &written) == 1 else { return false }
        guard isSealing else { return true }
        let tag = unsafe output.baseAddress.map { unsafe $0 + textCount }
        return unsafe EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_GCM_GET_TAG, Int32(tagSize), tag) == 1
      }
    }
    guard isDone else { throw isSealing ? .outOfMemory : .notAuthentic }
    return output
  }

  static func isEqual(_ left: Span<UInt8>, _ right: Span<UInt8>) -> Bool {
    guard left.count == right.count else { return false }
    return unsafe left.withUnsafeBytes { left in
      unsafe right.withUnsafeBytes { right in
        unsafe left.isEmpty || CRYPTO_memcmp(left.baseAddress, right.baseAddress, left.count) == 0
      }
    }
  }

  /// Returns random bytes. Traps if there is no randomness: the process must not continue without it.
  static func random(_ count: Int) -> [UInt8] {
    precondition(count >= 0 && count <= 1 << 20, "too many random bytes requested")
    _ = isSetUp
    var bytes = [UInt8](repeating: 0, count: count)
    let isDone = unsafe bytes.withUnsafeMutableBufferPointer { unsafe RAND_bytes($0.baseAddress, Int32($0.count)) }
    precondition(isDone == 1, "OpenSSL has no randomness")
    return bytes
  }

  @safe private struct Cipher: @unchecked Sendable {  // A fetched EVP_CIPHER is never written again and never freed.
    let cipher: OpaquePointer

    init() {
      _ = OpenSSL.isSetUp
      guard let cipher = unsafe EVP_CIPHER_fetch(nil, "AES-256-GCM", nil) else {
        preconditionFailure("OpenSSL lacks AES-256-GCM")
      }
      unsafe self.cipher = cipher
    }
  }

  private static let aes256gcm = Cipher()

  /// A public key that verifies signatures over SHA-256.
  @safe final class PublicKey: @unchecked Sendable {  // Verifying only reads an EVP_PKEY.
    private let key: OpaquePointer

    /// Reads a `SubjectPublicKeyInfo` in DER (RFC 5280 §4.1.2.7); `nil` for one that OpenSSL does not take.
    init?(info: [UInt8]) {
      _ = OpenSSL.isSetUp
      // TLS on this thread must not find these errors in the queue.
      defer { ERR_clear_error() }
      let key: OpaquePointer? = unsafe info.withUnsafeBufferPointer { info in
        var start = info.baseAddress
        return unsafe d2i_PUBKEY(nil, &start, info.count)
      }
      guard let key = unsafe key else { return nil }
      unsafe self.key = key
    }

    deinit { unsafe EVP_PKEY_free(key) }

    func verifies(_ signature: [UInt8], of message: [UInt8]) -> Bool {
      defer { ERR_clear_error() }
      guard let context = unsafe EVP_MD_CTX_new() else { return false }
      defer { unsafe EVP_MD_CTX_free(context) }
      guard unsafe EVP_DigestVerifyInit_ex(context, nil, "SHA256", nil, nil, key, nil) == 1 else { return false }
      return unsafe signature.withUnsafeBufferPointer { signature in
        unsafe message.withUnsafeBufferPointer { message in
          unsafe EVP_DigestVerify(
            context, signature.baseAddress, signature.count, message.baseAddress, message.count) == 1
        }
      }
    }
  }
}
