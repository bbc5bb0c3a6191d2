import ArgumentParser
import Glibc
import Platform
import Rooms
import Synchronization

/// A place on a change's way to the disk and back at which the process ends itself as `kill -9` would.
///
/// Tests of recovery use it: whatever the place, nothing that anybody saw may be missing afterwards.
struct CrashPoint: ExpressibleByArgument, Sendable {
  enum Step: String, CaseIterable, Sendable {
    /// Applied in memory, not handed to the disk.
    case beforeCommit
    /// On disk, nobody told.
    case afterCommit
    /// Told: patches and answers have been given to the sockets.
    case afterTelling
  }

  var step: Step
  /// Which commit, counted from 1.
  var count: Int

  init?(argument: String) {
    let parts = argument.split(separator: ":")
    guard parts.count == 2, let step = Step(rawValue: String(parts[0])), let count = Int(parts[1]), count > 0
    else { return nil }
    self.step = step
    self.count = count
  }

  static func die() { kill(getpid(), SIGKILL) }
}

/// A store that ends the process at a crash point and is otherwise the one it stands before.
final class CrashingStore: RoomStore {
  private let store: any RoomStore
  private let point: CrashPoint
  private let commits = Mutex(0)

  init(_ store: any RoomStore, at point: CrashPoint) {
    self.store = store
    self.point = point
  }

  var generation: [UInt8] { store.generation }

  func commit(_ batch: [RoomCommit], reply: Reply<Result<Void, StoreError>>) {
    let number = commits.withLock { count in
      count += 1
      return count
    }
    guard number == point.count else { return store.commit(batch, reply: reply) }
    switch point.step {
    case .beforeCommit: CrashPoint.die()
    case .afterCommit: store.commit(batch, reply: Reply(on: SpotPoster()) { _ in CrashPoint.die() })
    case .afterTelling:
      store.commit(
        batch,
        reply: Reply(on: SpotPoster()) { result in
          reply(result)
          // The loop works through its inbox in order and flushes; what is posted twice comes behind that.
          reply.poster.post { reply.poster.post { reply.poster.post { CrashPoint.die() } } }
        })
    }
  }

  func load(_ room: RoomID, reply: Reply<Result<StoredRoom?, StoreError>>) { store.load(room, reply: reply) }
  func keepLive(_ values: [(room: RoomID, body: [UInt8])]) { store.keepLive(values) }
  func history(
    of room: RoomID, kind: String, before: HistoryCursor?, limit: Int,
    reply: Reply<Result<[HistoryRecord], StoreError>>
  ) {
    store.history(of: room, kind: kind, before: before, limit: limit, reply: reply)
  }
  func due(before instant: Instant, limit: Int, reply: Reply<Result<[DueRoom], StoreError>>) {
    store.due(before: instant, limit: limit, reply: reply)
  }
  func undelivered(limit: Int, reply: Reply<Result<[StoredMessage], StoreError>>) {
    store.undelivered(limit: limit, reply: reply)
  }
  func room(secret hash: [UInt8], reply: Reply<Result<RoomID?, StoreError>>) {
    store.room(secret: hash, reply: reply)
  }
  func discard(_ messages: [StoredMessage], reply: Reply<Result<Void, StoreError>>) {
    store.discard(messages, reply: reply)
  }
  func wasErased(_ room: RoomID, reply: Reply<Result<Bool, StoreError>>) { store.wasErased(room, reply: reply) }
  func erase(_ rooms: [RoomID], reply: Reply<Result<Void, StoreError>>) { store.erase(rooms, reply: reply) }
}

/// Runs what is posted on the spot, whichever thread that is.
final class SpotPoster: Poster {
  func post(_ work: @escaping @Sendable () -> Void) { work() }
}
