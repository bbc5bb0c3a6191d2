import JSON
import Rooms

/// Something that happened in a household (ACT-1).
struct Activity: Record {
  var kind = ActivityKind.founded
  @Packed var actor: ID<Person>? = nil
  var actorName: String?
  /// What it is about.
  @Packed var ref: ID<Subject>? = nil
  var at = Instant()
  /// Grows by one with each event: the order to show them in.
  var n = 0

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("kind", \.kind)
    field("actor", \._actor)
    field("actorName", \.actorName)
    field("ref", \._ref)
    field("at", \.at)
    field("n", \.n)
  }
}

/// What an event or a notification is about: a note, an invitation, a share, a person, a device.
enum Subject {}

enum ActivityKind: String, Word {
  case founded, joined, left, hostChanged, noteAdded
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

extension HouseholdState {
  /// Notes an event: the newest stand in the state, all of them in the history.
  mutating func happened(
    _ kind: ActivityKind, by actor: ID<Person>?, named name: String?, ref: ID<Subject>? = nil, in context: Context
  ) {
    upkeep.value.activity += 1
    let event = Activity(
      kind: kind, actor: actor, actorName: name, ref: ref, at: context.now, n: upkeep.value.activity)
    let id: ID<Activity> = context.newID()
    activity[id] = event
    context.record(ListActivity.history, id: id.bytes, event)
    activity.keep(Limits.activity) { $0.n }
  }

  /// Tells every member but one.
  func notifyOthers(
    than actor: ID<Person>?, _ kind: NotificationKind, ref: ID<Subject>? = nil, named name: String?, in context: Context
  ) {
    let notification = Notification(
      kind: kind, room: context.room.name, ref: ref, actor: actor, actorName: name, at: context.now)
    for person in members.keys where person != actor {
      context.send(Notify(notification: notification), to: .person(person))
    }
  }
}
