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
    for person in contacts.acquaintances.union(asks.asked.keys).sorted() {
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
    for (id, target) in home.membership.targets where target.person == person { home.removeInvitation(id, in: context) }
    if home.membership.members.contains(person) {
      home.endGuests(of: person, in: context)
      // Nobody else can bring it back.
      if home.membership.members.count == 1 { return home.shred(in: context) }
      if home.dismissal.isDismissed {
        home.leaveDismissed(person, in: context)
      } else {
        home.leave(person, isDeleted: true, in: context)
      }
    }
    home.membership.forgetName(of: person)
    for mate in home.membership.members.keys {
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
    if state.share.value.sharer == person { return state.end(.deleted, in: context) }
    state.formerReceivers[person] = nil
    state.remove(person, told: nil, orEnd: .noReceivers, in: context)
  }
}
