import JSON
import Rooms

/// The special events of a household, such as a semester's last cleaning, until their time is found (CHO-22).
struct SpecialEvents: Subject {
  typealias State = HouseholdState

  var special = Table<ID<SpecialEvent>, SpecialEvent>()
  private(set) var due = DueTime()

  mutating func parts(_ part: inout some PartVisitor) { part("specialEvents", &special) }

  mutating func planAll() { for event in special.values { due.plan(event.window.to) } }

  /// A special event whose window is not over, even if the timer has not fired yet.
  func event(_ id: ID<SpecialEvent>, at now: Instant) throws(Refusal) -> SpecialEvent {
    guard let event = special[id], event.window.to > now else { throw .gone("This special event") }
    return event
  }

  mutating func add(_ event: SpecialEvent, as id: ID<SpecialEvent>) {
    special[id] = event
    due.plan(event.window.to)
  }

  /// Takes a person out who is no longer a member. Returns the ids of those events that concern nobody then.
  mutating func forget(_ person: ID<Person>) -> [ID<SpecialEvent>] {
    var over: [ID<SpecialEvent>] = []
    for id in special.keys(where: { $0.minutes.contains(person) }) {
      special[id]?.minutes[person] = nil
      special[id]?.busy[person] = nil
      if special[id]?.minutes.isEmpty == true { over.append(id) }
    }
    return over
  }

  static func fallDue(in home: inout HouseholdState, _ context: Context) {
    for id in home.specialEvents.special.keys(where: { $0.window.to <= context.now }) {
      home.endSpecialEvent(id, in: context)
    }
    home.specialEvents.due = DueTime()
    home.specialEvents.planAll()
  }
}

/// An event that has no time yet (CHO-22).
struct SpecialEvent: Record {
  var title = ""
  var description: String?
  /// The minutes that each of those needs whom it concerns.
  var minutes: SmallMap<ID<Person>, Int> = [:]
  /// The time in which it is to take place.
  var window = TimeSpan()
  /// The hours of the day within which it is to take place; all if absent.
  var hours: Hours?
  /// When people cannot come, in order and without overlap. Somebody without an entry has not said it yet.
  var busy: SmallMap<ID<Person>, [TimeSpan]> = [:]
  var author = ID<Person>()
  var at = Instant()

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("title", \.title)
    field("description", \.description)
    field("minutes", \.minutes)
    field("window", \.window)
    field("hours", \.hours)
    field("busy", \.busy)
    field("author", \.author)
    field("at", \.at)
  }

  /// How long it takes: as long as the one who needs longest.
  var duration: Duration { .seconds(60 * (minutes.values.max() ?? 0)) }
}

/// A time from one instant to another, which is not part of it.
struct TimeSpan: Record {
  var from = Instant()
  var to = Instant()

  init(from: Instant = Instant(), to: Instant = Instant()) {
    self.from = from
    self.to = to
  }

  init() {}

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("from", \.from)
    field("to", \.to)
  }

  func overlaps(_ other: TimeSpan) -> Bool { from < other.to && other.from < to }
}

/// Hours of the day, by the household's clocks.
struct Hours: Record {
  var from = LocalTime()
  var to = LocalTime()

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("from", \.from)
    field("to", \.to)
  }

  /// Minutes since midnight.
  var minutes: ClosedRange<Int>? {
    func minute(_ time: LocalTime) -> Int {
      time.text.split(separator: ":").compactMap { Int($0) }.reduce(0) { $0 * 60 + $1 }
    }
    let (first, last) = (minute(from), minute(to))
    return first < last ? first...last : nil
  }
}
