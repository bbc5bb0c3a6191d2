import Rooms

/// The best times for something that several people do together (CHO-22): those at which most of them can come, and of
/// these the first.
///
/// Each comes for as long as they need, from the beginning on. Times begin at quarters of an hour.
struct SlotSearch {
  struct Participant {
    var id: ID<Person>
    var needed: Duration
    /// In any order; they may overlap.
    var busy: [TimeSpan]

    func canCome(at start: Instant) -> Bool {
      let time = TimeSpan(from: start, to: start + needed)
      return !busy.contains { $0.overlaps(time) }
    }
  }

  static let step = Duration.seconds(15 * 60)

  var window: TimeSpan
  var people: [Participant]

  private var duration: Duration { people.map(\.needed).max() ?? .zero }

  /// The number of the first quarter since 1970 at which it can begin, and of the first at which it cannot.
  private var quarters: Range<Int> {
    let first = Self.quarter(notBefore: window.from)
    let last = Int((window.to - duration).milliseconds).floored(by: Int(Self.step.milliseconds))
    return people.isEmpty ? 0..<0 : first..<max(first, last + 1)
  }

  private static func quarter(notBefore instant: Instant) -> Int {
    -Int(-instant.milliseconds).floored(by: Int(step.milliseconds))
  }

  private static func instant(_ quarter: Int) -> Instant {
    Instant(milliseconds: Int64(quarter) * step.milliseconds)
  }

  /// Whether it can begin at an instant at all.
  func isPossible(_ start: Instant) -> Bool {
    let quarter = Self.quarter(notBefore: start)
    return Self.instant(quarter) == start && quarters.contains(quarter)
  }

  /// The number of people who can come at each quarter.
  ///
  /// A busy time hinders a person who needs m minutes from m before it on until its end. Each person is counted once,
  /// whatever their busy times overlap.
  private func counts() -> [Int] {
    let quarters = quarters
    var counts = Array(repeating: people.count, count: quarters.count)
    for person in people {
      var free = quarters.lowerBound
      for time in person.busy.sorted(by: { ($0.from, $0.to) < ($1.from, $1.to) }) {
        // A person who ends when the busy time begins can come.
        let first = Self.quarter(notBefore: time.from - person.needed + .milliseconds(1))
        let end = min(Self.quarter(notBefore: time.to), quarters.upperBound)
        for quarter in max(first, free)..<max(first, free, end) { counts[quarter - quarters.lowerBound] -= 1 }
        free = max(free, end)
      }
    }
    return counts
  }

  /// The best times, in order; none if nobody can ever come.
  ///
  /// - Parameter isAllowed: Whether it may begin at an instant. It is asked about the best ones first.
  func best(_ limit: Int, where isAllowed: (Instant) -> Bool) -> [Instant] {
    let counts = counts()
    var found: [Instant] = []
    for count in Set(counts).sorted(by: >) where count > 0 {
      for (index, number) in counts.enumerated() where number == count && found.count < limit {
        let start = Self.instant(quarters.lowerBound + index)
        if isAllowed(start) { found.append(start) }
      }
      if !found.isEmpty { break }
    }
    return found
  }
}
