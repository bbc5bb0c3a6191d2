/// SHA-1 (RFC 3174), only for the handshake of RFC 6455 §4.2.2, where it has no security purpose.
public enum SHA1 {
  /// Returns a hash of 20 bytes.
  public static func hash(_ bytes: Span<UInt8>) -> [UInt8] {
    let context = OpenSSL.Context(.sha1)
    context.update(bytes)
    return context.finish()
  }

  /// Returns a hash of 20 bytes.
  public static func hash(_ bytes: [UInt8]) -> [UInt8] { hash(bytes.span) }
}

/// SHA-256 (RFC 6234).
public enum SHA256 {
  /// Returns a hash of 32 bytes.
  public static func hash(_ bytes: Span<UInt8>) -> [UInt8] {
    let context = OpenSSL.Context(.sha256)
    context.update(bytes)
    return context.finish()
  }

  /// Returns a hash of 32 bytes over the concatenated parts.
  ///
  /// Parts of variable length need a separator of the caller's: `hash([1, 2], [3])` equals `hash([1], [2, 3])`.
  public static func hash(_ parts: [UInt8]...) -> [UInt8] {
    let context = OpenSSL.Context(.sha256)
    for part in parts { context.update(part.span) }
    return context.finish()
  }
}

/// HMAC-SHA-256 (RFC 2104).
public enum HMACSHA256 {
  private static let blockSize = 64

  /// Returns a code of 32 bytes, for a key of any length.
  public static func authenticate(key: Span<UInt8>, _ message: Span<UInt8>) -> [UInt8] {
    var block = [UInt8](repeating: 0x36, count: blockSize)
    if key.count <= blockSize {
      for index in key.indices { block[index] ^= key[index] }
    } else {
      for (index, byte) in SHA256.hash(key).enumerated() { block[index] ^= byte }
    }
    let inner = OpenSSL.Context(.sha256)
    inner.update(block.span)
    inner.update(message)
    for index in block.indices { block[index] ^= 0x36 ^ 0x5C }
    let outer = OpenSSL.Context(.sha256)
    outer.update(block.span)
    outer.update(inner.finish().span)
    return outer.finish()
  }

  /// Returns a code of 32 bytes, for a key of any length.
  public static func authenticate(key: [UInt8], _ message: [UInt8]) -> [UInt8] {
    authenticate(key: key.span, message.span)
  }
}

/// Compares two secrets in a time that depends only on their length.
public func constantTimeEqual(_ left: [UInt8], _ right: [UInt8]) -> Bool {
  OpenSSL.isEqual(left.span, right.span)
}

/// OpenSSL's random generator, seeded by the kernel, for keys, tokens, ids, nonces and masks.
public enum SystemRandom {
  /// Returns `count` unpredictable bytes, at most 1,048,576.
  public static func bytes(_ count: Int) -> [UInt8] { OpenSSL.random(count) }
}
