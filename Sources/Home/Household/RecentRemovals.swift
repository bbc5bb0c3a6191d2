import JSON
import Rooms

/// The things that a person has removed in the last day, counted by the hour (R-DEL).
///
/// An hour counts until a day after its end. So nobody removes more than the limit in any 24 hours, and a row has at
/// most 25 numbers, however many things there were.
struct RecentRemovals: Record {
  /// The hours in which something was removed, since 1970 and in order, and the number of things in each.
  var hours: [Int] = []
  var counts: [Int] = []

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("hours", \.hours)
    field("counts", \.counts)
  }

  private static let day = 24

  private static func hour(_ instant: Instant) -> Int { Int(instant.milliseconds).floored(by: 3_600_000) }

  /// Whether nothing of it counts any longer.
  func isOver(at now: Instant) -> Bool { hours.allSatisfy { $0 + Self.day < Self.hour(now) } }

  /// Counts some more.
  mutating func add(_ count: Int = 1, at now: Instant) {
    let hour = Self.hour(now)
    // Hours that are still to come are of a clock that was set back.
    let kept = hours.indices.filter { hour - Self.day <= hours[$0] && hours[$0] <= hour }
    if kept.count < hours.count { (hours, counts) = (kept.map { hours[$0] }, kept.map { counts[$0] }) }
    if hours.last == hour {
      counts[counts.count - 1] += count
    } else {
      hours.append(hour)
      counts.append(count)
    }
  }

  /// The time until so many hours are over that the rest is within the limit; `nil` if it is so now.
  ///
  /// If the newest were counted by a call that is refused, this is when the call is taken.
  func wait(at now: Instant) -> Duration? {
    var excess = counts.reduce(0, +) - Limits.removalsPerDay
    if excess <= 0 { return nil }
    for (hour, count) in zip(hours, counts) {
      excess -= count
      if excess <= 0 { return Instant(milliseconds: Int64(hour + Self.day + 1) * 3_600_000) - now }
    }
    return nil
  }
}

extension RemembersIDs {
  /// Remembers the id of a thing that is removed; if a person does it, it counts among what they may remove in a day.
  ///
  /// A thing that expires, is pushed out or ends is not removed: `forget(_:at:)` is for that.
  mutating func forget<Of>(_ id: ID<Of>, in context: Context) {
    forget(id, at: context.now)
    countRemoval(in: context)
  }

  /// Counts a thing that the caller removes and that has no id of its own.
  mutating func countRemoval(in context: Context) {
    guard let person = context.caller else { return }
    var recent = ids.removals[person] ?? RecentRemovals()
    recent.add(at: context.now)
    ids.removals[person] = recent
  }

  /// Counts the caller's removals as before: what goes with a member, or with a household, is nobody's removal.
  mutating func uncountRemovals(to before: RecentRemovals?, in context: Context) {
    if ids.removals[context.person] != before { ids.removals[context.person] = before }
  }

  /// Refuses a call by which the caller has removed more than a person may in a day.
  mutating func approve(in context: Context) throws(Refusal) {
    guard ids.removals.isTouchedByMutation, let wait = ids.removals[context.person]?.wait(at: context.now) else {
      return
    }
    let text = "Nobody removes more than \(Limits.removalsPerDay) things a day."
    throw Refusal(.rateLimited, "removals", text).temporary(after: wait)
  }
}
