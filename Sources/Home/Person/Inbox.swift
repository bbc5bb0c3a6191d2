import JSON
import Rooms

/// The notifications of a person (R-NOTIFY).
struct Inbox: Subject {
  typealias State = PersonState

  var notifications = Table<ID<Notification>, Notification>()
  private(set) var due = DueTime()

  mutating func parts(_ part: inout some PartVisitor) { part("inbox", &notifications) }

  mutating func planAll() { for notification in notifications.values { due.plan(notification.end) } }

  /// Adds a notification, once for each cause.
  mutating func add(_ notification: Notification, from source: RoomID) {
    let (ref, actor) = (notification.ref?.description ?? "", notification.actor?.description ?? "")
    // With the actor: two people may do the same in one millisecond.
    let cause = "\(source.text) \(ref) \(actor) \(notification.at.milliseconds)"
    let id = ID<Notification>.derived("notification \(notification.kind.rawValue)", Array(cause.utf8))
    if notifications.contains(id) { return }
    notifications[id] = notification
    due.plan(notification.end)
    notifications.keep(Limits.inbox) { $0.at }
  }

  /// Marks the notifications of a room about something as read.
  mutating func resolve(_ ref: ID<Thing>, of room: RoomID, at now: Instant) {
    for id in notifications.keys(where: { $0.ref == ref && $0.room == room.name && $0.readAt == nil }) {
      notifications[id]?.readAt = now
    }
  }

  /// Takes the name of a person out who has deleted their account.
  mutating func forgetName(of person: ID<Person>) {
    for id in notifications.keys(where: { $0.actor == person && $0.actorName != nil }) {
      notifications[id]?.actorName = nil
    }
  }

  /// When the inbox no longer names a person; `nil` if it does not now.
  func naming(_ person: ID<Person>) -> Instant? {
    notifications.values.filter { $0.actor == person && $0.actorName != nil }.map(\.end).max()
  }

  /// Marks the notifications of one kind about something as read.
  mutating func resolve(_ kind: NotificationKind, ref: ID<Thing>, at now: Instant) {
    for id in notifications.keys(where: { $0.kind == kind && $0.ref == ref && $0.readAt == nil }) {
      notifications[id]?.readAt = now
    }
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
