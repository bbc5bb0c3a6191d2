import JSON
import Rooms

/// The start or the end of an event: a day, or a time of a day, by the household's clocks.
///
/// Not an instant: what happens at seven in the evening does so whatever the clocks do until then (HH-18), and each
/// time that it repeats.
struct EventTime: Field, Comparable {
  var day = LocalDay()
  /// Minutes since midnight; `nil` for the whole day.
  var minute: Int?

  static func read(_ view: View?, _ problems: Problems) -> Self? {
    guard let text = String.read(view, problems) else { return nil }
    guard let time = EventTime(text) else {
      problems.note("must be a day such as 2026-05-31, or a time of one such as 2026-05-31T18:00")
      return nil
    }
    return time
  }

  init(day: LocalDay = LocalDay(), minute: Int? = nil) {
    self.day = day
    self.minute = minute
  }

  init?(_ text: String) {
    guard let day = LocalDay(String(text.prefix(10))) else { return nil }
    self.init(day: day)
    if text.utf8.count == 10 { return }
    guard text.utf8.count == 16, let instant = Instant("\(text):00Z") else { return nil }
    minute = Int((instant - Instant(milliseconds: Int64(day.number ?? 0) * 86_400_000)).milliseconds / 60_000)
  }

  var text: String {
    guard let minute else { return day.text }
    func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
    return "\(day.text)T\(two(minute / 60)):\(two(minute % 60))"
  }

  func write(to writer: Writer) { text.write(to: writer) }

  static func schema(_ limit: ClosedRange<Int>?) -> JSON {
    ["type": "string", "pattern": "^[0-9]{4}-[0-9]{2}-[0-9]{2}(T([01][0-9]|2[0-3]):[0-5][0-9])?$"]
  }

  static func < (left: Self, right: Self) -> Bool {
    (left.day, left.minute ?? 0) < (right.day, right.minute ?? 0)
  }
}
