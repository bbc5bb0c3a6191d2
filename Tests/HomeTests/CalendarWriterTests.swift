import Foundation
import JSON
import Rooms
import TestSupport
import Testing

@testable import Home

/// CHO-27: the format of a calendar, and what a reader that is not ours makes of it.
@Suite("The format of calendars")
struct CalendarWriterTests {
  @Test("CHO-27: a line has at most 75 bytes, is folded between characters, and texts are escaped")
  func lines() {
    for length in 60...90 {
      for letter in ["x", "é", "€", "🏠"] {
        var calendar = ICalendar()
        let text = String(repeating: "a", count: length % 4) + String(repeating: letter, count: length)
        calendar.text("SUMMARY", text)
        let lines = calendar.bytes.split(separator: 10, omittingEmptySubsequences: false)
        #expect(lines.last?.isEmpty == true)
        for line in lines.dropLast() {
          #expect(line.count <= 76 && line.last == 13 && String(validating: line, as: UTF8.self) != nil)
        }
        #expect(Properties.lines(of: calendar.bytes) == ["SUMMARY:" + text])
      }
    }
    var calendar = ICalendar()
    calendar.text("SUMMARY", "a;b,c\\n:d\n\"e\"")
    #expect(String(decoding: calendar.bytes, as: UTF8.self) == "SUMMARY:a\\;b\\,c\\\\n:d\\n\"e\"\r\n")
  }

  @Test("CHO-27: offsets have a sign, and seconds only where a zone has them")
  func offsets() {
    var calendar = ICalendar()
    let day = LocalDay(year: 1900, month: 1, day: 1)
    calendar.zone("X/Y", from: day, offset: -2670, [ClockChange(second: 86_400, before: -2670, after: 20_700)])
    #expect(
      Properties.lines(of: calendar.bytes).filter { $0.contains("OFFSET") } == [
        "TZOFFSETFROM:-004430", "TZOFFSETTO:-004430", "TZOFFSETFROM:-004430", "TZOFFSETTO:+0545",
      ])
  }

  @Test("the changes of a zone's clocks are found to the second", arguments: ["Europe/Berlin", "Africa/Casablanca"])
  func changes(name: String) throws {
    let zone = try #require(TimeZone(identifier: name))
    let found = ZoneTime(name).changes(
      from: LocalDay(year: 2024, month: 1, day: 1), to: LocalDay(year: 2029, month: 1, day: 8))
    #expect(found.count == 10)
    for change in found {
      let date = Date(timeIntervalSince1970: Double(change.second))
      #expect(zone.secondsFromGMT(for: date.addingTimeInterval(-1)) == change.before)
      #expect(zone.secondsFromGMT(for: date) == change.after)
    }
  }

  // MARK: another reader

  /// A calendar as Python's `icalendar` and `recurring-ical-events` read it: two years of it.
  private static func read(_ calendar: [UInt8], from: LocalDay, to: LocalDay) throws -> JSON {
    let file = FileManager.default.temporaryDirectory.appending(path: "hearth-calendar-\(UUID())")
    defer { try? FileManager.default.removeItem(at: file) }
    try Data(calendar).write(to: file)
    let run = try ChildProcess.run([
      "/usr/bin/env", Peer.interpreter, Peer.folder.appending(path: "read_calendar.py").path, file.path, from.text,
      to.text,
    ])
    try #require(run.end == .exited(0), "\(run.output.suffix(2000))")
    return try JSON.parse(Array(run.output.utf8))
  }

  /// A time of a reader or of the rules, as a text that can be compared.
  private static func shown(_ day: LocalDay, _ minute: Int?, _ zone: ZoneTime) -> String {
    minute.map { String(zone.instant(day, minute: $0).description.prefix(16)) + "Z" } ?? day.text
  }

  /// The times of entries that begin in some days, as the rules have them: the first part of the name, start and end.
  private static func times(
    of entries: [CalendarEntry], from: LocalDay, to: LocalDay, in zone: ZoneTime
  ) -> Set<String> {
    var times: Set<String> = []
    for entry in entries {
      var next: LocalDay? = entry.day
      while let day = next, day < to {
        let start = shown(day, entry.minute, zone)
        let end =
          entry.minute == nil
          ? shown(day.adding(entry.length + 1), nil, zone)
          : max(start, entry.endMinute.map { shown(day.adding(entry.length), $0, zone) } ?? start)
        if day >= from { times.insert("\(entry.uid) \(start) \(end)") }
        next = entry.series?.day(after: day)
      }
    }
    return times
  }

  private static func found(_ times: JSON?) -> Set<String> {
    Set(
      (times?.array ?? []).map { time in
        let parts = (time.array ?? []).compactMap(\.string)
        return ([String(parts[0].prefix { $0 != "-" })] + parts.dropFirst()).joined(separator: " ")
      })
  }

  private static func difference(_ found: Set<String>, _ wanted: Set<String>) -> String {
    "\(found.count) of \(wanted.count); missing \(wanted.subtracting(found).sorted().prefix(5)), "
      + "beyond \(found.subtracting(wanted).sorted().prefix(5))"
  }

  /// Zones whose clocks are changed at midnight, by half an hour, for a month, in the south, and never.
  private static let zones = [
    "Europe/Berlin", "America/Santiago", "Australia/Lord_Howe", "Africa/Casablanca", "Asia/Kathmandu", "UTC",
  ]

  @Test(
    "CHO-27, R-REC, R-034: two years of drawn rules are expanded by another reader to the household's own times",
    arguments: zones)
  func expanded(name: String) throws {
    var draws = Draws(seed: 27 + name.utf8.count)
    let (from, to) = (LocalDay(year: 2026, month: 1, day: 1), LocalDay(year: 2028, month: 1, day: 1))
    let entries = (0..<40).map { number in
      let (rule, _, _) = draws.rule()
      let first = from.adding(draws.below(500))
      var entry = CalendarEntry(
        uid: "e\(number)", title: "E", category: .event, at: World.start, day: first, length: draws.below(3))
      // Mostly in the hours in which clocks are changed.
      if draws.below(4) != 0 {
        entry.minute = draws.below(3) == 0 ? draws.below(1440) : draws.below(200)
        if draws.below(2) == 0 {
          entry.endMinute = min((entry.minute ?? 0) + draws.below(240), 1439)
        } else {
          entry.length = 0
        }
      }
      let last = draws.below(2) == 0 ? first.adding(draws.below(700)) : nil
      entry.series = CalendarEntry.Series(rule: rule, first: first, last: last)
      return entry
    }
    let writer = CalendarWriter(name: "Home, sweet; home", zoneName: name, today: from)
    let read = try Self.read(writer.write(entries), from: from, to: to)
    #expect(read["problems"] == [] && read["name"] == "Home, sweet; home")
    let wanted = Self.times(of: entries, from: from, to: to, in: ZoneTime(name))
    #expect(wanted.count > 500)
    for key in ["times", "timesByDescription"] {
      let found = Self.found(read[key])
      #expect(found == wanted, "\(key): \(Self.difference(found, wanted))")
    }
  }

  @Test("CHO-27: another reader reads a household's calendar without a fault, and finds every title, note and day")
  func household() throws {
    let home = try CalendarWorld("Ana", "Ben")
    let chores = home.chores
    // Not `\n` in so many letters: the reader mistakes its escaped form for the end of a line.
    let long = String(repeating: "Grüße aus Köln, 🏠; ", count: 30) + "\n\\ end"
    try home.world.call(home.people[1], "profile.update", ["birthday": "1992-02-29"])
    try chores.call(
      0, "events.add",
      [
        "title": "Oven; \\ \"on\"", "start": "2026-03-01T02:30", "note": .string(long),
        "repeats": ["every": 1, "unit": "days"],
      ])
    try chores.add(
      [
        "name": "Bath", "date": "2026-01-31", "time": "02:15", "people": [chores.person(0)],
        "repeat": ["every": 1, "unit": "months"],
      ])
    try chores.call(0, "rota.set", ["tasks": [["name": "Kitchen"], ["name": "Stairs"]]])
    let (from, to) = (LocalDay(year: 2026, month: 2, day: 1), LocalDay(year: 2028, month: 2, day: 1))
    let read = try Self.read(try home.bytes(of: 0), from: from, to: to)
    #expect(read["problems"] == [] && read["name"] == "Home")
    let titles = Set(read["summaries"]?.object?.values.compactMap(\.string) ?? [])
    #expect(titles == ["Oven; \\ \"on\"", "Bath", "🎂 Ben", "Kitchen", "Stairs"])
    #expect(Set(read["notes"]?.object?.values.compactMap(\.string) ?? []) == [long])
    #expect(read["times"] == read["timesByDescription"])

    // The days of events.days and of the rule, by the household's clocks.
    let zone = try home.world.home().zone
    var wanted: Set<String> = []
    let event = try #require(try home.world.home().events.events.values.first)
    for day in event.days(from: from, to: to.adding(-1)) { wanted.insert(Self.shown(day, 150, zone)) }
    let chore = try #require(try home.world.home().chores.chores.values.first { $0.birthdayOf == nil })
    var day = try #require(LocalDay("2026-01-31"))
    while let rule = chore.recurrence {
      day = rule.day(after: day, from: try #require(chore.first))
      if day >= to { break }
      wanted.insert(Self.shown(day, 135, zone))
    }
    for year in [2026, 2027] { wanted.insert(LocalDay(year: year, month: 2, day: 28).text) }
    for week in 0..<8 { wanted.insert((LocalDay("2026-02-02") ?? from).adding(7 * week).text) }
    let found = Set((read["times"]?.array ?? []).compactMap { $0[1]?.string })
    #expect(found == wanted, "\(Self.difference(found, wanted))")
    #expect(wanted.contains("2026-03-29T01:00Z") && wanted.count > 700)
  }
}
