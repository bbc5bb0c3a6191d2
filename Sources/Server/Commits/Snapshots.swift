import Platform
import Rooms

/// Snapshots rooms without a change: before they leave memory, and when their entries are old.
final class Snapshots {
  private let link: ShardLink
  private var shard: Shard { link.shard }
  private let loop: any Loop
  /// Rooms that are to be snapshotted because their oldest entry is old.
  private var aging: ArraySlice<Seat> = []

  init(_ link: ShardLink) {
    self.link = link
    loop = link.loop
  }

  /// Snapshots rooms whose log has not been snapshotted for a while, so that the store can drop their entries.
  func snapshotOldRooms() {
    // The previous round is not finished.
    guard aging.isEmpty else { return }
    let limit = shard.configuration.snapshotAge
    aging = shard.rooms.all.filter { $0.unsnapshottedSince.map { loop.uptime - $0 >= limit } ?? false }[...]
    snapshotSome()
  }

  /// A few at a time: thousands may have grown old together, and all other work would wait for them.
  private func snapshotSome() {
    for seat in aging.prefix(Self.perTurn) where shard.rooms.holds(seat) { snapshot(seat) }
    aging = aging.dropFirst(Self.perTurn)
    if aging.isEmpty { return }
    loop.schedule(after: .milliseconds(10)) { [weak reference = shard.reference] in
      reference?.shard.commits.snapshots.snapshotSome()
    }
  }

  private static let perTurn = 16

  /// Snapshots a room of which nothing is on its way to the disk.
  func snapshot(_ seat: Seat) {
    guard let room = seat.room, seat.open == nil, seat.flying == nil, !room.hasUnsealedChanges else { return }
    var commit = RoomCommit(room: seat.id, expectedVersion: room.version, version: room.version)
    let snapshot = room.snapshot(at: loop.now)
    commit.add(snapshot)
    seat.unsnapshottedSince = nil
    let log = shard.services.log
    shard.services.store.commit(
      [commit],
      reply: Reply(on: loop.poster) { result in
        guard case .failure(let error) = result else { return room.noteStored(snapshot.segment) }
        log(.warning, "snapshot.failed", ["room": "\(seat.id.text)", "why": "\(error)"])
      })
  }
}
