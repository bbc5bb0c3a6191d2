import Foundation

/// The fields of the rooms' documents that clients see, by the listing that `FormatTests` compares with the code.
struct DocumentedState {
  /// The fields of a table or record.
  struct Fields {
    /// Whether a field may be absent; `nil` if the listing does not say.
    var isOptional: [String: Bool?] = [:]

    /// Whether a list in protocol.md has these fields and no others.
    func matches(_ documented: [String: Bool]) -> Bool {
      documented.count == isOptional.count
        && isOptional.allSatisfy { field, isOptional in
          guard let found = documented[field] else { return false }
          return isOptional.map { $0 == found } ?? true
        }
    }
  }

  /// By kind of room and name, such as `share receivers`.
  private(set) var tables: [String: Fields] = [:]
  private(set) var words: Set<String> = []

  init() throws {
    let tests = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    let file = tests.appending(path: "StorageTests/Formats/listing.txt")
    for line in try String(contentsOf: file, encoding: .utf8).split(separator: "\n") {
      guard let match = line.wholeMatch(of: #/(\w+) (shown|live|kept) ([^:]+): (\S+)(?: (\S+))?/#) else { continue }
      words.formUnion((match.5 ?? "").split(separator: "|").map(String.init))
      // `tasks[]` is a field like any other.
      let path = match.3.replacing("[]", with: "").split(separator: ".").map(String.init)
      note(String(match.1), path, isOptional: match.3.hasSuffix("[]") ? nil : match.4.contains("null"))
    }
    // `none` is never written: the part is then empty.
    words.subtract(["null", "none"])
    // Currencies are those of ISO 4217.
    words = words.filter { $0.wholeMatch(of: #/[A-Z]{3}/#) == nil }
  }

  /// Notes the field at a path such as `notes.*.place.x`, where `*` stands for a key.
  ///
  /// - Parameter isOptional: `nil` for a list, of which the listing has the elements only.
  private mutating func note(_ room: String, _ path: [String], isOptional: Bool?) {
    let isRow = path.count > 1 && path[1] == "*"
    let names = path.filter { $0 != "*" }
    guard names.count > 1 else { return }
    // The members of a record outside a table are optional in the code if the whole record may be empty.
    let isKnown = isRow && names.count == 2 && path.last != "*"
    tables["\(room) \(names[0])", default: Fields()].isOptional[names[1]] = .some(isKnown ? isOptional : nil)
    guard names.count > 2 else { return }
    tables["\(room) \(names[0]).\(names[1])", default: Fields()].isOptional[names[2]] = .some(nil)
  }

  /// The lists of fields in protocol.md, such as ``notes` {text, colour?}`, by name; a `?` marks what may be absent.
  static func tables(in document: String) -> [String: [[String: Bool]]] {
    let text = document.replacing(#/```.*?```/#.dotMatchesNewlines(), with: "").replacing(#/\s+/#, with: " ")
    var tables: [String: [[String: Bool]]] = [:]
    for match in text.matches(of: #/`(\w+)\??`[^`{|]{0,40}\{/#) {
      if let body = body(text[match.range.upperBound...]) { add(fields: body, to: String(match.1), &tables) }
    }
    return tables
  }

  /// The text up to the brace that closes what has been opened before it.
  private static func body(_ text: Substring) -> Substring? {
    var depth = 1
    for index in text.indices {
      if text[index] == "{" { depth += 1 }
      if text[index] == "}" { depth -= 1 }
      if depth == 0 { return text[..<index] }
    }
    return nil
  }

  private static func add(fields body: Substring, to table: String, _ tables: inout [String: [[String: Bool]]]) {
    var fields: [String: Bool] = [:]
    for part in split(body) {
      guard let match = part.prefixMatch(of: #/\s*(\w+)(\??)/#) else { continue }
      fields[String(match.1)] = !match.2.isEmpty
      let rest = part[match.range.upperBound...].drop { $0 == " " }
      if rest.first == "{", let inner = Self.body(rest.dropFirst()) { add(fields: inner, to: String(match.1), &tables) }
    }
    tables[table, default: []].append(fields)
  }

  /// The parts between commas, but those in parentheses and braces.
  private static func split(_ body: Substring) -> [Substring] {
    var parts: [Substring] = []
    var start = body.startIndex
    var depth = 0
    for index in body.indices {
      if "{(".contains(body[index]) { depth += 1 }
      if "})".contains(body[index]) { depth -= 1 }
      if body[index] == ",", depth == 0 {
        parts.append(body[start..<index])
        start = body.index(after: index)
      }
    }
    return parts + [body[start...]]
  }
}
