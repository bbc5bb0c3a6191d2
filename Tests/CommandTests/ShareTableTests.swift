import HearthClient
import JSON
import Rooms
import Testing

@testable import HearthCommand

@Suite("Table of shares")
struct ShareTableTests {
  static let time = ShareScreenTests.time
  static let id = "54a7e000-0000-4000-8000-000000000001"

  static func row(_ entry: JSON, _ room: JSON?, id: String = id) -> ShareTable.Row {
    ShareTable.Row(id: id, entry: entry, room: room, me: ShareScreenTests.ana)
  }

  /// The entry of a received share in `me`.
  static func entry(_ more: KeyValuePairs<String, JSON> = [:]) -> JSON {
    var members: [String: JSON] = [
      "role": "receiver", "sharer": "da000000-0000-4000-8000-000000000004", "name": "Dan", "state": "active",
      "until": ShareScreenTests.ago(-4800),
    ]
    for (key, value) in more { members[key] = value }
    return .object(members)
  }

  static let room: JSON = ["state": ShareScreenTests.state(), "live": ShareScreenTests.live]

  @Test("LOC-19, LOC-22: a row has who, how long, the driver, the age, both lengths, and directions from here")
  func full() {
    let table = ShareTable([Self.row(Self.entry(), Self.room)], here: ShareScreenTests.here, time: Self.time)
    let lines = (table.text ?? "").split(separator: "\n")
    let cells = lines.last.map { $0.split(separator: /\s{2,}/).map(String.init) } ?? []
    #expect(
      cells == [
        "receiver", "Dan", "active", "at home, or in 1 h 20 min", "12 s", "0.42", "0.26",
        "by Ben, there in 7 min, late", "share/\(Self.id)",
        "https://www.openstreetmap.org/directions?from=52.52000,13.36900&to=52.51870,13.37480",
      ])
    #expect(lines.first?.split(separator: /\s+/).count == cells.count)
  }

  @Test("without a place of one's own there are no lengths, and directions lead there only")
  func nowhere() {
    let table = ShareTable([Self.row(Self.entry(), Self.room)], here: nil, time: Self.time)
    #expect(table.text?.hasSuffix("  https://www.openstreetmap.org/directions?to=52.51870,13.37480") == true)
    #expect(table.objects[0]["metres"] == nil && table.objects[0]["bearing"] == nil)
  }

  @Test("shares are in order of their ends; one without a position, or of oneself, has what is known")
  func order() {
    let own = Self.entry([
      "role": "sharer", "sharer": .string(ShareScreenTests.ana.description), "name": "Ana", "place": "work",
      "until": ShareScreenTests.ago(-90),
    ])
    let asked = Self.entry(["pickup": "wanted", "until": ShareScreenTests.ago(-100), "name": "日本"])
    let lost = JSON.object(["state": ["share": ["name": "Eve", "lost": "noFix"]], "live": [:]])
    let rows = [
      Self.row(Self.entry(), lost, id: "c"), Self.row(asked, ["state": ["share": ["name": "日本"]]], id: "b"),
      Self.row(own, nil, id: "a"),
    ]
    let table = ShareTable(rows, here: ShareScreenTests.here, time: Self.time)
    #expect(
      table.text == """
        ROLE      WHO   STATE         ENDS                  AGE  KM  MILES  RIDE    SHARE    DIRECTIONS
        sharer    you   active        at work, or in 1 min                          share/a
        receiver  日本  active        in 1 min                              wanted  share/b
        receiver  Eve   active, lost  in 1 h 20 min                                 share/c
        """)
    #expect(ShareTable([], here: nil, time: Self.time).text == nil)
  }

  @Test("an old position is stale or lost at the limits of the protocol")
  func ages() {
    for (seconds, cell) in [(48, "1 min 0 s "), (49, "1 min 1 s (stale)"), (168, "3 min 0 s (lost)")] {
      let table = ShareTable(
        [Self.row(Self.entry(), Self.room)], here: nil, time: Self.time + .seconds(seconds))
      #expect(table.text?.contains("  \(cell)") == true, "\(table.text ?? "")")
    }
  }

  @Test("the driver is that of the list where the share's room names none")
  func driver() {
    let entry = Self.entry([
      "pickup": "accepted", "driver": .string(ShareScreenTests.ben), "driverName": "Ben",
      "arriveBy": ShareScreenTests.ago(-60),
    ])
    let table = ShareTable([Self.row(entry, ["state": ["share": ["name": "Dan"]]])], here: nil, time: Self.time)
    #expect(table.text?.contains("  by Ben, there in 1 min  ") == true)
    #expect(table.objects[0]["driverName"] == "Ben")
  }

  @Test("programs get what the list says, and the position with its age, length and direction")
  func objects() {
    let table = ShareTable([Self.row(Self.entry(), Self.room)], here: ShareScreenTests.here, time: Self.time)
    var expected = Self.entry().object ?? [:]
    expected.merge([
      "room": "share/\(Self.id)", "pickup": "accepted", "driverName": "Ben", "arriveBy": ShareScreenTests.ago(-420),
      "late": true, "lat": 52.5187, "lon": 13.3748, "accuracy": 8, "battery": 71, "at": ShareScreenTests.ago(12),
      "ageSeconds": 12, "metres": 418, "bearing": 110,
      "directions": "https://www.openstreetmap.org/directions?from=52.52000,13.36900&to=52.51870,13.37480",
    ]) { $1 }
    #expect(table.objects == [.object(expected)])
  }

  @Test("text of other people cannot send control sequences to the terminal")
  func hostile() {
    let evil = Self.entry(["name": "E\u{1B}[2J", "place": "x\u{202E}"])
    let table = ShareTable([Self.row(evil, nil)], here: nil, time: Self.time)
    #expect(table.text?.contains("E\\u001b[2J") == true && table.text?.contains("x\\u202e") == true)
  }
}
