/// The classes of scalars that texts are checked for (SPEC, "Rules that hold everywhere").
extension Unicode.Scalar {
  /// Whether this is of the general category Cc, which Unicode never adds to: asking its properties takes 70 ns.
  var isControl: Bool { value < 0x20 || 0x7F...0x9F ~= value }

  /// Controls, the line separator and the paragraph separator.
  var breaksLine: Bool { isControl || self == "\u{2028}" || self == "\u{2029}" }

  /// White space of any kind.
  var isBlank: Bool { value < 0x80 ? value == 0x20 || 0x09...0x0D ~= value : properties.isWhitespace }

  /// The controls that texts may contain.
  var isLayout: Bool { self == "\n" || self == "\t" }

  /// Whether this turns the text around it: the embeddings, overrides and isolates of the bidirectional algorithm
  /// (UAX #9). Marks that turn nothing, such as U+200E and U+200F, stay.
  var turnsText: Bool { 0x202A...0x202E ~= value || 0x2066...0x2069 ~= value }

  /// Whether this shows something by itself.
  ///
  /// White space, marks, formats and what Unicode calls ignorable do not, nor do some letters and symbols that are
  /// blank by definition. A scalar newer than the system's tables counts as visible: it is most likely an emoji.
  var isVisible: Bool {
    if 0x21...0x7E ~= value { return true }
    if isControl || isBlank || Self.blanks.contains(value) { return false }
    let properties = properties
    if properties.isDefaultIgnorableCodePoint { return false }
    return switch properties.generalCategory {
    case .nonspacingMark, .spacingMark, .enclosingMark, .format: false
    case .unassigned: !properties.isNoncharacterCodePoint
    default: true
    }
  }

  /// The blank Braille pattern, the object replacement character, full and half blanks of Egyptian hieroglyphs, and the
  /// musical null notehead.
  private static let blanks: Set<UInt32> = [0x2800, 0xFFFC, 0x13441, 0x13442, 0x1D159]
}
