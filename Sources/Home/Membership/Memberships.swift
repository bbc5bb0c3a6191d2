import JSON
public import Rooms

/// The households of a person, and their invitations to others, in their own room: copies from the households.
struct Memberships: Subject {
  typealias State = PersonState

  var households = Table<ID<Household>, HouseholdEntry>()
  var invitations = Table<ID<Invitation>, ReceivedInvitation>()
  /// The other members of these households: a person shares positions with no one else.
  var mates = Table<ID<Person>, Mate>()
  var answered = Table<ID<Invitation>, AnsweredInvitation>()
  /// Open invitations of the person to others, in all households; the daily quota bounds their number.
  var sentInvitations = Table<ID<Invitation>, SentInvitation>()
  var quota = Single<InvitationQuota>()
  /// Households that the person has left and may be remembered in by name.
  var past = Table<ID<Household>, PastHousehold>()
  private(set) var due = DueTime()

  mutating func parts(_ part: inout some PartVisitor) {
    part("households", &households)
    part("invitations", &invitations)
    part("mates", &mates, .hidden)
    part("answered", &answered, .hidden)
    part("sentInvitations", &sentInvitations)
    part("invitationQuota", &quota, .hidden)
    part("past", &past, .hidden)
  }

  mutating func planAll() {
    for invitation in invitations.values { due.plan(invitation.expiresAt) }
    for invitation in sentInvitations.values { due.plan(invitation.expiresAt) }
    for answer in answered.values { due.plan(answer.end) }
  }

  /// Adds a received invitation. Members of many households may invite one person, so only the newest stay.
  mutating func add(_ invitation: ReceivedInvitation, _ id: ID<Invitation>) {
    invitations[id] = invitation
    invitations.keep(Limits.receivedInvitations) { $0.at }
    due.plan(invitation.expiresAt)
  }

  mutating func add(_ sent: SentInvitation, _ id: ID<Invitation>) {
    sentInvitations[id] = sent
    due.plan(sent.expiresAt)
  }

  /// Whether the person is in an exclusive household.
  var isBound: Bool { households.values.contains { $0.isExclusive == true && $0.role != .guest } }

  mutating func close(_ id: ID<Invitation>, _ answer: AnsweredInvitation) {
    invitations[id] = nil
    answered[id] = answer
    due.plan(answer.end)
  }

  /// Counts one more invitation that the person sends, to whichever household (HH-3).
  mutating func countInvitation(at now: Instant) throws(Refusal) {
    var day = quota.value
    if day.end <= now { day = InvitationQuota(count: 0, since: now) }
    if day.count >= Limits.invitationsPerDay {
      let text = "Nobody sends more than \(Limits.invitationsPerDay) invitations a day."
      throw Refusal(.rateLimited, "invitations", text).temporary(after: day.end - now)
    }
    day.count += 1
    quota.value = day
  }

  /// Takes back the count of an invitation that the household has refused.
  mutating func uncountInvitation() { quota.value.count = max(quota.value.count - 1, 0) }

  /// Notes that another person is in one of the households.
  mutating func meet(_ person: ID<Person>, _ name: String, in household: ID<Household>) {
    var mate = mates[person] ?? Mate()
    mate.name = name
    mate.households.insert(household)
    mates[person] = mate
  }

  /// Notes that another person has left a household, and forgets them if they share no other; `false` if they were not
  /// in it.
  @discardableResult
  mutating func part(from person: ID<Person>, in household: ID<Household>) -> Bool {
    guard var mate = mates[person], mate.households.contains(household) else { return false }
    mate.households.remove(household)
    mates[person] = mate.households.isEmpty ? nil : mate
    return true
  }

  private mutating func expire(at now: Instant) {
    for id in invitations.keys(where: { $0.expiresAt <= now }) { invitations[id] = nil }
    for id in sentInvitations.keys(where: { $0.expiresAt <= now }) { sentInvitations[id] = nil }
    for id in answered.keys(where: { $0.end <= now }) { answered[id] = nil }
    due = DueTime()
    planAll()
  }

  static func fallDue(in me: inout PersonState, _ context: Context) { me.memberships.expire(at: context.now) }
}

/// A household that a person has left.
struct PastHousehold: Record {
  var leftAt = Instant()

  static func fields(_ field: inout some FieldVisitor<Self>) { field("leftAt", \.leftAt) }
}

/// A household as listed in a member's own room.
struct HouseholdEntry: Record {
  var name = ""
  var role = Role.member
  var at = Instant()
  /// `true` if the person may be in no other household.
  var isExclusive: Bool?

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("name", \.name)
    field("role", \.role)
    field("at", \.at)
    field("exclusive", \.isExclusive)
  }
}

/// Another person who shares households with this one.
struct Mate: Record {
  var name = ""
  var households: SmallSet<ID<Household>> = []

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("name", \.name)
    field("households", \.households)
  }
}

/// An invitation that awaits a person's answer (HH-4).
struct ReceivedInvitation: Record {
  var household = ID<Household>()
  /// The household's name.
  var name = ""
  var by = ID<Person>()
  var byName = ""
  var at = Instant()
  var expiresAt = Instant()
  /// `true` if it is for a guest.
  var isGuest: Bool?

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("household", \.household)
    field("name", \.name)
    field("by", \.by)
    field("byName", \.byName)
    field("at", \.at)
    field("expiresAt", \.expiresAt)
    field("guest", \.isGuest)
  }
}

/// An open invitation of the person to another one (HH-3).
struct SentInvitation: Record {
  var household = ID<Household>()
  /// One of the two.
  var email: String?
  var person: ID<Person>?
  var at = Instant()
  var expiresAt = Instant()
  /// `true` if it is for a guest.
  var isGuest: Bool?

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("household", \.household)
    field("email", \.email)
    field("person", \.person)
    field("at", \.at)
    field("expiresAt", \.expiresAt)
    field("guest", \.isGuest)
  }
}

/// The number of invitations that a person has sent since their day began.
struct InvitationQuota: Record {
  var count = 0
  var since = Instant()

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("count", \.count)
    field("since", \.since)
  }

  var end: Instant { since + .seconds(24 * 3600) }
}

/// An answered invitation, kept so that a repeated answer is accepted.
struct AnsweredInvitation: Record {
  var household = ID<Household>()
  var isAccepted = false
  var at = Instant()

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("household", \.household)
    field("accepted", \.isAccepted)
    field("at", \.at)
  }

  var end: Instant { at + Limits.removedAge }
}

extension HomeRooms {
  /// The rooms of a person beside their own: households, their corners in them, running shares (ACC-5).
  public static func rooms(of me: Room) -> [RoomID] {
    guard let room = me as? TypedRoom<PersonState>, case .person(let person) = room.id else { return [] }
    let households = room.state.memberships.households.keys.sorted()
    return households.flatMap { [.household($0), .corner($0, person)] }
      + room.state.shares.entries.keys.sorted().map { .share($0) }
  }
}
