import Crypto
import JSON

/// A provider's keys that verify tokens, from a JWK Set (RFC 7517 §5). All other keys in it are ignored.
struct WebKeys: Sendable {
  struct Entry: Sendable {
    let id: String?
    let key: VerificationKey
  }

  private(set) var list: [Entry] = []

  static let byteLimit = 256 << 10
  static let countLimit = 64

  /// Reads a JWK Set; `nil` for a text that is none, or that has no key of use.
  init?(_ bytes: [UInt8]) {
    guard let set = try? JSON.parse(bytes, nodeLimit: 10_000, byteLimit: Self.byteLimit),
      let keys = set["keys"]?.array
    else { return nil }
    for key in keys.lazy.compactMap(Self.entry).prefix(Self.countLimit) { list.append(key) }
    if list.isEmpty { return nil }
  }

  /// The keys that may have signed a token. Without an id in its header that is the only one of its algorithm.
  func keys(named id: String?, for algorithm: SignatureAlgorithm) -> [VerificationKey] {
    let keys = list.filter { $0.key.algorithm == algorithm }
    guard let id else { return keys.count == 1 ? [keys[0].key] : [] }
    return keys.filter { $0.id?.utf8.elementsEqual(id.utf8) == true }.map(\.key)
  }

  /// A key for verifying; `nil` for one of another kind, or for another use (RFC 7517 §4, RFC 7518 §6).
  private static func entry(_ jwk: JSON) -> Entry? {
    guard jwk["use"].map({ $0 == "sig" }) ?? true,
      jwk["key_ops"].map({ $0.array?.contains("verify") == true }) ?? true,
      let key = key(jwk), jwk["alg"].map({ $0 == .string(key.algorithm.name) }) ?? true
    else { return nil }
    guard let id = jwk["kid"] else { return Entry(id: nil, key: key) }
    return id.string.map { Entry(id: $0, key: key) }
  }

  private static func key(_ jwk: JSON) -> VerificationKey? {
    func number(_ name: String) -> [UInt8]? { jwk[name]?.string.flatMap { Base64.url.decode($0) } }
    switch jwk["kty"] {
    case "RSA":
      guard let n = number("n"), let e = number("e") else { return nil }
      return VerificationKey(rsaModulus: n, exponent: e)
    case "EC":
      guard jwk["crv"] == "P-256", let x = number("x"), let y = number("y") else { return nil }
      return VerificationKey(p256X: x, y: y)
    default: return nil
    }
  }
}

extension SignatureAlgorithm {
  /// Its name in a header (RFC 7518 §3.1).
  var name: String {
    switch self {
    case .rs256: "RS256"
    case .es256: "ES256"
    }
  }

  /// `nil` for every other name, `none` and `HS256` among them.
  init?(name: String) {
    switch name {
    case "RS256": self = .rs256
    case "ES256": self = .es256
    default: return nil
    }
  }
}
