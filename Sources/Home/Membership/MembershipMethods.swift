import JSON
import Rooms

extension Membership {
  static let methods: [Method] = [
    .of(RevokeInvitation.self), .of(CreateJoinCode.self), .of(RevokeJoinCode.self), .of(LeaveHousehold.self),
  ]
}

/// Leaves a household: the host hands over, and the last one's leaving ends it (HH-9).
struct LeaveHousehold: Mutation {
  static let method: StaticString = "members.leave"
  static let summary: StaticString =
    "Leaves a household: the host hands over, and the last one's leaving ends it (HH-9)."

  static func fields(_ field: inout some FieldVisitor<Self>) {}

  func apply(to home: inout HouseholdState, in context: Context) throws(Refusal) -> NoAnswer {
    let member = try home.caller(context)
    let person = context.person
    home.dismiss(person, in: context)
    if home.membership.members.isEmpty {
      home.end(in: context)
      return NoAnswer()
    }
    home.removeShownGroceries(of: person, in: context)
    home.happened(.left, by: person, in: context)
    home.notifyOthers(than: person, .left, ref: person.cast(), named: member.name, in: context)
    if home.isHost(person) { home.handOver(in: context) }
    return NoAnswer()
  }
}

extension HouseholdState {
  /// Admits a person, or tells a member again that they are in. Returns the problem if there is one.
  mutating func admit(
    _ person: ID<Person>, _ newcomer: Newcomer, _ call: CallReference, in context: Context
  ) -> JoinProblem? {
    if membership.members.contains(person) {
      tellMembership(of: person, call, in: context)
      return nil
    }
    if membership.members.count >= Limits.members { return .full }
    happened(.joined, by: person, in: context)
    notifyOthers(than: person, .joined, ref: person.cast(), named: newcomer.name, in: context)
    for mate in membership.members.keys {
      let message = MateJoined(household: context.household, person: person, name: newcomer.name)
      context.send(message, to: .person(mate))
    }
    enter(person, newcomer, as: .member, call, in: context)
    // This answers every other invitation of the person.
    for (id, target) in membership.targets where target.person == person { removeInvitation(id, in: context) }
    return nil
  }

  mutating func enter(
    _ person: ID<Person>, _ newcomer: Newcomer, as role: Role, _ call: CallReference, in context: Context
  ) {
    membership.members[person] = Member(
      name: newcomer.name, role: role, joinedAt: context.now, birthday: newcomer.birthday)
    membership.former[person] = nil
    presence.hide(person, newcomer.isHidden == true, at: context.now)
    // The corner comes first, so that it exists when the person learns of it.
    context.send(CornerOpened(), to: .corner(context.household, person))
    tellMembership(of: person, call, in: context)
  }

  private func tellMembership(of person: ID<Person>, _ call: CallReference, in context: Context) {
    guard let member = membership.members[person] else { return }
    var mates: SmallMap<ID<Person>, String> = [:]
    for (mate, other) in membership.members where mate != person { mates[mate] = other.name }
    let entry = HouseholdEntry(name: info.facts.value.name, role: member.role, at: member.joinedAt)
    context.send(
      MembershipBegan(
        call: call, household: context.household, membership: entry, mates: mates,
        isHidden: presence.hiddenPresence.contains(person) ? true : nil),
      to: .person(person))
  }

  /// Removes a member: from now on nothing of the household reaches them, and nobody joins by their codes and
  /// invitations (HH-3).
  mutating func dismiss(_ person: ID<Person>, in context: Context) {
    membership.retire(person, at: context.now)
    for (id, invitation) in membership.invitations where invitation.by == person {
      withdrawInvitation(id, in: context)
    }
    for (id, code) in membership.joinCodes where code.by == person { removeCode(id, in: context) }
    presence.forget(person)
    dropMoves(of: person, in: context)
    context.expel(person, reason: "left")
    context.send(CornerEnded(reason: "left"), to: .corner(context.household, person))
    context.send(MembershipEnded(household: context.household), to: .person(person))
    for mate in membership.members.keys {
      context.send(MateLeft(household: context.household, person: person), to: .person(mate))
    }
  }

  /// Makes the member with the longest membership the host.
  fileprivate mutating func handOver(in context: Context) {
    guard let heir = membership.eldest else { return }
    info.facts.value.host = heir.key
    membership.members[heir.key]?.role = .host
    context.send(RoleChanged(household: context.household, role: .host), to: .person(heir.key))
    happened(.hostChanged, by: heir.key, in: context)
    notify(heir.key, Notification(kind: .host, room: context.room.name, at: context.now), in: context)
  }

  /// Ends the household, its invitations and its codes.
  fileprivate mutating func end(in context: Context) {
    for id in Array(membership.invitations.keys) { withdrawInvitation(id, in: context) }
    for id in Array(membership.joinCodes.keys) { removeCode(id, in: context) }
    context.endRoom(reason: "dismissed")
  }
}
