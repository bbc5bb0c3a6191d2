import JSON
import Rooms

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
  /// Removes an invitation, which its author's own room lists until then.
  mutating func removeInvitation(_ id: ID<Invitation>, in context: Context) {
    if let target = membership.targets[id], target.person == nil, let email = target.email {
      context.forget(secretHash: Letter.awaiting(email))
    }
    if let author = membership.invitations[id]?.by { context.send(InvitationClosed(id: id), to: .person(author)) }
    membership.remove(id)
    forget(id, in: context)
  }

  /// Removes an invitation, and withdraws it from the person whom it has reached.
  mutating func withdrawInvitation(_ id: ID<Invitation>, in context: Context) {
    if let person = membership.targets[id]?.person {
      context.send(InvitationWithdrawn(id: id), to: .person(person))
    }
    removeInvitation(id, in: context)
  }
}
