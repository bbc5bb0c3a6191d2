import JSON
import Rooms

/// The cleaning rota of a household: tasks that move on by one resident each week (ROT-1 to ROT-6).
///
/// It stores its versions, and what was ticked and claimed; who does what follows from them (RotaSchedule). Nothing
/// falls due: a week begins by itself, and what can no longer be shown goes with the next change of the rota.
struct Rota: Subject {
  typealias State = HouseholdState
  static let history = [HistoryKind(ListRota.history, of: RotaDone.self, lifetime: nil)]

  var versions = Table<ID<RotaVersion>, RotaVersion>()
  var tasks = Table<ID<RotaTask>, RotaTask>()
  /// By their Mondays.
  var weeks = Table<String, RotaWeek>()

  mutating func parts(_ part: inout some PartVisitor) {
    part("rota", &versions)
    part("rotaTasks", &tasks)
    part("rotaWeeks", &weeks)
  }

  /// The version that plans a week: the newest that has begun by then.
  func version(in week: LocalDay) -> RotaVersion? {
    versions.values.filter { $0.fromWeek <= week }.max { $0.fromWeek < $1.fromWeek }
  }

  /// The newest version, which may begin next week only.
  var newest: (id: ID<RotaVersion>, version: RotaVersion)? {
    versions.max { $0.value.fromWeek < $1.value.fromWeek }.map { ($0.key, $0.value) }
  }

  func week(_ monday: LocalDay) -> RotaWeek { weeks[monday.text] ?? RotaWeek() }

  /// Changes the rota from next Monday on, or from this one on if there is none yet (ROT-5). Returns the version, and
  /// whether it is another one than before.
  mutating func change(
    to version: RotaVersion, by person: ID<Person>, in current: LocalDay, _ context: Context
  ) -> (id: ID<RotaVersion>, isChanged: Bool) {
    var version = version
    let last = newest
    if let (id, last) = last {
      (version.fromWeek, version.by, version.at) = (last.fromWeek, last.by, last.at)
      if version == last { return (id, false) }
    }
    // A version that has not begun is replaced; it is later than next Monday if the clock was set back.
    let pending = last.flatMap { $0.version.fromWeek > current ? $0 : nil }
    version.fromWeek = pending?.version.fromWeek ?? (last == nil ? current : current.adding(7))
    (version.by, version.at) = (person, context.now)
    if version.restart == .never, version.startWeek == nil { version.startWeek = version.fromWeek }
    let id = context.newID(pending?.id)
    versions[id] = version
    return (id, true)
  }

  /// Drops what can no longer be shown: weeks before the last one, versions that planned only such weeks, and tasks of
  /// no version. Returns the ids of versions and tasks that are gone.
  mutating func prune(in current: LocalDay) -> [ID<Thing>] {
    let last = current.adding(-7)
    for week in weeks.keys.filter({ $0 < last.text }) { weeks[week] = nil }
    let from = version(in: last)?.fromWeek ?? last
    let old = versions.keys { $0.fromWeek < from }
    for id in old { versions[id] = nil }
    let planned = Set(versions.values.flatMap(\.tasks))
    let unused = tasks.keys.filter { !planned.contains($0) }
    for id in unused { tasks[id] = nil }
    return old.map { $0.cast() } + unused.map { $0.cast() }
  }

  /// Takes back all that a person has claimed.
  mutating func dropClaims(of person: ID<Person>) {
    for (monday, week) in weeks {
      for (task, claimer) in week.claims where claimer == person { weeks[monday]?.claims[task] = nil }
    }
  }
}

/// The rota from a week on (ROT-1).
struct RotaVersion: Record {
  /// A Monday.
  var fromWeek = LocalDay()
  var tasks: [ID<RotaTask>] = []
  var residents: [ID<Person>] = []
  var restart = RotaRestart.year
  /// The Monday from which a rota counts that does not restart.
  var startWeek: LocalDay?
  /// The member who has set it, or by whose coming or going it has changed.
  var by = ID<Person>()
  var at = Instant()

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("fromWeek", \.fromWeek)
    field("tasks", \.tasks)
    field("residents", \.residents)
    field("restart", \.restart)
    field("startWeek", \.startWeek)
    field("by", \.by)
    field("at", \.at)
  }

  var schedule: RotaSchedule {
    RotaSchedule(
      tasks: tasks.count, residents: residents.count, start: restart == .never ? startWeek ?? fromWeek : nil)
  }
}

/// When the cycle of a rota starts over, beside after its n weeks (ROT-3).
enum RotaRestart: String, Word {
  case year, never
}

/// A task of the rota. A name changes at once, in all versions.
struct RotaTask: Record {
  var name = ""

  static func fields(_ field: inout some FieldVisitor<Self>) { field("name", \.name) }
}

/// The marks of a week: tasks that were done, and by whom, and open ones that members have claimed.
///
/// Maps of plain values, so that patches compose whatever is taken back and done again.
struct RotaWeek: Record {
  var doneBy: SmallMap<ID<RotaTask>, ID<Person>> = [:]
  var doneAt: SmallMap<ID<RotaTask>, Instant> = [:]
  var claims: SmallMap<ID<RotaTask>, ID<Person>> = [:]
  /// The name in the catalogue of chores under which statistics count what was done.
  var counted: SmallMap<ID<RotaTask>, ID<ChoreName>> = [:]

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("doneBy", \.doneBy)
    field("doneAt", \.doneAt)
    field("claims", \.claims)
    field("counted", \.counted)
  }
}

/// A task that was done, as the history keeps it (ROT-6): statistics count these (STA-1).
struct RotaDone: Record {
  var task = ID<RotaTask>()
  /// The task's name then.
  var name = ""
  var week = LocalDay()
  var by = ID<Person>()
  var at = Instant()

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("task", \.task)
    field("name", \.name)
    field("week", \.week)
    field("by", \.by)
    field("at", \.at)
  }
}
