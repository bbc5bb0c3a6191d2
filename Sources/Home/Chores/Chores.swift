import JSON
import Rooms

/// The chores of a household: what is to be done, by whom and when (CHO-1 to CHO-28).
struct Chores: Subject {
  typealias State = HouseholdState
  static let history = [HistoryKind(ListChoreHistory.history, of: ChoreRecord.self, lifetime: nil)]

  var chores = Table<ID<Chore>, Chore>()
  /// The open occurrences: of each chore the next one.
  var occurrences = Table<ID<Occurrence>, Occurrence>()
  var catalogue = Table<ID<ChoreName>, ChoreName>()
  /// Each member's completions in the present week (CHO-28).
  var stats = Table<ID<Person>, WeekOfChores>()
  /// Occurrences of the last days that are over: who was first, and how to undo it.
  var closings = Table<ID<Occurrence>, Closing>()
  var removed = Table<ID<Chore>, RemovedChore>()
  var tallies = Table<ID<ChoreName>, ChoreTally>()
  var absences = Table<ID<Person>, PastAbsences>()
  var upkeep = Single<ChoreUpkeep>()
  private(set) var due = DueTime()

  mutating func parts(_ part: inout some PartVisitor) {
    part("chores", &chores)
    part("occurrences", &occurrences)
    part("choreCatalogue", &catalogue)
    part("choreStats", &stats)
    part("choreClosings", &closings, .hidden)
    part("removedChores", &removed, .hidden)
    part("choreTallies", &tallies, .hidden)
    part("pastAbsences", &absences, .hidden)
    part("choreUpkeep", &upkeep, .hidden)
  }

  mutating func planAll() {
    for occurrence in occurrences.values { due.plan(look(at: occurrence)) }
    for removed in removed.values { due.plan(removed.end) }
    due.plan(closings.values.map(\.at).min().map(Closing.look))
    // Due times follow from the zone data; after a new version they are worked out at once (R-REC).
    let isPlanned = !occurrences.isEmpty || !upkeep.value.zoneData.isEmpty
    if isPlanned, upkeep.value.zoneData != ZoneTime.dataVersion { due.plan(Instant(milliseconds: 0)) }
  }

  /// When an occurrence is to be looked at again.
  private func look(at occurrence: Occurrence) -> Instant? {
    guard occurrence.isOverdue != true, let dueAt = occurrence.dueAt else { return nil }
    return chores[occurrence.chore]?.overdueAt(dueAt)
  }

  // MARK: rows

  func chore(_ id: ID<Chore>) throws(Refusal) -> Chore {
    guard let chore = chores[id] else { throw .gone("This chore") }
    return chore
  }

  /// A chore that members may change: birthdays follow the profiles.
  func changeable(_ id: ID<Chore>) throws(Refusal) -> Chore {
    let chore = try chore(id)
    try checkChangeable(chore)
    return chore
  }

  func checkChangeable(_ chore: Chore) throws(Refusal) {
    if chore.birthdayOf != nil {
      throw Refusal(.forbidden, "birthday", "Birthdays follow the profiles of members.")
    }
  }

  /// An open occurrence with its chore; who was first, if it is over already (CHO-9).
  func open(_ id: ID<Occurrence>) throws(Refusal) -> (occurrence: Occurrence, chore: Chore) {
    if let occurrence = occurrences[id], let chore = chores[occurrence.chore] { return (occurrence, chore) }
    if let closing = closings[id] { throw closing.refusal }
    throw .gone("This chore")
  }

  /// The open occurrence of a chore.
  func occurrence(of chore: ID<Chore>) -> (key: ID<Occurrence>, value: Occurrence)? {
    occurrences.first { $0.value.chore == chore }
  }

  mutating func put(_ occurrence: Occurrence, at id: ID<Occurrence>) {
    occurrences[id] = occurrence
    due.plan(look(at: occurrence))
  }

  func checkSpace() throws(Refusal) {
    if chores.values.count(where: { $0.birthdayOf == nil }) >= Limits.chores {
      throw .full("chores", "At most \(Limits.chores) chores are on the list.")
    }
  }

  // MARK: what is over

  /// Notes that an occurrence is over; the one before it can no longer be undone.
  mutating func close(_ id: ID<Occurrence>, _ closing: Closing) {
    for earlier in closings.keys(where: { $0.chore == closing.chore && $0.before != nil }) {
      closings[earlier]?.before = nil
    }
    occurrences[id] = nil
    closings[id] = closing
    closings.keep(Limits.choreClosings) { $0.at }
    due.plan(Closing.look(closing.at))
  }

  /// Takes a chore off the list, and keeps it as long as it can be brought back (R-DEL).
  mutating func takeOff(_ id: ID<Chore>, _ chore: Chore, by person: ID<Person>, at now: Instant) {
    let open = occurrence(of: id)
    let row = RemovedChore(chore: chore, occurrence: open?.value, removedAt: now, removedBy: person)
    if let open { occurrences[open.key] = nil }
    chores[id] = nil
    removed[id] = row
    due.plan(row.end)
    removed.keep(Limits.chores) { $0.removedAt }
  }

  /// Forgets what can no longer be undone, and says which occurrences are overdue now, the oldest first.
  mutating func sweep(at now: Instant) -> [ID<Occurrence>] {
    for id in removed.keys(where: { $0.end <= now }) { removed[id] = nil }
    closings.removeAll { now - $1.at >= Limits.removedAge }
    return occurrences.filter { look(at: $0.value).map { $0 <= now } ?? false }
      .sorted { ($0.value.dueAt ?? now, $0.key) < ($1.value.dueAt ?? now, $1.key) }.map(\.key)
  }

  mutating func planAgain() {
    due = DueTime()
    planAll()
  }

  static func fallDue(in home: inout HouseholdState, _ context: Context) {
    if home.chores.upkeep.value.zoneData != ZoneTime.dataVersion { home.followClocks(in: context) }
    for id in home.chores.sweep(at: context.now) { home.noteOverdue(id, in: context) }
    home.chores.planAgain()
  }
}

/// The version of the zone data by which the due times were worked out.
struct ChoreUpkeep: Record {
  var zoneData = ""

  static func fields(_ field: inout some FieldVisitor<Self>) { field("zoneData", \.zoneData) }
}

/// An occurrence that is over (CHO-9, CHO-24).
struct Closing: Record {
  var chore = ID<Chore>()
  var kind = ChoreRecordKind.done
  /// The member who did, skipped or removed it; `nil` if its time was over.
  @Packed var by: ID<Person>? = nil
  /// When it was closed.
  var at = Instant()
  /// The day for which it counts, and its points, if it was done.
  var day: LocalDay?
  var points: Int?
  /// The chore and its occurrence as they were before, until the next occurrence is over.
  var before: ChoreBefore?

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("chore", \.chore)
    field("kind", \.kind)
    field("by", \._by)
    field("at", \.at)
    field("day", \.day)
    field("points", \.points)
    field("before", \.before)
  }

  /// Tells somebody who comes second who was first.
  var refusal: Refusal {
    guard kind != .removed else { return .gone("This chore") }
    var refusal = Refusal(.conflict, "alreadyDone", "This chore is \(kind == .done ? "done" : "skipped") already.")
    refusal.details["at"] = .string(at.description)
    if let by { refusal.details["by"] = .string(by.description) }
    return refusal
  }

  /// The end of the day in which its time is over, so that a room sweeps at most once a day.
  static func look(_ at: Instant) -> Instant {
    let day: Int64 = 24 * 3_600_000
    return Instant(milliseconds: ((at + Limits.removedAge).milliseconds + day - 1) / day * day)
  }
}

/// A chore and its open occurrence as they were.
struct ChoreBefore: Record {
  var chore = Chore()
  var occurrence = Occurrence()

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("chore", \.chore)
    field("occurrence", \.occurrence)
  }
}

/// A chore that can be brought back for ten minutes (R-DEL).
struct RemovedChore: Record {
  var chore = Chore()
  var occurrence: Occurrence?
  var removedAt = Instant()
  var removedBy = ID<Person>()

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("chore", \.chore)
    field("occurrence", \.occurrence)
    field("removedAt", \.removedAt)
    field("removedBy", \.removedBy)
  }

  var end: Instant { removedAt + Limits.undo }
}
