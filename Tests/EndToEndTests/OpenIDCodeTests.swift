import Crypto
import Foundation
import Gateways
import HTTP
import JSON
import Rooms
import TestSupport
import Testing
import Transport

@testable import HearthCommand
@testable import Server

/// Logging in from a browser: the steps of the page, with a provider that checks the proof key.
@Suite("Logging in with OpenID Connect from a browser")
struct OpenIDCodeTests {
  private typealias Provider = OpenIDProviderUnderTest

  private static let state = "a-state-of-the-browser-1"

  /// A provider as a program of its own, and a server that knows it.
  private final class Place {
    let folder = FileManager.default.temporaryDirectory.appending(path: "hearth-code-\(newID())")
    let peer: Peer
    let server: TestServer
    let issuer: String
    let verifier: String
    let challenge: String

    init() async throws {
      let certificate = try await Certificate(in: folder)
      peer = try await Peer("openid_peer.py", [certificate.file.path, certificate.key.path])
      issuer = "https://localhost:\(peer.port)"
      let keys = folder.appending(path: "keys.json")
      try Data(Provider.keys.bytes).write(to: keys)
      let provider = try #require(OpenIDProvider("home=\(issuer),\(Provider.client),\(keys.path)"))
      let https = Self.fetcher(certificate)
      server = try await TestServer.start { options in
        options.configuration.openID = [provider]
        options.configuration.openIDSecrets = ["home": "secret+of/home"]
        options.https = https
      }
      verifier = Base64.url.encode([UInt8](repeating: 7, count: 32))
      challenge = Base64.url.encode(SHA256.hash(Array(verifier.utf8)))
    }

    static func fetcher(_ certificate: Certificate) -> HTTPSFetcher {
      ProcessSignals.ignoreBrokenPipes()
      return HTTPSFetcher(
        version: "1", workers: WorkerQueues(name: "test.openid"), authorities: certificate.file.path)
    }

    deinit {
      server.end()
      try? FileManager.default.removeItem(at: folder)
    }

    var caller: HTTPCaller { HTTPCaller(port: server.port) }
    var origin: String { "http://localhost:\(server.port)" }

    func begin(_ name: String = "home", _ query: [(String, String)]? = nil, host: String? = nil) async throws
      -> HTTPAnswer
    {
      let query = Form(query ?? [("challenge", challenge), ("state", OpenIDCodeTests.state)]).encoded
      return try await caller.send(
        "", method: "GET", path: "/openid/\(name)?\(query)",
        ["Host": host ?? "localhost:\(server.port)", "Content-Type": nil, "Content-Length": nil])
    }

    /// Has the provider give a token for a code, as if somebody had logged in there.
    func prepare(_ code: String, nonce: String) async throws {
      let claims = Provider.claims(at: .now, nonce: nonce, ["iss": .string(issuer)])
      let one: JSON = [
        "code": .string(code), "challenge": .string(challenge), "client_id": .string(Provider.client),
        "redirect_uri": .string("\(origin)/openid/callback"), "client_secret": "secret+of/home",
        "id_token": .string(Provider.rsa.token(Provider.header(), claims)),
      ]
      let certificate = folder.appending(path: "certificate.pem").path
      let told = try ChildProcess.run(
        Curl.command + ["--cacert", certificate, "-d", String(decoding: one.bytes, as: UTF8.self), "\(issuer)/prepare"])
      try #require(told.output == "{}")
    }

    func exchange(
      _ code: String, _ changes: [String: JSON] = [:], headers: [String: String?] = [:]
    ) async throws -> HTTPAnswer {
      let body: [String: JSON] = ["provider": "home", "code": .string(code), "verifier": .string(verifier)]
      let text = String(decoding: JSON.object(body.merging(changes) { $1 }).bytes, as: UTF8.self)
      let own: [String: String?] = ["Host": "localhost:\(server.port)", "Origin": origin]
      return try await caller.send(text, path: "/openid/token", own.merging(headers) { $1 })
    }
  }

  @Test("ACC-4: a browser logs in by a code and its proof key, and a code counts once")
  func code() async throws {
    let place = try await Place()
    let away = try await place.begin()
    #expect(away.status == 302 && away.headers["cache-control"] == "no-store")
    let location = try #require(away.headers["location"])
    #expect(location.hasPrefix("\(place.issuer)/authorize?tenant=home&response_type=code&client_id="))
    let asked = Form(query: location.split(separator: "?", maxSplits: 1).last.map(String.init))
    let expected: KeyValuePairs = [
      "client_id": Provider.client, "redirect_uri": "\(place.origin)/openid/callback", "scope": "openid profile",
      "state": Self.state, "code_challenge": place.challenge, "code_challenge_method": "S256",
    ]
    for (name, value) in expected { #expect(asked[name] == value, "\(name)") }
    try await place.prepare("code one", nonce: try #require(asked["nonce"]))
    let answer = try await place.exchange("code one")
    #expect(answer.status == 200 && answer.headers["cache-control"] == "no-store")
    let token = try #require(answer.json?["idToken"])
    let client = try await place.server.connect()
    let login = try await client.call("auth.logInWithToken", ["provider": "home", "idToken": token])
    #expect(login["token"]?.string != nil)
    #expect(try await place.exchange("code one").reason == "code")
  }

  @Test("ACC-4: a code without its proof key, from another page or to an unknown provider gives no token")
  func refused() async throws {
    let place = try await Place()
    try await place.prepare("code", nonce: "n")
    let other = Base64.url.encode([UInt8](repeating: 8, count: 32))
    #expect(try await place.exchange("unknown").reason == "code")
    #expect(try await place.exchange("code", headers: ["Origin": "https://evil.example"]).status == 403)
    #expect(try await place.exchange("code", headers: ["Content-Type": "text/plain"]).status == 403)
    #expect(try await place.exchange("code", ["provider": "other"]).reason == "provider")
    #expect(try await place.exchange("code", ["verifier": "short", "provider": 1]).reason == "invalidParams")
    #expect(try await place.exchange("code", ["verifier": .string(other)]).reason == "code")
    let short = [("challenge", place.challenge), ("state", "short")]
    for query in [[], [("challenge", "x"), ("state", Self.state)], short] {
      #expect(try await place.begin("home", query).status == 400)
    }
    #expect(try await place.begin("home", host: "evil.example").status == 400)
    #expect(try await place.begin("other").status == 404)
  }

  @Test("ACC-4: a provider that describes another issuer, or insecure addresses, is not asked")
  func description() throws {
    let provider = try Provider.provider()
    let right: [String: JSON] = [
      "issuer": .string(Provider.issuer), "authorization_endpoint": "https://id.example/a",
      "token_endpoint": "https://id.example/t",
    ]
    #expect(ProviderAddresses(.object(right), of: provider) != nil)
    for (name, value) in [
      ("issuer", "https://evil.example"), ("authorization_endpoint", "http://id.example/a"),
      ("authorization_endpoint", "https://id.example/a#b"), ("token_endpoint", "ftp://a"), ("token_endpoint", nil),
    ] as [(String, JSON?)] {
      var wrong = right
      wrong[name] = value
      #expect(ProviderAddresses(.object(wrong), of: provider) == nil, "\(name)")
    }
  }
}
