import JSON
import Rooms

/// A chore: what is to be done, when it comes again and whose turn it is (CHO-4 to CHO-6).
///
/// Its open occurrence is a row of its own: people complete that, not the chore.
struct Chore: Record {
  var name = ""
  /// Which of the built-in chores it is: clients name it in their own language (CHO-2).
  var essential: Essential?
  /// The name in the catalogue, by which statistics count.
  var task = ID<ChoreName>()
  var note: String?
  var author = ID<Person>()
  var at = Instant()
  /// The day on which it is due first; without one it is due at no time.
  var date: LocalDay?
  /// The time of that day; without one, the end of the day.
  var time: LocalTime?
  var recurrence: Recurrence?
  /// It has no dates, and is there again as soon as it is done (CHO-14).
  var isStanding: Bool?
  var strategy = ChoreStrategy.fixed
  /// The members whose turn it can be, in the order of their turns; empty for all.
  var people: [ID<Person>] = []
  /// With the strategy `byWeekday`: whose day each weekday is.
  var weekdays: SmallMap<Weekday, ID<Person>> = [:]
  /// How long a turn of `roundRobin` is; without it, one occurrence.
  var rotation: RotationPeriod?
  /// Each of the people must complete it, not any of them.
  var needsAll: Bool?
  var isUrgent: Bool?
  var points: Int?
  /// Hours after the due time until it counts as overdue.
  var graceHours: Int?
  /// An overdue occurrence is skipped by itself (CHO-23).
  var skipsItself: Bool?
  /// Another member must approve a completion (CHO-20).
  var needsApproval: Bool?
  @Packed var editedBy: ID<Person>? = nil
  @Packed var editedAt: Instant? = nil
  /// The id of the chore before it was brought back.
  @Packed var was: ID<Chore>? = nil
  /// The member whose birthday it is, and its date, `MM-DD` (CHO-21).
  @Packed var birthdayOf: ID<Person>? = nil
  var birthday: String?

  /// The first day from which the recurrence counts.
  var first: LocalDay?
  /// How often it has come, the open occurrence included.
  var number = 1
  /// The member whose turn the open occurrence is, whoever does it.
  @Packed var turn: ID<Person>? = nil
  /// Exchanged turns: by member, the one who does their next turn.
  var swaps: SmallMap<ID<Person>, ID<Person>> = [:]
  /// How many times have passed without the chore being done.
  var missed = 0

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("name", \.name)
    field("essential", \.essential)
    field("task", \.task)
    field("note", \.note)
    field("author", \.author)
    field("at", \.at)
    field("date", \.date)
    field("time", \.time)
    field("repeat", \.recurrence)
    field("standing", \.isStanding)
    field("strategy", \.strategy)
    field("people", \.people)
    field("weekdays", \.weekdays)
    field("rotation", \.rotation)
    field("all", \.needsAll)
    field("urgent", \.isUrgent)
    field("points", \.points)
    field("graceHours", \.graceHours)
    field("skipsItself", \.skipsItself)
    field("needsApproval", \.needsApproval)
    field("editedBy", \._editedBy)
    field("editedAt", \._editedAt)
    field("was", \._was)
    field("birthdayOf", \._birthdayOf)
    field("birthday", \.birthday)
    field("first", \.first)
    field("number", \.number)
    field("turn", \._turn)
    field("swaps", \.swaps)
    field("missed", \.missed)
  }

  var comesAgain: Bool { recurrence != nil || isStanding == true }

  /// The due time on a day, by the household's clocks: without a time, the end of the day.
  func dueAt(_ day: LocalDay, _ zone: ZoneTime) -> Instant {
    time.map { zone.instant(day, minute: $0.minute) } ?? zone.end(of: day)
  }

  /// The end of the time in which it can be done without being overdue.
  func overdueAt(_ dueAt: Instant) -> Instant { dueAt + .seconds((graceHours ?? 0) * 3600) }

  func isLate(_ moment: Instant, dueAt: Instant?) -> Bool {
    // Of a day without a time the end no longer belongs to it.
    dueAt.map { time == nil ? moment >= $0 : moment > $0 } ?? false
  }
}

/// A chore that is to be done: one date of it, or, without a date, at any time (CHO-1).
struct Occurrence: Record {
  var chore = ID<Chore>()
  var date: LocalDay?
  @Packed var dueAt: Instant? = nil
  /// The members who are to do it; empty if any may, or somebody is to claim it.
  var people: [ID<Person>] = []
  /// With `needsAll`: the members who have done it, and when.
  var doneBy: SmallMap<ID<Person>, Instant> = [:]
  var isOverdue: Bool?
  /// A completion that awaits approval.
  var completion: Completion?
  /// Why the latest completion was rejected.
  var rejection: String?
  /// The id of the occurrence before it was completed or removed, and brought back.
  @Packed var was: ID<Occurrence>? = nil

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("chore", \.chore)
    field("date", \.date)
    field("dueAt", \._dueAt)
    field("people", \.people)
    field("doneBy", \.doneBy)
    field("overdue", \.isOverdue)
    field("completion", \.completion)
    field("rejection", \.rejection)
    field("was", \._was)
  }
}

/// A member's report that they have completed a chore (CHO-8).
struct Completion: Record {
  var by = ID<Person>()
  /// When it was done.
  var at = Instant()
  var note: String?
  var minutes: Int?
  /// On what day the recurrence goes on, in place of what the chore says (CHO-12).
  var basis: RecurrenceBasis?
  /// The doer and the member whose turn it was exchange their turns.
  var swap: Bool?

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("by", \.by)
    field("at", \.at)
    field("note", \.note)
    field("minutes", \.minutes)
    field("basis", \.basis)
    field("swap", \.swap)
  }
}

/// How the member is chosen whose turn an occurrence is (R-ASSIGN).
enum ChoreStrategy: String, Word {
  /// The same people each time.
  case fixed
  /// One after the other.
  case roundRobin
  case random
  /// The one who has done this chore least in 90 days, or who has the fewest points of them.
  case leastCompleted, leastPoints
  case byWeekday
  /// Nobody, until a member claims it (CHO-13).
  case open
}

/// The calendar time for which one member keeps the turn.
enum RotationPeriod: String, Word {
  case weeks, months

  func isSame(_ day: LocalDay, _ other: LocalDay) -> Bool {
    switch self {
    case .weeks: day.monday == other.monday
    case .months: day.monthNumber == other.monthNumber
    }
  }
}

/// The built-in chores (CHO-2), which clients name in their own language.
enum Essential: String, Word {
  case dishes, dishwasher, cooking, trash, recycling, vacuum, mop, dust, bathroom, toilet, kitchen, fridge, laundry
  case ironing, beds, windows, plants, pets, shopping, mail
}
