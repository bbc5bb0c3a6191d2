import Foundation
import JSON
import Rooms

/// A day, `YYYY-MM-DD`, in the zone of a household.
///
/// The one file with calendar arithmetic (DESIGN §5): the system library knows the rules of the zones.
struct LocalDay: Field, Comparable {
  var text = ""

  static func read(_ view: View?, _ problems: Problems) -> Self? {
    guard let text = String.read(view, problems) else { return nil }
    guard text.utf8.count == 10, Instant("\(text)T00:00:00Z") != nil else {
      problems.note("must be a day such as 2026-05-31")
      return nil
    }
    return LocalDay(text: text)
  }

  func write(to writer: Writer) { text.write(to: writer) }

  static func schema(_ limit: ClosedRange<Int>?) -> JSON { ["type": "string", "format": "date"] }

  static func < (left: Self, right: Self) -> Bool { left.text.utf8.lexicographicallyPrecedes(right.text.utf8) }

  /// The day in a zone at an instant.
  static func day(at instant: Instant, in zone: String) -> LocalDay {
    let offset = timeZone(zone).secondsFromGMT(for: date(instant))
    return LocalDay(text: String((instant + .seconds(offset)).description.prefix(10)))
  }

  /// The day so many days later.
  func adding(_ days: Int) -> LocalDay {
    LocalDay(text: String((start + .seconds(86_400 * days)).description.prefix(10)))
  }

  /// The first instant after the day in a zone, whatever its clocks do in that night.
  func end(in zone: String) -> Instant {
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = Self.timeZone(zone)
    let noon = adding(1).start + .seconds(12 * 3600)
    let localNoon = noon - .seconds(calendar.timeZone.secondsFromGMT(for: Self.date(noon)))
    let midnight = calendar.startOfDay(for: Self.date(localNoon))
    return Instant(milliseconds: Int64((midnight.timeIntervalSince1970 * 1000).rounded()))
  }

  /// Midnight in UTC.
  private var start: Instant { Instant("\(text)T00:00:00Z") ?? Instant() }

  private static func timeZone(_ name: String) -> TimeZone { TimeZone(identifier: name) ?? .gmt }

  private static func date(_ instant: Instant) -> Date {
    Date(timeIntervalSince1970: Double(instant.milliseconds) / 1000)
  }
}
