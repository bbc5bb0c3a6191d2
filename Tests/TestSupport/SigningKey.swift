import COpenSSL
import Crypto
import JSON

/// A key that signs as a provider of OpenID does.
///
/// `@unchecked`: signing only reads an `EVP_PKEY`.
public final class SigningKey: @unchecked Sendable {
  public let algorithm: SignatureAlgorithm
  private let key: OpaquePointer

  /// Makes a new key; an RSA one has 2,048 bits.
  public init(_ algorithm: SignatureAlgorithm) {
    let name = algorithm == .rs256 ? "RSA" : "EC"
    guard let context = EVP_PKEY_CTX_new_from_name(nil, name, nil) else { fatalError("OpenSSL lacks \(name)") }
    defer { EVP_PKEY_CTX_free(context) }
    var key: OpaquePointer?
    let isReady = EVP_PKEY_keygen_init(context) == 1
    let isSet =
      algorithm == .rs256
      ? EVP_PKEY_CTX_set_rsa_keygen_bits(context, 2048) == 1 : EVP_PKEY_CTX_set_group_name(context, "P-256") == 1
    guard isReady, isSet, EVP_PKEY_generate(context, &key) == 1, let key else { fatalError("no key was made") }
    self.algorithm = algorithm
    self.key = key
  }

  deinit { EVP_PKEY_free(key) }

  /// A signature as in a JWS: the bytes of RSA, or both numbers of ECDSA.
  public func sign(_ message: [UInt8]) -> [UInt8] {
    let context = EVP_MD_CTX_new()
    defer { EVP_MD_CTX_free(context) }
    var size = 0
    guard EVP_DigestSignInit_ex(context, nil, "SHA256", nil, nil, key, nil) == 1,
      EVP_DigestSign(context, nil, &size, message, message.count) == 1
    else { fatalError("could not sign") }
    var signature = [UInt8](repeating: 0, count: size)
    guard EVP_DigestSign(context, &signature, &size, message, message.count) == 1 else { fatalError("could not sign") }
    signature.removeSubrange(size...)
    return algorithm == .rs256 ? signature : Self.numbers(of: signature)
  }

  /// Both numbers of a signature in DER, 32 bytes each.
  private static func numbers(of der: [UInt8]) -> [UInt8] {
    let first = der.dropFirst(4).prefix(Int(der[3]))
    let second = der.dropFirst(4 + first.count + 2)
    return [first, second].flatMap { number in
      let digits = number.drop { $0 == 0 }
      return [UInt8](repeating: 0, count: 32 - digits.count) + digits
    }
  }

  /// The public key as a JWK (RFC 7517), with further members.
  public func jwk(_ more: [String: JSON] = [:]) -> JSON {
    let members: [String: JSON] =
      switch algorithm {
      case .rs256: ["kty": "RSA", "n": text(part("n")), "e": text(part("e"))]
      case .es256: ["kty": "EC", "crv": "P-256", "x": text(part("qx", size: 32)), "y": text(part("qy", size: 32))]
      }
    return .object(members.merging(more) { $1 })
  }

  /// A public number of the key, by its name in OpenSSL.
  public func part(_ name: String, size: Int? = nil) -> [UInt8] {
    var number: OpaquePointer?
    guard EVP_PKEY_get_bn_param(key, name, &number) == 1, let number else { fatalError("no \(name)") }
    defer { BN_free(number) }
    var bytes = [UInt8](repeating: 0, count: size ?? Int(BN_num_bits(number) + 7) / 8)
    BN_bn2binpad(number, &bytes, Int32(bytes.count))
    return bytes
  }

  private func text(_ bytes: [UInt8]) -> JSON { .string(Base64.url.encode(bytes)) }

  /// A JWS in its compact form (RFC 7515 §3.1), whatever the header says.
  public func token(_ header: JSON, _ payload: JSON) -> String {
    let signed = [header, payload].map { Base64.url.encode($0.bytes) }.joined(separator: ".")
    return "\(signed).\(Base64.url.encode(sign(Array(signed.utf8))))"
  }
}
