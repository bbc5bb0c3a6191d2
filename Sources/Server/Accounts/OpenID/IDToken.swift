import Crypto
import JSON
import Platform
import Rooms

/// The reason why an ID token does not count.
enum TokenFlaw: String, Error, Equatable {
  case form, algorithm, key, signature, issuer, audience, expired, early, subject, nonce, age

  /// A sentence for people.
  var text: String {
    switch self {
    case .form: "The ID token is malformed."
    case .algorithm: "The ID token must be signed with RS256 or ES256, without extensions."
    case .key: "No key of the provider has signed the ID token."
    case .signature: "The signature of the ID token is wrong."
    case .issuer: "The ID token is from another issuer."
    case .audience: "The ID token is for another client."
    case .expired: "The ID token has expired."
    case .early: "The ID token is not valid yet."
    case .subject: "The ID token names nobody."
    case .nonce: "The nonce of the ID token is not one of this server, or it has expired, or been used."
    case .age: "The ID token must have been issued in the last five minutes."
    }
  }
}

/// An ID token as it has arrived (OpenID Connect Core 1.0 §2), in the compact form of a JWS (RFC 7515 §3.1).
struct IDToken {
  /// Characters of a token: it must fit into a message of a stranger.
  static let length = 1...3072
  /// Tolerance towards the provider's clock.
  static let skew = Duration.seconds(60)
  /// Age up to which a token stands for a password (ACC-17).
  static let freshness = Duration.seconds(5 * 60)

  let algorithm: SignatureAlgorithm
  let keyID: String?
  private let claims: [String: JSON]
  private let signed: [UInt8]
  private let signature: [UInt8]

  /// Takes a token apart, and trusts nothing in it.
  init(_ text: String) throws(TokenFlaw) {
    guard Self.length.contains(text.utf8.count) else { throw .form }
    let parts = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false).map { Array($0) }
    guard parts.count == 3, let header = Self.object(parts[0]), let claims = Self.object(parts[1]) else {
      throw .form
    }
    // A header with `crit` asks for extensions (RFC 7515 §4.1.11). Keys in a header (`jwk`, `jku`, `x5c`) are never
    // looked at, whatever they are.
    guard let name = header["alg"]?.string, let algorithm = SignatureAlgorithm(name: name), header["crit"] == nil,
      header["typ"].map({ $0.string?.uppercased() == "JWT" }) ?? true
    else { throw .algorithm }
    let last = parts[2]
    guard let signature = Base64.url.decode(last.span) else { throw .form }
    switch header["kid"] {
    case nil: keyID = nil
    case .string(let id)?: keyID = id
    default: throw .form
    }
    self.algorithm = algorithm
    self.claims = claims
    self.signature = signature
    signed = parts[0] + [UInt8(ascii: ".")] + parts[1]
  }

  private static func object(_ part: [UInt8]) -> [String: JSON]? {
    guard let bytes = Base64.url.decode(part.span) else { return nil }
    return (try? JSON.parse(bytes, depthLimit: 16, nodeLimit: 1000))?.object
  }

  // MARK: claims

  /// Checks everything but the signature and the nonce, and returns the person (OpenID Connect Core 1.0 §3.1.3.7).
  func identity(for provider: OpenIDProvider, at now: Instant) throws(TokenFlaw) -> ProviderIdentity {
    guard claims["iss"] == .string(provider.issuer) else { throw .issuer }
    try checkAudience(provider.clientID)
    guard let end = time("exp"), let issued = time("iat"), claims["nbf"] == nil || time("nbf") != nil else {
      throw .form
    }
    guard now < end + Self.skew else { throw .expired }
    guard issued <= now + Self.skew, time("nbf").map({ $0 <= now + Self.skew }) ?? true else { throw .early }
    guard let subject = claims["sub"]?.string, OpenIDProvider.textLength.contains(subject.utf8.count),
      subject.utf8.allSatisfy({ (0x20...0x7E).contains($0) })
    else { throw .subject }
    return ProviderIdentity(issuer: provider.issuer, subject: subject)
  }

  private func checkAudience(_ client: String) throws(TokenFlaw) {
    switch claims["aud"] {
    case .string(let name)?:
      guard name.utf8.elementsEqual(client.utf8) else { throw .audience }
    case .array(let names)?:
      guard names.contains(.string(client)), names.allSatisfy({ $0.string != nil }) else { throw .audience }
      guard names.count == 1 || claims["azp"] == .string(client) else { throw .audience }
    default: throw .audience
    }
  }

  /// A time in seconds (RFC 7519 §2, `NumericDate`).
  private func time(_ name: String) -> Instant? {
    guard let seconds = claims[name]?.double, (0...1e11).contains(seconds) else { return nil }
    return Instant(milliseconds: Int64(seconds * 1000))
  }

  /// The nonce as it stands in the token; `nil` if there is none.
  var nonce: String? { claims["nonce"]?.string }

  /// The name that the provider has for the person; `nil` if it tells none.
  var name: String? { claims["name"]?.string }

  /// Whether it is new enough to stand for a password (ACC-17).
  func isFresh(at now: Instant) -> Bool { time("iat").map { now - $0 <= Self.freshness } ?? false }

  // MARK: signature

  /// Checks that one of these keys has signed it. They must be of its algorithm.
  func checkSignature(by keys: [VerificationKey]) throws(TokenFlaw) {
    let candidates = keys.filter { $0.algorithm == algorithm }
    guard !candidates.isEmpty else { throw .key }
    guard candidates.contains(where: { $0.verifies(signature, of: signed) }) else { throw .signature }
  }
}
