import JSON
import Rooms

extension Events {
  static let methods: [Method] = [
    .of(AddEvent.self), .of(EditEvent.self), .of(RemoveEvent.self), .of(RestoreEvent.self),
    .question(ListEventDays.self),
  ]
}

struct EventAnswer: Record {
  var id = ID<Event>()

  static func fields(_ field: inout some FieldVisitor<Self>) { field("id", \.id) }
}

/// Puts an event into the calendar; the members whom it concerns are notified (CHO-27).
struct AddEvent: Mutation {
  static let method: StaticString = "events.add"
  static let summary: StaticString =
    "Puts an event into the calendar; the members whom it concerns are notified (CHO-27)."
  var id: ID<Event>?
  var title = Line()
  var start = EventTime()
  var end: EventTime?
  var who: [ID<Person>]?
  var note: Prose?
  var repeats: Recurrence?

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("id", \.id)
    field("title", \.title, Limits.eventTitle)
    field("start", \.start)
    field("end", \.end)
    field("who", \.who, 1...Limits.members)
    field("note", \.note, Limits.eventNote)
    field("repeats", \.repeats)
  }

  func check(_ problems: Problems, in home: inout HouseholdState, _ context: Context) {
    home.checkMembers(who ?? [], problems, "who")
    event(by: context).check(problems, today: home.zone.day(at: context.now))
  }

  private func event(by context: Context) -> Event {
    Event(
      title: title.text, start: start, end: end, who: SmallSet(who ?? []), note: note?.text, repeats: repeats,
      author: context.person, at: context.now)
  }

  func apply(to home: inout HouseholdState, in context: Context) throws(Refusal) -> EventAnswer {
    _ = try home.caller(context)
    let id = context.newID(id)
    try home.checkNew(id)
    try home.put(event(by: context), as: id, in: context)
    return EventAnswer(id: id)
  }
}

/// Changes an event; what is left out stays as it is, and `null` clears `end`, `who`, `note` and `repeats` (CHO-27).
struct EditEvent: Mutation {
  static let method: StaticString = "events.edit"
  static let summary: StaticString =
    "Changes an event; what is left out stays as it is, and `null` clears `end`, `who`, `note` and `repeats` (CHO-27)."
  var id = ID<Event>()
  var title: Change<Line> = .unchanged
  var start: Change<EventTime> = .unchanged
  var end: Change<EventTime> = .unchanged
  var who: Change<[ID<Person>]> = .unchanged
  var note: Change<Prose> = .unchanged
  var repeats: Change<Recurrence> = .unchanged

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("id", \.id)
    field("title", \.title, Limits.eventTitle)
    field("start", \.start)
    field("end", \.end)
    field("who", \.who, 1...Limits.members)
    field("note", \.note, Limits.eventNote)
    field("repeats", \.repeats)
  }

  func check(_ problems: Problems, in home: inout HouseholdState, _ context: Context) {
    if title == .cleared { problems.note("title", "cannot be removed") }
    if start == .cleared { problems.note("start", "cannot be removed") }
    if case .set(let people) = who { home.checkMembers(people, problems, "who") }
    guard let event = home.events.events[id] else { return }
    let changed = self.event(from: event)
    if !changed.isWhen(event) { changed.check(problems, today: home.zone.day(at: context.now)) }
  }

  private func event(from old: Event) -> Event {
    var event = old
    if case .set(let title) = title { event.title = title.text }
    if case .set(let start) = start { event.start = start }
    end.apply(to: &event.end)
    note.map(\.text).apply(to: &event.note)
    repeats.apply(to: &event.repeats)
    switch who {
    case .unchanged: break
    case .cleared: event.who = []
    case .set(let people): event.who = SmallSet(people)
    }
    return event
  }

  func apply(to home: inout HouseholdState, in context: Context) throws(Refusal) -> NoAnswer {
    let old = try home.event(id, writableIn: context)
    var event = event(from: old)
    if event == old { return NoAnswer() }
    event.lastDay = event.computedLastDay
    event.editedBy = context.person
    event.editedAt = context.now
    home.events.put(event, as: id)
    // A remark is no news.
    guard event.title != old.title || event.who != old.who || !event.isWhen(old) else { return NoAnswer() }
    home.notify(.eventChanged, of: event, or: old, id.cast(), in: context)
    return NoAnswer()
  }
}

/// Takes an event out of the calendar; it can be restored for ten minutes (CHO-27).
struct RemoveEvent: Mutation {
  static let method: StaticString = "events.remove"
  static let summary: StaticString = "Takes an event out of the calendar; it can be restored for ten minutes (CHO-27)."
  var id = ID<Event>()

  static func fields(_ field: inout some FieldVisitor<Self>) { field("id", \.id) }

  func apply(to home: inout HouseholdState, in context: Context) throws(Refusal) -> NoAnswer {
    let event = try home.event(id, writableIn: context)
    home.events.remove(id, event, by: context.person, at: context.now)
    home.forget(id, in: context)
    home.resolve(id.cast(), in: context)
    home.happened(.eventRemoved, by: context.person, ref: id.cast(), in: context)
    home.notify(.eventRemoved, of: event, id.cast(), in: context)
    return NoAnswer()
  }
}

/// Restores an event that was removed in the last ten minutes, under a new id (CHO-27).
struct RestoreEvent: Mutation {
  static let method: StaticString = "events.restore"
  static let summary: StaticString =
    "Restores an event that was removed in the last ten minutes, under a new id (CHO-27)."
  var id = ID<Event>()
  /// The new id of the event.
  var newID: ID<Event>?

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("id", \.id)
    field("newId", \.newID)
  }

  func apply(to home: inout HouseholdState, in context: Context) throws(Refusal) -> EventAnswer {
    let removed = try home.events.restorable(id, at: context.now)
    if removed.removedBy != context.person { try home.require(authorOrHost: removed.event.author, context) }
    let newID = context.newID(newID)
    try home.checkNew(newID)
    var event = removed.event
    event.was = id
    try home.put(event, as: newID, in: context)
    home.events.removedEvents[id] = nil
    home.resolve(id.cast(), in: context)
    return EventAnswer(id: newID)
  }
}

/// Lists the days on which events begin that take place in some days: what repeats is counted out (CHO-27).
struct ListEventDays: Question {
  static let method: StaticString = "events.days"
  static let summary: StaticString =
    "Lists the days on which events begin that take place in some days: what repeats is counted out (CHO-27)."
  var from = LocalDay()
  var to = LocalDay()

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("from", \.from)
    field("to", \.to)
  }

  func answer(from home: HouseholdState, in inquiry: Inquiry) throws(Refusal) -> EventDayList {
    let today = home.zone.day(at: inquiry.now)
    if to < from { throw .invalid("to", "must not be before `from`") }
    if from.days(to: to) >= Limits.eventDaysShown {
      throw .invalid("to", "must be within \(Limits.eventDaysShown) days")
    }
    if from > today.adding(Limits.eventDaysAhead) {
      throw .invalid("from", "must be at most \(Limits.eventDaysAhead) days from now")
    }
    let items = home.events.events.map { EventDays(id: $0.key, days: $0.value.days(from: from, to: to)) }
    return EventDayList(items: items.filter { !$0.days.isEmpty })
  }
}

struct EventDayList: Record {
  var items: [EventDays] = []

  static func fields(_ field: inout some FieldVisitor<Self>) { field("items", \.items) }
}

/// The days on which an event begins, each time.
struct EventDays: Record {
  var id = ID<Event>()
  var days: [LocalDay] = []

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("id", \.id)
    field("days", \.days)
  }
}

extension Event {
  /// Whether it takes place at the same times as another one.
  fileprivate func isWhen(_ other: Event) -> Bool {
    start == other.start && end == other.end && repeats == other.repeats
  }
}

extension HouseholdState {
  /// Notes each person of a list who is no member, and each who stands in it twice.
  func checkMembers(_ people: [ID<Person>], _ problems: Problems, _ field: String) {
    for (index, person) in people.enumerated() {
      if !membership.members.contains(person) { problems.note("\(field).\(index)", "must be a member") }
      if people[..<index].contains(person) { problems.note("\(field).\(index)", "stands in the list already") }
    }
  }

  /// An event that the caller may edit and remove (HH-15).
  fileprivate func event(_ id: ID<Event>, writableIn context: Context) throws(Refusal) -> Event {
    let event = try events.event(id)
    try require(authorOrHost: event.author, context)
    return event
  }

  /// Puts an event into the calendar, and tells those whom it concerns.
  mutating func put(_ event: Event, as id: ID<Event>, in context: Context) throws(Refusal) {
    var event = event
    event.lastDay = event.computedLastDay
    try events.checkSpace()
    events.put(event, as: id)
    happened(.eventAdded, by: context.person, ref: id.cast(), in: context)
    notify(.event, of: event, id.cast(), in: context)
  }

  /// Notifies all but the caller whom an event concerns, or has concerned, and its author.
  fileprivate func notify(
    _ kind: NotificationKind, of event: Event, or old: Event? = nil, _ ref: ID<Thing>, in context: Context
  ) {
    let everybody = Array(membership.members.keys)
    let people = [event, old ?? event].flatMap { $0.who.isEmpty ? everybody : Array($0.who) + [$0.author] }
    notify(Set(people), kind, ref, named: event.title, in: context)
  }

  /// Notifies the members among some people, but not the caller, of something with a title.
  func notify(
    _ people: Set<ID<Person>>, _ kind: NotificationKind, _ ref: ID<Thing>, named title: String, in context: Context
  ) {
    let notification = Notification(
      kind: kind, room: context.room.name, ref: ref, actor: context.person,
      actorName: membership.members[context.person]?.name, at: context.now, name: title)
    for person in people.sorted() where person != context.person && membership.members.contains(person) {
      notify(person, notification, in: context)
    }
  }
}
