import Testing
import WebSocket

/// The rules of groups 1 to 7 of the Autobahn test suite, as literal frames.
@Suite("Receiver")
struct ReceiverTests {
  struct Case: CustomStringConvertible, Sendable {
    var name: String
    var bytes: [UInt8]
    var events: [Received]
    var error: ProtocolError?

    init(_ name: String, _ frames: [[UInt8]], _ events: [Received], _ error: ProtocolError? = nil) {
      self.name = name
      bytes = Array(frames.joined())
      self.events = events
      self.error = error
    }

    var description: String { name }
  }

  static let framing = [
    Case("1.1.1 empty text", [frame(0x81)], [.text("")]),
    Case("1.1.2 text of 125", [frame(0x81, a(125))], [Received(.text, a(125))]),
    Case("1.1.3 text of 126", [frame(0x81, a(126))], [Received(.text, a(126))]),
    Case("1.1.5 text of 128", [frame(0x81, a(128))], [Received(.text, a(128))]),
    Case("1.1.6 text of 65535", [frame(0x81, a(65_535))], [Received(.text, a(65_535))]),
    Case("1.1.7 text of 65536", [frame(0x81, a(65_536))], [Received(.text, a(65_536))]),
    Case("1.2.1 empty binary", [frame(0x82)], [.binary([])]),
    Case("1.2.7 binary of 65536", [frame(0x82, f(65_536))], [.binary(f(65_536))]),
    Case("two messages", [frame(0x81, "a"), frame(0x82, [1])], [.text("a"), .binary([1])]),
    Case(
      "the mask of zeros", [frame(0x81, Array("a".utf8), mask: [0, 0, 0, 0])], [.text("a")]),
    Case("unmasked", [frame(0x81, "a", mask: nil)], [], .unmasked),
  ]

  static let control = [
    Case("2.1 empty ping", [frame(0x89)], [.ping()]),
    Case("2.2 ping", [frame(0x89, "Hello")], [.ping("Hello")]),
    Case("2.4 ping of 125", [frame(0x89, f(125))], [Received(.ping, f(125))]),
    Case("2.5 ping of 126", [frame(0x89, f(126))], [], .oversizedControl),
    Case("2.7 unasked empty pong", [frame(0x8A)], [.pong()]),
    Case("2.9 pong, then ping", [frame(0x8A, "x"), frame(0x89, "y")], [.pong("x"), .ping("y")]),
    Case("2.10 ten pings", (0..<10).map { frame(0x89, "\($0)") }, (0..<10).map { .ping("\($0)") }),
    Case("5.1 fragmented ping", [frame(0x09, "a"), frame(0x80, "b")], [], .fragmentedControl),
    Case("5.2 fragmented pong", [frame(0x0A, "a"), frame(0x80, "b")], [], .fragmentedControl),
    Case("fragmented close", [frame(0x08), frame(0x80)], [], .fragmentedControl),
  ]

  static let reserved =
    (1...7).map { bits in
      Case("3.\(bits) RSV", [frame(0x81, "a"), frame(0x81 | bits << 4, "b")], [.text("a")], .reservedBits)
    }
    + [3, 4, 5, 6, 7, 11, 12, 13, 14, 15].map { opcode in
      Case(
        "4 opcode \(opcode)", [frame(0x81, "a"), frame(0x80 | opcode, "b"), frame(0x89)], [.text("a")],
        .reservedOpcode(opcode))
    }

  static let fragments = [
    Case("5.3 two fragments", [frame(0x01, "a"), frame(0x80, "b")], [.text("ab")]),
    Case("5.6 ping between", [frame(0x01, "a"), frame(0x89, "p"), frame(0x80, "b")], [.ping("p"), .text("ab")]),
    Case("pong between", [frame(0x02, [1]), frame(0x8A, "p"), frame(0x80, [2])], [.pong("p"), .binary([1, 2])]),
    Case("5.9 continuation of nothing", [frame(0x80, "a"), frame(0x81, "b")], [], .unexpectedContinuation),
    Case("5.12 open continuation of nothing", [frame(0x00, "a"), frame(0x81, "b")], [], .unexpectedContinuation),
    Case(
      "5.15 continuation after a message", [frame(0x01, "a"), frame(0x80, "b"), frame(0x00, "c"), frame(0x81, "d")],
      [.text("ab")], .unexpectedContinuation),
    Case("5.18 text within text", [frame(0x01, "a"), frame(0x81, "b")], [], .interruptedMessage),
    Case("binary within text", [frame(0x01, "a"), frame(0x02, "b")], [], .interruptedMessage),
    Case(
      "5.19 five fragments, pings between",
      [
        frame(0x01, "1"), frame(0x00, "2"), frame(0x89, "p"), frame(0x00, "3"), frame(0x89, "q"), frame(0x00, "4"),
        frame(0x80, "5"),
      ], [.ping("p"), .ping("q"), .text("12345")]),
    Case("6.1.2 three empty fragments", [frame(0x01), frame(0x00), frame(0x80)], [.text("")]),
    Case("6.1.3 text in the middle", [frame(0x01), frame(0x00, "a"), frame(0x80)], [.text("a")]),
    Case("text in the last", [frame(0x01), frame(0x00), frame(0x80, "a")], [.text("a")]),
  ]

  static let texts = [
    Case("6.2.1 text", [frame(0x81, "Hello-µ@ßöäüàá-UTF-8!!")], [.text("Hello-µ@ßöäüàá-UTF-8!!")]),
    Case(
      "6.2.3 a byte a fragment",
      [frame(0x01, [0xCE]), frame(0x00, [0xBA]), frame(0x80, [0x21])], [.text("κ!")]),
    Case("6.3.1 bad text", [frame(0x81, [0x41, 0xED, 0xA0, 0x80])], [], .invalidUTF8),
    Case("6.3.2 bad last byte", [frame(0x01, "a"), frame(0x80, [0xFF])], [], .invalidUTF8),
    Case("6.6.1 unfinished", [frame(0x81, [0xCE])], [], .invalidUTF8),
    Case("unfinished in the last fragment", [frame(0x01, [0xCE]), frame(0x80)], [], .invalidUTF8),
    Case(
      "pings do not mend text", [frame(0x01, [0xCE]), frame(0x89, [0xBA]), frame(0x80)], [Received(.ping, [0xBA])],
      .invalidUTF8),
    Case("binary may be anything", [frame(0x82, [0xFF, 0xC0])], [.binary([0xFF, 0xC0])]),
    Case("binary fragments too", [frame(0x02, [0xFF]), frame(0x80, [0xC0])], [.binary([0xFF, 0xC0])]),
  ]

  static let closing =
    [
      Case("7.1.2 nothing after a close", [frame(0x88), frame(0x81, "a"), frame(0x83)], [.close(nil)]),
      Case("7.1.5 close within a message", [frame(0x01, "a"), frame(0x88, [3, 232]), frame(0x80)], [.close(.normal)]),
      Case("7.3.2 one byte", [frame(0x88, [3])], [], .malformedClose),
      Case("7.3.3 code", [frame(0x88, [3, 232])], [.close(.normal)]),
      Case("7.3.4 reason", [frame(0x88, [3, 232] + Array("bye".utf8))], [.close(.normal, "bye")]),
      Case("7.3.5 reason of 123", [frame(0x88, [3, 232] + a(123))], [Received(.close(.normal), a(123))]),
      Case("7.3.6 reason of 124", [frame(0x88, [3, 232] + a(124))], [], .oversizedControl),
      Case("7.5.1 bad reason", [frame(0x88, [3, 232, 0xCE])], [], .invalidUTF8),
      Case("bad frame after a close", [frame(0x88), [0xFF, 0x00]], [.close(nil)]),
    ]
    + [1000, 1001, 1002, 1003, 1007, 1008, 1009, 1010, 1011, 1012, 1013, 1014, 3000, 3999, 4000, 4001, 4102, 4999].map {
      (code: UInt16) in
      Case("7.7 code \(code)", [frame(0x88, big(code))], [.close(CloseCode(rawValue: code))])
    }
    + [0, 1, 999, 1004, 1005, 1006, 1015, 1016, 1100, 2000, 2999, 5000, 65_535].map { (code: UInt16) in
      Case("7.9 code \(code)", [frame(0x88, big(code))], [], .invalidCloseCode(code))
    }

  static let all = framing + control + reserved + fragments + texts + closing

  @Test("the receiver follows the rules of the protocol, in one piece and byte by byte", arguments: all)
  func rules(row: Case) {
    let whole = receive(row.bytes)
    #expect(whole == Outcome(events: row.events, error: row.error))
    guard row.bytes.count < 1000 else { return }
    #expect(receive(row.bytes, cuts: Array(row.bytes.indices)) == whole)
    for cut in row.bytes.indices { #expect(receive(row.bytes, cuts: [cut]) == whole) }
  }

  @Test("a client receives unmasked frames and rejects masked ones")
  func client() {
    let bytes = frame(0x01, "a", mask: nil) + frame(0x89, "p", mask: nil) + frame(0x80, "b", mask: nil)
    #expect(receive(bytes, as: .client).events == [.ping("p"), .text("ab")])
    #expect(receive(bytes + frame(0x81, "a"), as: .client).error == .masked)
  }

  @Test("text is rejected at its first invalid byte, before the message ends (Autobahn 6.4)")
  func failsFast() {
    let good: [UInt8] = [0xCE, 0xBA, 0xE1, 0xBD, 0xB9, 0xCF, 0x83, 0xCE, 0xBC, 0xCE, 0xB5]
    let bad: [UInt8] = [0xF4, 0x90, 0x80, 0x80]

    // In a fragment that is not the last.
    #expect(receive(frame(0x01, good) + frame(0x00, bad)).error == .invalidUTF8)

    // In an incomplete frame: the second byte of `bad` is the first invalid one.
    let bytes = frame(0x81, good + bad + Array("edited".utf8))
    let header = 6
    var receiver = Receiver(role: .server)
    var outcome = Outcome()
    receiver.feed(bytes[..<(header + good.count + 1)], into: &outcome)
    #expect(outcome == Outcome())
    receiver.feed(bytes[(header + good.count + 1)...(header + good.count + 1)], into: &outcome)
    #expect(outcome == Outcome(error: .invalidUTF8))
    #expect(receiver.isFinished)
  }

  @Test("the receiver ignores everything after an error")
  func nothingAfterAnError() {
    var receiver = Receiver(role: .server)
    var outcome = Outcome()
    receiver.feed(frame(0x83)[...], into: &outcome)
    receiver.feed(frame(0x81, "a")[...], into: &outcome)
    #expect(outcome == Outcome(error: .reservedOpcode(3)))
    #expect(receiver.isFinished)
    #expect(!receiver.isIncomplete)
  }

  @Test("the receiver knows whether a frame or message is incomplete")
  func incomplete() {
    var receiver = Receiver(role: .server)
    var outcome = Outcome()
    let first = frame(0x01, "ab")
    #expect(!receiver.isIncomplete)
    receiver.feed(first[..<1], into: &outcome)
    #expect(receiver.isIncomplete)
    receiver.feed(first[1..<7], into: &outcome)
    #expect(receiver.isIncomplete)
    receiver.feed(first[7...], into: &outcome)
    #expect(receiver.isIncomplete)
    receiver.feed(frame(0x80)[...], into: &outcome)
    #expect(!receiver.isIncomplete)
    receiver.feed(frame(0x81, "x")[...], into: &outcome)
    #expect(!receiver.isIncomplete)
    #expect(outcome.events == [.text("ab"), .text("x")])
  }

  @Test("a message that arrives in one piece is delivered without a copy")
  func inPlace() throws {
    var bytes = frame(0x81, a(1000))
    var span = bytes.mutableSpan
    var receiver = Receiver(role: .server)
    try receiver.receive(&span) { _, payload in #expect(payload.count == 1000) }
    // The received bytes themselves were unmasked.
    #expect(Array(bytes.suffix(1000)) == a(1000))
  }
}

/// `count` letters `a`.
func a(_ count: Int) -> [UInt8] { [UInt8](repeating: UInt8(ascii: "a"), count: count) }

/// `count` bytes that are not UTF-8.
func f(_ count: Int) -> [UInt8] { [UInt8](repeating: 0xFE, count: count) }

func big(_ code: UInt16) -> [UInt8] { [UInt8(code >> 8), UInt8(code & 0xFF)] }
