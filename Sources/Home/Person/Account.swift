import JSON
public import Rooms

/// The person's account as they may see it: a copy; the directory is authoritative (ACC-7, ACC-16).
struct OwnAccount: Subject {
  typealias State = PersonState
  var facts = Single<AccountFacts>()

  mutating func parts(_ part: inout some PartVisitor) { part("account", &facts) }

  /// Refuses what an account may not do before its address is verified (SEC-9).
  func requireVerified(_ what: String, unless isAllowed: Bool) throws(Refusal) {
    if isAllowed || facts.value.isLimited != true { return }
    throw Refusal(.forbidden, "unverified", "Verify your address with auth.verify first: until then \(what).")
  }
}

/// An account as its owner sees it.
struct AccountFacts: Record, Equatable {
  var email: String?
  /// The address that a code on its way shall make the account's.
  var pending: String?
  /// Present and `true`, or absent, each.
  var isVerified: Bool?
  var hasPassword: Bool?
  var hasPIN: Bool?
  /// The server sends mail, and the address is not verified (SEC-9).
  var isLimited: Bool?

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("email", \.email)
    field("pending", \.pending)
    field("verified", \.isVerified)
    field("password", \.hasPassword)
    field("pin", \.hasPIN)
    field("limited", \.isLimited)
  }
}

extension AccountFacts {
  init(_ known: HomeRooms.KnownAccount) {
    email = known.email
    pending = known.pending
    isVerified = known.isVerified ? true : nil
    hasPassword = known.hasPassword ? true : nil
    hasPIN = known.hasPIN ? true : nil
    isLimited = known.isLimited ? true : nil
  }
}

/// Brings the account in line with the directory; the server calls it whenever that may have changed.
struct KeepAccount: Mutation {
  static let method: StaticString = "account.keep"
  static let summary: StaticString =
    "Brings the account in line with the directory; the server calls it whenever that may have changed."
  var account = AccountFacts()
  /// Households and persons that have invited the account's address.
  var awaitedBy: SmallSet<ID<Household>> = []
  var awaitedByPersons: SmallSet<ID<Person>> = []

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("account", \.account)
    field("awaitedBy", \.awaitedBy)
    field("awaitedByPersons", \.awaitedByPersons)
  }

  func apply(to me: inout PersonState, in context: Context) throws(Refusal) -> NoAnswer {
    if me.account.facts.value != account { me.account.facts.value = account }
    guard let email = account.email else { return NoAnswer() }
    for household in awaitedBy { context.send(AddresseeFound(email: email), to: .household(household)) }
    for person in awaitedByPersons where .person(person) != context.room {
      context.send(ContactFound(email: email), to: .person(person))
    }
    // An invitation to an address that has become one's own.
    for id in me.takeAwaited(email, in: context) { me.removeSentContact(id, in: context) }
    return NoAnswer()
  }
}

extension HomeRooms {
  /// An account as the directory has it.
  public struct KnownAccount: Sendable {
    public var email: String?
    public var pending: String?
    public var isVerified: Bool
    public var hasPassword: Bool
    public var hasPIN: Bool
    public var isLimited: Bool

    public init(
      email: String?, pending: String? = nil, isVerified: Bool = false, hasPassword: Bool, hasPIN: Bool = false,
      isLimited: Bool = false
    ) {
      self.email = email
      self.pending = pending
      self.isVerified = isVerified
      self.hasPassword = hasPassword
      self.hasPIN = hasPIN
      self.isLimited = isLimited
    }
  }

  /// Updates what a person sees of their account, and tells rooms that have invited its address whose it is; `false`
  /// if there is nothing to do.
  public static func keep(_ account: KnownAccount, awaitedBy rooms: [RoomID], in me: Room, turn: Turn) -> Bool {
    guard let room = me as? TypedRoom<PersonState> else { return false }
    let facts = AccountFacts(account)
    let households = rooms.compactMap { if case .household(let id) = $0 { id } else { nil } }
    let persons = rooms.compactMap { if case .person(let id) = $0 { id } else { nil } }
    if rooms.isEmpty, room.state.account.facts.value == facts { return false }
    let change = KeepAccount(account: facts, awaitedBy: SmallSet(households), awaitedByPersons: SmallSet(persons))
    return (try? room.perform(change, turn)) != nil
  }
}
