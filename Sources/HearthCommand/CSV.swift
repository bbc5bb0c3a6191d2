/// Comma-separated values (RFC 4180).
enum CSV {
  /// A row with its line break. A field that holds a comma, a quote or a line break is quoted.
  ///
  /// A text that a spreadsheet would take for a formula gets an apostrophe before it; numbers stay as they are.
  static func row(_ fields: [String]) -> String { fields.map(field).joined(separator: ",") + "\r\n" }

  private static func field(_ text: String) -> String {
    var text = text
    if let first = text.first, "=+-@\t\r".contains(first), Double(text) == nil { text = "'" + text }
    guard text.utf8.contains(where: { [0x22, 0x2C, 0x0A, 0x0D].contains($0) }) else { return text }
    return "\"" + text.replacing("\"", with: "\"\"") + "\""
  }

  /// The rows of a text, without empty ones; `nil` if a quote is never closed.
  static func rows(_ text: String) -> [[String]]? {
    var rows: [[String]] = []
    var (row, field, isQuoted, wasQuoted) = ([String](), String.UnicodeScalarView(), false, false)
    func endRow() {
      row.append(String(field))
      if row != [""] { rows.append(row) }
      (row, field, wasQuoted) = ([], .init(), false)
    }
    var scalars = text.unicodeScalars.makeIterator()
    var next = scalars.next()
    // The mark of a text in UTF-8, which spreadsheets write.
    if next == "\u{FEFF}" { next = scalars.next() }
    while let scalar = next {
      next = scalars.next()
      switch scalar {
      case "\"" where isQuoted && next == "\"":
        field.append("\"")
        next = scalars.next()
      case "\"" where isQuoted: isQuoted = false
      case "\"" where field.isEmpty && !wasQuoted: (isQuoted, wasQuoted) = (true, true)
      case _ where isQuoted: field.append(scalar)
      case ",":
        row.append(String(field))
        (field, wasQuoted) = (.init(), false)
      case "\r" where next == "\n": break
      case "\n", "\r": endRow()
      default: field.append(scalar)
      }
    }
    if isQuoted { return nil }
    if !field.isEmpty || !row.isEmpty { endRow() }
    return rows
  }
}
