/// The key that two names of the same thing have in common (R-MERGE).
///
/// Compatibility forms (NFKC), case (full case folding, in no locale) and spaces do not count.
enum NameKey {
  static func of(_ name: String) -> String {
    let folded =
      name.utf8.allSatisfy { $0 < 0x80 }
      ? name.lowercased()
      // Folding may take a letter apart again.
      : folded(name.compatible).compatible
    // By scalars: a space with a mark on it is one `Character`.
    return folded.unicodeScalars.split(whereSeparator: \.isBlank).map { String($0) }
      .joined(separator: " ")
  }

  /// Full case folding (Unicode, `CaseFolding.txt`, C and F): the lower case of the upper case of the lower case, so
  /// that ẞ and ß are `ss` and ς is σ.
  ///
  /// Foundation's own folding leaves out letters newer than its tables. The one letter whose case is more than its
  /// folding is the dotless ı, which folds to itself. Cherokee folds to capitals in that file, and to small ones here.
  private static func folded(_ text: String) -> String {
    var folded = ""
    for scalar in text.unicodeScalars {
      if scalar == "\u{131}" {
        folded.unicodeScalars.append(scalar)
      } else {
        folded += scalar.properties.lowercaseMapping.uppercased().lowercased()
      }
    }
    return folded
  }
}
