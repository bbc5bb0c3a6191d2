/// One line of a screen: texts, and the role of each, from which its colour follows.
struct ScreenLine: Equatable {
  enum Ink: String {
    case plain = ""
    case title = "1"
    case section = "36"
    case good = "32"
    case bad = "31"
    case news = "33"
    case faint = "2"
  }

  private struct Span: Equatable {
    var text: String
    var ink: Ink
  }

  private var spans: [Span]

  /// Texts of other people lose everything that a terminal obeys.
  init(_ text: String, _ ink: Ink) {
    spans = [Span(text: printable(text.replacing("\n", with: " ")), ink: ink)]
  }

  /// Both lines as one.
  static func + (left: ScreenLine, right: ScreenLine) -> ScreenLine {
    var line = left
    line.spans += right.spans
    return line
  }

  /// The line, cut off behind so many columns.
  func drawn(columns: Int, isColoured: Bool) -> String {
    var rest = spans.reduce("") { $0 + $1.text }.truncated(toColumns: columns)
    return spans.reduce(into: "") { drawn, span in
      // Cutting off changes one character at the end, and nothing before it.
      let text = String(rest.prefix(span.text.count))
      rest = String(rest.dropFirst(text.count))
      guard !text.isEmpty else { return }
      drawn += isColoured && span.ink != .plain ? "\u{1B}[\(span.ink.rawValue)m\(text)\u{1B}[0m" : text
    }
  }
}
