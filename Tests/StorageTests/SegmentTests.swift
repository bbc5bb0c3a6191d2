import Foundation
import GRDB
import Platform
import Rooms
import Testing

@testable import Storage

/// Older changes, which a room does not keep in memory (SYN-9).
@Suite("Segments of older changes")
struct SegmentTests {
  let folder: TemporaryFolder
  let path: String
  let caller = Caller()

  init() throws {
    folder = try TemporaryFolder()
    path = folder.path("store")
  }

  private func segment(_ from: Int64, _ version: Int64, _ patch: String, at hours: Int = 0) -> Segment {
    Segment(
      from: from, version: version, at: Instant() + .seconds(3600 * hours),
      body: Array("[[\(from),\(version),\(patch)]]".utf8))
  }

  private func missed(of room: RoomID, since version: Int64, in store: SQLiteStore) async throws -> Ring.Entry? {
    try await caller.wait { store.missed(of: room, since: version, reply: $0) }.value()
  }

  /// Commits a room at `version` with segments.
  private func make(_ room: RoomID, version: Int64, _ segments: Segment..., in store: SQLiteStore) async throws {
    var commit = RoomCommit(room: room, expectedVersion: 0, version: version)
    commit.random = [UInt8](repeating: 7, count: 16)
    commit.snapshot = .test("s")
    commit.segments = segments
    try await caller.commit([commit], to: store)
  }

  @Test(
    "SYN-9: segments are composed to one patch from any of their versions, also after a restart",
    arguments: [RoomID.test(1), .share(ID(high: 1, low: 1))])
  func composed(room: RoomID) async throws {
    var store = try SQLiteStore(path: path)
    let second = segment(10, 20, #"{"a":null,"c":3}"#)
    try await make(room, version: 30, segment(0, 10, #"{"a":1,"b":2}"#), second, in: store)
    for _ in 0..<2 {
      let all = try #require(try await missed(of: room, since: 3, in: store))
      #expect(all.from == 0 && all.version == 20)
      #expect(String(decoding: all.patch, as: UTF8.self).count == #"{"a":null,"b":2,"c":3}"#.count)
      let newer = try #require(try await missed(of: room, since: 10, in: store))
      #expect(newer == Ring.Entry(from: 10, version: 20, patch: Array(#"{"a":null,"c":3}"#.utf8)))
      #expect(try await caller.load(room, from: store)?.segmentVersion == 20)
      #expect(try await missed(of: room, since: 20, in: store) == nil)
      #expect(try await missed(of: .test(9), since: 0, in: store) == nil)
      store.close()
      store = try SQLiteStore(path: path)
    }
    try await caller.erase([room], in: store)
    let count = try await store.pool.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM segment") }
    #expect(count == 0)
  }

  @Test("SYN-9: there is no patch across a gap, from before the first segment, or beyond the limit of a document")
  func none() async throws {
    let store = try SQLiteStore(path: path)
    try await make(.test(1), version: 30, segment(2, 10, "{}"), segment(11, 20, "{}"), in: store)
    #expect(try await missed(of: .test(1), since: 1, in: store) == nil)
    #expect(try await missed(of: .test(1), since: 2, in: store) == nil)
    #expect(try await missed(of: .test(1), since: 11, in: store) != nil)
    let half = String(repeating: "x", count: Room.documentLimit / 2)
    let first = segment(0, 10, #"{"a":"\#(half)"}"#)
    let other = segment(10, 20, #"{"b":"\#(half)"}"#)
    try await make(.test(2), version: 30, first, other, in: store)
    #expect(try await missed(of: .test(2), since: 0, in: store) == nil)
    #expect(try await missed(of: .test(2), since: 10, in: store) != nil)
  }

  @Test("SYN-9: segments are removed when they are behind 1,024 changes and a day, or behind 8 MB")
  func window() async throws {
    let store = try SQLiteStore(path: path)
    try await make(
      .test(1), version: 1_000, segment(0, 400, "{}"), segment(400, 900, "{}", at: 1), in: store)
    func raise(to version: Int64, _ segment: Segment) async throws {
      let known = try #require(try await caller.load(.test(1), from: store)?.version)
      var commit = RoomCommit(room: .test(1), expectedVersion: known, version: version)
      commit.snapshot = .test("s")
      commit.segments = [segment]
      try await caller.commit([commit], to: store)
    }
    func oldest() async throws -> Int? {
      try await store.pool.read { try Int.fetchOne($0, sql: "SELECT min(since) FROM segment") }
    }
    // After a day and 1,023 changes.
    try await raise(to: 1_423, segment(900, 1_400, "{}", at: 26))
    #expect(try await oldest() == 0)
    try await raise(to: 1_424, segment(1_400, 1_424, "{}", at: 26))
    #expect(try await oldest() == 400)
    // Many changes within a day.
    try await raise(to: 9_000, segment(1_424, 9_000, "{}", at: 27))
    #expect(try await oldest() == 900)
    // Too many bytes for a day.
    let half = String(repeating: "x", count: Segment.keptBytes / 2)
    try await raise(to: 10_000, segment(9_000, 9_500, #"{"a":"\#(half)"}"#, at: 28))
    #expect(try await oldest() == 900)
    try await raise(to: 10_001, segment(9_500, 10_001, #"{"a":"\#(half)"}"#, at: 28))
    #expect(try await oldest() == 1_424)
  }

  @Test(
    "SYN-9: segments of earlier schemas are migrated, including those stored in snapshots", arguments: [2, 3])
  func earlierSchemas(schema: Int) async throws {
    var store = try SQLiteStore(path: path)
    let share = RoomID.share(ID(high: 1, low: 1))
    for room in [.test(1), share, .test(2)] { try await make(room, version: 30, segment(0, 30, "{}"), in: store) }
    store.close()
    let queue = try DatabaseQueue(path: path)
    try await queue.write { database in
      try database.execute(
        sql: """
          \(undoingFormat5AndLater)
          ALTER TABLE snapshot ADD COLUMN ring BLOB NOT NULL DEFAULT '[]';
          DELETE FROM segment WHERE keyNumber = 0;
          UPDATE snapshot SET ring = CAST('[[20,25,{"c":3}],[25,30,{"d":4}]]' AS BLOB) WHERE room = 1;
          UPDATE snapshot SET ring = CAST('[[20,25,' AS BLOB) WHERE room = 3;
          INSERT INTO segment (room, version, since, at, total, keyNumber, body) VALUES
            (1, 10, 0, 0, 7, 0, CAST('{"a":1}' AS BLOB)), (1, 20, 10, 0, 24, 0, CAST('[{"a":2},{"b":2}]' AS BLOB));
          DELETE FROM grdb_migrations WHERE CAST(identifier AS INTEGER) > 3
          """)
      if schema < 3 {
        try database.execute(
          sql: """
            ALTER TABLE segment RENAME COLUMN total TO size; UPDATE segment SET size = length(body);
            DELETE FROM grdb_migrations WHERE identifier = '3'
            """)
      }
    }
    try queue.close()
    #expect(throws: StoreOpeningError.tooOld(path: path, format: schema, known: StoreFormat.current)) {
      try StoreReader(path: path)
    }
    store = try SQLiteStore(path: path)
    let all = try #require(try await missed(of: .test(1), since: 3, in: store))
    #expect(all.from == 0 && all.version == 30)
    #expect(String(decoding: all.patch, as: UTF8.self).utf8.sorted() == #"{"a":2,"b":2,"c":3,"d":4}"#.utf8.sorted())
    #expect(try await missed(of: .test(1), since: 25, in: store)?.patch == Array(#"{"d":4}"#.utf8))
    let totals = try await store.pool.read { try Int.fetchAll($0, sql: "SELECT total FROM segment ORDER BY version") }
    #expect(totals == [16, 43, 76])
    // Sealed and damaged segments are dropped; their rooms are kept.
    for room in [share, .test(2)] {
      #expect(try await missed(of: room, since: 0, in: store) == nil)
      #expect(try await caller.load(room, from: store)?.snapshot == .test("s"))
    }
  }
}
