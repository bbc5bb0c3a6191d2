/// How long to wait before connecting again, so that a server that comes back is not run over by all its clients at
/// once: a random time up to a limit that doubles with each failure ("full jitter").
public struct Backoff: Sendable, Equatable {
  /// The most that is waited after the first failure.
  public var base: Duration = .milliseconds(500)
  /// The most that is ever waited.
  public var cap: Duration = .seconds(30)
  /// A connection that has lasted this long was a good one: after it, counting begins anew.
  public var stableAfter: Duration = .seconds(10)
  /// Failures since the last good connection.
  public private(set) var failures = 0

  public init() {}

  /// The most that is waited after the next failure.
  public var ceiling: Duration {
    var ceiling = base
    for _ in 0..<failures where ceiling < cap { ceiling *= 2 }
    return min(ceiling, cap)
  }

  /// The time to wait after a failure. `unit` is drawn evenly from 0..<1.
  public mutating func next(unit: Double) -> Duration {
    defer { failures += 1 }
    return ceiling * unit
  }

  public mutating func reset() { failures = 0 }
}
