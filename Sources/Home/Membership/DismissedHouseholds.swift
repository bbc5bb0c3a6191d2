import JSON
import Rooms

/// The dismissed households of a person, in their own room, while they may come back (HH-11).
struct DismissedHouseholds: Subject {
  typealias State = PersonState
  static let methods: [Method] = [.of(RestoreHousehold.self)]
  static let messages: [MessageHandler<PersonState>] = [.of(HouseholdDismissed.self), .of(HouseholdRestored.self)]

  var households = Table<ID<Household>, DismissedHousehold>()
  private(set) var due = DueTime()

  mutating func parts(_ part: inout some PartVisitor) { part("dismissed", &households) }

  mutating func planAll() { for household in households.values { due.plan(household.until) } }

  mutating func add(_ household: DismissedHousehold, _ id: ID<Household>) {
    households[id] = household
    households.keep(Limits.dismissed) { $0.at }
    due.plan(household.until)
  }

  /// Forgets a household that is back; `false` if it was not dismissed.
  @discardableResult
  mutating func remove(_ id: ID<Household>) -> Bool {
    guard households.contains(id) else { return false }
    households[id] = nil
    return true
  }

  static func fallDue(in me: inout PersonState, _ context: Context) {
    for id in me.dismissed.households.keys(where: { $0.until <= context.now }) {
      me.dismissed.households[id] = nil
      me.forget(id, at: context.now)
    }
    me.dismissed.due = DueTime()
    me.dismissed.planAll()
  }
}

/// A dismissed household in the own room of a person who was a member.
struct DismissedHousehold: Record {
  var name = ""
  var at = Instant()
  /// When it is shredded.
  var until = Instant()
  /// `true` if the person may bring it back.
  var isRestorable: Bool?

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("name", \.name)
    field("at", \.at)
    field("until", \.until)
    field("restorable", \.isRestorable)
  }
}

/// Brings a dismissed household back with its members; its host may within seven days (HH-11).
struct RestoreHousehold: Mutation {
  static let method: StaticString = "households.restore"
  static let summary: StaticString =
    "Brings a dismissed household back with its members; its host may within seven days (HH-11)."
  static let isAnsweredLater = true
  var household = ID<Household>()

  static func fields(_ field: inout some FieldVisitor<Self>) { field("household", \.household) }

  func apply(to me: inout PersonState, in context: Context) throws(Refusal) -> HouseholdAnswer {
    guard let dismissed = me.dismissed.households[household], dismissed.until > context.now else {
      throw .gone("This household")
    }
    guard dismissed.isRestorable == true else { throw .hostOnly }
    try me.checkHouseholds(adding: household)
    let call = me.wait(household: household, in: context)
    context.send(
      RestorationRequested(call: call, host: me.newcomer(to: household)), to: .household(household))
    return HouseholdAnswer(household: household)
  }
}

/// A household of the person is dismissed.
struct HouseholdDismissed: Message {
  static let name = "householdDismissed"
  var household = ID<Household>()
  var entry = DismissedHousehold()
  var by = ID<Person>()
  var byName = ""
  /// A path on the server to what the household holds for the person.
  var link: String?

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("household", \.household)
    field("entry", \.entry)
    field("by", \.by)
    field("byName", \.byName)
    field("link", \.link)
  }

  func apply(to me: inout PersonState, from source: RoomID, in context: Context) {
    me.leave(household, in: context)
    me.dismissed.add(entry, household)
    me.notify(
      Notification(
        kind: .dismissed, room: source.name, ref: household.cast(), actor: by, actorName: byName, at: entry.at,
        until: entry.until, name: entry.name, link: link), from: source, in: context)
  }
}

/// A dismissed household of the person is back. Their own room decides whether they can be in it.
struct HouseholdRestored: Message {
  static let name = "householdRestored"
  var membership = MembershipBegan()
  var by = ID<Person>()

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("membership", \.membership)
    field("by", \.by)
  }

  func apply(to me: inout PersonState, from source: RoomID, in context: Context) {
    guard me.hasPlace(for: membership) else {
      me.dismissed.remove(membership.household)
      me.withdrawNotification(.dismissed, ref: membership.household.cast())
      return context.send(RestorationDeclined(), to: source)
    }
    membership.apply(to: &me, from: source, in: context)
    me.notify(
      Notification(
        kind: .restored, room: source.name, ref: membership.household.cast(), actor: by,
        actorName: membership.mates[by], at: context.now, name: membership.membership.name), from: source, in: context)
  }
}

extension PersonState {
  /// Whether the person may be in a household beside those that they are in, or are about to be in (HH-2).
  fileprivate func hasPlace(for membership: MembershipBegan) -> Bool {
    let newcomer = newcomer(to: membership.household)
    if newcomer.isBound == true || (membership.membership.isExclusive == true && newcomer.isElsewhere == true) {
      return false
    }
    do throws(Refusal) { try checkHouseholds(adding: membership.household) } catch { return false }
    return true
  }
}
