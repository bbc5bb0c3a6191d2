import JSON
public import Rooms

/// The profile of a person (ACC-2, ACC-7).
struct Identity: Subject {
  typealias State = PersonState
  var profile = Single<Profile>()

  mutating func parts(_ part: inout some PartVisitor) { part("profile", &profile) }

  /// The profile as mates see it.
  var shown: ShownProfile {
    let profile = profile.value
    let isShared = profile.sharesHandles == true
    return ShownProfile(
      name: profile.name, birthday: profile.birthday.map { String($0.dropFirst(5)) },
      handles: isShared ? profile.handles : [:], preferred: isShared ? profile.preferred : nil)
  }
}

struct Profile: Record {
  var name = ""
  /// `YYYY-MM-DD`; mates see only the day and the month.
  var birthday: String?
  var handles: PaymentHandles = [:]
  /// The platform by which the person would like to be paid.
  var preferred: PaymentPlatform?
  /// `true` if mates see these two; absent otherwise.
  var sharesHandles: Bool?

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("name", \.name)
    field("birthday", \.birthday)
    field("handles", \.handles)
    field("preferred", \.preferred)
    field("sharesHandles", \.sharesHandles)
  }
}

/// A profile as mates see it (ACC-7).
struct ShownProfile: Record {
  var name = ""
  /// `MM-DD`.
  var birthday: String?
  var handles: PaymentHandles = [:]
  var preferred: PaymentPlatform?

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("name", \.name)
    field("birthday", \.birthday)
    field("handles", \.handles)
    field("preferred", \.preferred)
  }
}

/// Makes a person's own room; the server calls it at sign-up.
struct OpenPerson: Mutation {
  static let method: StaticString = "me.open"
  static let summary: StaticString = "Makes a person's own room; the server calls it at sign-up."
  var name = Line()
  var birthday: BirthDate?
  /// The device on which the person signs up.
  var devices: SmallMap<ID<Session>, Device> = [:]
  var account = AccountFacts()

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("name", \.name, Limits.name)
    field("birthday", \.birthday)
    field("devices", \.devices)
    field("account", \.account)
  }

  func apply(to me: inout PersonState, in context: Context) throws(Refusal) -> NoAnswer {
    me.identity.profile.value = Profile(name: name.text, birthday: birthday?.text)
    for (id, device) in devices { me.devices.list[id] = device }
    me.account.facts.value = account
    return NoAnswer()
  }
}

extension HomeRooms {
  /// Checks the name and the birthday (`YYYY-MM-DD`) of a sign-up, and notes the problems. `nil` is not checked.
  public static func check(name: String?, birthday: String?, at now: Instant, _ problems: Problems) {
    if let name { _ = Self.line(name: name, problems) }
    if let birthday { _ = Self.date(birthday: birthday, at: now, problems) }
  }

  /// Makes a person's own room, which must be new. Refuses values that `check` rejects.
  public static func openPerson(
    _ room: Room, name: String, birthday: String?, devices: [ID<Session>: ListedDevice] = [:],
    account: KnownAccount? = nil, turn: Turn
  ) throws(Refusal) {
    let problems = Problems()
    guard var profile = profile(name: name, birthday: birthday, at: turn.now, problems) else {
      throw .invalid(problems)
    }
    profile.devices = SmallMap(devices.map { ($0.key, Device($0.value)) })
    if let account { profile.account = AccountFacts(account) }
    guard let room = room as? TypedRoom<PersonState> else { throw .notInRoom }
    _ = try room.perform(profile, turn)
  }

  /// The name of the person whose own room it is; `nil` for other rooms.
  public static func name(of me: Room) -> String? { (me as? TypedRoom<PersonState>)?.state.identity.profile.value.name }

  /// The address by which an account is found: trimmed, lower case; `nil` if it is invalid.
  public static func normalisedEmail(_ text: String) -> String? { Email(text)?.text }

  /// Notes, under `email`, what is wrong with an address that is to be an account's.
  public static func check(email: String, _ problems: Problems) {
    if Email(email) == nil { problems.note("email", Email.problem(with: email)) }
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
    if let date, !date.isPast(at: now) { problems.note(BirthDate.futureText) }
    problems.nest("birthday", since: before)
    return date
  }
}
