import HearthClient
import JSON
import Rooms
import Testing

@testable import HearthCommand

@Suite("Map of a share")
struct ShareScreenTests {
  static let ana = ID<Person>("a7000000-0000-4000-8000-000000000001") ?? ID()
  static let ben = "be000000-0000-4000-8000-000000000002"
  static let time = Instant("2026-11-01T18:00:00Z") ?? Instant()
  static let here = place("52.5200,13.3690")

  static func ago(_ seconds: Int) -> JSON { .string((time - .seconds(seconds)).description) }

  static func state(name: String = "Dan") -> JSON {
    .object([
      "share": [
        "sharer": "da000000-0000-4000-8000-000000000004", "name": .string(name), "startedAt": ago(900),
        "until": ago(-4800), "place": ["lat": 52.5222, "lon": 13.3798, "r": 150, "label": "home"],
        "arrival": "underWay", "note": "Walking home",
      ],
      "receivers": .object([
        ana.description: ["name": "Ana", "state": "seen"], ben: ["name": "Ben", "state": "seen"],
        "c0000000-0000-4000-8000-000000000003": ["name": "Cleo", "state": "invited"],
      ]),
      "formerReceivers": ["e0000000-0000-4000-8000-000000000005": ["name": "Eve", "state": "left", "at": ago(60)]],
      "stopRequest": ["askedAt": ago(10), "until": ago(-590)],
      "pickup": ["state": "accepted", "by": .string(ben), "byName": "Ben", "arriveBy": ago(-420), "late": true],
    ])
  }

  static let live: JSON = [
    "position": [
      "lat": 52.51870, "lon": 13.37480, "accuracy": 8, "at": ago(12), "receivedAt": ago(11), "battery": 71,
      "stillSince": ago(300),
    ],
    "link": ["at": ago(2)],
    "trail": .object(
      Dictionary(
        uniqueKeysWithValues: (0..<12).map { index in
          let part = Double(index) / 11
          let point: JSON = [
            "lat": .rounded(52.51627 + 0.00243 * part), "lon": .rounded(13.37770 - 0.0029 * part),
            "at": ago(300 - index),
          ]
          return ("0000000\(index)", point)
        })),
  ]

  static func share(_ state: JSON = state(), _ live: JSON = live) -> ShownShare {
    ShownShare(state: state, live: live, me: ana)
  }

  static func lines(
    _ share: ShownShare = share(), here: Coordinate? = here, after seconds: Int = 0, columns: Int = 90, rows: Int = 18
  ) -> [String] {
    ShareScreen(share: share, here: here, time: time + .seconds(seconds)).lines(columns: columns, rows: rows)
      .map { $0.drawn(columns: columns, isColoured: false) }
  }

  @Test("LOC-7, LOC-14: a wide window has the map at the left, and everything that is known at the right")
  func wide() {
    let text = """
                                                        from here 418 m (0.26 mi), 110° E
                                    ⢀⠴⠒⠉⠉⠉⠒⠢⡀           fixed 12 s ago, fresh
                                   ⣠⠋       ⠈⢆          phone heard 2 s ago
                                   ⡇    #    ⠘⡄         at 52.51870, 13.37480 ±8 m
                                   ⢇         ⢰⠁         still for 5 min
                                   ⠈⢦       ⡠⠃          battery 71 %
                                     ⠙⠒⠤⠤⠤⠒⠊            to home, still 516 m (0.32 mi), 41° NE
                                                        arrival under way
             x                                          ends at home, or in 1 h 20 min
                                                        stop requested, open for 9 min
                            @                           ride by Ben, there in 7 min, late
                            ⠐⢀                          note Walking home
                              ⠢                         invited: Cleo
                               ⠈⠄                       seen: Ben, you
                                ⠈⠄⡀                     left: Eve
                                  ⠐⡀

      scale 200 m |-----|  x here  @ Dan  # home
      """
    // Blanks at the ends of lines are no part of a source text.
    let lines = Self.lines().map { String($0.reversed().drop { $0 == " " }.reversed()) }
    #expect(lines.joined(separator: "\n") == text)
  }

  @Test("LOC-7: a window of 40 columns has the map above the details")
  func narrow() {
    let lines = Self.lines(columns: 40, rows: 36)
    #expect(lines.count == 36)
    #expect(
      lines.suffix(16) == [
        "scale 200 m |-------|  x here  @ Dan  #…",
        "from here 418 m (0.26 mi), 110° E",
        "fixed 12 s ago, fresh",
        "phone heard 2 s ago",
        "at 52.51870, 13.37480 ±8 m",
        "still for 5 min",
        "battery 71 %",
        "to home, still 516 m (0.32 mi), 41° NE",
        "arrival under way",
        "ends at home, or in 1 h 20 min",
        "stop requested, open for 9 min",
        "ride by Ben, there in 7 min, late",
        "note Walking home",
        "invited: Cleo",
        "seen: Ben, you",
        "left: Eve",
      ])
    #expect(lines[..<20].allSatisfy { $0.columnCount == 40 } && lines[..<20].joined().contains("@"))
  }

  @Test(
    "no line is wider than the window, whatever the names are, and none begins with a letter from right to left")
  func sizes() {
    for name in ["Dan", "日本語の名前", "👩‍👧🇳🇱❤️", "דנה כהן", "Zoe\u{308}", String(repeating: "w", count: 64)] {
      let share = Self.share(Self.state(name: name))
      for columns in [1, 2, 10, 29, 30, 40, 71, 72, 73, 90, 200, 400] {
        for rows in [-3, 0, 1, 7, 20, 24, 60, 200] {
          let lines = Self.lines(share, columns: columns, rows: rows)
          #expect(lines.allSatisfy { $0.columnCount <= columns }, "\(columns)")
          let first = lines.map { $0.first { $0.isLetter } }
          #expect(first.allSatisfy { $0?.isASCII ?? true }, "\(name)")
          #expect(lines.count <= max(rows, 46), "\(rows)")
        }
      }
      #expect(
        Self.lines(share, columns: 60, rows: 40).contains { $0.hasPrefix("scale") && $0.contains("@ \(name)") }
          || name.count > 20)
    }
  }

  @Test("a window that is too low for a map has the details only")
  func low() {
    let details = Self.lines(columns: 60, rows: 20)
    #expect(details.count == 15 && details.allSatisfy { !$0.contains("@") })
    let all = Self.lines(columns: 60, rows: 21)
    #expect(all.count == 21 && Array(all.suffix(15)) == details && all[..<5].contains { $0.contains("@") })
  }

  @Test(
    "LOC-7: the age counts up, and the position becomes stale and then lost",
    arguments: [
      (0, "fixed 12 s ago, fresh"), (48, "fixed 1 min 0 s ago, fresh"), (49, "fixed 1 min 1 s ago, stale"),
      (167, "fixed 2 min 59 s ago, stale"), (168, "fixed 3 min 0 s ago, lost"), (-60, "fixed 0 s ago, fresh"),
    ])
  func ages(seconds: Int, line: String) {
    #expect(Self.lines(after: seconds, columns: 60, rows: 0).contains(line))
  }

  @Test("everything that a server does not say is left out")
  func sparse() {
    let share = Self.share(["share": ["name": "Dan"]], ["position": ["lat": 1, "lon": 2]])
    #expect(Self.lines(share, here: nil, columns: 60, rows: 0) == ["at 1.00000, 2.00000"])
    #expect(Self.lines(Self.share([:], [:]), columns: 90, rows: 20) == ["no position yet"])
    #expect(Self.share([:], [:]).sharer == "somebody")
    let map = Self.lines(share, here: nil, columns: 90, rows: 11)
    #expect(map.count == 11 && map[10].hasPrefix("scale ") && map[10].hasSuffix("|  @ Dan"))
  }

  @Test("a vague, suspect or missing position is marked, and so is an empty battery")
  func marks() {
    let live: JSON = ["position": ["lat": 1, "lon": 2, "coarse": true, "suspect": true, "battery": 15]]
    let lost: JSON = ["share": ["name": "Dan", "lost": "noContact", "lostAt": Self.ago(300), "until": Self.ago(-30)]]
    #expect(
      Self.lines(Self.share(lost, live), here: nil, columns: 60, rows: 0) == [
        "lost since 5 min: no contact", "at 1.00000, 2.00000", "coarse: the accuracy is bad or unknown",
        "suspect: too far from the place before", "battery 15 %", "ends in 30 s",
      ])
    #expect(
      Self.lines(Self.share(lost, [:]), here: nil, columns: 60, rows: 0) == [
        "lost since 5 min: no contact", "ends in 30 s",
      ])
  }

  @Test(
    "each state of a pick-up is said, with the driver and the minutes left",
    arguments: [
      (["state": "wanted"], "ride wanted"), (["state": "requested"], "ride requested"),
      (["state": "accepted"], "ride accepted"),
      (["state": "accepted", "by": .string(ben), "byName": "Ben", "arriveBy": ago(-59)], "ride by Ben, there in 59 s"),
      (["state": "accepted", "by": .string(ana.description), "byName": "Ana", "late": true], "ride by you, late"),
      (["state": "collected", "by": .string(ben), "byName": "Ben"], "ride collected by Ben"),
    ] as [(JSON, String)])
  func pickup(pickup: JSON, line: String) {
    let share = Self.share(["pickup": pickup], [:])
    #expect(Self.lines(share, columns: 60, rows: 0) == ["no position yet", line])
  }

  @Test("a request to stop takes effect by itself only where silence confirms it")
  func stop() {
    var state: [String: JSON] = ["stopRequest": ["askedAt": Self.ago(0), "until": Self.ago(-600)]]
    #expect(Self.lines(Self.share(.object(state), [:]), rows: 0).last == "stop requested, open for 10 min")
    state["share"] = ["silence": "confirms"]
    #expect(Self.lines(Self.share(.object(state), [:]), rows: 0).last == "stop requested, takes effect in 10 min")
  }
}

@Suite("Map in a terminal")
struct TerminalMapTests {
  static func mark(_ sign: Character, _ text: String, isFitted: Bool = true) -> TerminalMap.Mark {
    TerminalMap.Mark(sign: sign, place: place(text), isFitted: isFitted)
  }

  @Test("north is up, east is right, and a character stays free at each edge")
  func directions() {
    let map = TerminalMap(marks: [
      Self.mark("n", "0.001,0"), Self.mark("s", "-0.001,0"), Self.mark("e", "0,0.0025"), Self.mark("w", "0,-0.0025"),
      Self.mark("@", "0,0"),
    ])
    let (lines, scale) = map.drawn(columns: 23, rows: 7)
    #expect(
      lines == [
        "                       ", "           n           ", "                       ", " w         @         e ",
        "                       ", "           s           ", "                       ",
      ])
    #expect(scale == "100 m |--|")
  }

  @Test("a place that is too far away stands at the edge, in its direction")
  func edge() {
    let map = TerminalMap(marks: [
      Self.mark("a", "0,90", isFitted: false), Self.mark("b", "80,0", isFitted: false),
      Self.mark("c", "-1,-1", isFitted: false), Self.mark("@", "0,0"),
    ])
    let lines = map.drawn(columns: 21, rows: 7).lines.map { Array($0) }
    #expect(lines[3][20] == "a" && lines[0][10] == "b" && lines[3][10] == "@")
    #expect(lines[6].contains("c") && lines[6].firstIndex(of: "c") ?? 20 < 7)
  }

  @Test("a map goes across the 180th meridian, and shows a single place, and places at a pole")
  func extremes() {
    let across = TerminalMap(trail: [place("0,179.999")], marks: [Self.mark("@", "0,-179.999")])
    let line = across.drawn(columns: 20, rows: 3).lines[1]
    #expect(line.hasSuffix("@ ") && line.dropFirst().first.map { $0 != " " } == true, "\(line)")
    #expect(across.drawn(columns: 20, rows: 3).scale == "50 m |--|")
    let alone = TerminalMap(marks: [Self.mark("@", "90,0")]).drawn(columns: 11, rows: 3)
    #expect(alone.lines[1] == "     @     ")
    let far = TerminalMap(trail: [place("-90,-180"), place("90,180")], marks: [Self.mark("@", "0,0")])
    #expect(far.drawn(columns: 30, rows: 9).scale == "10000 km |-----|")
  }

  @Test("dots are braille patterns: a trail has one for each place, and a circle is closed")
  func dots() {
    let map = TerminalMap(
      trail: [place("0,-0.001"), place("0,-0.0005")], circle: (place("0,0"), 200), marks: [Self.mark("@", "0,0")])
    let lines = map.drawn(columns: 20, rows: 10).lines
    #expect(lines.joined().allSatisfy { $0 == " " || $0 == "@" || "\u{2801}"..."\u{28FF}" ~= $0 })
    #expect(lines.allSatisfy { $0.count == 20 })
    let rows = lines.filter { $0.contains { $0 != " " } }
    #expect(rows.count == 8 && rows.allSatisfy { $0.first == " " && $0.last == " " })
    // Each row of the circle has its left and its right side.
    #expect(rows.allSatisfy { row in row.prefix(10).contains { $0 != " " } && row.suffix(10).contains { $0 != " " } })
    #expect(TerminalMap(marks: [Self.mark("@", "0,0")]).drawn(columns: 2, rows: 9).lines.isEmpty)
  }
}
