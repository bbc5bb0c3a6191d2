import Foundation
import JSON
import Rooms
import TestSupport
import Testing

/// Use cases of accounts and households with the real program, its sockets, and a real mail server.
@Suite("Use cases with real mail")
final class MailedUseCaseTests {
  private let folder = FileManager.default.temporaryDirectory.appending(path: "hearth-mailed-\(UUID())")
  private let mails: Peer
  private let server: ServerProcess

  init() async throws {
    mails = try await Peer.mail()
    server = try await ServerProcess.start(
      data: folder,
      arguments: ["--mail", "smtp://127.0.0.1:\(mails.port)", "--mail-from", "hearth@home.example"])
  }

  deinit { try? FileManager.default.removeItem(at: folder) }

  /// A connection that has not said hello, and has ten seconds for it.
  private func stranger() async throws -> TestClient { try await TestClient.connect(port: server.port) }

  /// The next mail: its subject and text.
  private func mail(to address: String) async throws -> (subject: String, text: String) {
    let mail = try #require(try await mails.next())
    #expect(mail["recipients"] == [.string(address)] && mail["sender"] == "hearth@home.example")
    let subject = try #require(mail["mail"]?["headers"]?["Subject"]?.string)
    return (subject, try #require(mail["mail"]?["text"]?.string))
  }

  /// The code in the next mail.
  private func code(to address: String) async throws -> JSON {
    let text = try await mail(to: address).text
    return .string(String(try #require(text.firstMatch(of: /\d{4} \d{4}/)).0))
  }

  private static func details(_ name: String, password: String = TestServer.password) -> [String: JSON] {
    [
      "email": .string("\(name.lowercased())@example.org"), "password": .string(password), "name": .string(name),
      "birthday": "1999-05-31",
    ]
  }

  /// Signs a person up, who proves their address by the mailed code.
  private func signUp(_ name: String) async throws -> Member {
    let client = try await TestClient.connect(port: server.port)
    let answer = try await client.call("auth.signUp", Self.details(name))
    let email = "\(name.lowercased())@example.org"
    let member = Member(
      client: client, name: name, email: email, id: try #require(answer["me"]?.string),
      token: try #require(answer["token"]?.string))
    try await member.hello()
    try await member.call("auth.verify", ["code": try await code(to: email)])
    return member
  }

  private static func notifies(_ me: JSON, _ kind: JSON) -> Bool {
    me["inbox"]?.object?.values.contains { $0["kind"] == kind } == true
  }

  @Test("S0.1, S1.1, S1.2, S1.3: an account, from signing up by a mailed code to its deletion")
  func account() async throws {
    // S1.1: all that is missing is named.
    let missing = try await stranger().refusal("auth.signUp", ["birthday": "2030-02-30"])
    #expect(missing.fields?.object?.keys.sorted() == ["birthday", "email", "name", "password"])
    let ana = try await signUp("Ana")
    let me = try await ana.watch("me")
    try await me.follow { $0["account"]?["verified"] == true && $0["account"]?["email"] == "ana@example.org" }
    #expect(me["profile"]["birthday"] == "1999-05-31")
    // S1.2: one error message for a wrong address and a wrong password; no access once logged out.
    var logIn: [String: JSON] = ["email": "ana@example.org", "password": "correct cow"]
    let wrong = try await stranger().refusal("auth.logIn", logIn)
    let unknown = try await stranger().refusal(
      "auth.logIn", logIn.merging(["email": "bo@example.org"]) { $1 })
    #expect(wrong.reason == "login" && "\(unknown)" == "\(wrong)")
    try await ana.call("auth.logOut")
    #expect(try await ana.client.notification("session.ended")["reason"] == "loggedOut")
    #expect(try await stranger().refusal("hello", ["token": .string(ana.token), "client": .string(newID())]).code == 1)
    // S1.3: forgotten, and replaced by a code that comes by mail.
    try await stranger().call("auth.forgotPassword", ["email": "Ana@Example.org"])
    let phone = try await stranger()
    let reset = try await phone.call(
      "auth.resetPassword",
      ["email": "ana@example.org", "code": try await code(to: "ana@example.org"), "newPassword": "another horse"])
    logIn["password"] = .string(TestServer.password)
    #expect(try await stranger().refusal("auth.logIn", logIn).reason == "login")
    let again = Member(
      client: phone, name: "Ana", email: ana.email, id: ana.id, token: try #require(reset["token"]?.string))
    try await again.hello()
    // S0.1, S1.3: the profile is there, and can be changed.
    let loaded = try await again.watch("me")
    #expect(loaded["profile"]["name"] == "Ana")
    try await again.call("profile.update", ["name": "Ana Maria", "birthday": .null])
    try await loaded.follow { $0["profile"] == ["name": "Ana Maria"] }
    // S1.3: without the confirmation nothing happens, with it the account is gone.
    #expect(try await again.refusal("auth.deleteAccount").reason == "confirm")
    try await again.call("auth.confirm", ["password": "another horse"])
    try await again.call("auth.deleteAccount")
    logIn["password"] = "another horse"
    #expect(try await stranger().refusal("auth.logIn", logIn).reason == "login")
    await server.stop()
    #expect(try await mails.end().isEmpty)
  }

  @Test("S0.2, S0.3, S0.4, S0.5, S0.24, S1.4, S1.5, S1.6, S1.15: a household whose people meet by mail")
  func household() async throws {
    let ana = try await signUp("Ana")
    let room = try await ana.makeHousehold("Elm Street")
    let home = try await ana.watch(room)
    // S0.3, S1.4: Bo has no account; the invitation awaits them.
    try await ana.invite("bo@example.org", to: room)
    let invitation = try await mail(to: "bo@example.org")
    #expect(invitation.subject == "Ana invites you to Elm Street")
    let bo = try await signUp("Bo")
    let mine = try await bo.watch("me")
    try await mine.follow { $0["invitations"]?.object?.count == 1 }
    // S0.5: from here on everything works, and the member list is new for all.
    try await bo.call("invitations.accept", ["id": .string(try #require(mine["invitations"].keys.first))])
    try await home.follow { $0["members"]?.object?.count == 2 }
    let taken = try await ana.refusal(
      "invitations.send", ["household": Member.household(room), "email": "bo@example.org"])
    #expect(taken.reason == "alreadyMember")
    try await bo.call("notes.add", in: room, ["text": "Hello"])
    try await home.follow { $0["notes"] != nil }
    // S0.24: settings reach the other device at once.
    let tablet = try await ana.again(at: server.port, client: newID())
    let settings = try await tablet.watch("me")
    try await ana.call("settings.edit", ["boardColour": "blue", "hour": "07:30"])
    try await settings.follow { $0["settings"]?["boardColour"] == "blue" && $0["settings"]?["hour"] == "07:30" }
    // S1.6: Bo is away, Ana stands in, and a guest comes for that time.
    let today = String(Instant.now.description.prefix(10))
    try await bo.call(
      "members.away", in: room, ["from": .string(today), "to": .string(today), "delegate": .string(ana.id)])
    try await home.follow { $0["members"]?[bo.id]?["away"]?["delegate"] == .string(ana.id) }
    let cy = try await signUp("Cy")
    let cys = try await cy.watch("me")
    try await bo.invite("cy@example.org", to: room, asGuest: true)
    try await cys.follow { $0["invitations"]?.object?.count == 1 }
    try await cy.call("invitations.accept", ["id": .string(try #require(cys["invitations"].keys.first))])
    try await home.follow { $0["members"]?[cy.id]?["role"] == "guest" }
    try await bo.call("members.back", in: room)
    try await home.follow { $0["members"]?.object?.count == 2 }
    try await cys.follow { $0["households"] == nil }
    // S1.15: a person outside can neither read nor write.
    #expect(try await cy.refusal("room.subscribe", in: room).reason == "room")
    #expect(try await cy.refusal("notes.add", in: room, ["text": "?"]).reason == "room")
    // S1.5: removed, told, and out.
    try await bo.call("room.subscribe", in: room)
    try await ana.call("members.remove", in: room, ["person": .string(bo.id)])
    #expect(try await bo.client.notification("room.closed") { $0["room"]?.string == room }["reason"] == "removed")
    try await mine.follow { $0["households"] == nil && Self.notifies($0, "removed") }
    try await home.follow { $0["members"]?.object?.count == 1 }
    // S0.4, S1.5: dismissing needs a confirmation; then nobody has access.
    try await ana.letIn([bo], to: room)
    try await bo.call("room.subscribe", in: room)
    #expect(try await ana.refusal("households.dismiss", in: room).reason == "confirm")
    try await ana.call("auth.confirm", ["password": .string(TestServer.password)])
    try await ana.call("households.dismiss", in: room)
    #expect(try await bo.client.notification("room.closed") { $0["room"]?.string == room }["reason"] == "dismissed")
    try await mine.follow { $0["households"] == nil && Self.notifies($0, "dismissed") }
    for member in [ana, bo] { #expect(try await member.refusal("room.subscribe", in: room).reason == "room") }
    await server.stop()
    #expect(try await mails.end().isEmpty)
  }
}
