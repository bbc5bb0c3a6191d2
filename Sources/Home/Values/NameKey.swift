import Foundation

/// The key that two names of the same thing have in common (R-MERGE).
///
/// Compatibility forms, case and spaces do not count.
enum NameKey {
  static func of(_ name: String) -> String {
    let folded =
      name.utf8.allSatisfy { $0 < 0x80 }
      ? name.lowercased()
      : name.precomposedStringWithCompatibilityMapping.folding(options: .caseInsensitive, locale: nil)
        // Case folding may decompose a letter again.
        .precomposedStringWithCompatibilityMapping
    return folded.split(whereSeparator: \.isWhitespace).joined(separator: " ")
  }
}
