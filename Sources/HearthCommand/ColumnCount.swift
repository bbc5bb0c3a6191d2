// Widths in a terminal's columns (Unicode Standard Annex #11).

extension String {
  /// The number of a terminal's columns that the text takes: ideographs and emoji take two each.
  var columnCount: Int { reduce(0) { $0 + $1.columnCount } }

  /// The text, cut off behind so many columns; an ellipsis stands for the rest.
  func truncated(toColumns limit: Int) -> String {
    guard columnCount > limit else { return self }
    guard limit > 0 else { return "" }
    var text = ""
    var count = 0
    for character in self {
      count += character.columnCount
      // The last column is the ellipsis's.
      if count > limit - 1 { break }
      text.append(character)
    }
    return text + "…"
  }
}

extension Character {
  /// 0 to 2.
  var columnCount: Int {
    guard let first = unicodeScalars.first else { return 0 }
    if first.isWide || unicodeScalars.contains("\u{FE0F}") { return 2 }
    switch first.properties.generalCategory {
    case .nonspacingMark, .enclosingMark, .format, .control: return 0
    default: return 1
    }
  }
}

extension Unicode.Scalar {
  fileprivate var isWide: Bool {
    if value < 0x1100 { return false }
    if properties.isEmojiPresentation { return true }
    return switch value {
    case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0xA4CF, 0xA960...0xA97F, 0xAC00...0xD7A3, 0xF900...0xFAFF,
      0xFE30...0xFE6F, 0xFF01...0xFF60, 0xFFE0...0xFFE6, 0x1F1E6...0x1F1FF, 0x20000...0x3FFFD:
      true
    default: false
    }
  }
}
