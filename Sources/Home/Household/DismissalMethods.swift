import Crypto
import JSON
import Rooms

extension Dismissal {
  static let methods: [Method] = [.of(DismissHousehold.self)]
  static let messages: [MessageHandler<HouseholdState>] = [
    .of(RestorationRequested.self), .of(RestorationDeclined.self),
  ]
}

/// Dismisses a household: nobody has access any longer, and for seven days its host can bring it back (HH-11).
struct DismissHousehold: Mutation {
  static let method: StaticString = "households.dismiss"
  static let summary: StaticString =
    "Dismisses a household: nobody has access any longer, and for seven days its host can bring it back (HH-11)."
  static let hasNeeds = true
  static let makesSecret = true

  static func fields(_ field: inout some FieldVisitor<Self>) {}

  func needs(for caller: ID<Person>) -> [Need] { [.confirmation] }

  func apply(to home: inout HouseholdState, in context: Context) throws(Refusal) -> NoAnswer {
    _ = try home.caller(context)
    guard home.isHost(context.person) else { throw .hostOnly }
    try context.requireConfirmation(by: .pin, .password)
    home.dismiss(by: context.person, in: context)
    return NoAnswer()
  }
}

extension HouseholdState {
  /// Closes the household to all at once. Its invitations and codes are dead, and stay dead if it comes back.
  mutating func dismiss(by host: ID<Person>, in context: Context) {
    let removals = ids.removals[context.person]
    defer { uncountRemovals(to: removals, in: context) }
    for id in Array(membership.invitations.keys) { withdrawInvitation(id, in: context) }
    for id in Array(membership.joinCodes.keys) { removeCode(id, in: context) }
    endGuests(in: context)
    presence.hideAll()
    dismissal.begin(by: host, at: context.now)
    for person in membership.members.keys.sorted() {
      removeCalendarLink(of: person, in: context)
      context.expel(person, reason: ClosingReason.dismissed)
      context.send(CornerDismissed(), to: .corner(context.household, person))
      let entry = DismissedHousehold(
        name: info.facts.value.name, at: context.now, until: context.now + Limits.dismissalAge,
        isRestorable: person == host ? true : nil)
      let message = HouseholdDismissed(
        household: context.household, entry: entry, by: host, byName: membership.members[host]?.name ?? "",
        link: exportLink(of: person, in: context))
      context.send(message, to: .person(person))
    }
  }

  /// Makes a link to what the household holds for a member. Only the member's own room learns of it.
  private mutating func exportLink(of person: ID<Person>, in context: Context) -> String? {
    // Each member's secret follows from the call's, which nobody can predict and nothing keeps.
    if context.secret.isEmpty { return nil }
    let secret = Base64.url.encode(HMACSHA256.authenticate(key: context.secret, person.bytes))
    let hash = SHA256.hash(Array(secret.utf8))
    dismissal.exports[person] = ExportLink(hash: Hex.encode(hash))
    context.admit(secretHash: hash)
    return HomeRooms.exportPath + secret
  }

  /// Opens a dismissed household again, with the members who can come back.
  fileprivate mutating func restore(by host: ID<Person>, _ call: CallReference, in context: Context) {
    dismissal.end()
    for person in Array(dismissal.exports.keys) { removeExport(of: person, in: context) }
    happened(.restored, by: host, in: context)
    for person in membership.members.keys.sorted() {
      // The corner comes first, so that it is open when the person learns of it.
      context.send(CornerRestored(), to: .corner(context.household, person))
      let isHost = person == host
      guard let membership = membershipBegan(of: person, isHost ? call : nil, in: context) else { continue }
      if isHost {
        context.send(membership, to: .person(person))
      } else {
        context.send(HouseholdRestored(membership: membership, by: host), to: .person(person))
      }
    }
    keepBirthdays(in: context)
    remindAll(in: context)
    remindOfBillsAnew(in: context)
    tellMonthEnd(anewTo: Array(membership.members.keys), in: context)
  }

  /// Takes a person out of a dismissed household that has other members.
  mutating func leaveDismissed(_ person: ID<Person>, in context: Context) {
    removeExport(of: person, in: context)
    keepBirthdays(without: person, in: context)
    leaveChores(person, in: context)
    membership.retire(person, at: context.now)
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
    context.send(CornerEnded(reason: ClosingReason.dismissed), to: .corner(context.household, person))
  }

  mutating func removeExport(of person: ID<Person>, in context: Context) {
    guard let export = dismissal.exports[person] else { return }
    if let hash = Hex.decode(export.hash) { context.forget(secretHash: hash) }
    dismissal.exports[person] = nil
  }

  /// Ends the household for good. The store removes all that it keeps of it.
  mutating func shred(in context: Context) {
    for id in Array(membership.invitations.keys) { withdrawInvitation(id, in: context) }
    for id in Array(membership.joinCodes.keys) { removeCode(id, in: context) }
    for person in membership.members.keys.sorted() {
      dropMoves(of: person, in: context)
      context.send(CornerEnded(reason: ClosingReason.dismissed), to: .corner(context.household, person))
    }
    context.endRoom(reason: ClosingReason.dismissed)
  }
}

/// The host brings a dismissed household back; the message comes from their own room.
struct RestorationRequested: Message {
  static let name = "restorationRequested"
  var call = CallReference()
  var host = Newcomer()

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("call", \.call)
    field("host", \.host)
  }

  func apply(to home: inout HouseholdState, from source: RoomID, in context: Context) {
    guard case .person(let person) = source else { return }
    var problem: JoinProblem?
    if home.dismissal.restorer(at: context.now) != person { problem = .gone }
    let isExclusive = home.info.facts.value.isExclusive == true
    if problem == nil, host.isBound == true || (isExclusive && host.isElsewhere == true) { problem = .inOtherHousehold }
    if let problem { return context.send(JoinRefused(call: call, problem: problem), to: source) }
    home.restore(by: person, call, in: context)
  }
}

/// A member cannot come back with their household; the message comes from their own room.
struct RestorationDeclined: Message {
  static let name = "restorationDeclined"

  static func fields(_ field: inout some FieldVisitor<Self>) {}

  func apply(to home: inout HouseholdState, from source: RoomID, in context: Context) {
    guard case .person(let person) = source, home.membership.members.contains(person) else { return }
    home.leave(person, in: context)
  }
}
