import JSON
import Simulation
import Testing

/// The server tells of everything that fell due while it was down, once, when it runs again.
@Suite("Downtime")
struct DowntimeTests {
  /// The notifications of the person who is signed in, oldest first, each with its id.
  private static func inbox(_ visit: Visit) throws -> [(id: String, kind: String)] {
    let state = try #require(visit.call("room.subscribe", ["room": "me"])?["state"])
    func time(_ row: JSON) -> String { row["at"]?.string ?? "" }
    let rows = (state["inbox"]?.object ?? [:]).sorted { time($0.value) < time($1.value) }
    return rows.map { ($0.key, $0.value["kind"]?.string ?? "") }
  }

  @Test("R-030: notes and shares that end while the server is down end once, in order, also after another kill")
  func ends() throws {
    let visit = Visit()
    defer { visit.end() }
    visit.answersPings = true
    let room = try visit.makeHouseholdOfTwo()
    let share = try visit.share(for: .seconds(15 * 60 + 5))
    for lifetime in [900_000, 910_000] {
      let note: JSON = ["text": "Soon gone", "lifetime": .number(.init(lifetime))]
      try #require(visit.call("notes.add", in: room, note) != nil)
    }
    try #require(visit.call("notes.add", in: room, ["text": "Stays", "keep": true]) != nil)
    // The last fix comes 170 s before the server stops: the share is lost while it is down, and ends then, too.
    for _ in 0..<7 {
      visit.wait(.seconds(100))
      try visit.reportFix()
    }
    visit.wait(.seconds(165))
    visit.restartServer(after: .seconds(120))
    visit.signIn(as: 1)
    visit.wait(.seconds(2))
    let told = try Self.inbox(visit)
    let kinds = told.map(\.kind).filter { $0 != "joined" && $0 != "note" }
    #expect(kinds == ["share", "lost", "ended"] || kinds == ["share", "ended"], "\(kinds)")
    let notes = try #require(visit.call("room.subscribe", ["room": .string(room)])?["state"]?["notes"]?.object)
    #expect(notes.values.map { $0["text"] } == ["Stays"])
    #expect(visit.call("room.subscribe", ["room": .string(share)]) == nil)
    visit.restartServer()
    visit.signIn(as: 1)
    visit.wait(.seconds(2))
    #expect(try Self.inbox(visit).map(\.id) == told.map(\.id))
    #expect(visit.violation == nil)
  }
}
