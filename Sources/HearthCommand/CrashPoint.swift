import Glibc
import Platform
import Rooms

/// A place on a change's way to the disk and back at which the process ends itself as `kill -9` would.
///
/// Tests of recovery use it: whatever the place, nothing that anybody saw may be missing afterwards.
struct CrashPoint: Sendable {
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
///
/// `@unchecked`: what changes is behind a lock.
final class CrashingStore: StoreInFront, @unchecked Sendable {
  private let point: CrashPoint
  private let commits = Locked(0)

  init(_ store: any RoomStore, at point: CrashPoint) {
    self.point = point
    super.init(store)
  }

  override func commit(_ batch: [RoomCommit], reply: Reply<Result<Void, StoreError>>) {
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
}

/// Runs what is posted on the spot, whichever thread that is.
final class SpotPoster: Poster {
  func post(_ work: @escaping @Sendable () -> Void) { work() }
}
