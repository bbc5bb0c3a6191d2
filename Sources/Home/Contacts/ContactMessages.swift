import JSON
import Rooms

extension Contacts {
  static let messages: [MessageHandler<PersonState>] = [
    .of(ContactInvited.self), .of(ContactAccepted.self), .of(ContactWithdrawn.self), .of(ContactRenamed.self),
    .of(ContactFound.self), .of(BlockNoted.self), .of(AcquaintanceDeleted.self),
  ]
}

/// Another person invites this one to be contacts.
struct ContactInvited: Message {
  static let name = "contactInvited"
  var id = ID<ContactInvitation>()
  var invitation = ContactInvitation()

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("id", \.id)
    field("invitation", \.invitation)
  }

  func apply(to me: inout PersonState, from source: RoomID, in context: Context) {
    guard case .person(let person) = source, invitation.expiresAt > context.now,
      !me.contacts.blocked.contains(person), !me.contacts.invitations.contains(id)
    else { return }
    let name = invitation.name
    // Each has invited the other, or the other one's earlier consent has expired: both want to be contacts.
    if let own = me.contacts.consent(to: person) {
      let isNew = !me.contacts.contacts.contains(person)
      me.connect(person, named: name, by: Consents(own: own, theirs: id), in: context)
      context.send(me.acceptance(of: id, by: own, knownName: name), to: source)
      if isNew { me.notify(.accepted(by: person, name, at: context.now), from: source, in: context) }
      return
    }
    for earlier in me.contacts.invitations.keys(where: { $0.from == person }) {
      me.closeContactInvitation(earlier, at: context.now)
    }
    me.contacts.add(invitation, id)
    me.notify(
      Notification(
        kind: .contactInvitation, ref: id.cast(), actor: person, actorName: name, at: invitation.at), from: source,
      in: context)
  }
}

/// Another person accepts this one's invitation.
struct ContactAccepted: Message {
  static let name = "contactAccepted"
  var invitation = ID<ContactInvitation>()
  /// The id of their consent.
  var consent = ID<ContactInvitation>()
  var name = ""
  /// The name by which they know this person.
  var knownName = ""

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("invitation", \.invitation)
    field("consent", \.consent)
    field("name", \.name)
    field("knownName", \.knownName)
  }

  func apply(to me: inout PersonState, from source: RoomID, in context: Context) {
    guard case .person(let person) = source else { return }
    let isOpen = me.contacts.targets[invitation]?.person == person
    guard isOpen || me.contacts.consents[person]?.own == invitation else {
      // The invitation was taken back or has expired while they accepted it.
      return context.send(ContactWithdrawn(id: invitation), to: source)
    }
    me.connect(person, named: name, by: Consents(own: invitation, theirs: consent), in: context)
    if isOpen { me.notify(.accepted(by: person, name, at: context.now), from: source, in: context) }
    let own = me.identity.profile.value.name
    if own != knownName { context.send(ContactRenamed(name: own), to: source) }
  }
}

/// Another person's consent is no longer valid: they have taken their invitation back, or removed this contact.
struct ContactWithdrawn: Message {
  static let name = "contactWithdrawn"
  var id = ID<ContactInvitation>()

  static func fields(_ field: inout some FieldVisitor<Self>) { field("id", \.id) }

  func apply(to me: inout PersonState, from source: RoomID, in context: Context) {
    guard case .person(let person) = source else { return }
    if me.contacts.invitations[id]?.from == person {
      me.contacts.invitations[id] = nil
      me.withdrawNotification(.contactInvitation, ref: id.cast())
    }
    // The other room is told, since it may have accepted this one's consent under another one of its own.
    if me.contacts.consents[person]?.theirs == id { me.disconnect(person, in: context) }
  }
}

/// A contact has another name.
struct ContactRenamed: Message {
  static let name = "contactRenamed"
  var name = ""

  static func fields(_ field: inout some FieldVisitor<Self>) { field("name", \.name) }

  func apply(to me: inout PersonState, from source: RoomID, in context: Context) {
    guard case .person(let person) = source, me.contacts.contacts.contains(person) else { return }
    me.contacts.contacts[person]?.name = name
  }
}

/// A person has an address; the message comes from their own room. Invitations to it reach them now.
struct ContactFound: Message {
  static let name = "contactFound"
  var email = ""

  static func fields(_ field: inout some FieldVisitor<Self>) { field("email", \.email) }

  func apply(to me: inout PersonState, from source: RoomID, in context: Context) {
    guard case .person(let person) = source else { return }
    for id in me.takeAwaited(email, in: context) {
      guard let sent = me.contacts.sent[id], sent.expiresAt > context.now else { continue }
      if me.contacts.consent(to: person) != nil || me.contacts.blocked.contains(person) { continue }
      me.contacts.targets[id] = ContactTarget(person: person)
      me.send(sent, id, to: person, in: context)
    }
  }
}

/// Another person keeps this one's name in a block, or no longer: with the account, it is forgotten there, too (ACC-9).
struct BlockNoted: Message {
  static let name = "blockNoted"
  var isBlocked = false

  static func fields(_ field: inout some FieldVisitor<Self>) { field("blocked", \.isBlocked) }

  func apply(to me: inout PersonState, from source: RoomID, in context: Context) {
    guard case .person(let person) = source else { return }
    me.contacts.blockers[person] = isBlocked ? Blocker(at: context.now) : nil
    me.contacts.blockers.keep(Limits.blockers) { $0.at }
  }
}

/// A contact, an inviter or invitee, or a person who is blocked has deleted their account (ACC-9).
struct AcquaintanceDeleted: Message {
  static let name = "acquaintanceDeleted"

  static func fields(_ field: inout some FieldVisitor<Self>) {}

  func apply(to me: inout PersonState, from source: RoomID, in context: Context) {
    guard case .person(let person) = source else { return }
    me.forget(person, in: context)
  }
}

extension PersonState {
  /// The invitations that await an address; from now on they do not.
  mutating func takeAwaited(_ email: String, in context: Context) -> [ID<ContactInvitation>] {
    let awaiting = contacts.targets.keys { $0.email == email }
    for id in awaiting {
      context.forget(secretHash: Letter.awaiting(email))
      contacts.targets[id] = nil
    }
    return awaiting
  }
}

extension Notification {
  /// Another person has become a contact.
  fileprivate static func accepted(by person: ID<Person>, _ name: String, at now: Instant) -> Notification {
    Notification(kind: .contactAccepted, ref: person.cast(), actor: person, actorName: name, at: now)
  }
}
