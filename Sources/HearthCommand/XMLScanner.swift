/// Reads the part of XML that tracks consist of: elements, attributes and plain text, one after another.
///
/// It expands nothing: document types are refused, and references such as `&amp;` stay as they are. Foundation's parser
/// is not used, because a program with it needs libxml2 on the machine on which it runs.
struct XMLScanner {
  enum Token: Equatable {
    case start(String, attributes: [String: String])
    case end(String)
    case text(String)
  }

  /// A fault of the document, and its line.
  struct Problem: Error, Equatable {
    var line: Int
    var reason: String
  }

  static let depthLimit = 64
  static let attributeLimit = 64

  private let bytes: [UInt8]
  private var position = 0
  /// The line of the next byte, from 1.
  private var line = 1
  /// The elements that are open, the outermost first, and the line of each.
  private(set) var open: [(name: String, line: Int)] = []
  /// The line in which the last token starts.
  private(set) var tokenLine = 1
  /// The end of an element without content, which `next` returns after its start.
  private var isEndDue = false
  private var hasRoot = false

  init(_ bytes: [UInt8]) {
    self.bytes = bytes
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { position = 3 }
  }

  /// The next token; `nil` at the end of the document. Blanks between elements are left out.
  mutating func next() throws(Problem) -> Token? {
    if isEndDue {
      isEndDue = false
      return .end(open.removeLast().name)
    }
    while position < bytes.count {
      tokenLine = line
      if bytes[position] != UInt8(ascii: "<") {
        let text = take { $0 != UInt8(ascii: "<") }
        if text.allSatisfy({ Self.isBlank($0) }) { continue }
        guard !open.isEmpty else { throw problem(hasRoot ? "text behind the last element" : "this is not XML") }
        return .text(String(decoding: text, as: UTF8.self))
      } else if skip("<!--") {
        try skip(behind: "-->", of: "a comment")
      } else if skip("<![CDATA[") {
        try skip(behind: "]]>", of: "a CDATA section")
      } else if skip("<?") {
        try skip(behind: "?>", of: "an instruction")
      } else if skip("<!") {
        throw problem("document types are not allowed")
      } else {
        return try tag()
      }
    }
    tokenLine = line
    if let unfinished = open.last {
      throw problem("the file ends within <\(unfinished.name)> of line \(unfinished.line)")
    }
    guard hasRoot else { throw problem("the file is empty") }
    return nil
  }

  private mutating func tag() throws(Problem) -> Token {
    advance()
    if skip("/") {
      let name = try name()
      skipBlanks()
      guard skip(">") else { throw problem("</\(name) has no >") }
      guard let last = open.popLast() else { throw problem("</\(name)> ends nothing") }
      guard last.name == name else { throw problem("</\(name)> stands in <\(last.name)> of line \(last.line)") }
      return .end(name)
    }
    let name = try name()
    guard !open.isEmpty || !hasRoot else { throw problem("<\(name)> stands behind the last element") }
    guard open.count < Self.depthLimit else { throw problem("more than \(Self.depthLimit) elements in each other") }
    hasRoot = true
    open.append((name, tokenLine))
    var attributes: [String: String] = [:]
    while true {
      skipBlanks()
      if skip(">") { return .start(name, attributes: attributes) }
      if skip("/>") {
        isEndDue = true
        return .start(name, attributes: attributes)
      }
      guard current != nil else { throw problem("<\(name)> has no >") }
      guard attributes.count < Self.attributeLimit else {
        throw problem("<\(name)> has more than \(Self.attributeLimit) attributes")
      }
      let attribute = try self.name()
      skipBlanks()
      guard skip("=") else { throw problem("the attribute \(attribute) of <\(name)> has no value") }
      skipBlanks()
      guard let quote = current, quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") else {
        throw problem("the value of \(attribute) is not in quotes")
      }
      advance()
      let value = take { $0 != quote }
      guard current == quote else { throw problem("the value of \(attribute) has no end") }
      advance()
      attributes[attribute] = String(decoding: value, as: UTF8.self)
    }
  }

  /// A name without the prefix of its namespace.
  private mutating func name() throws(Problem) -> String {
    let name = take { byte in
      !Self.isBlank(byte) && !"=/>\"'<&".utf8.contains(byte)
    }
    guard !name.isEmpty, name.count <= 256 else { throw problem("a name is missing or too long") }
    return String(decoding: name.split(separator: UInt8(ascii: ":")).last ?? name, as: UTF8.self)
  }

  // MARK: bytes

  private var current: UInt8? { position < bytes.count ? bytes[position] : nil }

  private mutating func advance() {
    if current == UInt8(ascii: "\n") { line += 1 }
    position += 1
  }

  private mutating func take(while matches: (UInt8) -> Bool) -> ArraySlice<UInt8> {
    let start = position
    while let byte = current, matches(byte) { advance() }
    return bytes[start..<position]
  }

  private mutating func skipBlanks() { _ = take { Self.isBlank($0) } }

  private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || 0x09...0x0D ~= byte }

  private mutating func skip(_ text: String) -> Bool {
    guard bytes[position...].starts(with: text.utf8) else { return false }
    for _ in text.utf8 { advance() }
    return true
  }

  private mutating func skip(behind text: String, of what: String) throws(Problem) {
    while position < bytes.count {
      if skip(text) { return }
      advance()
    }
    throw problem("\(what) has no end")
  }

  private func problem(_ reason: String) -> Problem { Problem(line: tokenLine, reason: reason) }
}
