import Rooms
import TestSupport
import Testing

@testable import Home

/// The search for the best times of something that several people do together.
@Suite("Slots")
struct SlotTests {
  static let start = Instant(milliseconds: 1_770_000_000_000 / 900_000 * 900_000)

  static func at(_ minute: Int) -> Instant { start + .seconds(60 * minute) }
  static func span(_ from: Int, _ to: Int) -> TimeSpan { TimeSpan(from: at(from), to: at(to)) }

  static func person(_ number: UInt64, _ minutes: Int, _ busy: [TimeSpan] = []) -> SlotSearch.Participant {
    SlotSearch.Participant(id: ID(low: number), needed: .seconds(60 * minutes), busy: busy)
  }

  /// Tries each millisecond's quarter from the start of the window on, and asks each person about each.
  static func oracle(_ search: SlotSearch, _ limit: Int, _ isAllowed: (Instant) -> Bool) -> [Instant] {
    guard let longest = search.people.map(\.needed).max() else { return [] }
    var found: [(start: Instant, count: Int)] = []
    var time = Instant(milliseconds: search.window.from.milliseconds / 900_000 * 900_000)
    while time + longest <= search.window.to {
      if time >= search.window.from, isAllowed(time) {
        found.append((time, search.people.count { $0.canCome(at: time) }))
      }
      time = time + .seconds(900)
    }
    let most = found.map(\.count).max() ?? 0
    return most == 0 ? [] : Array(found.filter { $0.count == most }.map(\.start).prefix(limit))
  }

  @Test("CHO-22: the times are those that trying all of them finds, whatever is busy or allowed", arguments: 1...20)
  func random(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &random) }
    for _ in 0..<100 {
      let length = number(0...1500)
      let from = number(-200...200)
      let people = (0..<number(0...6)).map { index in
        let busy = (0..<number(0...8)).map { _ in
          let begin = number(-300...1800)
          return Self.span(begin, begin + number(0...400))
        }
        return Self.person(UInt64(index), number(1...300), busy)
      }
      let search = SlotSearch(window: Self.span(from, from + length), people: people)
      let forbidden = number(0...1500)...1600
      let isAllowed = { (time: Instant) in !forbidden.contains(Int((time - Self.start).milliseconds / 60_000)) }
      let limit = number(1...20)
      let found = search.best(limit, where: isAllowed)
      #expect(found == Self.oracle(search, limit, isAllowed), "seed \(seed)")
      for time in found { #expect(search.isPossible(time)) }
      #expect(!search.isPossible(Self.at(from + length)) && !search.isPossible(Self.at(1) + .milliseconds(1)))
    }
  }

  @Test("CHO-22: most people win before an earlier time, and each needs only their own minutes")
  func order() {
    let people = [
      Self.person(1, 60, [Self.span(0, 30)]), Self.person(2, 30, [Self.span(75, 300)]), Self.person(3, 15),
    ]
    let search = SlotSearch(window: Self.span(0, 300), people: people)
    // At 0 the first is busy; from 30 to 45 the second can come for half an hour before they are busy.
    #expect(search.best(5) { _ in true } == [30, 45].map(Self.at))
    #expect(search.best(1) { $0 > Self.at(45) } == [Self.at(60)], "the first and the third")
    #expect(search.best(5) { _ in false }.isEmpty)
  }

  @Test("CHO-22: a time may begin when another ends, and end when another begins")
  func touching() {
    let busy = [Self.span(0, 60), Self.span(120, 300)]
    let search = SlotSearch(window: Self.span(0, 300), people: [Self.person(1, 60, busy)])
    #expect(search.best(9) { _ in true } == [Self.at(60)])
    let longer = SlotSearch(window: Self.span(0, 300), people: [Self.person(1, 61, busy)])
    #expect(longer.best(9) { _ in true }.isEmpty, "nobody can come")
  }

  @Test("CHO-22: the whole window is used, from its first quarter of an hour to the last that leaves time enough")
  func ends() {
    let search = SlotSearch(window: Self.span(1, 91), people: [Self.person(1, 45)])
    #expect(search.best(9) { _ in true } == [15, 30, 45].map(Self.at))
    #expect(SlotSearch(window: Self.span(0, 44), people: [Self.person(1, 45)]).best(9) { _ in true }.isEmpty)
    #expect(SlotSearch(window: Self.span(0, 45), people: [Self.person(1, 45)]).best(9) { _ in true } == [Self.at(0)])
    #expect(SlotSearch(window: Self.span(0, 300), people: []).best(9) { _ in true }.isEmpty)
  }
}
