public import Rooms

/// Wall-clock time that goes on by elapsed time from one instant: setting the system's clock does not move it.
///
/// It measures silence, caps and ages. Due times follow `Loop.now`.
public struct SteadyClock {
  private let start: Instant
  private let uptime: Duration

  /// A clock that shows `start` at a loop's `uptime`.
  public init(_ start: Instant, at uptime: Duration) {
    self.start = start
    self.uptime = uptime
  }

  /// The time at a later `uptime` of the same loop.
  public func now(at uptime: Duration) -> Instant { start + (uptime - self.uptime) }
}
