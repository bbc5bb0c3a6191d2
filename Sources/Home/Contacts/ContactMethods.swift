import JSON
import Rooms

extension Contacts {
  static let methods: [Method] = [
    .of(InviteContact.self), .of(RevokeContact.self), .of(AcceptContact.self), .of(DeclineContact.self),
    .of(RemoveContact.self), .of(BlockPerson.self), .of(UnblockPerson.self),
  ]
}

struct ContactInvitationAnswer: Record {
  var id = ID<ContactInvitation>()
  var expiresAt = Instant()

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("id", \.id)
    field("expiresAt", \.expiresAt)
  }
}

struct ContactAnswer: Record {
  var person = ID<Person>()

  static func fields(_ field: inout some FieldVisitor<Self>) { field("person", \.person) }
}

/// Invites a housemate, or the owner of an e-mail address, known or not, to be contacts (LOC-33).
struct InviteContact: Mutation {
  static let method: StaticString = "contacts.invite"
  static let summary: StaticString =
    "Invites a housemate, or the owner of an e-mail address, known or not, to be contacts (LOC-33)."
  static let hasNeeds = true
  var id: ID<ContactInvitation>?
  /// One of the two.
  var email: Email?
  var person: ID<Person>?

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("id", \.id)
    field("email", \.email)
    field("person", \.person)
  }

  func needs(for caller: ID<Person>) -> [Need] { email.map { [.account(email: $0.text)] } ?? [] }

  func check(_ problems: Problems, in me: inout PersonState, _ context: Context) {
    let isBad = problems.list.contains { $0.path == "email" || $0.path == "person" }
    if !isBad, (email == nil) == (person == nil) { problems.note("email", "or person must be given, not both") }
  }

  func apply(to me: inout PersonState, in context: Context) throws(Refusal) -> ContactInvitationAnswer {
    let isInvited = me.contacts.sent.values.contains { $0.email == email?.text && $0.person == person }
    if isInvited { throw InvitationProblem.alreadyInvited.refusal }
    var invitee: ID<Person>?
    var unknown: String?
    if let person {
      try checkPerson(person, in: me)
      invitee = person
    } else if let email {
      if case .person(let owner?)? = context.fetched[.account(email: email.text)] { invitee = owner }
      if invitee == nil { unknown = email.text }
    }
    if invitee == context.person { throw Refusal(.conflict, "yourself", "This is you.") }
    let id = context.newID(id)
    try me.checkNew(id)
    try me.contacts.checkRoom()
    try me.countInvitation(at: context.now)
    // An address that belongs to a contact, to a person who is invited already or to one who is blocked is treated as
    // one without an account: the answer must not tell whose it is.
    if let found = invitee, me.contacts.consent(to: found) != nil || me.contacts.blocked.contains(found) {
      invitee = nil
    }
    let sent = SentContactInvitation(
      email: email?.text, person: person, at: context.now, expiresAt: context.now + Limits.invitationAge)
    let isOnItsWay = invitee != nil || unknown != nil
    me.contacts.add(sent, id, to: isOnItsWay ? ContactTarget(person: invitee, email: unknown) : nil)
    if let invitee {
      me.send(sent, id, to: invitee, in: context)
    } else if let unknown {
      // If its owner proves the address, they find the invitation.
      context.admit(secretHash: Letter.awaiting(unknown))
      let letter = Letter(.contact, to: unknown, name: me.identity.profile.value.name)
      context.deliver(letter.delivery(context.newID() as ID<Letter>, at: context.now, until: sent.expiresAt))
    }
    return ContactInvitationAnswer(id: id, expiresAt: sent.expiresAt)
  }

  private func checkPerson(_ person: ID<Person>, in me: PersonState) throws(Refusal) {
    if me.contacts.contacts.contains(person) {
      throw Refusal(.conflict, "alreadyContact", "This person is a contact already.")
    }
    guard me.memberships.mates.contains(person) else {
      throw Refusal(.notFound, "person", "You share no household with this person.")
    }
    try me.requireUnblocked(person)
  }
}

/// Takes back an invitation to be contacts (LOC-33).
struct RevokeContact: Mutation {
  static let method: StaticString = "contacts.revoke"
  static let summary: StaticString = "Takes back an invitation to be contacts (LOC-33)."
  var id = ID<ContactInvitation>()

  static func fields(_ field: inout some FieldVisitor<Self>) { field("id", \.id) }

  func apply(to me: inout PersonState, in context: Context) throws(Refusal) -> NoAnswer {
    guard me.contacts.sent.contains(id) else { throw .gone("This invitation") }
    me.withdrawSentContact(id, in: context)
    return NoAnswer()
  }
}

/// Accepts an invitation: from now on both are contacts (LOC-33).
struct AcceptContact: Mutation {
  static let method: StaticString = "contacts.accept"
  static let summary: StaticString = "Accepts an invitation: from now on both are contacts (LOC-33)."
  var id = ID<ContactInvitation>()

  static func fields(_ field: inout some FieldVisitor<Self>) { field("id", \.id) }

  func apply(to me: inout PersonState, in context: Context) throws(Refusal) -> ContactAnswer {
    if let contact = me.contacts.consents.first(where: { $0.value.theirs == id })?.key {
      return ContactAnswer(person: contact)
    }
    guard let invitation = me.contacts.invitations[id], invitation.expiresAt > context.now else {
      throw .gone("This invitation")
    }
    let person = invitation.from
    let open = me.contacts.consent(to: person)
    if open == nil { try me.contacts.checkRoom() }
    let both = Consents(own: open ?? context.newID(), theirs: id)
    me.connect(person, named: invitation.name, by: both, in: context)
    context.send(me.acceptance(of: id, by: both.own, knownName: invitation.name), to: .person(person))
    return ContactAnswer(person: person)
  }
}

/// Declines an invitation to be contacts; nobody is told (LOC-33).
struct DeclineContact: Mutation {
  static let method: StaticString = "contacts.decline"
  static let summary: StaticString = "Declines an invitation to be contacts; nobody is told (LOC-33)."
  var id = ID<ContactInvitation>()

  static func fields(_ field: inout some FieldVisitor<Self>) { field("id", \.id) }

  func apply(to me: inout PersonState, in context: Context) throws(Refusal) -> NoAnswer {
    guard let invitation = me.contacts.invitations[id], invitation.expiresAt > context.now else {
      throw .gone("This invitation")
    }
    me.closeContactInvitation(id, at: context.now)
    return NoAnswer()
  }
}

/// Removes a contact on both sides (LOC-33).
struct RemoveContact: Mutation {
  static let method: StaticString = "contacts.remove"
  static let summary: StaticString = "Removes a contact on both sides (LOC-33)."
  var person = ID<Person>()

  static func fields(_ field: inout some FieldVisitor<Self>) { field("person", \.person) }

  func apply(to me: inout PersonState, in context: Context) throws(Refusal) -> NoAnswer {
    guard me.contacts.contacts.contains(person) else { throw .gone("This contact") }
    me.disconnect(person, in: context)
    return NoAnswer()
  }
}

extension PersonState {
  /// Makes another person a contact; their name is updated if they are one already.
  mutating func connect(
    _ person: ID<Person>, named name: String, by both: Consents, in context: Context
  ) {
    contacts.contacts[person] = Contact(name: name, since: contacts.contacts[person]?.since ?? context.now)
    contacts.consents[person] = both
    for id in contacts.invitations.keys(where: { $0.from == person }) { closeContactInvitation(id, at: context.now) }
    removeSentContact(both.own, in: context)
  }

  /// Ends a contact, and tells the other person's room.
  mutating func disconnect(_ person: ID<Person>, in context: Context) {
    guard let both = contacts.consents[person] else { return }
    contacts.contacts[person] = nil
    contacts.consents[person] = nil
    inbox.resolve(.contactAccepted, ref: person.cast(), at: context.now)
    noteKeptName(of: person, in: context)
    context.send(ContactWithdrawn(id: both.own), to: .person(person))
  }

  /// Sends an invitation to the person's own room.
  func send(_ sent: SentContactInvitation, _ id: ID<ContactInvitation>, to person: ID<Person>, in context: Context) {
    guard case .person(let own) = context.room else { return }
    let invitation = ContactInvitation(
      from: own, name: identity.profile.value.name, at: sent.at, expiresAt: sent.expiresAt)
    context.send(ContactInvited(id: id, invitation: invitation), to: .person(person))
  }

  /// The message by which another person's invitation is accepted.
  func acceptance(
    of id: ID<ContactInvitation>, by consent: ID<ContactInvitation>, knownName: String
  ) -> ContactAccepted {
    ContactAccepted(
      invitation: id, consent: consent, name: identity.profile.value.name, knownName: knownName)
  }

  /// Takes a received invitation off the list: there is nothing left to do about it.
  mutating func closeContactInvitation(_ id: ID<ContactInvitation>, at now: Instant) {
    contacts.invitations[id] = nil
    inbox.resolve(.contactInvitation, ref: id.cast(), at: now)
  }

  /// Takes a sent invitation off the list. Its id is not used again, since messages about it may be on their way.
  mutating func removeSentContact(_ id: ID<ContactInvitation>, in context: Context) {
    guard contacts.sent.contains(id) else { return }
    if let email = contacts.targets[id]?.email { context.forget(secretHash: Letter.awaiting(email)) }
    contacts.sent[id] = nil
    contacts.targets[id] = nil
    forget(id, at: context.now)
  }

  /// Takes back a sent invitation.
  mutating func withdrawSentContact(_ id: ID<ContactInvitation>, in context: Context) {
    if let person = contacts.targets[id]?.person { context.send(ContactWithdrawn(id: id), to: .person(person)) }
    removeSentContact(id, in: context)
  }

  /// Tells the contacts of another name.
  func tellContacts(name: String, in context: Context) {
    for person in contacts.contacts.keys { context.send(ContactRenamed(name: name), to: .person(person)) }
  }
}
