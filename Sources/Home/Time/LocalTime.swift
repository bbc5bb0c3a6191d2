import JSON
import Rooms

/// A time of day, `HH:MM`, in some zone.
struct LocalTime: Field {
  var text: String

  static func read(_ view: View?, _ problems: Problems) -> Self? {
    guard let text = String.read(view, problems) else { return nil }
    guard text.utf8.count == 5, Instant("2000-01-01T\(text):00Z") != nil else {
      problems.note("must be a time of day such as 18:00")
      return nil
    }
    return LocalTime(text: text)
  }

  init(text: String = "00:00") { self.text = text }

  init(minute: Int) {
    func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
    text = "\(two(minute / 60)):\(two(minute % 60))"
  }

  /// Minutes since midnight.
  var minute: Int { (Int(text.prefix(2)) ?? 0) * 60 + (Int(text.suffix(2)) ?? 0) }

  func write(to writer: Writer) { text.write(to: writer) }

  static func schema(_ limit: ClosedRange<Int>?) -> JSON {
    ["type": "string", "pattern": "^([01][0-9]|2[0-3]):[0-5][0-9]$"]
  }
}
