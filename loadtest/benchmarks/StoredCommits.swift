import Dispatch
import Foundation
import Platform
import Rooms
import Storage

/// Changes of many rooms that a real store writes into a real file in one transaction, with a real flush: what a
/// saturated loop hands over at the end of a batch.
final class StoredCommits {
  private let folder: URL
  private let store: SQLiteStore
  private let rooms: [RoomID]
  private var version: Int64 = 0
  private let entry: [UInt8]
  private let written = DispatchSemaphore(value: 0)
  private let failure = Locked<StoreError?>(nil)

  /// Runs what is posted where it is posted: it only wakes whoever waits.
  private final class Direct: Poster {
    func post(_ work: @escaping @Sendable () -> Void) { work() }
  }

  /// - Parameter entry: the log entry of each change.
  init(rooms count: Int, entry: [UInt8]) throws {
    self.entry = entry
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

  /// One change of each room; the first one makes it.
  func prepareRound() -> [RoomCommit] {
    version += 1
    return rooms.map { room in
      var commit = RoomCommit(room: room, expectedVersion: version - 1, version: version)
      if version == 1 { commit.random = [UInt8](repeating: 7, count: 16) }
      commit.entry = entry
      return commit
    }
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
