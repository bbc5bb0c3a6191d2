import JSON
import Rooms

/// A date of birth, `YYYY-MM-DD`, from 1900 on.
struct BirthDate: Field {
  var text = ""

  static func read(_ view: View?, _ problems: Problems) -> Self? {
    guard let text = String.read(view, problems) else { return nil }
    return BirthDate(checking: text, problems)
  }

  init(_ text: String = "") { self.text = text }

  /// Reads a date; if it is invalid, notes the problem and returns `nil`.
  init?(checking text: String, _ problems: Problems) {
    guard text.utf8.count == 10, text >= "1900-01-01", Instant("\(text)T00:00:00Z") != nil else {
      problems.note("must be a date such as 1990-05-31, from 1900 on")
      return nil
    }
    self.text = text
  }

  func write(to writer: Writer) { text.write(to: writer) }

  static func schema(_ limit: ClosedRange<Int>?) -> JSON { ["type": "string", "format": "date"] }

  /// The problem with a date that `isPast` refuses.
  static let futureText = "must not be in the future"

  /// Whether the day has begun somewhere on Earth.
  func isPast(at now: Instant) -> Bool {
    guard let day = Instant("\(text)T00:00:00Z") else { return false }
    return day <= now + .seconds(14 * 3600)
  }
}
