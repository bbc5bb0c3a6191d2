import JSON
import Rooms
import Testing

@testable import Server
@testable import hearth

@Suite("Who is there")
struct PresenceTests {
  /// The live document of a room as a client knows it.
  final class Live {
    let client: TestClient
    let room: String
    private(set) var state: JSON
    /// Patches so far.
    private(set) var count = 0

    init(of room: String, by member: Member) async throws {
      (client, self.room) = (member.client, room)
      client.hearPresence()
      state = try #require(try await member.call("room.subscribe", in: room)["live"])
    }

    func online(_ member: Member) -> Bool { state["presence"]?[member.id]?["online"] == true }

    func follow(until isReached: (Live) -> Bool) async throws {
      while !isReached(self) {
        let patch = try await client.notification("room.live") { $0["room"]?.string == self.room }
        state = MergePatch.apply(try #require(patch["patch"]), to: state).withoutEmptyMaps
        count += 1
      }
    }
  }

  /// A server on which a minute takes two seconds.
  func server() async throws -> TestServer {
    try await TestServer.start { $0.configuration.presenceInterval = .seconds(2) }
  }

  @Test("HH-17: everybody sees who is there, who has gone and when, to the minute; a restart keeps that")
  func comeAndGo() async throws {
    let server = try await server()
    defer { server.end() }
    let (room, members) = try await server.household("Ana", "Bo")
    let (ana, bo) = (members[0], members[1])
    let live = try await Live(of: room, by: ana)
    try await live.follow { $0.online(ana) && $0.online(bo) }
    // A second connection of Bo's: he is there until the last of them has gone.
    let tablet = try await bo.again(on: server, client: newID())
    try await tablet.call("room.subscribe", in: room)
    bo.client.drop()
    try await Task.sleep(for: .seconds(3))
    try await ana.client.fence()
    #expect(!ana.client.messagesNow.contains { $0["params"]?["patch"]?["presence"]?[bo.id]?["online"] == .null })
    try await tablet.call("room.unsubscribe", in: room)
    try await live.follow { !$0.online(bo) }
    let seen = try #require(Instant(live.state["presence"]?[bo.id]?["lastSeen"]))
    #expect(seen.milliseconds % 60_000 == 0 && abs((Instant.now - seen).milliseconds) < 120_000)

    try await server.restart { $0.configuration.presenceInterval = .seconds(2) }
    let back = try await bo.again(on: server)
    let again = try await Live(of: room, by: back)
    #expect(!again.online(ana), "nobody is there yet")
    #expect(again.state["presence"]?[ana.id]?["lastSeen"] != nil)
    #expect(Instant(again.state["presence"]?[bo.id]?["lastSeen"]) == seen)
    try await again.follow { $0.online(back) }
  }

  @Test("HH-17: somebody who flaps is told of once in a while, and what is shown in the end is true")
  func flapping() async throws {
    let server = try await server()
    defer { server.end() }
    let (room, members) = try await server.household("Ana", "Bo")
    let (ana, bo) = (members[0], members[1])
    let live = try await Live(of: room, by: ana)
    try await live.follow { $0.online(ana) && $0.online(bo) }
    // What was under way when she began to watch is in her state, and told once more.
    try await Task.sleep(for: .milliseconds(200))
    try await ana.client.fence()
    ana.client.forget { $0["method"] == "room.live" }
    let before = live.count
    // On a machine that stands still for so long that he was away, it is tried again.
    for attempt in 1...5 {
      let start = ContinuousClock.now
      var rounds = 0
      while rounds < 2 || rounds < 10 && ContinuousClock.now - start < .milliseconds(500) {
        try await bo.call("room.unsubscribe", in: room)
        try await bo.call("room.subscribe", in: room)
        rounds += 1
      }
      let duration = ContinuousClock.now - start
      try await Task.sleep(for: .seconds(3))
      try await ana.client.fence()
      if duration < .seconds(1) { break }
      #expect(attempt < 5, "\(rounds) rounds take \(duration)")
      ana.client.forget { $0["method"] == "room.live" }
    }
    try await ana.client.fence()
    #expect(ana.client.messagesNow.count { $0["method"] == "room.live" } == 0, "he was never away for long")
    try await bo.call("room.unsubscribe", in: room)
    try await live.follow { !$0.online(bo) }
    let start = ContinuousClock.now
    for number in 1...20 { try await bo.call(number % 2 == 1 ? "room.subscribe" : "room.unsubscribe", in: room) }
    try await bo.call("room.subscribe", in: room)
    let duration = ContinuousClock.now - start
    try await live.follow { $0.online(bo) }
    #expect(live.count == before + 2 || duration > .seconds(1))
  }

  @Test("HH-17: who opts out is gone from all households at once, and back when he opts in")
  func optOut() async throws {
    let server = try await server()
    defer { server.end() }
    let (room, members) = try await server.household("Ana", "Bo")
    let (ana, bo) = (members[0], members[1])
    let other = try await ana.makeHousehold("Oak Street")
    try await ana.letIn([bo], to: other)
    try await bo.call("room.subscribe", in: other)
    let live = try await Live(of: room, by: ana)
    let second = try await Live(of: other, by: ana)
    for live in [live, second] { try await live.follow { $0.online(bo) } }
    try await bo.call("settings.edit", ["presence": "hidden"])
    for live in [live, second] { try await live.follow { $0.state["presence"]?[bo.id] == nil } }
    try await bo.call("room.subscribe", in: room)
    bo.client.drop()
    let back = try await bo.again(on: server)
    try await back.call("room.subscribe", in: room)
    try await Task.sleep(for: .seconds(2))
    let now = try await Live(of: room, by: ana)
    #expect(now.state["presence"]?[bo.id] == nil)
    try await back.call("settings.edit", ["presence": "shown"])
    try await now.follow { $0.online(back) }
    #expect(try await back.refusal("settings.edit", ["presence": "away"]).fields?["presence"] != nil)
  }

  @Test("HH-17: who leaves is not seen any more, and sees nobody")
  func leave() async throws {
    let server = try await server()
    defer { server.end() }
    let (room, members) = try await server.household("Ana", "Bo")
    let live = try await Live(of: room, by: members[0])
    try await live.follow { $0.online(members[1]) }
    try await members[1].call("members.leave", in: room)
    try await live.follow { $0.state["presence"]?[members[1].id] == nil }
    members[1].client.forget()
    let cy = try await server.member("Cy")
    try await members[0].letIn([cy], to: room)
    try await cy.call("room.subscribe", in: room)
    try await live.follow { $0.online(cy) }
    try await members[1].client.fence()
    #expect(!members[1].client.messagesNow.contains { $0["method"] == "room.live" })
  }
}
