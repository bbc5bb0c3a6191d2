import Home

/// Amounts of money as texts, with the decimals of their currency (ISO 4217): 500 yen, 5.00 euros, 1.000 dinars.
enum MoneyText {
  static func of(_ amount: Int, _ currency: String) -> String {
    let decimals = HomeRooms.decimals(of: currency)
    let digits = String(amount.magnitude)
    let padded = String(repeating: "0", count: max(0, decimals + 1 - digits.count)) + digits
    let sign = amount < 0 ? "-" : ""
    return sign + padded.dropLast(decimals) + (decimals == 0 ? "" : "." + padded.suffix(decimals))
  }

  /// The minor units of a decimal number; `nil` if it is none, or has more decimals than the currency.
  static func amount(_ text: String, _ currency: String) -> Int? {
    let decimals = HomeRooms.decimals(of: currency)
    let isNegative = text.hasPrefix("-")
    let parts = text.dropFirst(isNegative ? 1 : 0).split(separator: ".", omittingEmptySubsequences: false)
    guard let whole = parts.first, !whole.isEmpty, parts.count <= 2 else { return nil }
    var fraction = parts.count == 2 ? String(parts[1]) : ""
    if parts.count == 2, fraction.isEmpty { return nil }
    while fraction.count > decimals, fraction.hasSuffix("0") { fraction.removeLast() }
    guard fraction.count <= decimals, (whole + fraction).utf8.allSatisfy({ 0x30...0x39 ~= $0 }) else { return nil }
    let digits = whole + fraction + String(repeating: "0", count: decimals - fraction.count)
    guard let amount = Int(digits) else { return nil }
    return isNegative ? -amount : amount
  }
}
