import JSON
import Rooms

/// The events of a household (ACT-1): the newest in the state, all of them in the history.
struct Feed: Subject {
  typealias State = HouseholdState
  static let methods: [Method] = [.question(ListActivity.self)]
  static let history = [HistoryKind(ListActivity.history, of: Activity.self, lifetime: Limits.activityAge)]

  var activity = Table<ID<Activity>, Activity>()
  var count = Single<EventCount>()

  mutating func parts(_ part: inout some PartVisitor) {
    part("activity", &activity)
    part("upkeep", &count, .hidden)
  }

  /// Adds an event, and numbers it.
  mutating func add(_ event: Activity, in context: Context) {
    count.value.activity += 1
    var event = event
    event.n = count.value.activity
    let id: ID<Activity> = context.newID()
    activity[id] = event
    // Pages are cut by the time and then the id of a record, so its id is the number of the event (ACT-1).
    context.record(ListActivity.history, id: ID<Activity>(low: UInt64(event.n)).bytes, event)
    activity.keep(Limits.activity) { $0.n }
  }
}

/// An event of a household.
struct Activity: Record {
  var kind = ActivityKind.founded
  var actor: ID<Person>?
  /// The subject of the event.
  var ref: ID<Thing>?
  /// The name of the subject, which may be gone.
  var name: String?
  var at = Instant()
  /// Grows by one with each event: the order in which clients show them.
  var n = 0

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("kind", \.kind)
    field("actor", \.actor)
    field("ref", \.ref)
    field("name", \.name)
    field("at", \.at)
    field("n", \.n)
  }
}

enum ActivityKind: String, Word {
  case founded, joined, left, removed, hostChanged, changed, noteAdded, restored
  case choreAdded, choreDone, choreRemoved
  case rewardRedeemed
  case rotaChanged, rotaDone
  case eventAdded, eventRemoved, specialEventAdded
  case billAdded, billChanged, billRemoved
  case shopped, purchaseChanged
  /// The actor has paid the member, or former member, whom `ref` names.
  case paid
}

/// The number of events so far: the `n` of the newest.
struct EventCount: Record {
  var activity = 0

  static func fields(_ field: inout some FieldVisitor<Self>) { field("activity", \.activity) }
}

/// Lists what has happened in a household, newest first (ACT-1).
struct ListActivity: HistoryPage {
  typealias State = HouseholdState
  typealias Item = Activity
  static let method: StaticString = "activity.list"
  static let summary: StaticString = "Lists what has happened in a household, newest first (ACT-1)."
  static let history = "activity"
  var before: HistoryCursor?
  var limit: Int?
}
