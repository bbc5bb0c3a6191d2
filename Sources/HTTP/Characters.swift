/// Character classes of RFC 9110 §5.6, and comparison that ignores the case of ASCII letters.
extension UInt8 {
  package static let space = UInt8(ascii: " ")
  package static let tab = UInt8(ascii: "\t")
  package static let carriageReturn = UInt8(ascii: "\r")
  package static let lineFeed = UInt8(ascii: "\n")
  package static let comma = UInt8(ascii: ",")
  package static let quote = UInt8(ascii: "\"")
  package static let backslash = UInt8(ascii: "\\")

  package var isDigit: Bool { self >= UInt8(ascii: "0") && self <= UInt8(ascii: "9") }

  package var isLetter: Bool { (self | 0x20) >= UInt8(ascii: "a") && (self | 0x20) <= UInt8(ascii: "z") }

  /// Whether the byte is a `tchar`, allowed in names, methods and tokens.
  package var isTokenCharacter: Bool {
    if isDigit || isLetter { return true }
    switch self {
    case UInt8(ascii: "!"), UInt8(ascii: "#"), UInt8(ascii: "$"), UInt8(ascii: "%"), UInt8(ascii: "&"),
      UInt8(ascii: "'"), UInt8(ascii: "*"), UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."),
      UInt8(ascii: "^"), UInt8(ascii: "_"), UInt8(ascii: "`"), UInt8(ascii: "|"), UInt8(ascii: "~"):
      return true
    default: return false
    }
  }

  /// Whether the byte is printable ASCII other than the space.
  package var isVisible: Bool { self > 0x20 && self < 0x7F }

  /// Whether the byte may be part of a field value: no control character except the tab.
  package var isFieldCharacter: Bool { self == .tab || self >= 0x20 && self != 0x7F }

  /// Whether the byte is optional white space (`OWS`): space or tab.
  package var isBlank: Bool { self == .space || self == .tab }

  package var lowercased: UInt8 { self >= UInt8(ascii: "A") && self <= UInt8(ascii: "Z") ? self | 0x20 : self }
}

extension String {
  /// Whether both strings are equal except for the case of ASCII letters.
  package func isEqualIgnoringCase(_ other: String) -> Bool {
    utf8.count == other.utf8.count && zip(utf8, other.utf8).allSatisfy { $0.lowercased == $1.lowercased }
  }

  package var isToken: Bool { !isEmpty && utf8.allSatisfy(\.isTokenCharacter) }
}

extension Collection<UInt8> where SubSequence == Self {
  /// The bytes without leading and trailing blanks.
  package func trimmingBlanks() -> Self {
    var rest = drop { $0.isBlank }
    while !rest.isEmpty, let last = rest.dropFirst(rest.count - 1).first, last.isBlank {
      rest = rest.prefix(rest.count - 1)
    }
    return rest
  }
}
