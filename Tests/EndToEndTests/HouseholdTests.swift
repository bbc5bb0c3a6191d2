import JSON
import Testing

@testable import HearthCommand

@Suite("Joining and leaving a household")
struct HouseholdTests {
  @Test("HH-3: a client that guesses codes is throttled, and others are not")
  func guessing() async throws {
    let server = try await TestServer.start()
    defer { server.end() }
    let (room, members) = try await server.household("Ana")
    let code = try #require(try await members[0].call("joinCodes.create", in: room)["code"])
    let eve = try await server.member("Eve")
    for number in 1...5 { eve.post("households.join", ["code": .string("000000000\(number)")], id: 900 + number) }
    eve.post("households.join", ["code": code], id: 906)
    for number in 1...5 {
      #expect(try await eve.client.next { $0["id"]?.int == 900 + number }["error"]?["data"]?["reason"] == "gone")
    }
    let error = try await eve.client.next { $0["id"] == 906 }["error"]
    #expect(error?["code"] == 5 && error?["data"]?["reason"] == "attempts")
    #expect(error?["data"]?["retryAfter"]?.int ?? 0 > 0)
    let bo = try await server.member("Bo")
    #expect(try await bo.call("households.join", ["code": code])["household"] != nil)
  }

  @Test("HH-3: a code is revealed only to the session that created it, also on a repeated call")
  func codeIsSecret() async throws {
    let server = try await TestServer.start()
    defer { server.end() }
    let (room, members) = try await server.household("Ana")
    let ana = members[0]
    let first = try await ana.call("joinCodes.create", in: room, ["seq": 1])
    let again = try await ana.again(on: server)
    #expect(try await again.call("joinCodes.create", in: room, ["seq": 1]) == first)

    let login = try await again.client.call("auth.logIn", ["email": .string(ana.email), "password": "correct horse"])
    let other = Member(
      client: try await server.connect(), name: "Ana", email: ana.email, id: ana.id,
      token: try #require(login["token"]?.string))
    other.client.id = ana.client.id
    try await other.hello()
    let refusal = try await other.refusal("joinCodes.create", in: room, ["seq": 1])
    #expect(refusal.reason == "sealed" && !refusal.error.text.contains(first["code"]?.string ?? "?"))
  }

  @Test("HH-7, HH-9: joining while the last member leaves is refused, and other calls continue")
  func joinWhileEnding() async throws {
    let gate = Gate()
    let server = try await TestServer.start {
      $0.wrap = { gate.wrap($0) }
      // On one loop they all share a commit.
      $0.loopCount = 1
    }
    defer { server.end() }
    let (room, members) = try await server.household("Ana")
    let (other, witnesses) = try await server.household("Dee")
    let bo = try await server.member("Bo")
    let code = try #require(try await members[0].call("joinCodes.create", in: room)["code"])
    // Both calls reach the server while a commit is in flight, so they are committed together.
    gate.hold(other)
    witnesses[0].post("notes.add", in: other, ["text": "first"], id: 900)
    await gate.holdsOne()
    bo.post("households.join", ["code": code], id: 900)
    try await bo.client.fence()
    members[0].post("members.leave", in: room, id: 900)
    try await members[0].client.fence()
    gate.release()
    let answer = try await bo.client.next { $0["id"] == 900 }
    #expect(answer["error"]?["data"]?["reason"] == "gone")
    #expect(try await members[0].client.next { $0["id"] == 900 }["result"] != nil)
    _ = try await witnesses[0].client.next { $0["id"] == 900 }
    try await witnesses[0].call("notes.add", in: other, ["text": "second"])
    #expect(try await bo.watch("me")["households"].isEmpty)
  }

  @Test("HH-9, HH-11: a household that the last member has left stays ended after a restart, and its id is used up")
  func lastOne() async throws {
    let server = try await TestServer.start()
    defer { server.end() }
    let (room, members) = try await server.household("Ana")
    try await members[0].call("members.leave", in: room)
    #expect(try await members[0].client.notification("room.closed")["reason"] != nil)
    #expect(try await members[0].refusal("room.subscribe", in: room).code == 3)
    try await server.restart()
    let ana = try await members[0].again(on: server)
    #expect(try await ana.refusal("room.subscribe", in: room).code == 3)
    #expect(try await ana.watch("me")["households"].isEmpty)

    // Its id is never reused, by any caller.
    let id = room.dropFirst("household/".count)
    let again: [String: JSON] = [
      "id": .string(String(id)), "name": "Elm Street", "timeZone": "Europe/Berlin", "currency": "EUR",
    ]
    let eve = try await server.member("Eve")
    #expect(try await eve.refusal("households.create", again).reason == "exists")
  }
}
