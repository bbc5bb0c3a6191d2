import JSON

// JSON for people at a terminal.

extension JSON {
  /// JSON with two spaces per level and sorted keys.
  var indented: String { indented(by: "") }

  private func indented(by margin: String) -> String {
    let inner = margin + "  "
    switch self {
    case .array(let items) where !items.isEmpty:
      return "[\n" + items.map { inner + $0.indented(by: inner) }.joined(separator: ",\n") + "\n\(margin)]"
    case .object(let members) where !members.isEmpty:
      let lines = Self.sorted(members).map { "\(inner)\(JSON.string($0.key).text): \($0.value.indented(by: inner))" }
      return "{\n" + lines.joined(separator: ",\n") + "\n\(margin)}"
    default: return text
    }
  }

  /// The members of an object, one per line and indented by depth; everything else as JSON.
  var outline: [String] {
    guard let members = object else { return [text] }
    return Self.sorted(members).flatMap { key, value in
      if let inner = value.object, !inner.isEmpty {
        return ["\(Self.name(key)):"] + value.outline.map { "  \($0)" }
      }
      return ["\(Self.name(key)): \(value.text)"]
    }
  }

  /// The changes in a merge patch, one path per line.
  var changes: [String] { changes(under: "") }

  private func changes(under path: String) -> [String] {
    guard let members = object else { return [isNull ? "\(path) removed" : "\(path) = \(text)"] }
    if members.isEmpty { return path.isEmpty ? [] : ["\(path) = {}"] }
    return Self.sorted(members)
      .flatMap { $0.value.changes(under: path.isEmpty ? Self.name($0.key) : "\(path).\(Self.name($0.key))") }
  }

  private static func sorted(_ members: [String: JSON]) -> [(key: String, value: JSON)] {
    members.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
  }

  /// A key, in quotes if it could be mistaken for something else.
  private static func name(_ key: String) -> String {
    let isPlain = key.unicodeScalars.allSatisfy { scalar in
      scalar.properties.isAlphabetic || scalar.properties.numericType != nil || scalar == "-" || scalar == "_"
    }
    return isPlain && !key.isEmpty ? key : JSON.string(key).text
  }

  /// The object without the members of these names.
  func without(_ keys: String...) -> JSON {
    guard let members = object else { return self }
    return .object(members.filter { !keys.contains($0.key) })
  }
}

/// Escapes all characters that move the cursor, change colours or turn the reading direction, so that texts by other
/// people cannot manipulate the terminal. The result is the same JSON.
func printable(_ text: String) -> String {
  var result = String.UnicodeScalarView()
  for scalar in text.unicodeScalars {
    let isControl = scalar.properties.generalCategory == .control && scalar != "\n"
    if isControl || scalar.properties.isBidiControl || scalar == "\u{2028}" || scalar == "\u{2029}" {
      let digits = String(scalar.value, radix: 16)  // None of these is above U+FFFF.
      result.append(contentsOf: "\\u\(String(repeating: "0", count: 4 - digits.count))\(digits)".unicodeScalars)
    } else {
      result.append(scalar)
    }
  }
  return String(result)
}
