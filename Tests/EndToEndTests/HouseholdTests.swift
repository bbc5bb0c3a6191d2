import JSON
import Rooms
import Testing

@Suite("Households")
struct HouseholdTests {
  @Test("HH-1, S0.2, S1.4: the creator of a household is its member and host and sees its details")
  func create() async throws {
    let server = try await TestServer.start()
    defer { server.end() }
    let ana = try await server.member("Ana")
    let me = try await ana.watch("me")
    let id = newID()
    let answer = try await ana.call(
      "households.create",
      ["id": .string(id), "name": "Elm Street", "timeZone": "Europe/Berlin", "currency": "EUR"])
    #expect(answer["household"]?.string == id)
    let home = try await ana.watch("household/\(id)")
    #expect(home.version == 1)
    #expect(home["household"]["name"] == "Elm Street" && home["household"]["host"]?.string == ana.id)
    #expect(home["members"][ana.id]?["role"] == "host" && home["members"][ana.id]?["name"] == "Ana")
    try await me.follow { $0["households"]?[id] != nil }
    #expect(me["households"][id]?["role"] == "host" && me["households"][id]?["name"] == "Elm Street")
    try await ana.call("room.subscribe", in: "household/\(id)/mine")

    // An id belongs to one household forever, for every caller.
    let bo = try await server.member("Bo")
    for member in [ana, bo] {
      let refusal = try await member.refusal(
        "households.create",
        ["id": .string(id), "name": "Mine", "timeZone": "Europe/Berlin", "currency": "EUR"])
      #expect(refusal.code == 4 && refusal.reason == "exists")
    }
  }

  @Test("HH-1: each limit of a household is held on both sides, and all invalid fields are reported at once")
  func limits() async throws {
    let server = try await TestServer.start()
    defer { server.end() }
    let ana = try await server.member("Ana")
    let refusal = try await ana.refusal(
      "households.create", ["id": "7", "name": "", "timeZone": "Europe/Bielefeld", "currency": "euro", "x": 1])
    #expect(refusal.fields?.object?.keys.sorted() == ["currency", "id", "name", "timeZone", "x"])
    for (length, isTaken) in [(1, true), (64, true), (65, false)] {
      let parameters: [String: JSON] = [
        "name": .string(String(repeating: "ü", count: length)), "timeZone": "UTC", "currency": "JPY",
      ]
      if isTaken {
        try await ana.call("households.create", parameters)
      } else {
        #expect(try await ana.refusal("households.create", parameters).fields?.object?.count == 1)
      }
    }
  }

  @Test("HH-2, S1.13: a person may be in sixteen households, and may join another after leaving one")
  func sixteen() async throws {
    let server = try await TestServer.start()
    defer { server.end() }
    let ana = try await server.member("Ana")
    let me = try await ana.watch("me")
    var rooms: [String] = []
    for number in 1...16 { rooms.append(try await ana.makeHousehold("House \(number)")) }
    let parameters: [String: JSON] = ["name": "House 17", "timeZone": "UTC", "currency": "EUR"]
    let refusal = try await ana.refusal("households.create", parameters)
    #expect(refusal.code == 6 && refusal.reason == "households")
    try await me.follow { $0["households"]?.object?.count == 16 }
    try await ana.call("members.leave", in: rooms[0])
    try await me.follow { $0["households"]?.object?.count == 15 }
    try await ana.call("households.create", parameters)
  }

  @Test("HH-9, S0.4: a leaving member is out at once, others are notified, and the oldest member becomes host")
  func leave() async throws {
    let server = try await TestServer.start()
    defer { server.end() }
    let (room, members) = try await server.household("Ana", "Bo", "Cy")
    let (ana, bo, cy) = (members[0], members[1], members[2])
    let home = try await bo.watch(room)
    let inbox = try await cy.watch("me")
    let corner = try await ana.watch(room + "/mine")
    try await ana.call("groceries.add", in: room, ["name": "Oat milk", "personal": true])
    try await bo.call("groceries.add", in: room, ["name": "Eggs"])

    try await ana.call("members.leave", in: room)
    let closed = try await ana.client.notification("room.closed") { $0["room"]?.string == room }
    #expect(closed["reason"] == "left")
    _ = try await ana.client.notification("room.closed") { $0["room"]?.string == corner.room }

    try await home.follow { $0["members"]?[ana.id] == nil }
    #expect(home["household"]["host"]?.string == bo.id && home["members"][bo.id]?["role"] == "host")
    #expect(home["groceries"].values.compactMap { $0["name"]?.string } == ["Eggs"], "her personal items are gone")
    #expect(home["activity"].values.contains { $0["kind"] == "left" })
    try await inbox.follow { $0["inbox"]?.object?.values.contains { $0["kind"] == "left" } == true }

    // She receives nothing afterwards, and every method refuses her.
    ana.client.forget()
    try await bo.call("notes.add", in: room, ["text": "Now that she is gone"])
    for (method, parameters) in Self.everything {
      for room in [room, room + "/mine"] {
        let refusal = try await ana.refusal(method, in: room, parameters)
        #expect(refusal.code == 3 || refusal.code == -32602, "\(method) in \(room): \(refusal)")
      }
    }
    #expect(try await ana.refusal("room.subscribe", in: room).code == 3)
    #expect(try await ana.refusal("room.subscribe", in: corner.room).code == 3)
    try await ana.client.fence()
    #expect(!ana.client.messagesNow.contains { $0["params"]?["room"]?.string == room })
    let me = try await ana.watch("me")
    #expect(me["households"].isEmpty)
  }

  private static let everything: [(String, [String: JSON])] = [
    ("notes.add", ["text": "me too"]), ("groceries.add", ["name": "me too"]), ("joinCodes.create", [:]),
    ("invitations.send", ["email": "eve@example.org"]), ("members.leave", [:]), ("activity.list", [:]),
  ]

  @Test("HH-9, HH-11: when the last member leaves, the household ends with its codes and invitations")
  func lastOne() async throws {
    let server = try await TestServer.start()
    defer { server.end() }
    let (room, members) = try await server.household("Ana")
    let bo = try await server.member("Bo")
    let invited = try await bo.watch("me")
    let code = try await members[0].call("joinCodes.create", in: room)
    try await members[0].call("invitations.send", in: room, ["email": .string(bo.email)])
    try await invited.follow { $0["invitations"]?.object?.count == 1 }
    try await members[0].call("members.leave", in: room)
    #expect(try await members[0].client.notification("room.closed")["reason"] != nil)
    try await invited.follow { $0["invitations"] == nil }
    let refusal = try await bo.refusal("households.join", ["code": try #require(code["code"])])
    #expect(refusal.code == 3 && refusal.reason == "gone")
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

  @Test("HH-9, HH-14: a former member may join again and then sees everything from there on")
  func comeBack() async throws {
    let server = try await TestServer.start()
    defer { server.end() }
    let (room, members) = try await server.household("Ana", "Bo")
    try await members[1].call("members.leave", in: room)
    try await members[0].letIn([members[1]], to: room)
    let home = try await members[1].watch(room)
    #expect(home["members"].count == 2)
    try await members[0].call("notes.add", in: room, ["text": "Welcome back"])
    try await home.follow { $0["notes"]?.object?.count == 1 }
    #expect(try await members[1].watch(room + "/mine")["groceries"].isEmpty)
  }
}
