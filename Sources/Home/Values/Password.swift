public import JSON
public import Rooms

/// A password as it is counted, compared with the common ones and hashed: an `OpaqueString` (RFC 8265 §4.2).
///
/// However a keyboard writes a letter, it is the same password: spaces become U+0020, letters and their marks are
/// composed (normal form C). Nothing is trimmed, and case counts. Controls and line separators are refused. Unassigned
/// and ignorable scalars are not, against the letter of RFC 8264 §4.3: which they are depends on the system's tables,
/// and a password must not stop to work with an update.
public struct Password: Field {
  public private(set) var text = ""

  public init() {}

  /// `nil` for an empty text, and for one with control characters.
  public init?(_ written: String) {
    let scalars = written.unicodeScalars
    guard !scalars.isEmpty, !scalars.contains(where: \.breaksLine) else { return nil }
    // Almost all are, and stay as they are.
    if written.utf8.allSatisfy({ $0 < 0x80 }) {
      text = written
      return
    }
    var spaced = String.UnicodeScalarView()
    for scalar in scalars {
      spaced.append(scalar.properties.generalCategory == .spaceSeparator ? " " : scalar)
    }
    text = String(spaced).composed
  }

  public static func read(_ view: View?, _ problems: Problems) -> Self? {
    guard let written = String.read(view, problems) else { return nil }
    // An empty one is too short, which its limit says.
    guard !written.isEmpty else { return Password() }
    guard let password = Password(written) else {
      problems.note("must not contain control characters")
      return nil
    }
    return password
  }

  /// The bytes that are hashed.
  public var bytes: [UInt8] { Array(text.utf8) }

  public func write(to writer: Writer) { text.write(to: writer) }
  public func fits(_ limit: ClosedRange<Int>) -> Bool { text.fits(limit) }
  public static func limitText(_ limit: ClosedRange<Int>) -> String { String.limitText(limit) }
  public static func schema(_ limit: ClosedRange<Int>?) -> JSON { String.schema(limit) }
}
