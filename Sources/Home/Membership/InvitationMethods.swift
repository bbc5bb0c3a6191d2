import JSON
import Rooms

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
    // The inviter sees every member, so this tells nothing about strangers (HH-5).
    if let target, home.membership.members.contains(target) {
      throw Refusal(.conflict, "alreadyMember", "This person is a member already.")
    }
    if home.membership.invitations.values.contains(where: { $0.email == email.text }) {
      throw Refusal(.conflict, "alreadyInvited", "This address is invited already.")
    }
    if home.membership.invitations.count >= Limits.invitations {
      throw .full("invitations", "At most \(Limits.invitations) invitations may be open.")
    }
    try home.membership.countInvitation(by: context.person, at: context.now)
    let expiresAt = context.now + Limits.invitationAge
    home.membership.add(
      Invitation(email: email.text, by: context.person, at: context.now, expiresAt: expiresAt), id, reaching: target)
    if let target {
      let invitation = ReceivedInvitation(
        household: context.household, name: home.info.facts.value.name, by: context.person, byName: inviter.name,
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
    guard let invitation = home.membership.invitations[id] else { throw .gone("This invitation") }
    try home.require(authorOrHost: invitation.by, context)
    home.withdrawInvitation(id, in: context)
    return NoAnswer()
  }
}

extension HouseholdState {
  mutating func removeInvitation(_ id: ID<Invitation>, at now: Instant) {
    membership.remove(id)
    forget(id, at: now)
  }

  /// Removes an invitation, and withdraws it from the person whom it has reached.
  mutating func withdrawInvitation(_ id: ID<Invitation>, in context: Context) {
    if let person = membership.targets[id]?.person {
      context.send(InvitationWithdrawn(id: id), to: .person(person))
    }
    removeInvitation(id, at: context.now)
  }
}
