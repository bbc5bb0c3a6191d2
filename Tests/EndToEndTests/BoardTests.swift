import JSON
import Rooms
import Testing

@testable import HearthCommand

@Suite("Board and recent activity")
struct BoardTests {
  @Test("ACT-1: an event leaves the history after a year, not before")
  func year() async throws {
    let server = try await TestServer.start()
    defer { server.end() }
    let (room, members) = try await server.household("Ana", "Bo")
    func events(after days: Int) async throws -> () async throws -> Int {
      try await server.restart { $0.wrap = { LaterStore($0, after: .seconds(days * 24 * 3600)) } }
      let ana = try await members[0].again(on: server)
      return { try await ana.call("activity.list", in: room)["items"]?.array?.count ?? -1 }
    }
    #expect(try await events(after: 364)() == 2)
    let later = try await events(after: 366)
    // A round of pruning begins with the server.
    let deadline = ContinuousClock.now + .seconds(20)
    while try await later() > 0 { try #require(ContinuousClock.now < deadline, "the history still has events") }
  }

  @Test("NTE-3, S0.22: a note expires for all members within a second, also after a restart")
  func timer() async throws {
    let server = try await TestServer.start()
    defer { server.end() }
    let (room, members) = try await server.household("Ana", "Bo")
    let ends = Instant.now + .seconds(120)
    try await members[0].call("notes.add", in: room, ["text": "for two minutes", "expiresAt": ends.json])
    try await members[0].call("notes.add", in: room, ["text": "for longer"])
    // The server restarts twelve seconds before the expiry.
    var passed = Duration.zero
    try await server.restart { options in
      passed = ends - .now - .seconds(12)
      options.wrap = { [passed] in LaterStore($0, after: passed) }
    }
    let ana = try await members[0].again(on: server)
    let bo = try await members[1].again(on: server)
    for copy in [try await ana.watch(room), try await bo.watch(room)] {
      #expect(copy["notes"].count == 2)
      try await copy.follow { $0["notes"]?.object?.count == 1 }
      let gone = try #require(copy.patches.last { $0["patch"]?["notes"] != nil })
      let delay = try #require(Instant(gone["at"])) - (ends - passed)
      #expect(delay >= .zero && delay < .seconds(1))
      #expect(gone["by"] == nil, "the expiry has no author")
    }
  }
}
