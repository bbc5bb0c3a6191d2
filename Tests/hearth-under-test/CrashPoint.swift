import ArgumentParser
import Glibc
import Platform
import Rooms
import TestSupport

/// A step of a commit at which the process ends itself as `kill -9` would. Tests of recovery choose it.
struct CrashPoint: Sendable, ExpressibleByArgument {
  enum Step: String, CaseIterable, Sendable {
    /// The change is applied in memory and not handed to the store.
    case beforeCommit
    /// The change is on disk, and no client has been told of it.
    case afterCommit
    /// The server has given patches and answers to the sockets.
    case afterTelling
  }

  var step: Step
  /// The number of the commit, counted from 1.
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

/// Ends the process at a crash point, and otherwise passes everything on to a store.
///
/// `@unchecked`: mutable state is behind a lock.
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
          // The loop handles its inbox in order and then flushes: work that is posted again comes after the flush.
          reply.poster.post { reply.poster.post { reply.poster.post { CrashPoint.die() } } }
        })
    }
  }
}

private final class SpotPoster: Poster {
  func post(_ work: @escaping @Sendable () -> Void) { work() }
}
