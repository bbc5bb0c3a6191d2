import Crypto
import Foundation
import JSON
import Platform
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
  }

  private(set) var people: [SeededPerson] = []
  /// Commits of all rooms except the people's own, which are stored with their accounts.
  private(set) var commits: [RoomCommit] = []
  /// One line per person for the file of tokens.
  private(set) var lines: [String] = []

  init(_ content: Content) throws {
    let now = Instant(milliseconds: Int64(Date().timeIntervalSince1970 * 1000))
    var pump = RoomPump(now: now)
    let household: ID<Household> = .drawn(at: now)
    let room = RoomID.household(household)
    let members: [ID<Person>] = (0..<content.members).map { _ in .drawn(at: now) }
    for (index, person) in members.enumerated() { try pump.openPerson(person, name: "Person \(index + 1)") }
    let facts: JSON = [
      "id": .string("\(household)"), "name": "Load", "timeZone": "Europe/Berlin", "currency": "EUR",
    ]
    try pump.call("households.create", facts, in: .person(members[0]), by: members[0])
    if members.count > 1 {
      let uses = JSON.number(.init(members.count - 1))
      let answer = try pump.call("joinCodes.create", ["uses": uses], in: room, by: members[0])
      let code = answer["code"]?.string ?? ""
      let found: [Need: Fetched] = [.room(secretHash: SHA256.hash(Array(code.utf8))): .room(room)]
      for person in members.dropFirst() {
        try pump.call("households.join", ["code": .string(code)], in: .person(person), by: person, knowing: found)
      }
    }
    for index in 0..<content.notes {
      let text = "Note \(index + 1): the plumber comes on Thursday between nine and eleven, somebody has to be in."
      try pump.call("notes.add", ["text": .string(text)], in: room, by: members[index % members.count])
    }
    if let expiresAt = content.noteExpires {
      let note: JSON = ["text": "The plumber comes today.", "expiresAt": .string(expiresAt.description)]
      try pump.call("notes.add", note, in: room, by: members[0])
    }
    for index in 0..<content.groceries {
      let item: JSON = ["name": .string("Item \(index + 1)"), "quantity": 2, "unit": "kg"]
      try pump.call("groceries.add", item, in: room, by: members[index % members.count])
    }
    var rooms = pump.commits()
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
          reply: Reply(on: DirectPoster()) { done($0.failure) })
      }
      commit(commits, reply: Reply(on: DirectPoster()) { done($0.failure) })
    }
    if let failure { throw failure }
  }
}

extension Result where Failure == StoreError {
  fileprivate var failure: StoreError? { if case .failure(let error) = self { error } else { nil } }
}

/// Runs posted work immediately.
private final class DirectPoster: Poster {
  func post(_ work: @escaping @Sendable () -> Void) { work() }
}
