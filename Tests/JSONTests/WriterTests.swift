import JSON
import TestSupport
import Testing

@Suite("JSON writer")
struct WriterTests {
  @Test("the writer inserts commas between values and members")
  func commas() {
    let text = written { writer in
      writer.openObject()
      writer.key("empty")
      writer.openObject()
      writer.closeObject()
      writer.key("list")
      writer.openArray()
      writer.int(1)
      writer.openArray()
      writer.closeArray()
      writer.null()
      writer.bool(true)
      writer.bool(false)
      writer.double(0.5)
      writer.string("a")
      writer.value(Array("{\"b\":1}".utf8))
      writer.value("[2]")
      writer.value([0x33].span)
      writer.ascii(0x6867_6665_6463_6261, 0x3736_3534_3332_3130, 0x4847_4645_4443_4241)
      writer.closeArray()
      let name = "last \"one\""
      writer.key(name)
      writer.string(name)
      writer.key("k")
      writer.int(2)
      writer.closeObject()
    }
    #expect(
      text
        == #"{"empty":{},"list":[1,[],null,true,false,0.5,"a",{"b":1},[2],3,"abcdefgh01234567ABCDEFGH"],"#
        + #""last \"one\"":"last \"one\"","k":2}"#
    )
  }

  @Test("raw bytes are written unchanged and without commas")
  func raw() {
    let other = Writer()
    other.string("from here")
    other.int(5)
    let text = written { writer in
      writer.raw("{\"jsonrpc\":\"2.0\",\"id\":")
      writer.int(1)
      writer.raw(",\"list\":[")
      writer.int(2)
      writer.int(3)
      writer.raw(Array("],\"x\":".utf8))
      writer.raw(other, from: 0, to: 11)
      writer.byte(UInt8(ascii: ","))
      writer.key("y")
      writer.raw([0x37, 0x7D].span)
    }
    #expect(text == #"{"jsonrpc":"2.0","id":1,"list":[2,3],"x":"from here","y":7}"#)
  }

  @Test("values and sequences of values are copied from another writer")
  func others() {
    let other = Writer()
    other.int(1)
    other.int(2)
    let text = written { writer in
      writer.openArray()
      writer.int(0)
      writer.value(other)
      writer.value(other, from: 2)
      writer.value(other, from: 0, to: 1)
      writer.closeArray()
    }
    #expect(text == "[0,1,2,2,1]")
  }

  @Test("views are copied as values and keys", arguments: [#"{ "a": [1 , "x\u0041"] }"#])
  func views(text: String) throws {
    try withView(of: text) { view in
      let copy = written { writer in
        writer.openArray()
        writer.raw(view)
        view.forEachMember { key, value in
          writer.raw(key)
          value.forEachItem { writer.raw($0) }
        }
        writer.closeArray()
      }
      #expect(copy == #"[{ "a": [1 , "x\u0041"] },"a",1,"x\u0041"]"#)
    }
  }

  @Test("rolling back to a mark restores the bytes and the pending comma")
  func rollback() {
    let text = written { writer in
      let start = writer.mark
      writer.int(9)
      writer.rollback(to: start)
      writer.openArray()
      let empty = writer.mark
      writer.int(1)
      let one = writer.mark
      writer.openObject()
      writer.key("k")
      writer.rollback(to: one)
      writer.int(2)
      writer.rollback(to: one)
      writer.int(3)
      #expect(writer.count == 4)
      writer.rollback(to: empty)
      writer.int(4)
      writer.closeArray()
    }
    #expect(text == "[4]")
  }

  @Test("the writer reserves bytes for a header and lends its output for changes")
  func header() {
    let writer = Writer(capacity: 0)
    writer.byte(0xFF)
    writer.skip(2)
    writer.string("body")
    writer.withMutableSpan(from: 1) { span in
      span[0] = 0x81
      span[1] = UInt8(span.count - 2)
    }
    #expect(writer.bytes() == [0xFF, 0x81, 6] + Array("\"body\"".utf8))
    #expect(writer.bytes(from: 3) == Array("\"body\"".utf8))
    #expect(writer.withSpan { $0.count } == 9)
    #expect(writer.withSpan(from: 1, to: 3) { [$0[0], $0[1]] } == [0x81, 6])
    writer.clear()
    #expect(writer.count == 0 && writer.bytes().isEmpty)
    writer.openArray()
    writer.skip(1)
    #expect(writer.bytes() == [0x5B, 0], "skipped bytes are zero after clearing")
  }

  @Test("the output is kept when the buffer grows", arguments: [0, 1, 15, 16, 17, 1000])
  func growth(capacity: Int) {
    let writer = Writer(capacity: capacity)
    let long = String(repeating: "0123456789", count: 50)
    writer.openArray()
    for number in 0..<100 {
      writer.int(number)
      writer.string(long)
    }
    writer.closeArray()
    let items = (0..<100).map { "\($0),\"\(long)\"" }.joined(separator: ",")
    #expect(writer.bytes() == Array("[\(items)]".utf8))
  }

  @Test(
    "integers are written in full",
    arguments: [0, 1, -1, 9, 10, 11, 99, 100, -100, 12345, .max, .min, 1_000_000_000_000_000_000])
  func integers(value: Int) {
    #expect(written { $0.int(value) } == String(value))
  }

  @Test(
    "doubles are written in their shortest form",
    arguments: [
      (0, "0"), (-0.0, "-0"), (1, "1"), (-2, "-2"), (0.1, "0.1"), (12.5, "12.5"), (1e15, "1000000000000000"),
      (1e16, "1e+16"),
      (1e100, "1e+100"), (.leastNonzeroMagnitude, "5e-324"), (1.7976931348623157e308, "1.7976931348623157e+308"),
      (1e-7, "1e-07"),
      (.infinity, "null"), (-.infinity, "null"), (.nan, "null"),
    ] as [(Double, String)])
  func doubles(value: Double, text: String) throws {
    #expect(written { $0.double(value) } == text)
    if value.isFinite { #expect(try JSON.parse(text).double?.bitPattern == value.bitPattern) }
  }

  @Test("every finite double is the same after writing and parsing it")
  func doublesRoundTrip() throws {
    let seed: UInt64 = 0x5EED_0030
    var random = SeededGenerator(seed: seed)
    for _ in 0..<5_000 {
      let value = Double(bitPattern: random.next())
      guard value.isFinite else { continue }
      let text = written { $0.double(value) }
      let bits = try withView(of: text) { $0.double?.bitPattern }
      #expect(bits == value.bitPattern, "seed \(seed): \(text)")
    }
  }

  @Test("a string is escaped where JSON requires it, at any position, and nowhere else")
  func escapes() throws {
    #expect(
      written { $0.string("\"\\\u{8}\u{9}\u{A}\u{C}\u{D}\u{0}\u{1F}/\u{7F}é€😀" as String) }
        == #""\"\\\b\t\n\f\r\u0000\u001f/"# + "\u{7F}é€😀\"")
    for special in ["\"", "\\", "\n", "\u{0}", "\u{1F}", "é", "\u{7F}", " "] {
      for position in 0..<20 {
        let text = String(repeating: "x", count: position) + special + String(repeating: "y", count: 19 - position)
        let encoded = written { $0.string(text) }
        #expect(
          encoded.utf8.count == text.utf8.count
            + (special == "\"" || special == "\\" || special == "\n" ? 3 : special < " " ? 7 : 2))
        #expect(try JSON.parse(encoded) == .string(text))
      }
    }
    #expect(written { $0.string("lit\"eral") } == #""lit\"eral""#)
    #expect(written { $0.string("") } == "\"\"")
  }

  @Test("writing while the writer's bytes are lent out traps")
  func borrowed() async {
    await #expect(processExitsWith: .failure) {
      let writer = Writer(capacity: 16)
      writer.string("0123456789")
      writer.withSpan { _ in writer.string("much more than fits") }
    }
  }
}
