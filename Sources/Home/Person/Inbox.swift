import JSON
import Rooms

/// Something that a person was told (R-NOTIFY).
struct Notification: Record {
  var kind = NotificationKind.invitation
  /// The room it happened in, as a person writes its name.
  var room: String?
  /// What it is about: the id of a note, an invitation, a share.
  @Packed var ref: ID<Subject>? = nil
  @Packed var actor: ID<Person>? = nil
  var actorName: String?
  var at = Instant()
  @Packed var readAt: Instant? = nil
  /// Until when a share runs.
  @Packed var until: Instant? = nil
  /// The household's name, where the person is not in it; or a device's.
  var name: String?
  /// Why a position is lost, when it was fixed last, and the phone's battery then, in per cent.
  var cause: LossCause?
  @Packed var fixedAt: Instant? = nil
  var battery: Int?
  /// What the sharer calls the place that ends his share; whether he needs a ride; why the share is over.
  var place: String?
  var pickup: PickupState?
  var reason: ShareEndReason?

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("kind", \.kind)
    field("room", \.room)
    field("ref", \._ref)
    field("actor", \._actor)
    field("actorName", \.actorName)
    field("at", \.at)
    field("readAt", \._readAt)
    field("until", \._until)
    field("name", \.name)
    field("cause", \.cause)
    field("fixedAt", \._fixedAt)
    field("battery", \.battery)
    field("place", \.place)
    field("pickup", \.pickup)
    field("reason", \.reason)
  }
}

enum NotificationKind: String, Word, MapKey {
  /// Somebody asks me into a household; somebody has declined mine.
  case invitation, declined
  /// Somebody has joined or left; I have become the host.
  case joined, left, host
  case note
  /// Somebody shares a position with me; he has arrived; a share is over; my own will be soon.
  case share, arrived, ended, ending
  /// A position that I receive is not known any more; it is again.
  case lost, back
  /// Somebody may need help: he has not arrived in time.
  case urgent
  /// Somebody has logged in as me on another device.
  case login

  /// Safety first: these cannot be switched off.
  var isUrgent: Bool {
    switch self {
    case .share, .arrived, .ended, .ending, .lost, .back, .urgent, .login: true
    case .invitation, .declined, .joined, .left, .host, .note: false
    }
  }
}

struct PersonSettings: Record {
  /// Kinds of notification that the person does not want.
  var muted: SmallMap<NotificationKind, Bool> = [:]
  /// Absent where his households see whether he is there.
  var presence: PresenceChoice?

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("muted", \.muted)
    field("presence", \.presence)
  }
}

/// Tells a person something; his own room decides whether he wants to know.
struct Notify: Message {
  static let name = "notify"
  var notification = Notification()

  static func fields(_ field: inout some FieldVisitor<Self>) { field("notification", \.notification) }

  func apply(to me: inout PersonState, from source: RoomID, in context: Context) {
    me.notify(notification, from: source)
  }
}

extension PersonState {
  /// Keeps a notification, once for each cause.
  mutating func notify(_ notification: Notification, from source: RoomID) {
    let isMuted = settings.value.muted[notification.kind] == true && !notification.kind.isUrgent
    if isMuted { return }
    let cause = "\(source.text) \(notification.ref?.description ?? "") \(notification.at.milliseconds)"
    let id = ID<Notification>.derived("notification \(notification.kind.rawValue)", Array(cause.utf8))
    if inbox.contains(id) { return }
    inbox[id] = notification
    upkeep.plan(notification.at + Limits.inboxAge)
    inbox.keep(Limits.inbox) { $0.at }
  }

  /// Takes back what a person need not know any more.
  mutating func withdrawNotification(_ kind: NotificationKind, ref: ID<Subject>) {
    for (id, notification) in inbox where notification.kind == kind && notification.ref == ref { inbox[id] = nil }
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
    for id in ids ?? Array(me.inbox.keys) where me.inbox[id]?.readAt == nil {
      // One that is not there any more counts as read.
      me.inbox[id]?.readAt = context.now
    }
    return NoAnswer()
  }
}

/// Changes which kinds of notification a person gets, and whether he is seen being there (NTE-1, HH-17).
struct EditSettings: Mutation {
  static let method: StaticString = "settings.edit"
  static let summary: StaticString =
    "Changes which kinds of notification a person gets, and whether he is seen being there (NTE-1, HH-17)."
  var muted: SmallMap<NotificationKind, Bool> = [:]
  var presence: PresenceChoice?

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("muted", \.muted)
    field("presence", \.presence)
  }

  func apply(to me: inout PersonState, in context: Context) throws(Refusal) -> NoAnswer {
    let problems = Problems()
    for (kind, isMuted) in muted where isMuted && kind.isUrgent {
      problems.note("muted.\(kind.rawValue)", "cannot be switched off")
    }
    if !problems.isEmpty { throw .invalid(problems.list) }
    for (kind, isMuted) in muted { me.settings.value.muted[kind] = isMuted ? true : nil }
    if let presence { me.choose(presence, in: context) }
    return NoAnswer()
  }
}
