import JSON
import Rooms

/// The ways in which a person is paid (BIL-18): names by which others find them there, no card and no account.
enum PaymentPlatform: String, Word, MapKey {
  case venmo, paypal, applePay, other
}

/// The names of one person, by platform.
typealias PaymentHandles = SmallMap<PaymentPlatform, String>

/// A name of a platform's own form, which a pattern describes, and no card's number.
protocol PlatformName: Field {
  /// A regular expression, for clients.
  static var pattern: String { get }
  static var explanation: String { get }
  static func isWellFormed(_ text: String.UTF8View) -> Bool
  var text: String { get }
  init(text: String)
}

extension PlatformName {
  static func read(_ view: View?, _ problems: Problems) -> Self? {
    guard let text = String.read(view, problems) else { return nil }
    guard isWellFormed(text.utf8), !isLikeCard(text) else {
      problems.note("must be \(explanation), and no card number")
      return nil
    }
    return Self(text: text)
  }

  func write(to writer: Writer) { text.write(to: writer) }

  static func schema(_ limit: ClosedRange<Int>?) -> JSON { ["type": "string", "pattern": .string(pattern)] }
}

/// A name at Venmo: 5 to 30 ASCII letters, digits, hyphens and underscores.
struct VenmoName: PlatformName {
  static let pattern = "^[A-Za-z0-9_-]{5,30}$"
  static let explanation = "a name at Venmo: 5 to 30 letters, digits, hyphens or underscores"
  var text = ""

  static func isWellFormed(_ text: String.UTF8View) -> Bool {
    (5...30).contains(text.count)
      && text.allSatisfy { $0.isLetterOrDigit || $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "_") }
  }
}

/// A name at PayPal.me: 1 to 20 ASCII letters and digits.
struct PayPalName: PlatformName {
  static let pattern = "^[A-Za-z0-9]{1,20}$"
  static let explanation = "a name at PayPal.me: 1 to 20 letters or digits"
  var text = ""

  static func isWellFormed(_ text: String.UTF8View) -> Bool {
    (1...20).contains(text.count) && text.allSatisfy(\.isLetterOrDigit)
  }
}

/// A telephone number with its country: `+` and 7 to 15 digits (E.164).
struct PhoneNumber: PlatformName {
  static let pattern = "^[+][1-9][0-9]{6,14}$"
  static let explanation = "a telephone number such as +4915112345678"
  var text = ""

  static func isWellFormed(_ text: String.UTF8View) -> Bool {
    let digits = text.dropFirst()
    return text.first == UInt8(ascii: "+") && (7...15).contains(digits.count) && digits.allSatisfy(\.isDigit)
      && digits.first != UInt8(ascii: "0")
  }
}

/// A line that holds no card number, such as the name of another service with a name there.
struct OtherHandle: Field {
  var line = Line()

  static func read(_ view: View?, _ problems: Problems) -> Self? {
    guard let line = Line.read(view, problems) else { return nil }
    guard !isLikeCard(line.text) else {
      problems.note("must not be the number of a card")
      return nil
    }
    return OtherHandle(line: line)
  }

  func write(to writer: Writer) { line.write(to: writer) }
  func fits(_ limit: ClosedRange<Int>) -> Bool { line.fits(limit) }
  static func limitText(_ limit: ClosedRange<Int>) -> String { Line.limitText(limit) }
  static func schema(_ limit: ClosedRange<Int>?) -> JSON { Line.schema(limit) }
}

/// Whether a text has 14 to 19 digits in a row that pass the check of card numbers (ISO/IEC 7812-1, Annex B).
///
/// Digits may be of any script, with anything but letters between them. Where more digits follow, such as those of a
/// date, groups that begin like a card are tried on their own.
func isLikeCard(_ text: String) -> Bool {
  var groups: [[UInt8]] = []
  var isInGroup = false
  for scalar in text.unicodeScalars {
    if scalar.properties.numericType == .decimal, let value = scalar.properties.numericValue {
      if !isInGroup { groups.append([]) }
      groups[groups.count - 1].append(UInt8(value))
      isInGroup = true
    } else {
      isInGroup = false
      guard scalar.properties.isAlphabetic else { continue }
      if isLikeCard(groups) { return true }
      groups = []
    }
  }
  return isLikeCard(groups)
}

private func isLikeCard(_ groups: [[UInt8]]) -> Bool {
  for start in groups.indices {
    var digits: [UInt8] = []
    for end in groups[start...].indices {
      digits += groups[end]
      if digits.count > 19 { break }
      // The first digits of all cards that people pay with.
      let isPlausible = start == 0 && end == groups.count - 1 || (2...6).contains(digits[0])
      if digits.count >= 14, isPlausible, passesLuhn(digits) { return true }
    }
  }
  return false
}

private func passesLuhn(_ digits: [UInt8]) -> Bool {
  let sum = digits.reversed().enumerated().reduce(0) { sum, digit in
    let value = Int(digit.element) * (digit.offset % 2 == 0 ? 1 : 2)
    return sum + (value > 9 ? value - 9 : value)
  }
  return sum % 10 == 0
}

extension UInt8 {
  fileprivate var isDigit: Bool { (0x30...0x39).contains(self) }
  fileprivate var isLetterOrDigit: Bool { isDigit || (0x41...0x5A).contains(self & 0xDF) }
}
