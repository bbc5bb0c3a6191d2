/// The delay before a reconnection: a random time up to a limit that doubles with each failure ("full jitter").
///
/// It keeps clients from connecting all at once when a server is back.
public struct Backoff: Sendable, Equatable {
  /// The longest delay after the first failure.
  public var base: Duration = .milliseconds(500)
  /// The longest delay after any number of failures.
  public var cap: Duration = .seconds(30)
  /// A connection that lasted this long resets the count of failures.
  public var stableAfter: Duration = .seconds(10)
  /// Failures since the last stable connection.
  public private(set) var failures = 0

  public init() {}

  /// The longest delay after the next failure.
  public var ceiling: Duration {
    var ceiling = base
    for _ in 0..<failures where ceiling < cap { ceiling *= 2 }
    return min(ceiling, cap)
  }

  /// The delay after a failure. `unit` is random, uniform in 0..<1.
  public mutating func next(unit: Double) -> Duration {
    defer { failures += 1 }
    return ceiling * unit
  }

  /// Starts again with the shortest delay.
  public mutating func reset() { failures = 0 }
}
