import Crypto
public import Rooms

extension HomeRooms {
  /// The path of a calendar has its secret between these two.
  public static let calendarPath = "/calendar/"
  public static let calendarEnding = ".ics"

  /// The calendar of the member to whom a secret's SHA-256 belongs (CHO-27); `nil` if it leads nowhere.
  public static func calendar(secretHash: [UInt8], of household: Room, at now: Instant) -> [UInt8]? {
    guard let room = household as? TypedRoom<HouseholdState>, case .household(let id) = room.id, !room.isEnded,
      let person = room.state.calendarLinks.person(hash: Hex.encode(secretHash)),
      room.state.admits(person, to: room.id)
    else { return nil }
    return room.state.calendar(of: person, in: id, at: now)
  }
}

extension HouseholdState {
  /// The calendar of a member: their turns and the household's events, as far as its rules of now make them certain.
  func calendar(of person: ID<Person>, in household: ID<Household>, at now: Instant) -> [UInt8] {
    let reader = CalendarReader(home: self, person: person, household: household, now: now)
    let writer = CalendarWriter(name: info.facts.value.name, zoneName: info.facts.value.timeZone, today: reader.today)
    return writer.write(reader.events + reader.birthdays + reader.rota + reader.chores)
  }
}

/// Finds what stands in the calendar of a member.
private struct CalendarReader {
  let home: HouseholdState
  let person: ID<Person>
  let household: ID<Household>
  let now: Instant
  let zone: ZoneTime
  let today: LocalDay

  init(home: HouseholdState, person: ID<Person>, household: ID<Household>, now: Instant) {
    self.home = home
    self.person = person
    self.household = household
    self.now = now
    zone = home.zone
    today = zone.day(at: now)
  }

  /// The first day of which single turns are no longer shown.
  private var horizon: LocalDay { today.monday.adding(7 * Limits.calendarWeeks) }

  /// A name that is always the same for a thing, and that nothing of another household has.
  private func uid<Of>(_ category: CalendarEntry.Category, _ id: ID<Of>, _ more: String = "") -> String {
    "\(household)-\(category.rawValue)-\(id)\(more)"
  }

  // MARK: events and birthdays

  /// The events that concern the member, or are their own.
  var events: [CalendarEntry] {
    home.events.events.filter { _, event in
      event.who.isEmpty || event.who.contains(person) || event.author == person
    }.compactMap { id, event in
      var entry = CalendarEntry(
        uid: uid(.event, id), title: event.title, note: event.note, category: .event,
        at: event.editedAt ?? event.at, day: event.start.day, minute: event.start.minute, length: event.length,
        endMinute: event.end?.minute)
      guard let rule = event.repeats else { return entry }
      let last = rule.until ?? event.lastDay?.adding(-event.length)
      let series = CalendarEntry.Series(rule: rule, first: event.start.day, last: last)
      let beginning = CalendarWriter.beginning(on: today)
      if entry.day < beginning {
        guard let day = series.day(after: beginning.adding(-1)) else { return nil }
        entry.day = day
      }
      entry.series = series
      return entry
    }
  }

  /// The birthdays of the others. A picture says it in every language.
  var birthdays: [CalendarEntry] {
    home.membership.members.compactMap { id, member in
      guard id != person, let birthday = member.birthday else { return nil }
      // A leap year, so that it has every day; 29 February is the last of the month in others.
      guard let date = LocalDay("2000-\(birthday)") else { return nil }
      let first = LocalDay(year: CalendarWriter.beginning(on: today).year, month: date.month, day: date.day)
      let series = CalendarEntry.Series(rule: Recurrence(every: 1, unit: .years), first: date)
      return CalendarEntry(
        uid: uid(.birthday, id), title: "🎂 \(member.name)", category: .birthday, at: member.joinedAt, day: first,
        series: series)
    }
  }

  // MARK: the rota

  /// The tasks that the member is to do, this week and in those that come. They may do them on any day.
  var rota: [CalendarEntry] {
    (0..<Limits.calendarWeeks).map { today.monday.adding(7 * $0) }.flatMap { week in
      home.turns(in: week).filter { $0.person == person && $0.doneBy == nil }.map { turn in
        CalendarEntry(
          uid: uid(.rota, turn.task, "-" + ICalendar.date(week)), title: turn.name, category: .rota,
          at: home.rota.version(in: week)?.at ?? now, day: week, length: 6)
      }
    }
  }

  // MARK: chores

  /// The chores whose turn is the member's, or anybody's.
  var chores: [CalendarEntry] {
    home.chores.occurrences.flatMap { id, occurrence -> [CalendarEntry] in
      // Birthdays are a series of their own.
      guard let chore = home.chores.chores[occurrence.chore], chore.birthdayOf == nil, let date = occurrence.date
      else { return [] }
      let entry = CalendarEntry(
        uid: uid(.chore, occurrence.chore), title: chore.name, note: chore.note, category: .chore,
        at: chore.editedAt ?? chore.at, day: date, minute: chore.time?.minute)
      var entries = later(chore, after: occurrence, as: entry)
      let isTheirs = occurrence.people.isEmpty || occurrence.people.contains(person)
      // There is nothing to do for somebody who has done their part, nor while a completion waits for approval.
      if isTheirs, occurrence.doneBy[person] == nil, occurrence.completion == nil {
        var open = entry
        open.uid = uid(.chore, id)
        entries.append(open)
      }
      return entries
    }
  }

  /// The later times of a chore that are certain to be the member's or anybody's.
  ///
  /// None with the basis `completion`, whose days follow from when it is done, and no turns that go round or to the one
  /// who has done least, for they follow from all that happens until then.
  private func later(_ chore: Chore, after open: Occurrence, as entry: CalendarEntry) -> [CalendarEntry] {
    guard let rule = chore.recurrence, rule.basis != .completion, let date = open.date else { return [] }
    var series = CalendarEntry.Series(rule: rule, first: chore.first ?? date, last: rule.until)
    // Times that are over count as missed.
    var (next, number) = (series.day(after: date), chore.number + 1)
    var steps = 0
    while let day = next, chore.dueAt(day, zone) <= now, steps < Limits.calendarSteps {
      // Only a count needs every step.
      next = series.day(after: rule.count == nil ? max(day, today.adding(-1)) : day)
      (number, steps) = (number + 1, steps + 1)
    }
    guard let next, steps < Limits.calendarSteps else { return [] }
    if let count = rule.count {
      if number > count { return [] }
      series.last = last(of: series, from: next, after: count - number)
    }
    guard chore.strategy == .open || chore.strategy == .fixed && isAmong(chore) else {
      return days(of: series, from: next).filter { isTheirs(chore, on: $0) }.map { entry.single(on: $0) }
    }
    // On days on which they are away it is not theirs.
    guard !chore.people.isEmpty, let away = home.membership.members[person]?.away, away.to >= next else {
      return [entry.series(series, from: next)]
    }
    var entries: [CalendarEntry] = []
    if next < away.from {
      var before = series
      before.last = min(series.last ?? away.from.adding(-1), away.from.adding(-1))
      entries.append(entry.series(before, from: next, "-before"))
    }
    if let back = series.day(after: away.to) { entries.append(entry.series(series, from: back)) }
    return entries
  }

  private func isAmong(_ chore: Chore) -> Bool { chore.people.isEmpty || chore.people.contains(person) }

  /// The day of the last time of a series that comes so often after a day; `nil` if that is as good as never.
  private func last(of series: CalendarEntry.Series, from day: LocalDay, after times: Int) -> LocalDay? {
    if times > Limits.calendarSteps { return nil }
    var day = day
    for _ in 0..<times { day = series.day(after: day) ?? day }
    return day
  }

  private func days(of series: CalendarEntry.Series, from first: LocalDay) -> [LocalDay] {
    Array(sequence(first: first) { series.day(after: $0) }.prefix { $0 < horizon })
  }

  /// Whether it is known that a chore is the member's on a later day: they have that day, or stand in for one of those
  /// who do it each time.
  private func isTheirs(_ chore: Chore, on day: LocalDay) -> Bool {
    let people =
      switch chore.strategy {
      case .fixed: chore.people
      case .byWeekday: chore.weekdays[day.weekday].map { [$0] } ?? []
      case .roundRobin, .random, .leastCompleted, .leastPoints, .open: [ID<Person>]()
      }
    return people.contains { home.isAway($0, on: day) ? home.standIn(for: $0, on: day) == person : $0 == person }
  }
}

extension CalendarEntry {
  /// The same, once, on a day.
  fileprivate func single(on day: LocalDay) -> CalendarEntry {
    var single = self
    single.uid = uid + "-" + ICalendar.date(day)
    single.day = day
    return single
  }

  /// The same, each time of a series from a day on.
  fileprivate func series(_ series: Series, from day: LocalDay, _ more: String = "") -> CalendarEntry {
    var entry = self
    entry.uid = uid + more
    entry.day = day
    entry.series = series
    return entry
  }
}
