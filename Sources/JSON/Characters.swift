extension UInt8 {
  @inline(__always)
  var isDigit: Bool { self &- UInt8(ascii: "0") < 10 }

  /// Whether the byte is white space (RFC 8259 §2).
  @inline(__always)
  var isSpace: Bool { self == 0x20 || self == 0x0A || self == 0x0D || self == 0x09 }

  var hexadecimalDigit: UInt32? {
    switch self {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(self - UInt8(ascii: "0"))
    case UInt8(ascii: "a")...UInt8(ascii: "f"): UInt32(self - UInt8(ascii: "a") + 10)
    case UInt8(ascii: "A")...UInt8(ascii: "F"): UInt32(self - UInt8(ascii: "A") + 10)
    default: nil
    }
  }
}
