import Crypto
import JSON
import Platform
import Rooms
import TestSupport
import Testing

@testable import Server

/// The check of a token without any I/O: a provider that signs, and one that lies.
@Suite("ID tokens")
struct IDTokenTests {
  typealias Provider = OpenIDProviderUnderTest

  static let now = Instant(milliseconds: 1_800_000_000_000)

  private static func claims(_ changes: [String: JSON] = [:]) -> JSON {
    Provider.claims(at: now, nonce: "n", changes)
  }

  /// The server's verdict on a token, with these keys of the provider.
  private static func check(_ token: String, at now: Instant = now, keys: JSON = Provider.keys) throws -> String {
    let provider = try Provider.provider()
    let keys = try #require(WebKeys(keys.bytes))
    do throws(TokenFlaw) {
      let token = try IDToken(token)
      let identity = try token.identity(for: provider, at: now)
      try token.checkSignature(by: keys.keys(named: token.keyID, for: token.algorithm))
      return "\(identity.issuer) \(identity.subject)"
    } catch {
      return error.rawValue
    }
  }

  private static let counts = "https://id.example ana"

  @Test("ACC-4: tokens of RS256 and ES256 count, and name the person at the provider")
  func good() throws {
    for key in [Provider.rsa, Provider.curve] {
      let token = key.token(Provider.header(key), Self.claims())
      #expect(try Self.check(token) == Self.counts)
      #expect(try IDToken(token).nonce == "n" && IDToken(token).name == "Ana")
      // Both orders, and a `kid` that needs an escape.
      #expect(
        try Self.check(token, keys: ["keys": [key.jwk(["kid": .string(key === Provider.rsa ? "r" : "c")])]])
          == Self.counts)
    }
    // The only key of its algorithm needs no id.
    #expect(try Self.check(Provider.rsa.token(["alg": "RS256"], Self.claims())) == Self.counts)
  }

  @Test("ACC-4: each claim that is wrong makes a token worth nothing")
  func claims() throws {
    let (client, issuer) = (JSON.string(Provider.client), JSON.string(Provider.issuer))
    let rows: [(changes: [String: JSON], result: String)] = [
      (["iss": "https://id.example/"], "issuer"), (["iss": "https://ID.example"], "issuer"), (["iss": .null], "issuer"),
      (["iss": [issuer]], "issuer"), (["iss": "https://evil.example"], "issuer"),
      (["aud": "another"], "audience"), (["aud": .null], "audience"), (["aud": []], "audience"),
      (["aud": [client]], Self.counts), (["aud": [client, "another"]], "audience"),
      (["aud": [client, "another"], "azp": client], Self.counts),
      (["aud": [client, "another"], "azp": "another"], "audience"),
      (["aud": ["another"], "azp": client], "audience"), (["aud": [client, 1], "azp": client], "audience"),
      (["aud": [[client]]], "audience"), (["aud": ["x": client]], "audience"),
      (["sub": .null], "subject"), (["sub": ""], "subject"), (["sub": 7], "subject"), (["sub": "é"], "subject"),
      (["sub": .string(String(repeating: "s", count: 256))], "subject"),
      (["exp": .null], "form"), (["exp": "soon"], "form"), (["exp": 1e300], "form"), (["exp": -1], "form"),
      (["iat": .null], "form"), (["nbf": "now"], "form"), (["nbf": true], "form"),
    ]
    for row in rows {
      #expect(try Self.check(Provider.rsa.token(Provider.header(), Self.claims(row.changes))) == row.result, "\(row)")
    }
    let longest = String(repeating: "s", count: 255)
    let token = Provider.rsa.token(Provider.header(), Self.claims(["sub": .string(longest)]))
    #expect(try Self.check(token) == "https://id.example \(longest)")
  }

  @Test("ACC-4: the clocks may differ by a minute at most")
  func clocks() throws {
    func check(_ claim: String, _ offset: Int64) throws -> String {
      let time = (Self.now + .seconds(offset)).seconds
      return try Self.check(Provider.curve.token(Provider.header(Provider.curve), Self.claims([claim: time])))
    }
    #expect(try check("exp", -59) == Self.counts)
    #expect(try check("exp", -60) == "expired")
    for claim in ["iat", "nbf"] {
      #expect(try check(claim, 60) == Self.counts)
      #expect(try check(claim, 61) == "early")
      #expect(try check(claim, -3600) == Self.counts)
    }
    // Fractions of a second are allowed.
    let fraction: JSON = 1_800_000_000.5
    #expect(try Self.check(Provider.rsa.token(Provider.header(), Self.claims(["iat": fraction]))) == Self.counts)
  }

  @Test("ACC-17: a token stands for a password up to five minutes after it was issued")
  func freshness() throws {
    for (age, isFresh) in [(0, true), (300, true), (301, false), (3600, false), (-60, true)] as [(Int64, Bool)] {
      let issued = (Self.now + .seconds(-age)).seconds
      let token = try IDToken(Provider.rsa.token(Provider.header(), Self.claims(["iat": issued])))
      #expect(token.isFresh(at: Self.now) == isFresh, "\(age)")
    }
  }

  // MARK: attacks

  /// A token whose parts are any bytes.
  private static func token(_ header: String, _ payload: JSON = claims(), signature: [UInt8] = []) -> String {
    "\(Base64.url.encode(Array(header.utf8))).\(Base64.url.encode(payload.bytes)).\(Base64.url.encode(signature))"
  }

  @Test("ACC-4: no algorithm but RS256 and ES256 counts, `none` and key confusion among them")
  func algorithms() throws {
    for name in ["none", "None", "NONE", "nOnE", "", "HS256", "rs256", "RS384", "RS512", "PS256", "ES384", "EdDSA"] {
      let header = #"{"alg":"\#(name)","kid":"r"}"#
      #expect(try Self.check(Self.token(header)) == "algorithm", "\(name)")
      #expect(try Self.check(Provider.rsa.token(["alg": .string(name), "kid": "r"], Self.claims())) == "algorithm")
    }
    for header in ["{}", #"{"alg":null}"#, #"{"alg":["RS256"]}"#, #"{"alg":1}"#] {
      #expect(try Self.check(Self.token(header)) == "algorithm", "\(header)")
    }
    // The public key as the secret of HMAC, in each form that somebody might take.
    let n = Provider.rsa.part("n")
    for secret in [n, Array(Base64.url.encode(n).utf8), Provider.rsa.jwk(["kid": "r", "alg": "RS256"]).bytes] {
      for name in ["HS256", "RS256"] {
        let signed = Self.token(#"{"alg":"\#(name)","kid":"r"}"#).dropLast()
        let code = HMACSHA256.authenticate(key: secret, Array(signed.utf8))
        let result = try Self.check("\(signed).\(Base64.url.encode(code))")
        #expect(result == (name == "HS256" ? "algorithm" : "signature"))
      }
    }
    #expect(try Self.check(Self.token(#"{"alg":"RS256","kid":"r"}"#)) == "signature")
  }

  @Test("ACC-4: a header cannot bring its own key, and asks for no extension")
  func headers() throws {
    let own = SigningKey(.rs256)
    for (name, value) in [
      ("jwk", own.jwk()), ("jku", "https://evil.example/keys"), ("x5c", ["MIIB"]), ("x5u", "https://evil.example/x"),
    ] as [(String, JSON)] {
      #expect(try Self.check(own.token(["alg": "RS256", "kid": "r", name: value], Self.claims())) == "signature")
    }
    for value: JSON in [["exp"], [], ["b64"], .null] {
      let header: JSON = ["alg": "RS256", "kid": "r", "crit": value, "b64": false]
      #expect(try Self.check(Provider.rsa.token(header, Self.claims())) == "algorithm")
    }
    // An access token is no ID token (RFC 9068 §2.1).
    let access: JSON = ["alg": "RS256", "kid": "r", "typ": "at+jwt"]
    #expect(try Self.check(Provider.rsa.token(access, Self.claims())) == "algorithm")
    #expect(try Self.check(Provider.rsa.token(["alg": "RS256", "kid": 1], Self.claims())) == "form")
  }

  @Test("ACC-4: a key signs under its own id and algorithm only")
  func keys() throws {
    let claims = Self.claims()
    #expect(try Self.check(Provider.rsa.token(["alg": "RS256", "kid": "unknown"], claims)) == "key")
    #expect(try Self.check(Provider.rsa.token(["alg": "RS256", "kid": "c"], claims)) == "key")
    #expect(try Self.check(Provider.rsa.token(["alg": "ES256", "kid": "r"], claims)) == "key")
    #expect(try Self.check(Provider.curve.token(["alg": "RS256", "kid": "r"], claims)) == "signature")
    #expect(try Self.check(Provider.rsa.token(["alg": "ES256", "kid": "c"], claims)) == "signature")
    #expect(try Self.check(SigningKey(.rs256).token(Provider.header(), claims)) == "signature")
    #expect(try Self.check(SigningKey(.es256).token(Provider.header(Provider.curve), claims)) == "signature")
    // Two keys of an algorithm: without an id none is meant.
    let two: JSON = ["keys": [Provider.rsa.jwk(["kid": "r"]), SigningKey(.rs256).jwk(["kid": "s"])]]
    #expect(try Self.check(Provider.rsa.token(["alg": "RS256"], claims), keys: two) == "key")
    #expect(try Self.check(Provider.rsa.token(Provider.header(), claims), keys: two) == Self.counts)
    // While keys rotate, two may have one id.
    let same: JSON = ["keys": [SigningKey(.rs256).jwk(["kid": "r"]), Provider.rsa.jwk(["kid": "r"])]]
    #expect(try Self.check(Provider.rsa.token(Provider.header(), claims), keys: same) == Self.counts)
  }

  @Test("ACC-4: a changed token counts no longer, and no signature of zeros does")
  func tampered() throws {
    for key in [Provider.rsa, Provider.curve] {
      let parts = key.token(Provider.header(key), Self.claims()).split(separator: ".").map(String.init)
      let other = Base64.url.encode(Self.claims(["sub": "bo"]).bytes)
      #expect(try Self.check("\(parts[0]).\(other).\(parts[2])") == "signature")
      #expect(try Self.check("\(parts[0]).\(parts[1]).") == "signature")
      let zeros = [UInt8](repeating: 0, count: key === Provider.rsa ? 256 : 64)
      #expect(try Self.check("\(parts[0]).\(parts[1]).\(Base64.url.encode(zeros))") == "signature")
      // Another header, also one that means the same.
      let header = Base64.url.encode(Array((Provider.header(key).text + " ").utf8))
      #expect(try Self.check("\(header).\(parts[1]).\(parts[2])") == "signature")
    }
  }

  @Test("ACC-4: a text that is no token in its compact form is refused, of any length")
  func forms() throws {
    let good = Provider.rsa.token(Provider.header(), Self.claims())
    let parts = good.split(separator: ".").map(String.init)
    let twice = #"{"alg":"RS256","alg":"none","kid":"r"}"#
    for text in [
      "", ".", "..", "...", parts[0], "\(parts[0]).\(parts[1])", good + ".", "." + good, good + "=", " " + good,
      good + "\n", good.replacing(".", with: "|"), "\(parts[0]).\(parts[1]).\(parts[2])+", "\(parts[0]).\(parts[1]).A",
      Self.token("[]"), Self.token("null"), Self.token("{"), Self.token(twice),
      Self.token("\u{FEFF}{\"alg\":\"RS256\"}"),
      String(repeating: "a", count: 3073), String(repeating: ".", count: 3072),
    ] {
      #expect(try Self.check(text) == "form", "\(text.prefix(40))")
    }
    let claimsTwice = #"{"sub":"ana","sub":"bo"}"#
    #expect(
      try Self.check("\(parts[0]).\(Base64.url.encode(Array(claimsTwice.utf8))).\(parts[2])") == "form")
  }

  // MARK: JWK sets

  @Test("ACC-4: of a JWK Set only keys that verify RS256 or ES256 are taken")
  func sets() {
    let (rsa, curve) = (Provider.rsa.jwk().object ?? [:], Provider.curve.jwk().object ?? [:])
    func isTaken(_ key: [String: JSON]) -> Bool { WebKeys(JSON.object(["keys": [.object(key)]]).bytes) != nil }
    #expect(isTaken(rsa) && isTaken(curve))
    let short = Base64.url.encode([0x80] + [UInt8](repeating: 1, count: 127))
    let rows: [[String: JSON]] = [
      ["use": "enc"], ["use": 1], ["key_ops": ["sign"]], ["key_ops": "verify"], ["alg": "RS512"], ["alg": "HS256"],
      ["alg": "none"], ["alg": 1], ["kty": "oct", "k": "c2VjcmV0"], ["kty": "OKP"], ["kty": .null], ["kid": 1],
      ["kty": "rsa"],
    ]
    for row in rows {
      #expect(!isTaken(rsa.merging(row) { $1 }), "\(row)")
      #expect(!isTaken(curve.merging(row) { $1 }), "\(row)")
    }
    for row: [String: JSON] in [
      ["n": .string(short)], ["n": "AA=="], ["n": "!"], ["n": .null], ["e": ""], ["e": "Ag"], ["e": 3],
      ["alg": "ES256"],
    ] {
      #expect(!isTaken(rsa.merging(row) { $1 }), "\(row)")
    }
    for row: [String: JSON] in [
      ["crv": "P-384"], ["crv": "secp256k1"], ["crv": .null], ["x": curve["y"] ?? .null], ["y": "AA"], ["alg": "RS256"],
    ] {
      #expect(!isTaken(curve.merging(row) { $1 }), "\(row)")
    }
    for row: [String: JSON] in [["use": "sig"], ["key_ops": ["verify"]], ["more": [1]], ["kid": "x"]] {
      #expect(isTaken(rsa.merging(row) { $1 }) && isTaken(curve.merging(row) { $1 }), "\(row)")
    }
  }

  @Test("ACC-4: a text that is no JWK Set is refused; useless keys beside good ones are passed over")
  func malformedSets() {
    for text in [
      "", "[]", "{}", #"{"keys":{}}"#, #"{"keys":[]}"#, #"{"keys":[1,null,{}]}"#, "{\"keys\":[],\"keys\":[]}",
    ] {
      #expect(WebKeys(Array(text.utf8)) == nil, "\(text)")
    }
    let mixed: JSON = ["keys": [1, ["kty": "OKP"], Provider.rsa.jwk()]]
    #expect(WebKeys(mixed.bytes)?.list.count == 1)
    let many = JSON.array(Array(repeating: Provider.curve.jwk(), count: 65))
    #expect(WebKeys(JSON.object(["keys": many]).bytes)?.list.count == 64)
    let long = JSON.object(["keys": [Provider.rsa.jwk()], "more": .string(String(repeating: "x", count: 256 << 10))])
    #expect(WebKeys(long.bytes) == nil)
  }

  // MARK: nonces

  private struct Fixed: Randomness {
    func bytes(_ count: Int) -> [UInt8] { [UInt8](repeating: 5, count: count) }
  }

  @Test("ACC-4: a nonce counts for ten minutes, and only on the server that has made it")
  func nonces() throws {
    let (key, other) = (DerivedKeys.key(.nonces, of: [1]), DerivedKeys.key(.nonces, of: [2]))
    let (text, end) = TokenNonce.make(at: Self.now, key: key, Fixed())
    #expect(end == Self.now + .seconds(600))
    let nonce = try #require(TokenNonce.read(text, at: Self.now, key: key))
    #expect(nonce.end == end && nonce.bytes.count == 24)
    #expect(TokenNonce.read(text, at: end + .milliseconds(-1), key: key) == nonce)
    #expect(TokenNonce.read(text, at: end, key: key) == nil)
    #expect(TokenNonce.read(text, at: Self.now, key: other) == nil)
    // A later end, other random bytes, another code.
    for place in [7, 20, 40] {
      var bytes = try #require(Base64.url.decode(text))
      bytes[place] ^= 1
      #expect(TokenNonce.read(Base64.url.encode(bytes), at: Self.now, key: key) == nil)
    }
    for wrong in ["", "n", String(text.dropLast()), text + "A", text + text] {
      #expect(TokenNonce.read(wrong, at: Self.now, key: key) == nil)
    }
    let (again, _) = TokenNonce.make(at: Self.now, key: key, SystemRandomness())
    #expect(again != TokenNonce.make(at: Self.now, key: key, SystemRandomness()).text)
  }
}
