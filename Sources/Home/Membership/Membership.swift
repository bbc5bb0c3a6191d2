import JSON
import Rooms

/// The membership of a household and the ways into it: members, invitations and join codes (HH-3 to HH-11).
///
/// A call that joins or invites a person passes through three rooms (DESIGN, "Truth and copies"):
///
///     me                      household                 me
///     SendInvitation      →   InvitationRequested   →   InvitationSettled
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
  /// The address of each invitation, and the person whom it has reached. Hidden: members see the addresses of their own
  /// invitations only, and nobody learns whether an address has an account (HH-4).
  var targets = Table<ID<Invitation>, InvitationTarget>()
  var codeHashes = Table<ID<JoinCode>, CodeHash>()
  var absenceEnds = Table<ID<Person>, AbsenceEnd>()
  /// The number of former members without a name so far.
  var nameless = Single<NamelessCount>()
  private(set) var due = DueTime()

  mutating func parts(_ part: inout some PartVisitor) {
    part("members", &members)
    part("invitations", &invitations)
    part("joinCodes", &joinCodes)
    part("former", &former)
    part("targets", &targets, .hidden)
    part("codeHashes", &codeHashes, .hidden)
    part("absenceEnds", &absenceEnds, .hidden)
    part("nameless", &nameless, .hidden)
  }

  mutating func planAll() {
    for invitation in invitations.values { due.plan(invitation.expiresAt) }
    for code in joinCodes.values { due.plan(code.expiresAt) }
    for end in absenceEnds.values { due.plan(end.at) }
  }

  /// The member with the longest membership who is no guest.
  var eldest: (key: ID<Person>, value: Member)? {
    members.filter { $0.value.guestOf == nil }.min { ($0.value.joinedAt, $0.key) < ($1.value.joinedAt, $1.key) }
  }

  /// Keeps the name of a member who leaves, since notes, items and events go on naming them by id (HH-10).
  mutating func retire(_ person: ID<Person>, at now: Instant) {
    guard let member = members[person] else { return }
    members[person] = nil
    forgetAbsences(of: person)
    former[person] = FormerMember(name: member.name, leftAt: now)
    former.keep(Limits.former) { $0.leftAt }
  }

  /// Numbers a former member who has deleted their account, in place of their name (ACC-9).
  mutating func forgetName(of person: ID<Person>) {
    guard let member = former[person], member.number == nil else { return }
    nameless.value.count += 1
    former[person] = FormerMember(name: nil, number: nameless.value.count, leftAt: member.leftAt)
  }

  // MARK: invitations

  mutating func add(_ invitation: Invitation, _ id: ID<Invitation>, to target: InvitationTarget) {
    invitations[id] = invitation
    targets[id] = target
    due.plan(invitation.expiresAt)
  }

  mutating func remove(_ id: ID<Invitation>) {
    invitations[id] = nil
    targets[id] = nil
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

  // MARK: absences

  /// Notes when an absence ends in a zone; `nil` has no end.
  mutating func plan(_ absence: Absence?, of person: ID<Person>, in zone: String) {
    let end = absence.map { AbsenceEnd(at: ZoneTime(zone).end(of: $0.to)) }
    absenceEnds[person] = end
    due.plan(end?.at)
  }

  // MARK: due times

  fileprivate mutating func planAgain() {
    due = DueTime()
    planAll()
  }

  static func fallDue(in home: inout HouseholdState, _ context: Context) {
    let now = context.now
    for id in home.membership.invitations.keys(where: { $0.expiresAt <= now }) {
      home.removeInvitation(id, in: context)
    }
    for id in home.membership.joinCodes.keys(where: { $0.expiresAt <= now }) { home.removeCode(id, in: context) }
    home.endAbsences(in: context)
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
  /// The names under which they are paid, if they share them, and the platform that they prefer.
  var handles: PaymentHandles = [:]
  var preferred: PaymentPlatform?
  var away: Absence?
  /// The member for whose absence a guest stays.
  var guestOf: ID<Person>?

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("name", \.name)
    field("role", \.role)
    field("joinedAt", \.joinedAt)
    field("birthday", \.birthday)
    field("handles", \.handles)
    field("preferred", \.preferred)
    field("away", \.away)
    field("guestOf", \.guestOf)
  }

  /// The profile that the person shows here.
  var shown: ShownProfile {
    get { ShownProfile(name: name, birthday: birthday, handles: handles, preferred: preferred) }
    set {
      (name, birthday, handles, preferred) = (newValue.name, newValue.birthday, newValue.handles, newValue.preferred)
    }
  }
}

/// A person who was a member (HH-10).
struct FormerMember: Record {
  /// One of the two: a person who has deleted their account has a number, by which members tell them apart.
  var name: String?
  var number: Int?
  var leftAt = Instant()

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("name", \.name)
    field("number", \.number)
    field("leftAt", \.leftAt)
  }
}

/// The number of former members who have lost their name: that of the newest.
struct NamelessCount: Record {
  var count = 0

  static func fields(_ field: inout some FieldVisitor<Self>) { field("count", \.count) }
}

enum Role: String, Word {
  case host, member, guest
}

/// An invitation in the household's room (HH-3).
struct Invitation: Record {
  var by = ID<Person>()
  var at = Instant()
  var expiresAt = Instant()
  /// `true` if the person is to come as a guest, for the author's absence.
  var isGuest: Bool?

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("by", \.by)
    field("at", \.at)
    field("expiresAt", \.expiresAt)
    field("guest", \.isGuest)
  }
}

/// The invited address, and its owner if the server knows one; or a person whom the inviter knows.
struct InvitationTarget: Record {
  var email: String?
  var person: ID<Person>?
  /// The inviter knows that the person is in another household, and cannot come.
  var isUnavailable: Bool?

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("email", \.email)
    field("person", \.person)
    field("unavailable", \.isUnavailable)
  }
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
