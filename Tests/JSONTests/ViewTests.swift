import JSON
import TestSupport
import Testing

@Suite("JSON views")
struct ViewTests {
  @Test("a view converts to its own type and returns nil for others")
  func kinds() throws {
    try withView(of: #"{"n":null,"t":true,"f":false,"i":-7,"d":1.5,"s":"x","a":[1,2],"o":{"k":0}}"#) { view in
      #expect(view.kind == .object && view.count == 8 && view.string == nil && view.int == nil && view.bool == nil)
      #expect(view[key: "n"]?.isNull == true && view[key: "n"]?.kind == .null && view[key: "n"]?.bool == nil)
      #expect(view[key: "t"]?.bool == true && view[key: "f"]?.bool == false && view[key: "t"]?.isNull == false)
      #expect(view[key: "i"]?.int == -7 && view[key: "i"]?.double == -7 && view[key: "i"]?.string == nil)
      #expect(view[key: "d"]?.int == nil && view[key: "d"]?.double == 1.5 && view[key: "d"]?.kind == .number)
      #expect(view[key: "s"]?.string == "x" && view[key: "s"]?.double == nil && view[key: "s"]?.count == 0)
      #expect(view[key: "a"]?.count == 2 && view[key: "a"]?[key: "k"] == nil && view[key: "a"]?.firstUnused == nil)
      #expect(view[key: "o"]?[key: "k"]?.int == 0 && view[key: "missing"] == nil && view[key: "k"] == nil)
    }
  }

  @Test(
    "a member is found by its unescaped key",
    arguments: ["", "a", "ab", "abc", "abcd", "abcdefg", "abcdefgh", "abcdefghijk", "é\"\n"])
  func keys(key: String) throws {
    let others = ["b", "x" + key, key + "x", String(key.dropLast()) + "Z", "Z" + String(key.dropFirst())]
    let plain: JSON = .object(Dictionary(([key] + others).map { ($0, .string($0)) }, uniquingKeysWith: { $1 }))
    let escaped = key.unicodeScalars.map { "\\u00" + ($0.value < 16 ? "0" : "") + String($0.value, radix: 16) }.joined()
    for text in [plain.text, "{\"b\":0,\"\(escaped)\":\"\(escaped)\"}"] {
      try withView(of: text) { view in
        #expect(view[key: key]?.string == key)
        #expect(view[key: key + "?"] == nil)
      }
    }
  }

  @Test("a view compares its text with a literal, whether or not it is escaped")
  func equality() throws {
    try withView(of: #"["notes.add","n\u006ftes.add","notes.adD","","1234567","12345678",5]"#) { view in
      var answers: [Bool] = []
      view.forEachItem { answers.append($0.equals("notes.add")) }
      #expect(answers == [true, true, false, false, false, false, false])
      answers = []
      view.forEachItem {
        answers.append($0.equals("") || $0.equals("1234567") || $0.equals("12345678") || $0.equals("5"))
      }
      #expect(answers == [false, false, false, true, true, true, false])
    }
  }

  @Test("a cursor finds the same members as a plain look-up, in any order of members and look-ups")
  func cursor() throws {
    let names: [StaticString] = ["a", "bb", "c", "dd", "e"]
    var random = SeededGenerator(seed: 7)
    for _ in 0..<200 {
      let there = names.map(\.description).filter { _ in Bool.random(using: &random) }.shuffled(using: &random)
      let strange = Bool.random(using: &random) ? ["zz"] : []
      let members = (there + strange).shuffled(using: &random).map { "\"\($0)\":{\"of\":\"\($0)\",\"a\":0}" }
      try withView(of: "{\(members.joined(separator: ","))}") { view in
        var cursor = View.Cursor()
        for name in names.shuffled(using: &random) {
          let member = view.member(name, from: &cursor)
          #expect(member?[key: "of"]?.string == (there.contains(name.description) ? name.description : nil))
        }
        #expect(view.firstUnused == strange.first)
      }
    }
    try withView(of: "[1]") { view in
      var cursor = View.Cursor()
      #expect(view.member("a", from: &cursor) == nil)
    }
  }

  @Test("a view lists the members that were never looked up")
  func unused() throws {
    try withView(of: #"{"a":1,"b":{"x":1,"y":2},"\u0063":3,"d":4}"#) { view in
      func names(_ view: View) -> [String] {
        var names: [String] = []
        view.forEachUnused { names.append($0) }
        return names
      }
      #expect(names(view) == ["a", "b", "c", "d"] && view.firstUnused == "a")
      let key = "d"
      _ = (view[key: "a"], view[key: key], view[key: "nothing"])
      #expect(names(view) == ["b", "c"] && view.firstUnused == "b")
      let inner = try #require(view[key: "b"])
      #expect(names(inner) == ["x", "y"], "looking up an object does not look up its members")
      _ = (view[key: "c"], inner[key: "y"])
      #expect(names(view).isEmpty && view.firstUnused == nil && inner.firstUnused == "x")
    }
  }

  @Test("members and items are visited in text order")
  func order() throws {
    try withView(of: #"{"z":[3,[4],{"q":5}],"a":{},"m":[]}"#) { view in
      var seen: [String] = []
      view.forEachMember { key, value in seen.append("\(key.string ?? "?")=\(JSON(value).text)") }
      view[key: "z"]?.forEachItem { seen.append(JSON($0).text) }
      view.forEachItem { _ in seen.append("an object has no items") }
      view[key: "m"]?.forEachMember { _, _ in seen.append("an array has no members") }
      #expect(seen == [#"z=[3,[4],{"q":5}]"#, "a={}", "m=[]", "3", "[4]", #"{"q":5}"#])
    }
  }

  @Test("an error of the visitor ends the visit and is passed on")
  func throwing() throws {
    struct Enough: Error {}
    try withView(of: "[1,2,3]") { view in
      var sum = 0
      #expect(throws: Enough.self) {
        try view.forEachItem { item throws(Enough) in
          sum += item.int ?? 0
          if sum == 3 { throw Enough() }
        }
      }
      #expect(sum == 3)
    }
  }

  @Test(
    "a view lends its bytes as written",
    arguments: [
      (" [ 1 , 2 ] ", "[ 1 , 2 ]"), (#" {"a" : 1 } "#, #"{"a" : 1 }"#), ("-1.50e+3 ", "-1.50e+3"),
      (#""a\n\u0041é""#, #"a\n\u0041é"#),
      ("null", "null"), ("true", "true"), ("\"\"", ""),
    ])
  func bytes(text: String, raw: String) throws {
    try withView(of: text) { view in
      #expect(
        view.withBytes { String(validating: (0..<$0.count).map { [span = $0] in span[$0] }, as: UTF8.self) } == raw)
      #expect(view.hasEscapes == text.contains("\\"))
      #expect(written { $0.raw(view) } == text.trimming)
    }
  }

  @Test(
    "a number is an integer only if written as one and within Int",
    arguments: [
      ("0", 0), ("-0", 0), ("7", 7), ("-1", -1), ("999999999999999999", 999_999_999_999_999_999),
      ("9223372036854775807", .max), ("-9223372036854775808", .min), ("9223372036854775808", nil),
      ("-9223372036854775809", nil), ("18446744073709551615", nil), ("18446744073709551616", nil),
      ("-18446744073709551617", nil), ("99999999999999999999", nil), ("1.0", nil), ("1e2", nil), ("1E0", nil),
      ("0.0", nil),
      ("-9223372036854775808.0", nil), ("\"1\"", nil), ("true", nil), ("null", nil), ("[1]", nil),
    ] as [(String, Int?)])
  func integers(text: String, value: Int?) throws {
    try withView(of: text) { #expect($0.int == value) }
    #expect(try JSON.parse(text).int == value)
  }

  @Test(
    "a number converts to the nearest double, if that is finite",
    arguments: [
      "0", "-0", "0.0", "-0.0", "1", "-1", "0.1", "0.2", "0.3", "52.370216", "4.895168", "-179.99999999",
      "123456.789e3",
      "9007199254740991", "9007199254740992", "9007199254740993", "9007199254740991.5", "0.9007199254740993",
      "1e22", "1e23", "-1.7976931348623157e308", "2.2250738585072014e-308", "4.9e-324", "2e-324", "1e-400",
      "0.0000000000000000000001", "0.00000000000000000000001", "0.1234567890123456789012345",
      "3.141592653589793238462643383279502884197169399375105820974944592307816406286",
    ])
  func doubles(text: String) throws {
    let expected = try #require(Double(text))
    try withView(of: text) { #expect($0.double?.bitPattern == expected.bitPattern) }
    #expect(try JSON.parse(text).double?.bitPattern == expected.bitPattern)
  }

  @Test(
    "a number beyond the largest double converts to nil",
    arguments: ["1e309", "-1e309", "1e99999", "179769313486231590793e289", "\"1\""])
  func tooLarge(text: String) throws {
    try withView(of: text) { #expect($0.double == nil) }
    #expect(try JSON.parse(text).double == nil)
  }

  @Test("a short decimal converts to the correctly rounded double")
  func shortDecimals() throws {
    let seed: UInt64 = 0x5EED_0020
    var random = SeededGenerator(seed: seed)
    for _ in 0..<5_000 {
      let whole = Int.random(in: -1_000_000...1_000_000, using: &random)
      let text = "\(whole).\(random.below(1 << [1, 8, 20, 40, 60][random.below(5)]))"
      let bits = try withView(of: text) { $0.double?.bitPattern }
      #expect(bits == Double(text)?.bitPattern, "seed \(seed): \(text)")
    }
  }

  @Test("a tape can be reused after any text, parsed or rejected")
  func reuse() throws {
    let tape = Tape(nodeLimit: 5_000)
    let large = "[" + Array(repeating: #"{"k":"v"}"#, count: 1_000).joined(separator: ",") + "]"
    for text in [large, "1", "[", large, #"{"a":1,"a":2}"#, #"{"a":1}"#, String(repeating: "[0,", count: 5_000), "{}"] {
      let fresh = parsed(text, on: Tape(nodeLimit: 5_000))
      #expect(parsed(text, on: tape) == fresh)
    }
    let view = try tape.parse(Array(#"{"a":1}"#.utf8).span)
    #expect(view.firstUnused == "a", "parsing resets the marks of used members")
  }

  @Test("a view keeps its text when the caller changes the parsed bytes")
  func copies() throws {
    let tape = Tape()
    var bytes = Array(#"{"a":"text"}"#.utf8)
    let view = try tape.parse(bytes.span)
    bytes[2] = 0xFF
    bytes.removeLast(8)
    #expect(view[key: "a"]?.string == "text")
  }

  @Test("using a view of an earlier text traps")
  func stale() async {
    await #expect(processExitsWith: .failure) {
      let tape = Tape()
      let view = try tape.parse([0x31].span)
      _ = try tape.parse([0x32].span)
      _ = view.int
    }
  }

  @Test("parsing while bytes of a view are lent out traps")
  func borrowed() async {
    await #expect(processExitsWith: .failure) {
      let tape = Tape()
      let view = try tape.parse([0x31].span)
      view.withBytes { _ in _ = try? tape.parse([0x32].span) }
    }
  }
}

extension String {
  fileprivate var trimming: String { String(drop { $0 == " " }.reversed().drop { $0 == " " }.reversed()) }
}
