import JSON
import Rooms

/// A household: its members and all that they share.
struct HouseholdState: HasGroceries {
  static let kind = RoomKindName.household
  static let messages: [MessageHandler<HouseholdState>] = [
    .of(HouseholdFounded.self), .of(InvitationAccepted.self), .of(InvitationDeclined.self), .of(CodePresented.self),
    .of(PresenceChosen.self), .of(GroceryShown.self), .of(GrocerySettled<HouseholdState>.self), .of(CornerClosed.self),
  ]

  var household = Single<HouseholdFacts>()
  var members = Table<ID<Person>, Member>()
  var invitations = Table<ID<Invitation>, Invitation>()
  var joinCodes = Table<ID<JoinCode>, JoinCode>()
  var notes = Table<ID<Note>, Note>()
  var activity = Table<ID<Activity>, Activity>()
  var groceries = Table<ID<Grocery>, Grocery>()
  var aggregate = Table<ID<AggregateLine>, AggregateLine>()
  var mergedGroceries = Table<ID<Grocery>, GroceryLine>()
  var moving = Table<ID<Grocery>, MovingGrocery>()
  var catalogue = Table<String, CatalogueItem>()
  var presence = Table<ID<Person>, Presence>()
  var hiddenPresence = Table<ID<Person>, HiddenPresence>()
  var removed = Table<ID<Removed>, Removed>()
  /// Notes that can still be brought back.
  var removedNotes = Table<ID<Note>, RemovedNote>()
  /// Whom an invitation has reached; clients are not to learn whether an address has an account.
  var targets = Table<ID<Invitation>, InvitationTarget>()
  var codeHashes = Table<ID<JoinCode>, CodeHash>()
  var quotas = Table<ID<Person>, Quota>()
  var upkeep = Single<Upkeep>()

  mutating func parts(_ part: inout some PartVisitor) {
    part("household", &household)
    part("members", &members)
    part("invitations", &invitations)
    part("joinCodes", &joinCodes)
    part("notes", &notes)
    part("activity", &activity)
    part("groceries", &groceries)
    part("aggregate", &aggregate)
    part("mergedGroceries", &mergedGroceries, .hidden)
    part("moving", &moving, .hidden)
    part("catalogue", &catalogue, .hidden)
    part("presence", &presence, .kept)
    part("hiddenPresence", &hiddenPresence, .hidden)
    part("removed", &removed, .hidden)
    part("removedNotes", &removedNotes, .hidden)
    part("targets", &targets, .hidden)
    part("codeHashes", &codeHashes, .hidden)
    part("quotas", &quotas, .hidden)
    part("upkeep", &upkeep, .hidden)
  }

  func admits(_ person: ID<Person>, to room: RoomID) -> Bool { members.contains(person) }

  var nextDue: Instant? { upkeep.value.due }

  mutating func fallDue(in context: Context) {
    upkeep.value.due = nil
    expireNotes(in: context)
    for (id, invitation) in invitations {
      if invitation.expiresAt <= context.now {
        removeInvitation(id, at: context.now)
      } else {
        upkeep.plan(invitation.expiresAt)
      }
    }
    for (id, code) in joinCodes {
      if code.expiresAt <= context.now { removeCode(id, in: context) } else { upkeep.plan(code.expiresAt) }
    }
    for (person, quota) in quotas {
      if quota.end <= context.now { quotas[person] = nil } else { upkeep.plan(quota.end) }
    }
    upkeep.plan(removed.sweep(at: context.now))
  }

  /// Remembers an id that is not to be used again.
  mutating func forget<Of>(_ id: ID<Of>, at now: Instant) {
    removed.remember(id, at: now)
    upkeep.plan(now + Limits.removedAge)
  }

  /// Refuses an id that names something of this household, or did.
  func checkNew<Of>(_ id: ID<Of>) throws(Refusal) {
    if removed.count >= Limits.removedIDs { throw .tooManyRemoved }
    let isTaken =
      notes.contains(id.cast()) || invitations.contains(id.cast()) || joinCodes.contains(id.cast())
      || names(grocery: id.cast()) || removed.contains(id)
    if isTaken { throw .exists }
  }

  mutating func lineChanged(_ id: ID<Grocery>, from old: Grocery?, to new: Grocery?, in context: Context) {
    aggregateChanged(id, from: old, to: new, in: context)
  }

  /// The member who calls.
  func caller(_ context: Context) throws(Refusal) -> Member {
    guard let member = members[context.person] else { throw .notInRoom }
    return member
  }

  func isHost(_ person: ID<Person>) -> Bool { household.value.host == person }
}

/// What a household is, apart from what is in it.
struct HouseholdFacts: Record {
  var name = ""
  /// An IANA name.
  var timeZone = ""
  /// ISO 4217.
  var currency = ""
  var createdAt = Instant()
  var host = ID<Person>()
  /// How long a note stays that says nothing of it itself, in milliseconds.
  var noteLifetime = Int(Limits.defaultNoteLifetime.milliseconds)
  var policies = Policies()

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("name", \.name)
    field("timeZone", \.timeZone)
    field("currency", \.currency)
    field("createdAt", \.createdAt)
    field("host", \.host)
    field("noteLifetime", \.noteLifetime)
    field("policies", \.policies)
  }
}

/// Who may do what in a household.
struct Policies: Record {
  /// Who may edit and remove a note.
  var notes = NotePolicy.authorOrHost

  static func fields(_ field: inout some FieldVisitor<Self>) { field("notes", \.notes) }
}

enum NotePolicy: String, Word {
  case authorOrHost, any
}

struct Member: Record {
  var name = ""
  var role = Role.member
  var joinedAt = Instant()
  /// `MM-DD`.
  var birthday: String?

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("name", \.name)
    field("role", \.role)
    field("joinedAt", \.joinedAt)
    field("birthday", \.birthday)
  }
}

extension Context {
  /// The household that a household's room or a corner belongs to.
  var household: ID<Household> {
    switch room {
    case .household(let id), .corner(let id, _): id
    case .person, .share: ID()
    }
  }
}
