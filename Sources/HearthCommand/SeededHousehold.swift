import Crypto
import Foundation
import Home
import JSON
import Platform
import Rehearsal
import Rooms
import Storage

/// A household created by calls of its people, ready for the store.
struct SeededHousehold: Sendable {
  struct Content: Sendable {
    var members: Int
    var notes: Int
    var groceries: Int
    /// When another note expires, if there is one.
    var noteExpires: Instant?
    /// Whether its people have lived there for a month, with chores, dinners and drinks.
    var hasMonth = false
  }

  private(set) var people: [SeededPerson] = []
  /// Commits of all rooms except the people's own, which are stored with their accounts.
  private(set) var commits: [RoomCommit] = []
  /// One line per person for the file of tokens.
  private(set) var lines: [String] = []

  init(_ content: Content) throws {
    let now = Instant(milliseconds: Int64(Date().timeIntervalSince1970 * 1000))
    let begin = content.hasMonth ? now - .seconds(30 * 86_400) : now
    let memory = RoomsInMemory(HomeRooms.kinds, now: begin, remembersCalls: false, random: SystemRandom.bytes)
    let household: ID<Household> = .drawn(at: now)
    let room = RoomID.household(household)
    let members: [ID<Person>] = (0..<content.members).map { _ in .drawn(at: now) }
    for (index, person) in members.enumerated() {
      let own = memory.open(.person(person))
      let turn = Turn(caller: person, now: begin)
      try HomeRooms.openPerson(
        own, name: "Person \(index + 1)", birthday: nil,
        account: HomeRooms.KnownAccount(email: "\(person)@load.example", hasPassword: false), turn: turn)
      memory.seal(own, by: person)
    }
    let facts: JSON = [
      "id": .string("\(household)"), "name": "Load", "timeZone": "Europe/Berlin", "currency": "EUR",
    ]
    try memory.call("households.create", facts, in: .person(members[0]), by: members[0])
    if members.count > 1 {
      let uses = JSON.number(.init(members.count - 1))
      let code = try memory.call("joinCodes.create", ["uses": uses], in: room, by: members[0])?["code"] ?? .null
      for person in members.dropFirst() {
        try memory.call("households.join", ["code": code], in: .person(person), by: person)
      }
    }
    if content.hasMonth { try memory.liveMonth(until: now, members, in: room) }
    for index in 0..<content.notes {
      let text = "Note \(index + 1): the plumber comes on Thursday between nine and eleven, somebody has to be in."
      try memory.call("notes.add", ["text": .string(text)], in: room, by: members[index % members.count])
    }
    if let expiresAt = content.noteExpires {
      let note: JSON = ["text": "The plumber comes today.", "expiresAt": .string(expiresAt.description)]
      try memory.call("notes.add", note, in: room, by: members[0])
    }
    for index in 0..<content.groceries {
      let item: JSON = ["name": .string("Item \(index + 1)"), "quantity": 2, "unit": "kg"]
      try memory.call("groceries.add", item, in: room, by: members[index % members.count])
    }
    var rooms = memory.commits()
    for person in members {
      guard let own = rooms.removeValue(forKey: .person(person)) else { continue }
      let seeded = SeededPerson(id: person, room: own, now: now)
      people.append(seeded)
      lines.append("{\"token\":\"\(seeded.token)\",\"person\":\"\(person)\",\"household\":\"\(household)\"}\n")
    }
    commits = Array(rooms.values)
  }
}

/// A person with an account and a session whose token is known.
struct SeededPerson: Sendable {
  let id: ID<Person>
  let token = Base64.url.encode(SystemRandom.bytes(32))
  /// The commit that creates the person's own room.
  let room: RoomCommit
  let now: Instant

  var account: Account { Account(person: id, email: "\(id)@load.example", passwordHash: nil, createdAt: now) }

  var session: SessionRecord {
    SessionRecord(
      id: .drawn(at: now), person: id, tokenHash: SHA256.hash(Array(token.utf8)), name: "load test", createdAt: now,
      lastUsedAt: now)
  }
}

extension SQLiteStore {
  /// Writes households and their people to disk, all at once, so that they share few flushes.
  func add(_ households: [SeededHousehold]) async throws {
    let people = households.flatMap(\.people)
    let commits = households.flatMap(\.commits)
    let failure = await withCheckedContinuation { (continuation: CheckedContinuation<StoreError?, Never>) in
      let rest = Locked((count: people.count + 1, failure: StoreError?.none))
      @Sendable func done(_ failure: StoreError?) {
        let rest = rest.withLock { rest in
          rest.count -= 1
          rest.failure = rest.failure ?? failure
          return rest
        }
        if rest.count == 0 { continuation.resume(returning: rest.failure) }
      }
      for person in people {
        createAccount(
          person.account, room: person.room, session: person.session,
          reply: Reply(on: SpotPoster()) { done($0.failure) })
      }
      commit(commits, reply: Reply(on: SpotPoster()) { done($0.failure) })
    }
    if let failure { throw failure }
  }
}

extension Result where Failure == StoreError {
  fileprivate var failure: StoreError? { if case .failure(let error) = self { error } else { nil } }
}

extension RoomsInMemory {
  /// Calls a method, and delivers all messages that follow from it.
  @discardableResult
  fileprivate func call(_ name: String, _ parameters: JSON, in id: RoomID, by person: ID<Person>) throws -> JSON? {
    let answer = try call(CallKey(person: person, client: .drawn(), number: 1), name, in: id, parameters)
    deliverAll()
    return answer
  }

  /// Lives a month, each day at its time.
  fileprivate func liveMonth(until end: Instant, _ people: [ID<Person>], in household: RoomID) throws {
    var month = SampleMonth(endingAt: end, people: people, followsClock: true)
    while let call = month.next() {
      now = max(now, call.at)
      let room = call.isOwn ? .person(people[call.by]) : household
      month.note(try self.call(call.method, call.parameters, in: room, by: people[call.by]))
    }
    now = end
  }

  /// The first and only commit of every room: its snapshot, newest changes, history, valid secrets and due time, as a
  /// server would have stored them. No message is in flight then.
  fileprivate func commits() -> [RoomID: RoomCommit] {
    rooms.mapValues { room in
      var commit = RoomCommit(room: room.id, expectedVersion: 0, version: room.version)
      commit.random = room.random
      commit.add(room.snapshot(at: now))
      commit.due = .set(room.nextDue)
      commit.history = history[room.id] ?? []
      commit.secrets = roomsBySecret.filter { $0.value.contains(room.id) }.map {
        SecretChange(hash: $0.key, isValid: true)
      }
      return commit
    }
  }
}

extension ID {
  /// An id of unpredictable bytes.
  static func drawn() -> ID { ID(bytes: SystemRandom.bytes(16)) ?? ID() }

  /// An id in the order of time (RFC 9562 §5.7): rows that are made together stand together in the store, so that
  /// seeding many households does not touch a page for each row.
  static func drawn(at now: Instant) -> ID {
    let drawn = drawn()
    return ID(
      high: UInt64(now.milliseconds) << 16 | 0x7000 | drawn.high & 0x0FFF, low: 1 << 63 | drawn.low & (1 << 62 - 1))
  }
}
