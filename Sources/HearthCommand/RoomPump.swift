import Crypto
import Home
import JSON
import Platform
import Rooms

/// Rooms in memory that run real methods and deliver each other's messages, without connections or a loop.
///
/// The result is one commit per room with its final state: snapshot, history, secrets and due time. No message is in
/// flight then.
struct RoomPump {
  /// A method's refusal.
  struct Refused: Error, CustomStringConvertible {
    let method: String
    let why: String
    var description: String { "\(method): \(why)" }
  }

  let now: Instant
  private var rooms: [RoomID: Room] = [:]
  /// History and secrets of the commits so far.
  private var history: [RoomID: [HistoryRecord]] = [:]
  private var secrets: [RoomID: [SecretChange]] = [:]
  private var unsealed: [RoomID] = []
  private let problems = Problems()
  private let writer = Writer(capacity: 4096)
  private let tape = Tape(depthLimit: 64, nodeLimit: 100_000)

  init(now: Instant) { self.now = now }

  /// Creates a person's own room.
  mutating func openPerson(_ person: ID<Person>, name: String) throws {
    let room = room(.person(person))
    try HomeRooms.openPerson(room, name: name, birthday: nil, turn: Turn(caller: person, now: now))
    _ = seal(room)
  }

  /// Calls a method and delivers all messages that follow; returns the result.
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

  /// The only commit of each room.
  func commits() -> [RoomID: RoomCommit] {
    rooms.mapValues { room in
      var commit = RoomCommit(room: room.id, expectedVersion: 0, version: room.version)
      commit.random = room.random
      commit.add(room.snapshot(at: now))
      commit.due = .set(room.nextDue)
      commit.history = history[room.id] ?? []
      // The code of a used-up join code is no longer valid.
      let changes = secrets[room.id] ?? []
      commit.secrets = changes.filter { change in
        change.isValid && !changes.contains { $0.hash == change.hash && !$0.isValid }
      }
      return commit
    }
  }

  /// Seals changed rooms and delivers their messages until there are none.
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

  /// Seals a room's changes; returns the messages among them.
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
  /// A random id.
  static func drawn() -> ID { ID(bytes: SystemRandom.bytes(16)) ?? ID() }

  /// An id ordered by time (RFC 9562 §5.7), so that rows created together share database pages.
  static func drawn(at now: Instant) -> ID {
    let drawn = drawn()
    return ID(
      high: UInt64(now.milliseconds) << 16 | 0x7000 | drawn.high & 0x0FFF, low: 1 << 63 | drawn.low & (1 << 62 - 1))
  }
}
