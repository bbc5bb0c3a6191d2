import JSON
import TestSupport
import Testing

/// RELIABILITY E7.
@Suite("Hostile JSON")
struct HostileInputTests {
  static func nested(_ depth: Int, _ open: String = "[", _ close: String = "]") -> String {
    String(repeating: open, count: depth) + String(repeating: close, count: depth)
  }

  @Test("nesting is accepted up to the depth limit and rejected above it", arguments: [1, 2, 31, 32, 33, 1024])
  func depth(limit: Int) {
    for depth in [limit - 1, limit, limit + 1] where depth > 0 {
      for text in [Self.nested(depth), Self.nested(depth, #"{"a":"#, "}").replacing(":}", with: ":1}")] {
        let result = parsed(text, on: Tape(depthLimit: limit))
        #expect(depth <= limit ? (try? result.get()) != nil : result == .failure(.tooDeep), "\(depth)")
      }
    }
  }

  @Test("sibling arrays do not count toward the depth limit")
  func siblings() {
    let text = "[" + Array(repeating: Self.nested(31), count: 100).joined(separator: ",") + "]"
    #expect((try? parsed(text).get())?.array?.count == 100)
  }

  @Test("65,536 opening brackets are rejected at the 33rd", arguments: ["[", #"{"":"#])
  func brackets(open: String) {
    #expect(parsed(String(repeating: open, count: 65_536)) == .failure(.tooDeep))
  }

  @Test(
    "values and keys are accepted up to the node limit and rejected above it", arguments: [1, 2, 127, 128, 129, 10_000])
  func nodes(limit: Int) {
    for items in [limit - 2, limit - 1, limit] where items > 0 {
      let text = "[" + Array(repeating: "0", count: items).joined(separator: ",") + "]"
      let result = parsed(text, on: Tape(nodeLimit: limit))
      #expect(items < limit ? (try? result.get()) != nil : result == .failure(.tooManyNodes), "\(items)")
    }
  }

  @Test("a member counts as two nodes")
  func memberNodes() {
    func object(_ members: Int) -> String { "{" + (0..<members).map { "\"\($0)\":0" }.joined(separator: ",") + "}" }
    #expect((try? parsed(object(4_999)).get()) != nil)
    #expect(parsed(object(5_000)) == .failure(.tooManyNodes))
  }

  @Test("a text is accepted up to the byte limit and rejected above it", arguments: [1, 100, 1023, 1024, 1025, 65_536])
  func length(limit: Int) {
    for count in [limit - 1, limit, limit + 1] where count > 0 {
      let text = "1" + String(repeating: " ", count: count - 1)
      #expect(
        parsed(text, on: Tape(byteLimit: limit)) == (count <= limit ? .success(1) : .failure(.tooLong)), "\(count)")
    }
  }

  @Test("a number of 10,000 digits is not an integer, and its double is correct")
  func longNumbers() throws {
    let digits = String(repeating: "7", count: 10_000)
    try withView(of: digits) { number in
      #expect(number.int == nil)
      #expect(number.double == nil)
      #expect(JSON(number).text == digits)
    }
    try withView(of: "0." + digits) { #expect($0.double == 0.7777777777777777777) }
    try withView(of: "1e" + digits) { #expect($0.double == nil) }
    try withView(of: "1e-" + digits) { #expect($0.double == 0) }
    try withView(of: "-" + String(repeating: "9", count: 30)) { #expect($0.int == nil) }
  }

  @Test("texts that are costly to parse are rejected")
  func costly() {
    let keys = (0..<4_900).map { "\"\\u006b\($0)\":0" }.joined(separator: ",")
    let texts = [
      String(repeating: "[", count: 65_536), String(repeating: "7", count: 65_535) + "x",
      "\"" + String(repeating: "é", count: 32_000), "{" + keys + ",\"k4899\":0}",
      "{" + (0..<16).map { "\"\(String(repeating: "\\u0041", count: 600))\($0)\":0" }.joined(separator: ",") + "}x",
      "[" + String(repeating: "0,", count: 32_000), "\"" + String(repeating: "\\n", count: 32_000),
    ]
    let tape = Tape()
    for text in texts {
      let bytes = Array(text.utf8)
      var refused = false
      do { _ = try tape.parse(bytes.span) } catch { refused = true }
      #expect(refused, "\(text.prefix(20))…")
    }
  }

  @Test("random bytes are parsed or rejected, and never trap")
  func randomBytes() {
    let seed: UInt64 = 0x5EED_0001
    var random = SeededGenerator(seed: seed)
    let alphabet =
      Array(#"{}[]":,\/ubnt0123456789-+.eE truefalsn"#.utf8) + [0x00, 0x1F, 0x7F, 0x80, 0xC3, 0xA9, 0xED, 0xF0, 0x9F]
    let tape = Tape(depthLimit: 4, nodeLimit: 30)
    var accepted = 0
    for _ in 0..<50_000 {
      var bytes: [UInt8] = []
      for _ in 0..<random.below(14) { bytes.append(alphabet[random.below(alphabet.count)]) }
      if case .success(let value) = parsed(bytes, on: tape) {
        accepted += 1
        if parsed(value.bytes, on: tape) != .success(value) { Issue.record("seed \(seed): \(bytes)") }
      }
    }
    #expect(accepted > 100)
  }

  @Test("JSON with a few changed bytes is rejected, or is valid UTF-8 that survives a round trip")
  func mutations() {
    let seed: UInt64 = 0x5EED_0002
    var random = SeededGenerator(seed: seed)
    let tape = Tape()
    for _ in 0..<10_000 {
      var bytes = random.value(depth: 4).bytes
      for _ in 0...random.below(3) {
        switch random.below(3) {
        case 0: bytes[random.below(bytes.count)] = UInt8(random.below(256))
        case 1: bytes.insert(UInt8(random.below(256)), at: random.below(bytes.count + 1))
        default: bytes.removeLast(min(bytes.count - 1, random.below(4)))
        }
      }
      if case .success(let value) = parsed(bytes, on: tape) {
        #expect(String(validating: bytes, as: UTF8.self) != nil, "seed \(seed)")
        if parsed(value.bytes, on: tape) != .success(value) { Issue.record("seed \(seed): \(bytes)") }
      }
    }
  }
}
