/// A way to sign (RFC 7518 §3.1): the two that providers of OpenID use.
public enum SignatureAlgorithm: Sendable, Hashable {
  /// RSASSA-PKCS1-v1_5 with SHA-256 (RFC 7518 §3.3).
  case rs256
  /// ECDSA on the curve P-256 with SHA-256 (RFC 7518 §3.4).
  case es256
}

/// A public key that verifies signatures of one algorithm. A key of one kind never serves another algorithm.
public final class VerificationKey: Sendable {
  public let algorithm: SignatureAlgorithm
  private let key: OpenSSL.PublicKey

  /// Bits of an RSA key. RFC 7518 §3.3 asks for the lower bound; beyond the upper one verifying takes too long.
  static let rsaBits = 2048...8192
  /// Bytes of an RSA exponent.
  static let exponentBytes = 1...8

  /// Makes an RSA key of its modulus and exponent, most significant byte first; `nil` for one that is too short or too
  /// long, or that is none.
  public init?(rsaModulus modulus: [UInt8], exponent: [UInt8]) {
    let digits = modulus.drop { $0 == 0 }
    let power = exponent.drop { $0 == 0 }
    guard let first = digits.first, let last = digits.last, let lowest = power.last else { return nil }
    let bits = digits.count * 8 - first.leadingZeroBitCount
    guard Self.rsaBits.contains(bits), Self.exponentBytes.contains(power.count), last & 1 == 1, lowest & 1 == 1,
      Array(power) != [1]
    else { return nil }
    let pair = DER.sequence(DER.integer(digits), DER.integer(power))
    let info = DER.sequence(DER.sequence(Self.rsaEncryption, DER.element(0x05, [])), DER.bitString(pair))
    guard let key = OpenSSL.PublicKey(info: info) else { return nil }
    algorithm = .rs256
    self.key = key
  }

  /// Makes a P-256 key of a point's coordinates, 32 bytes each; `nil` for a point that is not on the curve.
  public init?(p256X x: [UInt8], y: [UInt8]) {
    guard x.count == 32, y.count == 32 else { return nil }
    let point = DER.bitString([0x04] + x + y)
    let info = DER.sequence(DER.sequence(Self.ecPublicKey, Self.p256), point)
    guard let key = OpenSSL.PublicKey(info: info) else { return nil }
    algorithm = .es256
    self.key = key
  }

  /// Whether a signature is this key's over a message. Signatures of ES256 are both numbers, 32 bytes each (RFC 7518
  /// §3.4).
  public func verifies(_ signature: [UInt8], of message: [UInt8]) -> Bool {
    switch algorithm {
    case .rs256: return key.verifies(signature, of: message)
    case .es256:
      guard signature.count == 64 else { return false }
      return key.verifies(
        DER.sequence(DER.integer(signature[..<32]), DER.integer(signature[32...])), of: message)
    }
  }

  /// 1.2.840.113549.1.1.1 (RFC 8017 §A.1).
  private static let rsaEncryption = DER.element(0x06, [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x01, 0x01])
  /// 1.2.840.10045.2.1, and 1.2.840.10045.3.1.7 (RFC 5480 §2.1).
  private static let ecPublicKey = DER.element(0x06, [0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x02, 0x01])
  private static let p256 = DER.element(0x06, [0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x03, 0x01, 0x07])
}
