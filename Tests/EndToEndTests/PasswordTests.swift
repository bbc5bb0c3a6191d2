import JSON
import Testing

@Suite("Changing a password")
struct PasswordTests {
  @Test("ACC-17: a new password needs the old one, counts at once and ends all other sessions")
  func change() async throws {
    let server = try await TestServer.start()
    defer { server.end() }
    let ana = try await server.member("Ana")
    let other = try await ana.again(on: server, client: newID())
    let tablet = try await server.connect()
    let login: [String: JSON] = ["email": .string(ana.email), "password": .string(TestServer.password)]
    let device = try await tablet.call("auth.logIn", login)
    try await tablet.call("hello", ["token": try #require(device["token"]), "client": .string(newID())])

    let wrong = try await ana.refusal(
      "auth.changePassword", ["password": "not mine", "newPassword": "new horse battery"])
    #expect(wrong.code == 2 && wrong.reason == "password")
    let answer = try await ana.call(
      "auth.changePassword", ["password": .string(TestServer.password), "newPassword": "new horse battery"])
    #expect(try await tablet.notification("session.ended")["reason"] == "revoked")
    // The session that asked goes on, over all its connections.
    try await other.watch("me").follow { $0["devices"]?.object?.count == 1 }

    let stranger = try await server.connect()
    #expect(try await stranger.refusal("auth.logIn", login).reason == "login")
    let dead = try await stranger.refusal("hello", ["token": device["token"] ?? .null, "client": .string(newID())])
    #expect(dead.reason == "token")
    // The device token of the answer counts: failures of others do not slow its device down (ACC-3).
    let guesser = try await server.connect()
    for _ in 1...4 { #expect(try await guesser.refusal("auth.logIn", login).reason == "login") }
    #expect(try await guesser.refusal("auth.logIn", login).reason == "attempts")
    let again = try await server.connect()
    let known: [String: JSON] = [
      "email": .string(ana.email), "password": "new horse battery",
      "deviceToken": try #require(answer["deviceToken"]),
    ]
    #expect(try await again.call("auth.logIn", known)["me"] == .string(ana.id))
  }

  @Test("ACC-17, ACC-2: a new password is held to the limits of sign-up, and bad fields are named together")
  func limits() async throws {
    let server = try await TestServer.start()
    defer { server.end() }
    let ana = try await server.member("Ana")
    for (new, fields) in [
      (JSON.string("iloveyou"), ["newPassword"]), ("short", ["newPassword"]), (7, ["newPassword"]),
      ("a\u{0}bcdefghij", ["newPassword"]),
    ] {
      let refusal = try await ana.refusal("auth.changePassword", ["password": "correct horse", "newPassword": new])
      #expect(refusal.fields?.object?.keys.sorted() == fields, "\(new)")
    }
    let refusal = try await ana.refusal("auth.changePassword", ["newPassword": "iloveyou", "colour": "red"])
    #expect(refusal.fields?.object?.keys.sorted() == ["colour", "newPassword", "password"])
  }

  @Test("ACC-3, ACC-17: a log-in that guesses the old password has to wait, and others need not")
  func guessing() async throws {
    let server = try await TestServer.start()
    defer { server.end() }
    let ana = try await server.member("Ana")
    let guess: [String: JSON] = ["password": "not mine", "newPassword": "new horse battery"]
    for _ in 1...5 { #expect(try await ana.refusal("auth.changePassword", guess).reason == "password") }
    let refusal = try await ana.refusal("auth.changePassword", guess)
    #expect(refusal.reason == "attempts" && refusal.error["data"]?["retryAfter"] != nil)
    let phone = try await server.connect()
    let login: [String: JSON] = ["email": .string(ana.email), "password": .string(TestServer.password)]
    #expect(try await phone.call("auth.logIn", login)["me"] == .string(ana.id))
  }
}
