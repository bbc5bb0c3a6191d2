import JSON
import Rooms

extension SpecialEvents {
  static let methods: [Method] = [
    .of(CreateSpecialEvent.self), .of(SayBusy.self), .question(FindSlots.self), .of(ConfirmSpecialEvent.self),
    .of(CancelSpecialEvent.self),
  ]
}

struct SpecialEventAnswer: Record {
  var id = ID<SpecialEvent>()

  static func fields(_ field: inout some FieldVisitor<Self>) { field("id", \.id) }
}

/// Announces an event whose time is to be found; those whom it concerns are asked when they cannot come (CHO-22).
struct CreateSpecialEvent: Mutation {
  static let method: StaticString = "specialEvents.create"
  static let summary: StaticString =
    "Announces an event whose time is to be found; those whom it concerns are asked when they cannot come (CHO-22)."
  var id: ID<SpecialEvent>?
  var title = Line()
  var description: Prose?
  var minutes: SmallMap<ID<Person>, Int> = [:]
  var window = TimeSpan()
  var hours: Hours?

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("id", \.id)
    field("title", \.title, Limits.eventTitle)
    field("description", \.description, Limits.eventNote)
    field("minutes", \.minutes, 1...Limits.members)
    field("window", \.window)
    field("hours", \.hours)
  }

  func check(_ problems: Problems, in home: inout HouseholdState, _ context: Context) {
    for (person, minutes) in minutes {
      if !home.membership.members.contains(person) { problems.note("minutes.\(person)", "must be of a member") }
      if !Limits.specialMinutes.contains(minutes) {
        problems.note("minutes.\(person)", Int.limitText(Limits.specialMinutes))
      }
    }
    let longest = minutes.values.filter(Limits.specialMinutes.contains).max() ?? 0
    if window != TimeSpan() {
      if window.to <= context.now { problems.note("window.to", "must not be over") }
      if window.to > context.now + .seconds(Limits.specialEventDays * 24 * 3600) {
        problems.note("window.to", "must be at most \(Limits.specialEventDays) days from now")
      }
      if window.to - window.from < .seconds(60 * longest) {
        problems.note("window", "must not be shorter than the event")
      }
    }
    guard let hours else { return }
    guard let range = hours.minutes else { return problems.note("hours.to", "must be later than from") }
    if range.upperBound - range.lowerBound < longest { problems.note("hours", "must not be shorter than the event") }
  }

  private func event(by context: Context) -> SpecialEvent {
    SpecialEvent(
      title: title.text, description: description?.text, minutes: minutes, window: window, hours: hours,
      author: context.person, at: context.now)
  }

  func apply(to home: inout HouseholdState, in context: Context) throws(Refusal) -> SpecialEventAnswer {
    _ = try home.caller(context)
    let id = context.newID(id)
    try home.checkNew(id)
    if home.specialEvents.special.count >= Limits.specialEvents {
      throw .full("specialEvents", "At most \(Limits.specialEvents) special events wait for their time.")
    }
    let event = event(by: context)
    home.specialEvents.add(event, as: id)
    home.happened(.specialEventAdded, by: context.person, ref: id.cast(), in: context)
    home.notify(Set(event.minutes.keys), .specialEvent, id.cast(), named: event.title, in: context)
    return SpecialEventAnswer(id: id)
  }
}

/// Says when the caller cannot come to a special event, in place of what they have said before (CHO-22).
struct SayBusy: Mutation {
  static let method: StaticString = "specialEvents.busy"
  static let summary: StaticString =
    "Says when the caller cannot come to a special event, in place of what they have said before (CHO-22)."
  var id = ID<SpecialEvent>()
  var intervals: [TimeSpan] = []

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("id", \.id)
    field("intervals", \.intervals, 0...Limits.busyTimes)
  }

  func check(_ problems: Problems, in home: inout HouseholdState, _ context: Context) {
    for (index, time) in intervals.enumerated() where time.to <= time.from {
      problems.note("intervals.\(index).to", "must be later than from")
    }
  }

  func apply(to home: inout HouseholdState, in context: Context) throws(Refusal) -> NoAnswer {
    _ = try home.caller(context)
    let event = try home.specialEvents.event(id, at: context.now)
    guard event.minutes.contains(context.person) else {
      throw Refusal(.forbidden, "forbidden", "Only those whom a special event concerns may do this.")
    }
    home.specialEvents.special[id]?.busy[context.person] = TimeSpan.union(intervals, within: event.window)
    // They have answered.
    context.send(Resolve(ref: id.cast()), to: .person(context.person))
    return NoAnswer()
  }
}

/// Finds the times of a special event at which most can come, the first of them first (CHO-22).
struct FindSlots: Question {
  static let method: StaticString = "specialEvents.slots"
  static let summary: StaticString =
    "Finds the times of a special event at which most can come, the first of them first (CHO-22)."
  var id = ID<SpecialEvent>()
  var limit: Int?

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("id", \.id)
    field("limit", \.limit, Limits.slots)
  }

  func answer(from home: HouseholdState, in inquiry: Inquiry) throws(Refusal) -> SlotList {
    let event = try home.specialEvents.event(id, at: inquiry.now)
    let search = home.search(for: event, at: inquiry.now)
    let starts = search.best(limit ?? Limits.usualSlots) { home.isWithinHours($0, of: event) }
    let slots = starts.map { start in
      let people = search.people.filter { $0.canCome(at: start) }.map(\.id)
      return Slot(start: start, end: start + event.duration, people: people.sorted())
    }
    return SlotList(items: slots)
  }
}

struct SlotList: Record {
  var items: [Slot] = []

  static func fields(_ field: inout some FieldVisitor<Self>) { field("items", \.items) }
}

/// A time at which a special event can take place, and the people who can come.
struct Slot: Record {
  var start = Instant()
  var end = Instant()
  var people: [ID<Person>] = []

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("start", \.start)
    field("end", \.end)
    field("people", \.people)
  }
}

/// Chooses the time of a special event, which goes into the calendar; its author and the host may (CHO-22, HH-15).
struct ConfirmSpecialEvent: Mutation {
  static let method: StaticString = "specialEvents.confirm"
  static let summary: StaticString =
    "Chooses the time of a special event, which goes into the calendar; its author and the host may (CHO-22, HH-15)."
  var id = ID<SpecialEvent>()
  var start = Instant()
  /// The id of the event in the calendar.
  var event: ID<Event>?

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("id", \.id)
    field("start", \.start)
    field("event", \.event)
  }

  func check(_ problems: Problems, in home: inout HouseholdState, _ context: Context) {
    guard start != Instant(), let event = home.specialEvents.special[id], event.window.to > context.now else { return }
    guard home.search(for: event, at: context.now).isPossible(start), home.isWithinHours(start, of: event) else {
      return problems.note("start", "must be a quarter of an hour from now on, and leave time within window and hours")
    }
  }

  func apply(to home: inout HouseholdState, in context: Context) throws(Refusal) -> EventAnswer {
    let special = try home.specialEvents.event(id, at: context.now)
    try home.require(authorOrHost: special.author, context)
    let eventID = context.newID(event)
    try home.checkNew(eventID)
    home.endSpecialEvent(id, in: context)
    try home.carryOut(special, from: start, as: eventID, in: context)
    return EventAnswer(id: eventID)
  }
}

/// Cancels a special event before its time was found; its author and the host may (CHO-22, HH-15).
struct CancelSpecialEvent: Mutation {
  static let method: StaticString = "specialEvents.cancel"
  static let summary: StaticString =
    "Cancels a special event before its time was found; its author and the host may (CHO-22, HH-15)."
  var id = ID<SpecialEvent>()

  static func fields(_ field: inout some FieldVisitor<Self>) { field("id", \.id) }

  func apply(to home: inout HouseholdState, in context: Context) throws(Refusal) -> NoAnswer {
    let special = try home.specialEvents.event(id, at: context.now)
    try home.require(authorOrHost: special.author, context)
    home.endSpecialEvent(id, in: context)
    let people = Set(special.minutes.keys).union([special.author])
    home.notify(people, .specialEventCancelled, id.cast(), named: special.title, in: context)
    return NoAnswer()
  }
}

extension HouseholdState {
  /// The search for the time of a special event, from now on. Members who are away cannot come (HH-12).
  fileprivate func search(for event: SpecialEvent, at now: Instant) -> SlotSearch {
    let people = event.minutes.map { person, minutes in
      var busy = event.busy[person] ?? []
      if let away = membership.members[person]?.away {
        busy.append(TimeSpan(from: zone.instant(away.from), to: zone.end(of: away.to)))
      }
      return SlotSearch.Participant(id: person, needed: .seconds(60 * minutes), busy: busy)
    }
    return SlotSearch(window: TimeSpan(from: max(event.window.from, now), to: event.window.to), people: people)
  }

  /// Whether a special event that begins at an instant is within its hours of one day.
  ///
  /// Never in the hour that the clocks show twice: its time in the calendar would not say which of the two is meant.
  fileprivate func isWithinHours(_ start: Instant, of event: SpecialEvent) -> Bool {
    let zone = zone
    let (first, last) = (zone.local(start), zone.local(start + event.duration))
    if let hours = event.hours?.minutes {
      guard first.day == last.day, hours.contains(first.minute), hours.contains(last.minute) else { return false }
    }
    return zone.instant(first.day, minute: first.minute) == start
      && zone.instant(last.day, minute: last.minute) == start + event.duration
  }

  /// Makes of a special event what it is for: an event in the calendar.
  fileprivate mutating func carryOut(
    _ special: SpecialEvent, from start: Instant, as id: ID<Event>, in context: Context
  ) throws(Refusal) {
    let (first, last) = (zone.local(start), zone.local(start + special.duration))
    let event = Event(
      title: special.title, start: EventTime(day: first.day, minute: first.minute),
      end: EventTime(day: last.day, minute: last.minute), who: SmallSet(special.minutes.keys),
      note: special.description, author: special.author, at: context.now)
    try put(event, as: id, in: context)
    // Everybody's part is a chore of theirs.
    for person in special.minutes.keys.sorted() where membership.members.contains(person) {
      try chores.checkSpace()
      let chore = Chore(
        name: special.title, note: special.description, author: special.author, at: context.now, date: first.day,
        time: LocalTime(minute: first.minute), people: [person])
      put(chore, as: context.newID(), first: context.newID(), in: context)
    }
  }

  /// Ends a special event that was confirmed or cancelled, or whose window is over.
  mutating func endSpecialEvent(_ id: ID<SpecialEvent>, in context: Context) {
    specialEvents.special[id] = nil
    forget(id, in: context)
    resolve(id.cast(), in: context)
  }

  /// Takes a person out of the special events who is no longer a member.
  mutating func leaveSpecialEvents(_ person: ID<Person>, in context: Context) {
    for id in specialEvents.forget(person) { endSpecialEvent(id, in: context) }
  }
}

extension TimeSpan {
  /// The times within a window, in order and without overlap.
  fileprivate static func union(_ times: [TimeSpan], within window: TimeSpan) -> [TimeSpan] {
    let cut = times.map { TimeSpan(from: max($0.from, window.from), to: min($0.to, window.to)) }
    var union: [TimeSpan] = []
    for time in cut.sorted(by: { $0.from < $1.from }) where time.from < time.to {
      if let last = union.last, time.from <= last.to {
        union[union.count - 1].to = max(last.to, time.to)
      } else {
        union.append(time)
      }
    }
    return union
  }
}
