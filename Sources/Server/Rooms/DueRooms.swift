import Platform
import Rooms

/// Loads rooms that are not in memory before they are due.
final class DueRooms {
  private unowned let shard: Shard
  private let loop: any Loop

  init(_ shard: Shard) {
    self.shard = shard
    loop = shard.loop
  }

  /// Loads rooms that are not in memory and are due soon.
  func wake() {
    shard.services.store.due(
      before: loop.now + .seconds(60), limit: 1000,
      reply: Reply(on: loop.poster) { [unowned self] result in
        guard case .success(let found) = result else { return }
        for due in found where shard.shards.home(of: due.room) == shard.index {
          if shard.rooms.seat(of: due.room) == nil { shard.rooms.withSeat(due.room) { _ in } }
        }
      })
  }
}
