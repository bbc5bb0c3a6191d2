import JSON
import Rooms

/// The contacts of a person, in their own room: people who have agreed to know each other, and those whom the person
/// has blocked (LOC-33).
///
/// The rooms of two people agree by messages that may cross. Each consent of a person has an id: that of their
/// invitation, or one made for their acceptance. It is valid until they withdraw it, and then never again. A person has
/// at most one valid consent to another one, and two people are contacts while each room knows both consents.
///
///     me                      the other's me          me
///     InviteContact       →   ContactInvited
///     AcceptContact       →   ContactAccepted     →   ContactRenamed, or ContactWithdrawn if the consent is not valid
///     RemoveContact       →   ContactWithdrawn    →   ContactWithdrawn
///
/// A room that gets an invitation while its own is open accepts at once. Messages about a consent that is no longer
/// valid change nothing, so both rooms end with the same contacts in whichever order messages cross.
struct Contacts: Subject {
  typealias State = PersonState

  var contacts = Table<ID<Person>, Contact>()
  var invitations = Table<ID<ContactInvitation>, ContactInvitation>()
  var sent = Table<ID<ContactInvitation>, SentContactInvitation>()
  var blocked = Table<ID<Person>, BlockedPerson>()
  var consents = Table<ID<Person>, Consents>()
  /// The people whom sent invitations have reached, and the addresses that await their owner. Hidden: nobody learns
  /// whether an address has an account.
  var targets = Table<ID<ContactInvitation>, ContactTarget>()
  /// The people who have blocked the person, as far as they keep the person's name. Hidden: nobody learns of a block.
  var blockers = Table<ID<Person>, Blocker>()
  private(set) var due = DueTime()

  mutating func parts(_ part: inout some PartVisitor) {
    part("contacts", &contacts)
    part("contactInvitations", &invitations)
    part("sentContactInvitations", &sent)
    part("blocked", &blocked)
    part("contactConsents", &consents, .hidden)
    part("contactTargets", &targets, .hidden)
    part("blockers", &blockers, .hidden)
  }

  mutating func planAll() {
    for invitation in invitations.values { due.plan(invitation.expiresAt) }
    for invitation in sent.values { due.plan(invitation.expiresAt) }
  }

  /// The person's valid consent to another one.
  func consent(to person: ID<Person>) -> ID<ContactInvitation>? {
    consents[person]?.own ?? targets.first { $0.value.person == person }?.key
  }

  /// The people whose rooms know this person by a contact, an invitation or a block.
  var acquaintances: Set<ID<Person>> {
    Set(consents.keys).union(invitations.values.map(\.from)).union(targets.values.compactMap(\.person))
      .union(blockers.keys)
  }

  /// Refuses one contact more than the limit; open invitations count, so that each may be accepted.
  func checkRoom() throws(Refusal) {
    if contacts.count + sent.count >= Limits.contacts {
      throw .full("contacts", "At most \(Limits.contacts) contacts, with open invitations.")
    }
  }

  /// Adds a received invitation, the only one of its author. Of too many, the newest stay.
  mutating func add(_ invitation: ContactInvitation, _ id: ID<ContactInvitation>) {
    invitations[id] = invitation
    invitations.keep(Limits.receivedInvitations) { $0.at }
    due.plan(invitation.expiresAt)
  }

  mutating func add(_ invitation: SentContactInvitation, _ id: ID<ContactInvitation>, to target: ContactTarget?) {
    sent[id] = invitation
    targets[id] = target
    due.plan(invitation.expiresAt)
  }

  fileprivate mutating func planAgain() {
    due = DueTime()
    planAll()
  }

  static func fallDue(in me: inout PersonState, _ context: Context) {
    let now = context.now
    for id in me.contacts.invitations.keys(where: { $0.expiresAt <= now }) { me.closeContactInvitation(id, at: now) }
    for id in me.contacts.sent.keys(where: { $0.expiresAt <= now }) { me.removeSentContact(id, in: context) }
    me.contacts.planAgain()
  }
}

/// A person who has agreed to be a contact.
struct Contact: Record {
  var name = ""
  var since = Instant()

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("name", \.name)
    field("since", \.since)
  }
}

/// The consents that make two people contacts.
struct Consents: Record {
  var own = ID<ContactInvitation>()
  var theirs = ID<ContactInvitation>()

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("own", \.own)
    field("theirs", \.theirs)
  }
}

/// An invitation to be contacts that awaits the person's answer.
struct ContactInvitation: Record {
  var from = ID<Person>()
  var name = ""
  var at = Instant()
  var expiresAt = Instant()

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("from", \.from)
    field("name", \.name)
    field("at", \.at)
    field("expiresAt", \.expiresAt)
  }
}

/// An open invitation of the person to be contacts.
struct SentContactInvitation: Record {
  /// One of the two.
  var email: String?
  var person: ID<Person>?
  var at = Instant()
  var expiresAt = Instant()

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("email", \.email)
    field("person", \.person)
    field("at", \.at)
    field("expiresAt", \.expiresAt)
  }
}

/// The person whom an invitation has reached, or the address whose owner it awaits.
struct ContactTarget: Record {
  var person: ID<Person>?
  var email: String?

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("person", \.person)
    field("email", \.email)
  }
}

/// A person who has blocked this one.
struct Blocker: Record {
  var at = Instant()

  static func fields(_ field: inout some FieldVisitor<Self>) { field("at", \.at) }
}

/// A person whose invitations and shares do not reach this one.
struct BlockedPerson: Record {
  /// Absent if their name was not known.
  var name: String?
  var at = Instant()

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("name", \.name)
    field("at", \.at)
  }
}
