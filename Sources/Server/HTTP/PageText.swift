import HTTP

/// The page's sources as they are served.
///
/// Sources are written to be read, and served to be loaded: comments that have lines of their own, and indentation, are
/// a quarter of what a phone would fetch. Lines keep their numbers, for reports of errors.
enum PageText {
  /// The bytes of a file as they are served, with the values of placeholders put in.
  static func served(_ file: WebFile, _ values: [(String, String)]) -> [UInt8] {
    let ending = file.path.split(separator: ".").last ?? ""
    guard ["js", "css", "html", "webmanifest", "ts"].contains(ending) else { return file.bytes }
    var text = String(decoding: file.bytes, as: UTF8.self)
    for (placeholder, value) in values { text = text.replacing(placeholder, with: value) }
    return ["js", "css"].contains(ending) ? withoutComments(text) : Array(text.utf8)
  }

  /// Leaves out comments that have lines of their own, and indentation. No text of the page's sources spans lines.
  private static func withoutComments(_ text: String) -> [UInt8] {
    var isInComment = false
    var bytes: [UInt8] = []
    bytes.reserveCapacity(text.utf8.count)
    for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
      if index > 0 { bytes.append(UInt8(ascii: "\n")) }
      let code = line.drop { $0 == " " }
      if isInComment {
        isInComment = !code.contains("*/")
      } else if code.hasPrefix("/*"), !code.contains("*/") {
        isInComment = true
      } else if !code.hasPrefix("//"), !(code.hasPrefix("/*") && code.hasSuffix("*/")) {
        bytes += code.utf8
      }
    }
    return bytes
  }
}
