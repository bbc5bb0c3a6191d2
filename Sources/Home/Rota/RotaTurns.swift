import JSON
import Rooms

/// The turns of a week: the schedule, and the members who are there (ROT-4, HH-12).
extension HouseholdState {
  /// The Monday of the week that it is in the household.
  func week(at now: Instant) -> LocalDay { zone.day(at: now).monday }

  /// The turns of a week, in the order of the tasks; none before the rota begins.
  func turns(in week: LocalDay) -> [RotaTurn] {
    guard let version = rota.version(in: week) else { return [] }
    return version.tasks.indices.map { turn(at: $0, of: version, in: week) }
  }

  /// The turn of a task in a week; `nil` if the rota does not have the task then.
  func turn(of task: ID<RotaTask>, in week: LocalDay) -> RotaTurn? {
    guard let version = rota.version(in: week), let index = version.tasks.firstIndex(of: task) else { return nil }
    return turn(at: index, of: version, in: week)
  }

  private func turn(at index: Int, of version: RotaVersion, in week: LocalDay) -> RotaTurn {
    let task = version.tasks[index]
    let marks = rota.week(week)
    let resident = version.schedule.resident(for: index, in: week).map { version.residents[$0] }
    let doer = marks.claims[task] ?? resident.flatMap { self.doer(for: $0, in: week) }
    return RotaTurn(
      task: task, name: rota.tasks[task]?.name ?? "", resident: resident, person: doer,
      isOpen: resident != nil && doer == nil ? true : nil, doneBy: marks.doneBy[task], doneAt: marks.doneAt[task])
  }

  /// The member who takes a resident's turn of a week. The turn is due on its Sunday: a resident who is away then has
  /// their stand-in do it, and one who has left has nobody.
  private func doer(for resident: ID<Person>, in week: LocalDay) -> ID<Person>? {
    let due = week.adding(6)
    if isAway(resident, on: due) { return standIn(for: resident, on: due) }
    return membership.members.contains(resident) ? resident : nil
  }
}

/// The ticks of the rota, which statistics count without points (STA-1, ROT-6).
extension HouseholdState {
  mutating func countTurn(_ turn: RotaTurn, by doer: ID<Person>, in week: LocalDay, _ context: Context) {
    let name = chores.task(named: turn.name, nil, adding: 0, context.newID(), at: context.now)
    rota.weeks[week.text]?.counted[turn.task] = name
    let today = zone.day(at: context.now)
    chores.count(name, by: doer, on: today, points: nil, 1, today: today)
  }

  mutating func uncountTurn(_ turn: RotaTurn, in week: LocalDay, at now: Instant) {
    guard let name = rota.week(week).counted[turn.task], let doer = turn.doneBy, let at = turn.doneAt else { return }
    rota.weeks[week.text]?.counted[turn.task] = nil
    chores.count(name, by: doer, on: zone.day(at: at), points: nil, -1, today: zone.day(at: now))
  }
}

/// Members who come and go (ROT-5): the rota changes from next Monday on.
extension HouseholdState {
  /// Puts a newcomer at the end of the rota if it has everybody else; otherwise its members choose.
  mutating func joinRota(_ person: ID<Person>, in context: Context) {
    guard let version = rota.newest?.version, !version.residents.contains(person) else { return }
    let others = membership.members.keys.filter { $0 != person && isResident($0) }
    guard isResident(person), Set(others).isSubset(of: version.residents) else { return }
    changeRota(by: person, in: context) { $0.residents.append(person) }
  }

  /// Takes a person out of the rota who is no longer a member. Their task this week is open to claim.
  mutating func leaveRota(_ person: ID<Person>, in context: Context) {
    rota.dropClaims(of: person)
    guard rota.newest?.version.residents.contains(person) == true else { return }
    changeRota(by: context.caller ?? person, in: context) { $0.residents.removeAll { $0 == person } }
  }

  @discardableResult
  mutating func changeRota(
    by person: ID<Person>, in context: Context, _ change: (inout RotaVersion) -> Void
  ) -> (id: ID<RotaVersion>, isChanged: Bool) {
    var version = rota.newest?.version ?? RotaVersion()
    change(&version)
    let changed = rota.change(to: version, by: person, in: week(at: context.now), context)
    pruneRota(in: context)
    return changed
  }

  mutating func pruneRota(in context: Context) {
    for id in rota.prune(in: week(at: context.now)) { forget(id, at: context.now) }
  }
}
