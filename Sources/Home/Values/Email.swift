import JSON
import Rooms

/// An e-mail address: ASCII, trimmed, in lower case, so that one account has one address (ACC-1). Dots and tags stay.
struct Email: Field {
  var text = ""

  init() {}

  /// `nil` for what is no address.
  init?(_ written: String) {
    let text = Self.trimmed(written)
    let bytes = Array(text.utf8)
    guard Limits.email.contains(bytes.count), bytes.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else { return nil }
    let parts = bytes.split(separator: UInt8(ascii: "@"), omittingEmptySubsequences: false)
    guard parts.count == 2, Self.isLocalPart(parts[0]), Self.isDomain(parts[1]) else { return nil }
    self.text = text.lowercased()
  }

  private static func trimmed(_ text: String) -> String {
    String(text.drop(while: \.isWhitespace).reversed().drop(while: \.isWhitespace).reversed())
  }

  /// The address in ASCII of one whose domain has other letters (RFC 5891 §4). `nil` where that is no address either.
  static func inASCII(_ written: String) -> Email? {
    let parts = trimmed(written).split(separator: "@", omittingEmptySubsequences: false)
    guard parts.count == 2, parts[1].utf8.count <= 4 * Limits.email.upperBound else { return nil }
    // Widths and other variants count as the letter, and the ideographic full stop as a dot (UTS #46).
    let domain = String(parts[1]).compatible.lowercased().compatible.replacing("\u{3002}", with: ".")
    let labels = domain.split(separator: ".", omittingEmptySubsequences: false).compactMap { label -> String? in
      if label.utf8.allSatisfy({ $0 < 0x80 }) { return String(label) }
      guard label.unicodeScalars.allSatisfy(\.isInDomains), label.unicodeScalars.first?.isMark == false else {
        return nil
      }
      return Punycode.encode(String(label)).map { "xn--\($0)" }
    }
    guard labels.count == domain.count(where: { $0 == "." }) + 1 else { return nil }
    return Email("\(parts[0])@\(labels.joined(separator: "."))")
  }

  /// The problem of an invalid address; it names the form in ASCII if there is one.
  static func problem(with written: String) -> String {
    guard let email = inASCII(written) else { return "must be an e-mail address" }
    return "must be in ASCII: write \(email.text)"
  }

  /// RFC 5321 §4.1.2, `Dot-string`; nobody quotes.
  private static func isLocalPart(_ part: ArraySlice<UInt8>) -> Bool {
    guard part.count <= 64 else { return false }
    let special = Array("()<>[]:;,\\\"".utf8)
    return part.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false).allSatisfy { atom in
      !atom.isEmpty && atom.allSatisfy { !special.contains($0) }
    }
  }

  private static func isDomain(_ part: ArraySlice<UInt8>) -> Bool {
    let labels = part.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    let hyphen = UInt8(ascii: "-")
    return labels.count >= 2
      && labels.allSatisfy { label in
        (1...63).contains(label.count) && label.first != hyphen && label.last != hyphen
          && label.allSatisfy { $0 == hyphen || Character(Unicode.Scalar($0)).isASCIIAlphanumeric }
      }
  }

  static func read(_ view: View?, _ problems: Problems) -> Self? {
    guard let text = String.read(view, problems) else { return nil }
    guard let email = Email(text) else {
      problems.note(problem(with: text))
      return nil
    }
    return email
  }

  func write(to writer: Writer) { text.write(to: writer) }

  static func schema(_ limit: ClosedRange<Int>?) -> JSON {
    String.schema(Limits.email).adding(["format": "email"])
  }
}

extension Unicode.Scalar {
  fileprivate var isMark: Bool {
    switch properties.generalCategory {
    case .nonspacingMark, .spacingMark, .enclosingMark: true
    default: false
    }
  }

  /// Letters, marks, digits and hyphens, of which names of domains are made (RFC 5892 §2, in short).
  fileprivate var isInDomains: Bool {
    switch properties.generalCategory {
    case .lowercaseLetter, .otherLetter, .modifierLetter, .nonspacingMark, .spacingMark, .decimalNumber: true
    default: self == "-"
    }
  }
}

extension Character {
  fileprivate var isASCIIAlphanumeric: Bool { isASCII && (isLetter || isNumber) }
}
