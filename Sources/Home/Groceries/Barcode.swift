import JSON
import Rooms

/// A product's barcode with a right check digit: EAN-8 or EAN-13 (GRO-6).
///
/// UPC-A, with twelve digits, is EAN-13 with a 0 before it, and kept as that: two phones that scan one product agree.
struct Barcode: Field, Packable {
  /// The digits with a 1 before them, which keeps leading zeros and tells the two lengths apart.
  private var number: Int64

  static let none = Barcode(number: 0)

  private init(number: Int64) { self.number = number }

  init?(_ text: String) {
    guard let digits = Self.digits(text), Self.checkDigit(digits.dropLast()) == digits.last else { return nil }
    number = digits.reduce(1) { $0 * 10 + Int64($1) }
  }

  var text: String { String(String(number).dropFirst()) }

  /// The digits of a code of a known length; `nil` for anything else.
  private static func digits(_ text: String) -> [Int]? {
    let digits = text.utf8.compactMap { (48...57).contains($0) ? Int($0) - 48 : nil }
    guard digits.count == text.utf8.count, [8, 12, 13].contains(digits.count) else { return nil }
    return digits.count == 12 ? [0] + digits : digits
  }

  /// The digit that follows these (GS1 General Specifications, 7.9): from the right, every other one counts thrice.
  private static func checkDigit(_ digits: ArraySlice<Int>) -> Int {
    let sum = digits.reversed().enumerated().reduce(0) { $0 + $1.element * ($1.offset.isMultiple(of: 2) ? 3 : 1) }
    return (10 - sum % 10) % 10
  }

  static func read(_ view: View?, _ problems: Problems) -> Self? {
    guard let text = String.read(view, problems) else { return nil }
    guard let digits = digits(text) else {
      problems.note("must be a barcode of 8, 12 or 13 digits")
      return nil
    }
    guard let barcode = Barcode(text) else {
      problems.note("has a wrong check digit: after these digits the last one is \(checkDigit(digits.dropLast()))")
      return nil
    }
    return barcode
  }

  func write(to writer: Writer) { writer.string(text) }

  static func schema(_ limit: ClosedRange<Int>?) -> JSON {
    ["type": "string", "pattern": "^([0-9]{8}|[0-9]{12,13})$"]
  }
}
