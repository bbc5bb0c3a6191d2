/// Moments by the clock, evenly spread: each is due whatever has become of those before it.
struct Pace {
  let startedAt: Int64
  let rate: Double
  /// How many moments were taken.
  private(set) var count = 0

  /// The next moment.
  var due: Int64 { startedAt + Int64(Double(count) * 1e9 / rate) }

  init(from startedAt: Int64, rate: Double) {
    self.startedAt = startedAt
    self.rate = rate
  }

  /// Takes the next moment, if it has come.
  mutating func take(at now: Int64) -> Int64? {
    let due = due
    guard due <= now else { return nil }
    count += 1
    return due
  }
}
