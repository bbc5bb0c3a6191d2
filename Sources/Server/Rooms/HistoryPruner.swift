import Platform
import Rooms

/// Removes records of history whose lifetime is over (`HistoryKind.lifetime`), a page at a time. One shard does it for
/// the rooms of all.
final class HistoryPruner {
  private let link: ShardLink
  private var shard: Shard { link.shard }
  private let loop: any Loop
  private var isPruning = false

  /// Seconds from one round to the next.
  private static let interval = 3600
  /// Records that are removed in one transaction.
  private static let page = 500

  init(_ link: ShardLink) {
    self.link = link
    loop = link.loop
  }

  func everySecond(_ second: Int) {
    if second % Self.interval == 0 { start() }
  }

  /// Begins a round, unless one is running.
  func start() {
    guard link.index == 0, !isPruning else { return }
    isPruning = true
    prune(shard.methods.history.filter { $0.lifetime != nil }[...])
  }

  private func prune(_ kinds: ArraySlice<HistoryKind>) {
    guard let kind = kinds.first, let lifetime = kind.lifetime, !shard.isLeaving else {
      isPruning = false
      return
    }
    link.services.store.prune(
      history: kind.name, before: loop.now - lifetime, limit: Self.page,
      reply: Reply(on: loop.poster) { [unowned self] result in
        switch result {
        // Other writers get their turn between two pages.
        case .success(Self.page): prune(kinds)
        case .success: prune(kinds.dropFirst())
        case .failure(let error):
          link.services.log(.warning, "pruning.failed", ["kind": "\(kind.name)", "why": "\(error)"])
          isPruning = false
        }
      })
  }
}
