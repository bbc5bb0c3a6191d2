import JSON
import Rooms

/// The notifications of a person (R-NOTIFY).
struct Inbox: Subject {
  typealias State = PersonState
  static let methods: [Method] = [.of(ReadInbox.self)]
  static let messages: [MessageHandler<PersonState>] = [.of(Notify.self)]

  var notifications = Table<ID<Notification>, Notification>()
  private(set) var due = DueTime()

  mutating func parts(_ part: inout some PartVisitor) { part("inbox", &notifications) }

  mutating func planAll() { for notification in notifications.values { due.plan(notification.end) } }

  /// Adds a notification, once for each cause.
  mutating func add(_ notification: Notification, from source: RoomID) {
    let cause = "\(source.text) \(notification.ref?.description ?? "") \(notification.at.milliseconds)"
    let id = ID<Notification>.derived("notification \(notification.kind.rawValue)", Array(cause.utf8))
    if notifications.contains(id) { return }
    notifications[id] = notification
    due.plan(notification.end)
    notifications.keep(Limits.inbox) { $0.at }
  }

  mutating func withdraw(_ kind: NotificationKind, ref: ID<Thing>) {
    for id in notifications.keys(where: { $0.kind == kind && $0.ref == ref }) { notifications[id] = nil }
  }

  private mutating func expire(at now: Instant) {
    for id in notifications.keys(where: { $0.end <= now }) { notifications[id] = nil }
    due = DueTime()
    planAll()
  }

  static func fallDue(in me: inout PersonState, _ context: Context) { me.inbox.expire(at: context.now) }
}

extension Notification {
  fileprivate var end: Instant { at + Limits.inboxAge }
}

/// Notifies a person; their own room decides whether they want to know.
struct Notify: Message {
  static let name = "notify"
  var notification = Notification()

  static func fields(_ field: inout some FieldVisitor<Self>) { field("notification", \.notification) }

  func apply(to me: inout PersonState, from source: RoomID, in context: Context) {
    me.notify(notification, from: source)
  }
}

/// Marks notifications as read, by their ids or all there are (R-NOTIFY).
struct ReadInbox: Mutation {
  static let method: StaticString = "inbox.read"
  static let summary: StaticString = "Marks notifications as read, by their ids or all there are (R-NOTIFY)."
  var ids: [ID<Notification>]?
  var all: Bool?

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("ids", \.ids, 1...Limits.inbox)
    field("all", \.all)
  }

  func apply(to me: inout PersonState, in context: Context) throws(Refusal) -> NoAnswer {
    if (ids == nil) == (all != true) { throw .invalid("ids", "or all must be given, not both") }
    for id in ids ?? Array(me.inbox.notifications.keys) where me.inbox.notifications[id]?.readAt == nil {
      // One that is no longer there counts as read.
      me.inbox.notifications[id]?.readAt = context.now
    }
    return NoAnswer()
  }
}
