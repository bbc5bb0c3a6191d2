import Foundation
import GRDB
import Platform
import Rooms
import Testing

@testable import Storage

/// The data of a share can be read only with its key, and not at all after the key is shredded (LOC-24).
@Suite("Sealed shares")
struct SealingTests {
  let folder: TemporaryFolder
  let path: String
  let caller = Caller()
  static let share = RoomID.share(ID(high: 0x5AA5, low: 1))
  static let person = RoomID.person(ID(high: 0x1111, low: 1))

  init() throws {
    folder = try TemporaryFolder()
    path = folder.path("hearth.db")
  }

  private var keysPath: String { path + ".keys" }

  private static func secret(_ name: String) -> String { "canary-\(name)-52.0123456" }

  private static let places = ["entry", "second", "body", "live", "history", "to", "from"]

  /// Writes a secret wherever a share stores data; the last commit comes after the snapshot.
  private func fill(_ store: SQLiteStore) async throws {
    func bytes(_ name: String) -> [UInt8] { Array(Self.secret(name).utf8) }
    let note = OutgoingMessage(target: Self.share, number: 1, body: bytes("to"))
    try await caller.commit([.making(Self.person).with { $0.sent = [note] }], to: store)
    try await caller.commit([.making(Self.share, entry: Self.secret("entry"))], to: store)
    try await caller.commit(
      [
        .raising(Self.share, from: 1).with {
          $0.snapshot = bytes("body")
          $0.history = [.test(1, at: 1, kind: "trail", body: Self.secret("history"))]
          $0.sent = [OutgoingMessage(target: Self.person, number: 1, body: bytes("from"))]
        }, .raising(Self.share, from: 2, entry: Self.secret("second")),
      ], to: store)
    store.keepLive([(room: Self.share, body: bytes("live"))])
    // Live values are written with the next transaction.
    try await caller.commit([.raising(Self.person, from: 1)], to: store)
  }

  /// The secrets that are in clear text in any file of the folder.
  private func readable() throws -> [String] {
    var found: [String] = []
    for file in try FileManager.default.contentsOfDirectory(at: folder.url, includingPropertiesForKeys: nil) {
      let bytes = try Data(contentsOf: file)
      for place in Self.places where bytes.range(of: Data(Self.secret(place).utf8)) != nil {
        found.append("\(place) in \(file.lastPathComponent)")
      }
    }
    return found
  }

  private func check(_ store: SQLiteStore) async throws {
    let loaded = try #require(try await caller.load(Self.share, from: store))
    #expect(loaded.version == 3)
    #expect(loaded.snapshot == Array(Self.secret("body").utf8))
    #expect(loaded.live == Array(Self.secret("live").utf8))
    #expect(loaded.entries == [Array(Self.secret("second").utf8)])
    let history = try await caller.history(of: Self.share, kind: "trail", in: store)
    #expect(history.map(\.body) == [Array(Self.secret("history").utf8)])
    let messages = try await caller.undelivered(in: store)
    #expect(messages.map(\.message.body) == [Array(Self.secret("to").utf8), Array(Self.secret("from").utf8)])
  }

  /// All keys in the file of keys.
  private func keys() throws -> [Data] {
    let queue = try DatabaseQueue(path: keysPath)
    defer { try? queue.close() }
    return try queue.read { try Data.fetchAll($0, sql: "SELECT bytes FROM key") }
  }

  private func files(holding key: Data) throws -> [String] {
    try FileManager.default.contentsOfDirectory(at: folder.url, includingPropertiesForKeys: nil)
      .filter { try Data(contentsOf: $0).range(of: key) != nil }.map(\.lastPathComponent)
  }

  @Test("LOC-24: no data of a share is in clear text in any file, and all of it is readable, also after a restart")
  func sealed() async throws {
    var store = try SQLiteStore(path: path)
    try await fill(store)
    #expect(try readable() == [])
    try await check(store)
    store.close()
    #expect(try readable() == [])
    store = try SQLiteStore(path: path)
    try await check(store)
    // A cross-check: data of other rooms is not sealed, and the search finds it.
    try await caller.commit([.making(.test(1), entry: Self.secret("entry"))], to: store)
    #expect(try readable().isEmpty == false)
  }

  @Test("LOC-24: a share is loaded with or without a snapshot and a position", arguments: 0..<4)
  func parts(which: Int) async throws {
    let store = try SQLiteStore(path: path)
    let snapshot: [UInt8]? = which & 1 != 0 ? .test("body") : nil
    let live: [UInt8]? = which & 2 != 0 ? Array("live".utf8) : nil
    try await caller.commit([.making(Self.share).with { $0.snapshot = snapshot }], to: store)
    if let live { store.keepLive([(room: Self.share, body: live)]) }
    // Live values are written with the next transaction.
    try await caller.commit([.making(Self.person)], to: store)
    let loaded = try #require(try await caller.load(Self.share, from: store))
    #expect(loaded.snapshot == snapshot && loaded.live == live)
  }

  @Test("LOC-24: the file of keys is accessible only to its owner")
  func mode() async throws {
    let store = try SQLiteStore(path: path)
    try await fill(store)
    for suffix in ["", "-wal"] {
      let mode = try FileManager.default.attributesOfItem(atPath: keysPath + suffix)[.posixPermissions] as? Int
      #expect(mode == 0o600, "\(suffix)")
    }
  }

  @Test("LOC-24: after a share is erased and its messages taken, no file has its key, and copies are unreadable")
  func shredded() async throws {
    let store = try SQLiteStore(path: path)
    try await fill(store)
    let keys = try keys()
    #expect(keys.count == 2)
    let content = try #require(store.keys.number(.content, of: Self.share).flatMap { store.keys[$0] }?.bytes)
    let key = try #require(store.keys.number(.outbox, of: Self.share).flatMap { store.keys[$0] }?.bytes)
    #expect(try files(holding: Data(content)).isEmpty == false)
    let copy = folder.path("copy.db")
    for suffix in ["", "-wal"] { try FileManager.default.copyItem(atPath: path + suffix, toPath: copy + suffix) }

    try await caller.erase([Self.share], in: store)
    #expect(try files(holding: Data(content)) == [])
    // Messages that the share sent are still delivered.
    let messages = try await caller.undelivered(in: store)
    #expect(messages.last?.message.body == Array(Self.secret("from").utf8))
    try await caller.commit(
      [.raising(Self.person, from: 2).with { $0.taken = [TakenMessage(source: Self.share, number: 1)] }], to: store)
    #expect(try files(holding: Data(key)).isEmpty == false)
    try await caller.wait { store.discard([messages[0]], reply: $0) }.value()
    #expect(try files(holding: Data(key)) == [])
    #expect(try readable() == [])
    store.close()

    // With the current file of keys, the older copy no longer has the share. Without that file it is refused.
    #expect(throws: StoreOpeningError.self) { try SQLiteStore(path: copy) }
    try FileManager.default.copyItem(atPath: keysPath, toPath: copy + ".keys")
    let revived = try SQLiteStore(path: copy)
    #expect(try await caller.load(Self.share, from: revived) == nil)
    #expect(try await caller.undelivered(in: revived) == [])
    #expect(try await caller.load(Self.person, from: revived)?.version == 2)
    #expect(try await caller.wait { revived.wasErased(Self.share, reply: $0) }.value())
  }

  @Test("LOC-24: of many keys, the shredded ones are in no file, and the others still open their data")
  func manyKeys() async throws {
    let store = try SQLiteStore(path: path)
    let rooms = (0..<400).map { RoomID.share(ID(high: 0x5AA5, low: UInt64($0) &* 0x9E37_79B9_7F4A_7C15)) }
    for batch in stride(from: 0, to: 400, by: 40) {
      try await caller.commit(rooms[batch..<batch + 40].map { .making($0) }, to: store)
    }
    let keys = rooms.map { room in store.keys.number(.content, of: room).flatMap { store.keys[$0] }?.bytes ?? [] }
    for index in stride(from: 0, to: 400, by: 2) { try await caller.erase([rooms[index]], in: store) }
    for (index, key) in keys.enumerated() {
      try #require(key.count == 32)
      #expect(try files(holding: Data(key)).isEmpty == (index % 2 == 0), "\(index)")
    }
    #expect(try await caller.load(rooms[1], from: store)?.entries == [Array("{}".utf8)])
  }

  @Test("LOC-24: after a crash between erasing and shredding, the next start shreds the key")
  func crashes() async throws {
    var store = try SQLiteStore(path: path)
    try await fill(store)
    let keys = try keys()
    // The erasure is on disk, the shredding is not: restore the earlier file of keys.
    let before = folder.path("before")
    for suffix in ["", "-wal"] { try FileManager.default.copyItem(atPath: keysPath + suffix, toPath: before + suffix) }
    let messages = try await caller.undelivered(in: store)
    try await caller.erase([Self.share], in: store)
    try await caller.wait { store.discard(messages, reply: $0) }.value()
    store.close()
    try FileManager.default.removeItem(atPath: keysPath)
    for suffix in ["", "-wal"] { try FileManager.default.moveItem(atPath: before + suffix, toPath: keysPath + suffix) }
    #expect(try files(holding: keys[0]).isEmpty == false)
    store = try SQLiteStore(path: path)
    for key in keys { #expect(try files(holding: key) == []) }

    // A key was created, but the data sealed with it never reached the disk.
    let orphan = try store.keys.key(.content, of: .share(ID(high: 9, low: 9))).bytes
    #expect(try files(holding: Data(orphan)).isEmpty == false)
    store.close()
    store = try SQLiteStore(path: path)
    #expect(try files(holding: Data(orphan)) == [])
  }

  @Test("LOC-24: a missing, foreign or damaged file of keys is refused by name", arguments: 0..<5)
  func lostKeys(way: Int) async throws {
    let store = try SQLiteStore(path: path)
    try await fill(store)
    store.close()
    var bytes = try Data(contentsOf: URL(filePath: keysPath))
    switch way {
    case 0: break
    case 1: bytes = Data("Dear diary".utf8)
    case 2:
      let key = try keys()[0]
      let place = try #require(bytes.range(of: key)).lowerBound
      bytes[place + 3] ^= 1
    case 3: bytes = bytes.prefix(5000)
    default:
      let other = try SQLiteStore(path: folder.path("other"))
      try await fill(other)
      other.close()
      bytes = try Data(contentsOf: URL(filePath: folder.path("other.keys")))
    }
    for suffix in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: keysPath + suffix) }
    if way != 0 { try bytes.write(to: URL(filePath: keysPath)) }
    do {
      _ = try SQLiteStore(path: path)
      Issue.record("the store was opened")
    } catch {
      guard case .keysLost(keysPath, path, _) = error else { throw error }
      #expect(error.description.contains(keysPath) && error.description.contains("hearth recover"))
    }
    if way == 0 {
      #expect(!FileManager.default.fileExists(atPath: keysPath))
    } else if way == 1 {
      #expect(try Data(contentsOf: URL(filePath: keysPath)) == bytes)
    }
  }

  /// Reverts all migrations but the first.
  private static let undoing = """
    \(undoingFormat5AndLater)
    DROP INDEX outboxByKey; DROP TABLE segment; ALTER TABLE snapshot ADD COLUMN ring BLOB NOT NULL DEFAULT '[]';
    DELETE FROM grdb_migrations WHERE identifier <> '1'
    """

  @Test("a store without shares needs no file of keys, and a store of the first schema is migrated")
  func firstSchema() async throws {
    var store = try SQLiteStore(path: path)
    try await caller.commit([.making(.test(1))], to: store)
    store.close()
    try FileManager.default.removeItem(atPath: keysPath)
    let queue = try DatabaseQueue(path: path)
    try await queue.write {
      try $0.execute(sql: Self.undoing)
    }
    try queue.close()
    store = try SQLiteStore(path: path)
    #expect(try await caller.load(.test(1), from: store)?.version == 1)
    try await fill(store)
    try await check(store)
  }

  @Test("a value sealed for one place opens in no other place, and every nonce is different")
  func places() throws {
    let key = SealingKey.draw()
    let content = Array("here".utf8)
    let places: [SealedPlace] = [
      .entry(version: 1), .entry(version: 2), .snapshot, .live, .history(kind: "a", id: [1]),
      .history(kind: "a", id: [2]), .message(source: Self.share, target: Self.person, number: 1),
      .message(source: Self.person, target: Self.share, number: 1),
    ]
    var seen: Set<[UInt8]> = []
    for (index, place) in places.enumerated() {
      let sealed = try key.seal(content, place, of: Self.share)
      #expect(seen.insert(Array(sealed.prefix(12))).inserted)
      for (other, elsewhere) in places.enumerated() {
        if index == other {
          #expect(try key.open(sealed, elsewhere, of: Self.share) == content)
        } else {
          #expect(throws: SQLiteFailure.self) { try key.open(sealed, elsewhere, of: Self.share) }
        }
      }
      #expect(throws: SQLiteFailure.self) { try key.open(sealed, place, of: Self.person) }
      #expect(throws: SQLiteFailure.self) { try key.open(Array(sealed.dropLast()), place, of: Self.share) }
      #expect(throws: SQLiteFailure.self) { try key.open([], place, of: Self.share) }
    }
  }
}
