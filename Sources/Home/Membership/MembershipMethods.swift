import JSON
import Rooms

/// Makes a household; it comes from its founder's own room.
struct HouseholdFounded: Message {
  static let name = "householdFounded"
  static let opensRoom = true
  var call = CallReference()
  var name = ""
  var timeZone = ""
  var currency = ""
  var founder = Newcomer()

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("call", \.call)
    field("name", \.name)
    field("timeZone", \.timeZone)
    field("currency", \.currency)
    field("founder", \.founder)
  }

  func apply(to home: inout HouseholdState, from source: RoomID, in context: Context) {
    guard case .person(let person) = source else { return }
    if !home.members.isEmpty {
      context.send(JoinRefused(call: call, problem: .exists), to: source)
      return
    }
    home.household.value = HouseholdFacts(
      name: name, timeZone: timeZone, currency: currency, createdAt: context.now, host: person)
    home.happened(.founded, by: person, named: founder.name, in: context)
    home.enter(person, founder, as: .host, call, in: context)
  }
}

extension HouseholdState {
  /// Lets somebody in, or says again that he is in. Answers why not, where he cannot be.
  mutating func admit(
    _ person: ID<Person>, _ newcomer: Newcomer, _ call: CallReference, in context: Context
  ) -> JoinProblem? {
    if members.contains(person) {
      tellMembership(of: person, call, in: context)
      return nil
    }
    if members.count >= Limits.members { return .full }
    happened(.joined, by: person, named: newcomer.name, in: context)
    notifyOthers(than: person, .joined, ref: person.cast(), named: newcomer.name, in: context)
    for mate in members.keys {
      let message = MateJoined(household: context.household, person: person, name: newcomer.name)
      context.send(message, to: .person(mate))
    }
    enter(person, newcomer, as: .member, call, in: context)
    // Whatever else has invited him is answered by this.
    for (id, target) in targets where target.person == person { removeInvitation(id, at: context.now) }
    return nil
  }

  fileprivate mutating func enter(
    _ person: ID<Person>, _ newcomer: Newcomer, as role: Role, _ call: CallReference, in context: Context
  ) {
    members[person] = Member(
      name: newcomer.name, role: role, joinedAt: context.now, birthday: newcomer.birthday)
    hidePresence(of: person, newcomer.isHidden == true, at: context.now)
    // First the corner, so that it is there when the person learns of it.
    context.send(CornerOpened(), to: .corner(context.household, person))
    tellMembership(of: person, call, in: context)
  }

  private func tellMembership(of person: ID<Person>, _ call: CallReference, in context: Context) {
    guard let member = members[person] else { return }
    var mates: SmallMap<ID<Person>, String> = [:]
    for (mate, other) in members where mate != person { mates[mate] = other.name }
    let membership = Membership(name: household.value.name, role: member.role, at: member.joinedAt)
    context.send(
      MembershipBegan(
        call: call, household: context.household, membership: membership, mates: mates,
        isHidden: hiddenPresence.contains(person) ? true : nil),
      to: .person(person))
  }

  /// Takes somebody out: nothing of the household reaches him from now on.
  mutating func dismiss(_ person: ID<Person>, in context: Context) {
    members[person] = nil
    forgetPresence(of: person)
    dropMoves(of: person, in: context)
    context.expel(person, reason: "left")
    context.send(CornerEnded(reason: "left"), to: .corner(context.household, person))
    context.send(MembershipEnded(household: context.household), to: .person(person))
    for mate in members.keys {
      context.send(MateLeft(household: context.household, person: person), to: .person(mate))
    }
  }

  /// Makes the member of longest standing the host.
  fileprivate mutating func handOver(in context: Context) {
    let heir = members.min { left, right in
      (left.value.joinedAt, left.key) < (right.value.joinedAt, right.key)
    }
    guard let heir else { return }
    household.value.host = heir.key
    members[heir.key]?.role = .host
    context.send(RoleChanged(household: context.household, role: .host), to: .person(heir.key))
    happened(.hostChanged, by: heir.key, named: heir.value.name, in: context)
    let notification = Notification(kind: .host, room: context.room.name, at: context.now)
    context.send(Notify(notification: notification), to: .person(heir.key))
  }

  /// Ends the household with all that leads to it.
  fileprivate mutating func end(in context: Context) {
    for id in Array(invitations.keys) { withdrawInvitation(id, in: context) }
    for id in Array(joinCodes.keys) { removeCode(id, in: context) }
    context.endRoom(reason: "dismissed")
  }
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
    if home.members.isEmpty {
      home.end(in: context)
      return NoAnswer()
    }
    home.removeShownGroceries(of: person, in: context)
    home.happened(.left, by: person, named: member.name, in: context)
    home.notifyOthers(than: person, .left, ref: person.cast(), named: member.name, in: context)
    if home.isHost(person) { home.handOver(in: context) }
    return NoAnswer()
  }
}
