import JSON
import Rooms

/// An e-mail address: ASCII, trimmed, in lower case, so that one account has one address (ACC-1).
struct Email: Field {
  var text = ""

  init() {}

  /// Reads an address; `nil` if it is invalid.
  init?(_ written: String) {
    let text = String(written.drop(while: \.isWhitespace).reversed().drop(while: \.isWhitespace).reversed())
    let bytes = Array(text.utf8)
    guard Limits.email.contains(bytes.count), bytes.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else { return nil }
    let parts = bytes.split(separator: UInt8(ascii: "@"), omittingEmptySubsequences: false)
    guard parts.count == 2, Self.isLocalPart(parts[0]), Self.isDomain(parts[1]) else { return nil }
    self.text = text.lowercased()
  }

  /// Whether a local part is a `Dot-string` (RFC 5321 §4.1.2); quoted ones are not accepted.
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
      problems.note("must be an e-mail address")
      return nil
    }
    return email
  }

  func write(to writer: Writer) { text.write(to: writer) }

  static func schema(_ limit: ClosedRange<Int>?) -> JSON {
    // The shortest address is a@b.c.
    String.schema(5...Limits.email.upperBound).adding(["format": "email"])
  }
}

extension Character {
  fileprivate var isASCIIAlphanumeric: Bool { isASCII && (isLetter || isNumber) }
}
