public import JSON

extension Instant {
  /// Reads RFC 3339 in UTC: `2026-05-01T09:00:00Z`, with up to nine decimals of a second. Decimals beyond milliseconds
  /// are cut off. Dates that do not exist, offsets and leap seconds are refused.
  public init?(text: Span<UInt8>) {
    guard text.count >= 20, text.count <= 30, text[text.count - 1] == UInt8(ascii: "Z") else { return nil }
    guard text[4] == UInt8(ascii: "-"), text[7] == UInt8(ascii: "-"), text[10] == UInt8(ascii: "T"),
      text[13] == UInt8(ascii: ":"), text[16] == UInt8(ascii: ":")
    else { return nil }
    guard let year = number(text, 0, 4), let month = number(text, 5, 2), let day = number(text, 8, 2),
      let hour = number(text, 11, 2), let minute = number(text, 14, 2), let second = number(text, 17, 2)
    else { return nil }
    guard (1...12).contains(month), (1...daysInMonth(month, of: year)).contains(day), hour < 24, minute < 60,
      second < 60
    else { return nil }
    guard let milliseconds = Self.milliseconds(text) else { return nil }
    let days = daysSinceEpoch(year: year, month: month, day: day)
    self.init(milliseconds: ((days * 24 + hour) * 60 + minute) * 60_000 + second * 1000 + milliseconds)
  }

  public init?(_ text: String) {
    self.init(text: Array(text.utf8).span)
  }

  /// The decimals between second and `Z`, if there are any.
  @inline(__always) private static func milliseconds(_ text: Span<UInt8>) -> Int64? {
    let count = text.count - 21
    if count < 0 { return 0 }
    guard text[19] == UInt8(ascii: "."), count > 0, var decimals = number(text, 20, count) else { return nil }
    for _ in count..<9 { decimals *= 10 }
    return decimals / 1_000_000
  }

  /// The 24 characters of `2026-05-01T09:00:00.000Z`, eight in each word, the first in the lowest bits.
  fileprivate var text: (UInt64, UInt64, UInt64) {
    let inRange = Swift.min(Swift.max(milliseconds, writableMilliseconds.lowerBound), writableMilliseconds.upperBound)
    // Counted from before every writable instant, since unsigned division costs less.
    let elapsed = UInt64(inRange + daysToEpoch * 86_400_000)
    let (year, month, day) = civilDate(days: elapsed / 86_400_000)
    let time = elapsed % 86_400_000
    let milliseconds = time % 1000
    return (
      twoDigits(year / 100) | twoDigits(year % 100) << 16 | character("-") << 32 | twoDigits(month) << 40
        | character("-") << 56,
      twoDigits(day) | character("T") << 16 | twoDigits(time / 3_600_000) << 24 | character(":") << 40
        | twoDigits(time / 60_000 % 60) << 48,
      character(":") | twoDigits(time / 1000 % 60) << 8 | character(".") << 24
        | (character("0") + milliseconds / 100) << 32 | twoDigits(milliseconds % 100) << 40
        | character("Z") << 56
    )
  }

  public func write(to writer: Writer) {
    let (first, second, third) = text
    writer.ascii(first, second, third)
  }
}

extension Instant: CustomStringConvertible {
  public var description: String {
    let writer = Writer(capacity: 26)
    write(to: writer)
    return String(decoding: writer.bytes(from: 1).dropLast(), as: UTF8.self)
  }
}

@inline(__always) private func character(_ scalar: Unicode.Scalar) -> UInt64 { UInt64(scalar.value) }

/// The two decimal digits of a number below 100. Dividing by a constant takes a tenth of the time.
@inline(__always) private func twoDigits(_ value: UInt64) -> UInt64 {
  0x3030 &+ (value / 10) | (value % 10) << 8
}

/// Inlined, so that a loop of constant count is unrolled: loading a household reads hundreds of instants.
@inline(__always) private func number(_ text: Span<UInt8>, _ start: Int, _ count: Int) -> Int64? {
  var value: Int64 = 0
  for index in start..<start + count {
    let digit = text[index] &- 48
    guard digit < 10 else { return nil }
    value = value &* 10 &+ Int64(digit)
  }
  return value
}

/// Days in the proleptic Gregorian calendar, counted in eras of 400 years from 1 March, so that the leap day is last.
private func daysSinceEpoch(year: Int64, month: Int64, day: Int64) -> Int64 {
  let marchYear = month <= 2 ? year - 1 : year
  let era = (marchYear >= 0 ? marchYear : marchYear - 399) / 400
  let yearOfEra = marchYear - era * 400
  let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
  let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
  return era * 146_097 + dayOfEra - 719_468
}

/// Days from 1 March of the year -400 to 1970-01-01.
private let daysToEpoch: Int64 = 719_468 + 146_097

/// The date that lies `days` days after 1 March of the year -400, in the year 0 or later.
private func civilDate(days: UInt64) -> (year: UInt64, month: UInt64, day: UInt64) {
  let era = days / 146_097
  let dayOfEra = days % 146_097
  let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
  let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
  let monthFromMarch = (5 * dayOfYear + 2) / 153
  let day = dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
  let month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
  return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0) - 400, month, day)
}

private func daysInMonth(_ month: Int64, of year: Int64) -> Int64 {
  switch month {
  case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
  case 4, 6, 9, 11: 30
  default: 31
  }
}
