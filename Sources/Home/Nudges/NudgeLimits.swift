import Rooms

/// How often a member may remind another one of something (REM-3): a rule on moments, which knows no clock.
struct NudgeLimits {
  /// A reminder that a member has sent.
  struct Sent: Equatable {
    var to: ID<Person>
    var kind: NudgeKind
    var at: Instant
  }

  /// The sender's reminders of the last week, in any order.
  var sent: [Sent]

  /// The time until the sender may remind a person of something of this kind; `nil` if they may now.
  func wait(toRemind person: ID<Person>, of kind: NudgeKind, at now: Instant) -> Duration? {
    let alike = sent.filter { $0.to == person && $0.kind == kind }.map(\.at)
    let ends = [
      Self.end(of: alike, atMost: 1, in: Limits.nudgeDay), Self.end(of: alike, atMost: 3, in: Limits.nudgeWeek),
      Self.end(of: sent.map(\.at), atMost: Limits.nudgesPerDay, in: Limits.nudgeDay),
    ]
    return ends.compactMap { $0 }.max().flatMap { $0 > now ? $0 - now : nil }
  }

  /// When there is room for one more: as soon as the oldest of the newest `count` is out of the window.
  private static func end(of moments: [Instant], atMost count: Int, in window: Duration) -> Instant? {
    let newest = moments.sorted().suffix(count)
    return newest.count < count ? nil : newest.first.map { $0 + window }
  }
}

/// The subject of a reminder from one member to another.
enum NudgeKind: String, Word, MapKey {
  case chore, debt
}
