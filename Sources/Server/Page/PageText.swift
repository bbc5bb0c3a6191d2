/// The page's sources as they are served: scripts linked and squeezed, styles without comments and indentation.
package struct PageText {
  /// The bytes of each file, by path.
  package let bytes: [String: [UInt8]]
  /// The modules that stand in another file already, and that nothing loads.
  package let linked: Set<String>

  package init(_ files: [WebFile]) {
    let sources = files.filter { $0.path.hasSuffix(".js") }.map { ($0.path, String(decoding: $0.bytes, as: UTF8.self)) }
    let scripts = LinkedScripts(Dictionary(sources) { $1 })
    linked = scripts.linked
    var bytes: [String: [UInt8]] = [:]
    for file in files { bytes[file.path] = file.path.hasSuffix(".css") ? Self.withoutComments(file.bytes) : file.bytes }
    for (path, text) in scripts.texts { bytes[path] = ScriptText.squeezed(Array(text.utf8)) }
    self.bytes = bytes
  }

  /// Leaves out comments that have lines of their own, and indentation. No text of the styles spans lines.
  private static func withoutComments(_ style: [UInt8]) -> [UInt8] {
    var isInComment = false
    var bytes: [UInt8] = []
    bytes.reserveCapacity(style.count)
    for line in String(decoding: style, as: UTF8.self).split(separator: "\n") {
      let code = line.drop { $0 == " " }
      if isInComment {
        isInComment = !code.contains("*/")
      } else if code.hasPrefix("/*") {
        isInComment = !code.contains("*/")
      } else {
        bytes += code.utf8
        bytes.append(UInt8(ascii: "\n"))
      }
    }
    return bytes
  }
}
