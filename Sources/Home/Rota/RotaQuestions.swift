import JSON
import Rooms

/// Shows who does which task in some weeks, from the last one on unless the call says otherwise (ROT-4).
struct ShowRota: Question {
  static let method: StaticString = "rota.weeks"
  static let summary: StaticString =
    "Shows who does which task in some weeks, from the last one on unless the call says otherwise (ROT-4)."
  /// A Monday.
  var from: LocalDay?
  /// By default the last week, this one, and a whole cycle.
  var count: Int?

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("from", \.from)
    field("count", \.count, Limits.rotaWeeks)
  }

  func answer(from home: HouseholdState, in inquiry: Inquiry) throws(Refusal) -> RotaPlan {
    let current = home.week(at: inquiry.now)
    let first = from ?? current.adding(-7)
    if first != first.monday { throw .invalid("from", "must be a Monday") }
    if first > current.adding(7 * Limits.rotaWeeksAhead) {
      throw .invalid("from", "must be at most \(Limits.rotaWeeksAhead) weeks from now")
    }
    let cycle = home.rota.newest?.version.schedule.cycle ?? 0
    let weeks = (0..<(count ?? min(cycle + 2, Limits.rotaWeeks.upperBound))).map { first.adding(7 * $0) }
    return RotaPlan(items: weeks.map { RotaPlanWeek(week: $0, turns: home.turns(in: $0)) })
  }
}

struct RotaPlan: Record {
  var items: [RotaPlanWeek] = []

  static func fields(_ field: inout some FieldVisitor<Self>) { field("items", \.items) }
}

struct RotaPlanWeek: Record {
  /// Its Monday.
  var week = LocalDay()
  var turns: [RotaTurn] = []

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("week", \.week)
    field("turns", \.turns)
  }
}

/// A task in a week: whose turn it is, and who does it in fact.
struct RotaTurn: Record {
  var task = ID<RotaTask>()
  var name = ""
  /// `nil` if the task is left out this week.
  var resident: ID<Person>?
  /// The resident, the member who stands in for them or the one who has claimed it.
  var person: ID<Person>?
  /// `true` if the resident is not there, and nobody does it in their place.
  var isOpen: Bool?
  var doneBy: ID<Person>?
  var doneAt: Instant?

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("task", \.task)
    field("name", \.name)
    field("resident", \.resident)
    field("person", \.person)
    field("open", \.isOpen)
    field("doneBy", \.doneBy)
    field("doneAt", \.doneAt)
  }
}

/// Lists the tasks of the rota that were done, newest first (ROT-6).
struct ListRota: HistoryPage {
  typealias State = HouseholdState
  typealias Item = RotaDone
  static let method: StaticString = "rota.list"
  static let summary: StaticString = "Lists the tasks of the rota that were done, newest first (ROT-6)."
  static let history = "rota"
  var before: HistoryCursor?
  var limit: Int?
}
