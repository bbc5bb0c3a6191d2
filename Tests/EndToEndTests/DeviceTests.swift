import Crypto
import Foundation
import JSON
import Platform
import Rooms
import Testing

@testable import HearthCommand
@testable import Server

@Suite("Devices and the end of sessions")
struct DeviceTests {
  func expectEnd(of client: TestClient, _ reason: String, _ code: UInt16) async throws {
    #expect(try await client.notification("session.ended") == ["reason": .string(reason)])
    #expect(try await client.closeCode() == code)
  }

  /// Checks that hello is refused with a token, that the client is told the reason, and that the connection closes.
  func expectDead(_ token: String, on server: TestServer, _ reason: String, _ told: String, _ code: UInt16) async throws
  {
    let client = try await server.connect()
    let refusal = try await client.refusal("hello", ["token": .string(token), "client": .string(newID())])
    #expect(refusal.code == 1 && refusal.reason == reason)
    try await expectEnd(of: client, told, code)
  }

  @Test("ACC-6: hello is refused if its session ends while the token is being checked")
  func endsDuringHello() async throws {
    var server = try await TestServer.start()
    let member = try await server.member("Ana")
    await server.stop()
    let gate = Gate()
    server = try await TestServer.start(in: server.folder) { $0.wrap = { gate.wrap($0) } }
    defer { server.end() }
    gate.holdLoads()
    let client = try await server.connect()
    client.post("hello", ["token": .string(member.token), "client": .string(newID())], id: 77)
    await gate.holdsOne()
    let caller = HTTPCaller(port: server.port, token: member.token)
    #expect(try await caller.call("auth.logOut") == [:])
    gate.release()
    let answer = try await client.next { $0["id"] == 77 }
    #expect(answer["error"]?["data"]?["reason"] == "token", "\(answer.text)")
    try await expectEnd(of: client, "badToken", 4101)
  }

  @Test(
    "ACC-15: a device is listed from its login to its end, and the person's other devices are notified of the login")
  func list() async throws {
    let server = try await TestServer.start()
    defer { server.end() }
    let phone = try await server.member("Ana")
    let me = try await phone.watch("me")
    let own = try #require(try await phone.hello()["session"]?.string)
    try await me.follow { $0["devices"]?[own] != nil }
    #expect(me["devices"][own]?["name"] == "test" && me["inbox"].isEmpty)
    try await phone.call("room.subscribe", in: "me")

    let (tablet, session) = try await phone.logIn(on: server, device: " Tablet ")
    try await me.follow { $0["devices"]?[session] != nil }
    let device = me["devices"][session]
    #expect(device?["name"] == "Tablet")
    let used = try #require(Instant(device?["lastUsedAt"]))
    #expect(used.milliseconds % 60_000 == 0 && Instant(device?["createdAt"]) ?? used > used)
    try await me.follow { $0["inbox"] != nil }
    let told = try #require(me["inbox"].values.first)
    #expect(me["inbox"].count == 1 && told["kind"] == "login")
    #expect(told["ref"]?.string == session && told["name"] == "Tablet")
    #expect(
      try await phone.refusal("settings.edit", ["muted": ["login": true]]).fields?["muted.login"] != nil)

    try await phone.call("devices.rename", ["id": .string(session), "name": "Kitchen", "seq": 5])
    try await me.follow { $0["devices"]?[session]?["name"] == "Kitchen" }
    try await tablet.call("auth.logOut")
    try await me.follow { $0["devices"]?[session] == nil }
    #expect(me["devices"].count == 1)
  }

  @Test("ACC-2, ACC-15: signing up lists the device from the first version on; its name is one line of 1 to 64")
  func signUp() async throws {
    let server = try await TestServer.start()
    defer { server.end() }
    let client = try await server.connect()
    var parameters: [String: JSON] = ["email": "ana@example.org", "password": "correct horse", "name": "Ana"]
    for bad: JSON in ["", "  ", "a\nb", .string(String(repeating: "a", count: 65)), 7] {
      parameters["device"] = bad
      let refusal = try await client.refusal("auth.signUp", parameters)
      #expect(refusal.fields?.object?.keys.sorted() == ["device"], "\(bad.text)")
      if bad == 7 { continue }
      let login = try await client.refusal("auth.logIn", parameters.filter { $0.key != "name" })
      #expect(login.fields?.object?.keys.sorted() == ["device"], "\(bad.text)")
    }
    parameters["device"] = .string(String(repeating: "ü", count: 64))
    let answer = try await client.call("auth.signUp", parameters)
    try await client.call("hello", ["token": try #require(answer["token"]), "client": .string(client.id)])
    let me = try await RoomCopy(of: "me", by: client)
    #expect(me.version == 1 && me["devices"].keys.map(\.self) == [answer["session"]?.string])
    #expect(me["inbox"].isEmpty)
  }

  @Test("ACC-14, ACC-15: a revoked device is notified and closed within a second, and its token is invalid everywhere")
  func revoke() async throws {
    let server = try await TestServer.start()
    defer { server.end() }
    let (room, members) = try await server.household("Ana", "Eve")
    let (ana, eve) = (members[0], members[1])
    let (tablet, session) = try await ana.logIn(on: server, device: "Tablet")
    let window = try await tablet.again(on: server, client: newID())
    for member in [tablet, window] { try await member.call("room.subscribe", in: room) }

    // Another person's sessions and unknown ones cannot be revoked.
    for id in [session, newID()] {
      #expect(try await eve.refusal("devices.revoke", ["id": .string(id)]).reason == "gone")
      #expect(try await eve.refusal("devices.rename", ["id": .string(id), "name": "x"]).reason == "gone")
    }
    #expect(try await ana.refusal("devices.revoke").fields?.object?.keys.sorted() == ["id"])
    #expect(
      try await ana.refusal("devices.revoke", ["id": .string(session), "others": true]).fields != nil)
    #expect(try await ana.refusal("devices.rename", ["id": .string(session), "name": "a\nb"]).fields != nil)
    try await tablet.call("notes.add", in: room, ["text": "still here"])

    let start = ContinuousClock.now
    try await ana.call("devices.revoke", ["id": .string(session)])
    for member in [tablet, window] { try await expectEnd(of: member.client, "revoked", 4102) }
    #expect(ContinuousClock.now - start < .seconds(5), "one second, plus slack for a busy machine")
    try await expectDead(tablet.token, on: server, "token", "badToken", 4101)
    let me = try await ana.watch("me")
    try await me.follow { $0["devices"]?[session] == nil }
    #expect(try await ana.refusal("devices.revoke", ["id": .string(session)]).reason == "gone")
    // Revoking the own device logs out.
    let own = try #require(try await ana.hello()["session"])
    try await ana.call("devices.revoke", ["id": own])
    try await expectEnd(of: ana.client, "loggedOut", 4102)
    try await server.restart()
    for token in [ana.token, tablet.token] {
      try await expectDead(token, on: server, "token", "badToken", 4101)
    }
  }

  @Test("ACC-14, ACC-15: all other devices are logged out at once, and the calling one continues")
  func others() async throws {
    let server = try await TestServer.start()
    defer { server.end() }
    let ana = try await server.member("Ana")
    let me = try await ana.watch("me")
    var others: [Member] = []
    for number in 1...3 { others.append(try await ana.logIn(on: server, device: "Device \(number)").0) }
    try await me.follow { $0["devices"]?.object?.count == 4 }
    try await ana.call("devices.revoke", ["others": true])
    for other in others { try await expectEnd(of: other.client, "revoked", 4102) }
    try await me.follow { $0["devices"]?.object?.count == 1 }
    try await ana.call("devices.revoke", ["others": true])
  }

  /// Checks that with one session more than the limit the least recently used one ends (ACC-15).
  ///
  /// `LimitTests` runs it.
  @Sendable static func sessions(limit: Int) async throws {
    // A heartbeat would count the first session as used later than the logins before it.
    let server = try await TestServer.start { $0.configuration.heartbeat = .seconds(3600) }
    defer { server.end() }
    let ana = try await server.member("Ana")
    let me = try await ana.watch("me")
    let (first, _) = try await ana.logIn(on: server, device: "First")
    let client = try await server.connect()
    let parameters: [String: JSON] = ["email": .string(ana.email), "password": .string(TestServer.password)]
    for _ in 3...limit { try await client.call("auth.logIn", parameters) }
    try await me.follow { $0["devices"]?.object?.count == limit }
    // The first session, the phone's, has just been used.
    try await ana.hello()
    try await ana.call("room.subscribe", in: "me")
    try await first.client.fence()
    try await client.call("auth.logIn", parameters)
    try await DeviceTests().expectEnd(of: first.client, "revoked", 4102)
    try await DeviceTests().expectDead(first.token, on: server, "token", "badToken", 4101)
    try await ana.hello()
    let now = try await ana.watch("me")
    try await now.follow { state in
      state["devices"]?.object?.count == limit
        && state["devices"]?.object?.values.contains { $0["name"] == "First" } == false
    }
  }

  @Test("ACC-15: a list of devices that a crash left outdated is repaired when the person returns")
  func reconciled() async throws {
    let server = try await TestServer.start()
    defer { server.end() }
    let account = try await server.member("Ana")
    // The directory has a session that the person's room has not recorded.
    let record = SessionRecord(
      id: try #require(ID(newID())), person: try #require(ID(account.id)),
      tokenHash: SHA256.hash(Array(newID().utf8)), name: "Lost", createdAt: .now, lastUsedAt: .now)
    await server.stop()
    try await server.restart()
    let directory = try #require(server.directory)
    let made = await withCheckedContinuation { continuation in
      directory.change(
        record.person, expecting: nil, [.addSession(record, limit: 32)],
        reply: Reply(on: SpotPoster()) { continuation.resume(returning: $0) })
    }
    #expect(try made.get() == .changed(ended: []))
    let ana = try await account.again(on: server)
    let me = try await ana.watch("me")
    try await me.follow { $0["devices"]?[record.id.description]?["name"] == "Lost" }
    try await me.follow { $0["inbox"]?.object?.values.contains { $0["kind"] == "login" } == true }
    // Further connections cause no further write.
    let version = me.version
    for _ in 1...3 { try await ana.hello() }
    #expect(try await ana.watch("me").version == version)
  }

  @Test("ACC-14: hello reports a token that expired unused, and another token may replace it")
  func expired() async throws {
    let server = try await TestServer.start()
    defer { server.end() }
    let account = try await server.member("Ana")
    try await server.restart { $0.configuration.tokenLife = .milliseconds(500) }
    try await Task.sleep(for: .milliseconds(600))
    try await expectDead(account.token, on: server, "expired", "expired", 4002)
    try await server.restart()
    let (ana, _) = try await account.logIn(on: server, device: nil)
    try await ana.call("room.subscribe", in: "me")
  }

  @Test("ACC-14: a token expires while connected, unless it is used on this or another connection")
  func expiredWhileConnected() async throws {
    let server = try await TestServer.start {
      $0.configuration.tokenLife = .seconds(10)
      $0.configuration.heartbeat = .seconds(1)
    }
    defer { server.end() }
    let used = try await server.member("Ana")
    let watching = try await used.again(on: server, client: newID())
    try await watching.call("room.subscribe", in: "me")
    let (quiet, _) = try await used.logIn(on: server, device: nil)
    let end = ContinuousClock.now + .seconds(12)
    while ContinuousClock.now < end {
      try await Task.sleep(for: .milliseconds(200))
      try await used.client.fence()
    }
    try await expectEnd(of: quiet.client, "expired", 4002)
    for member in [used, watching] { try await member.call("room.subscribe", in: "me") }
    try await expectDead(quiet.token, on: server, "expired", "expired", 4002)
  }
}
