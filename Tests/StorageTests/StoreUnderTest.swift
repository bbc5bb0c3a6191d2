import Dispatch
import Foundation
import Platform
import Rooms
import Testing

@testable import Storage

/// The protocols of the contract tests.
typealias AnyStore = RoomStore & Directory & DeliveryStore

/// The stores that must fulfil the contract; add a case for each new store.
enum StoreKind: CaseIterable, CustomTestStringConvertible {
  case sqlite

  var testDescription: String { "\(self)" }

  /// Opens a new, empty store. Its files are removed when both values are released.
  func open() throws -> (store: any AnyStore, caller: Caller) {
    switch self {
    case .sqlite:
      let folder = try TemporaryFolder()
      return (try SQLiteStore(path: folder.path("store")), Caller(keeping: folder))
    }
  }
}

/// A loop for tests, which only receives replies.
final class Caller: Poster {
  private let queue = DispatchQueue(label: "test.loop")
  private let folder: TemporaryFolder?

  init(keeping folder: TemporaryFolder? = nil) { self.folder = folder }

  func post(_ work: @escaping @Sendable () -> Void) { queue.async(execute: work) }

  /// Makes a call and waits for its reply.
  func wait<Value: Sendable>(_ call: (Reply<Value>) -> Void) async -> Value {
    await withCheckedContinuation { continuation in
      call(Reply(on: self) { continuation.resume(returning: $0) })
    }
  }

  func commit(_ batch: [RoomCommit], to store: any RoomStore) async throws {
    try await wait { store.commit(batch, reply: $0) }.value()
  }

  func load(_ room: RoomID, from store: any RoomStore) async throws -> StoredRoom? {
    try await wait { store.load(room, reply: $0) }.value()
  }

  func account(by key: AccountKey, in store: any Directory) async throws -> Account? {
    try await wait { store.account(by: key, reply: $0) }.value()
  }

  /// Changes an account, and returns the outcome.
  @discardableResult func change(
    _ person: ID<Person>, expecting revision: Revision? = nil, _ changes: AccountChange..., in store: any Directory
  ) async throws -> AccountOutcome {
    try await wait { store.change(person, expecting: revision, changes, reply: $0) }.value()
  }

  /// Adds a session, and returns the sessions that it has ended.
  @discardableResult func add(
    _ session: SessionRecord, limit: Int = 9, to store: any Directory
  ) async throws -> [ID<Session>] {
    let outcome = try await change(session.person, .addSession(session, limit: limit), in: store)
    guard case .changed(let ended) = outcome else {
      Issue.record("the session was not added: \(outcome)")
      return []
    }
    return ended
  }

  func erase(_ rooms: [RoomID], in store: any RoomStore) async throws {
    try await wait { store.erase(rooms, reply: $0) }.value()
  }

  func undelivered(in store: any RoomStore, limit: Int = 100) async throws -> [StoredMessage] {
    try await wait { store.undelivered(in: .all, after: nil, limit: limit, reply: $0) }.value().messages
  }

  func due(
    _ kind: DueKind = .others, in store: any RoomStore, _ partitions: Partitions = .all, after cursor: DueRoom? = nil,
    limit: Int = 100
  ) async throws -> [DueRoom] {
    try await wait { store.due(kind, in: partitions, after: cursor, limit: limit, reply: $0) }.value()
  }

  func history(
    of room: RoomID, kind: String = "chat", before: HistoryCursor? = nil, limit: Int = 100, in store: any RoomStore
  ) async throws -> [HistoryRecord] {
    try await history(of: room, HistoryQuery(kind: kind, before: before, limit: limit), in: store)
  }

  func history(of room: RoomID, _ query: HistoryQuery, in store: any RoomStore) async throws -> [HistoryRecord] {
    try await wait { store.history(of: room, query, reply: $0) }.value()
  }
}

extension Result {
  /// `get` with an untyped error, since `#expect` does not support typed ones.
  func value() throws -> Success { try get() }
}

/// A folder that is removed when the value is released.
final class TemporaryFolder: Sendable {
  let url: URL

  init() throws {
    url = FileManager.default.temporaryDirectory.appending(path: "hearth-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(at: url) }

  func path(_ name: String) -> String { url.appending(path: name).path }
}

extension RoomID {
  static func test(_ number: UInt64) -> RoomID { .household(ID(high: 0x1234_5678_9ABC_DEF0, low: number)) }
}

extension RoomCommit {
  /// The first commit of a room, to version 1.
  static func making(_ room: RoomID, entry: String = "{}") -> RoomCommit {
    var commit = RoomCommit(room: room, expectedVersion: 0, version: 1)
    commit.random = [UInt8](repeating: 7, count: 16)
    commit.entry = Array(entry.utf8)
    return commit
  }

  /// A commit from `version` to the next one.
  static func raising(_ room: RoomID, from version: Int64, entry: String = "{}") -> RoomCommit {
    var commit = RoomCommit(room: room, expectedVersion: version, version: version + 1)
    commit.entry = Array(entry.utf8)
    return commit
  }

  /// A copy of the commit with a change applied.
  func with(_ change: (inout RoomCommit) -> Void) -> RoomCommit {
    var copy = self
    change(&copy)
    return copy
  }
}

extension [UInt8] {
  static func test(_ text: String) -> [UInt8] { Array(text.utf8) }
}

extension HistoryRecord {
  static func test(
    _ number: UInt8, at milliseconds: Int64, kind: String = "chat", about: Set<ID<Person>> = [], body: String? = "{}"
  ) -> Self {
    HistoryRecord(
      kind: kind, id: [UInt8](repeating: number, count: 16), at: Instant(milliseconds: milliseconds), about: about,
      body: body.map { Array($0.utf8) })
  }
}

extension SQLiteStore {
  /// Blocks the writer in a transaction until the returned semaphore is signalled, so that calls queue up.
  func holdUpWriter() async -> DispatchSemaphore {
    let release = DispatchSemaphore(value: 0)
    await withCheckedContinuation { continuation in
      submit(
        Job(
          scope: .directory,
          write: { _, _ in
            continuation.resume()
            release.wait()
            return {}
          }, fail: { _ in }))
    }
    return release
  }
}

/// SQL that makes a store of the current format one of format 4.
let undoingFormat5AndLater = """
  DROP TABLE identity; DROP TABLE nonce; DROP TABLE puzzle; DROP TRIGGER identityEnds;
  ALTER TABLE meta DROP COLUMN zoneData; ALTER TABLE meta DROP COLUMN secret;
  DROP TABLE code; DROP TABLE delivery;
  DROP TABLE secret; CREATE TABLE secret (hash BLOB PRIMARY KEY, room INTEGER NOT NULL) WITHOUT ROWID;
  CREATE INDEX secretByRoom ON secret (room);
  ALTER TABLE account DROP COLUMN verifiedAt;
  ALTER TABLE account DROP COLUMN pinHash; ALTER TABLE session DROP COLUMN confirmedBy;
  ALTER TABLE session DROP COLUMN confirmedAt; ALTER TABLE session DROP COLUMN wrongPINs;
  DROP TRIGGER historyPersonEnds; DROP TRIGGER historyPersonIsReplaced; DROP TABLE historyPerson;
  DROP INDEX shareByDue; DROP INDEX roomByDueTime; DROP INDEX historyByAge;
  CREATE INDEX roomByDue ON room (due) WHERE due IS NOT NULL; ALTER TABLE account DROP COLUMN revision;
  """
