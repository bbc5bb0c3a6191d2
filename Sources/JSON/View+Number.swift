extension View {
  /// The number, if it is written as an integer and fits in `Int`; `nil` for `1.0` and `1e2`.
  public var int: Int? {
    let node = node
    guard node.kind == .number, !node.flag else { return nil }
    return Decimal(text, node).integer
  }

  /// The number as the nearest double; `nil` if that is infinite.
  public var double: Double? {
    let node = node
    guard node.kind == .number else { return nil }
    if let exact = Decimal(text, node).double { return exact }
    let written = unsafe String(decoding: bytes(of: node), as: UTF8.self)
    guard let value = Double(written), value.isFinite else { return nil }
    return value
  }
}

/// The parts of a number on the tape: ±`digits` · 10^−`decimals`.
private struct Decimal {
  private var digits: UInt64 = 0
  private var decimals = 0
  private var isNegative = false
  /// Whether `digits` overflowed or an exponent follows.
  private var isIncomplete = false

  init(_ text: RawBuffer<UInt8>, _ node: Node) {
    var position = Int(node.start)
    let end = position + Int(node.length)
    if text[position] == UInt8(ascii: "-") {
      isNegative = true
      position += 1
    }
    var isBehindPoint = false
    while position < end {
      let byte = text[position]
      position += 1
      if byte.isDigit {
        let (tens, tooLarge) = digits.multipliedReportingOverflow(by: 10)
        let (sum, alsoTooLarge) = tens.addingReportingOverflow(UInt64(byte & 0x0F))
        if tooLarge || alsoTooLarge {
          isIncomplete = true
          return
        }
        digits = sum
        if isBehindPoint { decimals += 1 }
      } else if byte == UInt8(ascii: ".") {
        isBehindPoint = true
      } else {
        isIncomplete = true
        return
      }
    }
  }

  var integer: Int? {
    guard !isIncomplete, decimals == 0 else { return nil }
    if isNegative { return digits == Int.min.magnitude ? Int.min : Int(exactly: digits).map { -$0 } }
    return Int(exactly: digits)
  }

  /// The nearest double: both operands are exact, so the one division rounds once (Clinger 1990).
  var double: Double? {
    guard !isIncomplete, digits < 1 << 53, decimals < Self.powers.count else { return nil }
    let magnitude = Double(digits) / Self.powers[decimals]
    return isNegative ? -magnitude : magnitude
  }

  private static let powers: InlineArray<23, Double> = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20,
    1e21, 1e22,
  ]
}
