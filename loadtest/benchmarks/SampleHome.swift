import Crypto
import Home
import JSON
import Platform
import Rooms

/// A household after some weeks of use: four members, notes on the board, items on the list.
struct SampleHome {
  static let id = ID<Household>(high: 0x1111_2222_3333_8444, low: 0x8555_6666_7777_8888)
  static let people = (1...4).map { ID<Person>(high: 0x1000_0000_0000_8000 | $0, low: 0x8000_0000_0000_0001) }
  static let client = ID<Client>(high: 0x2000_0000_0000_8000, low: 0x8000_0000_0000_0001)
  static let now = Instant(milliseconds: 1_795_000_000_000)

  private let kind: RoomKind
  private let random = [UInt8](repeating: 7, count: 16)
  private let snapshot: [UInt8]
  private let version: Int64
  /// The messages that the household has sent to other rooms.
  private let messages: [OutgoingMessage]

  init(notes: Int = 40, groceries: Int = 60) throws {
    guard let kind = HomeRooms.kinds.first(where: { $0.name == .household }) else {
      throw Failure(what: "there is no household")
    }
    self.kind = kind
    let room = kind.make(.household(Self.id))
    room.open(random: random, key: [UInt8](repeating: 9, count: 32))
    try Self.admitMembers(to: room, kind)
    for index in 0..<notes {
      let text = "Note \(index): the plumber comes on Thursday between nine and eleven, somebody has to be in."
      try Self.call("notes.add", "{\"text\":\"\(text)\"}", room, kind)
    }
    for index in 0..<groceries {
      try Self.call("groceries.add", "{\"name\":\"Item \(index)\",\"quantity\":2,\"unit\":\"kg\"}", room, kind)
    }
    messages = room.seal(at: Self.now, by: nil, to: Writer()).messages
    version = room.version
    snapshot = room.snapshot(at: Self.now).body
  }

  /// The household as a store would hold it at the start.
  var stored: StoredRoom {
    StoredRoom(
      version: version, random: random, snapshot: snapshot, entries: [], segmentVersion: 0, live: nil, due: nil)
  }

  /// The ids of the items on its list.
  func groceries() throws -> [String] {
    let writer = Writer()
    try room().writeState(to: writer)
    return try JSON.parse(writer.bytes())["groceries"]?.object?.keys.sorted() ?? []
  }

  static func token(of person: ID<Person>) -> String { "token-\(person)" }
  static func tokenHash(of person: ID<Person>) -> [UInt8] { SHA256.hash(Array(token(of: person).utf8)) }

  /// The members' own rooms as a store would hold them.
  func storedPeople() throws -> [ID<Person>: StoredRoom] {
    var stored: [ID<Person>: StoredRoom] = [:]
    for person in Self.people { stored[person] = try storedPerson(person) }
    return stored
  }

  private func storedPerson(_ person: ID<Person>) throws -> StoredRoom {
    guard let kind = HomeRooms.kinds.first(where: { $0.name == .me }) else { throw Failure(what: "there is no me") }
    let room = kind.make(.person(person))
    room.open(random: random, key: [UInt8](repeating: 9, count: 32))
    try HomeRooms.openPerson(room, name: "Ana", birthday: nil, turn: Turn(caller: person, now: Self.now))
    let tape = Tape()
    for message in messages where message.target == .person(person) {
      let view = try tape.parse(message.body.span)
      _ = room.take(view, from: .household(Self.id), number: message.number, Turn(now: Self.now))
    }
    _ = room.seal(at: Self.now, by: nil, to: Writer())
    return StoredRoom(
      version: room.version, random: room.random, snapshot: room.snapshot(at: Self.now).body, entries: [],
      segmentVersion: 0, live: nil, due: nil)
  }

  /// The household as at the start, with log entries after it.
  func room(entries: [[UInt8]] = []) throws -> Room {
    let room = kind.make(.household(Self.id))
    try room.restore(snapshot: snapshot, entries: entries, live: nil, random: random, due: nil)
    return room
  }

  func method(_ name: String) throws -> Method { try Self.method(name, kind) }

  private static func method(_ name: String, _ kind: RoomKind) throws -> Method {
    guard let method = kind.methods.first(where: { $0.name == name }) else {
      throw Failure(what: "there is no method \(name)")
    }
    return method
  }

  private static func admitMembers(to room: Room, _ kind: RoomKind) throws {
    let call = "\"call\":{\"person\":\"\(people[0])\",\"client\":\"\(client)\",\"seq\":1}"
    try take(
      "householdFounded",
      call
        + ",\"name\":\"Elm Street\",\"timeZone\":\"Europe/Berlin\",\"currency\":\"EUR\",\"founder\":{\"name\":\"Ana\"}",
      from: people[0], room)
    let answer = try Self.call("joinCodes.create", "{}", room, kind, secret: [UInt8](repeating: 3, count: 32))
    let hash = Hex.encode(SHA256.hash(Array((answer["code"]?.string ?? "").utf8)))
    for (index, person) in people.enumerated().dropFirst() {
      try take(
        "codePresented", call + ",\"hash\":\"\(hash)\",\"newcomer\":{\"name\":\"Mate \(index)\"}", from: person, room)
    }
    guard people.allSatisfy(room.admits) else { throw Failure(what: "not everybody has come in") }
  }

  private static func take(_ name: String, _ members: String, from person: ID<Person>, _ room: Room) throws {
    let tape = Tape()
    let view = try tape.parse(Array("{\"message\":\"\(name)\",\(members)}".utf8).span)
    _ = room.take(view, from: .person(person), number: 1, Turn(now: now))
  }

  @discardableResult
  private static func call(
    _ name: String, _ parameters: String, _ room: Room, _ kind: RoomKind, secret: [UInt8] = []
  ) throws -> JSON {
    let tape = Tape()
    let answer = Writer()
    var turn = Turn(caller: people[0], now: now)
    turn.secret = secret
    let outcome = try method(name, kind).run(room, tape.parse(Array(parameters.utf8).span), turn, Problems(), answer)
    guard case .done = outcome else { throw Failure(what: "\(name): \(outcome)") }
    return try JSON.parse(Array("{".utf8) + answer.bytes() + Array("}".utf8))
  }
}

struct Failure: Error {
  var what: String
}
