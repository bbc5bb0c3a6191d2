import Crypto
import Home
import JSON
import Platform
import Rooms

/// Rooms in memory that run real methods and pass on each other's messages, with nobody connected and no loop.
///
/// What comes out is one commit per room, which makes it as it is in the end: a snapshot, its newest changes, the
/// history, the secrets and the due time that a server would have kept. No message is on its way then.
struct RoomPump {
  /// A method said no.
  struct Refused: Error, CustomStringConvertible {
    let method: String
    let why: String
    var description: String { "\(method): \(why)" }
  }

  let now: Instant
  private var rooms: [RoomID: Room] = [:]
  /// What the commits so far have left beside the rooms' documents.
  private var history: [RoomID: [HistoryRecord]] = [:]
  private var secrets: [RoomID: [SecretChange]] = [:]
  private var unsealed: [RoomID] = []
  private let problems = Problems()
  private let writer = Writer(capacity: 4096)
  private let tape = Tape(depthLimit: 64, nodeLimit: 100_000)

  init(now: Instant) { self.now = now }

  /// Makes somebody's own room.
  mutating func openPerson(_ person: ID<Person>, name: String) throws {
    let room = room(.person(person))
    try HomeRooms.openPerson(room, name: name, birthday: nil, turn: Turn(caller: person, now: now))
    _ = seal(room)
  }

  /// Calls a method and lets all that it causes happen; answers the members of its result.
  @discardableResult
  mutating func call(
    _ name: String, _ parameters: JSON, in id: RoomID, by person: ID<Person>,
    knowing fetched: [Need: Fetched] = [:]
  ) throws -> JSON {
    let methods = HomeRooms.kinds.first { $0.name == RoomKindName(id) }?.methods ?? []
    guard let method = methods.first(where: { $0.name == name }) else {
      throw Refused(method: name, why: "there is no such method in \(id.text)")
    }
    var turn = Turn(caller: person, now: now, call: CallKey(person: person, client: ID.drawn(), number: 1))
    turn.fetched = fetched
    if method.makesSecret { turn.secret = SystemRandom.bytes(32) }
    problems.clear()
    let answer = Writer()
    switch method.run(room(id), try tape.parse(parameters.bytes.span), turn, problems, answer) {
    case .done: break
    case .invalid: throw Refused(method: name, why: problems.list.map(\.text).joined(separator: "; "))
    case .refused(let refusal): throw Refused(method: name, why: refusal.message)
    }
    unsealed.append(id)
    try settle()
    return try JSON.parse([UInt8(ascii: "{")] + answer.bytes() + [UInt8(ascii: "}")])
  }

  /// The first and only commit of every room.
  func commits() -> [RoomID: RoomCommit] {
    rooms.mapValues { room in
      var commit = RoomCommit(room: room.id, expectedVersion: 0, version: room.version)
      commit.random = room.random
      commit.add(room.snapshot(at: now))
      commit.due = .set(room.nextDue)
      commit.history = history[room.id] ?? []
      // A code that was used up leads nowhere any more.
      let changes = secrets[room.id] ?? []
      commit.secrets = changes.filter { change in
        change.isValid && !changes.contains { $0.hash == change.hash && !$0.isValid }
      }
      return commit
    }
  }

  /// Seals what has changed and delivers the messages, until there are none.
  private mutating func settle() throws {
    var next = 0
    while next < unsealed.count {
      let source = room(unsealed[next])
      next += 1
      guard source.hasUnsealedChanges else { continue }
      for message in seal(source) {
        let view = try tape.parse(message.body.span)
        guard room(message.target).take(view, from: source.id, number: message.number, Turn(now: now)) else {
          preconditionFailure("messages are delivered in their order")
        }
        unsealed.append(message.target)
      }
    }
    unsealed.removeAll()
  }

  /// Hands over a room's changes and answers the messages among them.
  private mutating func seal(_ room: Room) -> [OutgoingMessage] {
    writer.clear()
    let sealed = room.seal(at: now, by: nil, to: writer)
    if !sealed.history.isEmpty { history[room.id, default: []] += sealed.history }
    if !sealed.secrets.isEmpty { secrets[room.id, default: []] += sealed.secrets }
    return sealed.messages
  }

  private mutating func room(_ id: RoomID) -> Room {
    if let room = rooms[id] { return room }
    guard let kind = HomeRooms.kinds.first(where: { $0.name == RoomKindName(id) }) else {
      preconditionFailure("every kind of room is in HomeRooms.kinds")
    }
    let room = kind.make(id)
    room.open(random: SystemRandom.bytes(16), key: SystemRandom.bytes(32))
    rooms[id] = room
    return room
  }
}

extension ID {
  /// An id that the system's unpredictable bytes name.
  static func drawn() -> ID { ID(bytes: SystemRandom.bytes(16)) ?? ID() }

  /// An id in the order of time (RFC 9562 §5.7): what is made together stands together in the store, so that making
  /// very much at once does not touch a page for each row.
  static func drawn(at now: Instant) -> ID {
    let drawn = drawn()
    return ID(
      high: UInt64(now.milliseconds) << 16 | 0x7000 | drawn.high & 0x0FFF, low: 1 << 63 | drawn.low & (1 << 62 - 1))
  }
}
