import Crypto
import JSON
import Rooms

extension Memberships {
  static let methods: [Method] = [
    .of(CreateHousehold.self), .of(JoinHousehold.self), .of(SendInvitation.self), .of(AcceptInvitation.self),
    .of(DeclineInvitation.self),
  ]
}

struct HouseholdAnswer: Record {
  var household = ID<Household>()

  static func fields(_ field: inout some FieldVisitor<Self>) { field("household", \.household) }
}

extension PersonState {
  /// The person as a household that they join is told of them.
  func newcomer(to household: ID<Household>) -> Newcomer {
    let isElsewhere =
      memberships.households.contains { $0.key != household && $0.value.role != .guest }
      || pending.calls.values.contains { $0.household != nil && $0.household != household }
    let shown = identity.shown
    return Newcomer(
      name: shown.name, birthday: shown.birthday, handles: shown.handles, preferred: shown.preferred,
      isHidden: settings.settings.value.presence == .hidden ? true : nil,
      isElsewhere: isElsewhere ? true : nil, isBound: memberships.isBound ? true : nil)
  }

  /// Refuses a household beyond the limit; pending ones count (HH-2).
  func checkHouseholds(adding household: ID<Household>) throws(Refusal) {
    var all = Set(memberships.households.keys)
    for waiting in pending.calls.values { if let household = waiting.household { all.insert(household) } }
    all.insert(household)
    if all.count > Limits.households {
      throw .full("households", "Nobody is in more than \(Limits.households) households.")
    }
    try account.requireVerified("you may be in one household", unless: all.count <= Limits.unverifiedHouseholds)
  }
}

extension PersonState {
  /// Counts one more invitation, to a household or to be contacts, against the quotas of the day (HH-3, SEC-9).
  mutating func countInvitation(at now: Instant) throws(Refusal) {
    try memberships.countInvitation(at: now)
    try account.requireVerified(
      "you may send \(Limits.unverifiedInvitations) invitations a day",
      unless: memberships.quota.value.count <= Limits.unverifiedInvitations)
  }
}

/// Makes a household; the caller becomes its host (HH-1).
struct CreateHousehold: Mutation {
  static let method: StaticString = "households.create"
  static let summary: StaticString = "Makes a household; the caller becomes its host (HH-1)."
  static let hasNeeds = true
  static let isAnsweredLater = true
  var id: ID<Household>?
  var name = Line()
  var timeZone = TimeZoneName()
  var currency = CurrencyCode()
  var puzzle: String?

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("id", \.id)
    field("name", \.name, Limits.name)
    field("timeZone", \.timeZone)
    field("currency", \.currency)
    field("puzzle", \.puzzle, Limits.puzzle)
  }

  func needs(for caller: ID<Person>) -> [Need] { [.puzzle(puzzle)] }

  func apply(to me: inout PersonState, in context: Context) throws(Refusal) -> HouseholdAnswer {
    let id = context.newID(id)
    let isOnItsWay = me.pending.calls.values.contains { $0.household == id }
    if me.names(id.cast()) || isOnItsWay { throw .exists }
    try me.checkHouseholds(adding: id)
    if me.memberships.isBound { throw JoinProblem.inOtherHousehold.refusal }
    let call = me.wait(household: id, in: context)
    context.send(
      HouseholdFounded(
        call: call, name: name.text, timeZone: timeZone.text, currency: currency.text, founder: me.newcomer(to: id)),
      to: .household(id))
    return HouseholdAnswer(household: id)
  }
}

struct InvitationAnswer: Record {
  var id = ID<Invitation>()
  var expiresAt = Instant()

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("id", \.id)
    field("expiresAt", \.expiresAt)
  }
}

/// Invites a housemate from another household, a contact, or the owner of an e-mail address, known or not (HH-3).
struct SendInvitation: Mutation {
  static let method: StaticString = "invitations.send"
  static let summary: StaticString =
    "Invites a housemate from another household, a contact, or the owner of an e-mail address, known or not (HH-3)."
  static let hasNeeds = true
  static let isAnsweredLater = true
  var household = ID<Household>()
  var id: ID<Invitation>?
  /// One of the two.
  var email: Email?
  var person: ID<Person>?
  /// For the caller's absence only.
  var isGuest: Bool?

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("household", \.household)
    field("id", \.id)
    field("email", \.email)
    field("person", \.person)
    field("guest", \.isGuest)
  }

  func needs(for caller: ID<Person>) -> [Need] { email.map { [.account(email: $0.text)] } ?? [] }

  func check(_ problems: Problems, in me: inout PersonState, _ context: Context) {
    let isBad = problems.list.contains { $0.path == "email" || $0.path == "person" }
    if !isBad, (email == nil) == (person == nil) { problems.note("email", "or person must be given, not both") }
  }

  func apply(to me: inout PersonState, in context: Context) throws(Refusal) -> InvitationAnswer {
    guard me.memberships.households.contains(household) else { throw .notInRoom }
    var invitee = person
    if let person {
      guard me.memberships.mates.contains(person) || me.contacts.contacts.contains(person) else {
        throw Refusal(.notFound, "person", "You share no household with this person, who is no contact either.")
      }
      try me.requireUnblocked(person)
    }
    if let email, case .person(let owner)? = context.fetched[.account(email: email.text)] { invitee = owner }
    try me.countInvitation(at: context.now)
    let id = context.newID(id)
    let call = me.wait(in: context)
    context.send(
      InvitationRequested(
        call: call, id: id, email: email?.text, invitee: invitee, isGuest: isGuest == true ? true : nil),
      to: .household(household))
    return InvitationAnswer(id: id, expiresAt: context.now + Limits.invitationAge)
  }
}

/// Accepts an invitation; the household answers, since the first to come is the first to be let in (HH-6, HH-7).
struct AcceptInvitation: Mutation {
  static let method: StaticString = "invitations.accept"
  static let summary: StaticString =
    "Accepts an invitation; the household answers, since the first to come is the first to be let in (HH-6, HH-7)."
  static let isAnsweredLater = true
  var id = ID<Invitation>()

  static func fields(_ field: inout some FieldVisitor<Self>) { field("id", \.id) }

  func apply(to me: inout PersonState, in context: Context) throws(Refusal) -> HouseholdAnswer {
    guard let invitation = me.memberships.invitations[id], invitation.expiresAt > context.now else {
      guard let earlier = me.memberships.answered[id], earlier.isAccepted,
        me.memberships.households.contains(earlier.household)
      else {
        throw .gone("This invitation")
      }
      let answer = HouseholdAnswer(household: earlier.household)
      me.answer(CallReference(context.call), answer, in: context)
      return answer
    }
    try me.checkHouseholds(adding: invitation.household)
    let call = me.wait(household: invitation.household, in: context)
    context.send(
      InvitationAccepted(call: call, invitation: id, newcomer: me.newcomer(to: invitation.household)),
      to: .household(invitation.household))
    return HouseholdAnswer(household: invitation.household)
  }
}

/// Declines an invitation; only the inviter is told (HH-6).
struct DeclineInvitation: Mutation {
  static let method: StaticString = "invitations.decline"
  static let summary: StaticString = "Declines an invitation; only the inviter is told (HH-6)."
  var id = ID<Invitation>()

  static func fields(_ field: inout some FieldVisitor<Self>) { field("id", \.id) }

  func apply(to me: inout PersonState, in context: Context) throws(Refusal) -> NoAnswer {
    if me.memberships.answered[id]?.isAccepted == false { return NoAnswer() }
    guard let invitation = me.memberships.invitations[id], invitation.expiresAt > context.now else {
      throw .gone("This invitation")
    }
    me.close(id, isAccepted: false, of: invitation.household, at: context.now)
    context.send(
      InvitationDeclined(invitation: id, name: me.identity.profile.value.name), to: .household(invitation.household))
    return NoAnswer()
  }
}

/// Joins a household by a code that one of its members has made (HH-3).
struct JoinHousehold: Mutation {
  static let method: StaticString = "households.join"
  static let summary: StaticString = "Joins a household by a code that one of its members has made (HH-3)."
  static let hasNeeds = true
  static let isAnsweredLater = true
  var code = JoinCodeText()

  static func fields(_ field: inout some FieldVisitor<Self>) { field("code", \.code) }

  func needs(for caller: ID<Person>) -> [Need] { [.room(secretHash: code.hash)] }

  func apply(to me: inout PersonState, in context: Context) throws(Refusal) -> HouseholdAnswer {
    let hash = code.hash
    guard case .room(.household(let household))? = context.fetched[.room(secretHash: hash)] else {
      throw .gone("This code")
    }
    let answer = HouseholdAnswer(household: household)
    if me.memberships.households.contains(household) {
      me.answer(CallReference(context.call), answer, in: context)
      return answer
    }
    try me.checkHouseholds(adding: household)
    let call = me.wait(household: household, in: context)
    context.send(
      CodePresented(call: call, hash: Hex.encode(hash), newcomer: me.newcomer(to: household)),
      to: .household(household))
    return answer
  }
}
