import Rooms

/// The days on which an event takes place.
extension Event {
  /// How many days later than it begins it ends.
  var length: Int { end.map { start.day.days(to: $0.day) } ?? 0 }

  /// The last day on which it can take place; `nil` if there is none, or in more than a hundred years.
  var computedLastDay: LocalDay? {
    guard let repeats else { return start.day.adding(length) }
    if let until = repeats.until { return until.adding(length) }
    guard let count = repeats.count else { return nil }
    var day = start.day
    for _ in 1..<max(count, 1) {
      day = repeats.day(after: day, from: start.day)
      if start.day.days(to: day) > Limits.eventCenturyDays { return nil }
    }
    return day.adding(length)
  }

  /// When it leaves the calendar: a week after its last day in every zone, at noon in UTC. So no zone needs to be known
  /// to find the moment.
  var dropsAt: Instant? {
    lastDay?.number.map { last in
      Instant(milliseconds: Int64(last + 1 + Limits.eventAgeDays) * 86_400_000) + .seconds(12 * 3600)
    }
  }

  /// The days on which it begins, of all times that it takes place on a day from `first` to `last`.
  func days(from first: LocalDay, to last: LocalDay) -> [LocalDay] {
    var days: [LocalDay] = []
    // The last time begins so long before its last day.
    let end = min(last, lastDay?.adding(-length) ?? last)
    let earliest = first.adding(-length)
    var next: LocalDay? = start.day
    if let repeats, start.day < earliest { next = repeats.day(after: earliest.adding(-1), from: start.day) }
    while let day = next, day <= end {
      if day >= earliest { days.append(day) }
      next = repeats?.day(after: day, from: start.day)
    }
    return days
  }

  /// Notes what is wrong with its times, by the names of the parameters, for a household in which it is `today`.
  func check(_ problems: Problems, today: LocalDay) {
    let before = problems.count
    if let repeats {
      repeats.check(problems)
      if repeats.basis == .completion { problems.note("basis", "is for what is completed") }
      if let until = repeats.until, !(0...Limits.eventCenturyDays).contains(start.day.days(to: until)) {
        problems.note("until", "must not be before start, or a hundred years after it")
      }
      problems.nest("repeats", since: before)
    }
    // A time that was not read is reported already.
    if start.day == LocalDay() { return }
    if start.day > today.adding(Limits.eventDaysAhead) {
      problems.note("start", "must be at most \(Limits.eventDaysAhead) days from now")
    }
    if let end {
      if (end.minute == nil) != (start.minute == nil) {
        problems.note("end", "must be a day or a time, as start is")
      } else if end < start {
        problems.note("end", "must not be before start")
      } else if length >= Limits.eventDays {
        problems.note("end", "must be within \(Limits.eventDays) days")
      }
    }
    if problems.count > before { return }
    if let lastDay = computedLastDay, lastDay < today.adding(-Limits.eventAgeDays) {
      problems.note(repeats != nil ? "repeats" : end != nil ? "end" : "start", "must not be over for a week")
    }
  }
}
