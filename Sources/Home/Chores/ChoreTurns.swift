import JSON
import Rooms

/// The rules of chores that need the members: turns, the next occurrence, and notifications.
extension HouseholdState {
  // MARK: whose turn

  /// The turn that follows on another one.
  ///
  /// - Parameters:
  ///   - day: The day on which the chore is due; today for one without a date.
  ///   - leaver: A member who is about to leave, and takes no turn.
  private func turn(
    of chore: Chore, on day: LocalDay?, after last: ID<Person>?, _ lastDay: LocalDay? = nil, isPassedOn: Bool = false,
    without leaver: ID<Person>? = nil, in context: Context
  ) -> ChoreAssignment.Turn {
    if let person = chore.birthdayOf {
      return ChoreAssignment.Turn(people: celebrants(of: person).filter { $0 != leaver })
    }
    let today = zone.day(at: context.now)
    let (due, isByPoints) = (day ?? today, chore.strategy == .leastPoints)
    let assignment = ChoreAssignment(
      chore: chore, day: due,
      residents: membership.members.filter { $0.value.guestOf == nil }
        .sorted { ($0.value.joinedAt, $0.key) < ($1.value.joinedAt, $1.key) }.map(\.key),
      present: { person in
        guard membership.members.contains(person), person != leaver else { return nil }
        return isAway(person, on: due) ? standIn(for: person, on: due).flatMap { $0 == leaver ? nil : $0 } : person
      },
      done: { chores.done($0, of: isByPoints ? nil : chore.task, today: today) },
      draw: { Int(context.newID(nil as ID<Thing>?).low % UInt64($0)) })
    return assignment.next(after: last, on: lastDay, isPassedOn: isPassedOn)
  }

  /// Gives an occurrence to the members whose turn it is, and tells them when it is due.
  fileprivate mutating func give(
    _ turn: ChoreAssignment.Turn, _ occurrence: Occurrence, _ id: ID<Occurrence>, in context: Context
  ) {
    guard var chore = chores.chores[occurrence.chore] else { return }
    var occurrence = occurrence
    occurrence.people = turn.people
    if chore.turn != turn.turn || turn.settled != nil {
      chore.turn = turn.turn
      if let settled = turn.settled { chore.swaps[settled] = nil }
      chores.chores[occurrence.chore] = chore
    }
    chores.put(occurrence, at: id)
    for person in turn.people { remind(person, of: occurrence, id, chore, in: context) }
    let isForNobody = chore.strategy != .open && !(chore.strategy == .fixed && chore.people.isEmpty)
    if turn.people.isEmpty, isForNobody { tellAll(.choreUnassigned, id, chore, in: context) }
  }

  /// Takes an occurrence from its members, and gives it to the next ones (R-ASSIGN).
  mutating func passOn(_ id: ID<Occurrence>, without leaver: ID<Person>? = nil, in context: Context) {
    guard let occurrence = chores.occurrences[id], let chore = chores.chores[occurrence.chore] else { return }
    for person in occurrence.people { context.send(Resolve(ref: id.cast()), to: .person(person)) }
    let next = turn(
      of: chore, on: occurrence.date, after: chore.turn, occurrence.date, isPassedOn: true, without: leaver,
      in: context)
    give(next, occurrence, id, in: context)
  }

  /// Gives the open occurrence of a chore out anew, as after a change of its people.
  mutating func giveAnew(_ id: ID<Occurrence>, in context: Context) {
    guard let occurrence = chores.occurrences[id], let chore = chores.chores[occurrence.chore] else { return }
    for person in occurrence.people { context.send(Resolve(ref: id.cast()), to: .person(person)) }
    give(turn(of: chore, on: occurrence.date, after: nil, in: context), occurrence, id, in: context)
  }

  // MARK: occurrences

  /// Makes an occurrence of a chore that is in the state.
  mutating func open(
    _ id: ID<Occurrence>, of choreID: ID<Chore>, on day: LocalDay?, after last: ID<Person>? = nil,
    _ lastDay: LocalDay? = nil, was: ID<Occurrence>? = nil, in context: Context
  ) {
    guard let chore = chores.chores[choreID] else { return }
    let occurrence = Occurrence(chore: choreID, date: day, dueAt: day.map { chore.dueAt($0, zone) }, was: was)
    noteZoneData()
    give(turn(of: chore, on: day, after: last, lastDay, in: context), occurrence, id, in: context)
  }

  /// Puts an occurrence back as it was, under a new id.
  mutating func reopen(_ occurrence: Occurrence, as id: ID<Occurrence>, in context: Context) {
    guard let chore = chores.chores[occurrence.chore] else { return }
    var occurrence = occurrence
    occurrence.people = occurrence.people.filter { membership.members.contains($0) }
    occurrence.dueAt = occurrence.date.map { chore.dueAt($0, zone) }
    noteZoneData()
    chores.put(occurrence, at: id)
    for person in occurrence.people { remind(person, of: occurrence, id, chore, in: context) }
  }

  /// Notes for which zone data the household's due times hold.
  mutating func noteZoneData() {
    if chores.upkeep.value.zoneData != ZoneTime.dataVersion { chores.upkeep.value.zoneData = ZoneTime.dataVersion }
  }

  /// How an occurrence ends.
  struct ChoreEnd {
    var kind = ChoreRecordKind.done
    /// The member who did it or skipped it; `nil` if its time is over.
    var by: ID<Person>?
    /// When it was done, at most now.
    var at: Instant
    var note: String?
    var minutes: Int?
    var basis: RecurrenceBasis?
    /// The doer and the member whose turn it was exchange their turns.
    var isSwap = false
    var approvedBy: ID<Person>?
  }

  /// Ends an occurrence: it goes to the history, and the next one of its chore comes (CHO-8). Returns that.
  @discardableResult mutating func end(
    _ id: ID<Occurrence>, _ end: ChoreEnd, in context: Context
  ) -> (id: ID<Occurrence>, date: LocalDay?)? {
    guard let occurrence = chores.occurrences[id], let before = chores.chores[occurrence.chore] else { return nil }
    var chore = before
    let next = next(of: &chore, after: occurrence, end, at: context.now)
    if end.isSwap, let doer = end.by, chore.swaps[doer] == nil { chore.swaps[doer] = occurrence.people.first }
    let points = credit(end, chore, in: context)
    chores.close(
      id,
      Closing(
        chore: occurrence.chore, kind: end.kind, by: end.by, at: context.now, day: zone.day(at: end.at), points: points,
        before: end.kind == .missed ? nil : ChoreBefore(chore: before, occurrence: occurrence)))
    if end.kind == .removed { forget(id, in: context) } else { forget(id, at: context.now) }
    if end.kind != .removed {
      record(end, id, occurrence, chore, points: points, missed: chore.missed - before.missed, in: context)
    }
    withdraw(id, occurrence, in: context)
    guard let next else {
      chores.chores[occurrence.chore] = nil
      forget(occurrence.chore, at: context.now)
      resolve(occurrence.chore.cast(), in: context)
      return nil
    }
    if end.kind == .missed { chore.missed += 1 }
    chores.chores[occurrence.chore] = chore
    let nextID: ID<Occurrence> = context.newID()
    open(
      nextID, of: occurrence.chore, on: next.day, after: chore.turn, occurrence.date, in: context)
    return (nextID, next.day)
  }

  /// When a chore comes again: `nil` if it does not. Notes in the chore how far its recurrence is.
  private func next(
    of chore: inout Chore, after occurrence: Occurrence, _ end: ChoreEnd, at now: Instant
  ) -> (day: LocalDay?, Void)? {
    guard var recurrence = chore.recurrence, let date = occurrence.date else {
      return chore.isStanding == true ? (nil, ()) : nil
    }
    recurrence.basis = end.basis ?? recurrence.basis
    let (done, unchanged) = (zone.day(at: end.at), chore)
    let found = recurrence.next(
      after: date, number: chore.number, from: chore.first ?? date, completed: done,
      // By the due time, what is due on this very day still comes; by the completion, that day is over.
      isOver: { recurrence.basis == .completion ? $0 <= done : unchanged.dueAt($0, zone) <= now })
    chore.first = found.first
    chore.number = found.number
    chore.missed += found.missed
    return found.day.map { ($0, ()) }
  }

  /// Counts a completion for its doer. Returns its points.
  private mutating func credit(_ end: ChoreEnd, _ chore: Chore, in context: Context) -> Int? {
    guard end.kind == .done, let doer = end.by, chore.birthdayOf == nil else { return nil }
    let points = info.facts.value.points == true ? chore.points : nil
    count(chore.task, by: doer, on: zone.day(at: end.at), points: points, 1, in: context)
    return points
  }

  private func record(
    _ end: ChoreEnd, _ id: ID<Occurrence>, _ occurrence: Occurrence, _ chore: Chore, points: Int?, missed: Int,
    in context: Context
  ) {
    let isLate = end.kind == .done && chore.isLate(end.at, dueAt: occurrence.dueAt)
    ChoreRecord(
      id: id, chore: occurrence.chore, task: chore.task, name: chore.name, essential: chore.essential,
      birthdayOf: chore.birthdayOf, kind: end.kind,
      by: end.by, people: occurrence.people, at: end.at, date: occurrence.date, dueAt: occurrence.dueAt,
      isLate: isLate ? true : nil, note: end.note, minutes: end.minutes, points: points,
      missed: missed > 0 ? missed : nil, approvedBy: end.approvedBy
    ).write(in: context)
  }

  /// One of several who must all do a chore has done it; the others still have to (CHO-4).
  ///
  /// - Returns: Whether others still have to.
  mutating func completePart(_ id: ID<Occurrence>, _ end: ChoreEnd, in context: Context) -> Bool {
    guard var occurrence = chores.occurrences[id], let chore = chores.chores[occurrence.chore], chore.needsAll == true,
      let doer = end.by, occurrence.people.contains(doer)
    else { return false }
    guard occurrence.people.contains(where: { $0 != doer && occurrence.doneBy[$0] == nil }) else { return false }
    occurrence.doneBy[doer] = end.at
    chores.put(occurrence, at: id)
    let points = credit(end, chore, in: context)
    record(end, Self.part(of: id, by: doer), occurrence, chore, points: points, missed: 0, in: context)
    context.send(Resolve(ref: id.cast()), to: .person(doer))
    return true
  }

  /// The id of the record of one member's part of an occurrence.
  static func part(of id: ID<Occurrence>, by person: ID<Person>) -> ID<Occurrence> {
    .derived("part of a chore", id.bytes + person.bytes)
  }

  // MARK: due times

  /// An occurrence is overdue: nobody may have claimed it, or it is skipped by itself (CHO-13, CHO-23).
  mutating func noteOverdue(_ id: ID<Occurrence>, in context: Context) {
    guard var occurrence = chores.occurrences[id], let chore = chores.chores[occurrence.chore] else { return }
    if chore.skipsItself == true, occurrence.completion == nil {
      end(id, ChoreEnd(kind: .missed, by: nil, at: context.now), in: context)
      return
    }
    occurrence.isOverdue = true
    chores.put(occurrence, at: id)
    if occurrence.people.isEmpty { tellAll(.choreUnclaimed, id, chore, in: context) }
  }

  /// Works out all due times by the household's clocks of now: the wall time of each stays (HH-18, R-REC).
  mutating func followClocks(in context: Context) {
    noteZoneData()
    membership.moveAbsences(to: info.facts.value.timeZone)
    moveChores(in: context)
    moveRecurringBills()
    moveMonthEnd(at: context.now)
  }

  private mutating func moveChores(in context: Context) {
    for (id, occurrence) in chores.occurrences {
      guard let chore = chores.chores[occurrence.chore], let date = occurrence.date else { continue }
      let dueAt = chore.dueAt(date, zone)
      if dueAt == occurrence.dueAt { continue }
      var occurrence = occurrence
      occurrence.dueAt = dueAt
      if chore.overdueAt(dueAt) > context.now { occurrence.isOverdue = nil }
      chores.put(occurrence, at: id)
      for person in occurrence.people { remind(person, of: occurrence, id, chore, in: context) }
    }
  }

  // MARK: members

  /// A member is about to leave: what they were to do goes to others, and no chore names them any longer (HH-10).
  mutating func leaveChores(_ person: ID<Person>, in context: Context) {
    for (id, occurrence) in chores.occurrences where occurrence.people.contains(person) {
      leave(id, occurrence, person, in: context)
    }
    for (id, chore) in chores.chores {
      var left = chore
      left.people.removeAll { $0 == person }
      if left.turn == person { left.turn = nil }
      for day in left.weekdays.keys.filter({ left.weekdays[$0] == person }) { left.weekdays[day] = nil }
      for other in left.swaps.keys.filter({ $0 == person || left.swaps[$0] == person }) { left.swaps[other] = nil }
      if left != chore { chores.chores[id] = left }
    }
    if chores.absences.contains(person) { chores.absences[person] = nil }
    if chores.stats.contains(person) { chores.stats[person] = nil }
  }

  private mutating func leave(
    _ id: ID<Occurrence>, _ occurrence: Occurrence, _ person: ID<Person>, in context: Context
  ) {
    guard let chore = chores.chores[occurrence.chore] else { return }
    if chore.strategy == .open || occurrence.people.count > 1 || chore.strategy == .fixed {
      var occurrence = occurrence
      occurrence.people.removeAll { $0 == person }
      occurrence.doneBy[person] = nil
      chores.put(occurrence, at: id)
      let isDone = occurrence.people.allSatisfy { occurrence.doneBy[$0] != nil }
      if chore.needsAll == true, !occurrence.people.isEmpty, isDone {
        end(id, ChoreEnd(by: nil, at: context.now), in: context)
      } else if occurrence.people.isEmpty, chore.strategy == .fixed {
        tellAll(.choreUnassigned, id, chore, without: person, in: context)
      }
    } else {
      passOn(id, without: person, in: context)
    }
  }

  /// A member is away for some days: their turns of these days pass on, and are not made up for (R-ASSIGN).
  mutating func passOnTurns(of person: ID<Person>, in context: Context) {
    for (id, occurrence) in chores.occurrences where occurrence.people.contains(person) {
      guard let chore = chores.chores[occurrence.chore], chore.strategy != .open, chore.needsAll != true,
        let date = occurrence.date, isAway(person, on: date)
      else { continue }
      if chore.strategy == .fixed, occurrence.people.count > 1 { continue }
      if let standIn = standIn(for: person, on: date) {
        context.send(Resolve(ref: id.cast()), to: .person(person))
        give(ChoreAssignment.Turn(people: [standIn], turn: chore.turn), occurrence, id, in: context)
      } else {
        passOn(id, in: context)
      }
    }
  }

  /// A member is there, after all, on days to come of an absence: the turns of their stand-in are theirs again (HH-12).
  mutating func takeBackTurns(of person: ID<Person>, after before: Absence, in context: Context) {
    let guest = membership.members.keys { $0.guestOf == person }.min()
    guard let standIn = before.delegate ?? guest else { return }
    let today = zone.day(at: context.now)
    for (id, occurrence) in chores.occurrences where occurrence.people == [standIn] && occurrence.doneBy.isEmpty {
      guard let chore = chores.chores[occurrence.chore], let date = occurrence.date,
        max(before.from, today) <= date, date <= before.to, !isAway(person, on: date)
      else { continue }
      let isTheirs = chore.strategy == .fixed ? chore.people == [person] : chore.turn == person
      if !isTheirs || occurrence.completion != nil { continue }
      context.send(Resolve(ref: id.cast()), to: .person(standIn))
      give(ChoreAssignment.Turn(people: [person], turn: chore.turn), occurrence, id, in: context)
    }
  }

  /// Notes days of absence that are over: they do not count for whose turn it is (HH-12).
  mutating func noteAbsence(of person: ID<Person>, at now: Instant) {
    guard let away = membership.members[person]?.away else { return }
    let today = zone.day(at: now)
    var past = chores.absences[person] ?? PastAbsences()
    past.add(away.from, min(away.to, today), keptFrom: today.adding(-Limits.absenceDays))
    if !past.days.isEmpty { chores.absences[person] = past }
  }

  // MARK: being told

  /// Tells a member on what day an occurrence is due; their own room reminds them at their hour (CHO-16).
  func remind(
    _ person: ID<Person>, of occurrence: Occurrence, _ id: ID<Occurrence>, _ chore: Chore, in context: Context
  ) {
    guard !dismissal.isDismissed, let day = occurrence.date, let dueAt = occurrence.dueAt,
      occurrence.doneBy[person] == nil
    else { return }
    if let birthday = chore.birthdayOf {
      return remindOfBirthday(person, of: birthday, occurrence, id, in: context)
    }
    let reminder = Reminder(
      day: day, dueAt: dueAt, zone: info.facts.value.timeZone, name: chore.name, isUrgent: chore.isUrgent)
    context.send(SetReminder(ref: id.cast(), reminder: reminder), to: .person(person))
  }

  /// Tells all members what is due, as after they come back to the household.
  func remindAll(in context: Context) {
    for (id, occurrence) in chores.occurrences {
      guard let chore = chores.chores[occurrence.chore] else { continue }
      for person in occurrence.people { remind(person, of: occurrence, id, chore, in: context) }
    }
  }

  /// Resolves the notifications about an occurrence, for all members who have any (REM-6).
  func withdraw(_ id: ID<Occurrence>, _ occurrence: Occurrence, in context: Context) {
    if occurrence.people.isEmpty || occurrence.isOverdue == true || occurrence.completion != nil {
      resolve(id.cast(), in: context)
    } else {
      for person in occurrence.people { context.send(Resolve(ref: id.cast()), to: .person(person)) }
    }
  }

  private func tellAll(
    _ kind: NotificationKind, _ id: ID<Occurrence>, _ chore: Chore, without leaver: ID<Person>? = nil,
    in context: Context
  ) {
    if dismissal.isDismissed { return }
    let notification = Notification(
      kind: kind, room: context.room.name, ref: id.cast(), at: context.now, name: chore.name, isUrgent: chore.isUrgent)
    for person in membership.members.keys where person != leaver { notify(person, notification, in: context) }
  }

  /// Tells all others what a member has done with a chore.
  func tellOthers(_ kind: NotificationKind, _ ref: ID<Thing>, _ chore: Chore, in context: Context) {
    // Of a birthday members hear at its times and at no others (CHO-21).
    if chore.birthdayOf != nil { return }
    let notification = Notification(
      kind: kind, room: context.room.name, ref: ref, actor: context.caller,
      actorName: membership.members[context.person]?.name, at: context.now, name: chore.name, isUrgent: chore.isUrgent)
    for person in membership.members.keys where person != context.person { notify(person, notification, in: context) }
  }
}
