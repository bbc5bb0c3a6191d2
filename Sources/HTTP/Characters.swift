/// The character classes of RFC 9110 §5.6, and comparison that ignores case in ASCII only.
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

  /// `tchar`: what names, methods and tokens are made of.
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

  /// Printed ASCII without the space.
  package var isVisible: Bool { self > 0x20 && self < 0x7F }

  /// Neither a control character nor a line end; the tab may stand in a value.
  package var isFieldCharacter: Bool { self == .tab || self >= 0x20 && self != 0x7F }

  /// Space or tab: `OWS`.
  package var isBlank: Bool { self == .space || self == .tab }

  package var lowercased: UInt8 { self >= UInt8(ascii: "A") && self <= UInt8(ascii: "Z") ? self | 0x20 : self }
}

extension String {
  /// Whether the two differ at most in the case of ASCII letters.
  package func isEqualIgnoringCase(_ other: String) -> Bool {
    utf8.count == other.utf8.count && zip(utf8, other.utf8).allSatisfy { $0.lowercased == $1.lowercased }
  }

  package var isToken: Bool { !isEmpty && utf8.allSatisfy(\.isTokenCharacter) }
}

extension Collection<UInt8> where SubSequence == Self {
  /// Without the blanks at both ends.
  package func trimmingBlanks() -> Self {
    var rest = drop { $0.isBlank }
    while !rest.isEmpty, let last = rest.dropFirst(rest.count - 1).first, last.isBlank {
      rest = rest.prefix(rest.count - 1)
    }
    return rest
  }
}
