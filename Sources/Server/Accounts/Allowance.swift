import Rooms

/// Permits for an act: so many at once, and one more after each interval (a token bucket).
struct Allowance: Sendable {
  struct Limit: Sendable {
    /// Times at once.
    var times: Int
    /// The time after which one more is there.
    var refill: Duration
  }

  /// When all permits are there again.
  private(set) var fullAt = Duration.zero

  /// The time until the next permit; `nil` if there is one now.
  func wait(_ limit: Limit, at now: Duration) -> Duration? {
    let wait = max(fullAt, now) + limit.refill - now - limit.refill * limit.times
    return wait > .zero ? wait : nil
  }

  /// Takes one permit, also if there is none; the debt is never more than all permits.
  mutating func take(_ limit: Limit, at now: Duration) {
    fullAt = min(max(fullAt, now) + limit.refill, now + limit.refill * limit.times)
  }

  /// Gives one permit back.
  mutating func giveBack(_ limit: Limit) { fullAt -= limit.refill }
}
