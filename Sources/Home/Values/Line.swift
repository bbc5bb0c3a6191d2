import JSON
import Rooms

/// A text of one line, such as a name: without white space around it and without control characters.
struct Line: Field {
  var text = ""

  init(_ text: String = "") { self.text = text }

  static func read(_ view: View?, _ problems: Problems) -> Self? {
    guard let text = String.read(view, problems) else { return nil }
    // The bytes decide for most texts: checking scalars takes ten times as long.
    if view?.isPrintable == true, text.utf8.first != 0x20, text.utf8.last != 0x20 { return Line(text) }
    let before = problems.count
    let line = Line(checking: text, problems)
    return problems.count == before ? line : nil
  }

  /// Trims a text; if it is not a single line, notes the problem and makes an empty line.
  init(checking text: String, _ problems: Problems) {
    let scalars = text.unicodeScalars
    if scalars.contains(where: \.breaksLine) {
      problems.note("must be one line without control characters")
      return
    }
    guard let first = scalars.firstIndex(where: { !$0.properties.isWhitespace }),
      let last = scalars.lastIndex(where: { !$0.properties.isWhitespace })
    else { return }
    self.text = String(scalars[first...last])
  }

  func write(to writer: Writer) { text.write(to: writer) }
  func fits(_ limit: ClosedRange<Int>) -> Bool { text.fits(limit) }
  static func limitText(_ limit: ClosedRange<Int>) -> String { String.limitText(limit) }
  static func schema(_ limit: ClosedRange<Int>?) -> JSON { String.schema(limit) }
}

/// A text of any number of lines, at least one of which is not blank.
struct Prose: Field {
  var text = ""

  static func read(_ view: View?, _ problems: Problems) -> Self? {
    guard let text = String.read(view, problems) else { return nil }
    if view?.isPrintable != true, text.unicodeScalars.contains(where: { $0.isControl && !$0.isLayout }) {
      problems.note("must not contain control characters")
      return nil
    }
    if !text.utf8.contains(where: { 0x21...0x7E ~= $0 }), text.unicodeScalars.allSatisfy(\.properties.isWhitespace) {
      problems.note("must say something")
      return nil
    }
    return Prose(text: text)
  }

  func write(to writer: Writer) { text.write(to: writer) }
  func fits(_ limit: ClosedRange<Int>) -> Bool { text.fits(limit) }
  static func limitText(_ limit: ClosedRange<Int>) -> String { String.limitText(limit) }
  static func schema(_ limit: ClosedRange<Int>?) -> JSON { String.schema(limit) }
}

extension Unicode.Scalar {
  /// Whether the scalar is in general category Cc, which Unicode never extends: looking up its properties takes 70 ns.
  fileprivate var isControl: Bool { value < 0x20 || 0x7F...0x9F ~= value }

  /// Whether the scalar is a control, the line separator or the paragraph separator.
  fileprivate var breaksLine: Bool { isControl || self == "\u{2028}" || self == "\u{2029}" }

  fileprivate var isLayout: Bool { self == "\n" || self == "\t" || self == "\r" }
}
