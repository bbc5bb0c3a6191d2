import Crypto
import Foundation
import JSON
import Rooms
import TestSupport
import Testing

@testable import Server

/// A provider of OpenID with its own keys, which signs whatever a test wants.
struct OpenIDProviderUnderTest {
  static let issuer = "https://id.example"
  static let client = "hearth.example"

  static let rsa = SigningKey(.rs256)
  static let curve = SigningKey(.es256)

  /// Both keys, under the ids `r` and `c`.
  static let keys: JSON = ["keys": [rsa.jwk(["kid": "r", "alg": "RS256"]), curve.jwk(["kid": "c", "use": "sig"])]]

  /// A provider as a server is configured with it, with its keys at a place.
  static func provider(_ name: String = "home", keys: String? = nil) throws -> OpenIDProvider {
    try #require(OpenIDProvider("\(name)=\(issuer),\(client)" + (keys.map { ",\($0)" } ?? "")))
  }

  /// The header of a token that a key signs.
  static func header(_ key: SigningKey = rsa) -> JSON {
    key.algorithm == .rs256 ? ["alg": "RS256", "kid": "r", "typ": "JWT"] : ["alg": "ES256", "kid": "c"]
  }

  /// Claims that are in order at a time, with changes; `null` removes one.
  static func claims(at now: Instant, nonce: String, _ changes: [String: JSON] = [:]) -> JSON {
    let usual: [String: JSON] = [
      "iss": .string(issuer), "aud": .string(client), "sub": "ana", "iat": now.seconds,
      "exp": (now + .seconds(300)).seconds,
      "nonce": .string(nonce), "name": "Ana", "email": "ana@example.org", "email_verified": true,
    ]
    return .object(usual.merging(changes) { $1 }.filter { !$0.value.isNull })
  }
}

extension Instant {
  /// A time of a token: seconds since 1970.
  var seconds: JSON { .number(JSON.Number(Int(milliseconds / 1000))) }
}
