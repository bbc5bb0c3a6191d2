import Dispatch
import Foundation
import Platform
import Rooms
import Storage

/// Changes of many rooms that a real store commits to a file in one transaction with a flush, as for a batch of a
/// saturated loop.
final class StoredCommits {
  private let folder: URL
  private let store: SQLiteStore
  private let rooms: [RoomID]
  private var version: Int64 = 0
  private let entry: [UInt8]
  private let older: Int
  /// Half of a room's limit for patches in memory.
  private let patch = [UInt8](repeating: UInt8(ascii: "x"), count: Ring.byteLimit / 2)
  private let written = DispatchSemaphore(value: 0)
  private let failure = Locked<StoreError?>(nil)

  /// Runs posted work immediately on the posting thread, since it only wakes a waiting thread.
  private final class Direct: Poster {
    func post(_ work: @escaping @Sendable () -> Void) { work() }
  }

  /// - Parameters:
  ///   - entry: the log entry of each change.
  ///   - older: the number of segments of older changes that each room has in the store; each change adds one. 0 for no
  ///     segments.
  init(rooms count: Int, entry: [UInt8], older: Int = 0) throws {
    self.entry = entry
    self.older = older
    folder = FileManager.default.temporaryDirectory.appending(path: "hearth-benchmark-\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    store = try SQLiteStore(path: folder.appending(path: "hearth.db").path)
    rooms = (0..<count).map { .household(ID(high: 0x1111_0000_0000_8000 | UInt64($0), low: 1 << 63)) }
    try runRound(prepareRound())
  }

  deinit {
    store.close()
    try? FileManager.default.removeItem(at: folder)
  }

  /// One change of each room; the first one creates it.
  func prepareRound() -> [RoomCommit] {
    let last = version
    version += last == 0 ? max(1, Int64(older)) : 1
    let segments = older == 0 ? [] : (last..<version).map(segment)
    return rooms.map { room in
      var commit = RoomCommit(room: room, expectedVersion: last, version: version)
      if last == 0 { commit.random = [UInt8](repeating: 7, count: 16) }
      commit.entry = entry
      commit.segments = segments
      return commit
    }
  }

  private func segment(from version: Int64) -> Segment {
    Segment(from: version, version: version + 1, at: SampleHome.now, body: patch)
  }

  func runRound(_ batch: [RoomCommit]) throws {
    let (written, failure) = (written, failure)
    store.commit(
      batch,
      reply: Reply(on: Direct()) { result in
        if case .failure(let error) = result { failure.withLock { $0 = error } }
        written.signal()
      })
    written.wait()
    if let error = failure.withLock(\.self) { throw Failure(what: "\(error)") }
  }
}
