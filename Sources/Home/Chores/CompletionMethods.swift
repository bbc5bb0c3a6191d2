import JSON
import Rooms

/// The answer to a call that ends an occurrence.
struct CompletionAnswer: Record {
  /// The next occurrence, and its day; absent if the chore does not come again.
  var next: ID<Occurrence>?
  var date: LocalDay?
  /// Others still have to do their part, or to approve it.
  var isWaiting: Bool?

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("next", \.next)
    field("date", \.date)
    field("waiting", \.isWaiting)
  }
}

/// Marks a chore as done; the next occurrence comes in the same change (CHO-8, CHO-9, CHO-12).
struct CompleteChore: Mutation {
  static let method: StaticString = "chores.complete"
  static let summary: StaticString =
    "Marks a chore as done; the next occurrence comes in the same change (CHO-8, CHO-9, CHO-12)."
  var id = ID<Occurrence>()
  /// When it was done, if not now.
  var doneAt: Instant?
  var note: Prose?
  var minutes: Int?
  /// From where the recurrence goes on, in place of what the chore says.
  var basis: RecurrenceBasis?
  /// The caller and the member whose turn it is exchange their turns.
  var swap: Bool?

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("id", \.id)
    field("doneAt", \.doneAt)
    field("note", \.note, Limits.choreNote)
    field("minutes", \.minutes, Limits.choreMinutes)
    field("basis", \.basis)
    field("swap", \.swap)
  }

  func check(_ problems: Problems, in home: inout HouseholdState, _ context: Context) {
    guard let doneAt else { return }
    // A phone's clock may be a little fast.
    if doneAt - context.now > Limits.clockTolerance { problems.note("doneAt", "must not be in the future") }
    if context.now - doneAt > Limits.choreBackdating { problems.note("doneAt", "must be at most 30 days ago") }
  }

  func apply(to home: inout HouseholdState, in context: Context) throws(Refusal) -> CompletionAnswer {
    _ = try home.caller(context)
    let (occurrence, chore) = try home.chores.open(id)
    if let first = occurrence.completion { throw Closing(by: first.by, at: first.at).refusal }
    if let at = occurrence.doneBy[context.person] { throw Closing(by: context.person, at: at).refusal }
    let completion = Completion(
      by: context.person, at: min(doneAt ?? context.now, context.now), note: note?.text, minutes: minutes, basis: basis,
      swap: swap == true ? true : nil)
    if swap == true { try home.checkSwap(with: context.person, occurrence, chore) }
    if chore.needsApproval == true, home.membership.members.count > 1 {
      var occurrence = occurrence
      occurrence.completion = completion
      occurrence.rejection = nil
      home.chores.put(occurrence, at: id)
      home.tellOthers(.choreToApprove, id.cast(), chore, in: context)
      return CompletionAnswer(isWaiting: true)
    }
    return home.finish(id, completion, in: context)
  }
}

/// Approves another member's completion, or opens the chore again (CHO-20).
struct ApproveChore: Mutation {
  static let method: StaticString = "chores.approve"
  static let summary: StaticString = "Approves another member's completion, or opens the chore again (CHO-20)."
  var id = ID<Occurrence>()
  var isApproved = false
  /// Why not.
  var note: Prose?

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("id", \.id)
    field("approved", \.isApproved)
    field("note", \.note, Limits.choreNote)
  }

  func apply(to home: inout HouseholdState, in context: Context) throws(Refusal) -> CompletionAnswer {
    _ = try home.caller(context)
    var (occurrence, chore) = try home.chores.open(id)
    guard let completion = occurrence.completion else {
      throw Refusal(.conflict, "notDone", "Nobody says that this chore is done.")
    }
    if completion.by == context.person { throw Refusal(.forbidden, "yourself", "Another member approves it.") }
    home.resolve(id.cast(), in: context)
    if isApproved { return home.finish(id, completion, approvedBy: context.person, in: context) }
    occurrence.completion = nil
    occurrence.rejection = note?.text
    home.chores.put(occurrence, at: id)
    let notification = Notification(
      kind: .choreRejected, room: context.room.name, ref: id.cast(), actor: context.person,
      actorName: home.membership.members[context.person]?.name, at: context.now, name: chore.name)
    if home.membership.members.contains(completion.by) { home.notify(completion.by, notification, in: context) }
    return CompletionAnswer(isWaiting: true)
  }
}

/// Skips an occurrence: the turn passes, and nobody gets credit (CHO-23).
struct SkipChore: Mutation {
  static let method: StaticString = "chores.skip"
  static let summary: StaticString = "Skips an occurrence: the turn passes, and nobody gets credit (CHO-23)."
  var id = ID<Occurrence>()
  var note: Prose?

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("id", \.id)
    field("note", \.note, Limits.choreNote)
  }

  func apply(to home: inout HouseholdState, in context: Context) throws(Refusal) -> CompletionAnswer {
    _ = try home.caller(context)
    let (occurrence, chore) = try home.chores.open(id)
    try home.requireEntitled(to: occurrence, of: chore, context)
    let skip = HouseholdState.ChoreEnd(kind: .skipped, by: context.person, at: context.now, note: note?.text)
    let next = home.end(id, skip, in: context)
    return CompletionAnswer(next: next?.id, date: next?.date)
  }
}

/// Takes a chore that nobody has, or takes over that of the member whom `from` names (CHO-13).
struct ClaimChore: Mutation {
  static let method: StaticString = "chores.claim"
  static let summary: StaticString =
    "Takes a chore that nobody has, or takes over that of the member whom `from` names (CHO-13)."
  var id = ID<Occurrence>()
  /// The member who is to do it, as the caller saw it.
  var from: ID<Person>?

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("id", \.id)
    field("from", \.from)
  }

  func apply(to home: inout HouseholdState, in context: Context) throws(Refusal) -> NoAnswer {
    _ = try home.caller(context)
    var (occurrence, _) = try home.chores.open(id)
    if occurrence.people == [context.person] { return NoAnswer() }
    guard occurrence.people.isEmpty || from.map(occurrence.people.contains) ?? false else {
      var refusal = Refusal(.conflict, "alreadyClaimed", "Somebody else has this chore.")
      if let person = occurrence.people.first { refusal.details["by"] = .string(person.description) }
      throw refusal
    }
    home.withdraw(id, occurrence, in: context)
    if let from, let index = occurrence.people.firstIndex(of: from) { occurrence.people.remove(at: index) }
    if !occurrence.people.contains(context.person) { occurrence.people.append(context.person) }
    home.reopen(occurrence, as: id, in: context)
    return NoAnswer()
  }
}

/// Gives back a chore that the caller has claimed: another member may take it (CHO-13).
struct ReleaseChore: Mutation {
  static let method: StaticString = "chores.release"
  static let summary: StaticString =
    "Gives back a chore that the caller has claimed: another member may take it (CHO-13)."
  var id = ID<Occurrence>()

  static func fields(_ field: inout some FieldVisitor<Self>) { field("id", \.id) }

  func apply(to home: inout HouseholdState, in context: Context) throws(Refusal) -> NoAnswer {
    _ = try home.caller(context)
    var (occurrence, _) = try home.chores.open(id)
    guard occurrence.people.contains(context.person) else {
      throw Refusal(.conflict, "notClaimed", "The caller does not have this chore.")
    }
    home.withdraw(id, occurrence, in: context)
    occurrence.people.removeAll { $0 == context.person }
    home.reopen(occurrence, as: id, in: context)
    return NoAnswer()
  }
}

/// Undoes the end of an occurrence, under a new id: its doer and the host may, until the next one is over (CHO-24).
struct UndoChore: Mutation {
  static let method: StaticString = "chores.undo"
  static let summary: StaticString =
    "Undoes the end of an occurrence, under a new id: its doer and the host may, until the next one is over (CHO-24)."
  var id = ID<Occurrence>()
  /// The new id of the occurrence.
  var newID: ID<Occurrence>?

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("id", \.id)
    field("newId", \.newID)
  }

  func apply(to home: inout HouseholdState, in context: Context) throws(Refusal) -> ChoreAnswer {
    _ = try home.caller(context)
    if let open = home.chores.occurrences[id] { return try home.takeBack(id, open, in: context) }
    guard let closing = home.chores.closings[id] else { throw .gone("This chore") }
    guard closing.by == context.person || home.isHost(context.person) else { throw .forbidden }
    guard let before = closing.before else {
      throw Refusal(.conflict, "nextDone", "The next occurrence of this chore is over, too.")
    }
    if closing.kind == .removed, context.now - closing.at >= Limits.undo { throw .gone("This chore") }
    let newID = context.newID(newID)
    try home.checkNew(newID)
    if home.chores.chores[closing.chore] == nil { try home.chores.checkSpace() }
    return home.undo(id, closing, before, as: newID, in: context)
  }
}

extension HouseholdState {
  fileprivate func checkSwap(
    with person: ID<Person>, _ occurrence: Occurrence, _ chore: Chore
  ) throws(Refusal) {
    if chore.strategy != .roundRobin { throw .invalid("swap", "needs a chore whose strategy is roundRobin") }
    guard let owner = occurrence.people.first, owner != person else {
      throw Refusal(.conflict, "yourself", "It is the caller's own turn.")
    }
    let isInOrder = chore.people.isEmpty ? isResident(person) : chore.people.contains(person)
    if !isInOrder { throw Refusal(.conflict, "notInTurn", "The caller has no turn to give in exchange.") }
    if chore.swaps[person] != nil {
      throw Refusal(.conflict, "swapped", "The caller's next turn is exchanged already.")
    }
  }

  /// Ends an occurrence as done.
  fileprivate mutating func finish(
    _ id: ID<Occurrence>, _ completion: Completion, approvedBy: ID<Person>? = nil, in context: Context
  ) -> CompletionAnswer {
    guard let occurrence = chores.occurrences[id], let chore = chores.chores[occurrence.chore] else {
      return CompletionAnswer()
    }
    let end = ChoreEnd(
      by: completion.by, at: completion.at, note: completion.note, minutes: completion.minutes, basis: completion.basis,
      isSwap: completion.swap == true, approvedBy: approvedBy)
    if chore.birthdayOf == nil {
      happened(.choreDone, by: completion.by, ref: id.cast(), named: chore.name, in: context)
    }
    let isWaiting = completePart(id, end, in: context)
    let next = isWaiting ? nil : self.end(id, end, in: context)
    // At last: the end has resolved what was said of the occurrence before.
    tellOthers(.choreDone, id.cast(), chore, in: context)
    if isWaiting { return CompletionAnswer(isWaiting: true) }
    return CompletionAnswer(next: next?.id, date: next?.date)
  }

  /// Takes back what the caller has said of an occurrence that is still open: a completion that awaits approval, or
  /// their part of what all must do.
  fileprivate mutating func takeBack(
    _ id: ID<Occurrence>, _ open: Occurrence, in context: Context
  ) throws(Refusal) -> ChoreAnswer {
    let chore = try chores.chore(open.chore)
    var occurrence = open
    if let completion = open.completion {
      guard completion.by == context.person || isHost(context.person) else { throw .forbidden }
      occurrence.completion = nil
      resolve(id.cast(), in: context)
    } else if let at = open.doneBy[context.person] {
      occurrence.doneBy[context.person] = nil
      context.erase(ListChoreHistory.history, id: Self.part(of: id, by: context.person).bytes)
      let points = info.facts.value.points == true ? chore.points : nil
      count(chore.task, by: context.person, on: zone.day(at: at), points: points, -1, in: context)
      countRemoval(in: context)
    } else {
      throw Refusal(.conflict, "notDone", "The caller has not said that this chore is done.")
    }
    reopen(occurrence, as: id, in: context)
    return ChoreAnswer(id: open.chore, occurrence: id, people: occurrence.people)
  }

  fileprivate mutating func undo(
    _ id: ID<Occurrence>, _ closing: Closing, _ before: ChoreBefore, as newID: ID<Occurrence>, in context: Context
  ) -> ChoreAnswer {
    var choreID = closing.chore
    if var chore = chores.chores[choreID] {
      if let next = chores.occurrence(of: choreID) {
        withdraw(next.key, next.value, in: context)
        chores.occurrences[next.key] = nil
        forget(next.key, at: context.now)
      }
      chore.first = before.chore.first
      chore.number = before.chore.number
      chore.turn = before.chore.turn.flatMap { membership.members.contains($0) ? $0 : nil }
      chore.missed = before.chore.missed
      chore.swaps = before.chore.swaps
      chores.chores[choreID] = chore
    } else {
      choreID = context.newID()
      bringBack(before.chore, as: choreID, was: closing.chore, in: context)
    }
    if closing.kind == .done, before.chore.birthdayOf == nil, let doer = closing.by, let day = closing.day {
      count(before.chore.task, by: doer, on: day, points: closing.points, -1, in: context)
    }
    if closing.kind == .done { countRemoval(in: context) }
    if closing.kind != .removed { context.erase(ListChoreHistory.history, id: id.bytes) }
    chores.closings[id] = nil
    resolve(id.cast(), in: context)
    var occurrence = before.occurrence
    occurrence.chore = choreID
    occurrence.completion = nil
    occurrence.was = id
    reopen(occurrence, as: newID, in: context)
    return ChoreAnswer(id: choreID, occurrence: newID, people: chores.occurrences[newID]?.people ?? [])
  }
}
