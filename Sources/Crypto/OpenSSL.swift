// Every call into OpenSSL that `Crypto` makes, and so all of its unsafe code: pointers live for one call, lengths are
// taken from the buffers themselves. What stands above this file is safe Swift.

internal import COpenSSL

/// Why a computation gave no result. A failure that only our own mistake can cause is a precondition instead.
public enum CryptoError: Error, Sendable, Equatable {
  /// The bytes are not what was sealed with this key, nonce and associated data.
  case notAuthentic
  /// There was not enough memory for the work that the parameters ask for.
  case outOfMemory
}

enum OpenSSL {
  /// Loops and workers may still compute while the process ends, so OpenSSL must not free its tables then. Touched
  /// before anything else of OpenSSL is used, since it sets itself up once.
  private static let isSetUp: Bool = {
    let isDone = OPENSSL_init_crypto(UInt64(OPENSSL_INIT_NO_ATEXIT), nil)
    precondition(isDone == 1, "OpenSSL cannot be set up")
    return true
  }()

  /// A message digest, looked up once: a look-up by name costs more than hashing a short message.
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

  /// A digest being computed. Its calls fail only without memory, where nothing sensible can be done.
  @safe struct Context: ~Copyable {
    private let context: OpaquePointer
    private let size: Int

    init(_ digest: Digest) {
      guard let context = unsafe EVP_MD_CTX_new() else { preconditionFailure("no memory for a digest") }
      let isReady = unsafe EVP_DigestInit_ex2(context, digest.algorithm, nil)
      precondition(isReady == 1, "a digest could not be started")
      unsafe self.context = context
      size = digest.size
    }

    deinit { unsafe EVP_MD_CTX_free(context) }

    func update(_ bytes: Span<UInt8>) {
      let isDone = unsafe bytes.withUnsafeBytes { unsafe EVP_DigestUpdate(context, $0.baseAddress, $0.count) }
      precondition(isDone == 1, "a digest could not be continued")
    }

    consuming func finish() -> [UInt8] {
      var hash = [UInt8](repeating: 0, count: size)
      let isDone = unsafe hash.withUnsafeMutableBufferPointer {
        unsafe EVP_DigestFinal_ex(context, $0.baseAddress, nil)
      }
      precondition(isDone == 1, "a digest could not be finished")
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
          // An empty span has no address; OpenSSL takes that for an empty password or salt.
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

  /// AES-256-GCM in either direction. Sealing appends the tag of 16 bytes, opening checks and drops it.
  static func gcm(
    _ input: Span<UInt8>, key: Span<UInt8>, nonce: Span<UInt8>, associated: Span<UInt8>, isSealing: Bool
  ) throws(CryptoError) -> [UInt8] {
    precondition(key.count == 32 && nonce.count == 12, "AES-256-GCM takes 32 bytes of key and 12 of nonce")
    let tagSize = 16
    guard isSealing || input.count >= tagSize else { throw .notAuthentic }
    precondition(max(input.count, associated.count) <= Int(Int32.max) - tagSize, "too long for one message")
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
          // OpenSSL only reads the tag here, though its parameter is not const.
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

  /// A process whose system has no randomness to give must not go on.
  static func random(_ count: Int) -> [UInt8] {
    precondition(count >= 0 && count <= 1 << 20, "an unreasonable amount of randomness")
    _ = isSetUp
    var bytes = [UInt8](repeating: 0, count: count)
    let isDone = unsafe bytes.withUnsafeMutableBufferPointer { unsafe RAND_bytes($0.baseAddress, Int32($0.count)) }
    precondition(isDone == 1, "the system gives no randomness")
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
}
