/// An IPv4 or IPv6 address as a value.
///
/// An IPv4 address and the IPv6 address that is mapped to it (RFC 4291 §2.5.5.2) are the same.
public struct IPAddress: Hashable, Sendable {
  let high: UInt64
  let low: UInt64

  init(high: UInt64, low: UInt64) {
    self.high = high
    self.low = low
  }

  /// Parses a literal address such as `192.0.2.1`, `2001:db8::1` or `::ffff:192.0.2.1`; `nil` for any other text.
  public init?(_ text: String) {
    if let number = Self.ipv4(text[...]) {
      self.init(high: 0, low: Self.mapped | UInt64(number))
    } else {
      guard let groups = Self.groups(text) else { return nil }
      self.init(
        high: groups[..<4].reduce(0) { $0 << 16 | UInt64($1) }, low: groups[4...].reduce(0) { $0 << 16 | UInt64($1) })
    }
  }

  public var isIPv4: Bool { high == 0 && low >> 32 == 0xFFFF }

  /// 127.0.0.0/8 or ::1.
  public var isLoopback: Bool { high == 0 && (low == 1 || low >> 24 == Self.mapped >> 24 | 127) }

  /// The name of all addresses that one client can be expected to have: the address itself, or the first 64 bits of an
  /// IPv6 one (SEC-12).
  public var network: String {
    if isIPv4 {
      return stride(from: 24, through: 0, by: -8).map { "\(low >> UInt64($0) & 0xFF)" }.joined(separator: ".")
    }
    let groups = stride(from: 48, through: 0, by: -16).map { String(high >> UInt64($0) & 0xFFFF, radix: 16) }
    return groups.joined(separator: ":") + "::/64"
  }

  private static let mapped: UInt64 = 0xFFFF << 32

  private static func ipv4(_ text: Substring) -> UInt32? {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 4 else { return nil }
    var number: UInt32 = 0
    for part in parts {
      guard (1...3).contains(part.utf8.count), part.utf8.allSatisfy(\.isDigit), part == "0" || part.first != "0",
        let byte = UInt8(part)
      else { return nil }
      number = number << 8 | UInt32(byte)
    }
    return number
  }

  /// The eight groups of an IPv6 address (RFC 4291 §2.2).
  private static func groups(_ text: String) -> [UInt16]? {
    guard let gap = text.firstRange(of: "::") else {
      return groups(text[...], mayEndInIPv4: true).flatMap { $0.count == 8 ? $0 : nil }
    }
    guard let head = groups(text[..<gap.lowerBound], mayEndInIPv4: false),
      let tail = groups(text[gap.upperBound...], mayEndInIPv4: true), head.count + tail.count < 8
    else { return nil }
    return head + Array(repeating: 0, count: 8 - head.count - tail.count) + tail
  }

  private static func groups(_ text: Substring, mayEndInIPv4: Bool) -> [UInt16]? {
    if text.isEmpty { return [] }
    var groups: [UInt16] = []
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    for (index, part) in parts.enumerated() {
      if mayEndInIPv4, index == parts.count - 1, let number = ipv4(part) {
        groups += [UInt16(number >> 16), UInt16(truncatingIfNeeded: number)]
      } else {
        guard (1...4).contains(part.utf8.count), part.utf8.allSatisfy({ $0.isDigit || $0.isLetter }),
          let group = UInt16(part, radix: 16)
        else { return nil }
        groups.append(group)
      }
    }
    return groups
  }
}

/// A block of addresses, such as `10.0.0.0/8`.
public struct IPNetwork: Hashable, Sendable {
  private let base: IPAddress
  /// Bits of the 128 that all its addresses share.
  private let length: Int
  private let isIPv4: Bool

  /// Parses an address with the length of its prefix (RFC 4632 §3.1), or one address; `nil` for any other text, and if
  /// bits behind the prefix are set.
  public init?(_ text: String) {
    let parts = text.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
    guard parts.count <= 2, let base = IPAddress(parts[0]) else { return nil }
    let isWrittenAsIPv4 = base.isIPv4 && !parts[0].contains(":")
    let longest = isWrittenAsIPv4 ? 32 : 128
    var length = longest
    if parts.count == 2 {
      guard (1...3).contains(parts[1].utf8.count), parts[1].utf8.allSatisfy(\.isDigit), let number = Int(parts[1]),
        number <= longest
      else { return nil }
      length = number
    }
    self.base = base
    self.length = length + 128 - longest
    isIPv4 = base.isIPv4 && self.length >= 96
    guard Self.prefix(of: base, self.length) == base else { return nil }
  }

  public func contains(_ address: IPAddress) -> Bool {
    // A block of IPv6 addresses, such as `::/0`, has no IPv4 ones.
    address.isIPv4 == isIPv4 && Self.prefix(of: address, length) == base
  }

  private static func prefix(of address: IPAddress, _ length: Int) -> IPAddress {
    // Shifting by 64 or more gives 0.
    IPAddress(
      high: address.high & ~(UInt64.max >> UInt64(min(length, 64))),
      low: address.low & ~(UInt64.max >> UInt64(max(length - 64, 0))))
  }
}
