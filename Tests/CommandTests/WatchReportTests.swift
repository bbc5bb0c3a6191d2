import HearthClient
import JSON
import Rooms
import Testing

@testable import HearthCommand

@Suite("Output of `hearth watch`")
struct WatchReportTests {
  static let at = Instant("2026-05-01T09:00:00.250Z") ?? Instant()
  static let ana = ID<Person>("a7000000-0000-4000-8000-000000000001") ?? ID()
  static let ben = ID<Person>("be000000-0000-4000-8000-000000000002") ?? ID()

  static func room(_ state: JSON, live: JSON = [:], version: Int64 = 44) -> RoomSnapshot {
    RoomSnapshot(epoch: "k3", version: version, state: state, live: live)
  }

  static func text(_ event: RoomEvent, _ snapshot: RoomSnapshot? = nil, room: String = "me") -> String? {
    var report = WatchReport(me: ana, now: at)
    return report.text(of: event, in: room, snapshot)
  }

  @Test("a state is printed as an outline")
  func state() {
    let whole = Self.room(
      ["notes": ["0d": ["text": "Milk: \"out\"", "tags": [1, 2]]], "chat": [:]], live: ["presence": ["x": true]])
    let outline = """
        chat: {}
        notes:
          0d:
            tags: [1,2]
            text: "Milk: \\"out\\""
        presence:
          x: true
      """
    #expect(Self.text(.state(whole, reason: "new")) == "me  version 44\n" + outline)
    #expect(Self.text(.state(whole, reason: "epoch"))?.hasPrefix("me  version 44, full state (epoch)\n") == true)
  }

  @Test("a change is printed with its time, its author and the changed paths")
  func patch() {
    let patch: JSON = ["notes": ["0d": ["text": "Milk"], "1e": .null], "a b": 1, "c": [:]]
    let named = JSON.object(["members": .object([Self.ben.description: ["name": "Ben"]])])
    let lines = """
        "a b" = 1
        c = {}
        notes.0d.text = "Milk"
        notes.1e removed
      """
    let change = RoomPatch(from: 43, version: 44, at: Self.at, by: Self.ben, patch: patch)
    #expect(
      Self.text(.patch(change), Self.room(named)) == "2026-05-01T09:00:00.250Z  me  version 44, by Ben\n" + lines)
    var mine = change
    mine.by = Self.ana
    mine.patch = [:]
    #expect(
      Self.text(.patch(mine), Self.room([:]))
        == "2026-05-01T09:00:00.250Z  me  version 44, by you\n  no visible change")
    mine.by = nil
    mine.at = nil
    #expect(Self.text(.patch(mine))?.hasPrefix("me  version 44\n") == true)
  }

  static let walk: JSON = [
    "position": ["lat": 52.09, "lon": 5.12, "accuracy": 8, "at": "2026-05-01T08:59:57.250Z"],
    "link": ["at": "2026-05-01T08:59:59.250Z"],
  ]

  @Test("a position is printed with its age, which ticks update")
  func position() {
    let share = Self.room([:], live: Self.walk)
    let line = "  position 52.09, 5.12 ±8 m, 3 s old, phone last seen 1 s ago"
    #expect(Self.text(.state(share, reason: "new")) == "me  version 44\n" + line)
    #expect(
      Self.text(.live(at: Self.at, patch: ["position": ["lat": 52.09]]), share)
        == "2026-05-01T09:00:00.250Z  me  now\n" + line)
    let times = LiveTimes(at: Self.at - .seconds(3), link: Self.at - .seconds(1))
    for (delay, age) in [
      (57, "60 s old,"), (58, "61 s old (stale),"), (177, "180 s old (stale),"), (178, "181 s old (lost),"),
    ] {
      let text = Self.text(.tick(at: Self.at + .seconds(delay), version: 44, live: times), share)
      #expect(text?.contains(" m, \(age) phone last seen \(delay + 1) s ago") == true, "\(text ?? "")")
    }
  }

  @Test("a trail is for maps and programs, and not printed")
  func trail() {
    let trail: JSON = ["trail": ["7a": ["lat": 52.09, "lon": 5.12, "at": "2026-05-01T08:59:57.250Z"]]]
    #expect(Self.text(.live(at: Self.at, patch: trail), Self.room([:], live: trail)) == nil)
    #expect(Self.text(.state(Self.room([:], live: trail), reason: "new")) == "me  version 44")
    let both = trail.object?.merging(Self.walk.object ?? [:]) { $1 } ?? [:]
    let text = Self.text(.live(at: Self.at, patch: .object(both)), Self.room([:], live: .object(both)))
    #expect(text?.hasSuffix("now\n  position 52.09, 5.12 ±8 m, 3 s old, phone last seen 1 s ago") == true)
  }

  @Test("a tick without a position is not printed for people; a closed room is")
  func quiet() {
    #expect(Self.text(.tick(at: Self.at, version: 44, live: nil), Self.room([:])) == nil)
    #expect(Self.text(.closed(reason: "removed")) == "me  closed: removed")
    #expect(
      Self.text(.live(at: Self.at, patch: ["presence": ["x": 1]]), Self.room([:]))?.hasSuffix("  presence.x = 1")
        == true)
  }

  @Test(
    "programs get one JSON object per line",
    arguments: [
      (
        RoomEvent.state(room(["a": 1], live: ["b": 2]), reason: "new"),
        #"{"type":"state","room":"me","reason":"new","epoch":"k3","version":44,"state":{"a":1},"live":{"b":2}}"#
      ),
      (
        .patch(RoomPatch(from: 1, version: 2, at: at, by: ana, patch: ["a": "x\ny"])),
        #"{"type":"patch","room":"me","from":1,"version":2,"at":"2026-05-01T09:00:00.250Z","by":"\#(ana)","#
          + #""patch":{"a":"x\ny"}}"#
      ),
      (
        .patch(RoomPatch(from: 1, version: 2, at: nil, by: nil, patch: [:])),
        #"{"type":"patch","room":"me","from":1,"version":2,"patch":{}}"#
      ),
      (
        .live(at: at, patch: ["a": .null]),
        #"{"type":"live","room":"me","at":"2026-05-01T09:00:00.250Z","patch":{"a":null}}"#
      ),
      (
        .tick(at: at, version: 2, live: LiveTimes(at: at, link: nil)),
        #"{"type":"tick","room":"me","at":"2026-05-01T09:00:00.250Z","version":2,"#
          + #""live":{"at":"2026-05-01T09:00:00.250Z"}}"#
      ), (.closed(reason: "removed"), #"{"type":"closed","room":"me","reason":"removed"}"#),
    ])
  func lines(event: RoomEvent, line: String) {
    #expect(event.line(of: "me") == line)
  }

  @Test("text of other people cannot send control sequences to the terminal")
  func printing() throws {
    let evil: JSON = ["a": "\u{1B}[2J \u{9B}31m \u{202E}abc \u{7F} é 👩‍👧"]
    let text = printable(evil.text)
    #expect(text == #"{"a":"\u001b[2J \u009b31m \u202eabc \u007f é 👩‍👧"}"#)
    #expect(try JSON.parse(text) == evil)
  }

  @Test("results are printed with indentation")
  func indented() {
    let value: JSON = ["b": [1, ["c": .null]], "a": "x", "d": [], "e": [:]]
    let text = """
      {
        "a": "x",
        "b": [
          1,
          {
            "c": null
          }
        ],
        "d": [],
        "e": {}
      }
      """
    #expect(value.indented == text)
  }
}
