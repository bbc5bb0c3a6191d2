import HearthClient
import JSON
import Rooms
import Testing

@testable import HearthCommand

@Suite("Screen of `hearth watch`")
struct WatchScreenTests {
  static let ana = ID<Person>("a7000000-0000-4000-8000-000000000001") ?? ID()
  static let ben = ID<Person>("be000000-0000-4000-8000-000000000002") ?? ID()
  static let room = "household/e1000000-0000-4000-8000-000000000001"
  /// This machine's clock; the server's is an hour ahead.
  static let now = Instant("2026-05-01T08:00:00Z") ?? Instant()
  static let server = now + .seconds(3600)

  static func note(_ number: Int) -> String { "40de0000-0000-4000-8000-00000000000\(number)" }

  static let household = JSON.object([
    "household": ["name": "Elm Street", "host": .string(ana.description)],
    "members": .object([
      ana.description: ["name": "Ana", "role": "host"], ben.description: ["name": "Ben", "role": "member"],
    ]),
    "notes": .object([
      note(1): ["text": "Milk is out", "by": .string(ben.description), "at": "2026-05-01T08:55:00Z"],
      note(2): ["text": "Bins\u{1B}[2J\non Monday", "by": .string(ana.description), "at": "2026-05-01T08:58:00Z"],
    ]), "chat": [:],
  ])
  static let live = JSON.object([
    "presence": .object([
      ana.description: ["online": true], ben.description: ["lastSeen": "2026-05-01T06:00:00Z"],
    ])
  ])

  static func snapshot(_ state: JSON = household, version: Int64 = 44) -> RoomSnapshot {
    RoomSnapshot(epoch: "k", version: version, state: state, live: live)
  }

  static func screen() -> WatchScreen {
    var screen = WatchScreen([room], at: "ws://h/sync", me: ana, server: server, now: now)
    screen.take(.state(snapshot(), reason: "new"), of: room, nil, now: now)
    return screen
  }

  static func lines(_ screen: WatchScreen, after seconds: Int = 0, columns: Int = 120, rows: Int = 60) -> [String] {
    screen.lines(now: now + .seconds(seconds), columns: columns, rows: rows, isColoured: false)
  }

  @Test("a household is shown in sections, with names in place of ids and ages in place of times")
  func household() {
    #expect(
      Self.lines(Self.screen(), after: 7) == [
        "Connected to ws://h/sync", "", "Elm Street  \(Self.room)", "  version 44, heard of 7 s ago", "  online: you",
        "  last seen: Ben 3 h ago", "  household", "    host you, name Elm Street", "  members (2)",
        "    Ana (you)  role host", "    Ben  role member", "  notes (2)",
        "    Bins\\u001b[2J on Monday  2 min ago, by you", "    Milk is out  5 min ago, by Ben",
      ])
  }

  @Test("maps by id are shown as names, or counted, and members for programs are left out")
  func maps() {
    let note = JSON.object([
      "text": "Tea?", "place": ["x": 0.5, "y": 0.5], "n": 7,
      "reactions": .object(["👍": .object([Self.ana.description: true, Self.ben.description: true])]),
      "sources": .object([Self.note(7): ["quantity": 2], Self.note(8): ["quantity": 3]]),
    ])
    var screen = WatchScreen([Self.room], at: "ws://h/sync", me: Self.ana, server: Self.server, now: Self.now)
    let state = JSON.object([
      "members": Self.household["members"] ?? .null, "notes": .object([Self.note(1): note]),
    ])
    screen.take(.state(Self.snapshot(state), reason: "new"), of: Self.room, nil, now: Self.now)
    #expect(Self.lines(screen).last == "    Tea?  reactions (👍 Ben and you), sources 2")
  }

  @Test("the last change is shown with its author, its age and the sections that it touched")
  func change() {
    var screen = Self.screen()
    let patch = RoomPatch(
      from: 44, version: 45, at: Self.server + .seconds(60), by: Self.ben, patch: ["notes": [:], "chat": [:]])
    screen.take(.patch(patch), of: Self.room, Self.snapshot(version: 45), now: Self.now + .seconds(60))
    let lines = Self.lines(screen, after: 180)
    #expect(lines.contains("  last change by Ben, 2 min ago: chat, notes"))
    #expect(lines.contains("  version 45, heard of 120 s ago"))
    // A tick is news of the room, but no change of it.
    screen.take(
      .tick(at: Self.server + .seconds(178), version: 45, live: nil), of: Self.room, nil, now: Self.now + .seconds(178))
    let later = Self.lines(screen, after: 180)
    #expect(later.contains("  version 45, heard of 2 s ago") && later.contains { $0.contains("by Ben, 2 min ago") })
  }

  @Test("a lost connection is shown with its reason and the next attempt, and a closed room with its reason")
  func lost() {
    var screen = Self.screen()
    screen.connection = .lost(why: "The connection is lost.", retryAt: Self.now + .seconds(9))
    #expect(
      Self.lines(screen, after: 2)[0]
        == "Not connected: The connection is lost. Trying again in 7 s. What follows may be old.")
    screen.connection = .connected
    screen.take(.closed(reason: "removed"), of: Self.room, nil, now: Self.now)
    #expect(Self.lines(screen).last == "  closed: removed" && Self.lines(screen)[0].hasPrefix("Connected"))
  }

  @Test("no line is wider than the window, and the lines fit into its height")
  func size() {
    var screen = Self.screen()
    let wide = JSON.object(["notes": .object([Self.note(1): ["text": .string(String(repeating: "日本", count: 50))]])])
    screen.take(.state(Self.snapshot(wide), reason: "new"), of: Self.room, nil, now: Self.now)
    for columns in 1...90 {
      let lines = Self.lines(screen, columns: columns)
      #expect(lines.allSatisfy { $0.columnCount <= columns }, "\(columns)")
    }
    #expect(Self.lines(screen, columns: 20).last == "    日本日本日本日…")
    for rows in 1...9 {
      let lines = Self.lines(screen, rows: rows)
      #expect(lines.count == min(rows, Self.lines(screen).count))
      if rows < Self.lines(screen).count {
        #expect(lines.last?.hasSuffix("more lines: make the window higher") == true)
      }
    }
  }

  @Test("a long section shows its newest entries, and says how many more there are")
  func long() {
    let notes = (0..<10).map { number in
      (Self.note(number), JSON.object(["text": .string("n\(number)"), "at": .string("2026-05-01T08:0\(number):00Z")]))
    }
    var screen = Self.screen()
    let state = JSON.object(["notes": .object(Dictionary(notes) { $1 })])
    screen.take(.state(Self.snapshot(state), reason: "new"), of: Self.room, nil, now: Self.now)
    let lines = Self.lines(screen)
    #expect(lines.suffix(2) == ["    n2  58 min ago", "    … and 2 more"])
    #expect(lines.contains("  notes (10)") && lines.contains("    n9  51 min ago"))
  }

  @Test("colours surround whole lines, and are missing where they are not wanted")
  func colours() {
    let plain = Self.screen().lines(now: Self.now, columns: 40, rows: 60, isColoured: false)
    let coloured = Self.screen().lines(now: Self.now, columns: 40, rows: 60, isColoured: true)
    #expect(plain.allSatisfy { !$0.contains("\u{1B}") })
    #expect(coloured[0] == "\u{1B}[32mConnected to ws://h/sync\u{1B}[0m")
    let without = coloured.map { $0.replacing(/\u{1B}\[\d+m/, with: "") }
    #expect(without == plain)
  }

  @Test("LOC-7: a share is shown as a map with the age of the position, as ticks tell it and seconds pass")
  func position() {
    let live = JSON.object(["position": ["lat": 52.09, "lon": 5.12, "accuracy": 8, "at": "2026-05-01T08:59:57Z"]])
    let share = RoomSnapshot(epoch: "k", version: 2, state: ["share": ["name": "Ben"]], live: live)
    var screen = WatchScreen(["share/x"], at: "ws://h/sync", me: Self.ana, server: Self.server, now: Self.now)
    screen.take(.state(share, reason: "new"), of: "share/x", share, now: Self.now)
    let lines = Self.lines(screen, rows: 30)
    #expect(lines[2] == "Position of Ben  share/x" && lines.count == 30)
    #expect(lines.contains { $0.hasSuffix("  fixed 3 s ago, fresh") } && lines.contains { $0.contains("@") })
    let times = LiveTimes(at: Self.server + .seconds(20), link: nil)
    screen.take(
      .tick(at: Self.server + .seconds(30), version: 2, live: times), of: "share/x", share, now: Self.now + .seconds(30)
    )
    #expect(Self.lines(screen, after: 31).contains { $0.hasSuffix("  fixed 11 s ago, fresh") })
    // Two rooms share the window.
    var both = WatchScreen(["share/x", Self.room], at: "ws://h/sync", me: Self.ana, server: Self.server, now: Self.now)
    both.take(.state(share, reason: "new"), of: "share/x", share, now: Self.now)
    both.take(.state(Self.snapshot(), reason: "new"), of: Self.room, nil, now: Self.now)
    #expect(Self.lines(both, rows: 40).contains { $0.contains("Elm Street") })
  }

  @Test("the screen is for terminals only, and its colours can be turned off")
  func mode() {
    func mode(terminal isTerminal: Bool = true, json: Bool = false, _ environment: [String: String]) -> WatchMode {
      WatchMode.chosen(json: json, isTerminal: isTerminal, environment: environment)
    }
    #expect(mode(["TERM": "xterm"]) == .screen(isColoured: true))
    #expect(mode(["TERM": "xterm", "NO_COLOR": "1"]) == .screen(isColoured: false))
    #expect(mode(["TERM": "xterm", "NO_COLOR": ""]) == .screen(isColoured: true))
    #expect(mode(["TERM": "dumb"]) == .lines && mode([:]) == .lines)
    #expect(mode(terminal: false, ["TERM": "xterm"]) == .lines)
    #expect(mode(json: true, ["TERM": "xterm"]) == .json)
  }
}
