import Foundation
import Platform
import Rooms
import TestSupport
import Testing

@testable import Storage

/// RELIABILITY C5, C6: SQLite's log file after a power failure or on a bad disk.
@Suite("Torn and damaged log files")
struct TornLogTests {
  private static let batches: Int64 = 12
  private let folder: TemporaryFolder
  private let caller: Caller
  private let database: Data
  private let log: Data

  /// Makes the files that a killed process leaves; every batch changes two rooms.
  init() async throws {
    folder = try TemporaryFolder()
    caller = Caller(keeping: folder)
    let path = folder.path("store")
    let store = try SQLiteStore(path: path)
    for version in 1...Self.batches {
      let rooms = [RoomID.test(1), .test(2)]
      try await caller.commit(
        rooms.map { version == 1 ? .making($0, entry: "1") : .raising($0, from: version - 1, entry: "\(version)") },
        to: store)
    }
    database = try Data(contentsOf: URL(filePath: path))
    log = try Data(contentsOf: URL(filePath: path + "-wal"))
    store.close()
    try #require(log.count > 50_000)
  }

  /// Opens a store with this log and returns its last batch. Checks that all batches up to it are complete.
  private func lastBatch(with log: Data, _ name: String) async throws -> Int64 {
    let path = folder.path(name)
    try database.write(to: URL(filePath: path))
    try log.write(to: URL(filePath: path + "-wal"))
    let store = try SQLiteStore(path: path)
    var versions: [Int64] = []
    for room in [RoomID.test(1), .test(2)] {
      let loaded = try await caller.load(room, from: store)
      let entries = loaded?.entries.map { String(decoding: $0, as: UTF8.self) } ?? []
      let version = loaded?.version ?? 0
      #expect(entries == (0..<version).map { "\($0 + 1)" }, "\(name)")
      versions.append(version)
    }
    #expect(versions[0] == versions[1], "\(name): half a batch")
    // The store can also be written.
    if versions[0] > 0 { try await caller.commit([.raising(.test(1), from: versions[0])], to: store) }
    store.close()
    for suffix in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: path + suffix) }
    return versions[0]
  }

  @Test("C5: a log cut anywhere gives the longest sequence of whole batches")
  func torn() async throws {
    // A frame is a page with a header of 24 bytes; the file's header has 32.
    let frames = stride(from: 32, through: log.count, by: 4120).flatMap { [$0 - 1, $0, $0 + 1] }
    let cuts = Set(frames + Array(stride(from: 0, to: log.count, by: 4999)) + [log.count]).filter { $0 <= log.count }
    var last: Int64 = 0
    for cut in cuts.sorted() {
      let batch = try await lastBatch(with: log.prefix(cut), "cut at \(cut)")
      #expect(batch >= last, "a longer log gave fewer batches: cut at \(cut)")
      last = batch
    }
    #expect(last == Self.batches)
  }

  @Test("C5: a flipped bit in the log never gives half a batch or wrong bytes", arguments: [1, 2, 3])
  func flipped(seed: UInt64) async throws {
    var random = SeededGenerator(seed: seed)
    var found: Set<Int64> = []
    for _ in 0..<25 {
      var damaged = log
      let offset = Int.random(in: 0..<log.count, using: &random)
      damaged[offset] ^= 1 << UInt8.random(in: 0...7, using: &random)
      found.insert(try await lastBatch(with: damaged, "bit at \(offset)"))
    }
    #expect(found.contains { $0 < Self.batches }, "no damage was noticed")
  }
}
