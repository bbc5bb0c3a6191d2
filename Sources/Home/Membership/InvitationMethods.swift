import JSON
import Rooms

/// An invitation as the household sees it (HH-3).
struct Invitation: Record {
  var email = ""
  var by = ID<Person>()
  var at = Instant()
  var expiresAt = Instant()

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("email", \.email)
    field("by", \.by)
    field("at", \.at)
    field("expiresAt", \.expiresAt)
  }
}

/// Whose address it was: nobody's, as far as this server knows, where `person` is absent.
struct InvitationTarget: Record {
  var person: ID<Person>?

  static func fields(_ field: inout some FieldVisitor<Self>) { field("person", \.person) }
}

/// How many invitations somebody has sent since a day began for him.
struct Quota: Record {
  var count = 0
  var since = Instant()

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("count", \.count)
    field("since", \.since)
  }

  var end: Instant { since + .seconds(24 * 3600) }
}

struct InvitationAnswer: Record {
  var id = ID<Invitation>()
  var expiresAt = Instant()

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("id", \.id)
    field("expiresAt", \.expiresAt)
  }
}

/// Invites the owner of an e-mail address; the answer is the same whether or not there is an account (HH-3, HH-4).
struct SendInvitation: Mutation {
  static let method: StaticString = "invitations.send"
  static let summary: StaticString =
    "Invites the owner of an e-mail address; the answer is the same whether or not there is an account (HH-3, HH-4)."
  static let hasNeeds = true
  var id: ID<Invitation>?
  var email = Email()

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("id", \.id)
    field("email", \.email)
  }

  func needs(for caller: ID<Person>) -> [Need] { [.account(email: email.text)] }

  func apply(to home: inout HouseholdState, in context: Context) throws(Refusal) -> InvitationAnswer {
    let inviter = try home.caller(context)
    let id = context.newID(id)
    try home.checkNew(id)
    var target: ID<Person>?
    if case .person(let person)? = context.fetched[.account(email: email.text)] { target = person }
    // The inviter sees every member, so this tells him nothing about strangers (HH-5).
    if let target, home.members.contains(target) {
      throw Refusal(.conflict, "alreadyMember", "This person is a member already.")
    }
    if home.invitations.values.contains(where: { $0.email == email.text }) {
      throw Refusal(.conflict, "alreadyInvited", "This address is invited already.")
    }
    if home.invitations.count >= Limits.invitations {
      throw .full("invitations", "At most \(Limits.invitations) invitations may be open.")
    }
    try home.countInvitation(in: context)
    let expiresAt = context.now + Limits.invitationAge
    home.invitations[id] = Invitation(
      email: email.text, by: context.person, at: context.now, expiresAt: expiresAt)
    home.targets[id] = InvitationTarget(person: target)
    home.upkeep.plan(expiresAt)
    if let target {
      let invitation = ReceivedInvitation(
        household: context.household, name: home.household.value.name, by: context.person, byName: inviter.name,
        at: context.now, expiresAt: expiresAt)
      context.send(InvitationArrived(id: id, invitation: invitation), to: .person(target))
    }
    return InvitationAnswer(id: id, expiresAt: expiresAt)
  }
}

/// Takes an invitation back; its author or the host may (HH-7).
struct RevokeInvitation: Mutation {
  static let method: StaticString = "invitations.revoke"
  static let summary: StaticString = "Takes an invitation back; its author or the host may (HH-7)."
  var id = ID<Invitation>()

  static func fields(_ field: inout some FieldVisitor<Self>) { field("id", \.id) }

  func apply(to home: inout HouseholdState, in context: Context) throws(Refusal) -> NoAnswer {
    guard let invitation = home.invitations[id] else { throw .gone("This invitation") }
    guard invitation.by == context.person || home.isHost(context.person) else { throw .forbidden }
    home.withdrawInvitation(id, in: context)
    return NoAnswer()
  }
}

/// Somebody accepts an invitation; it comes from his own room.
struct InvitationAccepted: Message {
  static let name = "invitationAccepted"
  var call = CallReference()
  var invitation = ID<Invitation>()
  var newcomer = Newcomer()

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("call", \.call)
    field("invitation", \.invitation)
    field("newcomer", \.newcomer)
  }

  func apply(to home: inout HouseholdState, from source: RoomID, in context: Context) {
    guard case .person(let person) = source else { return }
    let isOpen = (home.invitations[invitation]?.expiresAt ?? Instant()) > context.now
    let isHis = home.targets[invitation]?.person == person
    var problem: JoinProblem? = .gone
    if (isOpen && isHis) || home.members.contains(person) {
      problem = home.admit(person, newcomer, call, in: context)
    }
    if let problem {
      context.send(JoinRefused(call: call, problem: problem, invitation: invitation), to: source)
    }
  }
}

/// Somebody declines an invitation; it comes from his own room.
struct InvitationDeclined: Message {
  static let name = "invitationDeclined"
  var invitation = ID<Invitation>()
  var name = ""

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("invitation", \.invitation)
    field("name", \.name)
  }

  func apply(to home: inout HouseholdState, from source: RoomID, in context: Context) {
    guard case .person(let person) = source, home.targets[invitation]?.person == person,
      let declined = home.invitations[invitation]
    else { return }
    home.removeInvitation(invitation, at: context.now)
    guard home.members.contains(declined.by) else { return }
    let notification = Notification(
      kind: .declined, room: context.room.name, ref: invitation.cast(), actor: person, actorName: name,
      at: context.now)
    context.send(Notify(notification: notification), to: .person(declined.by))
  }
}

extension HouseholdState {
  /// Counts one more invitation of the caller's day (HH-3).
  fileprivate mutating func countInvitation(in context: Context) throws(Refusal) {
    var quota = quotas[context.person] ?? Quota(count: 0, since: context.now)
    if quota.end <= context.now { quota = Quota(count: 0, since: context.now) }
    if quota.count >= Limits.invitationsPerDay {
      let text = "Nobody sends more than \(Limits.invitationsPerDay) invitations a day."
      throw Refusal(.rateLimited, "invitations", text).temporary(after: quota.end - context.now)
    }
    quota.count += 1
    quotas[context.person] = quota
    upkeep.plan(quota.end)
  }

  mutating func removeInvitation(_ id: ID<Invitation>, at now: Instant) {
    invitations[id] = nil
    targets[id] = nil
    forget(id, at: now)
  }

  /// Removes an invitation and takes it back from whom it has reached.
  mutating func withdrawInvitation(_ id: ID<Invitation>, in context: Context) {
    if let person = targets[id]?.person { context.send(InvitationWithdrawn(id: id), to: .person(person)) }
    removeInvitation(id, at: context.now)
  }
}
