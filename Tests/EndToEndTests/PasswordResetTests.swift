import JSON
import Platform
import Server
import Testing

@testable import HearthCommand

@Suite("Replacing a forgotten password")
struct PasswordResetTests {
  private static func reset(_ email: String, _ code: String) -> [String: JSON] {
    ["email": .string(email), "code": .string(code), "newPassword": "new horse battery", "device": "Phone"]
  }

  @Test("ACC-10: a mailed code replaces the password once, ends every session and logs in")
  func reset() async throws {
    let mailbox = Mailbox()
    let server = try await TestServer.start { $0.mail = mailbox }
    defer { server.end() }
    let ana = try await server.member("Ana", email: "ana@example.org")
    let stranger = try await server.connect()
    try await stranger.call("auth.forgotPassword", ["email": "ANA@example.org"])
    let mail = try await mailbox.mail(to: "ana@example.org")
    #expect(try await stranger.refusal("auth.resetPassword", Self.reset("bo@example.org", mail.code)).reason == "code")
    var weak = Self.reset("ana@example.org", mail.code)
    weak["newPassword"] = "iloveyou"
    #expect(try await stranger.refusal("auth.resetPassword", weak).fields?["newPassword"] != nil)

    let login = try await stranger.call("auth.resetPassword", Self.reset("ana@example.org", mail.code))
    #expect(login["me"] == .string(ana.id))
    #expect(try await ana.client.notification("session.ended")["reason"] == "revoked")
    try await stranger.call("hello", ["token": try #require(login["token"]), "client": .string(newID())])
    let other = try await server.connect()
    #expect(try await other.refusal("auth.resetPassword", Self.reset("ana@example.org", mail.code)).reason == "code")
    let old: [String: JSON] = ["email": "ana@example.org", "password": .string(TestServer.password)]
    #expect(try await other.refusal("auth.logIn", old).reason == "login")
    #expect(
      try await other.call("auth.logIn", ["email": "ana@example.org", "password": "new horse battery"])["me"]
        == .string(ana.id))
  }

  @Test("ACC-10: an unknown address gets the same answer and no mail, and asking often has to wait")
  func unknown() async throws {
    let mailbox = Mailbox()
    let server = try await TestServer.start { $0.mail = mailbox }
    defer { server.end() }
    _ = try await server.member("Ana", email: "ana@example.org")
    let stranger = try await server.connect()
    let unknown = try await stranger.call("auth.forgotPassword", ["email": "nobody@example.org"])
    #expect(try await stranger.call("auth.forgotPassword", ["email": "ana@example.org"]) == unknown)
    try await mailbox.mail(to: "ana@example.org")
    #expect(mailbox.mails.count == 1)
    for _ in 2...5 { try await stranger.call("auth.forgotPassword", ["email": "nobody@example.org"]) }
    let refusal = try await stranger.refusal("auth.forgotPassword", ["email": "nobody@example.org"])
    #expect(refusal.reason == "attempts")
  }

  @Test("ACC-10: where no mail is sent, asking for a code is refused")
  func withoutMail() async throws {
    let server = try await TestServer.start()
    defer { server.end() }
    let refusal = try await server.connect().refusal("auth.forgotPassword", ["email": "ana@example.org"])
    #expect(refusal.code == 4 && refusal.reason == "noMail")
  }
}
