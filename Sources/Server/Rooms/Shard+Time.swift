import Platform
import Rooms

/// The time in a room. Due times are wall-clock instants, but a share measures silence, its cap and the age of a
/// position: a clock that is set must neither end it nor hide its sharer's silence (R-LOC, R-031).
extension Shard {
  /// The time for a turn of the room: elapsed time since the room was loaded in a share, the wall clock in all others.
  func time(in seat: Seat) -> Instant { seat.clock?.now(at: loop.uptime) ?? loop.now }

  /// Starts the clock of a room that has just been loaded or made. If the wall clock was set back while the room was
  /// not in memory, its last change says what time it was at least.
  func startClock(of seat: Seat, _ room: Room) {
    guard case .share = seat.id else { return }
    seat.clock = SteadyClock(max(loop.now, room.changedAt), at: loop.uptime)
  }
}
