import JSON
import Rooms

/// An occurrence that is over, as the history keeps it (CHO-8, CHO-19).
struct ChoreRecord: Record {
  var id = ID<Occurrence>()
  var chore = ID<Chore>()
  var task = ID<ChoreName>()
  var name = ""
  var essential: Essential?
  /// The person whose birthday it was.
  @Packed var birthdayOf: ID<Person>? = nil
  var kind = ChoreRecordKind.done
  /// The member who did or skipped it; absent if its time was over.
  @Packed var by: ID<Person>? = nil
  /// The members whose turn it was.
  var people: [ID<Person>] = []
  /// When it was done or skipped.
  var at = Instant()
  var date: LocalDay?
  @Packed var dueAt: Instant? = nil
  var isLate: Bool?
  var note: String?
  var minutes: Int?
  var points: Int?
  /// How many later times had passed as well.
  var missed: Int?
  @Packed var approvedBy: ID<Person>? = nil
  /// The other members' ratings, 1 to 5 each.
  var ratings: SmallMap<ID<Person>, Int> = [:]

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("id", \.id)
    field("chore", \.chore)
    field("task", \.task)
    field("name", \.name)
    field("essential", \.essential)
    field("birthdayOf", \._birthdayOf)
    field("kind", \.kind)
    field("by", \._by)
    field("people", \.people)
    field("at", \.at)
    field("date", \.date)
    field("dueAt", \._dueAt)
    field("late", \.isLate)
    field("note", \.note)
    field("minutes", \.minutes)
    field("points", \.points)
    field("missed", \.missed)
    field("approvedBy", \._approvedBy)
    field("ratings", \.ratings)
  }

  /// Writes the record: it is found by its doer and by the name of its chore.
  func write(in context: Context) {
    var about: Set<ID<Person>> = [task.cast()]
    if let by { about.insert(by) }
    context.record(ListChoreHistory.history, id: id.bytes, at: at, about: about, self)
  }
}

enum ChoreRecordKind: String, Word {
  case done, skipped
  /// Its time was over.
  case missed
  /// The occurrence was taken off the list: no record says so.
  case removed
}

/// Lists what was done, skipped and missed, newest first (CHO-19, STA-3).
struct ListChoreHistory: HistoryPage {
  typealias State = HouseholdState
  typealias Item = ChoreRecord
  static let method: StaticString = "chores.history"
  static let summary: StaticString = "Lists what was done, skipped and missed, newest first (CHO-19, STA-3)."
  static let history = "chore"
  var before: HistoryCursor?
  var limit: Int?
  /// Only what this person has done.
  var person: ID<Person>?
  /// Only what was done of this chore.
  var task: ID<ChoreName>?

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("before", \.before)
    field("limit", \.limit, PageLimits.items)
    field("person", \.person)
    field("task", \.task)
  }

  var query: HistoryQuery {
    var about: Set<ID<Person>> = []
    if let person { about.insert(person) }
    if let task { about.insert(task.cast()) }
    return HistoryQuery(kind: Self.history, about: about, before: before, limit: limit ?? PageLimits.usualItems)
  }
}

/// Says what the caller thinks of another member's work; `null` takes it back (CHO-19).
struct RateChore: Mutation {
  static let method: StaticString = "chores.rate"
  static let summary: StaticString =
    "Says what the caller thinks of another member's work; `null` takes it back (CHO-19)."
  static let hasNeeds = true
  var id = ID<Occurrence>()
  var stars: Change<Int> = .unchanged

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("id", \.id)
    field("stars", \.stars, Limits.choreStars)
  }

  private var query: HistoryQuery { HistoryQuery(kind: ListChoreHistory.history, id: id.bytes, limit: 1) }

  func needs(for caller: ID<Person>) -> [Need] { [.history(query)] }

  func check(_ problems: Problems, in home: inout HouseholdState, _ context: Context) {
    if stars == .unchanged, !problems.names("stars") { problems.note("stars", "missing") }
  }

  func apply(to home: inout HouseholdState, in context: Context) throws(Refusal) -> NoAnswer {
    _ = try home.caller(context)
    guard let body = context.fetched.records(of: query).first?.body, var record = ChoreRecord(history: body),
      record.kind == .done
    else { throw .gone("This chore") }
    if record.by == context.person {
      throw Refusal(.forbidden, "yourself", "The others say what they think of it.")
    }
    if context.now - record.at > Limits.choreRatingAge {
      throw Refusal(.conflict, "tooLate", "This was done more than a week ago.")
    }
    let before = record.ratings[context.person]
    if case .set(let stars) = stars {
      record.ratings[context.person] = stars
    } else {
      record.ratings[context.person] = nil
    }
    if record.ratings[context.person] != before { record.write(in: context) }
    return NoAnswer()
  }
}

extension Record {
  /// A record of the history; `nil` if it is damaged.
  init?(history body: [UInt8]) {
    let tape = Tape(depthLimit: 16)
    guard let view = try? tape.parse(body.span) else { return nil }
    self.init()
    // The view reads the tape.
    withExtendedLifetime(tape) { merge(view, Problems()) }
  }
}
