import Foundation
import Rooms

/// The clocks of a time zone: which instant a local time is, and which day an instant is in.
///
/// The one file that knows zones (DESIGN): the system library has their rules.
struct ZoneTime {
  /// The version of the zone data, such as 2026a.
  static let dataVersion = TimeZone.timeZoneDataVersion

  private let zone: TimeZone

  /// - Parameter name: A name of the IANA time zone database.
  init(_ name: String) { zone = TimeZone(identifier: name) ?? .gmt }

  /// Seconds by which clocks are ahead of UTC.
  private func offset(at seconds: Int) -> Int {
    zone.secondsFromGMT(for: Date(timeIntervalSince1970: Double(seconds)))
  }

  /// The local day at an instant.
  func day(at instant: Instant) -> LocalDay { local(instant).day }

  /// The local day and the minutes since its midnight, by the clock on the wall.
  func local(_ instant: Instant) -> (day: LocalDay, minute: Int) {
    let seconds = Int(instant.milliseconds).floored(by: 1000)
    let local = seconds + offset(at: seconds)
    return (LocalDay(number: local.floored(by: 86_400)), local.remainder(by: 86_400) / 60)
  }

  /// The instant of a local time.
  ///
  /// If clocks skip the time, it is the first valid minute after it; if they show it twice, the first of both (R-REC).
  ///
  /// - Parameter minute: Minutes since midnight by the clock on the wall; 1,440 is the next midnight.
  func instant(_ day: LocalDay, minute: Int = 0) -> Instant {
    let wall = (day.number ?? 0) * 86_400 + minute * 60
    // No zone has two changes within two days.
    let (before, after) = (offset(at: wall - 86_400), offset(at: wall + 86_400))
    let times = [wall - max(before, after), wall - min(before, after)]
    let seconds = times.first { $0 + offset(at: $0) == wall } ?? change(between: times[0], and: times[1])
    return Instant(milliseconds: Int64(seconds) * 1000)
  }

  /// The first second after the only change of clocks in a time, on a full minute.
  private func change(between start: Int, and end: Int) -> Int {
    let change = exactChange(between: start, and: end)
    let local = change + offset(at: change)
    return change + (60 - local.remainder(by: 60)).remainder(by: 60)
  }

  /// The first second after the only change of clocks in a time.
  private func exactChange(between start: Int, and end: Int) -> Int {
    let old = offset(at: start)
    var (low, high) = (start, end)
    while high - low > 1 {
      let middle = (low + high) / 2
      if offset(at: middle) == old { low = middle } else { high = middle }
    }
    return high
  }

  /// Seconds by which clocks are ahead of UTC at the midnight of UTC that begins a day.
  func offset(on day: LocalDay) -> Int { offset(at: (day.number ?? 0) * 86_400) }

  /// The changes of the clocks from the midnight of UTC that begins one day to that of another, in order.
  func changes(from first: LocalDay, to last: LocalDay) -> [ClockChange] {
    // No zone has two changes in a week.
    let weeks = max(first.days(to: last), 0) / 7
    var (start, before) = ((first.number ?? 0) * 86_400, offset(on: first))
    var changes: [ClockChange] = []
    for _ in 0..<weeks {
      let end = start + 7 * 86_400
      let after = offset(at: end)
      if after != before {
        changes.append(ClockChange(second: exactChange(between: start, and: end), before: before, after: after))
      }
      (start, before) = (end, after)
    }
    return changes
  }

  /// The first instant after a day, whatever the clocks do in that night.
  func end(of day: LocalDay) -> Instant { instant(day.adding(1)) }
}

/// A moment at which the clocks of a zone are changed.
struct ClockChange: Equatable {
  /// Seconds since 1970.
  let second: Int
  /// Seconds by which clocks are ahead of UTC until then, and from then on.
  let before: Int
  let after: Int

  /// The seconds since 1970-01-01 that clocks on the wall skip, or show twice.
  var wall: Range<Int> { second + min(before, after)..<second + max(before, after) }
  var skips: Bool { after > before }
}
