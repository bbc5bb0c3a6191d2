import JSON
import Rooms

/// A person's own room, `me`: who he is, where he belongs, what he has been told.
struct PersonState: RoomState {
  static let kind = RoomKindName.me
  static let messages: [MessageHandler<PersonState>] = [
    .of(MembershipBegan.self), .of(JoinRefused.self), .of(MembershipEnded.self), .of(RoleChanged.self),
    .of(MateJoined.self), .of(MateLeft.self), .of(InvitationArrived.self), .of(InvitationWithdrawn.self),
    .of(Notify.self), .of(ShareBegan.self), .of(ShareRefused.self), .of(ShareOffered.self), .of(ShareExtended.self),
    .of(ShareArrived.self), .of(ShareEnded.self),
  ]

  var profile = Single<Profile>()
  var households = Table<ID<Household>, Membership>()
  var invitations = Table<ID<Invitation>, ReceivedInvitation>()
  var inbox = Table<ID<Notification>, Notification>()
  var shares = Table<ID<Share>, ShareEntry>()
  var reporter = Single<Reporter>()
  var settings = Single<PersonSettings>()
  var devices = Table<ID<Session>, Device>()
  /// People of his households: the only ones he may share a position with.
  var mates = Table<ID<Person>, Mate>()
  /// Calls that another room has to answer, by person, client and number.
  var pending = Table<String, PendingCall>()
  var answered = Table<ID<Invitation>, AnsweredInvitation>()
  var removed = Table<ID<Removed>, Removed>()
  var upkeep = Single<Upkeep>()

  mutating func parts(_ part: inout some PartVisitor) {
    part("profile", &profile)
    part("households", &households)
    part("invitations", &invitations)
    part("inbox", &inbox)
    part("shares", &shares)
    part("reporter", &reporter)
    part("settings", &settings)
    part("devices", &devices)
    part("mates", &mates, .hidden)
    part("pending", &pending, .hidden)
    part("answered", &answered, .hidden)
    part("removed", &removed, .hidden)
    part("upkeep", &upkeep, .hidden)
  }

  func admits(_ person: ID<Person>, to room: RoomID) -> Bool { room == .person(person) }

  var nextDue: Instant? { upkeep.value.due }

  mutating func fallDue(in context: Context) {
    upkeep.value.due = nil
    dropWaiting(at: context.now)
    for (id, invitation) in invitations {
      if invitation.expiresAt <= context.now { invitations[id] = nil } else { upkeep.plan(invitation.expiresAt) }
    }
    for (id, notification) in inbox {
      let end = notification.at + Limits.inboxAge
      if end <= context.now { inbox[id] = nil } else { upkeep.plan(end) }
    }
    for (id, answer) in answered {
      let end = answer.at + Limits.removedAge
      if end <= context.now { answered[id] = nil } else { upkeep.plan(end) }
    }
    upkeep.plan(removed.sweep(at: context.now))
  }

  /// Remembers an id that is not to be used again.
  mutating func forget<Of>(_ id: ID<Of>, at now: Instant) {
    removed.remember(id, at: now)
    upkeep.plan(now + Limits.removedAge)
  }
}

/// A household as its member's own room knows it.
struct Membership: Record {
  var name = ""
  var role = Role.member
  var at = Instant()

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("name", \.name)
    field("role", \.role)
    field("at", \.at)
  }
}

enum Role: String, Word {
  case host, member
}

/// Somebody with whom a person shares households.
struct Mate: Record {
  var name = ""
  var households: SmallSet<ID<Household>> = []

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("name", \.name)
    field("households", \.households)
  }
}

/// Makes a person's own room; the server calls it when somebody signs up.
struct OpenPerson: Mutation {
  static let method: StaticString = "me.open"
  static let summary: StaticString = "Makes a person's own room; the server calls it when somebody signs up."
  var name = Line()
  var birthday: BirthDate?
  /// What the person signs up on.
  var devices: SmallMap<ID<Session>, Device> = [:]

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("name", \.name, Limits.name)
    field("birthday", \.birthday)
    field("devices", \.devices)
  }

  func apply(to me: inout PersonState, in context: Context) throws(Refusal) -> NoAnswer {
    me.profile.value = Profile(name: name.text, birthday: birthday?.text)
    for (id, device) in devices { me.devices[id] = device }
    return NoAnswer()
  }
}
