import JSON
import Rooms
import Simulation
import Testing

/// Silence, caps and ages follow elapsed time, however the wall clock is set (SPEC's first rules, R-031).
@Suite("A clock that is set")
struct ClockTests {
  private static let jumps: [Duration] = [.seconds(-3600), .seconds(3600), .days(-7300), .days(7300)]

  /// A visit of a sharer whose phone has reported once, to a share of 20 minutes.
  private static func sharing() throws -> (visit: Visit, room: String) {
    let visit = Visit()
    visit.answersPings = true
    _ = try visit.makeHouseholdOfTwo()
    let room = try visit.share(for: .seconds(20 * 60))
    try visit.reportFix()
    return (visit, room)
  }

  /// The share as the sharer reads it; `nil` when it is over.
  private static func share(_ room: String, _ visit: Visit) -> JSON? {
    visit.call("room.subscribe", ["room": .string(room)])?["state"]?["share"]
  }

  @Test("LOC-25, R-031: a silent sharer is lost in time, and the share ends on time", arguments: jumps)
  func share(jump: Duration) throws {
    let (visit, room) = try Self.sharing()
    defer { visit.end() }
    #expect(Self.share(room, visit) != nil)
    visit.setClock(by: jump)
    visit.wait(.seconds(50))
    #expect(visit.lastTick?["live"]?[room]?["state"] == "fresh")
    visit.wait(.seconds(110))
    #expect(try #require(Self.share(room, visit))["lost"] == nil)
    visit.wait(.seconds(20))
    #expect(try #require(Self.share(room, visit))["lost"] == "noContact")
    // The phone is there again, with the same clock as the server.
    try visit.reportFix()
    #expect(try #require(Self.share(room, visit))["lost"] == nil)
    visit.wait(.seconds(16 * 60))
    #expect(Self.share(room, visit) != nil)
    visit.wait(.seconds(60))
    #expect(Self.share(room, visit) == nil)
    #expect(visit.violation == nil && !visit.isClosed)
  }

  @Test("R-031: a clock that is set back while the server is down does not hide a silent sharer")
  func down() throws {
    let (visit, room) = try Self.sharing()
    defer { visit.end() }
    visit.setClock(by: .seconds(-3600))
    visit.restartServer()
    visit.signIn()
    // The room is watched, so it is in memory.
    #expect(Self.share(room, visit) != nil)
    visit.wait(.seconds(170))
    #expect(try #require(Self.share(room, visit))["lost"] == nil)
    visit.wait(.seconds(20))
    #expect(try #require(Self.share(room, visit))["lost"] == "noContact")
  }

  @Test("ACC-14, R-031: no session expires because the clock is set, nor after it is set back", arguments: jumps)
  func sessions(jump: Duration) throws {
    let visit = Visit()
    defer { visit.end() }
    visit.answersPings = true
    visit.signIn()
    visit.setClock(by: jump)
    visit.wait(.seconds(60))
    #expect(!visit.isClosed && visit.call("room.subscribe", ["room": "me"]) != nil)
    visit.signIn()
    #expect(visit.violation == nil)
    visit.setClock(by: .zero - jump)
    visit.wait(.seconds(60))
    #expect(!visit.isClosed && visit.call("room.subscribe", ["room": "me"]) != nil)
    visit.signIn()
    #expect(visit.violation == nil)
  }

  @Test("ACT-1, R-031: events written after the clock was set back are the newest")
  func activity() throws {
    let visit = Visit()
    defer { visit.end() }
    visit.signIn()
    let room = try visit.makeHousehold()
    for step in [0, -3600, 7200] {
      visit.setClock(by: .seconds(step))
      try #require(visit.call("notes.add", in: room, ["text": "Note \(step)"]) != nil)
      try #require(visit.call("joinCodes.create", in: room) != nil)
    }
    let page = try #require(visit.call("activity.list", in: room, ["limit": 10])?["items"])
    let numbers = (page.array ?? []).compactMap { $0["n"]?.int }
    #expect(numbers.count > 3 && numbers == numbers.sorted(by: >), "\(page.text)")
  }
}

extension Duration {
  static func days(_ count: Int) -> Duration { .seconds(count * 86_400) }
}
