extension Writer {
  /// Starts an object.
  @inlinable
  public func openObject() { open(UInt8(ascii: "{")) }

  /// Ends the current object.
  @inlinable
  public func closeObject() { close(UInt8(ascii: "}")) }

  /// Starts an array.
  @inlinable
  public func openArray() { open(UInt8(ascii: "[")) }

  /// Ends the current array.
  @inlinable
  public func closeArray() { close(UInt8(ascii: "]")) }

  @inlinable @inline(__always)
  func open(_ bracket: UInt8) {
    beginValue()
    append(bracket)
    unsafe state.pointee.owesComma = false
  }

  @inlinable @inline(__always)
  func close(_ bracket: UInt8) {
    append(bracket)
    endValue()
  }

  /// Writes the key of the next value. The key is not escaped.
  public func key(_ key: StaticString) {
    let text = unsafe key.bytes
    reserve(text.count &+ 4)
    let bytes = unsafe state.pointee.bytes
    var position = count
    if unsafe state.pointee.owesComma {
      bytes[position] = UInt8(ascii: ",")
      position &+= 1
    }
    bytes[position] = UInt8(ascii: "\"")
    unsafe bytes.copy(text, to: position &+ 1)
    position &+= text.count &+ 1
    bytes[position] = UInt8(ascii: "\"")
    bytes[position &+ 1] = UInt8(ascii: ":")
    unsafe state.pointee.count = position &+ 2
    unsafe state.pointee.owesComma = false
  }

  /// Writes the key of the next value, escaped.
  @_disfavoredOverload  // Literals select the overload above, which creates no String.
  public func key(_ key: String) {
    string(key)
    append(UInt8(ascii: ":"))
    unsafe state.pointee.owesComma = false
  }

  /// Writes a string of 24 ASCII characters that need no escapes, eight per word, the first in the lowest bits.
  public func ascii(_ first: UInt64, _ second: UInt64, _ third: UInt64) {
    beginValue()
    reserve(26)
    let bytes = unsafe state.pointee.bytes
    let start = count
    bytes[start] = UInt8(ascii: "\"")
    bytes.store(first, at: start &+ 1)
    bytes.store(second, at: start &+ 9)
    bytes.store(third, at: start &+ 17)
    bytes[start &+ 25] = UInt8(ascii: "\"")
    unsafe state.pointee.count = start &+ 26
    endValue()
  }

  @inlinable
  public func null() { value("null") }

  @inlinable
  public func bool(_ value: Bool) {
    if value { self.value("true") } else { self.value("false") }
  }

  /// Writes an integer.
  public func int(_ value: Int) {
    beginValue()
    if value < 0 { append(UInt8(ascii: "-")) }
    // Eight digits per word; leading zeros are shifted out.
    reserve(24)
    let (high, low) = value.magnitude.quotientAndRemainder(dividingBy: 100_000_000)
    if high == 0 {
      leading(low)
    } else {
      let (top, middle) = high.quotientAndRemainder(dividingBy: 100_000_000)
      if top == 0 {
        leading(middle)
      } else {
        leading(top)
        digits(Word.decimal(middle), 8)
      }
      digits(Word.decimal(low), 8)
    }
    endValue()
  }

  private func leading(_ number: UInt) {
    let text = Word.decimal(number)
    let zeros = min(7, (text ^ Word.ones &* 0x30).trailingZeroBitCount / 8)
    digits(text >> UInt64(8 &* zeros), 8 &- zeros)
  }

  @inline(__always)
  private func digits(_ text: UInt64, _ digitCount: Int) {
    unsafe state.pointee.bytes.store(text, at: count)
    unsafe state.pointee.count &+= digitCount
  }

  /// Writes the shortest text that parses as the same double. Infinities and NaN become null.
  public func double(_ value: Double) {
    guard value.isFinite else { return null() }
    beginValue()
    var text = value.description
    if text.hasSuffix(".0") { text.removeLast(2) }
    text.withUTF8 { bytes in unsafe append(bytes) }
    endValue()
  }

  /// Writes a string, escaped.
  @_disfavoredOverload  // Literals select the overload below, which creates no String.
  public func string(_ value: String) {
    var value = value
    value.withUTF8 { bytes in unsafe string(bytes) }
  }

  /// Writes a string, escaped.
  public func string(_ value: StaticString) {
    unsafe string(value.bytes)
  }

  private func string(_ bytes: UnsafeBufferPointer<UInt8>) {
    beginValue()
    append(UInt8(ascii: "\""))
    var start = 0
    while true {
      let stop = unsafe bytes.firstSpecial(from: start)
      unsafe append(UnsafeBufferPointer(rebasing: bytes[start..<stop]))
      guard stop < bytes.count else { break }
      unsafe escape(bytes[stop])
      start = stop + 1
    }
    append(UInt8(ascii: "\""))
    endValue()
  }

  private func escape(_ byte: UInt8) {
    switch byte {
    case UInt8(ascii: "\""): raw("\\\"")
    case UInt8(ascii: "\\"): raw("\\\\")
    case 0x08: raw("\\b")
    case 0x09: raw("\\t")
    case 0x0A: raw("\\n")
    case 0x0C: raw("\\f")
    case 0x0D: raw("\\r")
    default:
      raw("\\u00")
      append(UInt8(ascii: "0") + byte >> 4)
      append(byte & 15 < 10 ? UInt8(ascii: "0") + byte & 15 : UInt8(ascii: "a") + byte & 15 - 10)
    }
  }
}
