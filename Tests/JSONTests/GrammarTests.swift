import JSON
import Testing

@Suite("JSON grammar (RFC 8259)")
struct GrammarTests {
  @Test(
    "valid JSON is parsed and written back in its shortest form",
    arguments: [
      ("null", "null"), ("true", "true"), ("false", "false"), ("0", "0"), ("\"\"", "\"\""), ("[]", "[]"), ("{}", "{}"),
      (" \t\r\n[ \n1 ,\t2 ]\r ", "[1,2]"),
      (#" { "a" : 1 , "b" : [ ] } "#, #"{"a":1,"b":[]}"#),
      (#"[[[]],{"a":{"b":[{}]}}]"#, #"[[[]],{"a":{"b":[{}]}}]"#),
      (#"{"":0}"#, #"{"":0}"#),
      (#"{"a":{"a":1},"b":{"a":1}}"#, #"{"a":{"a":1},"b":{"a":1}}"#),
      (#"{"__proto__":{"constructor":null}}"#, #"{"__proto__":{"constructor":null}}"#),
      (#"["\"\\\/\b\f\n\r\t"]"#, #"["\"\\/\b\f\n\r\t"]"#),
      (#""\u0041\u00e9\u20AC\uD83D\uDE00""#, "\"Aé€😀\""),
      (#""\u0000\u001f\u007f""#, "\"\\u0000\\u001f\u{7F}\""),
      ("\"\u{7F}\u{80}\u{7FF}\u{800}\u{D7FF}\u{E000}\u{FFFF}\u{10000}\u{10FFFF}\"", nil),
      ("[-0,-1,0.5,-0.5,1e1,1E1,1e+1,1e-1,1.25E-10]", nil),
      ("1234567890123456789012345678901234567890.5e+99999", nil),
    ] as [(String, String?)])
  func accepted(text: String, canonical: String?) {
    #expect(parsed(text).map(\.text) == .success(canonical ?? text))
  }

  @Test(
    "invalid JSON is rejected at the first wrong byte",
    arguments: [
      ("", .endOfInput), (" ", .endOfInput), ("[", .endOfInput), ("{", .endOfInput), ("[1", .endOfInput),
      ("[1,", .endOfInput), (#"{"a""#, .endOfInput), (#"{"a":"#, .endOfInput), (#"{"a":1"#, .endOfInput),
      (#"{"a":1,"#, .endOfInput), ("\"", .endOfInput), ("\"abc", .endOfInput), ("\"\\", .endOfInput),
      (#""\u12"#, .endOfInput), (#""\ud83d"#, .endOfInput), (#""\ud83d\ud"#, .endOfInput), ("-", .endOfInput),
      ("1.", .endOfInput), ("1e", .endOfInput), ("1e+", .endOfInput), ("nul", .endOfInput), ("t", .endOfInput),
      ("]", .unexpected(offset: 0)), ("}", .unexpected(offset: 0)), (",", .unexpected(offset: 0)),
      ("[1,]", .unexpected(offset: 3)), ("[,1]", .unexpected(offset: 1)), ("[1 2]", .unexpected(offset: 3)),
      ("[1}", .unexpected(offset: 2)), (#"{"a":1]"#, .unexpected(offset: 6)), ("[1,,2]", .unexpected(offset: 3)),
      ("{,}", .unexpected(offset: 1)), (#"{"a":1,}"#, .unexpected(offset: 7)), ("{1:2}", .unexpected(offset: 1)),
      (#"{"a" 1}"#, .unexpected(offset: 5)), (#"{"a":}"#, .unexpected(offset: 5)), (#"{"a"}"#, .unexpected(offset: 4)),
      (#"{"a",1}"#, .unexpected(offset: 4)), ("{a:1}", .unexpected(offset: 1)), (#"{'a':1}"#, .unexpected(offset: 1)),
      ("1 2", .unexpected(offset: 2)), ("{}{}", .unexpected(offset: 2)), ("null,", .unexpected(offset: 4)),
      ("[]]", .unexpected(offset: 2)), ("True", .unexpected(offset: 0)), ("nUll", .unexpected(offset: 1)),
      ("nullx", .unexpected(offset: 4)), ("falsy", .unexpected(offset: 4)), ("NaN", .unexpected(offset: 0)),
      ("Infinity", .unexpected(offset: 0)), ("+1", .unexpected(offset: 0)), (".5", .unexpected(offset: 0)),
      ("[1]//", .unexpected(offset: 3)), ("/**/1", .unexpected(offset: 0)), ("\u{FEFF}1", .unexpected(offset: 0)),
      ("\u{A0}1", .unexpected(offset: 0)), ("\u{B}1", .unexpected(offset: 0)), ("1\u{0}", .unexpected(offset: 1)),
      ("\u{0}", .unexpected(offset: 0)), ("'a'", .unexpected(offset: 0)), ("[\"a\"\"b\"]", .unexpected(offset: 4)),
      ("01", .invalidNumber(offset: 1)), ("-01", .invalidNumber(offset: 2)), ("00", .invalidNumber(offset: 1)),
      ("-a", .invalidNumber(offset: 1)), ("--1", .invalidNumber(offset: 1)), ("1.a", .invalidNumber(offset: 2)),
      ("1.e1", .invalidNumber(offset: 2)), ("1ee", .invalidNumber(offset: 2)), ("[1e]", .invalidNumber(offset: 3)),
      ("-.5", .invalidNumber(offset: 1)), ("0x10", .unexpected(offset: 1)), ("1.2.3", .unexpected(offset: 3)),
      ("1e5.2", .unexpected(offset: 3)), ("-Infinity", .invalidNumber(offset: 1)), ("1_000", .unexpected(offset: 1)),
      ("\"\n\"", .controlCharacter(offset: 1)), ("\"ab\u{0}\"", .controlCharacter(offset: 3)),
      ("\"12345678\u{1F}\"", .controlCharacter(offset: 9)), ("{\"a\t\":1}", .controlCharacter(offset: 3)),
      (#""\x41""#, .invalidEscape(offset: 1)), (#""\'""#, .invalidEscape(offset: 1)),
      (#""ab\0""#, .invalidEscape(offset: 3)), (#""\U0041""#, .invalidEscape(offset: 1)),
      (#""\u00G0""#, .invalidEscape(offset: 1)), (#""\u 041""#, .invalidEscape(offset: 1)),
      (#""\u004""#, .invalidEscape(offset: 1)), ("\"\\\n\"", .invalidEscape(offset: 1)),
    ] as [(String, JSONError)])
  func refused(text: String, error: JSONError) {
    #expect(parsed(text) == .failure(error))
  }

  @Test(
    "JSON cut off at any byte is reported as incomplete",
    arguments: [#"{"k":["\u0041\ud83d\ude00é",-12.5e+7,true,false,null]}"#]
  )
  func cutShort(text: String) {
    let bytes = Array(text.utf8)
    for count in 0..<bytes.count {
      switch parsed(Array(bytes.prefix(count))) {
      case .failure(.endOfInput): break
      // The cut is inside the UTF-8 sequence of "é".
      case .failure(.invalidUTF8(let offset)): #expect(offset == count - 1)
      case let result: Issue.record("\(count) bytes: \(result)")
      }
    }
    #expect((try? parsed(bytes).get()) != nil)
  }

  @Test(
    "half a surrogate pair is rejected",
    arguments: [
      (#""\ud800""#, 1), (#""\udfff""#, 1), (#""\udc00\ud800""#, 1), (#""\ud800\ud800""#, 1), (#""\ud800a""#, 1),
      (#""\ud800\n""#, 1), (#""\ud83dA""#, 1), (#""ab\uD83D\u0041""#, 3), (#""\ud83d\ude00\ude00""#, 13),
      (#""\ud83d\ude0g""#, 7),
    ])
  func surrogates(text: String, offset: Int) {
    #expect(parsed(text) == .failure(.invalidEscape(offset: offset)))
  }

  @Test(
    "invalid UTF-8 is rejected (RFC 3629 §4)",
    arguments: [
      [0x80], [0xBF], [0xC0, 0x80], [0xC0, 0xAF], [0xC1, 0xBF], [0xC2], [0xC2, 0x41], [0xC2, 0xC2], [0xE0, 0x80, 0x80],
      [0xE0, 0x9F, 0xBF], [0xE1, 0x80], [0xE1, 0x80, 0x41], [0xE1, 0x41, 0x80], [0xED, 0xA0, 0x80], [0xED, 0xBF, 0xBF],
      [0xF0, 0x80, 0x80, 0x80], [0xF0, 0x8F, 0xBF, 0xBF], [0xF1, 0x80, 0x80], [0xF1, 0x80, 0x80, 0x41],
      [0xF4, 0x90, 0x80, 0x80], [0xF5, 0x80, 0x80, 0x80], [0xF8, 0x88, 0x80, 0x80, 0x80], [0xFE], [0xFF],
    ] as [[UInt8]])
  func invalidUTF8(bytes: [UInt8]) {
    for padding in 0..<10 {
      let text = [0x22] + [UInt8](repeating: 0x61, count: padding) + bytes + [0x22]
      #expect(parsed(text) == .failure(.invalidUTF8(offset: 1 + padding)))
    }
    #expect(parsed([0x22] + bytes) == .failure(.invalidUTF8(offset: 1)), "at the end of the text")
    #expect(parsed(bytes) == .failure(.unexpected(offset: 0)), "outside of a string")
  }

  @Test("the parser agrees with Swift on all UTF-8 sequences of two bytes and on border cases of three and four")
  func everySequence() throws {
    let tape = Tape()
    let borders: [UInt8] = [
      0x00, 0x41, 0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC0, 0xC2, 0xE0, 0xED, 0xF0, 0xF4, 0xFF,
    ]
    var sequences: [[UInt8]] = []
    for first in UInt8(0x80)...0xFF {
      for second in UInt8.min ... .max where second != 0x22 && second != 0x5C { sequences.append([first, second]) }
      for second in borders { for third in borders { sequences.append([first, second, third]) } }
    }
    for first in UInt8(0xEF)...0xF8 {
      for second in borders {
        for third in borders { for fourth in borders { sequences.append([first, second, third, fourth]) } }
      }
    }
    for sequence in sequences {
      let isValid = String(validating: sequence, as: UTF8.self) != nil && sequence.allSatisfy { $0 >= 0x20 }
      let result = parsed([0x22] + sequence + [0x22], on: tape)
      if ((try? result.get()) != nil) != isValid { Issue.record("\(sequence)") }
    }
  }

  @Test(
    "a duplicate key is rejected, also when it is escaped differently",
    arguments: [
      (#"{"a":1,"a":2}"#, 7), (#"{"a":1,"b":{"c":1,"c":2}}"#, 18), (#"{"a":1,"\u0061":2}"#, 7),
      (#"{"\u0061":1,"a":2}"#, 12), (#"{"":1,"":2}"#, 6), (#"{"x":[{"é":1,"\u00e9":2}]}"#, 14),
      (#"{"\ud83d\ude00":1,"😀":2}"#, 18), (#"{"\/":1,"/":2}"#, 8), (#"{"a":{"a":1},"b":1,"a":2}"#, 19),
    ])
  func duplicateKeys(text: String, offset: Int) {
    #expect(parsed(text) == .failure(.duplicateKey(offset: offset)))
  }

  @Test("a tape that does not compare keys accepts duplicate keys")
  func comparesNoKeys() throws {
    let tape = Tape(comparesKeys: false)
    #expect(try parsed(#"{"a":1,"b":{"c":2,"c":3},"a":4}"#, on: tape).get().object?["b"]?.object?.count == 1)
    let many = "{" + (0..<100).map { "\"key\($0 / 2)\":{}" }.joined(separator: ",") + "}"
    #expect(try parsed(many, on: tape).get().object?.count == 50)
    #expect(parsed(#"{"a":1,}"#, on: tape) == .failure(.unexpected(offset: 7)))
  }

  @Test("keys that look alike but differ in bytes are not duplicates")
  func similarKeys() {
    #expect((try? parsed(#"{"a":1,"A":2,"aa":3,"":4,"\\u0061":5}"#).get())?.object?.count == 5)
    #expect(throws: Never.self) { try withView(of: "{\"é\":1,\"e\u{301}\":2}") { #expect($0.count == 2) } }
  }

  @Test(
    "a duplicate key is found among any number of members", arguments: [1, 2, 15, 16, 17, 18, 31, 32, 33, 64, 65, 1000])
  func duplicateAmongMany(members: Int) {
    let keys = (0..<members).map { "\"key\($0)\"" }
    func object(_ keys: [String]) -> String { "{" + keys.map { $0 + ":[{}]" }.joined(separator: ",") + "}" }
    #expect((try? parsed(object(keys)).get())?.object?.count == members)
    for repeated in [0, members / 2, members - 1] {
      let text = object(keys + ["\"k\\u0065y\(repeated)\""])
      #expect(parsed(text) == .failure(.duplicateKey(offset: object(keys).utf8.count)), "key\(repeated)")
    }
  }
}
