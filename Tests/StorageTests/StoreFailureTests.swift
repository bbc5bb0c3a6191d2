import Foundation
import GRDB
import Glibc
import Platform
import Rooms
import Testing

@testable import Storage

/// Files that must be refused, and failing disks.
@Suite("Store failures")
struct StoreFailureTests {
  let folder: TemporaryFolder
  let path: String
  let caller = Caller()

  init() throws {
    folder = try TemporaryFolder()
    path = folder.path("store")
  }

  /// Creates and closes a store of some 40 pages and returns its bytes.
  private func makeStore() async throws -> [UInt8] {
    let store = try SQLiteStore(path: path)
    try await caller.commit(
      (0..<50).map { number in
        .making(.test(number)).with { $0.snapshot = .test(String(repeating: "snapshot ", count: 1_000)) }
      }, to: store)
    store.close()
    return Array(try Data(contentsOf: URL(filePath: path)))
  }

  private func write(_ bytes: some Collection<UInt8>) throws {
    try Data(bytes).write(to: URL(filePath: path))
  }

  private func opening() -> StoreOpeningError? {
    do throws(StoreOpeningError) {
      _ = try SQLiteStore(path: path)
      return nil
    } catch {
      return error
    }
  }

  @Test("a file that is not a database is refused by name and left unchanged", arguments: [1, 99, 100, 600, 20_000])
  func strangersFile(size: Int) throws {
    let text = Array("Dear diary, today was quiet. ".utf8)
    let bytes = (0..<size).map { text[$0 % text.count] }
    try write(bytes)
    #expect(opening() == .notAStore(path: path))
    #expect(try Array(Data(contentsOf: URL(filePath: path))) == bytes)
  }

  @Test("a foreign database is refused and left unchanged")
  func strangersDatabase() throws {
    let queue = try DatabaseQueue(path: path)
    try queue.write { try $0.execute(sql: "CREATE TABLE recipe (title TEXT); INSERT INTO recipe VALUES ('soup')") }
    try queue.close()
    let bytes = try Data(contentsOf: URL(filePath: path))
    #expect(opening() == .notAStore(path: path))
    #expect(try Data(contentsOf: URL(filePath: path)) == bytes)
    #expect(!FileManager.default.fileExists(atPath: path + "-wal"))
  }

  @Test(
    "a store with a damaged header is refused by name", arguments: [0, 5, 15, 16, 17, 21, 22, 68, 71])
  func damagedHeader(offset: Int) async throws {
    var bytes = try await makeStore()
    bytes[offset] ^= 0xFF
    try write(bytes)
    let error = try #require(opening())
    #expect(error.description.contains(path))
    switch error {
    case .notAStore, .damaged: break
    default: Issue.record("\(error)")
    }
  }

  @Test("a truncated store is refused", arguments: [1, 100, 4096, 8192, 8193, 100_000])
  func truncated(left: Int) async throws {
    let bytes = try await makeStore()
    try #require(bytes.count > 100_000)
    try write(bytes.prefix(left))
    let error = try #require(opening())
    #expect(error.description.contains(path))
  }

  @Test("a store without its tables is refused")
  func missingTables() async throws {
    _ = try await makeStore()
    let queue = try DatabaseQueue(path: path)
    try await queue.write { try $0.execute(sql: "DROP TABLE meta") }
    try queue.close()
    guard case .damaged(path, _) = try #require(opening()) else {
      Issue.record("the wrong error, or none")
      return
    }
  }

  @Test("C5: loading an unreadable room fails, and all other rooms are loaded intact")
  func unreadablePages() async throws {
    var bytes = try await makeStore()
    // Not the first pages, which are read on opening.
    for offset in bytes.count / 2..<bytes.count { bytes[offset] = 0xFF }
    try write(bytes)
    let store = try SQLiteStore(path: path)
    let whole: [UInt8] = .test(String(repeating: "snapshot ", count: 1_000))
    var (unreadable, wrong) = (0, 0)
    for number in UInt64(0)..<50 {
      switch await caller.wait({ store.load(.test(number), reply: $0) }) {
      case .success(let room): if room?.snapshot != whole { wrong += 1 }
      case .failure: unreadable += 1
      }
    }
    #expect((1..<50).contains(unreadable))
    // The pages of one row may lie on both sides of the damage, and SQLite has no checksums.
    #expect(wrong <= 1)
  }

  @Test("SYN-4: after a failed write nothing is written any longer, even if the device seems to work again")
  func unreliable() async throws {
    let failures = Locked(0)
    let store = try SQLiteStore(path: path) { _ in failures.withLock { $0 += 1 } }
    try await caller.commit([.making(.test(1))], to: store)
    // SQLite's closest equivalent of a failing device.
    try await store.pool.writeWithoutTransaction { try $0.execute(sql: "PRAGMA query_only = ON") }
    await #expect(throws: StoreError.self) { try await caller.commit([.raising(.test(1), from: 1)], to: store) }
    try await store.pool.writeWithoutTransaction { try $0.execute(sql: "PRAGMA query_only = OFF") }
    await #expect(throws: StoreError.self) { try await caller.commit([.raising(.test(1), from: 1)], to: store) }
    #expect(failures.withLock { $0 } == 1)
    #expect(try await caller.load(.test(1), from: store)?.version == 1)
  }

  @Test("a store that is in use is refused")
  func inUse() throws {
    let store = try SQLiteStore(path: path)
    #expect(opening() == .inUse(path: path))
    withExtendedLifetime(store) {}
  }

  @Test("a store in a missing folder is refused")
  func noFolder() {
    let error: StoreOpeningError?
    do throws(StoreOpeningError) {
      _ = try SQLiteStore(path: folder.path("nowhere") + "/store")
      error = nil
    } catch let failure {
      error = failure
    }
    guard case .inaccessible = error else {
      Issue.record("\(String(describing: error))")
      return
    }
  }

  @Test("on a full disk commits fail, existing data is kept, and writing continues when there is space")
  func full() async throws {
    let store = try SQLiteStore(path: path, limits: StoreLimits(pageCount: 60))
    try await fill(store) {
      try store.pool.writeWithoutTransaction { try $0.execute(sql: "PRAGMA max_page_count = 10000") }
    }
  }

  @Test(
    "on a full file system commits fail and continue later", .enabled(if: TinyDevice.isAvailable, "needs mount rights"))
  func fullDevice() async throws {
    let device = try TinyDevice(at: folder.path("device"))
    let store = try SQLiteStore(path: device.path + "/store")
    try await fill(store) { try device.resize(megabytes: 16) }
    store.close()
  }

  /// Commits until there is no space, then frees some and commits again.
  private func fill(_ store: SQLiteStore, makeRoom: () throws -> Void) async throws {
    let entry = String(repeating: "x", count: 10_000)
    var kept: Int64 = 0
    for version in 0..<1_000 as Range<Int64> {
      let commit: RoomCommit =
        version == 0 ? .making(.test(1), entry: entry) : .raising(.test(1), from: version, entry: entry)
      do {
        try await caller.commit([commit], to: store)
        kept = version + 1
      } catch {
        #expect(error as? StoreError == .full)
        break
      }
    }
    #expect((5..<1_000).contains(kept))
    #expect(try await caller.load(.test(1), from: store)?.version == kept)
    await #expect(throws: StoreError.full) {
      try await caller.commit([.raising(.test(1), from: kept, entry: entry)], to: store)
    }
    // The failed commits left nothing behind, neither on disk nor in memory.
    try makeRoom()
    try await caller.commit([.raising(.test(1), from: kept, entry: entry)], to: store)
    let loaded = try #require(try await caller.load(.test(1), from: store))
    #expect(loaded.version == kept + 1)
    #expect(loaded.entries.count == Int(kept) + 1)
  }
}

/// An in-memory file system of one megabyte.
final class TinyDevice {
  let path: String

  static let isAvailable: Bool = {
    guard let folder = try? TemporaryFolder() else { return false }
    return (try? TinyDevice(at: folder.path("device"))) != nil
  }()

  init(at path: String) throws {
    self.path = path
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    try Self.mount(path, flags: 0, size: "size=1m")
  }

  deinit { umount2(path, Int32(MNT_DETACH)) }

  func resize(megabytes: Int) throws {
    try Self.mount(path, flags: UInt(MS_REMOUNT), size: "size=\(megabytes)m")
  }

  private static func mount(_ path: String, flags: UInt, size: String) throws {
    guard Glibc.mount("tmpfs", path, "tmpfs", flags, size) == 0 else { throw POSIXError(.EPERM) }
  }
}
