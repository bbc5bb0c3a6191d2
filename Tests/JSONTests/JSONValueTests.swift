import Foundation
import JSON
import TestSupport
import Testing

@Suite("JSON values")
struct JSONValueTests {
  @Test("a value is unchanged after writing and parsing it")
  func roundTrip() throws {
    let seed: UInt64 = 0x5EED_0040
    var random = SeededGenerator(seed: seed)
    let tape = Tape(nodeLimit: 1_000_000)
    for _ in 0..<5_000 {
      let value = random.value(depth: 5)
      let bytes = value.bytes
      let again = parsed(bytes, on: tape)
      if again != .success(value) || again.map(\.bytes) != .success(bytes) {
        Issue.record("seed \(seed): \(value.text.prefix(1_000)) \(again.map { _ in 0 })")
      }
    }
  }

  /// Numbers are compared as doubles, since Foundation keeps no text. Foundation takes the last of duplicate keys, so
  /// none are generated here.
  @Test("parsing gives the same value as Foundation")
  func foundation() throws {
    let seed: UInt64 = 0x5EED_0041
    var random = SeededGenerator(seed: seed)
    for _ in 0..<3_000 {
      let value = random.value(depth: 4)
      let other = try JSONSerialization.jsonObject(with: Data(value.bytes), options: .fragmentsAllowed)
      if !Self.same(value, other) { Issue.record("seed \(seed): \(value.text)") }
      if case .object = value {
        let text = try JSONSerialization.data(withJSONObject: other, options: [.prettyPrinted])
        let again = try JSON.parse(Array(text))
        if !Self.same(again, other) { Issue.record("seed \(seed): \(value.text) by way of Foundation") }
      }
    }
  }

  static func same(_ value: JSON, _ other: Any) -> Bool {
    switch value {
    case .null: other is NSNull
    case .bool(let bool): (other as? Bool) == bool
    case .number: (other as? NSNumber)?.doubleValue == value.double
    case .string(let text): (other as? String).map { $0.utf8.elementsEqual(text.utf8) } ?? false
    case .array(let items):
      (other as? [Any]).map { $0.count == items.count && zip(items, $0).allSatisfy(same) } ?? false
    case .object(let members):
      (other as? [String: Any]).map { others in
        others.count == members.count
          && members.allSatisfy { key, item in others[key].map { same(item, $0) } ?? false }
      } ?? false
    }
  }

  @Test(
    "text that Foundation rejects is rejected here, too",
    arguments: ["[1 2]", "{\"a\" 1}", "[01]", "\"\\x\"", "[1", "nul", "[\"\u{1}\"]"])
  func foundationRefuses(text: String) {
    #expect(throws: (any Error).self) {
      try JSONSerialization.jsonObject(with: Data(text.utf8), options: .fragmentsAllowed)
    }
    #expect(throws: JSONError.self) { try JSON.parse(text) }
  }

  @Test("literals and accessors match the written JSON")
  func literals() {
    let value: JSON = ["a": [1, 2.5, true, .null, "x"], "b": ["c": -1], "d": "\(1 + 1)"]
    #expect(value.text == #"{"a":[1,2.5,true,null,"x"],"b":{"c":-1},"d":"2"}"#)
    #expect(value["a"]?[0]?.int == 1 && value["a"]?[1]?.double == 2.5 && value["a"]?[2]?.bool == true)
    #expect(value["a"]?[3]?.isNull == true && value["a"]?[4]?.string == "x" && value["a"]?.array?.count == 5)
    #expect(value["b"]?["c"]?.int == -1 && value.object?.keys.sorted() == ["a", "b", "d"] && value["e"] == nil)
    #expect(value["a"]?[5] == nil && value["a"]?[-1] == nil && value[0] == nil && value["a"]?["b"] == nil)
    #expect(value["d"]?.int == nil && value["d"]?.array == nil && value["d"]?.bool == nil && value.string == nil)
    #expect(value.double == nil && value["d"]?.object == nil)
    #expect((["k": 1, "k": 2] as JSON).text == #"{"k":2}"#)
  }

  @Test("a number keeps its text", arguments: ["1.0", "1e2", "-0", "0.10", "12345678901234567890.123e-5"])
  func numbers(text: String) throws {
    #expect(try JSON.parse(text).text == text)
    #expect(JSON.Number(text: text)?.text == text)
  }

  @Test(
    "text that is not a JSON number makes no number",
    arguments: ["", " 1", "1 ", "01", "NaN", "0x1", "\"1\"", "1,2", "٣"])
  func noNumbers(text: String) { #expect(JSON.Number(text: text) == nil) }

  @Test("a finite double becomes its shortest text, and other doubles make no number")
  func doubleNumbers() {
    #expect(JSON.Number(.infinity) == nil && JSON.Number(-.infinity) == nil && JSON.Number(.nan) == nil)
    #expect(JSON.Number(2.0)?.text == "2" && JSON.Number(0.1)?.text == "0.1" && JSON.Number(-5).text == "-5")
  }

  @Test("values are equal if they have the same type and bytes")
  func equality() {
    let values: [JSON] = [
      .null, false, true, 0, 0.5, "", "0", "é", "e\u{301}", [], [.null], [[]], [:], ["a": 1], ["a": 2], ["b": 1],
    ]
    for (i, first) in values.enumerated() {
      for (j, second) in values.enumerated() { #expect((first == second) == (i == j), "\(first.text) \(second.text)") }
    }
    #expect(Set(values).count == values.count)
    #expect(JSON.Number(text: "1.0") != JSON.Number(text: "1"))
  }
}
