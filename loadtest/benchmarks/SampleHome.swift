import Crypto
import Home
import JSON
import Platform
import Rehearsal
import Rooms

/// A household after some weeks of use: four members, notes on the board, items on the list.
struct SampleHome {
  static let id = ID<Household>(high: 0x1111_2222_3333_8444, low: 0x8555_6666_7777_8888)
  static let people = (1...4).map { ID<Person>(high: 0x1000_0000_0000_8000 | $0, low: 0x8000_0000_0000_0001) }
  static let client = ID<Client>(high: 0x2000_0000_0000_8000, low: 0x8000_0000_0000_0001)
  static let now = Instant(milliseconds: 1_795_000_000_000)

  private let kind: RoomKind
  private let memory: RoomsInMemory
  private let household: Room
  private let snapshot: [UInt8]

  /// - Parameter chores: The ids of first occurrences of chores that come again each day.
  init(notes: Int = 40, groceries: Int = 60, chores: [ID<Thing>] = []) throws {
    let room = RoomID.household(Self.id)
    memory = RoomsInMemory(HomeRooms.kinds, now: Self.now, remembersCalls: false) { count in
      [UInt8](repeating: count == 16 ? 7 : 9, count: count)
    }
    kind = memory.kind(of: room)
    for (index, person) in Self.people.enumerated() {
      let own = memory.open(.person(person))
      let turn = Turn(caller: person, now: Self.now)
      try HomeRooms.openPerson(own, name: index == 0 ? "Ana" : "Mate \(index)", birthday: nil, turn: turn)
      memory.seal(own, by: person)
    }
    try memory.call(
      "households.create",
      ["id": .string("\(Self.id)"), "name": "Elm Street", "timeZone": "Europe/Berlin", "currency": "EUR"])
    let code = try memory.call("joinCodes.create", [:], in: room)?["code"] ?? .null
    for person in Self.people.dropFirst() { try memory.call("households.join", ["code": code], by: person) }
    for index in 0..<notes {
      let text = "Note \(index): the plumber comes on Thursday between nine and eleven, somebody has to be in."
      try memory.call("notes.add", ["text": .string(text)], in: room)
    }
    for index in 0..<groceries {
      try memory.call(
        "groceries.add", ["name": .string("Item \(index)"), "quantity": 2, "unit": "kg"], in: room)
    }
    for (index, occurrence) in chores.enumerated() {
      let chore: JSON = [
        "name": .string("Chore \(index)"), "date": "2026-11-18", "repeat": ["every": 1, "unit": "days"],
        "strategy": "roundRobin",
      ]
      try memory.call("chores.add", ["occurrence": .string("\(occurrence)"), "chore": chore], in: room)
    }
    guard let household = memory.rooms[room], Self.people.allSatisfy(household.admits) else {
      throw Failure(what: "a member is missing")
    }
    self.household = household
    snapshot = household.snapshot(at: Self.now).body
  }

  /// The household as a store would hold it at the start.
  var stored: StoredRoom {
    StoredRoom(
      version: household.version, random: household.random, snapshot: snapshot, entries: [], segmentVersion: 0,
      live: nil, due: nil)
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
    guard let room = memory.rooms[.person(person)] else { throw Failure(what: "a person's room is missing") }
    return StoredRoom(
      version: room.version, random: room.random, snapshot: room.snapshot(at: Self.now).body, entries: [],
      segmentVersion: 0, live: nil, due: nil)
  }

  /// The household as at the start, with log entries after it.
  func room(entries: [[UInt8]] = []) throws -> Room {
    let room = kind.make(.household(Self.id))
    try room.restore(snapshot: snapshot, entries: entries, live: nil, random: household.random, due: nil)
    return room
  }

  /// The household with so many completions of chores in the last two years, of 12 chores by 4 members.
  func room(completions count: Int) throws -> Room {
    var stored = try JSON.parse(snapshot)
    let (months, tasks) = (24, 12)
    let each = count / months / tasks / Self.people.count
    let days = (0..<each).map { JSON.number(JSON.Number(1 + $0 % 28)) }
    let month = JSON.object(["days": .array(days), "points": .array(days)])
    let names = (0..<months).map { "\(2024 + ($0 + 11) / 12)-\(String("0\(($0 + 11) % 12 + 1)".suffix(2)))" }
    let tally = JSON.object([
      "ever": .number(JSON.Number(each * months)), "everPoints": .number(JSON.Number(each * months * 14)),
      "months": .object(Dictionary(uniqueKeysWithValues: names.map { ($0, month) })),
    ])
    let people = JSON.object(Dictionary(uniqueKeysWithValues: Self.people.map { ("\($0)", tally) }))
    let tallies = (1...tasks).map { task in
      ("\(ID<Thing>(high: 0x8000, low: 1 << 63 | UInt64(task)))", JSON.object(["people": people]))
    }
    var hidden = stored["hidden"]?.object ?? [:]
    hidden["choreTallies"] = .object(Dictionary(uniqueKeysWithValues: tallies))
    stored = .object((stored.object ?? [:]).merging(["hidden": .object(hidden)]) { $1 })
    let room = kind.make(.household(Self.id))
    try room.restore(snapshot: stored.bytes, entries: [], live: nil, random: household.random, due: nil)
    return room
  }

  func method(_ name: String) throws -> Method {
    guard let method = kind.methods.first(where: { $0.name == name }) else {
      throw Failure(what: "there is no method \(name)")
    }
    return method
  }
}

extension RoomsInMemory {
  /// Calls a method, and delivers all messages that follow from it.
  @discardableResult
  fileprivate func call(
    _ name: String, _ parameters: JSON, in room: RoomID? = nil, by person: ID<Person> = SampleHome.people[0]
  ) throws -> JSON? {
    let key = CallKey(person: person, client: SampleHome.client, number: 1)
    let answer = try call(key, name, in: room ?? .person(person), parameters)
    deliverAll()
    return answer
  }
}

struct Failure: Error {
  var what: String
}
