import JSON
import Rooms

/// The days on which each member has done a chore: statistics, points and turns follow from them (STA-1 to STA-5).
///
/// It follows from the history, month by month, so that a completion changes one month and no question reads history.
struct ChoreTally: Record {
  var people: SmallMap<ID<Person>, PersonTally> = [:]

  static func fields(_ field: inout some FieldVisitor<Self>) { field("people", \.people) }
}

struct PersonTally: Record {
  /// All completions, also those of months that are no longer kept.
  var ever = 0
  var everPoints = 0
  /// By month, `YYYY-MM`.
  var months: SmallMap<String, MonthTally> = [:]

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("ever", \.ever)
    field("everPoints", \.everPoints)
    field("months", \.months)
  }
}

/// The completions of a month: the day of the month of each, and its points.
struct MonthTally: Record {
  var days: [Int] = []
  /// As many as days, or none if no completion had points.
  var points: [Int] = []

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("days", \.days)
    field("points", \.points)
  }

  mutating func add(_ day: Int, _ points: Int) {
    if points != 0, self.points.isEmpty { self.points = days.map { _ in 0 } }
    days.append(day)
    if points != 0 || !self.points.isEmpty { self.points.append(points) }
  }

  /// Takes one completion out, with these points if there is such a one. Returns its points; `nil` if there is none.
  mutating func remove(_ day: Int, _ points: Int) -> Int? {
    let ofDay = days.indices.filter { days[$0] == day }
    let index = ofDay.last { (self.points.isEmpty ? 0 : self.points[$0]) == points } ?? ofDay.last
    guard let index else { return nil }
    days.remove(at: index)
    return self.points.isEmpty ? 0 : self.points.remove(at: index)
  }
}

/// A member's completions and points in one week (CHO-28).
struct WeekOfChores: Record {
  /// The Monday of the week.
  var week = LocalDay()
  var done = 0
  var points = 0

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("week", \.week)
    field("done", \.done)
    field("points", \.points)
  }
}

/// The days on which a member was away: they do not count for the time by which turns are decided (HH-12).
struct PastAbsences: Record {
  /// First and last days, in turn, as numbers of days.
  var days: [Int] = []

  static func fields(_ field: inout some FieldVisitor<Self>) { field("days", \.days) }

  /// Adds an absence; forgets those that ended long ago.
  mutating func add(_ from: LocalDay, _ to: LocalDay, keptFrom oldest: LocalDay) {
    guard let first = from.number, let last = to.number, let oldest = oldest.number, first <= last else { return }
    days += [first, last]
    while days.count > 2, days[1] < oldest { days.removeFirst(2) }
    if days.count > 2 * Limits.pastAbsences { days.removeFirst(2) }
  }

  /// The first day of a number of days that end with one, not counting those of absences.
  func start(of count: Int, endingWith day: LocalDay) -> LocalDay {
    var left = count
    var number = day.number ?? 0
    while true {
      let isAway = stride(from: 0, to: days.count - 1, by: 2).contains { days[$0] <= number && number <= days[$0 + 1] }
      if !isAway { left -= 1 }
      if left <= 0 { return LocalDay(number: number) }
      number -= 1
    }
  }
}

extension LocalDay {
  /// `YYYY-MM`.
  var monthText: String { String(text.prefix(7)) }
}

extension Chores {
  /// Counts a completion, or with `-1` takes it back. Returns by how much that changes the doer's points.
  @discardableResult mutating func count(
    _ task: ID<ChoreName>, by person: ID<Person>, on day: LocalDay, points: Int?, _ sign: Int, today: LocalDay
  ) -> Int {
    var tally = tallies[task] ?? ChoreTally()
    var own = tally.people[person] ?? PersonTally()
    var month = own.months[day.monthText] ?? MonthTally()
    var points = points ?? 0
    if sign > 0 {
      month.add(day.day, points)
    } else {
      // If its name has been forgotten, the completion is not in the tally.
      guard let removed = month.remove(day.day, points) else { return -points }
      points = removed
    }
    own.ever += sign
    own.everPoints += sign * points
    own.months[day.monthText] = month
    let oldest = LocalDay(monthNumber: today.monthNumber - Limits.choreTallyMonths, day: 1).monthText
    for old in own.months.keys.filter({ $0 < oldest }) { own.months[old] = nil }
    tally.people[person] = own
    tallies[task] = tally
    tallies.keep(Limits.choreNames) { $0.people.values.reduce(0) { max($0, $1.ever) } }
    countWeek(of: person, day, points, sign, today: today)
    return sign * points
  }

  /// The points of all completions of a person that are counted.
  func points(of person: ID<Person>) -> Int {
    tallies.values.reduce(0) { $0 + ($1.people[person]?.everPoints ?? 0) }
  }

  private mutating func countWeek(
    of person: ID<Person>, _ day: LocalDay, _ points: Int, _ sign: Int, today: LocalDay
  ) {
    guard day.monday == today.monday else { return }
    var week = stats[person] ?? WeekOfChores()
    if week.week != today.monday { week = WeekOfChores(week: today.monday) }
    week.done = max(0, week.done + sign)
    week.points = max(0, week.points + sign * points)
    stats[person] = week
  }

  /// How much a member has done in the last 90 days in which they were there, and ever.
  ///
  /// - Parameter task: The chore, or `nil` for the points of all chores.
  func done(_ person: ID<Person>, of task: ID<ChoreName>?, today: LocalDay) -> (lately: Int, ever: Int) {
    let start = (absences[person] ?? PastAbsences()).start(of: Limits.choreWindowDays, endingWith: today)
    var sum = (lately: 0, ever: 0)
    for (key, tally) in tallies where task == nil || key == task {
      guard let own = tally.people[person] else { continue }
      sum.ever += task == nil ? own.everPoints : own.ever
      own.forEach(from: start, to: today.adding(1)) { _, points in sum.lately += task == nil ? points : 1 }
    }
    return sum
  }
}

extension PersonTally {
  /// Goes through the completions from a day on and before another one.
  func forEach(from: LocalDay, to: LocalDay, _ body: (_ month: String, _ points: Int) -> Void) {
    let (first, last) = (from.monthText, to.monthText)
    for (name, month) in months where first <= name && name <= last {
      let start = name == first ? from.day : 1
      let end = name == last ? to.day : 32
      for (index, day) in month.days.enumerated() where start <= day && day < end {
        body(name, month.points.isEmpty ? 0 : month.points[index])
      }
    }
  }
}
