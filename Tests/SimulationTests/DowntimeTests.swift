import JSON
import Simulation
import Testing

/// What falls due while the server is down is told when it runs again.
@Suite("Downtime")
struct DowntimeTests {
  private static let home: JSON = ["name": "Home", "timeZone": "Europe/Berlin", "currency": "EUR"]

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
    visit.signIn()
    let id = try #require(visit.call("households.create", in: "me", Self.home)?["household"]?.string)
    let room = "household/\(id)"
    let code = try #require(visit.call("joinCodes.create", in: room)?["code"])
    visit.signIn(as: 1)
    try #require(visit.call("households.join", in: "me", ["code": code]) != nil)
    visit.signIn()
    let minutes = Duration.seconds(15 * 60 + 5)
    let start: JSON = ["receivers": [visit.person(1)], "until": visit.moment(in: minutes)]
    let share = try #require(visit.call("shares.start", in: "me", start)?["id"]?.string)
    for lifetime in [900_000, 910_000] {
      let note: JSON = ["text": "Soon gone", "lifetime": .number(.init(lifetime))]
      try #require(visit.call("notes.add", in: room, note) != nil)
    }
    try #require(visit.call("notes.add", in: room, ["text": "Stays", "keep": true]) != nil)
    // The last fix comes 170 s before the server stops: the share is lost while it is down, and ends then, too.
    for _ in 0..<7 {
      visit.wait(.seconds(100))
      let now = visit.moment(in: .zero)
      let fix: JSON = ["lat": 52.5, "lon": 13.4, "accuracy": 8, "fixTime": now]
      #expect(visit.call("positions.report", ["sentAt": now, "fixes": [fix]])?["shares"] == 1)
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
    #expect(visit.call("room.subscribe", ["room": .string("share/\(share)")]) == nil)
    visit.restartServer()
    visit.signIn(as: 1)
    visit.wait(.seconds(2))
    #expect(try Self.inbox(visit).map(\.id) == told.map(\.id))
    #expect(visit.violation == nil)
  }
}
