import JSON
import Rooms

/// A day of the calendar, `YYYY-MM-DD`, in some zone: pure arithmetic on the Gregorian calendar.
///
/// `ZoneTime` says which instants it has.
struct LocalDay: Field, Comparable, Hashable {
  /// Days since 1970-01-01; `nil` for a day that was not told.
  private(set) var number: Int?

  init() {}

  init(number: Int) { self.number = number }

  /// - Parameter day: If the month is shorter, its last day is meant.
  init(year: Int, month: Int, day: Int) {
    self.init(number: Self.number(year, month, min(day, Self.length(ofMonth: month, year))))
  }

  static func read(_ view: View?, _ problems: Problems) -> Self? {
    guard let text = String.read(view, problems) else { return nil }
    guard let day = LocalDay(text) else {
      problems.note("must be a day such as 2026-05-31")
      return nil
    }
    return day
  }

  init?(_ text: String) {
    guard text.utf8.count == 10, let instant = Instant("\(text)T00:00:00Z") else { return nil }
    self.init(number: Int(instant.milliseconds / 86_400_000))
  }

  var text: String {
    guard let number else { return "" }
    return String(Instant(milliseconds: Int64(number) * 86_400_000).description.prefix(10))
  }

  func write(to writer: Writer) { text.write(to: writer) }

  static func schema(_ limit: ClosedRange<Int>?) -> JSON { ["type": "string", "format": "date"] }

  static func < (left: Self, right: Self) -> Bool { (left.number ?? .min) < (right.number ?? .min) }

  /// The day so many days later, or earlier.
  func adding(_ days: Int) -> LocalDay { LocalDay(number: (number ?? 0) + days) }

  /// The days from this one to another.
  func days(to other: LocalDay) -> Int { (other.number ?? 0) - (number ?? 0) }

  // MARK: the calendar

  var year: Int { parts.year }
  /// 1 to 12.
  var month: Int { parts.month }
  /// 1 to 31.
  var day: Int { parts.day }

  /// The date, by counting from 1 March: then the leap day is the last of its year.
  ///
  /// An era is 400 years, after which the calendar repeats: 146,097 days. The numbers are those of Howard Hinnant's
  /// "chrono-compatible low-level date algorithms".
  var parts: (year: Int, month: Int, day: Int) {
    let shifted = (number ?? 0) + 719_468
    let era = shifted.floored(by: 146_097)
    let ofEra = shifted - era * 146_097
    let yearOfEra = (ofEra - ofEra / 1460 + ofEra / 36_524 - ofEra / 146_096) / 365
    let ofYear = ofEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let fromMarch = (5 * ofYear + 2) / 153
    let month = fromMarch < 10 ? fromMarch + 3 : fromMarch - 9
    let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    return (year, month, ofYear - (153 * fromMarch + 2) / 5 + 1)
  }

  private static func number(_ year: Int, _ month: Int, _ day: Int) -> Int {
    let year = month <= 2 ? year - 1 : year
    let era = year.floored(by: 400)
    let yearOfEra = year - era * 400
    let ofYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
    return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + ofYear - 719_468
  }

  static func length(ofMonth month: Int, _ year: Int) -> Int {
    switch month {
    case 2: year.isMultiple(of: 4) && !year.isMultiple(of: 100) || year.isMultiple(of: 400) ? 29 : 28
    case 4, 6, 9, 11: 30
    default: 31
    }
  }

  /// Months since January of the year 0.
  var monthNumber: Int { year * 12 + month - 1 }

  /// A day of the month with this number, or its last day if it is shorter.
  init(monthNumber: Int, day: Int) {
    let year = monthNumber.floored(by: 12)
    self.init(year: year, month: monthNumber - year * 12 + 1, day: day)
  }

  var weekday: Weekday { Weekday(index: ((number ?? 0) + 3).remainder(by: 7)) }

  /// The Monday of this day's week.
  var monday: LocalDay { adding(-weekday.index) }

  /// The week of ISO 8601 §3.1.1.23: week 1 has the year's first Thursday.
  var isoWeek: (year: Int, week: Int) {
    let thursday = monday.adding(3)
    return (thursday.year, (LocalDay(year: thursday.year, month: 1, day: 1).days(to: thursday)) / 7 + 1)
  }
}

extension LocalDay: MapKey {
  init?(key: View) {
    guard let text = key.string else { return nil }
    self.init(text)
  }

  func writeKey(to writer: Writer) { writer.key(text) }
}

/// A day of the week, from Monday on as in ISO 8601.
enum Weekday: String, Word, MapKey {
  case monday, tuesday, wednesday, thursday, friday, saturday, sunday

  /// 0 for Monday.
  var index: Int { Self.allCases.firstIndex(of: self) ?? 0 }

  init(index: Int) { self = Self.allCases[index] }
}

extension Int {
  /// The quotient, rounded down.
  func floored(by divisor: Int) -> Int { self >= 0 ? self / divisor : -((-self + divisor - 1) / divisor) }

  /// The remainder of `floored`: 0 or more.
  func remainder(by divisor: Int) -> Int { self - floored(by: divisor) * divisor }
}
