import JSON
import Rooms
import Testing

@testable import HearthCommand

@Suite("Chart of chores")
struct ChoreChartTests {
  static let ana = ID<Person>(high: 0xA000, low: 1)
  static let bo = ID<Person>(high: 0xA000, low: 2)
  static let gone = ID<Person>(high: 0xA000, low: 3)

  static let household: JSON = [
    "members": .object([
      ana.description: ["name": "Ana"], bo.description: ["name": "Bo"],
      ID<Person>(high: 0xA000, low: 4).description: ["name": "Dan"],
    ]),
    "former": .object([gone.description: ["name": "Eve"]]),
  ]

  static let counts: JSON = [
    "people": .object([
      ana.description: ["done": 4, "points": 7, "tasks": ["d": 3, "t": 1]],
      bo.description: ["done": 8, "points": 2, "tasks": ["d": 1, "t": 1, "w": 6]],
      gone.description: ["done": 1, "points": 0, "tasks": ["t": 1]],
    ]),
    "tasks": ["d": ["name": "Dishes"], "t": ["name": "Trash"], "w": ["name": "Windows\u{1B}[2J"]],
  ]

  @Test("STA-1, STA-2: one's own row is the first; then follow all others, with former members and idle ones")
  func rows() {
    let chart = ChoreChart(Self.counts, household: Self.household, me: Self.ana)
    #expect(chart.rows.map(\.name) == ["you", "Bo", "Eve", "Dan"])
    #expect(chart.rows[0].chores == ["3 × Dishes", "1 × Trash"])
    let byPoints = ChoreChart(Self.counts, household: Self.household, me: Self.gone, countsPoints: true)
    #expect(byPoints.rows.map(\.name) == ["you", "Ana", "Bo", "Dan"])
    let nameless = ChoreChart(Self.counts, household: [:], me: nil)
    #expect(nameless.rows.map(\.done) == [8, 4, 1] && Set(nameless.rows.map(\.name)) == ["a former member"])
  }

  @Test("STA-2: the longest bar and its number fill the terminal, and something is never nothing", arguments: [30, 80])
  func graph(columns: Int) {
    let chart = ChoreChart(Self.counts, household: Self.household, me: Self.ana)
    let lines = chart.graph(columns: columns).split(separator: "\n").map(String.init)
    #expect(lines.allSatisfy { $0.columnCount <= columns } && lines.map(\.columnCount).max() == columns)
    let bars = lines.filter { $0.contains { "█▏▎▍▌▋▊▉".contains($0) } }
    #expect(bars.count == 3 && bars[0].hasSuffix("  4") && bars[1].hasSuffix("  8"))
    let widths = bars.map { line in line.count { $0 == "█" } }
    #expect(abs(2 * widths[0] - widths[1]) <= 1)
    #expect(lines.last == "Dan  0")
    #expect(!lines.joined().contains("\u{1B}"), "a terminal obeys no name")
  }

  @Test("chores take as many lines as they need, and a narrow terminal cuts long names")
  func wrapping() {
    let chart = ChoreChart(Self.counts, household: Self.household, me: Self.ana)
    #expect(chart.graph(columns: 20).contains("\n     3 × Dishes,\n     1 × Trash\n"))
    for columns in 1...12 { #expect(!chart.graph(columns: columns).isEmpty) }
    let long: JSON = ["members": .object([Self.bo.description: ["name": .string(String(repeating: "日", count: 30))]])]
    let lines = ChoreChart(Self.counts, household: long, me: Self.ana).graph(columns: 60).split(separator: "\n")
    #expect(lines.allSatisfy { String($0).columnCount <= 60 }, "\(lines)")
  }

  @Test("without anything done there are no bars; a pipe gets a table")
  func plain() {
    #expect(ChoreChart([:], household: Self.household, me: Self.ana).graph(columns: 80) == "you  0\nBo   0\nDan  0")
    let counts: JSON = ["people": Self.counts["people"] ?? [:], "tasks": ["d": ["name": "Dishes"]]]
    let chart = ChoreChart(counts, household: Self.household, me: Self.bo, countsPoints: true)
    #expect(chart.table.hasPrefix("WHO  POINTS  CHORES\nyou       2  6 × a chore without a name"))
    #expect(!chart.table.contains("█"))
    #expect(chart.objects[0]["done"] == 8 && chart.objects[0]["points"] == 2)
  }

  @Test("days are those of the household's zone")
  func days() {
    let night = Instant("2026-06-30T22:30:00Z") ?? Instant()
    #expect(CalendarDay(at: night, in: "Europe/Berlin").text == "2026-07-01")
    #expect(CalendarDay(at: night, in: "America/New_York").text == "2026-06-30")
    #expect(CalendarDay("2026-03-01")?.adding(-1).text == "2026-02-28")
    #expect(CalendarDay("2026-02-29") == nil && CalendarDay("tomorrow") == nil && CalendarDay("") == nil)
  }
}
