import JSON
import Rooms

/// Blocks a person: their invitations and shares no longer come, and shares both ways end (LOC-33).
///
/// They are not told, and their invitations are answered as before.
struct BlockPerson: Mutation {
  static let method: StaticString = "contacts.block"
  static let summary: StaticString =
    "Blocks a person: their invitations and shares no longer come, and shares both ways end (LOC-33)."
  var person = ID<Person>()

  static func fields(_ field: inout some FieldVisitor<Self>) { field("person", \.person) }

  func apply(to me: inout PersonState, in context: Context) throws(Refusal) -> NoAnswer {
    if person == context.person { throw Refusal(.conflict, "yourself", "Nobody blocks themselves.") }
    if me.contacts.blocked.contains(person) { return NoAnswer() }
    if me.contacts.blocked.count >= Limits.blocked {
      throw .full("blocked", "At most \(Limits.blocked) persons may be blocked.")
    }
    let row = BlockedPerson(name: me.name(of: person), at: context.now)
    me.changePresence(in: context) { $0.contacts.blocked[person] = row }
    me.withdrawContact(from: person, in: context)
    me.dropInvitations(of: person, in: context)
    me.endShares(with: person, in: context)
    if row.name != nil { context.send(BlockNoted(isBlocked: true), to: .person(person)) }
    return NoAnswer()
  }
}

/// Ends a block; what it has ended does not come back (LOC-33).
struct UnblockPerson: Mutation {
  static let method: StaticString = "contacts.unblock"
  static let summary: StaticString = "Ends a block; what it has ended does not come back (LOC-33)."
  var person = ID<Person>()

  static func fields(_ field: inout some FieldVisitor<Self>) { field("person", \.person) }

  func apply(to me: inout PersonState, in context: Context) throws(Refusal) -> NoAnswer {
    guard let row = me.contacts.blocked[person] else { return NoAnswer() }
    me.changePresence(in: context) { $0.contacts.blocked[person] = nil }
    if row.name != nil { context.send(BlockNoted(isBlocked: false), to: .person(person)) }
    return NoAnswer()
  }
}

extension PersonState {
  /// The name of a person with whom this one has to do; `nil` for all others.
  fileprivate func name(of person: ID<Person>) -> String? {
    contacts.contacts[person]?.name ?? memberships.mates[person]?.name
      ?? contacts.invitations.values.first { $0.from == person }?.name
      ?? memberships.invitations.values.first { $0.by == person }?.byName
      ?? shares.entries.values.first { $0.sharer == person }?.name ?? asks.asks[person]?.name
  }

  /// Refuses to turn to a person whom the caller has blocked.
  func requireUnblocked(_ person: ID<Person>) throws(Refusal) {
    if contacts.blocked.contains(person) {
      throw Refusal(.conflict, "blocked", "You have blocked this person: unblock them first.")
    }
  }

  /// Takes back the person's consent to be contacts.
  fileprivate mutating func withdrawContact(from person: ID<Person>, in context: Context) {
    disconnect(person, in: context)
    for id in contacts.targets.keys(where: { $0.person == person }) {
      context.send(ContactWithdrawn(id: id), to: .person(person))
      contacts.targets[id] = nil
      // One that was sent to an address stays listed: else the block would tell whose address it is.
      if contacts.sent[id]?.person != nil { removeSentContact(id, in: context) }
    }
  }

  /// Drops what a person has invited this one to or asked of them, as if it had not come.
  fileprivate mutating func dropInvitations(of person: ID<Person>, in context: Context) {
    asks.asks[person] = nil
    withdrawNotification(.ask, ref: person.cast())
    for id in contacts.invitations.keys(where: { $0.from == person }) {
      contacts.invitations[id] = nil
      withdrawNotification(.contactInvitation, ref: id.cast())
    }
    for id in memberships.invitations.keys(where: { $0.by == person }) {
      memberships.invitations[id] = nil
      withdrawNotification(.invitation, ref: id.cast())
    }
  }

  /// Ends the other's receiving of this person's shares, and this person's of the other's.
  fileprivate func endShares(with person: ID<Person>, in context: Context) {
    // A share on its way is told, too: its beginning comes first.
    let own = shares.entries.keys { $0.role == .sharer } + pending.calls.values.compactMap(\.share)
    for share in own { context.send(ReceiverBlocked(person: person), to: .share(share)) }
    for share in shares.entries.keys(where: { $0.role == .receiver && $0.sharer == person }) {
      context.send(ReceiverBlocked(person: context.person), to: .share(share))
    }
  }
}
