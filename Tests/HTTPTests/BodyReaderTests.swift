import HTTP
import Testing

@Suite("HTTP bodies")
struct BodyReaderTests {
  @Test("a body of known length leaves the bytes after it unread", arguments: 1...8)
  func length(size: Int) throws {
    let read = try readBody(.length(5), "helloGET".bytes, limit: 5, size: size)
    #expect(read.body == "hello".bytes)
    #expect(read.consumed == 5)
    #expect(read.isComplete)
    #expect(try !readBody(.length(5), "hell".bytes, limit: 5).isComplete)
    #expect(try readBody(.length(0), "GET".bytes, limit: 0).consumed == 0)
    #expect(try readBody(.none, "GET".bytes, limit: 0) == ([], 0, true))
  }

  @Test(
    "a declared length above the limit is rejected before any byte arrives", arguments: [6, 1 << 31, 1 << 63, .max])
  func tooLong(length: UInt64) {
    #expect(throws: HTTPError.bodyTooLarge(length)) { try BodyReader(.length(length), limit: 5) }
  }

  static let chunked = "5\r\nhello\r\n00000006;a=\"b\"\r\n world\r\n0\r\nExpires: never\r\n\r\n"

  @Test("R-005: a chunked body is read at any split, and what follows it is left", arguments: 1...60)
  func chunks(size: Int) throws {
    let read = try readBody(.chunked, (Self.chunked + "GET").bytes, limit: 11, size: size)
    #expect(read.body == "hello world".bytes)
    #expect(read.consumed == Self.chunked.utf8.count)
    #expect(read.isComplete)
  }

  @Test(
    "R-005: malformed chunks are rejected",
    arguments: [
      ("\r\n", .malformedChunk),
      ("g\r\n", .malformedChunk),
      ("-1\r\n", .malformedChunk),
      ("0x5\r\n", .malformedChunk),
      (" 5\r\n", .malformedChunk),
      ("5 6\r\n", .malformedChunk),
      ("5\nhello", .malformedChunk),
      ("5\rhello", .malformedChunk),
      ("5;\u{0}\r\n", .malformedChunk),
      ("5\r\nhelloX\r\n", .malformedChunk),
      ("5\r\nhello\n", .malformedChunk),
      ("000000005\r\n", .malformedChunk),
      ("FFFFFFFFFFFFFFFFF\r\n", .malformedChunk),
      ("5;\(String(repeating: "x", count: 300))\r\n", .malformedChunk),
      ("0\r\n\(String(repeating: "a: b\r\n", count: 300))", .malformedChunk),
      ("7FFFFFFF\r\n", .bodyTooLarge(0x7FFF_FFFF)),
      ("FFFFFFFF\r\n", .bodyTooLarge(0xFFFF_FFFF)),
      ("C\r\n", .bodyTooLarge(12)),
      ("5\r\nhello\r\n7\r\n", .bodyTooLarge(12)),
    ] as [(String, HTTPError)])
  func malformedChunks(text: String, error: HTTPError) {
    #expect(throws: error) { try readBody(.chunked, text.bytes, limit: 11) }
    #expect(throws: error) { try readBody(.chunked, text.bytes, limit: 11, size: 1) }
  }

  @Test("only a body without a declared end may end with the connection")
  func untilClose() throws {
    var reader = try BodyReader(.untilClose, limit: 5)
    #expect(try reader.receive("hello".bytes.span) == 5)
    #expect(!reader.isComplete)
    try reader.end()
    #expect(reader.isComplete)
    #expect(reader.body == "hello".bytes)

    var long = try BodyReader(.untilClose, limit: 5)
    #expect(throws: HTTPError.bodyTooLarge(6)) { try long.receive("hello!".bytes.span) }

    var cut = try BodyReader(.length(5), limit: 5)
    #expect(throws: HTTPError.incomplete) { try cut.end() }
  }
}
