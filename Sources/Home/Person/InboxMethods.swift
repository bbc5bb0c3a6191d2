import JSON
import Rooms

extension Inbox {
  static let methods: [Method] = [.of(ReadInbox.self), .of(Thank.self)]
  static let messages: [MessageHandler<PersonState>] = [.of(Notify.self), .of(Resolve.self)]
}

/// Notifies a person; their own room decides whether they want the notification.
struct Notify: Message {
  static let name = "notify"
  var notification = Notification()

  static func fields(_ field: inout some FieldVisitor<Self>) { field("notification", \.notification) }

  func apply(to me: inout PersonState, from source: RoomID, in context: Context) {
    me.notify(notification, from: source, in: context)
  }
}

/// Something that the person may have been notified of is over; the message comes from where it was (REM-6).
struct Resolve: Message {
  static let name = "resolve"
  var ref = ID<Thing>()

  static func fields(_ field: inout some FieldVisitor<Self>) { field("ref", \.ref) }

  func apply(to me: inout PersonState, from source: RoomID, in context: Context) {
    me.inbox.resolve(ref, of: source, at: context.now)
    me.reminders.forget(ref, of: source)
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

  func check(_ problems: Problems, in me: inout PersonState, _ context: Context) {
    if (ids == nil) == (all != true) { problems.note("ids", "or all must be given, not both") }
  }

  func apply(to me: inout PersonState, in context: Context) throws(Refusal) -> NoAnswer {
    for id in ids ?? Array(me.inbox.notifications.keys) where me.inbox.notifications[id]?.readAt == nil {
      // A notification that no longer exists counts as read.
      me.inbox.notifications[id]?.readAt = context.now
    }
    return NoAnswer()
  }
}

/// Thanks a member for a chore that they have done, or for their shopping, once for each notification (CHO-19).
struct Thank: Mutation {
  static let method: StaticString = "inbox.thank"
  static let summary: StaticString =
    "Thanks a member for a chore that they have done, or for their shopping, once for each notification (CHO-19)."
  /// The notification that tells of it.
  var id = ID<Notification>()

  static func fields(_ field: inout some FieldVisitor<Self>) { field("id", \.id) }

  func apply(to me: inout PersonState, in context: Context) throws(Refusal) -> NoAnswer {
    guard let told = me.inbox.notifications[id], let doer = told.actor, told.kind.tellsOfWork else {
      throw .gone("This notification")
    }
    if told.thankedAt != nil { return NoAnswer() }
    guard me.memberships.mates.contains(doer) else {
      throw Refusal(.notFound, "person", "You share no household with this person.")
    }
    me.inbox.notifications[id]?.thankedAt = context.now
    if told.readAt == nil { me.inbox.notifications[id]?.readAt = context.now }
    let thanks = Notification(
      kind: .thanks, room: told.room, ref: told.ref, actor: context.person,
      actorName: me.identity.profile.value.name, at: context.now, name: told.name)
    context.send(Notify(notification: thanks), to: .person(doer))
    return NoAnswer()
  }
}
