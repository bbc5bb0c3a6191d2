import Rooms

/// A text in the format of RFC 5545: lines of at most 75 bytes that end in CR LF.
///
/// It knows the format only; what is in a calendar, and when, is told by CalendarEntry.
struct ICalendar {
  /// RFC 5545 §3.1.
  private static let lineLength = 75

  private(set) var bytes: [UInt8] = []

  /// Writes a line. Longer ones are folded between characters, never within the bytes of one.
  ///
  /// - Parameters:
  ///   - name: The name of a property with its parameters.
  ///   - value: A value in its written form.
  mutating func line(_ name: String, _ value: String) {
    var left = Self.lineLength
    for scalar in "\(name):\(value)".unicodeScalars {
      let encoded = UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter
      if encoded.count > left {
        bytes += "\r\n ".utf8
        left = Self.lineLength - 1
      }
      bytes += encoded
      left -= encoded.count
    }
    bytes += "\r\n".utf8
  }

  /// Writes a line with a text that people have written (RFC 5545 §3.3.11).
  mutating func text(_ name: String, _ text: String) {
    var value = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\\", ";", ",":
        value.unicodeScalars.append("\\")
        value.unicodeScalars.append(scalar)
      case "\n": value += "\\n"
      default: value.unicodeScalars.append(scalar)
      }
    }
    line(name, value)
  }

  mutating func component(_ name: String, _ content: (inout ICalendar) -> Void) {
    line("BEGIN", name)
    content(&self)
    line("END", name)
  }

  /// Describes the clocks of a zone from one day on (RFC 5545 §3.6.5).
  ///
  /// Every change is listed. A rule for them would be shorter, but not all zones have one.
  mutating func zone(_ name: String, from first: LocalDay, offset: Int, _ changes: [ClockChange]) {
    component("VTIMEZONE") { zone in
      zone.line("TZID", name)
      zone.observance(from: offset, to: offset, at: [Self.date(first) + "T000000"])
      var known: [ClockChange] = []
      for change in changes where !known.contains(where: { change.isLike($0) }) {
        known.append(change)
        let times = changes.filter { change.isLike($0) }.map { Self.time(wall: $0.second + $0.before) }
        zone.observance(from: change.before, to: change.after, at: times)
      }
    }
  }

  private mutating func observance(from before: Int, to after: Int, at times: [String]) {
    component(after > before ? "DAYLIGHT" : "STANDARD") { part in
      part.line("DTSTART", times[0])
      if times.count > 1 { part.line("RDATE", times.dropFirst().joined(separator: ",")) }
      part.line("TZOFFSETFROM", Self.offset(before))
      part.line("TZOFFSETTO", Self.offset(after))
    }
  }

  // MARK: values

  static func date(_ day: LocalDay) -> String { day.text.filter { $0 != "-" } }

  /// A local time.
  ///
  /// - Parameter wall: Seconds since 1970-01-01 by the clock on the wall.
  static func time(wall: Int) -> String {
    let second = wall.remainder(by: 86_400)
    let clock = [second / 3600, second / 60 % 60, second % 60].map(two).joined()
    return date(LocalDay(number: wall.floored(by: 86_400))) + "T" + clock
  }

  static func time(_ instant: Instant) -> String { time(wall: Int(instant.milliseconds).floored(by: 1000)) + "Z" }

  private static func offset(_ seconds: Int) -> String {
    let size = abs(seconds)
    let parts = [size / 3600, size / 60 % 60] + (size % 60 == 0 ? [] : [size % 60])
    return (seconds < 0 ? "-" : "+") + parts.map(two).joined()
  }

  private static func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
}

extension ClockChange {
  /// Whether clocks are changed in the same way.
  fileprivate func isLike(_ other: ClockChange) -> Bool { before == other.before && after == other.after }
}

extension Recurrence {
  /// The rule as RFC 5545 §3.3.10 writes it, without its end, for times that begin with one of the rule.
  ///
  /// A day that a month does not have is its last one: of the days up to it, that is the last which the month has.
  ///
  /// - Parameter first: The day from which the rule counts.
  func text(from first: LocalDay) -> String {
    let step = every == 1 ? "" : ";INTERVAL=\(every)"
    switch unit {
    case .days: return "FREQ=DAILY" + step
    case .weeks:
      let days = weekdays.map { wanted in Weekday.allCases.filter(wanted.contains).map(\.code) }
      return "FREQ=WEEKLY\(step);WKST=MO" + (days.map { ";BYDAY=" + $0.joined(separator: ",") } ?? "")
    case .months:
      if let nth, let weekday { return "FREQ=MONTHLY\(step);BYDAY=\(nth)\(weekday.code)" }
      return "FREQ=MONTHLY\(step);" + Self.text(ofDay: day ?? first.day)
    case .years:
      let isLeapDay = first.month == 2 && first.day == 29
      return "FREQ=YEARLY" + step + (isLeapDay ? ";BYMONTH=2;" + Self.text(ofDay: 31) : "")
    }
  }

  private static func text(ofDay day: Int) -> String {
    switch day {
    case 31: "BYMONTHDAY=-1"
    case 29, 30: "BYMONTHDAY=" + (28...day).map(String.init).joined(separator: ",") + ";BYSETPOS=-1"
    default: "BYMONTHDAY=\(day)"
    }
  }

  /// Whether the rule names its first day, which counts in any case.
  func names(first: LocalDay) -> Bool {
    if let weekdays { return weekdays.contains(first.weekday) }
    if let nth, let weekday { return Self.day(nth, weekday, ofMonth: first.monthNumber) == first }
    return day.map { LocalDay(monthNumber: first.monthNumber, day: $0) == first } ?? true
  }
}

extension Weekday {
  fileprivate var code: String { rawValue.prefix(2).uppercased() }
}
