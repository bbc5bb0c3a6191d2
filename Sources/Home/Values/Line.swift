public import JSON
public import Rooms

/// A text of one line that shows something, such as a name: without white space around it, without control characters
/// and without what turns the text around it.
public struct Line: Field {
  public internal(set) var text = ""

  public init(_ text: String = "") { self.text = text }

  public static func read(_ view: View?, _ problems: Problems) -> Self? {
    guard let text = String.read(view, problems) else { return nil }
    // To most texts a look at their bytes is enough: to look at scalars takes ten times as long.
    if view?.isPrintable == true, text.utf8.first != 0x20, text.utf8.last != 0x20 { return Line(text) }
    let before = problems.count
    let line = Line(checking: text, problems)
    return problems.count == before ? line : nil
  }

  /// Trims a text; an empty line, and a problem noted, where it is more than a line or shows nothing.
  init(checking text: String, _ problems: Problems) {
    let scalars = text.unicodeScalars
    if scalars.contains(where: \.breaksLine) {
      problems.note("must be one line without control characters")
      return
    }
    if scalars.contains(where: \.turnsText) {
      problems.note(turningText)
      return
    }
    guard let first = scalars.firstIndex(where: { !$0.isBlank }),
      let last = scalars.lastIndex(where: { !$0.isBlank })
    else { return }
    guard scalars.contains(where: \.isVisible) else {
      problems.note("must show something")
      return
    }
    self.text = String(scalars[first...last])
  }

  public func write(to writer: Writer) { text.write(to: writer) }
  public func fits(_ limit: ClosedRange<Int>) -> Bool { text.fits(limit) }
  public static func limitText(_ limit: ClosedRange<Int>) -> String { String.limitText(limit) }
  public static func schema(_ limit: ClosedRange<Int>?) -> JSON { String.schema(limit) }
}

/// A text of any number of lines, of which at least one says something.
struct Prose: Field {
  var text = ""

  static func read(_ view: View?, _ problems: Problems) -> Self? {
    guard let text = String.read(view, problems) else { return nil }
    if view?.isPrintable != true {
      if text.unicodeScalars.contains(where: { $0.isControl && !$0.isLayout }) {
        problems.note("must not contain control characters")
        return nil
      }
      if text.unicodeScalars.contains(where: \.turnsText) {
        problems.note(turningText)
        return nil
      }
    }
    if !text.utf8.contains(where: { 0x21...0x7E ~= $0 }), !text.unicodeScalars.contains(where: \.isVisible) {
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

/// The beginning of a line, as a person types it: it may be empty, and it may end in white space.
struct LineBeginning: Field {
  var text = ""

  static func read(_ view: View?, _ problems: Problems) -> Self? {
    guard let text = String.read(view, problems) else { return nil }
    if view?.isPrintable != true, text.unicodeScalars.contains(where: \.breaksLine) {
      problems.note("must be one line without control characters")
      return nil
    }
    return LineBeginning(text: text)
  }

  func write(to writer: Writer) { text.write(to: writer) }
  func fits(_ limit: ClosedRange<Int>) -> Bool { text.fits(limit) }
  static func limitText(_ limit: ClosedRange<Int>) -> String { String.limitText(limit) }
  static func schema(_ limit: ClosedRange<Int>?) -> JSON { String.schema(limit) }
}

private let turningText = "must not contain U+202A to U+202E or U+2066 to U+2069, which turn the text around them"
