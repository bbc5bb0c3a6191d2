import JSON
import Rooms

extension Memberships {
  static let messages: [MessageHandler<PersonState>] = [
    .of(MembershipBegan.self), .of(JoinRefused.self), .of(MembershipEnded.self), .of(RoleChanged.self),
    .of(HouseholdChanged.self),
    .of(MateJoined.self), .of(MateLeft.self), .of(InvitationSettled.self), .of(InvitationClosed.self),
    .of(InvitationArrived.self), .of(InvitationWithdrawn.self),
  ]
}

extension PersonState {
  /// Takes an invitation off the list, and keeps its answer.
  mutating func close(_ id: ID<Invitation>, isAccepted: Bool, of household: ID<Household>, at now: Instant) {
    memberships.close(id, AnsweredInvitation(household: household, isAccepted: isAccepted, at: now))
    withdrawNotification(.invitation, ref: id.cast())
  }
}

extension PersonState {
  /// Forgets a household that the person is no longer in.
  mutating func leave(_ household: ID<Household>, in context: Context) {
    memberships.households[household] = nil
    chats.chats[household] = nil
    reminders.forgetAll(of: .household(household))
    for person in Array(memberships.mates.keys) where memberships.part(from: person, in: household) {
      noteKeptName(of: person, in: context)
    }
  }
}

/// The household has sent the person's invitation, or has not.
struct InvitationSettled: Message {
  static let name = "invitationSettled"
  var call = CallReference()
  var id = ID<Invitation>()
  var sent = SentInvitation()
  var problem: InvitationProblem?

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("call", \.call)
    field("id", \.id)
    field("sent", \.sent)
    field("problem", \.problem)
  }

  func apply(to me: inout PersonState, from source: RoomID, in context: Context) {
    if let problem {
      me.memberships.uncountInvitation()
      me.refuse(call, problem.refusal, in: context)
    } else {
      if sent.expiresAt > context.now { me.memberships.add(sent, id) }
      me.answer(call, InvitationAnswer(id: id, expiresAt: sent.expiresAt), in: context)
    }
  }
}

/// An invitation of the person is no longer open: it was answered, revoked, or has expired.
struct InvitationClosed: Message {
  static let name = "invitationClosed"
  var id = ID<Invitation>()

  static func fields(_ field: inout some FieldVisitor<Self>) { field("id", \.id) }

  func apply(to me: inout PersonState, from source: RoomID, in context: Context) {
    me.memberships.sentInvitations[id] = nil
  }
}

/// A member invites the person to a household.
struct InvitationArrived: Message {
  static let name = "invitationArrived"
  var id = ID<Invitation>()
  var invitation = ReceivedInvitation()

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("id", \.id)
    field("invitation", \.invitation)
  }

  func apply(to me: inout PersonState, from source: RoomID, in context: Context) {
    guard invitation.expiresAt > context.now, !me.memberships.invitations.contains(id),
      me.memberships.answered[id] == nil, !me.contacts.blocked.contains(invitation.by)
    else { return }
    me.memberships.add(invitation, id)
    me.notify(
      Notification(
        kind: .invitation, ref: id.cast(), actor: invitation.by, actorName: invitation.byName,
        at: invitation.at, name: invitation.name), from: source, in: context)
  }
}

/// An invitation was revoked, or the household is gone.
struct InvitationWithdrawn: Message {
  static let name = "invitationWithdrawn"
  var id = ID<Invitation>()

  static func fields(_ field: inout some FieldVisitor<Self>) { field("id", \.id) }

  func apply(to me: inout PersonState, from source: RoomID, in context: Context) {
    me.memberships.invitations[id] = nil
    me.withdrawNotification(.invitation, ref: id.cast())
  }
}

/// The person has become a member of the sending household.
struct MembershipBegan: Message {
  static let name = "membershipBegan"
  var call: CallReference?
  var household = ID<Household>()
  var membership = HouseholdEntry()
  /// The names of the other members.
  var mates: SmallMap<ID<Person>, String> = [:]
  /// Whether no member there sees that the person is online.
  var isHidden: Bool?
  /// The profile that members there see.
  var shown: ShownProfile?

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("call", \.call)
    field("household", \.household)
    field("membership", \.membership)
    field("mates", \.mates)
    field("hidden", \.isHidden)
    field("shown", \.shown)
  }

  func apply(to me: inout PersonState, from source: RoomID, in context: Context) {
    me.memberships.households[household] = membership
    if me.memberships.past.contains(household) { me.memberships.past[household] = nil }
    if me.dismissed.remove(household) { me.withdrawNotification(.dismissed, ref: household.cast()) }
    for (person, name) in mates { me.memberships.meet(person, name, in: household) }
    me.checkPresence(isHidden: isHidden, in: household, context)
    me.checkProfile(shown: shown, in: household, context)
    for (id, invitation) in me.memberships.invitations where invitation.household == household {
      me.close(id, isAccepted: true, of: household, at: context.now)
    }
    me.answer(call, HouseholdAnswer(household: household), in: context)
  }
}

/// The household did not admit the person.
struct JoinRefused: Message {
  static let name = "joinRefused"
  var call: CallReference?
  var problem = JoinProblem.gone
  /// The accepted invitation, if there was one.
  var invitation: ID<Invitation>?

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("call", \.call)
    field("problem", \.problem)
    field("invitation", \.invitation)
  }

  func apply(to me: inout PersonState, from source: RoomID, in context: Context) {
    if problem == .gone, let invitation {
      me.memberships.invitations[invitation] = nil
      me.withdrawNotification(.invitation, ref: invitation.cast())
    }
    me.refuse(call, problem.refusal, in: context)
  }
}

/// The person is no longer a member.
struct MembershipEnded: Message {
  static let name = "membershipEnded"
  var household = ID<Household>()

  static func fields(_ field: inout some FieldVisitor<Self>) { field("household", \.household) }

  func apply(to me: inout PersonState, from source: RoomID, in context: Context) {
    me.leave(household, in: context)
    me.forget(household, at: context.now)
    me.memberships.past[household] = PastHousehold(leftAt: context.now)
    me.memberships.past.keep(Limits.past) { $0.leftAt }
  }
}

/// The person has another role in a household.
struct RoleChanged: Message {
  static let name = "roleChanged"
  var household = ID<Household>()
  var role = Role.member

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("household", \.household)
    field("role", \.role)
  }

  func apply(to me: inout PersonState, from source: RoomID, in context: Context) {
    me.memberships.households[household]?.role = role
  }
}

/// A household of the person has another name, or has become exclusive or ceased to be (HH-18).
struct HouseholdChanged: Message {
  static let name = "householdChanged"
  var household = ID<Household>()
  var name = ""
  var isExclusive: Bool?

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("household", \.household)
    field("name", \.name)
    field("exclusive", \.isExclusive)
  }

  func apply(to me: inout PersonState, from source: RoomID, in context: Context) {
    me.memberships.households[household]?.name = name
    me.memberships.households[household]?.isExclusive = isExclusive
  }
}

/// Another person has joined one of the person's households, or has another name there.
struct MateJoined: Message {
  static let name = "mateJoined"
  var household = ID<Household>()
  var person = ID<Person>()
  var name = ""

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("household", \.household)
    field("person", \.person)
    field("name", \.name)
  }

  func apply(to me: inout PersonState, from source: RoomID, in context: Context) {
    me.changePresence(in: context) { $0.memberships.meet(person, name, in: household) }
  }
}

/// Another person has left one of the person's households, or has deleted their account.
struct MateLeft: Message {
  static let name = "mateLeft"
  var household = ID<Household>()
  var person = ID<Person>()
  /// The person has deleted their account.
  var isDeleted: Bool?

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("household", \.household)
    field("person", \.person)
    field("deleted", \.isDeleted)
  }

  func apply(to me: inout PersonState, from source: RoomID, in context: Context) {
    me.changePresence(in: context) { $0.memberships.part(from: person, in: household) }
    if isDeleted == true { me.forgetName(of: person) } else { me.noteKeptName(of: person, in: context) }
  }
}
