import JSON
import Platform
import Server
import Testing

@testable import HearthCommand

@Suite("Addresses that are proved by mail")
struct AddressTests {
  /// Signs up, and says hello.
  private static func signUp(_ email: String, on server: TestServer) async throws -> Member {
    let client = try await server.connect()
    let account = try await client.call(
      "auth.signUp", ["email": .string(email), "password": .string(TestServer.password), "name": "Ana"])
    let member = Member(
      client: client, name: "Ana", email: email, id: try #require(account["me"]?.string),
      token: try #require(account["token"]?.string))
    try await member.hello()
    return member
  }

  private static func logIn(_ email: String, on server: TestServer) async throws -> JSON {
    try await server.connect().call(
      "auth.logIn", ["email": .string(email), "password": .string(TestServer.password)])
  }

  @Test("ACC-1, ACC-16, SEC-9: an account has its address once the mailed code comes back, and is limited until then")
  func proving() async throws {
    let mailbox = Mailbox()
    let server = try await TestServer.start { $0.mail = mailbox }
    defer { server.end() }
    let ana = try await Self.signUp("ana@example.org", on: server)
    let me = try await ana.watch("me")
    #expect(me.state["account"] == ["pending": "ana@example.org", "password": true, "limited": true])
    let home = try await ana.makeHousehold()
    #expect(
      try await ana.refusal(
        "households.create", ["name": "Two", "timeZone": "Europe/Berlin", "currency": "EUR"]
      ).reason == "unverified")
    for number in 1...5 { try await ana.invite("guest\(number)@example.org", to: home) }
    let sixth: [String: JSON] = ["household": Member.household(home), "email": "guest6@example.org"]
    #expect(try await ana.refusal("invitations.send", sixth).reason == "unverified")

    let mail = try await mailbox.mail(to: "ana@example.org")
    #expect(mail.html.contains(mail.code) && mail.subject.contains(mail.code))
    #expect(try await ana.refusal("auth.verify", ["code": "0000 000"]).fields?["code"] != nil)
    try await ana.call("auth.verify", ["code": .string(mail.code)])
    try await me.follow { $0["account"] == ["email": "ana@example.org", "verified": true, "password": true] }
    // A code works once.
    #expect(try await ana.refusal("auth.verify", ["code": .string(mail.code)]).reason == "code")
    #expect(try await Self.logIn("ana@example.org", on: server)["me"] == .string(ana.id))
    try await ana.call("invitations.send", sixth)
    #expect(server.log.allSatisfy { !$0.contains(mail.code) && !$0.contains("ana@example.org") })
  }

  @Test("ACC-1: signing up with a known address answers alike, and its owner is told by mail")
  func known() async throws {
    let mailbox = Mailbox()
    let server = try await TestServer.start { $0.mail = mailbox }
    defer { server.end() }
    let ana = try await server.member("Ana", email: "ana@example.org")
    let parameters: [String: JSON] = [
      "email": "Ana@Example.org", "password": .string(TestServer.password), "name": "Eve",
    ]
    let known = try await server.connect().call("auth.signUp", parameters)
    let unknown = try await server.connect().call(
      "auth.signUp", parameters.merging(["email": "eve@example.org"]) { $1 })
    #expect(known.object?.keys.sorted() == unknown.object?.keys.sorted())
    #expect(try await mailbox.mail(to: "ana@example.org").subject == "You have a Hearth account already")
    #expect(try await Self.logIn("ana@example.org", on: server)["me"] == .string(ana.id))
  }

  @Test("ACC-16: a new address needs the password and a code from there, and the old one is told")
  func changing() async throws {
    let mailbox = Mailbox()
    let server = try await TestServer.start { $0.mail = mailbox }
    defer { server.end() }
    let ana = try await server.member("Ana", email: "old@example.org")
    _ = try await server.member("Bo", email: "bo@example.org")
    let password = JSON.string(TestServer.password)
    let wrong = try await ana.refusal("auth.changeAddress", ["email": "new@example.org", "password": "not mine"])
    #expect(wrong.reason == "password")
    let me = try await ana.watch("me")
    try await ana.call("auth.changeAddress", ["email": "new@example.org", "password": password])
    try await me.follow { $0["account"]?["pending"] == "new@example.org" }
    #expect(try await Self.logIn("old@example.org", on: server)["me"] == .string(ana.id))
    let mail = try await mailbox.mail(to: "new@example.org")
    try await ana.call("auth.verify", ["code": .string(mail.code)])
    #expect(try await mailbox.mail(to: "old@example.org").subject == "Your Hearth account has another address")
    #expect(try await Self.logIn("new@example.org", on: server)["me"] == .string(ana.id))
    let old: [String: JSON] = ["email": "old@example.org", "password": password]
    #expect(try await server.connect().refusal("auth.logIn", old).reason == "login")
    // The address of somebody else: the same answer, and no code.
    try await ana.call("auth.changeAddress", ["email": "bo@example.org", "password": password])
    #expect(try await mailbox.mail(to: "bo@example.org").code == "")
  }

  @Test("ACC-16: three codes an hour are sent, five wrong ones end a code, and an unverified address can be proved")
  func limits() async throws {
    let mailbox = Mailbox()
    let server = try await TestServer.start { $0.mail = mailbox }
    defer { server.end() }
    let ana = try await server.member("Ana", email: "ana@example.org")
    for number in 1...3 {
      try await ana.call("auth.sendCode")
      try await mailbox.mail(to: "ana@example.org", number: number)
    }
    let refusal = try await ana.refusal("auth.sendCode")
    #expect(refusal.reason == "codes" && refusal.error["data"]?["retryAfter"] != nil)
    let right = mailbox.mails[2].code
    // The codes before the last one no longer count.
    #expect(try await ana.refusal("auth.verify", ["code": .string(mailbox.mails[0].code)]).reason == "code")
    let other = right == "1111 1111" ? "2222 2222" : "1111 1111"
    for _ in 2...5 { #expect(try await ana.refusal("auth.verify", ["code": .string(other)]).reason == "code") }
    #expect(try await ana.refusal("auth.verify", ["code": .string(right)]).reason == "code")
  }

  @Test("HH-4: an unknown address gets a mail, and its owner finds the invitation once the address is theirs")
  func invited() async throws {
    let mailbox = Mailbox()
    let server = try await TestServer.start {
      $0.mail = mailbox
      $0.configuration.publicURL = "https://home.example/"
    }
    defer { server.end() }
    let bo = try await server.member("Bo")
    let home = try await bo.makeHousehold("<Elm> Street")
    try await bo.invite("new@example.org", to: home)
    let invitation = try await mailbox.mail(to: "new@example.org")
    #expect(invitation.subject == "Bo invites you to <Elm> Street")
    #expect(invitation.text.contains("https://home.example/") && invitation.html.contains("&lt;Elm&gt; Street"))
    let ana = try await Self.signUp("new@example.org", on: server)
    let me = try await ana.watch("me")
    #expect(me.state["invitations"]?.object?.isEmpty != false)
    let mail = try await mailbox.mail(to: "new@example.org", number: 2)
    try await ana.call("auth.verify", ["code": .string(mail.code)])
    try await me.follow { $0["invitations"]?.object?.count == 1 }
    let id = try #require(me.state["invitations"]?.object?.keys.first)
    try await ana.call("invitations.accept", ["id": .string(id)])
    try await me.follow { $0["households"]?.object?.count == 1 }
  }

  @Test("HH-4, ACC-16: where no mail is sent, an invitation is found at sign-up, and an address changes at once")
  func withoutMail() async throws {
    let server = try await TestServer.start()
    defer { server.end() }
    let bo = try await server.member("Bo")
    try await bo.invite("new@example.org", to: try await bo.makeHousehold())
    let ana = try await Self.signUp("new@example.org", on: server)
    let me = try await ana.watch("me")
    try await me.follow { $0["invitations"]?.object?.count == 1 }
    #expect(try await ana.refusal("auth.sendCode").reason == "noMail")
    let password = JSON.string(TestServer.password)
    let taken = try await ana.refusal("auth.changeAddress", ["email": .string(bo.email), "password": password])
    #expect(taken.reason == "exists")
    try await ana.call("auth.changeAddress", ["email": "newer@example.org", "password": password])
    try await me.follow { $0["account"]?["email"] == "newer@example.org" }
    #expect(try await Self.logIn("newer@example.org", on: server)["me"] == .string(ana.id))
  }

  @Test("ACC-10: a mail that cannot be sent is tried again, also by the next server")
  func retried() async throws {
    let mailbox = Mailbox()
    mailbox.prepare(.deferred("451 later"), .deferred("451 later"))
    let first = try await TestServer.start { $0.mail = mailbox }
    let ana = try await Self.signUp("ana@example.org", on: first)
    let mail = try await mailbox.mail(to: "ana@example.org")
    await first.stop()
    let second = try await TestServer.start(in: first.folder) { $0.mail = mailbox }
    defer { second.end() }
    let again = try await mailbox.mail(to: "ana@example.org", number: 2)
    #expect(again == mail)
    let phone = try await ana.again(on: second)
    try await phone.call("auth.verify", ["code": .string(again.code)])
  }
}
