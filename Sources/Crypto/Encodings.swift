/// Base64 (RFC 4648). Decoding is strict: each sequence of bytes has one text, without line breaks.
public struct Base64: Sendable {
  private let alphabet: [UInt8]
  private let values: [UInt8]
  private let isPadded: Bool

  /// RFC 4648 §4 with padding, as in `Sec-WebSocket-Key`.
  public static let standard = Base64(last: "+/", isPadded: true)
  /// RFC 4648 §4 without padding.
  public static let unpadded = Base64(last: "+/", isPadded: false)
  /// RFC 4648 §5, the URL-safe alphabet, without padding.
  public static let url = Base64(last: "-_", isPadded: false)

  private static let invalid: UInt8 = 0xFF
  private static let padding = UInt8(ascii: "=")

  private init(last: String, isPadded: Bool) {
    alphabet = Array(("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789" + last).utf8)
    var values = [UInt8](repeating: Self.invalid, count: 256)
    for (value, letter) in alphabet.enumerated() { values[Int(letter)] = UInt8(value) }
    self.values = values
    self.isPadded = isPadded
  }

  /// Encodes bytes in this alphabet.
  public func encode(_ bytes: Span<UInt8>) -> String {
    var text: [UInt8] = []
    text.reserveCapacity((bytes.count + 2) / 3 * 4)
    var pending: UInt32 = 0
    var bitCount = 0
    for index in bytes.indices {
      pending = pending << 8 | UInt32(bytes[index])
      bitCount += 8
      while bitCount >= 6 {
        bitCount -= 6
        text.append(alphabet[Int(pending >> UInt32(bitCount) & 63)])
      }
    }
    if bitCount > 0 { text.append(alphabet[Int(pending << UInt32(6 - bitCount) & 63)]) }
    while isPadded && text.count % 4 != 0 { text.append(Self.padding) }
    return String(decoding: text, as: UTF8.self)
  }

  /// Encodes bytes in this alphabet.
  public func encode(_ bytes: [UInt8]) -> String { encode(bytes.span) }

  /// Decodes a text that `encode` could have made; `nil` for any other text.
  public func decode(_ text: Span<UInt8>) -> [UInt8]? {
    var count = text.count
    if isPadded {
      guard count % 4 == 0 else { return nil }
      while count > 0, text.count - count < 2, text[count - 1] == Self.padding { count -= 1 }
    }
    guard count % 4 != 1 else { return nil }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(count * 3 / 4)
    var pending: UInt32 = 0
    var bitCount = 0
    for index in 0..<count {
      let value = values[Int(text[index])]
      guard value != Self.invalid else { return nil }
      pending = pending << 6 | UInt32(value)
      bitCount += 6
      if bitCount >= 8 {
        bitCount -= 8
        bytes.append(UInt8(truncatingIfNeeded: pending >> UInt32(bitCount)))
      }
    }
    // Unused bits must be zero, or several texts would decode to the same bytes.
    guard pending & (1 << UInt32(bitCount) - 1) == 0 else { return nil }
    return bytes
  }

  /// Decodes a text that `encode` could have made; `nil` for any other text.
  public func decode(_ text: String) -> [UInt8]? { decode(Array(text.utf8).span) }
}

/// Hexadecimal, two digits per byte.
public enum Hex {
  /// Encodes with lower-case digits.
  public static func encode(_ bytes: [UInt8]) -> String {
    let digits = Array("0123456789abcdef".utf8)
    var text: [UInt8] = []
    text.reserveCapacity(bytes.count * 2)
    for byte in bytes {
      text.append(digits[Int(byte >> 4)])
      text.append(digits[Int(byte & 15)])
    }
    return String(decoding: text, as: UTF8.self)
  }

  /// Decodes digits of either case; `nil` for an odd number of digits or any other character.
  public static func decode(_ text: String) -> [UInt8]? {
    let digits = Array(text.utf8)
    guard digits.count % 2 == 0 else { return nil }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(digits.count / 2)
    for index in stride(from: 0, to: digits.count, by: 2) {
      guard let high = value(digits[index]), let low = value(digits[index + 1]) else { return nil }
      bytes.append(high << 4 | low)
    }
    return bytes
  }

  private static func value(_ digit: UInt8) -> UInt8? {
    switch digit {
    case 48...57: digit - 48
    case 65...70: digit - 55
    case 97...102: digit - 87
    default: nil
    }
  }
}
