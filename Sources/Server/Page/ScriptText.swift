import HTTP

/// A script without what only its readers need.
///
/// Sources are written to be read, and served to be loaded: comments and space are a quarter of what a phone would
/// fetch. Every statement of the sources ends with a semicolon or a brace, as their formatter sees to, so that a line's
/// end means nothing more than a space. Names are served as they are written.
struct ScriptText {
  private let source: [UInt8]
  private var index = 0
  private var output: [UInt8] = []

  /// The script without comments and without space that means nothing.
  static func squeezed(_ source: [UInt8]) -> [UInt8] {
    var text = ScriptText(source: source)
    text.output.reserveCapacity(source.count)
    text.copyCode(isInTemplate: false)
    return text.output
  }

  private init(source: [UInt8]) { self.source = source }

  private func byte(at offset: Int = 0) -> UInt8? {
    index + offset < source.count ? source[index + offset] : nil
  }

  /// Copies code to its end, or to the brace that closes a place in a template.
  private mutating func copyCode(isInTemplate: Bool) {
    var depth = 0
    while let next = byte() {
      switch next {
      case .space, .lineFeed, .tab, .carriageReturn: skipSpace()
      case .slash where byte(at: 1) == .slash || byte(at: 1) == .star: skipSpace()
      case .quote, .apostrophe: copyText(until: next)
      case .backtick: copyTemplate()
      case .slash where beginsExpression: copyPattern()
      default:
        if next == .brace { depth += 1 }
        if next == .closingBrace {
          depth -= 1
          if isInTemplate, depth < 0 { return }
        }
        copy()
      }
    }
  }

  private mutating func copy() {
    output.append(source[index])
    index += 1
  }

  /// Leaves out space and comments; two words, or two signs that would be another together, keep one space.
  private mutating func skipSpace() {
    while let next = byte() {
      if next == .slash, byte(at: 1) == .slash {
        while let next = byte(), next != .lineFeed { index += 1 }
      } else if next == .slash, byte(at: 1) == .star {
        index += 2
        while byte() != nil, byte() != .star || byte(at: 1) != .slash { index += 1 }
        index = min(index + 2, source.count)
      } else if next == .space || next == .lineFeed || next == .tab || next == .carriageReturn {
        index += 1
      } else {
        break
      }
    }
    guard let last = output.last, let next = byte() else { return }
    let isBetweenWords = last.isOfWord && next.isOfWord
    if isBetweenWords || last == next && (next == .plus || next == .minus) { output.append(.space) }
  }

  private mutating func copyText(until end: UInt8) {
    copy()
    while let next = byte() {
      if next == .backslash { copy() }
      if index < source.count { copy() }
      if next == end { return }
    }
  }

  private mutating func copyTemplate() {
    copy()
    while let next = byte() {
      if next == .backslash {
        copy()
      } else if next == .dollar, byte(at: 1) == .brace {
        copy()
        copy()
        copyCode(isInTemplate: true)
      }
      if index < source.count { copy() }
      if next == .backtick { return }
    }
  }

  /// Copies a regular expression, in whose classes a slash is a slash.
  private mutating func copyPattern() {
    var isInClass = false
    copy()
    while let next = byte() {
      if next == .backslash { copy() }
      if next == UInt8(ascii: "[") { isInClass = true }
      if next == UInt8(ascii: "]") { isInClass = false }
      if index < source.count { copy() }
      if next == .slash, !isInClass { return }
    }
  }

  /// Whether a value may stand here, so that a slash begins a regular expression; after a value it divides.
  private var beginsExpression: Bool {
    guard let last = output.last else { return true }
    guard last.isOfWord else { return last != UInt8(ascii: ")") && last != UInt8(ascii: "]") && last != .closingBrace }
    let word = output.suffix(10).reversed().prefix { $0.isOfWord }.reversed()
    return ["return", "typeof", "case", "await", "of", "in"].contains(String(decoding: word, as: UTF8.self))
  }
}

extension UInt8 {
  fileprivate static let slash = UInt8(ascii: "/")
  fileprivate static let star = UInt8(ascii: "*")
  fileprivate static let apostrophe = UInt8(ascii: "'")
  fileprivate static let backtick = UInt8(ascii: "`")
  fileprivate static let dollar = UInt8(ascii: "$")
  fileprivate static let brace = UInt8(ascii: "{")
  fileprivate static let closingBrace = UInt8(ascii: "}")
  fileprivate static let plus = UInt8(ascii: "+")
  fileprivate static let minus = UInt8(ascii: "-")

  /// Whether it belongs to a name, a number or a word of the language; `#` begins private names.
  fileprivate var isOfWord: Bool {
    isLetter || isDigit || self == .dollar || self == UInt8(ascii: "_") || self == UInt8(ascii: "#") || self >= 0x80
  }
}
