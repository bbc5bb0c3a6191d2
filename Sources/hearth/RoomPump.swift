import Crypto
import Home
import JSON
import Platform
import Rooms

/// Rooms in memory that run real methods and pass on each other's messages, with nobody connected and no loop.
///
/// What comes out are the commits that a server would have made, in their order.
struct RoomPump {
  /// A method said no.
  struct Refused: Error, CustomStringConvertible {
    let method: String
    let why: String
    var description: String { "\(method): \(why)" }
  }

  let now: Instant
  private(set) var commits: [RoomCommit] = []
  private var rooms: [RoomID: Room] = [:]
  private var unsealed: [RoomID] = []
  private let problems = Problems()
  private let writer = Writer(capacity: 4096)
  private let tape = Tape(depthLimit: 64, nodeLimit: 100_000)

  init(now: Instant) { self.now = now }

  /// Makes somebody's own room and answers its first commit, which goes to the store with the account.
  mutating func openPerson(_ person: ID<Person>, name: String) throws -> RoomCommit {
    let room = room(.person(person))
    try HomeRooms.openPerson(room, name: name, birthday: nil, turn: Turn(caller: person, now: now))
    return seal(room).commit
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

  /// Ends with a snapshot of every room, so that none of this stays in the log.
  mutating func snapshotAll() {
    for room in rooms.values {
      var commit = RoomCommit(room: room.id, expectedVersion: room.version, version: room.version)
      let (body, ring) = room.snapshot(at: now)
      commit.snapshot = StoredSnapshot(body: body, ring: ring)
      commits.append(commit)
    }
  }

  /// Seals what has changed and delivers the messages, until there are none.
  private mutating func settle() throws {
    var next = 0
    while next < unsealed.count {
      let source = room(unsealed[next])
      next += 1
      guard source.hasUnsealedChanges else { continue }
      let (commit, messages) = seal(source)
      commits.append(commit)
      for message in messages {
        let view = try tape.parse(message.body.span)
        _ = room(message.target).take(view, from: source.id, number: message.number, Turn(now: now))
        unsealed.append(message.target)
      }
    }
    unsealed.removeAll()
  }

  private func seal(_ room: Room) -> (commit: RoomCommit, messages: [OutgoingMessage]) {
    let isNew = room.sealedVersion == 0 && room.entriesSinceSnapshot == 0
    writer.clear()
    let sealed = room.seal(at: now, by: nil, to: writer)
    return (RoomCommit(of: sealed, room, isNew: isNew), sealed.messages)
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
}
