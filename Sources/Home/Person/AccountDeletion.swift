import JSON
import Rooms

/// Deletes the caller's account: all sessions end, nothing of theirs is kept, and their name is forgotten (ACC-9).
struct DeleteAccount: Mutation {
  static let method: StaticString = "auth.deleteAccount"
  static let summary: StaticString =
    "Deletes the caller's account: all sessions end, nothing of theirs is kept, and their name is forgotten (ACC-9)."
  static let hasNeeds = true

  static func fields(_ field: inout some FieldVisitor<Self>) {}

  func needs(for caller: ID<Person>) -> [Need] { [.confirmation] }

  func apply(to me: inout PersonState, in context: Context) throws(Refusal) -> NoAnswer {
    try context.requireConfirmation(by: .pin, .password)
    me.end(in: context)
    return NoAnswer()
  }
}

extension HomeRooms {
  /// The reason that connections and rooms are told when an account is deleted.
  public static let endOfAccount = "accountDeleted"
}

extension PersonState {
  /// Ends the person's own room, and with the same commit the account. The messages to all rooms that know the person
  /// are in that commit, too, so they arrive whatever happens in between.
  fileprivate mutating func end(in context: Context) {
    let pending = pending.calls.values
    var households = Set(memberships.households.keys)
    households.formUnion(memberships.past.keys)
    households.formUnion(memberships.invitations.values.map(\.household))
    households.formUnion(memberships.answered.values.map(\.household))
    households.formUnion(dismissed.households.keys)
    households.formUnion(pending.compactMap(\.household))
    for household in households.sorted() { context.send(PersonDeleted(), to: .household(household)) }
    for share in shares.known.union(pending.compactMap(\.share)).sorted() {
      context.send(ParticipantDeleted(), to: .share(share))
    }
    for person in contacts.acquaintances.union(asks.asked.keys).union(keptNames.keepers.keys).sorted() {
      context.send(AcquaintanceDeleted(), to: .person(person))
    }
    for call in self.pending.references(of: context.person) {
      context.complete(call.key, refused: .gone("This account"))
    }
    context.endRoom(reason: HomeRooms.endOfAccount)
  }
}

/// A person who is, was or might become a member has deleted their account; the message comes from their own room.
struct PersonDeleted: Message {
  static let name = "personDeleted"

  static func fields(_ field: inout some FieldVisitor<Self>) {}

  func apply(to home: inout HouseholdState, from source: RoomID, in context: Context) {
    guard case .person(let person) = source else { return }
    home.forget(person, in: context)
  }
}

extension HouseholdState {
  /// Whether a person is or might become a member, or was one and is still named.
  func knows(_ person: ID<Person>) -> Bool {
    membership.members.contains(person) || membership.former[person]?.name != nil
      || membership.targets.values.contains { $0.person == person }
  }

  /// Forgets a person who has deleted their account.
  mutating func forget(_ person: ID<Person>, in context: Context) {
    for (id, target) in membership.targets where target.person == person { removeInvitation(id, in: context) }
    if membership.members.contains(person) {
      endGuests(of: person, in: context)
      // Nobody else can bring it back.
      if membership.members.count == 1 { return shred(in: context) }
      if dismissal.isDismissed {
        leaveDismissed(person, in: context)
      } else {
        leave(person, isDeleted: true, in: context)
      }
    }
    membership.forgetName(of: person)
    for mate in membership.members.keys {
      context.send(MateLeft(household: context.household, person: person, isDeleted: true), to: .person(mate))
    }
  }
}

/// A person who takes part in a share has deleted their account; the message comes from their own room.
struct ParticipantDeleted: Message {
  static let name = "participantDeleted"

  static func fields(_ field: inout some FieldVisitor<Self>) {}

  func apply(to state: inout ShareState, from source: RoomID, in context: Context) {
    guard case .person(let person) = source, state.share.value.endedAt == nil else { return }
    state.forget(person, in: context)
  }
}

extension ShareState {
  /// Whether a person takes part in the share, or did.
  func knows(_ person: ID<Person>) -> Bool {
    share.value.endedAt == nil
      && (share.value.sharer == person || receivers.contains(person) || formerReceivers.contains(person))
  }

  /// Forgets a person who has deleted their account.
  mutating func forget(_ person: ID<Person>, in context: Context) {
    if share.value.sharer == person { return end(.deleted, in: context) }
    formerReceivers[person] = nil
    remove(person, told: nil, orEnd: .noReceivers, in: context)
  }
}

extension PersonState {
  /// Whether the person's own room has anything to do with another person, beside households and shares.
  func knows(_ person: ID<Person>) -> Bool {
    contacts.acquaintances.contains(person) || contacts.blocked.contains(person) || inbox.naming(person) != nil
      || asks.asks.contains(person) || asks.asked.contains(person) || keptNames.keepers.contains(person)
  }

  /// Forgets a person who has deleted their account (ACC-9).
  mutating func forget(_ person: ID<Person>, in context: Context) {
    contacts.contacts[person] = nil
    contacts.consents[person] = nil
    for id in contacts.invitations.keys(where: { $0.from == person }) {
      contacts.invitations[id] = nil
      withdrawNotification(.contactInvitation, ref: id.cast())
    }
    for id in contacts.targets.keys(where: { $0.person == person }) {
      contacts.targets[id] = nil
      // One that was sent to an address stays until it expires: else the end would tell whose address it was.
      if contacts.sent[id]?.person != nil { removeSentContact(id, in: context) }
    }
    if contacts.blocked.contains(person) { changePresence(in: context) { $0.contacts.blocked[person] = nil } }
    contacts.blockers[person] = nil
    keptNames.keepers[person] = nil
    forgetName(of: person)
  }
}

/// A room that is told too late, or not at all, learns of the deletion when it next writes to the person.
protocol ForgetsPersons: RoomState {
  /// Whether the room has anything to do with a person that it must forget with their account.
  func knows(_ person: ID<Person>) -> Bool
  mutating func forget(_ person: ID<Person>, in context: Context)
}

extension ForgetsPersons {
  mutating func learn(endOf room: RoomID, in context: Context) -> Bool {
    guard case .person(let person) = room, knows(person) else { return false }
    forget(person, in: context)
    return true
  }
}
