/// A UUID that names an `Of`: sixteen bytes, no allocation.
///
/// On the wire it is the canonical lower-case text of RFC 9562 §4; upper-case digits are accepted.
public struct ID<Of>: Hashable, Sendable, Comparable {
  public let high: UInt64
  public let low: UInt64

  @inlinable public init(high: UInt64 = 0, low: UInt64 = 0) {
    self.high = high
    self.low = low
  }

  /// From sixteen bytes in network order; `nil` when there are more or fewer.
  public init?(bytes: some Collection<UInt8>) {
    guard bytes.count == 16 else { return nil }
    var high: UInt64 = 0
    var low: UInt64 = 0
    for (index, byte) in bytes.enumerated() {
      if index < 8 { high = high << 8 | UInt64(byte) } else { low = low << 8 | UInt64(byte) }
    }
    self.init(high: high, low: low)
  }

  /// From the 36 characters of the canonical form; `nil` for anything else.
  @inlinable public init?(text: Span<UInt8>) {
    guard let (high, low) = parseUUID(text) else { return nil }
    self.init(high: high, low: low)
  }

  public init?(_ text: String) {
    self.init(text: Array(text.utf8).span)
  }

  /// The sixteen bytes in network order.
  public var bytes: [UInt8] {
    (0..<16).map { UInt8(truncatingIfNeeded: ($0 < 8 ? high : low) >> UInt64(56 - 8 * ($0 % 8))) }
  }

  /// Appends the 36 characters of the canonical form to `target`, which must have room for them.
  @inlinable public func write(to target: inout OutputSpan<UInt8>) { writeUUID(high, low, to: &target) }

  @inlinable public static func < (left: Self, right: Self) -> Bool {
    left.high == right.high ? left.low < right.low : left.high < right.high
  }

  /// The same sixteen bytes as the name of another kind of thing.
  @inlinable public func cast<Other>(to _: Other.Type = Other.self) -> ID<Other> { ID<Other>(high: high, low: low) }
}

extension ID: CustomStringConvertible, LosslessStringConvertible {
  public var description: String {
    String(decoding: [UInt8](capacity: 36) { write(to: &$0) }, as: UTF8.self)
  }
}

// Not members of the generic type, so that there is one of each, which knows no types at run time.

@usableFromInline func parseUUID(_ text: Span<UInt8>) -> (high: UInt64, low: UInt64)? {
  guard text.count == 36, text[8] == 45, text[13] == 45, text[18] == 45, text[23] == 45 else { return nil }
  var isValid = true
  func digits(_ range: Range<Int>, behind start: UInt64) -> UInt64 {
    var word = start
    for index in range {
      let digit = text[index] &- UInt8(ascii: "0")
      // Both cases of a letter differ in one bit.
      let letter = (text[index] | 0x20) &- UInt8(ascii: "a")
      isValid = isValid && (digit < 10 || letter < 6)
      word = word << 4 | UInt64(digit < 10 ? digit : letter &+ 10)
    }
    return word
  }
  let high = digits(14..<18, behind: digits(9..<13, behind: digits(0..<8, behind: 0)))
  let low = digits(24..<36, behind: digits(19..<23, behind: 0))
  return isValid ? (high, low) : nil
}

@usableFromInline func writeUUID(_ high: UInt64, _ low: UInt64, to target: inout OutputSpan<UInt8>) {
  for index in 0..<32 {
    if index == 8 || index == 12 || index == 16 || index == 20 { target.append(UInt8(ascii: "-")) }
    let word = index < 16 ? high : low
    let digit = UInt8(truncatingIfNeeded: word >> UInt64(60 - 4 * (index & 15)) & 15)
    target.append(digit < 10 ? 48 &+ digit : 87 &+ digit)
  }
}

// What ids name. These types are only names: nobody makes a value of them.
public enum Person {}
public enum Household {}
public enum Share {}
/// One installation of a client program: a phone, a browser, a command line.
public enum Client {}
/// One signed-in device.
public enum Session {}
