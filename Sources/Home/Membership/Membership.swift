import JSON
import Rooms

/// The membership of a household and the ways into it: members, invitations and join codes (HH-3 to HH-11).
///
/// A call that joins a person passes through three rooms (DESIGN, "Truth and copies"):
///
///     me                      household                 me
///     AcceptInvitation    →   InvitationAccepted    →   MembershipBegan, or JoinRefused
///     JoinHousehold       →   CodePresented         →   the same
///     CreateHousehold     →   HouseholdFounded      →   the same
///
/// The household also tells the corner of the new member (CornerOpened) and every mate (MateJoined).
struct Membership: Subject {
  typealias State = HouseholdState

  var members = Table<ID<Person>, Member>()
  var former = Table<ID<Person>, FormerMember>()
  var invitations = Table<ID<Invitation>, Invitation>()
  var joinCodes = Table<ID<JoinCode>, JoinCode>()
  /// The person whom each invitation has reached. Hidden: clients must not learn whether an address has an account.
  var targets = Table<ID<Invitation>, InvitationTarget>()
  var codeHashes = Table<ID<JoinCode>, CodeHash>()
  var quotas = Table<ID<Person>, Quota>()
  private(set) var due = DueTime()

  mutating func parts(_ part: inout some PartVisitor) {
    part("members", &members)
    part("invitations", &invitations)
    part("joinCodes", &joinCodes)
    part("former", &former)
    part("targets", &targets, .hidden)
    part("codeHashes", &codeHashes, .hidden)
    part("quotas", &quotas, .hidden)
  }

  mutating func planAll() {
    for invitation in invitations.values { due.plan(invitation.expiresAt) }
    for code in joinCodes.values { due.plan(code.expiresAt) }
    for quota in quotas.values { due.plan(quota.end) }
  }

  /// The member with the longest membership.
  var eldest: (key: ID<Person>, value: Member)? {
    members.min { ($0.value.joinedAt, $0.key) < ($1.value.joinedAt, $1.key) }
  }

  /// Keeps the name of a member who leaves, since notes, items and events go on naming them by id (HH-10).
  mutating func retire(_ person: ID<Person>, at now: Instant) {
    guard let member = members[person] else { return }
    members[person] = nil
    former[person] = FormerMember(name: member.name, leftAt: now)
    former.keep(Limits.former) { $0.leftAt }
  }

  // MARK: invitations

  mutating func add(_ invitation: Invitation, _ id: ID<Invitation>, reaching person: ID<Person>?) {
    invitations[id] = invitation
    targets[id] = InvitationTarget(person: person)
    due.plan(invitation.expiresAt)
  }

  mutating func remove(_ id: ID<Invitation>) {
    invitations[id] = nil
    targets[id] = nil
  }

  /// Counts one more invitation of a person on this day (HH-3).
  mutating func countInvitation(by person: ID<Person>, at now: Instant) throws(Refusal) {
    var quota = quotas[person] ?? Quota(count: 0, since: now)
    if quota.end <= now { quota = Quota(count: 0, since: now) }
    if quota.count >= Limits.invitationsPerDay {
      let text = "Nobody sends more than \(Limits.invitationsPerDay) invitations a day."
      throw Refusal(.rateLimited, "invitations", text).temporary(after: quota.end - now)
    }
    quota.count += 1
    quotas[person] = quota
    due.plan(quota.end)
  }

  // MARK: join codes

  mutating func add(_ code: JoinCode, _ id: ID<JoinCode>, hash: String) {
    joinCodes[id] = code
    codeHashes[id] = CodeHash(hash: hash)
    due.plan(code.expiresAt)
  }

  /// The code that still admits a person, by its hash.
  func code(hash: String, at now: Instant) -> ID<JoinCode>? {
    guard let id = codeHashes.first(where: { $0.value.hash == hash })?.key, let code = joinCodes[id],
      code.expiresAt > now, code.used < code.uses
    else { return nil }
    return id
  }

  /// Counts one use of a code; `true` if it was the last one.
  mutating func use(_ id: ID<JoinCode>) -> Bool {
    joinCodes[id]?.used += 1
    return joinCodes[id].map { $0.used >= $0.uses } ?? false
  }

  mutating func remove(_ id: ID<JoinCode>) {
    joinCodes[id] = nil
    codeHashes[id] = nil
  }

  // MARK: due times

  /// Drops quotas whose day is over. Returns the expired invitations and codes.
  fileprivate mutating func expire(at now: Instant) -> (invitations: [ID<Invitation>], codes: [ID<JoinCode>]) {
    due = DueTime()
    for person in quotas.keys(where: { $0.end <= now }) { quotas[person] = nil }
    planAll()
    return (invitations.keys { $0.expiresAt <= now }, joinCodes.keys { $0.expiresAt <= now })
  }

  fileprivate mutating func planAgain() {
    due = DueTime()
    planAll()
  }

  static func fallDue(in home: inout HouseholdState, _ context: Context) {
    let expired = home.membership.expire(at: context.now)
    for id in expired.invitations { home.removeInvitation(id, at: context.now) }
    for id in expired.codes { home.removeCode(id, in: context) }
    home.membership.planAgain()
  }
}

/// A member of a household.
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

/// A person who was a member (HH-10).
struct FormerMember: Record {
  var name = ""
  var leftAt = Instant()

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("name", \.name)
    field("leftAt", \.leftAt)
  }
}

enum Role: String, Word {
  case host, member
}

/// An invitation in the household's room (HH-3).
struct Invitation: Record {
  var email = ""
  var by = ID<Person>()
  var at = Instant()
  var expiresAt = Instant()

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("email", \.email)
    field("by", \.by)
    field("at", \.at)
    field("expiresAt", \.expiresAt)
  }
}

/// The owner of the invited address; absent if the server knows none.
struct InvitationTarget: Record {
  var person: ID<Person>?

  static func fields(_ field: inout some FieldVisitor<Self>) { field("person", \.person) }
}

/// The number of invitations that a member has sent since their day began.
struct Quota: Record {
  var count = 0
  var since = Instant()

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("count", \.count)
    field("since", \.since)
  }

  var end: Instant { since + .seconds(24 * 3600) }
}

/// A code that admits its bearers (HH-3). The code itself is sent once, to the member who made it.
struct JoinCode: Record {
  var by = ID<Person>()
  var at = Instant()
  var expiresAt = Instant()
  /// The number of people who may use it, and of those who have.
  var uses = 0
  var used = 0

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("by", \.by)
    field("at", \.at)
    field("expiresAt", \.expiresAt)
    field("uses", \.uses)
    field("used", \.used)
  }
}

/// SHA-256 of a code, hexadecimal.
struct CodeHash: Record {
  var hash = ""

  static func fields(_ field: inout some FieldVisitor<Self>) { field("hash", \.hash) }
}
