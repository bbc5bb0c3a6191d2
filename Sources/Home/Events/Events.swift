import JSON
import Rooms

/// The calendar of a household: its events, and the removed ones that can still be restored (CHO-27).
struct Events: Subject {
  typealias State = HouseholdState

  var events = Table<ID<Event>, Event>()
  var removedEvents = Table<ID<Event>, RemovedEvent>()
  private(set) var due = DueTime()

  mutating func parts(_ part: inout some PartVisitor) {
    part("events", &events)
    part("removedEvents", &removedEvents, .hidden)
  }

  mutating func planAll() {
    for event in events.values { due.plan(event.dropsAt) }
    for removed in removedEvents.values { due.plan(removed.end) }
  }

  func event(_ id: ID<Event>) throws(Refusal) -> Event {
    guard let event = events[id] else { throw .gone("This event") }
    return event
  }

  mutating func put(_ event: Event, as id: ID<Event>) {
    events[id] = event
    due.plan(event.dropsAt)
  }

  func checkSpace() throws(Refusal) {
    if events.count >= Limits.events { throw .full("events", "At most \(Limits.events) events are in the calendar.") }
  }

  /// Takes an event out of the calendar, and keeps it as long as it can be restored.
  mutating func remove(_ id: ID<Event>, _ event: Event, by person: ID<Person>, at now: Instant) {
    let removed = RemovedEvent(event: event, removedAt: now, removedBy: person)
    events[id] = nil
    removedEvents[id] = removed
    due.plan(removed.end)
    removedEvents.keep(Limits.events) { $0.removedAt }
  }

  /// A removed event that can still be restored.
  func restorable(_ id: ID<Event>, at now: Instant) throws(Refusal) -> RemovedEvent {
    guard let removed = removedEvents[id], removed.end > now, removed.event.dropsAt.map({ $0 > now }) ?? true else {
      throw .gone("This event")
    }
    return removed
  }

  /// Drops events that are long over, and removed ones that can no longer be restored. Returns the ids of the former.
  private mutating func drop(at now: Instant) -> [ID<Event>] {
    due = DueTime()
    let over = events.keys { $0.dropsAt.map { $0 <= now } ?? false }
    for id in over { events[id] = nil }
    for id in removedEvents.keys(where: { $0.end <= now }) { removedEvents[id] = nil }
    planAll()
    return over
  }

  static func fallDue(in home: inout HouseholdState, _ context: Context) {
    for id in home.events.drop(at: context.now) {
      home.forget(id, at: context.now)
      home.resolve(id.cast(), in: context)
    }
  }
}

/// An event in the calendar (CHO-27).
struct Event: Record {
  var title = ""
  var start = EventTime()
  /// Of the same form as `start`: a last day, or a time. Without it the event is a day, or a moment.
  var end: EventTime?
  /// The members whom it concerns; all if there are none.
  var who: SmallSet<ID<Person>> = []
  var note: String?
  /// How it comes again, from its start on.
  var repeats: Recurrence?
  /// Its last day, or one not before it; absent if it comes again for ever.
  var lastDay: LocalDay?
  var author = ID<Person>()
  var at = Instant()
  @Packed var editedBy: ID<Person>? = nil
  @Packed var editedAt: Instant? = nil
  /// The id of the event before it was removed and restored.
  @Packed var was: ID<Event>? = nil

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("title", \.title)
    field("start", \.start)
    field("end", \.end)
    field("who", \.who)
    field("note", \.note)
    field("repeats", \.repeats)
    field("lastDay", \.lastDay)
    field("author", \.author)
    field("at", \.at)
    field("editedBy", \._editedBy)
    field("editedAt", \._editedAt)
    field("was", \._was)
  }
}

/// An event that can be restored for ten minutes (R-DEL).
struct RemovedEvent: Record {
  var event = Event()
  var removedAt = Instant()
  var removedBy = ID<Person>()

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("event", \.event)
    field("removedAt", \.removedAt)
    field("removedBy", \.removedBy)
  }

  var end: Instant { removedAt + Limits.undo }
}
