import JSON
import Rooms

/// An invitation that waits for a person's answer (HH-4).
struct ReceivedInvitation: Record {
  var household = ID<Household>()
  /// The household's name.
  var name = ""
  var by = ID<Person>()
  var byName = ""
  var at = Instant()
  var expiresAt = Instant()

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("household", \.household)
    field("name", \.name)
    field("by", \.by)
    field("byName", \.byName)
    field("at", \.at)
    field("expiresAt", \.expiresAt)
  }
}

/// An invitation that has been answered, so that the same answer can be given twice.
struct AnsweredInvitation: Record {
  var household = ID<Household>()
  var isAccepted = false
  var at = Instant()

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("household", \.household)
    field("accepted", \.isAccepted)
    field("at", \.at)
  }
}

extension PersonState {
  /// Takes an invitation off the list and remembers its answer.
  mutating func close(_ id: ID<Invitation>, isAccepted: Bool, of household: ID<Household>, at now: Instant) {
    invitations[id] = nil
    answered[id] = AnsweredInvitation(household: household, isAccepted: isAccepted, at: now)
    upkeep.plan(now + Limits.removedAge)
    withdrawNotification(.invitation, ref: id.cast())
  }
}

/// Somebody asks a person into a household.
struct InvitationArrived: Message {
  static let name = "invitationArrived"
  var id = ID<Invitation>()
  var invitation = ReceivedInvitation()

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("id", \.id)
    field("invitation", \.invitation)
  }

  func apply(to me: inout PersonState, from source: RoomID, in context: Context) {
    guard invitation.expiresAt > context.now, !me.invitations.contains(id), me.answered[id] == nil else { return }
    me.invitations[id] = invitation
    me.upkeep.plan(invitation.expiresAt)
    me.notify(
      Notification(
        kind: .invitation, ref: id.cast(), actor: invitation.by, actorName: invitation.byName,
        at: invitation.at, name: invitation.name), from: source)
  }
}

/// An invitation was revoked, or the household is gone.
struct InvitationWithdrawn: Message {
  static let name = "invitationWithdrawn"
  var id = ID<Invitation>()

  static func fields(_ field: inout some FieldVisitor<Self>) { field("id", \.id) }

  func apply(to me: inout PersonState, from source: RoomID, in context: Context) {
    me.invitations[id] = nil
    me.withdrawNotification(.invitation, ref: id.cast())
  }
}

/// The person is a member of the household that tells this.
struct MembershipBegan: Message {
  static let name = "membershipBegan"
  var call: CallReference?
  var household = ID<Household>()
  var membership = Membership()
  /// The names of the other members.
  var mates: SmallMap<ID<Person>, String> = [:]
  /// Nobody there sees whether he is there.
  var isHidden: Bool?

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("call", \.call)
    field("household", \.household)
    field("membership", \.membership)
    field("mates", \.mates)
    field("hidden", \.isHidden)
  }

  func apply(to me: inout PersonState, from source: RoomID, in context: Context) {
    me.households[household] = membership
    me.checkPresence(isHidden: isHidden, in: household, context)
    for (person, name) in mates { me.meet(person, name, in: household) }
    for (id, invitation) in me.invitations where invitation.household == household {
      me.close(id, isAccepted: true, of: household, at: context.now)
    }
    me.answer(call, HouseholdAnswer(household: household), in: context)
  }
}

/// The household did not let the person in.
struct JoinRefused: Message {
  static let name = "joinRefused"
  var call: CallReference?
  var problem = JoinProblem.gone
  /// The invitation that was accepted, if it was one.
  var invitation: ID<Invitation>?

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("call", \.call)
    field("problem", \.problem)
    field("invitation", \.invitation)
  }

  func apply(to me: inout PersonState, from source: RoomID, in context: Context) {
    if problem == .gone, let invitation {
      me.invitations[invitation] = nil
      me.withdrawNotification(.invitation, ref: invitation.cast())
    }
    me.refuse(call, problem.refusal, in: context)
  }
}

/// The person is not a member any more.
struct MembershipEnded: Message {
  static let name = "membershipEnded"
  var household = ID<Household>()

  static func fields(_ field: inout some FieldVisitor<Self>) { field("household", \.household) }

  func apply(to me: inout PersonState, from source: RoomID, in context: Context) {
    me.households[household] = nil
    me.forget(household, at: context.now)
    for person in Array(me.mates.keys) { me.part(from: person, in: household) }
  }
}

/// The person has another part in a household.
struct RoleChanged: Message {
  static let name = "roleChanged"
  var household = ID<Household>()
  var role = Role.member

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("household", \.household)
    field("role", \.role)
  }

  func apply(to me: inout PersonState, from source: RoomID, in context: Context) {
    me.households[household]?.role = role
  }
}

/// Somebody is a member of one of the person's households.
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
    me.meet(person, name, in: household)
  }
}

/// Somebody is not a member of one of the person's households any more.
struct MateLeft: Message {
  static let name = "mateLeft"
  var household = ID<Household>()
  var person = ID<Person>()

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("household", \.household)
    field("person", \.person)
  }

  func apply(to me: inout PersonState, from source: RoomID, in context: Context) {
    me.part(from: person, in: household)
  }
}

extension PersonState {
  mutating func meet(_ person: ID<Person>, _ name: String, in household: ID<Household>) {
    var mate = mates[person] ?? Mate()
    mate.name = name
    mate.households.insert(household)
    mates[person] = mate
  }

  /// Forgets a mate with whom no household is left.
  mutating func part(from person: ID<Person>, in household: ID<Household>) {
    guard var mate = mates[person], mate.households.contains(household) else { return }
    mate.households.remove(household)
    mates[person] = mate.households.isEmpty ? nil : mate
  }
}
