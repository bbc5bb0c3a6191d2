import Crypto
import Foundation
import JSON
import Platform
import Rooms
import TestSupport
import Testing

@testable import HearthCommand
@testable import Server

@Suite("Logging in with OpenID Connect")
struct OpenIDTests {
  typealias Provider = OpenIDProviderUnderTest

  /// A provider of a test, with a server that trusts the keys in its file.
  private struct Place {
    let file: URL
    let server: TestServer

    static func start(_ change: @escaping (inout Node.Options) -> Void = { _ in }) async throws -> Place {
      let file = FileManager.default.temporaryDirectory.appending(path: "hearth-keys-\(UUID().uuidString)")
      let place = Place(file: file, server: try await TestServer.start(setting(file, change)))
      try place.publish(Provider.keys)
      return place
    }

    private static func setting(
      _ file: URL, _ change: @escaping (inout Node.Options) -> Void
    ) throws -> (inout Node.Options) -> Void {
      let providers: Set = [try Provider.provider(keys: file.path), try Provider.provider("also", keys: file.path)]
      return { options in
        options.configuration.openID = providers
        change(&options)
      }
    }

    func publish(_ keys: JSON) throws { try Data(keys.bytes).write(to: file, options: .atomic) }

    func restart() async throws { try await server.restart(Self.setting(file) { _ in }) }

    func end() {
      server.end()
      try? FileManager.default.removeItem(at: file)
    }
  }

  /// The parameters of a log-in with a token that is in order but for the changes of its claims.
  private static func login(
    _ client: TestClient, _ claims: [String: JSON] = [:], by key: SigningKey = Provider.rsa, header: JSON? = nil
  ) async throws -> [String: JSON] {
    let nonce = try #require(try await client.call("auth.nonce")["nonce"]?.string)
    let payload = Provider.claims(at: .now, nonce: nonce, claims)
    return ["provider": "home", "idToken": .string(key.token(header ?? Provider.header(key), payload))]
  }

  @Test("ACC-4: an ID token makes an account and finds it again, with either algorithm and after a restart")
  func again() async throws {
    let place = try await Place.start()
    defer { place.end() }
    let client = try await place.server.connect()
    let greeting = try await client.call("hello", ["client": .string(client.id)])
    #expect(greeting["openid"] == ["also", "home"])
    #expect(try await client.call("rpc.discover")["x-openid"] == ["also", "home"])
    let first = try await Self.login(client, by: Provider.curve)
    let account = try await client.call("auth.logInWithToken", first.merging(["device": "Phone"]) { $1 })
    // No password that somebody could guess: no device to tell from others.
    #expect(account["deviceToken"] == nil)
    let token = try #require(account["token"])
    let hello = try await client.call("hello", ["token": token, "client": .string(client.id)])
    #expect(hello["me"] == account["me"] && hello["session"] == account["session"])
    let me = try await client.call("room.subscribe", ["room": "me"])
    #expect(me["state"]?["profile"] == ["name": "Ana"])
    #expect(me["state"]?["devices"]?.object?.values.map { $0["name"] } == ["Phone"])

    try await place.restart()
    let later = try await place.server.connect()
    // The token of before is used up; a new one leads to the same person, whatever it says of them.
    #expect(try await later.refusal("auth.logInWithToken", first).reason == "nonce")
    let second = try await Self.login(later, ["name": "Somebody else", "email": .null])
    let again = try await later.call("auth.logInWithToken", second)
    #expect(again["me"] == account["me"] && again["session"] != account["session"])
    var also = try await Self.login(later)
    also["provider"] = "also"
    #expect(try await later.call("auth.logInWithToken", also)["me"] == account["me"])
    let other = try await later.call("auth.logInWithToken", try await Self.login(later, ["sub": "bo"]))
    #expect(other["me"] != account["me"])
  }

  @Test("ACC-4: nothing of a token is kept but issuer, subject and the name of the profile")
  func kept() async throws {
    let place = try await Place.start()
    defer { place.end() }
    let client = try await place.server.connect()
    let secrets: [String: JSON] = [
      "email": "canary@yellow.example", "picture": "https://canary.example/p", "zoneinfo": "Canary",
    ]
    let parameters = try await Self.login(client, secrets)
    try await client.call("auth.logInWithToken", parameters)
    await place.server.stop()
    let token = try #require(parameters["idToken"]?.string)
    var text = ""
    for file in try FileManager.default.contentsOfDirectory(at: place.server.folder, includingPropertiesForKeys: nil) {
      text += String(decoding: try Data(contentsOf: file), as: UTF8.self)
    }
    #expect(text.contains("https://id.example"))
    for part in ["canary", "Canary"] + token.split(separator: ".").map(String.init) {
      #expect(!text.contains(part), "\(part)")
      #expect(!place.server.log.contains { $0.contains(part) }, "\(part)")
    }
  }

  @Test("ACC-4: an address in a token leads to nobody's account")
  func noLinking() async throws {
    let place = try await Place.start()
    defer { place.end() }
    let ana = try await place.server.member("Ana", email: "ana@example.org")
    let parameters = try await Self.login(ana.client, ["email": "ana@example.org", "email_verified": true])
    let other = try await ana.client.call("auth.logInWithToken", parameters)
    #expect(other["me"]?.string != ana.id)
    // The address is not taken by the new account either.
    let login = try await ana.client.call("auth.logIn", ["email": "ana@example.org", "password": "correct horse"])
    #expect(login["me"]?.string == ana.id)
  }

  @Test("ACC-4: a token that lies logs nobody in and makes no account")
  func lies() async throws {
    let place = try await Place.start()
    defer { place.end() }
    let client = try await place.server.connect()
    let now = Instant.now
    let rows: [([String: JSON], JSON?, String)] = [
      (["iss": "https://evil.example"], nil, "idToken"), (["aud": "another"], nil, "idToken"),
      (["exp": (now - .seconds(61)).seconds], nil, "idToken"), (["nbf": (now + .seconds(90)).seconds], nil, "idToken"),
      (["nonce": "mine"], nil, "nonce"), (["nonce": .null], nil, "nonce"),
      ([:], ["alg": "none", "kid": "r"], "idToken"), ([:], ["alg": "HS256", "kid": "r"], "idToken"),
      ([:], ["alg": "ES256", "kid": "c"], "idToken"), ([:], ["alg": "RS256", "kid": "x"], "idToken"),
    ]
    for (claims, header, reason) in rows {
      let refusal = try await client.refusal(
        "auth.logInWithToken", try await Self.login(client, claims, header: header))
      #expect(refusal.code == 1 && refusal.reason == reason, "\(claims) \(header?.text ?? ""): \(refusal)")
    }
    var unknown = try await Self.login(client)
    unknown["provider"] = "nobody"
    #expect(try await client.refusal("auth.logInWithToken", unknown).reason == "provider")
    let directory = try #require(place.server.directory)
    let found = await withCheckedContinuation { done in
      directory.account(
        by: .identity(ProviderIdentity(issuer: Provider.issuer, subject: "ana")),
        reply: Reply(on: SpotPoster()) { done.resume(returning: $0) })
    }
    #expect(try found.get() == nil)
  }

  @Test("ACC-4: of many calls with one token one logs in")
  func replayed() async throws {
    let place = try await Place.start()
    defer { place.end() }
    for _ in 1...2 {
      let client = try await place.server.connect()
      let parameters = try await Self.login(client)
      let clients = try await withThrowingTaskGroup(of: TestClient.self) { group in
        for _ in 1...6 { group.addTask { try await place.server.connect() } }
        return try await group.reduce(into: []) { $0.append($1) }
      }
      for (number, client) in clients.enumerated() { client.post("auth.logInWithToken", parameters, id: 700 + number) }
      var results: [String: Int] = [:]
      for client in clients {
        let answer = try await client.next()
        results[answer["error"]?["data"]?["reason"]?.string ?? "in", default: 0] += 1
      }
      #expect(results == ["in": 1, "nonce": 5])
    }
  }

  @Test("ACC-4: a provider changes its keys while the server runs")
  func rotation() async throws {
    let place = try await Place.start()
    defer { place.end() }
    let client = try await place.server.connect()
    let account = try await client.call("auth.logInWithToken", try await Self.login(client))
    let new = SigningKey(.es256)
    let header: JSON = ["alg": "ES256", "kid": "new"]
    let early = try await Self.login(client, by: new, header: header)
    #expect(try await client.refusal("auth.logInWithToken", early).reason == "idToken")
    try place.publish(["keys": [new.jwk(["kid": "new"])]])
    // A refused token was not used up.
    #expect(try await client.call("auth.logInWithToken", early)["me"] == account["me"])
    #expect(try await client.refusal("auth.logInWithToken", try await Self.login(client)).reason == "idToken")
  }

  @Test("ACC-4: without keys no token counts, and the call may be made again later")
  func unreachable() async throws {
    let place = try await Place.start()
    defer { place.end() }
    try FileManager.default.removeItem(at: place.file)
    let client = try await place.server.connect()
    let parameters = try await Self.login(client)
    let refusal = try await client.refusal("auth.logInWithToken", parameters)
    #expect(refusal.code == 7 && refusal.reason == "provider" && refusal.error["data"]?["temporary"] == true)
    try place.publish(Provider.keys)
    try await client.call("auth.logInWithToken", parameters)
  }

  @Test("ACC-4, ACC-2: a person whom the provider does not name is asked for a name")
  func names() async throws {
    let place = try await Place.start()
    defer { place.end() }
    let client = try await place.server.connect()
    let wrong: [JSON] = [.null, "", "  ", .string(String(repeating: "n", count: 65)), "A\u{202E}", 7]
    for (number, name) in wrong.enumerated() {
      let claims: [String: JSON] = ["sub": .string("\(number)"), "name": name]
      let parameters = try await Self.login(client, claims)
      let refusal = try await client.refusal("auth.logInWithToken", parameters)
      #expect(refusal.fields?.object?.keys.sorted() == ["name"], "\(name)")
      let good: [String: JSON] = ["name": " Bo ", "birthday": "1998-02-28"]
      let login = try await client.call("auth.logInWithToken", parameters.merging(good) { $1 })
      try await client.call("hello", ["token": try #require(login["token"]), "client": .string(client.id)])
      let me = try await client.call("room.subscribe", ["room": "me"])
      #expect(me["state"]?["profile"] == ["name": "Bo", "birthday": "1998-02-28"])
    }
    let bad: [String: JSON] = ["name": "", "birthday": "2999-01-01", "device": "", "idToken": "", "colour": "red"]
    let refusal = try await client.refusal("auth.logInWithToken", bad)
    #expect(
      refusal.fields?.object?.keys.sorted() == ["birthday", "colour", "device", "idToken", "name", "provider"])
  }

  @Test("ACC-1, ACC-4: accounts that tokens make count as sign-ups of their address, log-ins do not")
  func signUps() async throws {
    let place = try await Place.start {
      $0.configuration.limitsLoopback = true
      $0.configuration.signUpsPerHour = 2
    }
    defer { place.end() }
    let client = try await place.server.connect()
    for subject: JSON in ["ana", "bo", "ana", "bo", "ana"] {
      try await client.call("auth.logInWithToken", try await Self.login(client, ["sub": subject]))
    }
    let refusal = try await client.refusal("auth.logInWithToken", try await Self.login(client, ["sub": "cy"]))
    #expect(refusal.code == 5 && refusal.reason == "signUps")
  }

  // MARK: in place of a password

  /// A person who has logged in with a token, and said hello.
  private static func ana(_ place: Place) async throws -> Member {
    let client = try await place.server.connect()
    let login = try await client.call("auth.logInWithToken", try await login(client))
    let member = Member(
      client: client, name: "Ana", email: "", id: try #require(login["me"]?.string),
      token: try #require(login["token"]?.string))
    try await member.hello()
    return member
  }

  @Test("ACC-17, BIL-8: without a password a new token stands for it: first password, PIN, confirmation")
  func standsForPassword() async throws {
    let place = try await Place.start()
    defer { place.end() }
    let ana = try await Self.ana(place)
    func token(_ claims: [String: JSON] = [:]) async throws -> [String: JSON] {
      try await Self.login(ana.client, claims)
    }
    let calls: [(method: String, parameters: [String: JSON])] = [
      ("auth.setPin", ["pin": "1234"]), ("auth.confirm", [:]),
      ("auth.changePassword", ["newPassword": "pa55word horse"]),
    ]
    // Bo's token is as good as Ana's, but Bo's own.
    try await ana.client.call("auth.logInWithToken", try await token(["sub": "bo"]))
    for call in calls {
      for (claims, reason) in [
        (["iat": (Instant.now - .seconds(302)).seconds], "idToken"), (["sub": "bo"], "idToken"),
        (["sub": "nobody"], "idToken"), (["aud": "another"], "idToken"), (["nonce": "n"], "nonce"),
      ] as [([String: JSON], String)] {
        let refusal = try await ana.refusal(call.method, call.parameters.merging(try await token(claims)) { $1 })
        #expect(refusal.code == 2 && refusal.reason == reason, "\(call.method) \(claims): \(refusal)")
      }
      for half in [["provider": "home"], ["idToken": "x"], ["provider": "home", "idToken": "x", "password": "x"]]
        as [[String: JSON]]
      {
        let refusal = try await ana.refusal(call.method, call.parameters.merging(half) { $1 })
        #expect(refusal.fields?.object?.count == 1, "\(call.method) \(half)")
      }
    }
    #expect(try await ana.refusal("auth.confirm", ["pin": "1234"]).reason == "noPin")
    let used = try await token()
    for call in calls.dropLast() {
      let good = call.method == "auth.setPin" ? used : try await token()
      try await ana.call(call.method, call.parameters.merging(good) { $1 })
      let again = try await ana.refusal(call.method, call.parameters.merging(good) { $1 })
      #expect(again.code == 2 && again.reason == "nonce", "\(call.method)")
    }
    #expect(try await ana.refusal("auth.changePassword", calls[2].parameters.merging(used) { $1 }).reason == "nonce")
    try await ana.call("auth.confirm", ["pin": "1234"])
    try await ana.call("profile.update", ["handles": ["paypal": "ana"]])
    let changed = try await ana.call("auth.changePassword", calls[2].parameters.merging(try await token()) { $1 })
    #expect(changed["deviceToken"] != nil)
    // Now there is a password, and only that counts.
    let refusal = try await ana.refusal("auth.confirm", try await token())
    #expect(refusal.code == 2 && refusal.reason == "password")
    try await ana.call("auth.confirm", ["password": "pa55word horse"])
    let login = try await ana.client.call("auth.logInWithToken", try await token())
    #expect(login["me"]?.string == ana.id && login["deviceToken"] != nil)
  }
}
