import JSON
import Rooms

extension Membership {
  static let methods: [Method] = [
    .of(RevokeInvitation.self), .of(CreateJoinCode.self), .of(RevokeJoinCode.self), .of(LeaveHousehold.self),
    .of(RemoveMember.self), .of(MakeHost.self), .of(BeAway.self), .of(BeBack.self),
  ]
}

/// Leaves a household: the host hands over, and the last one's leaving dismisses it (HH-9).
struct LeaveHousehold: Mutation {
  static let method: StaticString = "members.leave"
  static let summary: StaticString =
    "Leaves a household: the host hands over, and the last one's leaving dismisses it (HH-9)."
  // For the link of the last one.
  static let makesSecret = true

  static func fields(_ field: inout some FieldVisitor<Self>) {}

  func apply(to home: inout HouseholdState, in context: Context) throws(Refusal) -> NoAnswer {
    _ = try home.caller(context)
    home.leave(context.person, in: context)
    return NoAnswer()
  }
}

/// Removes another member, who is told; the policy `removal` says who may (HH-8).
struct RemoveMember: Mutation {
  static let method: StaticString = "members.remove"
  static let summary: StaticString = "Removes another member, who is told; the policy `removal` says who may (HH-8)."
  var person = ID<Person>()

  static func fields(_ field: inout some FieldVisitor<Self>) { field("person", \.person) }

  func apply(to home: inout HouseholdState, in context: Context) throws(Refusal) -> NoAnswer {
    let remover = try home.caller(context)
    guard home.info.allows(context.person, \.removal, unlessChosen: .anyMember) else { throw .hostOnly }
    if person == context.person {
      throw Refusal(.conflict, "yourself", "Nobody removes themselves: members.leave is for that.")
    }
    if !home.membership.members.contains(person) { throw .gone("This member") }
    if home.isHost(person) { throw Refusal(.forbidden, "host", "The host cannot be removed.") }
    home.letGo(person, ClosingReason.removed, in: context)
    home.happened(.removed, by: context.person, ref: person.cast(), in: context)
    home.notifyOthers(than: context.person, .removed, ref: person.cast(), named: remover.name, in: context)
    let notification = Notification(
      kind: .removed, room: context.room.name, ref: person.cast(), actor: context.person, actorName: remover.name,
      at: context.now, name: home.info.facts.value.name)
    home.notify(person, notification, in: context)
    return NoAnswer()
  }
}

/// Makes another member the host in the caller's place (HH-18).
struct MakeHost: Mutation {
  static let method: StaticString = "members.makeHost"
  static let summary: StaticString = "Makes another member the host in the caller's place (HH-18)."
  var person = ID<Person>()

  static func fields(_ field: inout some FieldVisitor<Self>) { field("person", \.person) }

  func apply(to home: inout HouseholdState, in context: Context) throws(Refusal) -> NoAnswer {
    _ = try home.caller(context)
    guard home.isHost(context.person) else { throw .hostOnly }
    if !home.membership.members.contains(person) { throw .gone("This member") }
    if person == context.person { return NoAnswer() }
    if !home.isResident(person) { throw .guest }
    home.membership.members[context.person]?.role = .member
    context.send(RoleChanged(household: context.household, role: .member), to: .person(context.person))
    home.handOver(to: person, by: context.person, in: context)
    return NoAnswer()
  }
}

extension HouseholdState {
  /// Admits a person, or tells a member again that they are in. Returns the problem if there is one.
  mutating func admit(
    _ person: ID<Person>, _ newcomer: Newcomer, _ call: CallReference, guestOf inviter: ID<Person>? = nil,
    in context: Context
  ) -> JoinProblem? {
    if membership.members.contains(person) {
      tellMembership(of: person, call, in: context)
      return nil
    }
    let isExclusive = info.facts.value.isExclusive == true
    if inviter == nil, newcomer.isBound == true || (isExclusive && newcomer.isElsewhere == true) {
      return .inOtherHousehold
    }
    if membership.members.count >= Limits.members { return .full }
    happened(.joined, by: person, in: context)
    notifyOthers(than: person, .joined, ref: person.cast(), named: newcomer.name, in: context)
    for mate in membership.members.keys {
      let message = MateJoined(household: context.household, person: person, name: newcomer.name)
      context.send(message, to: .person(mate))
    }
    enter(person, newcomer, as: inviter == nil ? .member : .guest, guestOf: inviter, call, in: context)
    // This answers every other invitation of the person.
    for (id, target) in membership.targets where target.person == person { removeInvitation(id, in: context) }
    return nil
  }

  mutating func enter(
    _ person: ID<Person>, _ newcomer: Newcomer, as role: Role, guestOf inviter: ID<Person>? = nil,
    _ call: CallReference, in context: Context
  ) {
    membership.members[person] = Member(
      name: newcomer.name, role: role, joinedAt: context.now, birthday: newcomer.birthday, handles: newcomer.handles,
      preferred: newcomer.preferred, guestOf: inviter)
    membership.former[person] = nil
    presence.hide(person, newcomer.isHidden == true, at: context.now)
    joinRota(person, in: context)
    // The corner comes first, so that it exists when the person learns of it.
    context.send(CornerOpened(), to: .corner(context.household, person))
    tellMembership(of: person, call, in: context)
    keepBirthdays(in: context)
    tellMonthEnd(anewTo: [person], in: context)
  }

  private func tellMembership(of person: ID<Person>, _ call: CallReference, in context: Context) {
    guard let message = membershipBegan(of: person, call, in: context) else { return }
    context.send(message, to: .person(person))
  }

  /// The membership of a person, as their own room is told of it.
  func membershipBegan(of person: ID<Person>, _ call: CallReference?, in context: Context) -> MembershipBegan? {
    guard let member = membership.members[person] else { return nil }
    var mates: SmallMap<ID<Person>, String> = [:]
    for (mate, other) in membership.members where mate != person { mates[mate] = other.name }
    let facts = info.facts.value
    let entry = HouseholdEntry(
      name: facts.name, role: member.role, at: member.joinedAt, isExclusive: facts.isExclusive)
    return MembershipBegan(
      call: call, household: context.household, membership: entry, mates: mates,
      isHidden: presence.hiddenPresence.contains(person) ? true : nil, shown: member.shown)
  }

  /// Lets a member leave: the host hands over, and with the last one the household is dismissed (HH-9).
  ///
  /// - Parameter isDeleted: They have deleted their account, so nobody is told their name.
  mutating func leave(_ person: ID<Person>, isDeleted: Bool = false, in context: Context) {
    guard let member = membership.members[person] else { return }
    endGuests(of: person, in: context)
    if membership.members.count == 1 { return dismiss(by: person, in: context) }
    letGo(person, "left", in: context)
    happened(.left, by: person, in: context)
    notifyOthers(than: person, .left, ref: person.cast(), named: isDeleted ? nil : member.name, in: context)
    if isHost(person), let heir = membership.eldest?.key { handOver(to: heir, by: nil, in: context) }
  }

  /// Ends a membership: from now on nothing of the household reaches the person, and nobody joins by their codes and
  /// invitations (HH-3).
  mutating func letGo(_ person: ID<Person>, _ reason: String, in context: Context) {
    let removals = ids.removals[context.person]
    defer { uncountRemovals(to: removals, in: context) }
    endGuests(of: person, in: context)
    keepBirthdays(without: person, in: context)
    leaveChores(person, in: context)
    membership.retire(person, at: context.now)
    for (id, invitation) in membership.invitations where invitation.by == person {
      withdrawInvitation(id, in: context)
    }
    // A member who is removed may know the codes of others, too.
    for (id, code) in membership.joinCodes where code.by == person || reason == ClosingReason.removed {
      removeCode(id, in: context)
    }
    presence.forget(person)
    dropMoves(of: person, in: context)
    removeShownGroceries(of: person, in: context)
    leaveTrips(person, in: context)
    dinner.forget(person, from: tonight(at: context.now))
    forgetDrinks(of: person, at: context.now)
    leaveRota(person, in: context)
    leaveSpecialEvents(person, in: context)
    leaveRecurringBills(person, in: context)
    leaveDueBills(person)
    leaveRequests(person, in: context)
    removeCalendarLink(of: person, in: context)
    context.expel(person, reason: reason)
    context.send(CornerEnded(reason: reason), to: .corner(context.household, person))
    context.send(MembershipEnded(household: context.household), to: .person(person))
    for mate in membership.members.keys {
      context.send(MateLeft(household: context.household, person: person), to: .person(mate))
    }
  }

  /// Makes a member the host, who is told by whom, unless the old host has left.
  fileprivate mutating func handOver(to heir: ID<Person>, by actor: ID<Person>?, in context: Context) {
    info.facts.value.host = heir
    membership.members[heir]?.role = .host
    context.send(RoleChanged(household: context.household, role: .host), to: .person(heir))
    happened(.hostChanged, by: actor ?? heir, ref: heir.cast(), in: context)
    let notification = Notification(
      kind: .host, room: context.room.name, actor: actor, actorName: actor.flatMap { membership.members[$0]?.name },
      at: context.now)
    notify(heir, notification, in: context)
  }
}
