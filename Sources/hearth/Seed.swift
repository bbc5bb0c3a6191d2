import ArgumentParser
import Crypto
import Foundation
import JSON
import Platform
import Rooms
import Storage

/// Fills a database with people in households, so that load tests need not sign them up one by one.
struct Seed: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Makes households full of people, for load tests.",
    discussion: """
      Everybody gets an account without a password and one session. The people found and join their households by the \
      same rules as anybody; only the hashing of passwords is left out, which costs 0.3 s each.
      """)

  @Option(help: "The folder of the database; made if there is none. No server may be running on it.")
  var data = "data"

  @Option(help: "How many households.")
  var households = 500

  @Option(help: "How many people in each, 1 to 32.")
  var members = 4

  @Option(help: "How many notes on each board.")
  var notes = 0

  @Option(help: "How many items on each shopping list.")
  var groceries = 0

  @Option(help: "Gets one JSON line per person: token, person, household.")
  var out: String

  /// Households that are handed over together.
  private static let batchSize = 32

  func validate() throws {
    guard households > 0, 1...32 ~= members, 0...200 ~= notes, 0...500 ~= groceries else {
      throw ValidationError("At least one household, of 1 to 32 people, with up to 200 notes and 500 items.")
    }
  }

  func run() async throws {
    let folder = URL(filePath: data)
    try FileManager.default.createDirectory(
      at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    guard FileManager.default.createFile(atPath: out, contents: nil, attributes: [.posixPermissions: 0o600]),
      let file = FileHandle(forWritingAtPath: out)
    else { throw ValidationError("\(out) cannot be written.") }
    let store = try SQLiteStore(path: folder.appending(path: "hearth.db").path)
    defer { store.close() }
    for start in stride(from: 0, to: households, by: Self.batchSize) {
      let batch = try (start..<min(start + Self.batchSize, households)).map { _ in try makeHousehold() }
      try await withThrowingTaskGroup(of: Void.self) { group in
        for person in batch.flatMap(\.people) { group.addTask { try await person.createAccount(in: store) } }
        try await group.waitForAll()
      }
      try await store.commit(batch.flatMap(\.commits))
      try file.write(contentsOf: Data(batch.flatMap(\.lines).joined().utf8))
    }
    try file.close()
    say("\(households * members) people in \(households) households; their tokens are in \(out).")
  }

  private struct SeededHousehold {
    var people: [SeededPerson] = []
    /// Of all rooms, behind those that make the accounts.
    var commits: [RoomCommit] = []
    var lines: [String] = []
  }

  private func makeHousehold() throws -> SeededHousehold {
    let now = Instant(milliseconds: Int64(Date().timeIntervalSince1970 * 1000))
    var pump = RoomPump(now: now)
    var result = SeededHousehold()
    let household: ID<Household> = .drawn()
    let room = RoomID.household(household)
    var code: (text: JSON, needs: [Need: Fetched])?
    for index in 0..<members {
      let person: ID<Person> = .drawn()
      let name = "Person \(index + 1)"
      let seeded = SeededPerson(id: person, room: try pump.openPerson(person, name: name), now: now)
      result.people.append(seeded)
      result.lines.append(
        "{\"token\":\"\(seeded.token)\",\"person\":\"\(person)\",\"household\":\"\(household)\"}\n")
      if let code {
        try pump.call("households.join", ["code": code.text], in: .person(person), by: person, knowing: code.needs)
        continue
      }
      let facts: JSON = [
        "id": .string("\(household)"), "name": "Load", "timeZone": "Europe/Berlin", "currency": "EUR",
      ]
      try pump.call("households.create", facts, in: .person(person), by: person)
      guard members > 1 else { continue }
      let answer = try pump.call("joinCodes.create", ["uses": .number(.init(members - 1))], in: room, by: person)
      let text = answer["code"]?.string ?? ""
      code = (.string(text), [.room(secretHash: SHA256.hash(Array(text.utf8))): .room(room)])
    }
    try furnish(room, result.people.map(\.id), &pump)
    pump.snapshotAll()
    result.commits = pump.commits
    return result
  }

  private func furnish(_ room: RoomID, _ people: [ID<Person>], _ pump: inout RoomPump) throws {
    for index in 0..<notes {
      let text = "Note \(index + 1): the plumber comes on Thursday between nine and eleven, somebody has to be in."
      try pump.call("notes.add", ["text": .string(text)], in: room, by: people[index % people.count])
    }
    for index in 0..<groceries {
      let item: JSON = ["name": .string("Item \(index + 1)"), "quantity": 2, "unit": "kg"]
      try pump.call("groceries.add", item, in: room, by: people[index % people.count])
    }
  }
}

/// Somebody with an account and a session whose token is known.
private struct SeededPerson: Sendable {
  let id: ID<Person>
  let token = Base64.url.encode(SystemRandom.bytes(32))
  /// The commit that makes the person's own room.
  let room: RoomCommit
  let now: Instant

  func createAccount(in store: SQLiteStore) async throws {
    let account = Account(person: id, email: "\(id)@load.example", passwordHash: nil, createdAt: now)
    let session = SessionRecord(
      id: .drawn(), person: id, tokenHash: SHA256.hash(Array(token.utf8)), name: "load test", createdAt: now,
      lastUsedAt: now)
    let result = await withCheckedContinuation { continuation in
      store.createAccount(
        account, room: room, session: session, reply: Reply(on: DirectPoster()) { continuation.resume(returning: $0) })
    }
    _ = try result.get()
  }
}

extension SQLiteStore {
  fileprivate func commit(_ batch: [RoomCommit]) async throws {
    let result = await withCheckedContinuation { continuation in
      commit(batch, reply: Reply(on: DirectPoster()) { continuation.resume(returning: $0) })
    }
    try result.get()
  }
}

/// Runs what is posted on the spot.
private final class DirectPoster: Poster {
  func post(_ work: @escaping @Sendable () -> Void) { work() }
}
