import Rooms

/// The ids of removed things: none of them is used again for 30 days (R-DEL), or until very many more were removed.
///
/// Every room that lets clients choose ids has this subject.
struct RemovedIDs<State: RemembersIDs>: Subject {
  var removed = Table<ID<Removed>, Removed>()
  /// By person.
  var removals = Table<ID<Person>, RecentRemovals>()
  private(set) var due = DueTime()

  mutating func parts(_ part: inout some PartVisitor) {
    part("removed", &removed, .hidden)
    part("removals", &removals, .hidden)
  }

  mutating func planAll() { due.plan(removed.values.map(\.at).min().map(Self.look)) }

  /// The due time of an id: the end of the day in which its time is over, so that a room sweeps at most once a day.
  private static func look(removedAt instant: Instant) -> Instant {
    let day: Int64 = 24 * 3_600_000
    let end = (instant + Limits.removedAge).milliseconds
    return Instant(milliseconds: (end + day - 1) / day * day)
  }

  mutating func remember(_ id: ID<Thing>, at now: Instant) {
    removed[id.cast()] = Removed(at: now)
    due.plan(Self.look(removedAt: now))
    if removed.count > Limits.removedIDs { forgetOldest() }
  }

  /// Forgets the oldest tenth. Refusing further additions instead would let one member stop all others.
  private mutating func forgetOldest() {
    let times = removed.values.map(\.at).sorted()
    let end = times[times.count / 10]
    removed.removeAll { _, removed in removed.at <= end }
  }

  static func fallDue(in state: inout State, _ context: Context) { state.ids.sweep(at: context.now) }

  /// Forgets ids whose time is over.
  private mutating func sweep(at now: Instant) {
    removed.removeAll { _, removed in now - removed.at >= Limits.removedAge }
    removals.removeAll { _, recent in recent.isOver(at: now) }
    due = DueTime()
    planAll()
  }
}

/// The record of a removed thing.
struct Removed: Record {
  var at = Instant()

  static func fields(_ field: inout some FieldVisitor<Self>) { field("at", \.at) }
}

/// A state in which each id is used only once.
protocol RemembersIDs: ComposedState {
  var ids: RemovedIDs<Self> { get set }
}

extension RemembersIDs {
  /// Remembers the id of what is over, which must not be used again.
  mutating func forget<Of>(_ id: ID<Of>, at now: Instant) { ids.remember(id.cast(), at: now) }

  /// Refuses an id that any table of the room has, or has had.
  mutating func checkNew<Of>(_ id: ID<Of>) throws(Refusal) {
    if names(id.cast()) { throw .exists }
  }

  /// Refuses an id that the room has, or has had, or that its history has: the state keeps only the newest of many.
  ///
  /// - Parameter query: Finds the record with the id; the method names it among its needs.
  mutating func checkNew<Of>(_ id: ID<Of>, _ query: HistoryQuery, in context: Context) throws(Refusal) {
    try checkNew(id)
    if !context.fetched.records(of: query).isEmpty { throw .exists }
  }
}
