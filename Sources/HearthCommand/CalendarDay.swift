import Foundation
import Rooms

/// A day of the calendar.
struct CalendarDay: Comparable {
  private let start: Instant

  private init(start: Instant) { self.start = start }

  init?(_ text: String) {
    guard text.utf8.count == 10, let start = Instant("\(text)T00:00:00Z") else { return nil }
    self.init(start: start)
  }

  /// The day at an instant by the clocks of a zone.
  init(at instant: Instant, in zone: String) {
    let date = Date(timeIntervalSince1970: Double(instant.milliseconds) / 1000)
    let ahead = TimeZone(identifier: zone)?.secondsFromGMT(for: date) ?? 0
    let local = instant + .seconds(ahead)
    self.init(start: local - .milliseconds(local.milliseconds % 86_400_000))
  }

  var text: String { String(start.description.prefix(10)) }

  func adding(_ days: Int) -> CalendarDay { CalendarDay(start: start + .seconds(days * 86_400)) }

  static func < (left: Self, right: Self) -> Bool { left.start < right.start }
}
