/// Log rows that nobody needs any more, in runs that can be deleted at once.
///
/// A value: whoever takes rows within a transaction keeps the old value and puts it back if the transaction fails.
struct DeadRows {
  /// In order; those before `taken` are gone.
  private var sorted: [Int64]
  private var taken = 0
  private var unsorted: [Int64] = []

  init(sorted: [Int64] = []) {
    self.sorted = sorted
  }

  var count: Int { sorted.count - taken + unsorted.count }

  mutating func append(_ positions: [Int64]) {
    unsorted += positions
  }

  /// Takes up to `limit` rows, as ranges of positions.
  mutating func take(_ limit: Int) -> [ClosedRange<Int64>] {
    if taken == sorted.count {
      sorted = unsorted.sorted()
      unsorted = []
      taken = 0
    }
    var ranges: [ClosedRange<Int64>] = []
    let end = min(sorted.count, taken + limit)
    while taken < end {
      let first = sorted[taken]
      var last = first
      taken += 1
      while taken < end, sorted[taken] <= last + 1 {
        last = sorted[taken]
        taken += 1
      }
      ranges.append(first...last)
    }
    return ranges
  }
}
