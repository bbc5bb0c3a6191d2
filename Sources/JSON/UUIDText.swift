/// UUIDs as text (RFC 9562 §4), converted eight digits at a time.
extension Writer {
  /// Writes a UUID as a string, from its 16 bytes in network order.
  public func uuid(_ high: UInt64, _ low: UInt64) {
    beginValue()
    appendUUID(high, low)
    endValue()
  }

  /// Writes a UUID as the key of the next value.
  public func uuidKey(_ high: UInt64, _ low: UInt64) {
    beginValue()
    appendUUID(high, low)
    append(UInt8(ascii: ":"))
    unsafe state.pointee.owesComma = false
  }

  private func appendUUID(_ high: UInt64, _ low: UInt64) {
    reserve(38)
    let bytes = unsafe state.pointee.bytes
    let start = count
    bytes[start] = UInt8(ascii: "\"")
    bytes.store(Word.hexadecimal(UInt32(truncatingIfNeeded: high >> 32)), at: start &+ 1)
    // A word is stored at its first four digits; the other four move past the hyphen.
    let middle = Word.hexadecimal(UInt32(truncatingIfNeeded: high))
    let next = Word.hexadecimal(UInt32(truncatingIfNeeded: low >> 32))
    let hyphen = UInt64(UInt8(ascii: "-"))
    bytes.store(middle << 8 | hyphen, at: start &+ 9)
    bytes.store((middle >> 32) << 8 | hyphen, at: start &+ 14)
    bytes.store(next << 8 | hyphen, at: start &+ 19)
    bytes.store((next >> 32) << 8 | hyphen, at: start &+ 24)
    bytes.store(Word.hexadecimal(UInt32(truncatingIfNeeded: low)), at: start &+ 29)
    bytes[start &+ 37] = UInt8(ascii: "\"")
    unsafe state.pointee.count = start &+ 38
  }
}

extension Span<UInt8> {
  /// Parses a UUID in either case into its bytes in network order; `nil` for any other text.
  public var uuid: (high: UInt64, low: UInt64)? {
    guard count == 36, self[8] == 45, self[13] == 45, self[18] == 45, self[23] == 45 else { return nil }
    guard let first = Word.number(hexadecimal: word(at: 0)),
      let second = Word.number(hexadecimal: word(at: 9) & 0xFFFF_FFFF | word(at: 14) << 32),
      let third = Word.number(hexadecimal: word(at: 19) & 0xFFFF_FFFF | word(at: 24) << 32),
      let last = Word.number(hexadecimal: word(at: 28))
    else { return nil }
    return (first << 32 | second, third << 32 | last)
  }
}
