import JSON
import Rooms

/// An amount, an exact decimal(12,3): above 0, with at most three decimals.
struct Quantity: Field {
  static let limit: Int64 = 999_999_999_999
  static let one = Quantity(thousandths: 1000)

  var thousandths: Int64 = 1000

  init(thousandths: Int64) { self.thousandths = thousandths }

  /// Reads plain digits with at most three decimals; `nil` for anything else.
  init?(text: Span<UInt8>) {
    var sum: Int64 = 0
    var decimals: Int?
    for index in text.indices {
      if text[index] == UInt8(ascii: "."), decimals == nil {
        decimals = 0
        continue
      }
      guard (48...57).contains(text[index]), decimals ?? 0 < 3, sum <= Self.limit / 10 else { return nil }
      sum = sum * 10 + Int64(text[index] - 48)
      decimals = decimals.map { $0 + 1 }
    }
    for _ in (decimals ?? 0)..<3 {
      guard sum <= Self.limit / 10 else { return nil }
      sum *= 10
    }
    guard sum > 0, sum <= Self.limit else { return nil }
    thousandths = sum
  }

  static func read(_ view: View?, _ problems: Problems) -> Self? {
    guard let view else {
      problems.note("missing")
      return nil
    }
    guard view.kind == .number, let quantity = view.withBytes({ Quantity(text: $0) }) else {
      problems.note("must be a number above 0 and below 1000000000 with at most three decimals")
      return nil
    }
    return quantity
  }

  func write(to writer: Writer) { writer.value(Array(text.utf8)) }

  static func schema(_ limit: ClosedRange<Int>?) -> JSON {
    ["type": "number", "exclusiveMinimum": 0, "maximum": 999_999_999.999, "multipleOf": 0.001]
  }

  /// The shortest decimal text of the number.
  var text: String {
    let whole = thousandths / 1000
    var rest = thousandths % 1000
    if rest == 0 { return "\(whole)" }
    var digits = 3
    while rest % 10 == 0 {
      rest /= 10
      digits -= 1
    }
    let decimals = String(rest)
    return "\(whole)." + String(repeating: "0", count: digits - decimals.utf8.count) + decimals
  }
}

/// The dimension of a unit: only quantities of the same dimension can be added.
enum UnitClass: Equatable {
  case count, mass, volume
  /// Any other unit; it can be added only to itself.
  case other(String)

  /// The class of a unit and how many base units (pc, g, ml) it is.
  static func of(_ unit: String?) -> (unitClass: UnitClass, factor: Int64) {
    guard let unit else { return (.count, 1) }
    let key = NameKey.of(unit)
    return switch key {
    case "pc": (.count, 1)
    case "g": (.mass, 1)
    case "kg": (.mass, 1000)
    case "ml": (.volume, 1)
    case "cl": (.volume, 10)
    case "dl": (.volume, 100)
    case "l": (.volume, 1000)
    default: (.other(key), 1)
    }
  }

  var baseUnit: String? {
    switch self {
    case .count: "pc"
    case .mass: "g"
    case .volume: "ml"
    case .other: nil
    }
  }
}

/// Zero means absence, since a quantity is above 0.
extension Quantity: Packable {
  static var none: Quantity { Quantity(thousandths: 0) }
}
