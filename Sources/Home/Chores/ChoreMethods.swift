import JSON
import Rooms

extension Chores {
  static let methods: [Method] = [
    .of(AddChore.self), .of(EditChore.self), .of(MoveChore.self), .of(RemoveChore.self), .of(RestoreChore.self),
    .of(CompleteChore.self), .of(ApproveChore.self), .of(SkipChore.self), .of(ClaimChore.self), .of(ReleaseChore.self),
    .of(UndoChore.self), .of(RateChore.self), .of(ForgetChoreName.self), .question(ListChoreHistory.self),
    .question(CountChores.self), .question(ScoreChores.self),
  ]
}

struct ChoreAnswer: Record {
  var id = ID<Chore>()
  /// The open occurrence, and the members who are to do it.
  var occurrence = ID<Occurrence>()
  var people: [ID<Person>] = []

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("id", \.id)
    field("occurrence", \.occurrence)
    field("people", \.people)
  }
}

/// Puts a chore on the list, and its name in the catalogue; all other members are notified (CHO-2 to CHO-7).
struct AddChore: Mutation {
  static let method: StaticString = "chores.add"
  static let summary: StaticString =
    "Puts a chore on the list, and its name in the catalogue; all other members are notified (CHO-2 to CHO-7)."
  var id: ID<Chore>?
  /// The id of its first occurrence.
  var occurrence: ID<Occurrence>?
  var chore = ChoreForm()

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("id", \.id)
    field("occurrence", \.occurrence)
    field("chore", \.chore)
  }

  func check(_ problems: Problems, in home: inout HouseholdState, _ context: Context) {
    // A form that could not be read is reported already.
    if problems.names("chore") { return }
    if chore.name == .unchanged { problems.note("chore.name", "missing") }
    chore.check(problems, from: Chore(), in: home, context.now)
  }

  func apply(to home: inout HouseholdState, in context: Context) throws(Refusal) -> ChoreAnswer {
    _ = try home.caller(context)
    let (id, occurrenceID) = (context.newID(id), context.newID(occurrence))
    try home.checkNew(id)
    try home.checkNew(occurrenceID)
    if id.cast() == occurrenceID { throw .exists }
    try home.chores.checkSpace()
    var added = Chore(author: context.person, at: context.now)
    chore.apply(to: &added)
    home.put(added, as: id, first: occurrenceID, in: context)
    home.happened(.choreAdded, by: context.person, ref: id.cast(), named: added.name, in: context)
    home.tellOthers(.choreAdded, id.cast(), added, in: context)
    return ChoreAnswer(
      id: id, occurrence: occurrenceID, people: home.chores.occurrences[occurrenceID]?.people ?? [])
  }
}

/// Changes a chore; what is left out stays as it is (CHO-11).
struct EditChore: Mutation {
  static let method: StaticString = "chores.edit"
  static let summary: StaticString = "Changes a chore; what is left out stays as it is (CHO-11)."
  var id = ID<Chore>()
  var chore = ChoreForm()
  /// The open occurrence keeps its date and its people.
  var fromNext: Bool?

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("id", \.id)
    field("chore", \.chore)
    field("fromNext", \.fromNext)
  }

  func check(_ problems: Problems, in home: inout HouseholdState, _ context: Context) {
    if let before = home.chores.chores[id], !problems.names("chore") {
      chore.check(problems, from: before, in: home, context.now)
    }
  }

  func apply(to home: inout HouseholdState, in context: Context) throws(Refusal) -> NoAnswer {
    let before = try home.chores.changeable(id)
    try home.require(authorOrHost: before.author, context)
    var changed = before
    chore.apply(to: &changed)
    if changed == before { return NoAnswer() }
    if changed.name != before.name || changed.essential != before.essential {
      changed.task = home.chores.rename(
        before.task, to: changed.name, changed.essential, context.newID(), at: context.now)
    }
    if chore.date != .unchanged || before.date == nil { changed.first = changed.date }
    if chore.recurrence != .unchanged { changed.number = 1 }
    changed.editedBy = context.person
    changed.editedAt = context.now
    home.chores.chores[id] = changed
    guard fromNext != true, let open = home.chores.occurrence(of: id) else { return NoAnswer() }
    if chore.changesDates || chore.graceHours != .unchanged {
      // A change of the rule alone leaves this date where it is.
      let date = chore.date == .unchanged ? open.value.date ?? changed.date : changed.date
      home.move(open.key, to: changed.isStanding == true ? nil : date, in: context)
    }
    if chore.changesPeople { home.giveAnew(open.key, in: context) }
    return NoAnswer()
  }
}

/// Moves one occurrence to another day; the later ones stay where they are (CHO-12).
struct MoveChore: Mutation {
  static let method: StaticString = "chores.move"
  static let summary: StaticString =
    "Moves one occurrence to another day; the later ones stay where they are (CHO-12)."
  var id = ID<Occurrence>()
  var date = LocalDay()

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("id", \.id)
    field("date", \.date)
  }

  func check(_ problems: Problems, in home: inout HouseholdState, _ context: Context) {
    guard date.number != nil else { return }
    let days = home.zone.day(at: context.now).days(to: date)
    if days < 0 { problems.note("date", "must not be over") }
    if days > Limits.choreDays { problems.note("date", "must be at most \(Limits.choreDays) days from today") }
  }

  func apply(to home: inout HouseholdState, in context: Context) throws(Refusal) -> NoAnswer {
    _ = try home.caller(context)
    let (occurrence, chore) = try home.chores.open(id)
    try home.requireEntitled(to: occurrence, of: chore, context)
    if chore.isStanding == true { throw .invalid("date", "is not for a chore without dates") }
    if chore.date == nil {
      home.chores.chores[occurrence.chore]?.date = date
      home.chores.chores[occurrence.chore]?.first = date
    }
    home.move(id, to: date, in: context)
    return NoAnswer()
  }
}

/// Takes a chore off the list, or only one occurrence of it; the history stays (CHO-10).
struct RemoveChore: Mutation {
  static let method: StaticString = "chores.remove"
  static let summary: StaticString =
    "Takes a chore off the list, or only one occurrence of it; the history stays (CHO-10)."
  var id = ID<Chore>()
  /// Only this occurrence: the next one takes its place.
  var occurrence: ID<Occurrence>?

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("id", \.id)
    field("occurrence", \.occurrence)
  }

  func apply(to home: inout HouseholdState, in context: Context) throws(Refusal) -> NoAnswer {
    let chore = try home.chores.changeable(id)
    try home.require(authorOrHost: chore.author, context)
    if let occurrence {
      guard try home.chores.open(occurrence).occurrence.chore == id else { throw .gone("This chore") }
      home.end(occurrence, .init(kind: .removed, by: context.person, at: context.now), in: context)
    } else {
      if let open = home.chores.occurrence(of: id) {
        home.withdraw(open.key, open.value, in: context)
        home.forget(open.key, in: context)
      }
      home.chores.takeOff(id, chore, by: context.person, at: context.now)
      home.forget(id, in: context)
      home.resolve(id.cast(), in: context)
    }
    home.happened(.choreRemoved, by: context.person, ref: id.cast(), named: chore.name, in: context)
    home.tellOthers(.choreRemoved, id.cast(), chore, in: context)
    return NoAnswer()
  }
}

/// Brings a chore back that was taken off the list in the last ten minutes, under a new id (R-DEL).
struct RestoreChore: Mutation {
  static let method: StaticString = "chores.restore"
  static let summary: StaticString =
    "Brings a chore back that was taken off the list in the last ten minutes, under a new id (R-DEL)."
  var id = ID<Chore>()
  /// The new id of the chore.
  var newID: ID<Chore>?

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("id", \.id)
    field("newId", \.newID)
  }

  func apply(to home: inout HouseholdState, in context: Context) throws(Refusal) -> ChoreAnswer {
    guard let removed = home.chores.removed[id], removed.end > context.now else { throw .gone("This chore") }
    guard removed.removedBy == context.person || removed.chore.author == context.person || home.isHost(context.person)
    else { throw .forbidden }
    let newID = context.newID(newID)
    try home.checkNew(newID)
    try home.chores.checkSpace()
    home.chores.removed[id] = nil
    let occurrence: ID<Occurrence> = context.newID()
    home.bringBack(removed.chore, as: newID, was: id, in: context)
    if var open = removed.occurrence {
      open.chore = newID
      home.reopen(open, as: occurrence, in: context)
    } else {
      home.open(occurrence, of: newID, on: removed.chore.date, in: context)
    }
    return ChoreAnswer(id: newID, occurrence: occurrence, people: home.chores.occurrences[occurrence]?.people ?? [])
  }
}

extension HouseholdState {
  /// Puts a chore on the list, with its first occurrence.
  mutating func put(_ chore: Chore, as id: ID<Chore>, first: ID<Occurrence>, in context: Context) {
    var chore = chore
    chore.first = chore.date
    chore.task = chores.task(named: chore.name, chore.essential, adding: 1, context.newID(), at: context.now)
    chores.chores[id] = chore
    open(first, of: id, on: chore.date, in: context)
  }

  /// Refuses a caller who neither wrote the chore nor is to do it, nor is the host (HH-15).
  func requireEntitled(to occurrence: Occurrence, of chore: Chore, _ context: Context) throws(Refusal) {
    try chores.checkChangeable(chore)
    let isFree = occurrence.people.isEmpty || occurrence.people.contains(context.person)
    if !isFree { try require(authorOrHost: chore.author, context) }
  }

  /// Gives an occurrence another day, by the chore's time of now.
  mutating func move(_ id: ID<Occurrence>, to day: LocalDay?, in context: Context) {
    guard var occurrence = chores.occurrences[id], let chore = chores.chores[occurrence.chore] else { return }
    let dueAt = day.map { chore.dueAt($0, zone) }
    for person in occurrence.people { context.send(Resolve(ref: id.cast()), to: .person(person)) }
    occurrence.date = day
    occurrence.dueAt = dueAt
    if dueAt.map({ chore.overdueAt($0) > context.now }) ?? true { occurrence.isOverdue = nil }
    reopen(occurrence, as: id, in: context)
  }

  /// Puts a chore on the list again; members who have left since are no longer named.
  mutating func bringBack(_ chore: Chore, as id: ID<Chore>, was: ID<Chore>, in context: Context) {
    var chore = chore
    chore.was = was
    chore.people.removeAll { !membership.members.contains($0) }
    if let turn = chore.turn, !membership.members.contains(turn) { chore.turn = nil }
    for day in chore.weekdays.keys.filter({ !membership.members.contains(chore.weekdays[$0] ?? ID()) }) {
      chore.weekdays[day] = nil
    }
    chore.task = chores.task(named: chore.name, chore.essential, adding: 0, context.newID(), at: context.now)
    chores.chores[id] = chore
  }
}
