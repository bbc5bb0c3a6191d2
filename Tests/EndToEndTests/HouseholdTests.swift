import JSON
import Testing

@Suite("Households")
struct HouseholdTests {
  @Test("HH-9, S0.4: the rooms of a leaving member close at once, and others see it and are notified")
  func leave() async throws {
    let server = try await TestServer.start()
    defer { server.end() }
    let (room, members) = try await server.household("Ana", "Bo", "Cy")
    let (ana, bo, cy) = (members[0], members[1], members[2])
    let home = try await bo.watch(room)
    let inbox = try await cy.watch("me")
    let corner = try await ana.watch(room + "/mine")

    try await ana.call("members.leave", in: room)
    let closed = try await ana.client.notification("room.closed") { $0["room"]?.string == room }
    #expect(closed["reason"] == "left")
    _ = try await ana.client.notification("room.closed") { $0["room"]?.string == corner.room }

    try await home.follow { $0["members"]?[ana.id] == nil }
    #expect(home["household"]["host"]?.string == bo.id)
    #expect(home["activity"].values.contains { $0["kind"] == "left" })
    try await inbox.follow { $0["inbox"]?.object?.values.contains { $0["kind"] == "left" } == true }

    // She receives nothing afterwards, and cannot come back by herself.
    ana.client.forget()
    try await bo.call("notes.add", in: room, ["text": "Now that she is gone"])
    #expect(try await ana.refusal("room.subscribe", in: room).code == 3)
    #expect(try await ana.refusal("room.subscribe", in: corner.room).code == 3)
    try await ana.client.fence()
    #expect(!ana.client.messagesNow.contains { $0["params"]?["room"]?.string == room })
    let me = try await ana.watch("me")
    #expect(me["households"].isEmpty)
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
