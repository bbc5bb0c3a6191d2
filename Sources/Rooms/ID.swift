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
  public init?(text: Span<UInt8>) {
    guard text.count == 36 else { return nil }
    var words: (UInt64, UInt64) = (0, 0)
    var digits = 0
    for index in 0..<36 {
      if index == 8 || index == 13 || index == 18 || index == 23 {
        guard text[index] == UInt8(ascii: "-") else { return nil }
        continue
      }
      guard let digit = hexDigitValue(text[index]) else { return nil }
      if digits < 16 { words.0 = words.0 << 4 | digit } else { words.1 = words.1 << 4 | digit }
      digits += 1
    }
    self.init(high: words.0, low: words.1)
  }

  public init?(_ text: String) {
    self.init(text: Array(text.utf8).span)
  }

  /// The sixteen bytes in network order.
  public var bytes: [UInt8] {
    (0..<16).map { UInt8(truncatingIfNeeded: ($0 < 8 ? high : low) >> UInt64(56 - 8 * ($0 % 8))) }
  }

  /// Appends the 36 characters of the canonical form to `target`, which must have room for them.
  @inlinable public func write(to target: inout OutputSpan<UInt8>) {
    for index in 0..<32 {
      if index == 8 || index == 12 || index == 16 || index == 20 { target.append(UInt8(ascii: "-")) }
      let word = index < 16 ? high : low
      let digit = UInt8(truncatingIfNeeded: word >> UInt64(60 - 4 * (index & 15)) & 15)
      target.append(digit < 10 ? 48 &+ digit : 87 &+ digit)
    }
  }

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

/// The value of one hexadecimal digit.
func hexDigitValue(_ digit: UInt8) -> UInt64? {
  switch digit {
  case 48...57: UInt64(digit - 48)
  case 97...102: UInt64(digit - 87)
  case 65...70: UInt64(digit - 55)
  default: nil
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
