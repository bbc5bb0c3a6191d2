import JSON
import TestSupport

/// Parses a text and returns its value or the error.
func parsed(_ text: String, on tape: Tape = Tape()) -> Result<JSON, JSONError> {
  parsed(Array(text.utf8), on: tape)
}

func parsed(_ bytes: [UInt8], on tape: Tape = Tape()) -> Result<JSON, JSONError> {
  do throws(JSONError) {
    defer { withExtendedLifetime(tape) {} }
    return .success(JSON(try tape.parse(bytes.span)))
  } catch {
    return .failure(error)
  }
}

/// Lends `body` a view of the parsed text.
func withView<Result>(of text: String, _ body: (View) throws -> Result) throws -> Result {
  let tape = Tape()
  defer { withExtendedLifetime(tape) {} }
  return try body(tape.parse(Array(text.utf8).span))
}

/// Returns the text that `write` writes.
func written(_ write: (Writer) -> Void) -> String {
  let writer = Writer(capacity: 1)
  write(writer)
  return String(decoding: writer.bytes(), as: UTF8.self)
}

extension SeededGenerator {
  mutating func below(_ bound: Int) -> Int { Int.random(in: 0..<bound, using: &self) }
}

extension SeededGenerator {
  private static let words = [
    "", "a", "b", "id", "__proto__", "é", "e\u{301}", "\"", "\\", "/", "\u{0}", "\n\r\t\u{8}\u{C}", "\u{7F}",
    "\u{2028}", "日本", "👩‍👩‍👧", "\u{10FFFF}", "\u{FFFD}", "a long text without anything special in it", "1234567",
    "12345678",
    "1234567\"", "12345678\\", "\u{1F}ünïcödé",
  ]
  private static let numbers = [
    "0", "-0", "1", "-1", "9223372036854775807", "-9223372036854775808", "9223372036854775808", "1.0", "1e2", "1E+2",
    "1.5e-7", "0.1", "123456789.123456789", "5e-324", "1.7976931348623157e308", "12345678901234567890123",
  ]

  mutating func word() -> String { Self.words[below(Self.words.count)] }

  /// A random value, nested at most `depth` deep.
  mutating func value(depth: Int) -> JSON {
    switch below(depth > 0 ? 8 : 5) {
    case 0: return .null
    case 1: return .bool(below(2) == 0)
    case 2: return JSON.Number(text: Self.numbers[below(Self.numbers.count)]).map(JSON.number) ?? .null
    case 3: return .string(word() + word())
    case 4: return .string(word())
    case 5:
      var items: [JSON] = []
      for _ in 0..<below(5) { items.append(value(depth: depth - 1)) }
      return .array(items)
    default:
      var members: [String: JSON] = [:]
      for _ in 0..<below(below(8) == 0 ? 40 : 5) { members[word() + word()] = value(depth: depth - 1) }
      return .object(members)
    }
  }

  /// A random document without null members. It has few keys, so that documents share them.
  mutating func document(depth: Int) -> JSON { small(depth: depth, nulls: false) }

  /// A random patch with the keys of `document`, including removals.
  mutating func patch(depth: Int) -> JSON { small(depth: depth, nulls: true) }

  private mutating func small(depth: Int, nulls: Bool) -> JSON {
    switch below(depth > 0 ? 10 : 4) {
    case 0: return nulls ? .null : .bool(true)
    case 1: return ["a", .null, ["a": .null]]
    case 2: return .string(["a", "b"][below(2)])
    case 3: return .number(JSON.Number(below(3)))
    default:
      var members: [String: JSON] = [:]
      for key in ["a", "b", "c"] where below(3) > 0 { members[key] = small(depth: depth - 1, nulls: nulls) }
      return .object(members)
    }
  }
}
