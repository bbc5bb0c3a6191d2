import JSON
import Rooms
import Testing

@testable import HearthCommand
@testable import Server

@Suite("Presence")
struct PresenceTests {
  /// A client's copy of a room's live document.
  final class Live {
    let client: TestClient
    let room: String
    private(set) var state: JSON

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
      }
    }
  }

  /// Starts a server on which a minute takes two seconds.
  func server() async throws -> TestServer {
    try await TestServer.start { $0.configuration.presenceInterval = .seconds(2) }
  }

  @Test("HH-17: members see who is online and when others were last there, to the minute, also after a restart")
  func comeAndGo() async throws {
    let server = try await server()
    defer { server.end() }
    let (room, members) = try await server.household("Ana", "Bo")
    let (ana, bo) = (members[0], members[1])
    let live = try await Live(of: room, by: ana)
    try await live.follow { $0.online(ana) && $0.online(bo) }
    // Bo has a second connection and stays online until both have ended.
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
    #expect(again.online(ana), "members get time to reconnect after a restart")
    let last = try #require(Instant(again.state["presence"]?[ana.id]?["lastSeen"]))
    #expect(Instant(again.state["presence"]?[bo.id]?["lastSeen"]) == seen)
    try await again.follow { $0.online(back) }
    try await again.follow { !$0.online(ana) }
    #expect(Instant(again.state["presence"]?[ana.id]?["lastSeen"]) == last, "when she left is unknown")
  }

  @Test("HH-17: short absences are not sent, however many")
  func flapping() async throws {
    let server = try await TestServer.start { $0.configuration.presenceInterval = .seconds(600) }
    defer { server.end() }
    let (room, members) = try await server.household("Ana", "Bo")
    let (ana, bo) = (members[0], members[1])
    let live = try await Live(of: room, by: ana)
    try await live.follow { $0.online(ana) && $0.online(bo) }
    for _ in 1...20 {
      try await bo.call("room.unsubscribe", in: room)
      try await bo.call("room.subscribe", in: room)
    }
    try await ana.client.fence()
    #expect(!ana.client.messagesNow.contains { $0["params"]?["patch"]?["presence"]?[bo.id]?["online"] == .null })
    #expect(live.online(bo))
  }

  @Test("HH-17: a connected person who opts out disappears at once, and returns when opting in")
  func optOut() async throws {
    let server = try await server()
    defer { server.end() }
    let (room, members) = try await server.household("Ana", "Bo")
    let (ana, bo) = (members[0], members[1])
    let live = try await Live(of: room, by: ana)
    try await live.follow { $0.online(bo) }
    try await bo.call("settings.edit", ["presence": "hidden"])
    try await live.follow { $0.state["presence"]?[bo.id] == nil }
    try await bo.call("settings.edit", ["presence": "shown"])
    try await live.follow { $0.online(bo) }
  }
}
