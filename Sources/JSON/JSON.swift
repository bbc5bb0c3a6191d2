/// A JSON value as a tree, for code that is not performance-critical: clients, tools, tests, composed patches.
///
/// Numbers keep their text. Strings are equal when their bytes are equal; keys are equal when Swift's `String` is, so
/// canonically equivalent keys are the same. A tree is no deeper than its text, so the tape's `depthLimit` bounds the
/// recursive functions here.
public indirect enum JSON: Hashable, Sendable {
  case null
  case bool(Bool)
  case number(Number)
  case string(String)
  case array([JSON])
  case object([String: JSON])

  /// A number, kept as its text, which is exact (RFC 8259 §6).
  public struct Number: Hashable, Sendable {
    public let text: String

    /// Keeps `text` unchanged; `nil` if it is not a JSON number.
    public init?(text: String) {
      guard case .number(let number)? = try? JSON.parse(text), number.text.utf8.count == text.utf8.count else {
        return nil
      }
      self = number
    }

    public init(_ value: Int) { text = String(value) }

    /// The shortest text that parses as the same double; `nil` if `value` is not finite.
    public init?(_ value: Double) {
      guard value.isFinite else { return nil }
      let text = value.description
      self.text = text.hasSuffix(".0") ? String(text.dropLast(2)) : text
    }

    init(verbatim text: String) { self.text = text }
  }

  public static func == (first: JSON, second: JSON) -> Bool {
    switch (first, second) {
    case (.null, .null): true
    case (.bool(let a), .bool(let b)): a == b
    case (.number(let a), .number(let b)): a == b
    // Swift treats two spellings of "é" as one string; a client that compares bytes does not.
    case (.string(let a), .string(let b)): a.utf8.elementsEqual(b.utf8)
    case (.array(let a), .array(let b)): a == b
    case (.object(let a), .object(let b)): a == b
    case (.null, _), (.bool, _), (.number, _), (.string, _), (.array, _), (.object, _): false
    }
  }
}

extension JSON {
  /// Copies a view's value, so that it outlives the tape.
  public init(_ view: View) {
    switch view.kind {
    case .null: self = .null
    case .bool: self = .bool(view.bool ?? false)
    case .number: self = .number(Number(verbatim: view.verbatim))
    case .string: self = .string(view.string ?? "")
    case .array:
      var items: [JSON] = []
      view.forEachItem { items.append(JSON($0)) }
      self = .array(items)
    case .object:
      var members: [String: JSON] = [:]
      view.forEachMember { key, value in members[key.string ?? ""] = JSON(value) }
      self = .object(members)
    }
  }

  /// Parses a text with the strictness of `Tape`. The limits count nesting, values and keys, and bytes.
  public static func parse(
    _ bytes: [UInt8], depthLimit: Int = 32, nodeLimit: Int = 1_000_000, byteLimit: Int = 16 << 20
  ) throws(JSONError) -> JSON {
    let tape = Tape(depthLimit: depthLimit, nodeLimit: nodeLimit, byteLimit: byteLimit)
    defer { withExtendedLifetime(tape) {} }
    return JSON(try tape.parse(bytes.span))
  }

  /// Parses a text with the strictness of `Tape` and the default limits.
  public static func parse(_ text: String) throws(JSONError) -> JSON {
    try parse(Array(text.utf8))
  }

  /// Writes the value with sorted keys, so that equal values give equal bytes.
  public func write(to writer: Writer) {
    switch self {
    case .null: writer.null()
    case .bool(let value): writer.bool(value)
    case .number(let number): writer.value(Array(number.text.utf8))
    case .string(let text): writer.string(text)
    case .array(let items):
      writer.openArray()
      for item in items { item.write(to: writer) }
      writer.closeArray()
    case .object(let members):
      writer.openObject()
      // Sort by bytes: Swift's `<` on strings is not a total order when composed and decomposed characters mix.
      for (key, value) in members.sorted(by: { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }) {
        writer.key(key)
        value.write(to: writer)
      }
      writer.closeObject()
    }
  }

  /// The encoded value with sorted keys.
  public var bytes: [UInt8] {
    let writer = Writer()
    write(to: writer)
    return writer.bytes()
  }

  /// The encoded value with sorted keys, as a string.
  public var text: String { String(decoding: bytes, as: UTF8.self) }
}

/// Typed access; each property is `nil` when the value has another type.
extension JSON {
  public var isNull: Bool { self == .null }

  public var bool: Bool? {
    if case .bool(let value) = self { value } else { nil }
  }

  public var string: String? {
    if case .string(let text) = self { text } else { nil }
  }

  /// The number, if it is written as an integer and fits in `Int`.
  public var int: Int? {
    if case .number(let number) = self { Int(number.text) } else { nil }
  }

  /// The number as the nearest double, if that is finite.
  public var double: Double? {
    guard case .number(let number) = self, let value = Double(number.text), value.isFinite else { return nil }
    return value
  }

  public var array: [JSON]? {
    if case .array(let items) = self { items } else { nil }
  }

  public var object: [String: JSON]? {
    if case .object(let members) = self { members } else { nil }
  }

  /// The member of an object with this key.
  public subscript(key: String) -> JSON? { object?[key] }

  /// The item of an array at this index; `nil` if it is out of range.
  public subscript(index: Int) -> JSON? {
    guard case .array(let items) = self, items.indices.contains(index) else { return nil }
    return items[index]
  }
}

// There is no `nil` literal: `flag ? nil : value` would then be JSON null instead of an absent value.
extension JSON: ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral,
  ExpressibleByFloatLiteral, ExpressibleByStringLiteral, ExpressibleByStringInterpolation, ExpressibleByArrayLiteral,
  ExpressibleByDictionaryLiteral
{
  public init(booleanLiteral value: Bool) { self = .bool(value) }
  public init(integerLiteral value: Int) { self = .number(Number(value)) }
  /// A literal that overflows to infinity becomes null.
  public init(floatLiteral value: Double) { self = Number(value).map(JSON.number) ?? .null }
  public init(stringLiteral value: String) { self = .string(value) }
  public init(arrayLiteral items: JSON...) { self = .array(items) }
  /// When a key is repeated, the last value wins.
  public init(dictionaryLiteral members: (String, JSON)...) {
    self = .object(Dictionary(members, uniquingKeysWith: { $1 }))
  }
}

extension View {
  fileprivate var verbatim: String { unsafe String(decoding: bytes(of: node), as: UTF8.self) }
}
