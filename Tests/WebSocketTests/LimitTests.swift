import Testing
import WebSocket

@Suite("Limits on received messages")
struct LimitTests {
  static let limits = Limits(framePayloadBytes: 10, messageBytes: 20, fragments: 4)

  @Test("a frame of up to the limit is accepted, and one byte more is rejected", arguments: [9, 10, 11])
  func framePayload(count: Int) {
    let outcome = receive(frame(0x82, f(count)), limits: Self.limits)
    #expect(outcome.error == (count > 10 ? .frameTooLarge(11) : nil))
    #expect(outcome.events == (count > 10 ? [] : [.binary(f(count))]))
  }

  @Test("the fragments of a message together are accepted up to the limit", arguments: [9, 10, 11])
  func message(last: Int) {
    let bytes = frame(0x02, f(5)) + frame(0x00, f(5)) + frame(0x80, f(last))
    let limits = Limits(framePayloadBytes: 100, messageBytes: 20, fragments: 4)
    #expect(receive(bytes, limits: limits).error == (last > 10 ? .messageTooLarge(limit: 20) : nil))
    // The header that exceeds the limit is rejected without its payload.
    #expect(receive(bytes.dropLast(last), limits: limits).error == (last > 10 ? .messageTooLarge(limit: 20) : nil))
  }

  @Test("fragments are accepted up to the limit, even if they are empty", arguments: [3, 4, 5])
  func fragments(count: Int) {
    let bytes = frame(0x01) + (0..<(count - 2)).flatMap { _ in frame(0x00) } + frame(0x80)
    let outcome = receive(bytes, limits: Self.limits)
    #expect(outcome.error == (count > 4 ? .tooManyFragments(limit: 4) : nil))
    #expect(outcome.events == (count > 4 ? [] : [.text("")]))
  }

  @Test("a million empty continuation frames are stopped at the sixty-fifth (CVE-2026-9675 and others)")
  func emptyContinuations() {
    var receiver = Receiver(role: .server)
    var outcome = Outcome()
    receiver.feed(frame(0x01)[...], into: &outcome)
    let empty = frame(0x00)
    for count in 2...64 {
      receiver.feed(empty[...], into: &outcome)
      #expect(outcome == Outcome(), "\(count)")
    }
    let flood = Array(repeatElement(empty, count: 10_000).joined())
    for _ in 0..<100 {
      receiver.feed(flood[...], into: &outcome)
      #expect(outcome == Outcome(error: .tooManyFragments(limit: 64)))
      #expect(!receiver.isIncomplete)
    }
  }

  @Test("limits may be raised between two messages")
  func raised() {
    var receiver = Receiver(role: .server, limits: Limits(messageBytes: 4))
    var outcome = Outcome()
    receiver.feed(frame(0x82, f(4))[...], into: &outcome)
    receiver.limits.messageBytes = 8
    receiver.feed(frame(0x82, f(8))[...], into: &outcome)
    #expect(outcome == Outcome(events: [.binary(f(4)), .binary(f(8))]))
    receiver.feed(frame(0x82, f(9))[...], into: &outcome)
    #expect(outcome.error == .messageTooLarge(limit: 8))
  }

  @Test("lowering the limit inside a message rejects that message")
  func lowered() {
    var receiver = Receiver(role: .server)
    var outcome = Outcome()
    receiver.feed(frame(0x02, f(100))[...], into: &outcome)
    receiver.limits.messageBytes = 8
    receiver.feed(frame(0x80)[...], into: &outcome)
    #expect(outcome == Outcome(error: .messageTooLarge(limit: 8)))
  }

  @Test("every protocol error has a close code that is allowed on the wire")
  func closeCodes() {
    let errors: [(ProtocolError, UInt16)] = [
      (.reservedBits, 1002), (.reservedOpcode(3), 1002), (.unmasked, 1002), (.masked, 1002),
      (.fragmentedControl, 1002), (.oversizedControl, 1002), (.malformedLength, 1002),
      (.unexpectedContinuation, 1002), (.interruptedMessage, 1002), (.frameTooLarge(1), 1009),
      (.messageTooLarge(limit: 1), 1009), (.tooManyFragments(limit: 1), 1008), (.invalidUTF8, 1007),
      (.malformedDeflate, 1007), (.malformedClose, 1002), (.invalidCloseCode(1), 1002),
    ]
    for (error, code) in errors {
      #expect(error.closeCode.rawValue == code)
      #expect(error.closeCode.isAllowedOnWire)
    }
  }
}
