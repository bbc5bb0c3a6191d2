/// Durations in nanoseconds, each kept to within 1.6 %, in constant memory.
struct Histogram {
  /// Buckets per power of two.
  private static let steps = 64
  private var counts = [UInt64](repeating: 0, count: 64 * steps)
  private(set) var count: UInt64 = 0
  private(set) var largest: Int64 = 0

  mutating func record(_ nanoseconds: Int64) {
    let value = max(0, nanoseconds)
    counts[Self.bucket(of: UInt64(value))] += 1
    count += 1
    largest = max(largest, value)
  }

  mutating func clear() { self = Histogram() }

  /// The duration that this share of all does not pass, 0 if there are none.
  func percentile(_ share: Double) -> Int64 {
    guard count > 0 else { return 0 }
    let wanted = max(1, UInt64((Double(count) * share).rounded(.up)))
    var sum: UInt64 = 0
    for (bucket, some) in counts.enumerated() {
      sum += some
      if sum >= wanted { return min(largest, Self.end(of: bucket)) }
    }
    return largest
  }

  /// Values below 64 have a bucket each; above, the six bits behind the leading one choose among 64.
  private static func bucket(of value: UInt64) -> Int {
    guard value >= UInt64(steps) else { return Int(value) }
    let exponent = 63 - value.leadingZeroBitCount
    return (exponent - 5) * steps + Int(value >> UInt64(exponent - 6)) - steps
  }

  private static func end(of bucket: Int) -> Int64 {
    guard bucket >= steps else { return Int64(bucket) }
    let exponent = bucket / steps + 5
    let leading = UInt64(bucket % steps + steps + 1)
    return Int64(clamping: (leading << UInt64(exponent - 6)) - 1)
  }
}
