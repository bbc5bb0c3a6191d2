import JSON
import Rooms

/// The members' dinners: their answers for each evening, their patterns and their counts (DIN-1 to DIN-4).
///
/// Only what members say is written; the rest follows from it. An evening without an answer follows the member's
/// pattern, and a member who is away is out. A change of a pattern or an absence is first written into the evenings
/// that are over, so that they stay as they were.
struct Dinner: Subject {
  typealias State = HouseholdState

  var days = Table<LocalDay, DinnerDay>()
  var patterns = Table<ID<Person>, DinnerPattern>()
  /// The sums of evenings that are no longer in `days`. Hidden: `dinner.counts` adds those that are.
  var counts = Table<ID<Person>, DinnerCount>()
  private(set) var due = DueTime()

  mutating func parts(_ part: inout some PartVisitor) {
    part("dinner", &days)
    part("dinnerPatterns", &patterns)
    part("dinnerCounts", &counts, .hidden)
  }

  mutating func planAll() {
    due.plan(days.keys.first.map(Self.end))
    // A pattern alone is counted once a month.
    due.plan(patterns.values.map(\.from).min().map { Self.end(of: $0.adding(30)) })
  }

  /// The instant from which a day is too old in every zone (DIN-3): no clock is further behind than UTC−12.
  private static func end(of day: LocalDay) -> Instant {
    Instant(milliseconds: Int64((day.number ?? 0) + Limits.dinnerAge + 1) * 86_400_000) + .seconds(16 * 3600)
  }

  /// The last day that is too old.
  private static func lastOver(at now: Instant) -> LocalDay {
    LocalDay(number: Int((now - .seconds(16 * 3600)).milliseconds).floored(by: 86_400_000) - Limits.dinnerAge - 1)
  }

  // MARK: evenings

  /// A person's part in an evening, by their answer or else by their pattern.
  func meal(of person: ID<Person>, on day: LocalDay, isAway: Bool) -> Meal {
    if isAway { return Meal(eats: .out) }
    let answer = days[day]?.answers[person]
    let eats = answer?.eats ?? usual(person, on: day) ?? .unknown
    return Meal(eats: eats, guests: answer?.guests ?? 0, isCooking: answer?.cook == true)
  }

  private func usual(_ person: ID<Person>, on day: LocalDay) -> Eats? {
    guard let pattern = patterns[person], pattern.from <= day else { return nil }
    return pattern.days[day.weekday]
  }

  /// Notes an answer; one that says nothing is removed.
  mutating func put(_ answer: Attendance, of person: ID<Person>, on day: LocalDay) {
    var row = days[day] ?? DinnerDay()
    row.answers[person] = answer.saysNothing ? nil : answer
    days[day] = row.answers.isEmpty ? nil : row
    due.plan(Self.end(of: day))
  }

  /// Sets what a person usually does from a day on; the evenings before it keep what the old pattern said of them.
  mutating func set(
    _ pattern: SmallMap<Weekday, Eats>, of person: ID<Person>, from first: LocalDay, at now: Instant,
    isAway: (LocalDay) -> Bool
  ) {
    if var day = patterns[person]?.from {
      while day < first {
        var answer = days[day]?.answers[person] ?? Attendance(at: now)
        if answer.eats == nil, !isAway(day), let eats = usual(person, on: day) {
          answer.eats = eats
          put(answer, of: person, on: day)
        }
        day = day.adding(1)
      }
    }
    patterns[person] = pattern.isEmpty ? nil : DinnerPattern(days: pattern, from: first)
    planAll()
  }

  /// Keeps that a person was away on evenings that are over, since their absence is forgotten when it ends.
  mutating func keepAway(_ person: ID<Person>, from: LocalDay, through last: LocalDay, at now: Instant) {
    guard let known = firstKnown(of: person) else { return }
    var day = max(from, known)
    while day <= last {
      let meal = meal(of: person, on: day, isAway: false)
      if meal.places > 0 || meal.isCooking {
        put(Attendance(eats: .out, at: now), of: person, on: day)
      }
      day = day.adding(1)
    }
  }

  /// Forgets a person who leaves. The evenings that are over stay as they were.
  mutating func forget(_ person: ID<Person>, from tonight: LocalDay) {
    for day in Array(days.keys) where day >= tonight && days[day]?.answers.contains(person) == true {
      put(Attendance(), of: person, on: day)
    }
    if patterns.contains(person) { patterns[person] = nil }
    if counts.contains(person) { counts[person] = nil }
  }

  // MARK: counts

  /// The first day that has anything to count of a person.
  private func firstKnown(of person: ID<Person>) -> LocalDay? {
    [days.keys.first, patterns[person]?.from].compactMap(\.self).min()
  }

  /// How often a person has eaten and cooked on the evenings before a day.
  func count(of person: ID<Person>, before end: LocalDay, isAway: (LocalDay) -> Bool) -> DinnerCount {
    var count = counts[person] ?? DinnerCount()
    var day = firstKnown(of: person) ?? end
    while day < end {
      count.add(meal(of: person, on: day, isAway: isAway(day)))
      day = day.adding(1)
    }
    return count
  }

  /// Drops the days that are too old, and counts them (DIN-3).
  mutating func dropOldDays(
    at now: Instant, of people: some Sequence<ID<Person>>, isAway: (ID<Person>, LocalDay) -> Bool
  ) {
    let first = Self.lastOver(at: now).adding(1)
    for person in people {
      let count = count(of: person, before: first) { isAway(person, $0) }
      if count != counts[person] ?? DinnerCount() { counts[person] = count }
      if let from = patterns[person]?.from, from < first { patterns[person]?.from = first }
    }
    days.removeAll { day, _ in day < first }
    due = DueTime()
    planAll()
  }

  static func fallDue(in home: inout HouseholdState, _ context: Context) { home.dropOldDinners(at: context.now) }
}

/// The members' answers for one evening.
struct DinnerDay: Record {
  var answers: SmallMap<ID<Person>, Attendance> = [:]

  static func fields(_ field: inout some FieldVisitor<Self>) { field("answers", \.answers) }
}

/// A member's answer to whether they eat at home on an evening (DIN-1).
struct Attendance: Record {
  /// Absent: as their pattern says.
  var eats: Eats?
  /// Guests of a member who eats at home.
  var guests: Int?
  /// `true` if they cook; several may.
  var cook: Bool?
  /// `true` if the answer was given after the cut-off (DIN-2).
  var isLate: Bool?
  var at = Instant()
  /// The member who answered for them.
  @Packed var by: ID<Person>? = nil

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("eats", \.eats)
    field("guests", \.guests)
    field("cook", \.cook)
    field("late", \.isLate)
    field("at", \.at)
    field("by", \._by)
  }

  var saysNothing: Bool { eats == nil && guests == nil && cook == nil && isLate == nil }
}

enum Eats: String, Word {
  case `in`, out, unknown
}

/// A member's usual answers by day of the week, from a day on.
struct DinnerPattern: Record {
  var days: SmallMap<Weekday, Eats> = [:]
  var from = LocalDay()

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("days", \.days)
    field("from", \.from)
  }
}

/// How often a person has eaten at home and cooked, and with how many guests in all (DIN-4).
struct DinnerCount: Record {
  var ate = 0
  var guests = 0
  var cooked = 0

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("ate", \.ate)
    field("guests", \.guests)
    field("cooked", \.cooked)
  }

  fileprivate mutating func add(_ meal: Meal) {
    if meal.eats == .in { ate += 1 }
    guests += meal.guests
    if meal.isCooking { cooked += 1 }
  }
}

/// A person's part in one evening, after pattern and absence.
struct Meal: Equatable {
  var eats: Eats
  var guests = 0
  var isCooking = false

  /// The places at the table that they and their guests take.
  var places: Int { eats == .in ? 1 + guests : 0 }
}
