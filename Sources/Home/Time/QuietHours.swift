import Rooms

/// The time of each day in which a person wants to hear nothing: from one local time to another, also over midnight
/// (REM-4).
struct QuietHours {
  /// Minutes since midnight. If both are the same, no time is quiet.
  let from: Int
  let to: Int
  let zone: ZoneTime

  /// The end of the quiet hours in which an instant lies; `nil` if it lies in none.
  func end(at instant: Instant) -> Instant? {
    if from == to { return nil }
    let today = zone.day(at: instant)
    for first in [today.adding(-1), today] {
      let last = from < to ? first : first.adding(1)
      let end = zone.instant(last, minute: to)
      if zone.instant(first, minute: from) <= instant, instant < end { return end }
    }
    return nil
  }
}
