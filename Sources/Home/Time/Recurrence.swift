import Rooms

/// When something comes again (R-REC): a rule on local days, which knows neither clocks nor zones.
struct Recurrence: Record, Equatable {
  /// 1: each of these; 2: every other one.
  var every = 1
  var unit = RecurrenceUnit.weeks
  /// With `weeks`; without them, the weekday of the first day.
  var weekdays: [Weekday]?
  /// With `months`: the day of the month, or the last day of shorter ones; without it, that of the first day.
  var day: Int?
  /// With `months` and `weekday`: the first to fourth such day of the month, or -1 for its last one.
  var nth: Int?
  var weekday: Weekday?
  /// Without it, `due`.
  var basis: RecurrenceBasis?
  /// The last day on which it can come.
  var until: LocalDay?
  /// How often it comes in all, the first time included.
  var count: Int?

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("every", \.every, Limits.recurrenceEvery)
    field("unit", \.unit)
    field("weekdays", \.weekdays, 1...7)
    field("day", \.day, 1...31)
    field("nth", \.nth, -1...4)
    field("weekday", \.weekday)
    field("basis", \.basis)
    field("until", \.until)
    field("count", \.count, Limits.recurrenceCount)
  }

  /// Notes fields that contradict each other.
  func check(_ problems: Problems) {
    if weekdays != nil, unit != .weeks { problems.note("weekdays", "needs the unit weeks") }
    if day != nil, unit != .months { problems.note("day", "needs the unit months") }
    if nth != nil, unit != .months { problems.note("nth", "needs the unit months") }
    if nth == 0 { problems.note("nth", "must be 1 to 4, or -1 for the last") }
    if (nth == nil) != (weekday == nil) { problems.note("weekday", "and nth need each other") }
    if day != nil, nth != nil { problems.note("nth", "contradicts day") }
    if until != nil, count != nil { problems.note("count", "contradicts until") }
  }

  // MARK: days

  /// The first day of the rule after another one, for a rule that began on its first day. Ends are not looked at.
  ///
  /// - Parameter first: The first day, which counts even if it is not one of the rule.
  func day(after day: LocalDay, from first: LocalDay) -> LocalDay {
    if day < first { return first }
    switch unit {
    case .days: return first.adding((first.days(to: day) / every + 1) * every)
    case .weeks: return week(after: day, from: first)
    case .months: return month(after: day, from: first, months: every, anchor: self.day ?? first.day)
    case .years: return month(after: day, from: first, months: 12 * every, anchor: first.day)
    }
  }

  private func week(after day: LocalDay, from first: LocalDay) -> LocalDay {
    let wanted = Set(weekdays ?? [first.weekday])
    let weeks = first.monday.days(to: day.monday) / 7
    var monday = first.monday.adding(weeks / every * every * 7)
    while true {
      for weekday in Weekday.allCases where wanted.contains(weekday) {
        let found = monday.adding(weekday.index)
        if found > day { return found }
      }
      monday = monday.adding(7 * every)
    }
  }

  private func month(after day: LocalDay, from first: LocalDay, months: Int, anchor: Int) -> LocalDay {
    var number = first.monthNumber + (day.monthNumber - first.monthNumber) / months * months
    while true {
      let found =
        nth.flatMap { nth in weekday.map { Self.day(nth, $0, ofMonth: number) } }
        ?? LocalDay(monthNumber: number, day: anchor)
      if found > day { return found }
      number += months
    }
  }

  static func day(_ nth: Int, _ weekday: Weekday, ofMonth number: Int) -> LocalDay {
    if nth < 0 {
      let last = LocalDay(monthNumber: number, day: 31)
      return last.adding(-(last.weekday.index - weekday.index).remainder(by: 7))
    }
    let first = LocalDay(monthNumber: number, day: 1)
    return first.adding((weekday.index - first.weekday.index).remainder(by: 7) + (nth - 1) * 7)
  }

  /// Whether it follows the calendar, or only counts days, weeks, months or years from its last time on.
  private var isOfCalendar: Bool { weekdays != nil || day != nil || nth != nil }

  // MARK: what comes next

  /// The time after one that is over.
  struct Next: Equatable {
    /// `nil` if it does not come again.
    var day: LocalDay?
    /// How many times have passed meanwhile, and were missed.
    var missed = 0
    /// The first day from which the rule counts from now on.
    var first: LocalDay
    /// How often it has come, this time included.
    var number: Int
  }

  /// The time after one that is over, whether it was completed or skipped.
  ///
  /// - Parameters:
  ///   - closed: The day on which it was due.
  ///   - number: How often it had come by then, that time included.
  ///   - first: The first day from which the rule counts.
  ///   - completed: The day of the completion.
  ///   - isOver: Whether its time on a day is over: by now, or on the basis `completion` at the completion.
  func next(
    after closed: LocalDay, number: Int, from first: LocalDay, completed: LocalDay, isOver: (LocalDay) -> Bool
  ) -> Next {
    // Intervals on the basis of completions begin anew with each.
    let isAnew = basis == .completion && !isOfCalendar
    var next = Next(first: isAnew ? max(completed, closed) : first, number: number + 1)
    var day = day(after: isAnew ? next.first : closed, from: next.first)
    while !isAnew, isOver(day), !isBeyondEnd(day, next.number) {
      next.missed += 1
      next.number += 1
      day = self.day(after: day, from: first)
    }
    if !isBeyondEnd(day, next.number) { next.day = day }
    return next
  }

  private func isBeyondEnd(_ day: LocalDay, _ number: Int) -> Bool {
    until.map { day > $0 } ?? false || count.map { number > $0 } ?? false
  }
}

enum RecurrenceUnit: String, Word {
  case days, weeks, months, years
}

/// From where a recurrence goes on: from the day on which it was due, or from that of its completion.
enum RecurrenceBasis: String, Word {
  case due, completion
}
