package import JSON
package import Rooms

/// Rooms without a server: they run methods, deliver each other's messages and fetch what rules need, all in memory.
///
/// Each change is sealed at once. Nothing is stored, and no client watches.
package final class RoomsInMemory {
  /// The time of all that happens.
  package var now: Instant
  package private(set) var rooms: [RoomID: Room] = [:]
  /// The messages in flight, in order for each source and target.
  package private(set) var mail: [(source: RoomID, message: OutgoingMessage)] = []
  /// The people who have an account, by their address.
  package var accounts: [String: ID<Person>] = [:]
  /// The rooms that valid secrets lead to.
  package private(set) var roomsBySecret: [[UInt8]: [RoomID]] = [:]
  /// The first room that each valid secret leads to.
  package var secrets: [[UInt8]: RoomID] { roomsBySecret.compactMapValues(\.first) }
  /// All that was to be delivered outside.
  package private(set) var deliveries: [Delivery] = []
  package private(set) var history: [RoomID: [HistoryRecord]] = [:]
  /// The way in which all callers have confirmed; `nil` if none has.
  package var confirmation: Confirmation?
  /// The answers of calls that are answered later.
  package private(set) var answers: [CallKey: JSON] = [:]

  /// Called for each new room.
  package var opened: ((Room) -> Void)?
  /// Called for each sealed change, before its messages are in flight. The writer holds the parameters of the patch.
  package var sealed: ((Room, SealedRoom, Writer) -> Void)?
  /// Called for each message that a room has taken, before the room's changes are sealed.
  package var taken: ((Room, RoomID, OutgoingMessage) -> Void)?

  private let kinds: [RoomKindName: RoomKind]
  private let remembersCalls: Bool
  private let random: (Int) -> [UInt8]
  private var ended: Set<RoomID> = []
  private let problems = Problems()
  private let writer = Writer(capacity: 4096)
  private let tape = Tape(depthLimit: 64, nodeLimit: 100_000)

  /// A room has no method of this name.
  package struct NoMethod: Error {
    package let name: String
  }

  /// - Parameters:
  ///   - remembersCalls: Whether rooms keep receipts of calls that are answered later.
  ///   - random: Returns a number of bytes for the keys and the secrets of rooms.
  package init(
    _ kinds: [RoomKind], now: Instant, remembersCalls: Bool = true, random: @escaping (Int) -> [UInt8]
  ) {
    self.kinds = Dictionary(uniqueKeysWithValues: kinds.map { ($0.name, $0) })
    self.now = now
    self.remembersCalls = remembersCalls
    self.random = random
  }

  package func kind(of room: RoomID) -> RoomKind {
    guard let kind = kinds[RoomKindName(room)] else { preconditionFailure("a kind of room is missing") }
    return kind
  }

  /// Creates a room.
  package func open(_ id: RoomID) -> Room {
    let room = kind(of: id).make(id)
    room.open(random: random(16), key: random(32))
    rooms[id] = room
    opened?(room)
    return room
  }

  // MARK: calls

  /// Calls a method. Returns `nil` if the answer comes later: then it is in `answers` once the mail is delivered.
  package func call(_ key: CallKey, _ name: String, in id: RoomID, _ parameters: JSON) throws -> JSON? {
    guard let room = rooms[id], room.admits(key.person) else {
      throw Refusal(.notFound, "room", "There is no such room here.")
    }
    guard let method = kind(of: id).methods.first(where: { $0.name == name }) else { throw NoMethod(name: name) }
    let view = try tape.parse(parameters.bytes.span)
    // Each client is a log-in of its own.
    var turn = Turn(caller: key.person, client: key.client, session: key.client.cast(), now: now, call: key)
    if method.hasNeeds, let record = method.read(view, problems) {
      for need in method.needs(record, key.person) { turn.fetched[need] = fetch(need, for: id) }
    }
    problems.clear()
    if method.makesSecret { turn.secret = random(32) }
    let members = Writer()
    switch method.run(room, view, turn, problems, members) {
    case .invalid: throw Refusal.invalid(problems)
    case .refused(let refusal): throw refusal
    case .done: break
    }
    if method.kind == .mutation {
      if method.isAnsweredLater, remembersCalls {
        room.remember(key, hash: 0, at: now, answer: .pending, answered: 0)
      }
      seal(room, by: key.person)
    }
    return method.isAnsweredLater ? nil : try Self.object(members.bytes())
  }

  private func fetch(_ need: Need, for room: RoomID) -> Fetched {
    switch need {
    case .account(let email): .person(accounts[email])
    case .room(let hash): .room(roomsBySecret[hash]?.first)
    case .history(let query): .history(query.page(of: history[room] ?? []))
    case .confirmation: .confirmation(confirmation)
    case .puzzle: .puzzle
    }
  }

  private static func object(_ members: [UInt8]) throws -> JSON {
    try JSON.parse([UInt8(ascii: "{")] + members + [UInt8(ascii: "}")])
  }

  // MARK: mail

  package func deliverAll() { while !mail.isEmpty { deliver(0) } }

  /// Delivers one message: of the source and the target of `mail[choice]`, the first one.
  package func deliver(_ choice: Int) {
    let chosen = mail[choice]
    guard
      let index = mail.firstIndex(where: { $0.source == chosen.source && $0.message.target == chosen.message.target })
    else { return }
    let (source, message) = mail.remove(at: index)
    guard let view = try? tape.parse(message.body.span) else { return }
    if rooms[message.target] == nil {
      let kind = kind(of: message.target)
      let opens = view[key: "message"]?.string.map(kind.openingMessages.contains) == true
      guard opens, kind.mayBeginAgain || !ended.contains(message.target) else { return sendBack(source, message) }
      _ = open(message.target)
    }
    guard let room = rooms[message.target] else { return }
    let isTaken = room.take(view, from: source, number: message.number, Turn(now: max(now, room.changedAt)))
    precondition(isTaken, "messages are delivered in their order")
    taken?(room, source, message)
    seal(room, by: nil)
  }

  /// Answers a call that waits for a room that is gone, as the server does.
  private func sendBack(_ source: RoomID, _ message: OutgoingMessage) {
    if case .person = message.target {
      guard let room = rooms[source] else { return }
      if room.learn(endOf: message.target, Turn(now: max(now, room.changedAt))) { seal(room, by: nil) }
      return
    }
    guard let call = (try? JSON.parse(message.body))?["call"],
      let client = call["client"]?.string.flatMap({ ID<Client>($0) }),
      let person = call["person"]?.string.flatMap({ ID<Person>($0) }), let seq = call["seq"]?.int
    else { return }
    let key = CallKey(person: person, client: client, number: Int64(seq))
    answers[key] = ["error": ["code": 3, "message": "", "data": ["reason": "gone"]]]
  }

  // MARK: changes

  /// Seals what has changed in a room: its messages are in flight from then on.
  package func seal(_ room: Room, by person: ID<Person>?) {
    guard room.hasUnsealedChanges else { return }
    writer.clear()
    let change = room.seal(at: now, by: person, to: writer)
    sealed?(room, change, writer)
    for message in change.messages { mail.append((room.id, message)) }
    for secret in change.secrets {
      roomsBySecret[secret.hash, default: []].removeAll { $0 == room.id }
      if secret.isValid { roomsBySecret[secret.hash, default: []].append(room.id) }
    }
    deliveries += change.deliveries
    for completion in change.completions { answers[completion.call] = try? Self.object(completion.answer) }
    for record in change.history {
      history[room.id]?.removeAll { $0.kind == record.kind && $0.id == record.id }
      if record.body != nil { history[room.id, default: []].append(record) }
    }
    if change.ending != nil {
      roomsBySecret = roomsBySecret.mapValues { $0.filter { $0 != room.id } }
      if case .person(let person) = room.id { accounts = accounts.filter { $0.value != person } }
      rooms[room.id] = nil
      ended.insert(room.id)
    }
  }
}
