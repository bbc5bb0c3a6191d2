/// Log rows that nobody needs any more, in runs that can be deleted at once.
///
/// Rows of many rooms lie between one another and die at different times. To delete one means to write its page anew,
/// so they are collected until most rows are dead, and then taken in the order of the log: each page once.
///
/// A value: whoever takes rows within a transaction keeps the old value and puts it back if the transaction fails.
struct DeadRows {
  struct Row {
    var position: Int64
    /// The number of the room that it belonged to.
    var room: Int64
  }

  /// In order; those before `taken` are gone.
  private var sorted: [Row]
  private var taken = 0
  private var unsorted: [Row] = []

  init(sorted: [Row] = []) {
    self.sorted = sorted
  }

  var count: Int { sorted.count - taken + unsorted.count }

  /// Whether there is something to take now, where `liveCount` rows are still needed.
  func isDue(beside liveCount: Int) -> Bool {
    sorted.count > taken || unsorted.count >= max(512, 2 * liveCount)
  }

  mutating func append(_ rows: [Row]) {
    unsorted += rows
  }

  /// Takes up to `limit` rows, as ranges of positions.
  mutating func take(_ limit: Int) -> [ClosedRange<Int64>] {
    if taken == sorted.count {
      sorted = unsorted.sorted { $0.position < $1.position }
      unsorted = []
      taken = 0
    }
    let end = min(sorted.count, taken + limit)
    defer { taken = end }
    return Self.ranges(of: sorted[taken..<end])
  }

  /// Takes all rows of a room.
  mutating func take(of room: Int64) -> [ClosedRange<Int64>] {
    let rows = (sorted[taken...] + unsorted).filter { $0.room == room }
    guard !rows.isEmpty else { return [] }
    sorted = sorted[taken...].filter { $0.room != room }
    taken = 0
    unsorted.removeAll { $0.room == room }
    return Self.ranges(of: rows.sorted { $0.position < $1.position }[...])
  }

  private static func ranges(of rows: ArraySlice<Row>) -> [ClosedRange<Int64>] {
    var ranges: [ClosedRange<Int64>] = []
    for row in rows {
      if let last = ranges.last, row.position <= last.upperBound + 1 {
        ranges[ranges.count - 1] = last.lowerBound...row.position
      } else {
        ranges.append(row.position...row.position)
      }
    }
    return ranges
  }
}
