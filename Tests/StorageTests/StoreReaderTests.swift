import Foundation
import GRDB
import Platform
import Rooms
import TestSupport
import Testing

@testable import Storage

/// Reading a store that may be damaged (RELIABILITY C5, C6).
@Suite("Store reader")
struct StoreReaderTests {
  let folder: TemporaryFolder
  let path: String
  let caller = Caller()
  static let share = RoomID.share(ID(high: 3, low: 3))
  static let rooms = (0..<60 as Range<UInt64>).map { RoomID.test($0) }

  init() throws {
    folder = try TemporaryFolder()
    path = folder.path("hearth.db")
  }

  private static let delivery = Delivery(
    id: [UInt8](repeating: 3, count: 16), channel: .mail, notBefore: Instant(), until: Instant(milliseconds: 9),
    body: [1])
  private static let proof = IdentityProof(
    identity: ProviderIdentity(issuer: "https://id.example", subject: "ana"),
    nonce: IdentityProof.Nonce(bytes: [1], end: Instant()))

  /// Creates and closes a store with rooms of two kilobytes, a share, a message, an account and its session, a code and
  /// a delivery.
  private func fill() async throws {
    let store = try SQLiteStore(path: path)
    let session = DirectoryTests.session(1)
    let account = Account(person: session.person, email: "ana@example.org", passwordHash: nil, createdAt: Instant())
    _ = try await caller.wait {
      store.createAccount(
        account, by: .identity(Self.proof), room: .making(.person(session.person)), session: session, reply: $0)
    }.value()
    for room in Self.rooms + [Self.share] {
      let text = "\(room.text) " + String(repeating: "snapshot ", count: 220)
      try await caller.commit(
        [
          .making(room).with {
            $0.snapshot = Array(text.utf8)
            $0.history = [.test(1, at: 1, about: [ID(low: 1), ID(low: 2)])]
          }
        ], to: store)
    }
    let message = OutgoingMessage(target: .test(1), number: 1, body: Array("{}".utf8))
    try await caller.commit([.raising(Self.share, from: 1).with { $0.sent = [message] }], to: store)
    store.keepLive([(room: Self.share, body: [1])])
    let code = AccountCode(
      .address, hash: [UInt8](repeating: 1, count: 32), email: "new@example.org", at: Instant(),
      until: Instant(milliseconds: 9))
    try await caller.change(
      session.person, .setCode(code, limit: 1), .deliver(Self.delivery), in: store)
    store.close()
  }

  /// Checks that a room's snapshot is the one that was written.
  private func check(_ room: RoomID, _ stored: StoredRoom) -> String? {
    guard case .person = room else {
      let body = String(decoding: stored.snapshot ?? [], as: UTF8.self)
      return body == "\(room.text) " + String(repeating: "snapshot ", count: 220) ? nil : "its state is another"
    }
    return nil
  }

  private func verify() throws -> [String] {
    let reader = try StoreReader(path: path)
    reader.verify(check)
    return reader.problems
  }

  private func recover(to name: String) throws -> (StoreReader.Saved, [String]) {
    let reader = try StoreReader(path: path)
    let saved = try reader.recover(to: folder.path(name)) { room, stored in
      if let problem = check(room, stored) { return .failure(UnreadableRoom(problem)) }
      return .success(stored.snapshot ?? Array("{}".utf8))
    }
    return (saved, reader.problems)
  }

  @Test("C5: an intact store has no problems and is saved completely")
  func whole() async throws {
    try await fill()
    #expect(try verify() == [])
    let (saved, problems) = try recover(to: "new.db")
    #expect(problems == [])
    #expect(saved == StoreReader.Saved(rooms: 62, accounts: 1, sessions: 1))
    let store = try SQLiteStore(path: folder.path("new.db"))
    #expect(try await caller.load(Self.share, from: store)?.live == [1])
    #expect(try await caller.load(Self.share, from: store)?.version == 2)
    #expect(try await caller.undelivered(in: store).count == 1)
    #expect(
      try await caller.history(of: Self.rooms[5], in: store) == [.test(1, at: 1, about: [ID(low: 1), ID(low: 2)])])
    let session = DirectoryTests.session(1)
    #expect(try await caller.wait { store.session(tokenHash: session.tokenHash, reply: $0) }.value() != nil)
    #expect(try await caller.account(by: .email("ana@example.org"), in: store)?.pendingEmail == "new@example.org")
    #expect(try await caller.account(by: .identity(Self.proof.identity), in: store)?.person == session.person)
    let deliveries = try await caller.wait { store.deliveries(in: .all, limit: 9, reply: $0) }.value()
    #expect(deliveries.map(\.delivery) == [Self.delivery] && deliveries.map(\.room) == [.person(session.person)])
    store.close()
    #expect(throws: StoreOpeningError.self) { try recover(to: "new.db") }
  }

  @Test("C5: a store that is open, missing or not a store is refused by name")
  func refused() async throws {
    #expect(throws: StoreOpeningError.inaccessible(path: path, "there is no such file")) { try StoreReader(path: path) }
    try Data("Dear diary".utf8).write(to: URL(filePath: path))
    #expect(throws: StoreOpeningError.self) { try StoreReader(path: path) }
    try FileManager.default.removeItem(atPath: path)
    let store = try SQLiteStore(path: path)
    #expect(throws: StoreOpeningError.inUse(path: path)) { try StoreReader(path: path) }
    store.close()
    #expect(try verify() == [])
  }

  @Test("C5: flipped bytes are detected, and unaffected rooms are saved intact", arguments: 1...12)
  func flipped(seed: UInt64) async throws {
    try await fill()
    var random = SeededGenerator(seed: seed)
    var bytes = try Data(contentsOf: URL(filePath: path))
    // Damage a page beyond the first two, which hold the schema. Half of the file is text of rooms.
    let text = try #require(bytes.range(of: Data("snapshot snapshot ".utf8), in: 8192..<bytes.count)).lowerBound
    let place = seed % 2 == 0 ? text + Int.random(in: 0..<20_000, using: &random) : text
    for offset in 0..<24 { bytes[place + offset] ^= UInt8.random(in: 1...255, using: &random) }
    try bytes.write(to: URL(filePath: path))
    // If free space was hit, there is no damage.
    let problems = try verify()
    let (saved, losses) = try recover(to: "new.db")
    #expect(saved.rooms >= 55, "\(losses)")
    #expect(problems.isEmpty == losses.isEmpty || saved.rooms == 62, "\(problems) \(losses)")
    if seed % 2 == 1 { #expect(!problems.isEmpty && saved.rooms < 62, "seed \(seed)") }
    let store = try SQLiteStore(path: folder.path("new.db"))
    var found = 0
    for room in Self.rooms {
      guard let stored = try await caller.load(room, from: store) else { continue }
      found += 1
      #expect(check(room, stored) == nil)
    }
    #expect(found >= 54)
  }

  @Test("C5: a truncated store is refused or its problems are reported", arguments: [2, 5, 20])
  func truncated(pages: Int) async throws {
    try await fill()
    let bytes = try Data(contentsOf: URL(filePath: path))
    try bytes.dropLast(4096 * pages).write(to: URL(filePath: path))
    do {
      #expect(try verify().isEmpty == false)
    } catch {
      #expect((error as? StoreOpeningError)?.description.contains(path) == true)
    }
  }

  @Test("LOC-24: without the keys, everything but the shares is saved")
  func withoutKeys() async throws {
    try await fill()
    try FileManager.default.removeItem(atPath: path + ".keys")
    #expect(try verify().contains { $0.contains(path + ".keys") && $0.contains("is missing") })
    let (saved, problems) = try recover(to: "new.db")
    #expect(saved.rooms == 61)
    #expect(problems.contains { $0.contains(Self.share.text) })
  }

  @Test("C5: rows without their room or account and missing messages are reported")
  func strays() async throws {
    try await fill()
    let queue = try DatabaseQueue(path: path)
    try await queue.write { database in
      try database.execute(
        sql: """
          DELETE FROM account; DELETE FROM room WHERE number = 9;
          INSERT INTO outbox (source, target, number, keyNumber, body) SELECT source, target, 3, 0, x'7b7d' FROM outbox
          """)
    }
    try queue.close()
    let problems = try verify()
    #expect(problems.contains { $0.contains("belongs to no account") })
    #expect(problems.contains { $0.contains("table snapshot: 1 rows belong to no room") })
    #expect(problems.contains { $0.contains("2 is missing") })
  }
}
