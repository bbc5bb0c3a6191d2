import Foundation
import JSON
import Rooms
import Testing

@testable import Home

/// Answers of Python's `zoneinfo` and `dateutil`: Fixtures/times.py has written them.
private let fixture: JSON = {
  let file = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Fixtures/times.json")
  return (try? String(contentsOf: file, encoding: .utf8)).flatMap { try? JSON.parse($0) } ?? .null
}()

/// Days, weeks and the clocks of zones.
@Suite("Local time")
struct LocalTimeTests {
  @Test("R-034: a local time is the instant that another implementation says, in gaps and overlaps too")
  func instants() throws {
    let rows = try #require(fixture["times"]?.array)
    #expect(rows.count > 30)
    for row in rows {
      let words = row.array?.compactMap(\.string) ?? []
      let (day, time) = (try #require(LocalDay(String(words[1].prefix(10)))), words[1].suffix(5).split(separator: ":"))
      let minute = (Int(time[0]) ?? 0) * 60 + (Int(time[1]) ?? 0)
      let found = ZoneTime(words[0]).instant(day, minute: minute)
      #expect(found == Instant(words[2]), "\(row): \(found)")
    }
  }

  @Test("each minute of a day with a change of clocks comes back as itself, or as the first minute after the gap")
  func minutes() throws {
    for (zone, text, gap) in [
      ("Europe/Berlin", "2027-03-28", 120..<180), ("Europe/Berlin", "2027-10-31", 0..<0),
      ("Australia/Lord_Howe", "2027-10-03", 120..<150), ("Africa/Cairo", "2027-04-30", 0..<60),
      ("UTC", "2027-01-01", 0..<0),
    ] {
      let (clocks, day) = (ZoneTime(zone), try #require(LocalDay(text)))
      var last = clocks.instant(day.adding(-1), minute: 1439)
      for minute in 0..<1440 {
        let instant = clocks.instant(day, minute: minute)
        #expect(instant >= last)
        last = instant
        let local = clocks.local(instant)
        #expect(
          local.day == day && local.minute == (gap.contains(minute) ? gap.upperBound : minute), "\(zone) \(minute)")
      }
    }
  }

  @Test("days of 800 years have the date, weekday and week that Foundation says")
  func days() throws {
    var calendar = Calendar(identifier: .iso8601)
    calendar.timeZone = .gmt
    for number in stride(from: -130_000, to: 160_000, by: 13) {
      let day = LocalDay(number: number)
      let date = Date(timeIntervalSince1970: Double(number) * 86_400)
      let wanted = calendar.dateComponents(
        [.year, .month, .day, .weekday, .weekOfYear, .yearForWeekOfYear], from: date)
      #expect(day.year == wanted.year && day.month == wanted.month && day.day == wanted.day)
      #expect((day.weekday.index + 1) % 7 + 1 == wanted.weekday)
      #expect(day.isoWeek.week == wanted.weekOfYear && day.isoWeek.year == wanted.yearForWeekOfYear)
      #expect(LocalDay(year: day.year, month: day.month, day: day.day) == day && LocalDay(day.text) == day)
    }
    #expect(LocalDay("2027-02-29") == nil && LocalDay("2027-2-01") == nil && LocalDay("2028-02-29") != nil)
    #expect(LocalDay(year: 2027, month: 2, day: 31).text == "2027-02-28")
  }
}

/// R-REC: when something comes again.
@Suite("Recurrences")
struct RecurrenceTests {
  private func day(_ text: String) throws -> LocalDay { try #require(LocalDay(text)) }

  private func days(_ rule: Recurrence, from first: String, count: Int, after: String? = nil) throws -> [String] {
    let first = try day(first)
    var last = try after.map(day) ?? first
    return (0..<count).map { _ in
      last = rule.day(after: last, from: first)
      return String(last.text)
    }
  }

  @Test("100,000 drawn rules have the days that dateutil says (R-REC)", arguments: 0..<100)
  func drawn(block: Int) throws {
    var (draws, digest) = (Draws(seed: 2026 + block), Digest())
    for _ in 0..<1000 {
      let (rule, first, after) = draws.rule()
      var day = after
      for _ in 0..<3 {
        day = rule.day(after: day, from: first)
        digest.add(Int64(day.number ?? 0))
      }
    }
    #expect(digest.text == fixture["digests"]?.array?[block].string, "see Fixtures/times.py")
  }

  @Test("CHO-6, R-033: the day of the month is remembered through shorter months, and 29 February through other years")
  func anchors() throws {
    let monthly = Recurrence(unit: .months)
    #expect(
      try days(monthly, from: "2027-01-31", count: 4) == ["2027-02-28", "2027-03-31", "2027-04-30", "2027-05-31"])
    #expect(try days(monthly, from: "2027-01-30", count: 2) == ["2027-02-28", "2027-03-30"])
    #expect(try days(monthly, from: "2027-01-28", count: 2) == ["2027-02-28", "2027-03-28"])
    #expect(try days(monthly, from: "2027-01-29", count: 2) == ["2027-02-28", "2027-03-29"])
    #expect(
      try days(Recurrence(every: 3, unit: .months), from: "2026-11-30", count: 3)
        == ["2027-02-28", "2027-05-30", "2027-08-30"])
    #expect(
      try days(Recurrence(unit: .years), from: "2028-02-29", count: 4)
        == ["2029-02-28", "2030-02-28", "2031-02-28", "2032-02-29"])
    // A first date off the rule is the first occurrence.
    let mondays = Recurrence(unit: .weeks, weekdays: [.monday])
    #expect(try days(mondays, from: "2026-09-16", count: 2, after: "2026-09-01") == ["2026-09-16", "2026-09-21"])
  }

  @Test("R-035: what was missed is counted, and the next time is in the future")
  func missed() throws {
    let (closed, done) = (try day("2026-09-14"), try day("2026-09-30"))
    for (rule, next, missed) in [
      (Recurrence(unit: .weeks), "2026-10-05", 2), (Recurrence(unit: .weeks, basis: .completion), "2026-10-07", 0),
      (Recurrence(every: 2, unit: .days), "2026-10-02", 8),
      (Recurrence(every: 2, unit: .days, basis: .completion), "2026-10-02", 0),
      (Recurrence(unit: .weeks, weekdays: [.monday], basis: .completion), "2026-10-05", 2),
      (Recurrence(unit: .months, day: 31, basis: .completion), "2026-10-31", 1),
    ] {
      // Due in the morning: on 30 September the time of that day is over.
      let found = rule.next(after: closed, number: 1, from: closed, completed: done) { $0 <= done }
      #expect(found.day?.text == next && found.missed == missed, "\(rule): \(found)")
      #expect(found.number == 2 + missed)
    }
    // An interval goes on from a completion, also the month's day; early completions do not come twice.
    let monthly = Recurrence(unit: .months, basis: .completion)
    let found = monthly.next(after: closed, number: 1, from: closed, completed: done) { _ in false }
    #expect(found.day?.text == "2026-10-30" && found.first == done)
    let early = monthly.next(after: closed, number: 1, from: closed, completed: closed.adding(-3)) { _ in false }
    #expect(early.day?.text == "2026-10-14")
  }

  @Test("a recurrence ends with its last day, or its last time, missed ones included (R-REC)")
  func ends() throws {
    let first = try day("2026-09-14")
    func next(_ rule: Recurrence, number: Int, now: LocalDay) -> Recurrence.Next {
      rule.next(after: first, number: number, from: first, completed: now) { $0 <= now }
    }
    let until = Recurrence(unit: .weeks, until: try day("2026-09-28"))
    #expect(next(until, number: 1, now: first).day?.text == "2026-09-21")
    #expect(next(until, number: 1, now: try day("2026-09-27")).day?.text == "2026-09-28")
    #expect(next(until, number: 1, now: try day("2026-09-28")).day == nil)
    #expect(next(until, number: 1, now: try day("2026-12-28")).missed == 2)
    let three = Recurrence(unit: .weeks, count: 3)
    #expect(next(three, number: 1, now: try day("2026-09-21")).day?.text == "2026-09-28")
    #expect(next(three, number: 1, now: try day("2026-10-28")) == .init(day: nil, missed: 2, first: first, number: 4))
    #expect(next(three, number: 3, now: first).day == nil)
  }

  @Test("a rule that contradicts itself names each field")
  func contradictions() throws {
    for (rule, fields) in [
      (#"{"every": 0, "unit": "fortnights"}"#, ["every", "unit"]),
      (#"{"every": 1, "unit": "days", "weekdays": ["monday"]}"#, ["weekdays"]),
      (#"{"every": 1, "unit": "weeks", "weekdays": []}"#, ["weekdays"]),
      (#"{"every": 1, "unit": "months", "nth": 0, "weekday": "friday"}"#, ["nth"]),
      (#"{"every": 1, "unit": "months", "nth": 5}"#, ["nth"]),
      (#"{"every": 1, "unit": "months", "day": 3, "nth": 1, "weekday": "friday"}"#, ["nth"]),
      (#"{"every": 1, "unit": "months", "weekday": "friday"}"#, ["weekday"]),
      (#"{"every": 1, "unit": "days", "until": "2027-01-01", "count": 2}"#, ["count"]),
      (#"{"every": 1, "unit": "months", "day": -1}"#, ["day"]),
      (#"{"every": 1, "unit": "weeks", "day": 3, "nth": 1}"#, ["day", "nth", "weekday"]),
    ] {
      let problems = Problems()
      try read(rule, problems)?.check(problems)
      #expect(Set(problems.list.map(\.path)) == Set(fields), "\(rule): \(problems.list.map(\.path))")
    }
  }

  private func read(_ text: String, _ problems: Problems) throws -> Recurrence? {
    let tape = Tape()
    let bytes = Array(text.utf8)
    return Recurrence.read(try tape.parse(bytes.span), problems)
  }
}

extension Draws {
  mutating func rule() -> (Recurrence, first: LocalDay, after: LocalDay) {
    let unit = below(4)
    var rule = Recurrence(every: 1 + below(unit == 3 ? 4 : 12), unit: [.days, .weeks, .months, .years][unit])
    let first = LocalDay(year: 2000, month: 1, day: 1).adding(below(15_000))
    if unit == 1, below(4) != 0 {
      let mask = 1 + below(127)
      rule.weekdays = Weekday.allCases.filter { mask >> $0.index & 1 == 1 }
    }
    if unit == 2 {
      let kind = below(3)
      if kind == 1 { rule.day = 1 + below(31) }
      if kind == 2 {
        rule.nth = [1, 2, 3, 4, -1][below(5)]
        rule.weekday = Weekday(index: below(7))
      }
    }
    return (rule, first, first.adding(below([100, 400, 2000, 8000][unit]) - 10))
  }
}
