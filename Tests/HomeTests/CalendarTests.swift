import JSON
import Rooms
import Testing

@testable import Home

/// CHO-27: the secret link to a calendar.
@Suite("Links to calendars")
struct CalendarLinkTests {
  @Test("CHO-27: a link opens the caller's calendar, and only the answer to the call holds its secret")
  func made() throws {
    let home = try CalendarWorld("Ana", "Ben")
    #expect(try home.chores.call(0, "calendar.show", [:])["linkedAt"] == nil)
    let (hers, his) = (try home.link(0), try home.link(1))
    #expect(hers != his && hers.hasPrefix("/calendar/") && hers.hasSuffix(".ics"))
    #expect(hers.count == "/calendar/.ics".count + 43, "256 bits")
    #expect(try home.calendar(at: hers) == home.bytes(of: 0) && home.calendar(at: his) == home.bytes(of: 1))
    let secret = String(hers.dropFirst("/calendar/".count).dropLast(".ics".count))
    for room in home.world.rooms.values { #expect(!home.world.snapshot(of: room).text.contains(secret)) }
    let state = home.world.state(of: try #require(home.world.rooms[home.chores.home]))
    #expect(state["calendarLinks"] == nil, "nobody sees who has a link")
    #expect(try home.chores.call(0, "calendar.show", [:]) == ["linkedAt": .at(home.world.now)])
    // Nothing was said to anybody.
    #expect(try home.chores.unread(1).isEmpty && home.chores.unread(0).isEmpty)
  }

  @Test("CHO-27: a second link replaces the first, and unlinking revokes it, once and again")
  func revoked() throws {
    let home = try CalendarWorld("Ana", "Ben")
    let (first, other) = (try home.link(0), try home.link(1))
    let second = try home.link(0)
    #expect(try home.calendar(at: first) == nil && home.calendar(at: second) != nil)
    for _ in 1...2 {
      try home.chores.call(0, "calendar.unlink", [:])
      #expect(try home.calendar(at: second) == nil && home.calendar(at: other) != nil)
      #expect(try home.chores.call(0, "calendar.show", [:])["linkedAt"] == nil)
    }
    #expect(home.world.secrets.count { $0.value == home.chores.home } == 2, "Ben's link and a join code")
  }

  @Test("CHO-27, HH-14: an outsider makes no link, and asks in vain")
  func outsider() throws {
    let home = try CalendarWorld("Ana")
    let eve = try home.world.signUp("Eve")
    for method in ["calendar.link", "calendar.unlink", "calendar.show"] {
      #expect(reason { try home.world.call(eve, method, in: home.chores.home) } == "notFound/room")
    }
  }

  @Test("CHO-27, HH-10: a link ends with the membership, and is not there again when the person comes back")
  func leaving() throws {
    let home = try CalendarWorld("Ana", "Ben", "Cem", "Dan")
    let links = try (0...3).map(home.link)
    try home.chores.call(1, "members.leave", [:])
    try home.chores.call(0, "members.remove", ["person": home.chores.person(2)])
    try home.world.delete(home.people[3])
    #expect(try links.map { try home.calendar(at: $0) != nil } == [true, false, false, false])
    #expect(try home.world.home().calendarLinks.links.count == 1)
    try home.world.join([home.people[1]], CalendarWorld.id)
    #expect(try home.calendar(at: links[1]) == nil && home.calendar(at: try home.link(1)) != nil)
  }

  @Test("CHO-27, HH-11: a dismissal ends all links, and bringing the household back does not bring them back")
  func dismissal() throws {
    let home = try CalendarWorld("Ana", "Ben")
    let links = try (0...1).map(home.link)
    home.world.confirmation = .pin
    try home.chores.call(0, "households.dismiss", [:])
    for link in links { #expect(try home.calendar(at: link) == nil) }
    try home.world.call(home.people[0], "households.restore", ["household": .id(CalendarWorld.id)])
    for link in links { #expect(try home.calendar(at: link) == nil) }
    #expect(try home.calendar(at: try home.link(1)) != nil)
  }

  @Test("CHO-27: a secret of another kind, such as a join code, opens no calendar")
  func otherSecrets() throws {
    let home = try CalendarWorld("Ana")
    _ = try home.link(0)
    try home.chores.call(0, "joinCodes.create", [:])
    let room = try #require(home.world.rooms[home.chores.home])
    let opened = home.world.secrets.keys.filter {
      HomeRooms.calendar(secretHash: $0, of: room, at: home.world.now) != nil
    }
    #expect(home.world.secrets.count == 2 && opened.count == 1)
  }
}

/// CHO-27: whose calendar has what.
@Suite("Calendars")
struct CalendarTests {
  @Test("CHO-27: a calendar has the events that concern the member, or are their own")
  func events() throws {
    let home = try CalendarWorld("Ana", "Ben", "Cem")
    let note: JSON = "Bring; chairs,\nand\\"
    try home.chores.call(0, "events.add", ["title": "Party", "start": "2026-02-07T20:00", "note": note])
    try home.chores.call(
      0, "events.add", ["title": "Visit", "start": "2026-02-08", "end": "2026-02-09", "who": [home.chores.person(1)]])
    #expect(try (0...2).map { try home.events(of: $0).count } == [2, 2, 1])
    let party = try #require(try home.events(of: 2).first)
    #expect(party.lines.contains("DTSTART;TZID=Europe/Berlin:20260207T200000") && party["DTEND"] == nil)
    #expect(party["DESCRIPTION"] == #"Bring\; chairs\,\nand\\"# && party["RRULE"] == nil && party["TRANSP"] == nil)
    #expect(party["DTSTAMP"] == "20260202T024002Z" && party["CATEGORIES"] == "event")
    let visit = try #require(try home.events(of: 1, titled: "Visit").first)
    // The end of whole days is the day after the last one.
    #expect(visit.lines.contains("DTSTART;VALUE=DATE:20260208") && visit.lines.contains("DTEND;VALUE=DATE:20260210"))
    #expect(visit["TRANSP"] == "TRANSPARENT")
  }

  @Test(
    "CHO-27, R-REC, R-033: a rule of an event is written as RFC 5545 says it, its end as a time of UTC or as a day",
    arguments: [
      ("2026-02-07T20:00", ["every": 1, "unit": "days"], "FREQ=DAILY", ""),
      ("2026-02-07", ["every": 3, "unit": "days", "count": 3], "FREQ=DAILY;INTERVAL=3;UNTIL=20260213", ""),
      (
        "2026-02-07T20:00", ["every": 1, "unit": "weeks", "until": "2026-07-01"],
        "FREQ=WEEKLY;WKST=MO;UNTIL=20260701T180000Z", ""
      ),
      (
        "2026-02-07", ["every": 2, "unit": "weeks", "weekdays": ["saturday", "tuesday"]],
        "FREQ=WEEKLY;INTERVAL=2;WKST=MO;BYDAY=TU,SA", ""
      ),
      ("2026-02-07", ["every": 1, "unit": "months"], "FREQ=MONTHLY;BYMONTHDAY=7", ""),
      ("2026-03-31", ["every": 1, "unit": "months"], "FREQ=MONTHLY;BYMONTHDAY=-1", ""),
      ("2026-03-30", ["every": 1, "unit": "months"], "FREQ=MONTHLY;BYMONTHDAY=28,29,30;BYSETPOS=-1", ""),
      ("2026-03-29", ["every": 1, "unit": "months"], "FREQ=MONTHLY;BYMONTHDAY=28,29;BYSETPOS=-1", ""),
      ("2026-03-31", ["every": 1, "unit": "months", "nth": -1, "weekday": "tuesday"], "FREQ=MONTHLY;BYDAY=-1TU", ""),
      ("2026-02-07", ["every": 1, "unit": "years"], "FREQ=YEARLY", ""),
      ("2028-02-29", ["every": 1, "unit": "years"], "FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=-1", ""),
      // A first day off the rule stands by itself.
      (
        "2026-02-07", ["every": 1, "unit": "weeks", "weekdays": ["monday"]], "FREQ=WEEKLY;WKST=MO;BYDAY=MO", "20260207"
      ),
      ("2026-02-07", ["every": 1, "unit": "months", "day": 5], "FREQ=MONTHLY;BYMONTHDAY=5", "20260207"),
      (
        "2026-02-07", ["every": 1, "unit": "months", "nth": 1, "weekday": "monday"], "FREQ=MONTHLY;BYDAY=1MO",
        "20260207"
      ),
    ] as [(JSON, JSON, String, String)])
  func rules(start: JSON, rule: JSON, written: String, off: String) throws {
    let home = try CalendarWorld("Ana")
    try home.chores.call(0, "events.add", ["title": "Party", "start": start, "repeats": rule])
    let events = try home.events(of: 0)
    #expect(events.compactMap { $0["RRULE"] } == [written])
    #expect(events.filter { $0["RRULE"] == nil }.compactMap { $0["DTSTART"] } == (off.isEmpty ? [] : [off]))
  }

  @Test("CHO-27: a series that is years old begins with its first time of last year, in step with its rule")
  func oldSeries() throws {
    let home = try CalendarWorld("Ana")
    try home.chores.call(
      0, "events.add",
      ["title": "Choir", "start": "2019-01-07T20:00", "repeats": ["every": 2, "unit": "weeks", "count": 300]])
    let choir = try #require(try home.events(of: 0).first)
    // 314 weeks after 7 January 2019.
    #expect(choir["DTSTART"] == "20250113T200000")
    #expect(choir["RRULE"] == "FREQ=WEEKLY;INTERVAL=2;WKST=MO;UNTIL=20300624T180000Z")
  }

  @Test("CHO-27, R-034: a time that the clocks skip is written as the first minute after, beside its series")
  func skipped() throws {
    let home = try CalendarWorld("Ana")
    try home.chores.call(
      0, "events.add", ["title": "Oven", "start": "2026-03-01T02:30", "repeats": ["every": 1, "unit": "days"]])
    let events = try home.events(of: 0)
    let series = try #require(events.first { $0["RRULE"] != nil })
    // The clocks of Berlin go forward on these days; years later the link is fetched again.
    #expect(series["EXDATE"] == "20260329T023000,20270328T023000,20280326T023000")
    #expect(
      events.filter { $0["RRULE"] == nil }.compactMap { $0["DTSTART"] }
        == ["20260329T030000", "20270328T030000", "20280326T030000"])
  }

  @Test("CHO-27, R-034: what lasts over a night of a change ends at the household's time, beside its series")
  func night() throws {
    let home = try CalendarWorld("Ana")
    try home.chores.call(
      0, "events.add",
      [
        "title": "Night watch", "start": "2026-10-17T22:00", "end": "2026-10-18T06:00",
        "repeats": ["every": 1, "unit": "weeks", "until": "2026-11-30"],
      ])
    let events = try home.events(of: 0)
    #expect(events.first { $0["RRULE"] != nil }?["EXDATE"] == "20261024T220000")
    let night = try #require(events.first { $0["RRULE"] == nil })
    #expect(night["DTSTART"] == "20261024T220000" && night["DTEND"] == "20261025T060000")
  }

  @Test("CHO-27, HH-18: all times follow the household to another zone, which the calendar describes")
  func zone() throws {
    let home = try CalendarWorld("Ana")
    try home.chores.call(0, "events.add", ["title": "Party", "start": "2026-07-01T20:00"])
    try home.chores.add(["name": "Bath", "date": "2026-02-03", "time": "10:00"])
    try home.chores.call(0, "households.update", ["timeZone": "America/New_York"])
    let calendar = try home.bytes(of: 0)
    #expect(try home.events(of: 0).allSatisfy { $0.lines.contains { $0.hasPrefix("DTSTART;TZID=America/New_York:") } })
    #expect(Properties.all("VTIMEZONE", in: calendar).compactMap { $0["TZID"] } == ["America/New_York"])
    let summer = try #require(Properties.all("DAYLIGHT", in: calendar).first)
    #expect(summer["TZOFFSETFROM"] == "-0500" && summer["TZOFFSETTO"] == "-0400")
    #expect(summer["DTSTART"] == "20250309T020000" && summer["RDATE"]?.hasPrefix("20260308T020000,") == true)
  }

  @Test("CHO-27: a calendar of whole days needs no clocks")
  func wholeDays() throws {
    let home = try CalendarWorld("Ana")
    try home.chores.call(0, "events.add", ["title": "Party", "start": "2026-07-01"])
    #expect(Properties.all("VTIMEZONE", in: try home.bytes(of: 0)).isEmpty)
  }

  // MARK: chores

  @Test("CHO-27: a calendar has the open chores with a date whose turn is the member's, or anybody's")
  func chores() throws {
    let home = try CalendarWorld("Ana", "Ben")
    let chores = home.chores
    try chores.add(["name": "Bath", "date": "2026-02-05", "people": [chores.person(0)], "note": "Mirror"])
    try chores.add(["name": "Bins", "date": "2026-02-06", "time": "07:00", "people": [chores.person(1)]])
    try chores.add(["name": "Attic", "date": "2026-02-07", "strategy": "open"])
    try chores.add(["name": "Some day"])
    #expect(try home.events(of: 0).compactMap { $0["SUMMARY"] }.sorted() == ["Attic", "Bath"])
    #expect(try home.events(of: 1).compactMap { $0["SUMMARY"] }.sorted() == ["Attic", "Bins"])
    let bath = try #require(try home.events(of: 0, titled: "Bath").first)
    #expect(bath.lines.contains("DTSTART;VALUE=DATE:20260205") && bath["DESCRIPTION"] == "Mirror")
    let bins = try #require(try home.events(of: 1, titled: "Bins").first)
    #expect(bins.lines.contains("DTSTART;TZID=Europe/Berlin:20260206T070000") && bins["TRANSP"] == "TRANSPARENT")
  }

  @Test("CHO-27, CHO-4: there is nothing to do for one who has done their part, nor for what waits for approval")
  func parts() throws {
    let home = try CalendarWorld("Ana", "Ben")
    let chores = home.chores
    let windows = try chores.add(["name": "Windows", "date": "2026-02-05", "people": chores.everyone, "all": true])
    let oven = try chores.add(["name": "Oven", "date": "2026-02-05", "people": chores.everyone, "needsApproval": true])
    #expect(try (0...1).map { try home.events(of: $0).count } == [2, 2])
    try chores.complete(windows, by: 0)
    try chores.complete(oven, by: 0)
    #expect(try (0...1).map { try home.events(of: $0).compactMap { $0["SUMMARY"] } } == [[], ["Windows"]])
    try chores.call(1, "chores.approve", ["id": .id(oven), "approved": false])
    #expect(try home.events(of: 0).compactMap { $0["SUMMARY"] } == ["Oven"])
  }

  @Test("CHO-27: later times of a chore are a series if it is the member's, or anybody's, each time")
  func later() throws {
    let home = try CalendarWorld("Ana", "Ben")
    let chores = home.chores
    let weekly: JSON = ["every": 1, "unit": "weeks"]
    let bath = try chores.add(
      ["name": "Bath", "date": "2026-02-05", "time": "10:00", "repeat": weekly, "people": [chores.person(0)]])
    let events = try home.events(of: 0)
    #expect(events.map { $0["RRULE"] }.sorted { $0 ?? "" < $1 ?? "" } == [nil, "FREQ=WEEKLY;WKST=MO"])
    #expect(try home.starts(of: 0, titled: "Bath") == ["20260205T100000", "20260212T100000"])
    #expect(try home.events(of: 1).isEmpty)
    // The series moves on with the chore, under the same name.
    let name = events.first { $0["RRULE"] != nil }?["UID"]
    try chores.complete(bath, by: 0)
    #expect(try home.starts(of: 0, titled: "Bath") == ["20260212T100000", "20260219T100000"])
    #expect(try home.events(of: 0).first { $0["RRULE"] != nil }?["UID"] == name)
    try chores.add(["name": "Attic", "date": "2026-02-05", "repeat": weekly, "strategy": "open"])
    #expect(try home.events(of: 1, titled: "Attic").compactMap { $0["RRULE"] }.count == 1)
  }

  @Test("CHO-27, CHO-12: of later times that follow from the completion, or from turns, only the open one is certain")
  func uncertain() throws {
    let home = try CalendarWorld("Ana", "Ben")
    let chores = home.chores
    let weekly: JSON = ["every": 1, "unit": "weeks"]
    try chores.add(
      [
        "name": "Filter", "date": "2026-02-05", "people": [chores.person(0)],
        "repeat": ["every": 1, "unit": "weeks", "basis": "completion"],
      ])
    for strategy: JSON in ["roundRobin", "random", "leastCompleted"] {
      try chores.add(
        ["name": "Turn", "date": "2026-02-05", "repeat": weekly, "strategy": strategy, "people": chores.everyone])
    }
    let (hers, his) = (try home.events(of: 0), try home.events(of: 1))
    #expect((hers + his).allSatisfy { $0["RRULE"] == nil && $0["DTSTART"] == "20260205" })
    #expect(hers.count { $0["SUMMARY"] == "Filter" } == 1 && his.count { $0["SUMMARY"] == "Filter" } == 0)
    #expect((hers + his).count { $0["SUMMARY"] == "Turn" } == 3, "each is one person's")
  }

  @Test("CHO-27: with turns by weekday the member's days of eight weeks are certain")
  func byWeekday() throws {
    let home = try CalendarWorld("Ana", "Ben")
    let days: JSON = .object(["monday": home.chores.person(0), "thursday": home.chores.person(1)])
    try home.chores.add(
      [
        "name": "Dishes", "date": "2026-02-02", "strategy": "byWeekday", "weekdays": days,
        "repeat": ["every": 1, "unit": "weeks", "weekdays": ["monday", "thursday"]],
      ])
    #expect(
      try home.starts(of: 0, titled: "Dishes")
        == ["0202", "0209", "0216", "0223", "0302", "0309", "0316", "0323"].map { "2026" + $0 })
    #expect(try home.starts(of: 1, titled: "Dishes").count == 8)
  }

  @Test("CHO-27, HH-12: while a member is away their chores are in the calendar of the one who stands in")
  func away() throws {
    let home = try CalendarWorld("Ana", "Ben")
    let chores = home.chores
    try chores.add(
      [
        "name": "Bath", "date": "2026-02-05", "people": [chores.person(0)],
        "repeat": ["every": 1, "unit": "weeks", "count": 8],
      ])
    try chores.call(0, "members.away", ["from": "2026-02-15", "to": "2026-03-01", "delegate": chores.person(1)])
    let hers = try home.events(of: 0)
    #expect(hers.compactMap { $0["DTSTART"] }.sorted() == ["20260205", "20260212", "20260305"])
    #expect(
      hers.compactMap { $0["RRULE"] }.sorted()
        == ["FREQ=WEEKLY;WKST=MO;UNTIL=20260214", "FREQ=WEEKLY;WKST=MO;UNTIL=20260326"])
    #expect(try home.starts(of: 1, titled: "Bath") == ["20260219", "20260226"])
    try chores.call(0, "members.back", [:])
    #expect(try home.events(of: 1).isEmpty && home.events(of: 0).compactMap { $0["RRULE"] }.count == 1)
  }

  @Test("CHO-27, CHO-23: an overdue chore stays where it was, and what was missed meanwhile is not promised")
  func overdue() throws {
    let home = try CalendarWorld("Ana")
    try home.chores.add(
      ["name": "Bath", "date": "2026-02-05", "time": "10:00", "repeat": ["every": 1, "unit": "weeks", "count": 4]])
    try home.chores.go(to: "2026-02-19", "09:59")
    #expect(try home.starts(of: 0, titled: "Bath") == ["20260205T100000", "20260219T100000"])
    try home.chores.go(to: "2026-02-19", "10:00")
    #expect(try home.starts(of: 0, titled: "Bath") == ["20260205T100000", "20260226T100000"])
    #expect(
      try home.events(of: 0).compactMap { $0["RRULE"] } == ["FREQ=WEEKLY;WKST=MO;UNTIL=20260226T090000Z"])
    // Four times are over.
    try home.chores.go(to: "2026-02-26", "10:00")
    #expect(try home.starts(of: 0, titled: "Bath") == ["20260205T100000"])
  }

  @Test("CHO-27: the end of a chore's series is the day of its last time, or of its rule")
  func ends() throws {
    let home = try CalendarWorld("Ana")
    func rules(_ more: JSON, _ name: String) throws -> [String] {
      guard case .object(var rule) = more else { return [] }
      rule["unit"] = "days"
      try home.chores.add(["name": .string(name), "date": "2026-02-05", "repeat": .object(rule)])
      return try home.events(of: 0, titled: name).compactMap { $0["RRULE"] }
    }
    #expect(try rules(["every": 1, "count": 1], "A") == [])
    #expect(try rules(["every": 1, "count": 2], "B") == ["FREQ=DAILY;UNTIL=20260206"])
    #expect(try rules(["every": 2, "until": "2026-02-10"], "C") == ["FREQ=DAILY;INTERVAL=2;UNTIL=20260210"])
    #expect(try rules(["every": 2, "until": "2026-02-06"], "D") == [])
    #expect(try rules(["every": 1, "count": 10_000], "E") == ["FREQ=DAILY"], "as good as never")
  }

  // MARK: birthdays and the rota

  @Test("CHO-27: a calendar has the others' birthdays each year, 29 February as the last of the month")
  func birthdays() throws {
    let home = try CalendarWorld("Ana", "Ben", "Cem")
    try home.world.call(home.people[0], "profile.update", ["birthday": "1990-05-31"])
    try home.world.call(home.people[1], "profile.update", ["birthday": "1992-02-29"])
    let hers = try home.events(of: 0)
    #expect(hers.map { $0["SUMMARY"] } == ["🎂 Ben"] && hers[0]["DTSTART"] == "20250228")
    #expect(hers[0]["RRULE"] == "FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=-1" && hers[0]["DTEND"] == "20250301")
    let ana = try #require(try home.events(of: 2, titled: "🎂 Ana").first)
    #expect(ana["DTSTART"] == "20250531" && ana["RRULE"] == "FREQ=YEARLY")
    #expect(!String(decoding: try home.bytes(of: 2), as: UTF8.self).contains("199"), "nobody learns the year")
    try home.chores.call(1, "members.leave", [:])
    #expect(try home.events(of: 0).isEmpty)
  }

  @Test("CHO-27, ROT-4: a calendar has the member's tasks of eight weeks, each for its whole week, until it is done")
  func rota() throws {
    let home = try CalendarWorld("Ana", "Ben")
    let set = try home.chores.call(0, "rota.set", ["tasks": [["name": "Kitchen"], ["name": "Bath"]]])
    let weeks = (0..<8).map { (LocalDay("2026-02-02") ?? LocalDay()).adding(7 * $0) }
    for person in 0...1 {
      for week in weeks {
        let turn = try #require(try home.world.home().turns(in: week).first { $0.person == home.people[person] })
        let found = try home.events(of: person).filter { $0["DTSTART"] == ICalendar.date(week) }
        #expect(found.map { $0["SUMMARY"] } == [turn.name])
        #expect(found.first?["DTEND"] == ICalendar.date(week.adding(7)) && found.first?["CATEGORIES"] == "rota")
      }
      #expect(try home.events(of: person).count == 8)
    }
    for task in set["tasks"]?.array ?? [] {
      try home.chores.call(0, "rota.tick", ["task": task, "week": "2026-02-02", "done": true])
    }
    #expect(try (0...1).map { try home.events(of: $0).count } == [7, 7])
    // Ben is away: his task is Ana's, who stands in for him.
    try home.chores.call(
      1, "members.away", ["from": "2026-02-10", "to": "2026-02-20", "delegate": home.chores.person(0)])
    #expect(try (0...1).map { try home.events(of: $0).count } == [8, 6])
  }

  @Test("CHO-27: a calendar is the same until something in it changes, and each thing keeps its name")
  func stable() throws {
    let home = try CalendarWorld("Ana", "Ben")
    let event = try home.chores.call(0, "events.add", ["title": "Party", "start": "2026-02-07T20:00"])["id"] ?? .null
    try home.chores.add(["name": "Bath", "date": "2026-02-05", "repeat": ["every": 1, "unit": "weeks"]])
    try home.chores.call(0, "rota.set", ["tasks": [["name": "Kitchen"]]])
    let before = try home.bytes(of: 0)
    home.world.advance(.seconds(3600))
    try home.chores.call(1, "notes.add", ["text": "Milk"])
    #expect(try home.bytes(of: 0) == before)
    let names = Set(Properties.all("VEVENT", in: before).map { $0["UID"] })
    try home.chores.call(0, "events.edit", ["id": event, "title": "Big party"])
    let after = try home.events(of: 0)
    #expect(try home.bytes(of: 0) != before && Set(after.map { $0["UID"] }) == names)
    #expect(after.first { $0["SUMMARY"] == "Big party" }?["DTSTAMP"] == ICalendar.time(home.world.now))
  }
}
