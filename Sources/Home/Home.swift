public import Rooms

/// The domain as the server sees it: kinds of room with their methods, and a few questions about rooms.
///
/// Entities and methods stay inside this target; what leaves it are values that were made where the types are known.
public enum HomeRooms {
  /// Every kind of room.
  public static let kinds: [RoomKind] = [
    .of(
      PersonState.self,
      methods: [
        .of(CreateHousehold.self), .of(JoinHousehold.self), .of(AcceptInvitation.self), .of(DeclineInvitation.self),
        .of(ReadInbox.self), .of(EditSettings.self), .of(StartShare.self),
        .of(TakeOverShares.self),
      ]),
    .of(
      HouseholdState.self,
      methods: [
        .of(SendInvitation.self), .of(RevokeInvitation.self), .of(CreateJoinCode.self), .of(RevokeJoinCode.self),
        .of(LeaveHousehold.self), .of(AddNote.self), .of(EditNote.self), .of(RemoveNote.self), .of(RestoreNote.self),
        .of(AddGrocery.self), .of(EditGrocery<HouseholdState>.self), .of(RemoveGrocery<HouseholdState>.self),
        .of(CheckGrocery<HouseholdState>.self), .of(HideGrocery.self),
        .question(ListActivity.self), .question(SuggestGroceries.self),
      ]),
    .of(
      CornerState.self,
      methods: [
        .of(AddOwnGrocery.self), .of(EditGrocery<CornerState>.self), .of(RemoveGrocery<CornerState>.self),
        .of(CheckGrocery<CornerState>.self), .of(ShowGrocery.self),
      ]),
    .of(ShareState.self, methods: [.of(ExtendShare.self), .of(SeeShare.self), .question(MeasureShare.self)]),
  ]

  /// Checks what somebody says of himself on signing up, noting problems of `name` and `birthday` (`YYYY-MM-DD`); what
  /// is `nil` is not looked at.
  public static func check(name: String?, birthday: String?, at now: Instant, _ problems: Problems) {
    if let name { _ = Self.line(name: name, problems) }
    if let birthday { _ = Self.date(birthday: birthday, at: now, problems) }
  }

  /// Makes a person's own room, which must be new. Refused if `check` finds anything.
  public static func openPerson(
    _ room: Room, name: String, birthday: String?, devices: [ID<Session>: ListedDevice] = [:], turn: Turn
  ) throws(Refusal) {
    let problems = Problems()
    guard var profile = profile(name: name, birthday: birthday, at: turn.now, problems) else {
      throw .invalid(problems.list)
    }
    profile.devices = SmallMap(devices.map { ($0.key, Device($0.value)) })
    guard let room = room as? TypedRoom<PersonState> else { throw .notInRoom }
    _ = try room.perform(profile, turn)
  }

  /// Whether this is an e-mail address that an account may have.
  public static func isValidEmail(_ text: String) -> Bool { Email(text) != nil }

  /// The address as accounts are found by it: trimmed, lower case. `nil` if it is none.
  public static func normalisedEmail(_ text: String) -> String? { Email(text)?.text }

  /// The rooms of a person beside his own: households, his corners of them, shares that are running (ACC-5).
  public static func rooms(of me: Room) -> [RoomID] {
    guard let room = me as? TypedRoom<PersonState>, case .person(let person) = room.id else { return [] }
    let households = room.state.households.keys.sorted()
    return households.flatMap { [.household($0), .corner($0, person)] }
      + room.state.shares.keys.sorted().map { .share($0) }
  }

  /// The shares in which a person tells his own position.
  public static func ownActiveShares(of me: Room) -> [ID<Share>] {
    guard let room = me as? TypedRoom<PersonState> else { return [] }
    return room.state.shares.keys { $0.role == .sharer }
  }

  /// Whether a room is one that tells a position, so that its age is told more often.
  public static func hasPosition(_ room: Room?) -> Bool { room is TypedRoom<ShareState> }

  /// When the position of a share was fixed, and when its phone was last heard of; `nil` before the first report.
  public static func lastPositionTimes(of share: Room) -> (at: Instant, link: Instant)? {
    guard let room = share as? TypedRoom<ShareState>, let link = room.state.link.value.at,
      let at = room.state.position.value.at
    else { return nil }
    return (at, link)
  }

  /// What the age of a position makes of it: `fresh`, `stale` or `lost` (LOC-8).
  public static func freshness(ofPositionAt instant: Instant, now: Instant) -> String {
    Freshness(age: now - instant).rawValue
  }

  /// Whether the sharer was at the place that ends his share from the beginning, and has not left it (R-ARRIVE).
  public static func isAlreadyInside(_ share: Room) -> Bool {
    (share as? TypedRoom<ShareState>)?.state.share.value.arrival == .alreadyInside
  }

  private static func profile(
    name: String, birthday: String?, at now: Instant, _ problems: Problems
  ) -> OpenPerson? {
    let before = problems.count
    let line = Self.line(name: name, problems)
    let date = birthday.flatMap { Self.date(birthday: $0, at: now, problems) }
    return problems.count == before ? OpenPerson(name: line, birthday: date) : nil
  }

  private static func line(name: String, _ problems: Problems) -> Line {
    let before = problems.count
    let line = Line(checking: name, problems)
    if problems.count > before {
      problems.nest("name", since: before)
    } else if !line.fits(Limits.name) {
      problems.note("name", Line.limitText(Limits.name))
    }
    return line
  }

  private static func date(birthday: String, at now: Instant, _ problems: Problems) -> BirthDate? {
    let before = problems.count
    let date = BirthDate(checking: birthday, problems)
    if let date, !date.isPast(at: now) { problems.note("must not be in the future") }
    problems.nest("birthday", since: before)
    return date
  }
}
