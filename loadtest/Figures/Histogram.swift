/// Durations in nanoseconds, with an error of at most 0.8 %, in constant memory.
struct Histogram {
  /// The logarithm of the buckets per power of two: a bucket is at most 1/128 as wide as its values.
  private static let bits = 7
  private static let steps = 1 << bits
  private var counts = [UInt64](repeating: 0, count: (64 - bits) * steps)
  private(set) var count: UInt64 = 0
  private(set) var largest: Int64 = 0

  mutating func record(_ nanoseconds: Int64) {
    let value = max(0, nanoseconds)
    counts[Self.bucket(of: UInt64(value))] += 1
    count += 1
    largest = max(largest, value)
  }

  mutating func clear() { self = Histogram() }

  /// The duration that the given share of all values does not exceed; 0 without values. Never too low, and at most 0.8
  /// % too high.
  func percentile(_ share: Double) -> Int64 {
    guard count > 0 else { return 0 }
    // A hundredth of a hundred must be one, despite rounding errors.
    let wanted = max(1, UInt64((Double(count) * share * (1 - 1e-12)).rounded(.up)))
    var sum: UInt64 = 0
    for (bucket, some) in counts.enumerated() {
      sum += some
      if sum >= wanted { return min(largest, Self.end(of: bucket)) }
    }
    return largest
  }

  /// Values below `steps` have a bucket each. Above, the bits after the leading one select one of as many buckets.
  private static func bucket(of value: UInt64) -> Int {
    guard value >= UInt64(steps) else { return Int(value) }
    let exponent = 63 - value.leadingZeroBitCount
    return (exponent - bits + 1) * steps + Int(value >> UInt64(exponent - bits)) - steps
  }

  /// The highest value of a bucket.
  private static func end(of bucket: Int) -> Int64 {
    guard bucket >= steps else { return Int64(bucket) }
    let exponent = bucket / steps + bits - 1
    let leading = UInt64(bucket % steps + steps + 1)
    let (end, overflow) = leading.multipliedReportingOverflow(by: 1 << UInt64(exponent - bits))
    return overflow ? .max : Int64(clamping: end - 1)
  }
}
