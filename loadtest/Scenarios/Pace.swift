/// Evenly spaced points in time, each due regardless of the ones before it.
struct Pace {
  let startedAt: Int64
  let rate: Double
  /// The number of points taken.
  private(set) var count = 0

  /// The next point in time.
  var due: Int64 { startedAt + Int64(Double(count) * 1e9 / rate) }

  init(from startedAt: Int64, rate: Double) {
    self.startedAt = startedAt
    self.rate = rate
  }

  /// Takes the next point if it has passed.
  mutating func take(at now: Int64) -> Int64? {
    let due = due
    guard due <= now else { return nil }
    count += 1
    return due
  }
}
