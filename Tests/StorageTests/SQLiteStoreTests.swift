import Dispatch
import Foundation
import GRDB
import Platform
import Rooms
import TestSupport
import Testing

@testable import Storage

/// Properties of the SQLite store beyond the contract: group commit, recovery, trimming.
@Suite("SQLite store")
struct SQLiteStoreTests {
  let folder: TemporaryFolder
  let path: String
  let caller = Caller()

  init() throws {
    folder = try TemporaryFolder()
    path = folder.path("store")
  }

  @Test("the store flushes before it answers: synchronous FULL in WAL mode")
  func flushing() throws {
    let store = try SQLiteStore(path: path)
    let (synchronous, mode) = try store.pool.writeWithoutTransaction {
      (try Int.fetchOne($0, sql: "PRAGMA synchronous"), try String.fetchOne($0, sql: "PRAGMA journal_mode"))
    }
    #expect(synchronous == 2)
    #expect(mode == "wal")
  }

  @Test("the store's files are accessible only to their owner")
  func mode() throws {
    let store = try SQLiteStore(path: path)
    for name in ["", "-wal", "-shm", "-lock"] {
      let mode = try FileManager.default.attributesOfItem(atPath: path + name)[.posixPermissions] as? Int
      #expect(mode == 0o600, "\(name)")
    }
    store.close()
  }

  @Test("R-REC: with new zone data all households that have a due time fall due at once, and nothing else does")
  func zoneData() async throws {
    var store = try SQLiteStore(path: path)
    let later = Instant(milliseconds: 5000)
    let (house, quiet) = (RoomID.household(ID(high: 1, low: 1)), RoomID.household(ID(high: 1, low: 2)))
    let others: [RoomID] = [.person(ID(high: 2, low: 1)), .share(ID(high: 4, low: 1))]
    let commits = ([house] + others).map { room in RoomCommit.making(room).with { $0.due = .set(later) } }
    try await caller.commit(commits + [.making(quiet)], to: store)
    func due() async throws -> [RoomID: Instant] {
      let found = try await caller.due(.shares, in: store, limit: 9) + caller.due(in: store, limit: 9)
      return Dictionary(uniqueKeysWithValues: found.map { ($0.room, $0.due) })
    }
    try store.heed(zoneData: "2026a")
    var expected = Dictionary(uniqueKeysWithValues: others.map { ($0, later) })
    expected[house] = Instant(milliseconds: 0)
    #expect(try await due() == expected)
    // The household is loaded, and has worked it out.
    try await caller.commit(
      [.raising(house, from: 1).with { $0.due = .set(later) }], to: store)
    expected[house] = later
    store.close()
    store = try SQLiteStore(path: path)
    try store.heed(zoneData: "2026a")
    #expect(try await due() == expected, "it knows this version")
    try store.heed(zoneData: "2026b")
    #expect(try await due()[house] == Instant(milliseconds: 0))
    store.close()
  }

  @Test("the last use of a session is found before, during and after it is written")
  func touching() async throws {
    let store = try SQLiteStore(path: path)
    let session = DirectoryTests.session(1)
    try await caller.add(session, to: store)
    func lastUsed() async throws -> Int64? {
      try await caller.wait { store.session(tokenHash: session.tokenHash, reply: $0) }.value()?.lastUsedAt.milliseconds
    }
    store.touchSession(session.id, at: Instant(milliseconds: 500))
    #expect(try await lastUsed() == 500)

    store.queue.withLock { $0.isTouchDue = true }
    let release = await store.holdUpWriter()
    #expect(store.queue.withLock { $0.touches.isEmpty })
    #expect(try await lastUsed() == 500)

    release.signal()
    try await caller.commit([.making(.test(1))], to: store)
    #expect(store.queue.withLock { $0.touch(of: session.id) } == nil)
    #expect(try await lastUsed() == 500)
  }

  @Test("batches committed together share a flush, and each gets its own answer")
  func groupCommit() async throws {
    let store = try SQLiteStore(path: path)
    let count = 500
    // While the writer is blocked, all calls wait for the same transaction.
    let release = await store.holdUpWriter()
    let answers = await withTaskGroup(of: (UInt64, Bool).self) { group in
      for number in 0..<UInt64(count) {
        group.addTask {
          // Every tenth commit expects a wrong version.
          let commit: RoomCommit = number % 10 == 9 ? .raising(.test(number), from: 4) : .making(.test(number))
          let result = await caller.wait { reply in
            store.commit([commit], reply: reply)
            if store.queue.withLock({ $0.jobs.count }) == count { release.signal() }
          }
          return (number, (try? result.get()) != nil)
        }
      }
      return await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
    }
    for number in 0..<UInt64(count) { #expect(answers[number] == (number % 10 != 9)) }
    let statistics = store.statistics
    // One write and transaction are those that blocked the writer.
    #expect(statistics.writes == 1 + count)
    #expect(statistics.transactions == 1 + 1)
    #expect(statistics.logRows == count - count / 10)
  }

  @Test("a call that SQLite refuses fails alone")
  func poison() async throws {
    let store = try SQLiteStore(path: path)
    let message = OutgoingMessage(target: .test(9), number: 1, body: [])
    try await caller.commit([.making(.test(1)).with { $0.sent = [message] }], to: store)
    let release = await store.holdUpWriter()
    async let before: Void = caller.commit([.making(.test(2))], to: store)
    // The same number again, which only a bug could cause.
    async let wrong: Void = caller.commit([.raising(.test(1), from: 1).with { $0.sent = [message] }], to: store)
    async let after: Void = caller.commit([.making(.test(3))], to: store)
    while store.queue.withLock({ $0.jobs.count }) < 3 { await Task.yield() }
    release.signal()
    try await before
    try await after
    do {
      try await wrong
      Issue.record("a message with a used number was accepted")
    } catch {
      guard case .failed = error as? StoreError else { throw error }
    }
    // The writer's cached state was rolled back with the transaction.
    #expect(try await caller.load(.test(1), from: store)?.version == 1)
    try await caller.commit([.raising(.test(1), from: 1)], to: store)
    #expect(try await caller.load(.test(2), from: store)?.version == 1)
    #expect(try await caller.load(.test(3), from: store)?.version == 1)
  }

  @Test("all data is there after closing and reopening the store")
  func reopening() async throws {
    var store = try SQLiteStore(path: path)
    let generation = store.generation
    try await caller.commit(
      [
        .making(.test(1), entry: "1"), .raising(.test(1), from: 1, entry: "2"),
        .making(.test(2)).with {
          $0.snapshot = .test("two")
          $0.due = .set(Instant(milliseconds: 7))
        },
      ], to: store)
    store.keepLive([(room: .test(1), body: [1, 2, 3])])
    store.touchSession(DirectoryTests.session(1).id, at: Instant(milliseconds: 500))
    try await caller.add(DirectoryTests.session(1), to: store)
    store.close()
    await #expect(throws: StoreError.self) { try await caller.load(.test(1), from: store) }
    await #expect(throws: StoreError.self) { try await caller.commit([.making(.test(5))], to: store) }
    store.close()

    store = try SQLiteStore(path: path)
    #expect(store.generation == generation)
    let first = try #require(try await caller.load(.test(1), from: store))
    #expect(first.version == 2)
    #expect(first.entries == [[49], [50]])
    #expect(first.live == [1, 2, 3])
    let second = try #require(try await caller.load(.test(2), from: store))
    #expect(second.version == 1)
    #expect(second.snapshot == .test("two"))
    #expect(second.due == Instant(milliseconds: 7))
    let session = await caller.wait { store.session(tokenHash: DirectoryTests.session(1).tokenHash, reply: $0) }
    #expect(try session.value()?.lastUsedAt == Instant(milliseconds: 500))
    await #expect(throws: StoreError.conflict([.test(1)])) {
      try await caller.commit([.raising(.test(1), from: 1)], to: store)
    }
    try await caller.commit([.raising(.test(1), from: 2)], to: store)
    #expect(try await caller.load(.test(5), from: store) == nil)

    let other = try SQLiteStore(path: folder.path("other"))
    #expect(other.generation != generation)
  }

  @Test("checkpoints run beside the writer and keep the log file short under heavy writes")
  func checkpoints() async throws {
    let store = try SQLiteStore(path: path)
    try await caller.commit([.making(.test(1))], to: store)
    let entry = String(repeating: "x", count: 1 << 20)
    for version in 1...64 {
      try await caller.commit([.raising(.test(1), from: Int64(version), entry: entry)], to: store)
    }
    #expect(store.statistics.checkpoints > 0)
    let size = try FileManager.default.attributesOfItem(atPath: path + "-wal")[.size] as? Int
    #expect(try #require(size) < 48 << 20)
    #expect(try await caller.load(.test(1), from: store)?.entries.count == 65)
  }

  @Test("a store that is closed under load has every answered commit and starts no other")
  func closingInHaste() async throws {
    for round in 1...10 {
      let path = folder.path("haste \(round)")
      let store = try SQLiteStore(path: path)
      let answered = Locked<Int64>(0)
      store.commit([.making(.test(1))], reply: Reply(on: caller) { _ in })
      let entry = String(repeating: "x", count: 64 << 10)
      for version in 1...200 {
        store.commit(
          [.raising(.test(1), from: Int64(version), entry: entry)],
          reply: Reply(on: caller) { result in
            if case .success = result { answered.withLock { $0 = max($0, Int64(version) + 1) } }
          })
      }
      store.close()
      let last = answered.withLock { $0 }
      let again = try SQLiteStore(path: path)
      #expect(try await caller.load(.test(1), from: again)?.version ?? 0 >= last)
      again.close()
    }
  }

  @Test("after a kill the store has every answered commit", arguments: [1, 2, 3, 4, 5])
  func killed(seed: UInt64) async throws {
    // The files are copied while the store works, the log file last. That is what a killed process leaves. So little is
    // written that no checkpoint can come between the two copies.
    var random = SeededGenerator(seed: seed)
    let store = try SQLiteStore(path: path)
    let rooms = (0..<8).map { RoomID.test($0) }
    var versions: [RoomID: Int64] = [:]
    for _ in 0..<Int.random(in: 20..<60, using: &random) {
      let batch = rooms.shuffled(using: &random).prefix(3).map { room in
        let version = versions[room] ?? 0
        versions[room] = version + 1
        var commit: RoomCommit = version == 0 ? .making(room) : .raising(room, from: version)
        commit.entry = Array("\(version + 1)".utf8)
        if Int.random(in: 0..<8, using: &random) == 0 { commit.snapshot = .test("\(version + 1)") }
        return commit
      }
      try await caller.commit(batch, to: store)
    }
    let answered = versions
    // One more commit without waiting: it may be lost, but only as a whole.
    store.commit(
      rooms.map { room in
        let version = answered[room] ?? 0
        return version == 0 ? .making(room) : .raising(room, from: version, entry: "\(version + 1)")
      }, reply: Reply(on: caller) { _ in })
    let copy = folder.path("copy")
    for suffix in ["", "-wal"] { try FileManager.default.copyItem(atPath: path + suffix, toPath: copy + suffix) }

    let revived = try SQLiteStore(path: copy)
    #expect(revived.generation == store.generation)
    var extra: Set<Int64> = []
    for room in rooms {
      let loaded = try await caller.load(room, from: revived)
      extra.insert((loaded?.version ?? 0) - (answered[room] ?? 0))
      guard let loaded else { continue }
      // The versions of the snapshot and of the entries after it, without a gap.
      let start = loaded.snapshot.flatMap { Int64(String(decoding: $0, as: UTF8.self)) } ?? 0
      if loaded.version > start, loaded.version > 1 {
        #expect(
          loaded.entries.suffix(from: start == 0 ? 1 : 0).map { String(decoding: $0, as: UTF8.self) }
            == (max(start, 1) + 1...loaded.version).map(String.init), "seed \(seed)")
      }
      try await caller.commit([.raising(room, from: loaded.version)], to: revived)
    }
    #expect(extra == [0] || extra == [1], "seed \(seed)")
  }

  @Test("a lingering writer is woken by a call, by closing, and by its time limit", .timeLimit(.minutes(10)))
  func lingering() async throws {
    let hour = 3_600_000
    var store = try SQLiteStore(path: path, limits: StoreLimits(lingerMilliseconds: hour))
    try await caller.commit([.making(.test(1))], to: store)
    try await wait(until: .lingering, store)
    try await caller.commit([.raising(.test(1), from: 1)], to: store)
    try await wait(until: .lingering, store)
    store.close()
    #expect(store.queue.withLock { $0.writerState } == .away)

    store = try SQLiteStore(path: path)
    #expect(try await caller.load(.test(1), from: store)?.version == 2)
    try await caller.commit([.raising(.test(1), from: 2)], to: store)
    try await wait(until: .away, store)
    try await caller.commit([.raising(.test(1), from: 3)], to: store)
  }

  private func wait(until state: WriteQueue.WriterState, _ store: SQLiteStore) async throws {
    while store.queue.withLock({ $0.writerState }) != state { try await Task.sleep(for: .milliseconds(1)) }
  }

  @Test("a writer that starts after the store was closed does not touch the file")
  func late() async throws {
    let failures = Locked(0)
    let store = try SQLiteStore(path: path, limits: StoreLimits(calmMilliseconds: 3_600_000)) { _ in
      failures.withLock { $0 += 1 }
    }
    try await caller.commit([.making(.test(1))], to: store)
    try await caller.commit((1...600).map { .raising(.test(1), from: $0) }, to: store)
    try await caller.commit([.raising(.test(1), from: 601).with { $0.snapshot = .test("s") }], to: store)
    store.close()
    // There are rows to trim, and plenty of time for it.
    #expect(store.writer.withLock { $0.isTrimmingDue })
    store.queue.withLock { $0.isCalm = true }
    await withCheckedContinuation { continuation in
      store.pool.asyncWriteWithoutTransaction {
        store.drain($0, isClosing: false)
        continuation.resume()
      }
    }
    #expect(failures.withLock { $0 } == 0)
  }

  @Test("log rows are removed once they are in snapshots, and no position is used twice")
  func trimming() async throws {
    var store = try SQLiteStore(path: path, limits: StoreLimits(calmMilliseconds: 0))
    try await caller.commit([.making(.test(1)), .making(.test(2), entry: "kept")], to: store)
    var version: Int64 = 1
    for _ in 0..<5 {
      let batch = (0..<800).map { RoomCommit.raising(.test(1), from: version + Int64($0)) }
      version += 800
      try await caller.commit(batch, to: store)
      var commit = RoomCommit(room: .test(1), expectedVersion: version, version: version)
      commit.snapshot = .test("\(version)")
      try await caller.commit([commit], to: store)
    }
    try await caller.commit([.raising(.test(1), from: version, entry: "after")], to: store)
    let statistics = store.statistics
    #expect(statistics.logRows == 4_003)
    #expect(statistics.tailRows == 2)
    // A barrier: afterwards the writer has no work left.
    let count = try await store.pool.writeWithoutTransaction { try Int.fetchOne($0, sql: "SELECT count(*) FROM log") }
    #expect((2..<514).contains(try #require(count)))
    store.close()

    store = try SQLiteStore(path: path)
    #expect(store.statistics.tailRows == 2)
    let first = try #require(try await caller.load(.test(1), from: store))
    #expect(first.version == version + 1)
    #expect(first.snapshot == .test("\(version)"))
    #expect(first.entries == [Array("after".utf8)])
    #expect(try await caller.load(.test(2), from: store)?.entries == [Array("kept".utf8)])

    // After erasing all rooms, the log still continues at its last position.
    try await caller.erase([.test(1), .test(2)], in: store)
    store.close()
    store = try SQLiteStore(path: path)
    try await caller.commit([.making(.test(3))], to: store)
    let position = try await store.pool.read { try Int.fetchOne($0, sql: "SELECT position FROM log") }
    #expect(position == 4_004)
  }

  @Test("dead log rows are collected when most of the log is dead, including those of an erased room")
  func collecting() async throws {
    let store = try SQLiteStore(path: path, limits: StoreLimits(calmMilliseconds: 0))
    // A barrier: the writer has no work left.
    func rows() async throws -> Int? {
      try await store.pool.writeWithoutTransaction { try Int.fetchOne($0, sql: "SELECT count(*) FROM log") }
    }
    func kill(_ room: RoomID, _ count: Int64, from version: Int64) async throws {
      try await caller.commit((0..<count).map { .raising(room, from: version + $0) }, to: store)
      let end = version + count
      try await caller.commit([RoomCommit.raising(room, from: end).with { $0.snapshot = .test("s") }], to: store)
    }
    try await caller.commit([.making(.test(1)), .making(.test(2)), .making(.test(3))], to: store)
    try await caller.commit((1...600).map { .raising(.test(1), from: $0) }, to: store)
    try await kill(.test(2), 700, from: 1)
    try await kill(.test(3), 400, from: 1)
    #expect(try await rows() == 1_703)
    #expect(store.statistics.deadRows == 1_102)
    try await caller.erase([.test(3)], in: store)
    #expect(try await rows() == 1_302)
    try await kill(.test(2), 600, from: 702)
    #expect(try await rows() == 601)
    #expect(store.statistics.deadRows == 0)
  }

  @Test("under load, log rows are trimmed only to make room for new ones, and the rest when there is little load")
  func trimmingBeside() async throws {
    // With these limits the store never counts as idle.
    var store = try SQLiteStore(path: path, limits: StoreLimits(calmCallCount: 0, calmMilliseconds: 50))
    func number(_ sql: String) async throws -> Int? {
      try await store.pool.writeWithoutTransaction { try Int.fetchOne($0, sql: sql) }
    }
    let (rows, free) = ("SELECT count(*) FROM log", "PRAGMA freelist_count")
    let entry = String(repeating: "x", count: 600)
    try await caller.commit([.making(.test(1))], to: store)
    try await caller.commit((1...1200).map { .raising(.test(1), from: $0, entry: entry) }, to: store)
    try await caller.commit([.raising(.test(1), from: 1201).with { $0.snapshot = .test("s") }], to: store)
    #expect(try await number(rows) == 1201)
    let pages = try await number("PRAGMA page_count")
    for step: Int64 in 0..<5 {
      let from = 1202 + 100 * step
      try await caller.commit((from..<from + 100).map { .raising(.test(1), from: $0, entry: entry) }, to: store)
      #expect(try await number(rows) == 1201 - 26 * (Int(step) + 1))
      // The pages of 26 rows at six rows per page, of which one is partly filled.
      #expect(try #require(try await number(free)) <= 5 * (Int(step) + 1) + 1)
      try await Task.sleep(for: .milliseconds(100))
    }
    #expect(try await number("PRAGMA page_count") == pages)
    store.close()

    store = try SQLiteStore(path: path, limits: StoreLimits(calmMilliseconds: 200))
    let start = ContinuousClock.now
    try await caller.commit([.raising(.test(1), from: 1702)], to: store)
    for _ in 0..<600 {
      if try await number(rows) == 501 { break }
      try await Task.sleep(for: .milliseconds(50))
    }
    #expect(try await number(rows) == 501)
    #expect(ContinuousClock.now - start >= .milliseconds(600), "569 rows need three steps with a pause before each")
    #expect(store.statistics.deadRows == 0)
  }

  @Test("erased and trimmed data is overwritten in the file")
  func overwriting() async throws {
    let store = try SQLiteStore(path: path)
    let secret = String(repeating: "nobody's business ", count: 400)
    try await caller.commit([.making(.test(1), entry: secret), .making(.test(2), entry: secret)], to: store)
    try await caller.commit([.raising(.test(1), from: 1, entry: secret)], to: store)
    try await caller.commit([.raising(.test(1), from: 2).with { $0.snapshot = .test(secret) }], to: store)
    try await caller.erase([.test(1), .test(2)], in: store)
    store.close()
    let file = try Data(contentsOf: URL(fileURLWithPath: path))
    #expect(file.range(of: Data("nobody's business".utf8)) == nil)
  }

  @Test("an erased room leaves only the messages that it sent")
  func erasing() async throws {
    let store = try SQLiteStore(path: path)
    var commit = RoomCommit.making(.test(1))
    commit.due = .set(Instant(milliseconds: 1))
    commit.history = [.test(1, at: 1)]
    commit.sent = [OutgoingMessage(target: .test(2), number: 1, body: [1])]
    commit.secrets = [SecretChange(hash: [UInt8](repeating: 1, count: 32), isValid: true)]
    try await caller.commit([commit, .raising(.test(1), from: 1)], to: store)
    try await caller.commit([.raising(.test(1), from: 2).with { $0.snapshot = .test("s") }], to: store)
    try await caller.commit([.raising(.test(1), from: 3)], to: store)
    store.keepLive([(room: .test(1), body: [1])])
    try await caller.erase([.test(1)], in: store)
    for table in ["log", "room", "snapshot", "live", "history", "secret"] {
      let count = try await store.pool.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM \(table)") }
      #expect(count == 0, "\(table)")
    }
    #expect(store.statistics.tailRows == 0)
  }

  @Test("the store agrees with a simple model, with a small cache and many restarts", arguments: [11, 12, 13, 14])
  func model(seed: UInt64) async throws {
    var random = SeededGenerator(seed: seed)
    var store = try SQLiteStore(path: path, limits: StoreLimits(headCount: 4))
    var model: [RoomID: StoredRoom] = [:]
    for step in 0..<300 {
      let room = RoomID.test(UInt64.random(in: 0..<12, using: &random))
      let version = model[room]?.version ?? 0
      switch Int.random(in: 0..<20, using: &random) {
      case 0:
        try await caller.erase([room], in: store)
        model[room] = nil
      case 1:
        store.close()
        store = try SQLiteStore(path: path, limits: StoreLimits(headCount: 4))
      case 2:
        let wrong = version + (Bool.random(using: &random) ? 1 : 7)
        await #expect(throws: StoreError.conflict([room]), "seed \(seed), step \(step)") {
          try await caller.commit([.raising(room, from: wrong)], to: store)
        }
      default:
        var commit: RoomCommit = model[room] == nil ? .making(room) : .raising(room, from: version)
        commit.entry = Bool.random(using: &random) ? Array("\(step)".utf8) : nil
        commit.snapshot = Int.random(in: 0..<6, using: &random) == 0 ? .test("\(step)") : nil
        if Bool.random(using: &random) { commit.due = .set(Instant(milliseconds: Int64(step))) }
        try await caller.commit([commit], to: store)
        var stored =
          model[room]
          ?? StoredRoom(
            version: 0, random: commit.random ?? [], snapshot: nil, entries: [], segmentVersion: 0, live: nil, due: nil)
        stored.version = commit.version
        if let snapshot = commit.snapshot {
          stored.snapshot = snapshot
          stored.entries = []
        } else if let entry = commit.entry {
          stored.entries.append(entry)
        }
        if case .set(let due) = commit.due { stored.due = due }
        model[room] = stored
      }
      #expect(try await caller.load(room, from: store) == model[room], "seed \(seed), step \(step)")
    }
    for number in 0..<12 as Range<UInt64> {
      #expect(try await caller.load(.test(number), from: store) == model[.test(number)], "seed \(seed)")
    }
  }
}
