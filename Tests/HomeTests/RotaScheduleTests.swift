import JSON
import Rooms
import TestSupport
import Testing

@testable import Home

/// The computed part of the rota: numbers of tasks and residents, and weeks.
@Suite("Schedule of the rota")
struct RotaScheduleTests {
  /// Mondays from a day on.
  static func weeks(from text: String, _ count: Int) -> [LocalDay] {
    (0..<count).map { (LocalDay(text) ?? LocalDay()).monday.adding(7 * $0) }
  }

  /// The tasks of each resident, week by week; a dot is a free week.
  static func table(_ schedule: RotaSchedule, _ weeks: [LocalDay]) -> [String] {
    (0..<schedule.residents).map { resident in
      weeks.map { week in schedule.task(of: resident, in: week).map { "\($0)" } ?? "." }.joined()
    }
  }

  @Test(
    "S2.1, ROT-2, ROT-3: the table of the weeks over New Year, for fewer, as many and more tasks than residents",
    arguments: [
      // 2026 has 53 weeks: from its week 51 on, then the weeks 1 to 4 of 2027.
      (2, 4, ["..001..", ".011..0", "01...01", "1...01."]),
      (3, 3, ["2010120", "0121201", "1202012"]),
      (4, 2, ["2300123", "3011230"]),
    ] as [(Int, Int, [String])])
  func newYear(tasks: Int, residents: Int, wanted: [String]) {
    let schedule = RotaSchedule(tasks: tasks, residents: residents, start: nil)
    let weeks = Self.weeks(from: "2026-12-14", wanted[0].count)
    #expect(Self.table(schedule, weeks) == wanted)
  }

  @Test("ROT-3: the week before New Year and the first one may have the same task, and then the cycle restarts")
  func restart() throws {
    // 2026 ends with week 53, which is the week 0 of a cycle of 52, 26, 13, 4 or 2.
    let schedule = RotaSchedule(tasks: 4, residents: 4, start: nil)
    let weeks = Self.weeks(from: "2026-12-28", 2)
    #expect(weeks.map { schedule.number(of: $0) } == [52, 0])
    #expect(weeks.map { schedule.task(of: 1, in: $0) } == [1, 1])
    let first = try #require(LocalDay("2026-12-28"))
    let endless = RotaSchedule(tasks: 4, residents: 4, start: first)
    #expect(weeks.map { endless.task(of: 1, in: $0) } == [1, 2])
  }

  @Test("ROT-2: each resident does each task once in n weeks, and nobody has a task that another one has")
  func oncePerCycle() {
    var random = SeededGenerator(seed: 1)
    for tasks in 0...12 {
      for residents in 0...12 where tasks + residents > 0 {
        let start = LocalDay(number: Int.random(in: -40_000...40_000, using: &random)).monday
        for isEndless in [false, true] {
          let schedule = RotaSchedule(tasks: tasks, residents: residents, start: isEndless ? start : nil)
          // The first weeks of a year, or any weeks, also before the start.
          let first =
            isEndless
            ? start.adding(7 * Int.random(in: -99...99, using: &random))
            : LocalDay(year: Int.random(in: 1990...2090, using: &random), month: 1, day: 4).monday
          let weeks = (0..<schedule.cycle).map { first.adding(7 * $0) }
          for resident in 0..<residents {
            let done = weeks.compactMap { schedule.task(of: resident, in: $0) }
            #expect(done.sorted() == Array(0..<tasks), "\(schedule) \(resident) does \(done)")
          }
          for week in weeks {
            let done = (0..<residents).compactMap { schedule.task(of: $0, in: week) }
            #expect(Set(done).count == done.count && done.count == min(tasks, residents))
            for task in 0..<tasks {
              let resident = schedule.resident(for: task, in: week)
              #expect(resident.map { schedule.task(of: $0, in: week) } ?? task == task)
              #expect((resident != nil) == done.contains(task))
            }
          }
        }
      }
    }
  }
}
