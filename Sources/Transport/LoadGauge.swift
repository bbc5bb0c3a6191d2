/// The share of time in which a loop is busy, over the last twentieth of a second, or over the last wait if that was
/// longer.
struct LoadGauge {
  /// 0 to 1.
  private(set) var load = 0.0
  private var busy: Int64 = 0
  private var windowStart: Int64 = 0

  /// Long enough to hold many batches, short enough to notice a burst that lasts.
  static let window: Int64 = 50_000_000

  /// Counts work between two times in nanoseconds. The time before `start` was idle.
  mutating func note(from start: Int64, to end: Int64) {
    busy += max(0, end - start)
    let elapsed = end - windowStart
    guard elapsed >= Self.window else { return }
    load = min(1, Double(busy) / Double(elapsed))
    busy = 0
    windowStart = end
  }
}
