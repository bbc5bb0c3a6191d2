import Crypto
import JSON
import Rehearsal
import Rooms
import Testing

@testable import Home

/// Rooms in memory with a fixed clock, and a client that sees every patch.
///
/// Each change is checked: the patches that the client has merged are the whole state.
final class World {
  static let start = Instant(milliseconds: 1_770_000_000_000)

  private let memory: RoomsInMemory
  private(set) var closed: [(room: RoomID, person: ID<Person>?, reason: String)] = []
  /// The states of a client that has received every patch.
  private(set) var folded: [RoomID: JSON] = [:]
  private(set) var patches: [RoomID: [JSON]] = [:]
  private(set) var entries: [RoomID: [[UInt8]]] = [:]
  private var snapshots: [RoomID: [UInt8]] = [:]
  private var numbers: Int64 = 0
  /// Messages are delivered as soon as they are sent.
  var deliversAtOnce = true
  /// Every state is compared with what its patches add up to; tests of large states do that at their end.
  var checksStates = true

  let client = ID<Client>(high: 7, low: 7)

  init() {
    var drawn = 0
    memory = RoomsInMemory(HomeRooms.kinds, now: Self.start) { count in
      drawn += 1
      return Array(SHA256.hash(Array("\(drawn)".utf8)).prefix(count))
    }
    memory.opened = { [unowned self] room in
      folded[room.id] = [:]
      patches[room.id] = []
      entries[room.id] = []
      snapshots[room.id] = nil
    }
    memory.sealed = { [unowned self] in note($1, of: $0, patch: $2) }
    memory.taken = { room, source, message in
      let view = try? Tape(depthLimit: 64).parse(message.body.span)
      let isTakenAgain = view.map { room.take($0, from: source, number: message.number, Turn(now: room.changedAt)) }
      #expect(isTakenAgain == false, "a message is taken up once")
    }
  }

  var now: Instant {
    get { memory.now }
    set { memory.now = newValue }
  }
  var rooms: [RoomID: Room] { memory.rooms }
  var mail: [(source: RoomID, message: OutgoingMessage)] { memory.mail }
  var secrets: [[UInt8]: RoomID] { memory.secrets }
  /// The way in which all callers have confirmed; `nil` if none has.
  var confirmation: Rooms.Confirmation? {
    get { memory.confirmation }
    set { memory.confirmation = newValue }
  }
  var history: [RoomID: [HistoryRecord]] { memory.history }
  /// The letters that were to be mailed.
  var letters: [Letter] { memory.deliveries.compactMap { Letter.read($0.body) } }
  var answers: [CallKey: JSON] { memory.answers }

  // MARK: people

  /// Signs somebody up as `name@example.org`.
  @discardableResult func signUp(_ name: String, birthday: String? = nil) throws -> ID<Person> {
    let person = ID<Person>(high: 0xA000, low: UInt64(memory.accounts.count + 1))
    memory.accounts["\(name.lowercased())@example.org"] = person
    let room = memory.open(.person(person))
    try HomeRooms.openPerson(room, name: name, birthday: birthday, turn: Turn(caller: person, now: now))
    memory.seal(room, by: person)
    return person
  }

  /// Brings a person's account in line with the directory, as the server does.
  func keep(_ account: HomeRooms.KnownAccount, of person: ID<Person>) throws {
    let room = try #require(rooms[.person(person)])
    let awaiting = account.email.flatMap { memory.roomsBySecret[Letter.awaiting($0)] } ?? []
    if HomeRooms.keep(account, awaitedBy: awaiting, in: room, turn: Turn(now: now)) { memory.seal(room, by: nil) }
    memory.deliverAll()
  }

  /// Deletes a person's account, as they would after a confirmation.
  func delete(_ person: ID<Person>) throws {
    confirmation = .pin
    try call(person, "auth.deleteAccount")
    confirmation = nil
  }

  /// Whether anything that is kept of any room has the name.
  func names(_ name: String) -> Bool { rooms.values.contains { snapshot(of: $0).text.contains(name) } }

  /// A household of those named, the first being its host.
  func household(of names: String..., id: ID<Household> = ID(high: 0xB000, low: 1)) throws -> [ID<Person>] {
    var people: [ID<Person>] = []
    for name in names { people.append(try memory.accounts["\(name.lowercased())@example.org"] ?? signUp(name)) }
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

  /// Carries out a call without delivering mail; `nil` if the answer comes later.
  func send(_ key: CallKey, _ name: String, in id: RoomID, _ parameters: JSON) throws -> JSON? {
    let room = rooms[id]
    defer { #expect(room?.hasUnsealedChanges != true, "a refusal or a question must leave no trace") }
    if name == "positions.report" {
      guard let room, room.admits(key.person) else { throw Refusal.notInRoom }
      return try report(key, to: room, parameters)
    }
    return try memory.call(key, name, in: id, parameters)
  }

  /// Takes a report to one of the rooms that it passes through.
  private func report(_ key: CallKey, to room: Room, _ parameters: JSON) throws -> JSON {
    let tape = Tape()
    let problems = Problems()
    guard let report = Report(try tape.parse(parameters.bytes.span), problems) else {
      throw Refusal.invalid(problems.list)
    }
    try report.run(in: room, Turn(caller: key.person, client: key.client, session: key.client.cast(), now: now))
    memory.seal(room, by: nil)
    return [:]
  }

  private static func refusal(_ error: JSON) -> Refusal {
    Refusal(
      error["code"]?.int.flatMap(Refusal.Code.init) ?? .internalError, error["data"]?["reason"]?.string ?? "",
      error["message"]?.string ?? "")
  }

  // MARK: mail and time

  func deliverAll() { memory.deliverAll() }

  /// Delivers one message: of the source and the target of `mail[choice]`, the first one.
  func deliver(_ choice: Int) { memory.deliver(choice) }

  /// Moves the clock and does all that falls due on the way, to the millisecond.
  func advance(_ duration: Duration) {
    let end = now + duration
    while let next = rooms.values.compactMap({ room in room.nextDue.map { ($0, room) } }).min(by: { $0.0 < $1.0 }),
      next.0 <= end
    {
      now = max(now, next.0)
      next.1.fallDue(Turn(now: now))
      // A room that stays due would be served for ever.
      guard next.1.isEnded || (next.1.nextDue ?? .init(milliseconds: .max)) > now else {
        Issue.record("\(next.1.id) is still due at \(now)")
        break
      }
      memory.seal(next.1, by: nil)
      if deliversAtOnce { deliverAll() }
    }
    now = end
  }

  // MARK: rooms

  func sealAll() { for room in rooms.values { memory.seal(room, by: nil) } }

  /// Follows a sealed change as a client does that sees every patch.
  private func note(_ change: SealedRoom, of room: Room, patch: Writer) {
    entries[room.id]?.append(change.entry)
    if !change.parameters.isEmpty, let patch = (try? JSON.parse(patch.bytes()))?["patch"] {
      patches[room.id]?.append(patch)
      folded[room.id] = MergePatch.apply(patch, to: folded[room.id] ?? [:])
    }
    if checksStates { checkState(of: room) }
    for (person, reason) in change.expelled { closed.append((room.id, person, reason)) }
    if let reason = change.ending { closed.append((room.id, nil, reason)) }
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
    var (found, expected) = (snapshot(of: copy), snapshot(of: room))
    // A log tells of calls that the room in memory has forgotten by now: nobody repeats one after so long.
    if now - Self.start >= Receipts.age {
      (found, expected) = (Self.withoutForgotten(found), Self.withoutForgotten(expected))
    }
    // Due times follow from the rows; one in memory may be too early.
    let latest = Instant(milliseconds: .max)
    return found == expected && copy.nextDue ?? latest >= room.nextDue ?? latest
  }

  /// Leaves out up to which number the receipts of each client are forgotten.
  private static func withoutForgotten(_ snapshot: JSON) -> JSON {
    guard case .object(var members) = snapshot, let callers = members["receipts"]?.array else { return snapshot }
    members["receipts"] = .array(callers.map { caller in .array((caller.array ?? []).filter { $0.array?.count != 2 }) })
    return .object(members)
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
