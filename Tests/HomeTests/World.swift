import Crypto
import JSON
import Rooms
import Testing

@testable import Home

/// A server in memory with a fixed clock: rooms, the mail between them, accounts and secrets.
///
/// Every change is sealed at once and checked: what clients fold together from patches is the state, written whole.
final class World {
  static let start = Instant(milliseconds: 1_770_000_000_000)

  var now = World.start
  private(set) var rooms: [RoomID: Room] = [:]
  /// Messages on their way, in order per source and target.
  private(set) var mail: [(source: RoomID, message: OutgoingMessage)] = []
  private(set) var accounts: [String: ID<Person>] = [:]
  private(set) var secrets: [[UInt8]: RoomID] = [:]
  private(set) var history: [RoomID: [HistoryRecord]] = [:]
  private(set) var answers: [CallKey: JSON] = [:]
  private(set) var closed: [(room: RoomID, person: ID<Person>?, reason: String)] = []
  /// What a client that has seen every patch has.
  private(set) var folded: [RoomID: JSON] = [:]
  private(set) var patches: [RoomID: [JSON]] = [:]
  private(set) var entries: [RoomID: [[UInt8]]] = [:]
  private var snapshots: [RoomID: [UInt8]] = [:]
  private var ended: Set<RoomID> = []
  private var numbers: Int64 = 0
  private var drawn: UInt8 = 0
  /// Messages are delivered as soon as they are sent.
  var deliversAtOnce = true
  /// Every state is compared with what its patches add up to; tests of large states do that at their end.
  var checksStates = true

  let client = ID<Client>(high: 7, low: 7)

  // MARK: people

  /// Signs somebody up as `name@example.org`.
  @discardableResult func signUp(_ name: String, birthday: String? = nil) throws -> ID<Person> {
    let person = ID<Person>(high: 0xA000, low: UInt64(accounts.count + 1))
    accounts["\(name.lowercased())@example.org"] = person
    let room = try open(.person(person))
    try HomeRooms.openPerson(room, name: name, birthday: birthday, turn: Turn(caller: person, now: now))
    seal(room, by: person)
    return person
  }

  /// A household of those named, the first being its host.
  func household(of names: String..., id: ID<Household> = ID(high: 0xB000, low: 1)) throws -> [ID<Person>] {
    var people: [ID<Person>] = []
    for name in names { people.append(try accounts["\(name.lowercased())@example.org"] ?? signUp(name)) }
    try call(
      people[0], "households.create", ["id": .id(id), "name": "Home", "timeZone": "Europe/Berlin", "currency": "EUR"])
    if people.count > 1 { try join(people.dropFirst(), id) }
    return people
  }

  /// Lets people in by codes.
  func join(_ people: some Sequence<ID<Person>>, _ household: ID<Household>) throws {
    guard let host = (rooms[.household(household)] as? TypedRoom<HouseholdState>)?.state.info.facts.value.host else {
      throw Missing()
    }
    let code = try call(host, "joinCodes.create", in: .household(household), ["uses": 32])
    for person in people { try call(person, "households.join", ["code": code["code"] ?? .null]) }
  }

  struct Missing: Error {}

  // MARK: state

  func me(_ person: ID<Person>) throws -> PersonState {
    try #require(rooms[.person(person)] as? TypedRoom<PersonState>).state
  }

  func home(_ id: ID<Household> = ID(high: 0xB000, low: 1)) throws -> HouseholdState {
    try #require(rooms[.household(id)] as? TypedRoom<HouseholdState>).state
  }

  func share(_ id: ID<Share>) throws -> ShareState {
    try #require(rooms[.share(id)] as? TypedRoom<ShareState>).state
  }

  func corner(_ household: ID<Household> = ID(high: 0xB000, low: 1), _ person: ID<Person>) throws -> CornerState {
    try #require(rooms[.corner(household, person)] as? TypedRoom<CornerState>).state
  }

  func kinds(in inbox: Table<ID<Notification>, Notification>) -> [NotificationKind] {
    inbox.values.sorted { ($0.at, $0.kind.rawValue) < ($1.at, $1.kind.rawValue) }.map(\.kind)
  }

  // MARK: calls

  /// Calls a method and answers what it answers; mail is delivered before that.
  @discardableResult
  func call(_ person: ID<Person>, _ name: String, in room: RoomID? = nil, _ parameters: JSON = [:]) throws -> JSON {
    let key = nextCall(of: person)
    let immediate = try send(key, name, in: room ?? .person(person), parameters)
    if deliversAtOnce { deliverAll() }
    if let immediate { return immediate }
    guard deliversAtOnce else { return .null }
    let answer = try #require(answers[key], "\(name) was not answered")
    if let error = answer["error"] { throw Self.refusal(error) }
    return answer["result"] ?? .null
  }

  func nextCall(of person: ID<Person>) -> CallKey {
    numbers += 1
    return CallKey(person: person, client: client, number: numbers)
  }

  /// Carries out a call without delivering mail; `nil` where the answer comes later.
  func send(_ key: CallKey, _ name: String, in id: RoomID, _ parameters: JSON) throws -> JSON? {
    guard let room = rooms[id], room.admits(key.person) else { throw Refusal.notInRoom }
    if name == "positions.report" { return try report(key, to: room, parameters) }
    let method = try #require(Self.method(name, RoomKindName(id)), "no method \(name)")
    let tape = Tape()
    let view = try tape.parse(parameters.bytes.span)
    var turn = Turn(caller: key.person, client: key.client, now: now, call: key)
    let problems = Problems()
    if let record = method.read(view, problems) {
      for need in method.needs(record, key.person) {
        switch need {
        case .account(let email): turn.fetched[need] = .person(accounts[email])
        case .room(let hash): turn.fetched[need] = .room(secrets[hash])
        case .history(let query): turn.fetched[need] = .history(records(of: id, query))
        }
      }
    }
    problems.clear()
    if method.makesSecret {
      drawn += 1
      turn.secret = SHA256.hash([drawn])
    }
    let members = Writer()
    let outcome = method.run(room, try tape.parse(parameters.bytes.span), turn, problems, members)
    switch outcome {
    case .invalid: throw Refusal.invalid(problems.list)
    case .refused(let refusal):
      #expect(!room.hasUnsealedChanges, "a refusal must leave no trace")
      throw refusal
    case .done where method.kind == .question:
      #expect(!room.hasUnsealedChanges, "a question changes nothing")
      return try JSON.parse(Array("{".utf8) + members.bytes() + Array("}".utf8))
    case .done:
      if method.isAnsweredLater { room.remember(key, hash: 0, at: now, answer: .pending, answered: 0) }
      seal(room, by: key.person)
      if method.isAnsweredLater { return nil }
      return try JSON.parse(Array("{".utf8) + members.bytes() + Array("}".utf8))
    }
  }

  /// The records of a room's history that a query asks for, newest first.
  private func records(of room: RoomID, _ query: HistoryQuery) -> [HistoryRecord] {
    func place(_ record: HistoryRecord) -> HistoryCursor { HistoryCursor(at: record.at, id: record.id) }
    func isBefore(_ one: HistoryCursor, _ other: HistoryCursor) -> Bool {
      one.at != other.at ? one.at < other.at : one.id.lexicographicallyPrecedes(other.id)
    }
    let found = (history[room] ?? []).filter { record in
      record.kind == query.kind && query.before.map { isBefore(place(record), $0) } ?? true
    }
    return Array(found.sorted { isBefore(place($1), place($0)) }.prefix(query.limit))
  }

  /// Takes a report to one of the rooms that it passes through.
  private func report(_ key: CallKey, to room: Room, _ parameters: JSON) throws -> JSON {
    let tape = Tape()
    let problems = Problems()
    guard let report = Report(try tape.parse(parameters.bytes.span), problems) else {
      throw Refusal.invalid(problems.list)
    }
    do {
      try report.run(in: room, Turn(caller: key.person, client: key.client, now: now))
    } catch {
      #expect(!room.hasUnsealedChanges, "a refusal must leave no trace")
      throw error
    }
    if room.hasUnsealedChanges { seal(room, by: nil) }
    return [:]
  }

  static func method(_ name: String, _ kind: RoomKindName) -> Method? {
    HomeRooms.kinds.first { $0.name == kind }?.methods.first { $0.name == name }
  }

  private static func refusal(_ error: JSON) -> Refusal {
    Refusal(
      error["code"]?.int.flatMap(Refusal.Code.init) ?? .internalError, error["data"]?["reason"]?.string ?? "",
      error["message"]?.string ?? "")
  }

  // MARK: mail and time

  func deliverAll() { while !mail.isEmpty { deliver(0) } }

  /// Delivers one message: the first of its source and target, whichever is chosen.
  func deliver(_ choice: Int) {
    let chosen = mail[choice]
    guard
      let index = mail.firstIndex(where: { $0.source == chosen.source && $0.message.target == chosen.message.target })
    else { return }
    let (source, message) = mail.remove(at: index)
    guard let view = try? JSON.parse(message.body) else { return }
    if rooms[message.target] == nil {
      let kind = HomeRooms.kinds.first { $0.name == RoomKindName(message.target) }
      let opens = kind?.openingMessages.contains(view["message"]?.string ?? "") == true
      // A room that is over is never made again; only a corner is, when somebody comes back.
      guard opens, !ended.contains(message.target) || RoomKindName(message.target) == .corner else {
        return sendBack(source, view)
      }
      _ = try? open(message.target)
    }
    guard let room = rooms[message.target] else { return }
    let tape = Tape(depthLimit: 64)
    guard let parsed = try? tape.parse(message.body.span) else { return }
    #expect(room.take(parsed, from: source, number: message.number, Turn(now: max(now, room.changedAt))))
    #expect(
      !room.take(parsed, from: source, number: message.number, Turn(now: now)), "a message is taken up once")
    seal(room, by: nil)
  }

  /// As the server does: who waits for a room that is gone is told so.
  private func sendBack(_ source: RoomID, _ message: JSON) {
    guard let call = message["call"], let client = call["client"]?.string.flatMap({ ID<Client>($0) }),
      let person = call["person"]?.string.flatMap({ ID<Person>($0) }), let seq = call["seq"]?.int
    else { return }
    let key = CallKey(person: person, client: client, number: Int64(seq))
    answers[key] = ["error": ["code": 3, "message": "", "data": ["reason": "gone"]]]
  }

  /// Moves the clock and does all that falls due on the way, to the millisecond.
  func advance(_ duration: Duration) {
    let end = now + duration
    while let next = rooms.values.compactMap({ room in room.nextDue.map { ($0, room) } }).min(by: { $0.0 < $1.0 }),
      next.0 <= end
    {
      now = max(now, next.0)
      next.1.fallDue(Turn(now: now))
      #expect(next.1.isEnded || (next.1.nextDue ?? .init(milliseconds: .max)) > now, "what has fallen due is done")
      seal(next.1, by: nil)
      if deliversAtOnce { deliverAll() }
    }
    now = end
  }

  // MARK: rooms

  private func open(_ id: RoomID) throws -> Room {
    let kind = try #require(HomeRooms.kinds.first { $0.name == RoomKindName(id) })
    let room = kind.make(id)
    room.open(random: [UInt8](repeating: 1, count: 16), key: SHA256.hash(Array(id.text.utf8)))
    rooms[id] = room
    folded[id] = [:]
    patches[id] = []
    entries[id] = []
    snapshots[id] = nil
    return room
  }

  func sealAll() { for room in rooms.values { seal(room, by: nil) } }

  private func seal(_ room: Room, by person: ID<Person>?) {
    guard room.hasUnsealedChanges else { return }
    let writer = Writer()
    let sealed = room.seal(at: now, by: person, to: writer)
    entries[room.id]?.append(sealed.entry)
    if !sealed.parameters.isEmpty, let patch = (try? JSON.parse(writer.bytes()))?["patch"] {
      patches[room.id]?.append(patch)
      folded[room.id] = MergePatch.apply(patch, to: folded[room.id] ?? [:])
    }
    if checksStates { checkState(of: room) }
    for message in sealed.messages { mail.append((room.id, message)) }
    for change in sealed.secrets { secrets[change.hash] = change.isValid ? room.id : nil }
    for completion in sealed.completions {
      answers[completion.call] = try? JSON.parse(Array("{".utf8) + completion.answer + Array("}".utf8))
    }
    history[room.id, default: []] += sealed.history
    for (person, reason) in sealed.expelled { closed.append((room.id, person, reason)) }
    if let reason = sealed.ending {
      closed.append((room.id, nil, reason))
      secrets = secrets.filter { $0.value != room.id }
      rooms[room.id] = nil
      ended.insert(room.id)
    }
  }

  func checkState(of room: Room) {
    #expect(folded[room.id].map(Self.normalised) == Self.normalised(state(of: room)), "patches lead to the state")
  }

  func state(of room: Room) -> JSON {
    let writer = Writer()
    room.writeState(to: writer)
    return (try? JSON.parse(writer.bytes(), depthLimit: 64)) ?? .null
  }

  /// An empty object and an absent one mean the same.
  static func normalised(_ value: JSON) -> JSON {
    guard case .object(let members) = value else { return value }
    return .object(members.mapValues(normalised).filter { $0.value != [:] })
  }

  // MARK: being found again

  /// Everything that is kept of a room, as a value.
  func snapshot(of room: Room) -> JSON {
    (try? JSON.parse(room.snapshot(at: now).body, depthLimit: 64)).map(Self.sorted) ?? .null
  }

  /// Cuts the log of a room behind a snapshot.
  func cut(_ id: RoomID) {
    guard let room = rooms[id], let kept = entries[id], !kept.isEmpty else { return }
    snapshots[id] = room.snapshot(at: now).body
    entries[id] = []
  }

  /// Whether the room that is read back from snapshot and log is the one in memory.
  func isRestorable(_ id: RoomID) throws -> Bool {
    let room = try #require(rooms[id])
    let copy = try #require(HomeRooms.kinds.first { $0.name == RoomKindName(id) }).make(id)
    let kept = Writer()
    room.writeKept(to: kept)
    try copy.restore(
      snapshot: snapshots[id], entries: entries[id] ?? [], live: kept.bytes(), random: room.random, due: room.storedDue)
    let (found, expected) = (snapshot(of: copy), snapshot(of: room))
    // Due times follow from the rows; one in memory may be too early.
    let latest = Instant(milliseconds: .max)
    return found == expected && copy.nextDue ?? latest >= room.nextDue ?? latest
  }

  /// Receipts stand in the order of a hash table: put them in one of their own.
  private static func sorted(_ snapshot: JSON) -> JSON {
    guard case .object(var members) = snapshot, let receipts = members["receipts"]?.array else { return snapshot }
    members["receipts"] = .array(receipts.sorted { $0.text < $1.text })
    return normalised(.object(members))
  }
}

extension JSON {
  static func id<Of>(_ id: ID<Of>) -> JSON { .string(id.description) }
  static func at(_ instant: Instant) -> JSON { .string(instant.description) }
}

/// Runs `body` and answers with what it was refused for.
func refusal(_ body: () throws -> some Any) -> Refusal? {
  do {
    _ = try body()
    return nil
  } catch let refusal as Refusal {
    return refusal
  } catch {
    return nil
  }
}

/// `code/reason` of a refusal, for short expectations.
func reason(_ body: () throws -> some Any) -> String? {
  refusal(body).map { "\($0.code)/\($0.reason)" }
}
