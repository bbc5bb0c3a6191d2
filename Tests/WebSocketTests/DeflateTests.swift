import TestSupport
import Testing
import WebSocket

@Suite("Compression of messages")
struct DeflateTests {
  static let hello: [UInt8] = [0xF2, 0x48, 0xCD, 0xC9, 0xC9, 0x07, 0x00]

  /// Inflates `payloads` in order, as on one connection.
  static func inflate(
    _ payloads: [[UInt8]], limit: Int = 65_536, with inflater: Inflater = Inflater()
  ) throws(ProtocolError) -> [[UInt8]] {
    var messages: [[UInt8]] = []
    for payload in payloads {
      try inflater.withInflated(payload.span, limit: limit) { messages.append($0.array) }
    }
    return messages
  }

  @Test(
    "every form of a compressed message in RFC 7692 §7.2.3 is inflated",
    arguments: [
      ("one block", hello),
      ("a stored block", [0x00, 0x05, 0x00, 0xFA, 0xFF, 0x48, 0x65, 0x6C, 0x6C, 0x6F, 0x00]),
      ("a block marked as the last", [0xF3, 0x48, 0xCD, 0xC9, 0xC9, 0x07, 0x00, 0x00]),
      ("two blocks", [0xF2, 0x48, 0x05, 0x00, 0x00, 0x00, 0xFF, 0xFF, 0xCA, 0xC9, 0xC9, 0x07, 0x00]),
      ("empty blocks in front", [0x00, 0x00, 0x00, 0xFF, 0xFF] + [0x00, 0x00, 0x00, 0xFF, 0xFF] + hello),
      ("an empty block behind", Array(hello.dropLast()) + [0x00, 0x00, 0x00, 0xFF, 0xFF, 0x00]),
    ] as [(String, [UInt8])])
  func examples(name: String, payload: [UInt8]) throws {
    #expect(try Self.inflate([payload, payload]) == [Array("Hello".utf8), Array("Hello".utf8)])
    let bytes = frame(0xC1, payload)
    #expect(receive(bytes, inflater: Inflater()).events == [.text("Hello")])
    for cut in bytes.indices {
      #expect(receive(bytes, cuts: [cut], inflater: Inflater()).events == [.text("Hello")])
    }
  }

  @Test("a message that refers to the previous one is inflated only if the context is kept (RFC 7692 §7.2.3.2)")
  func contextTakeover() throws {
    let again: [UInt8] = [0xF2, 0x00, 0x11, 0x00, 0x00]
    let both = try Self.inflate([Self.hello, again], with: Inflater(keepsContext: true))
    #expect(both == [Array("Hello".utf8), Array("Hello".utf8)])
    #expect(throws: ProtocolError.malformedDeflate) { try Self.inflate([Self.hello, again]) }
    // The context survives blocks marked as final.
    let final: [UInt8] = [0xF3, 0x48, 0xCD, 0xC9, 0xC9, 0x07, 0x00, 0x00]
    #expect(try Self.inflate([final, again], with: Inflater(keepsContext: true)) == both)
  }

  @Test("an empty message is compressed to one byte and inflated")
  func empty() throws {
    #expect(try Self.inflate([[0x00]]) == [[]])
    for keepsContext in [false, true] {
      let deflater = Deflater(keepsContext: keepsContext)
      let inflater = Inflater(keepsContext: keepsContext)
      let none: [UInt8] = []
      for text in ["", "", "Hello", "", "", "Hello"] {
        let payload = text.isEmpty ? deflater.compress(none.span) : deflater.compress(Array(text.utf8).span)
        #expect(!text.isEmpty || payload == [0x00])
        #expect(try Self.inflate([payload], with: inflater) == [Array(text.utf8)])
      }
    }
  }

  @Test(
    "a payload that is not a sequence of whole blocks is rejected",
    arguments: [
      ("nothing", []),
      ("a reserved block type", [0x07]),
      ("cut within a block", [0xF2, 0x48, 0xCD]),
      ("cut before its end", [0xF2, 0x48, 0xCD, 0xC9, 0xC9]),
      ("junk behind", hello + [0xFF]),
      ("a byte behind", hello + [0x01]),
      ("random bytes", [0xDE, 0xAD, 0xBE, 0xEF]),
      ("the tail that must be left out", hello + [0x00, 0x00, 0xFF]),
      ("a stored block with a wrong check", [0x00, 0x05, 0x00, 0xFB, 0xFF, 0x48, 0x65, 0x6C, 0x6C, 0x6F, 0x00]),
      ("a stored block that is cut", [0x00, 0x05, 0x00, 0xFA, 0xFF, 0x48]),
      ("a last block with nothing behind", [0xF3, 0x48, 0xCD, 0xC9, 0xC9, 0x07, 0x00]),
      ("junk behind a last block", [0xF3, 0x48, 0xCD, 0xC9, 0xC9, 0x07, 0x00, 0xFF]),
      ("a reference to before the beginning", [0xF2, 0x00, 0x11, 0x00, 0x00]),
    ] as [(String, [UInt8])])
  func malformed(name: String, payload: [UInt8]) throws {
    #expect(receive(frame(0xC1, payload), inflater: Inflater()) == Outcome(error: .malformedDeflate))
    // A shared inflater is not affected by the error.
    let shared = Inflater()
    #expect(throws: ProtocolError.malformedDeflate) { try Self.inflate([payload], with: shared) }
    #expect(try Self.inflate([Self.hello], with: shared) == [Array("Hello".utf8)])
  }

  @Test(
    "messages are unchanged after compressing and inflating, for every window and kind of context",
    arguments: [9, 10, 12, 15], [false, true])
  func roundTrip(windowBits: Int, keepsContext: Bool) throws {
    var random = SeededGenerator(seed: UInt64(windowBits))
    let deflater = Deflater(windowBits: windowBits, keepsContext: keepsContext)
    let inflater = Inflater(windowBits: windowBits, keepsContext: keepsContext)
    for size in [0, 1, 2, 100, 511, 512, 513, 4096, 65_535, 65_536] {
      let text = (0..<size).map { UInt8(ascii: "a") + UInt8($0 / 7 % 13) }
      for message in [text, text, random.bytes(size)] {
        let payload = deflater.compress(message.span)
        #expect(try Self.inflate([payload], with: inflater) == [message])
      }
    }
  }

  @Test("R-002: the deflater stays within its window")
  func windowBits() throws {
    // The second half repeats bytes 20,000 back, which a window of 2^15 reaches and one of 2^9 does not.
    var random = SeededGenerator(seed: 1)
    let half = random.bytes(20_000)
    let message = half + half
    let wide = Deflater(windowBits: 15).compress(message.span)
    let narrow = Deflater(windowBits: 9).compress(message.span)
    #expect(wide.count < 25_000)
    #expect(narrow.count > 39_000)
    #expect(try Self.inflate([narrow], with: Inflater(windowBits: 9)) == [message])
    #expect(throws: ProtocolError.malformedDeflate) { try Self.inflate([wide], with: Inflater(windowBits: 9)) }
  }

  @Test("the deflater leaves room for a frame header")
  func headroom() {
    let message = Array("Hello, Hello, Hello".utf8)
    let payload = Deflater().compress(message.span, headroom: 14)
    #expect(payload.prefix(14).allSatisfy { $0 == 0 })
    #expect(Array(payload.dropFirst(14)) == Deflater().compress(message.span))
    let none: [UInt8] = []
    #expect(Deflater().compress(none.span, headroom: 2) == [0, 0, 0])
  }

  @Test(
    "R-003: a message is inflated up to the limit and rejected above it",
    arguments: [0, 1, 100, 4095, 4096, 4097, 65_535, 65_536])
  func limit(limit: Int) throws {
    let inflater = Inflater()
    for count in [limit - 1, limit, limit + 1] where count >= 0 {
      let payload = Deflater().compress(a(count).span)
      if count > limit {
        #expect(throws: ProtocolError.messageTooLarge(limit: limit)) {
          try Self.inflate([payload], limit: limit, with: inflater)
        }
      } else {
        #expect(try Self.inflate([payload], limit: limit, with: inflater) == [a(count)])
      }
    }
  }

  @Test("a bomb of 100 MiB is stopped at the limit within 10 ms (CVE-2016-10544 and others)")
  func bomb() throws {
    let bomb = Deflater(level: 9).compress([UInt8](repeating: 0, count: 100 << 20).span)
    #expect(bomb.count < 150_000)
    let inflater = Inflater()
    var best = Duration.seconds(1)
    for _ in 0..<5 {
      let duration = ContinuousClock().measure {
        #expect(throws: ProtocolError.messageTooLarge(limit: 65_536)) { try Self.inflate([bomb], with: inflater) }
      }
      best = min(best, duration)
    }
    // Inflating all of it takes a hundred times as long.
    #expect(best < .milliseconds(10))

    // The bomb as one frame within the limits, before and after authentication.
    let small = Deflater(level: 9).compress([UInt8](repeating: 0, count: 32 << 20).span)
    for limit in [4096, 65_536] {
      let outcome = receive(
        frame(0xC2, small), limits: Limits(messageBytes: limit, fragments: 1), inflater: Inflater())
      #expect(outcome.error == .messageTooLarge(limit: limit))
      #expect(outcome.error?.closeCode == .messageTooBig)
    }
  }

  @Test("RSV1 is accepted only where RFC 7692 §6 allows it")
  func reservedBit() {
    let hello = Self.hello
    let table: [(String, [UInt8], Outcome)] = [
      ("a whole message", frame(0xC1, hello), Outcome(events: [.text("Hello")])),
      ("binary", frame(0xC2, hello), Outcome(events: [Received(.binary, Array("Hello".utf8))])),
      ("not compressed after all", frame(0x81, "Hello"), Outcome(events: [.text("Hello")])),
      (
        "in fragments (§7.2.3.1)", frame(0x41, Array(hello[..<3])) + frame(0x80, Array(hello[3...])),
        Outcome(events: [.text("Hello")])
      ),
      (
        "fragments around a ping", frame(0x41, Array(hello[..<3])) + frame(0x89) + frame(0x80, Array(hello[3...])),
        Outcome(events: [.ping(), .text("Hello")])
      ),
      (
        "empty fragments", frame(0x41) + frame(0x00, hello) + frame(0x80), Outcome(events: [.text("Hello")])
      ),
      ("on a continuation", frame(0x41, hello) + frame(0xC0), Outcome(error: .reservedBits)),
      ("on a continuation of plain text", frame(0x01, "a") + frame(0xC0), Outcome(error: .reservedBits)),
      ("on a ping", frame(0xC9), Outcome(error: .reservedBits)),
      ("on a pong", frame(0xCA), Outcome(error: .reservedBits)),
      ("on a close", frame(0xC8), Outcome(error: .reservedBits)),
      ("with RSV2", frame(0xE1, hello), Outcome(error: .reservedBits)),
      ("with RSV3", frame(0xD1, hello), Outcome(error: .reservedBits)),
    ]
    for (name, bytes, outcome) in table {
      #expect(receive(bytes, inflater: Inflater()) == outcome, "\(name)")
      #expect(receive(bytes, cuts: Array(bytes.indices), inflater: Inflater()) == outcome, "\(name)")
    }
    #expect(receive(frame(0xC1, hello)) == Outcome(error: .reservedBits))
  }

  @Test("inflated bytes that are not UTF-8 are rejected as text and accepted as binary")
  func invalidText() {
    let payload = Deflater().compress(([0x41, 0xFF] as [UInt8]).span)
    #expect(receive(frame(0xC1, payload), inflater: Inflater()) == Outcome(error: .invalidUTF8))
    #expect(receive(frame(0xC2, payload), inflater: Inflater()).events == [.binary([0x41, 0xFF])])
    let cut = Deflater().compress(([0x41, 0xCE] as [UInt8]).span)
    #expect(receive(frame(0xC1, cut), inflater: Inflater()) == Outcome(error: .invalidUTF8))
  }

  @Test("an inflater may be used by another connection while its output is lent")
  func reentrancy() throws {
    let inflater = Inflater()
    var inner: [[UInt8]] = []
    var outer: [UInt8] = []
    try inflater.withInflated(Self.hello.span, limit: 100) { message throws(ProtocolError) in
      inner = try Self.inflate([Deflater().compress(a(50).span)], with: inflater)
      outer = message.array
    }
    #expect(inner == [a(50)])
    #expect(outer == Array("Hello".utf8))
  }

  @Test("a damaged payload gives a message within the limit or one of two errors", arguments: 1...8)
  func damage(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let inflater = Inflater()
    var errors: [ProtocolError: Int] = [:]
    for _ in 0..<200 {
      let message = (0..<Int.random(in: 0...300, using: &random)).map { UInt8($0 / 9) }
      var payload = Deflater().compress(message.span)
      for _ in 0..<Int.random(in: 1...3, using: &random) {
        switch Int.random(in: 0...2, using: &random) {
        case 0:
          payload[Int.random(in: 0..<payload.count, using: &random)] ^= 1 << UInt8.random(in: 0...7, using: &random)
        case 1: payload.append(UInt8.random(in: 0...255, using: &random))
        default: payload = payload.count > 1 ? payload.dropLast() : payload
        }
      }
      let limit = Int.random(in: 0...300, using: &random)
      do throws(ProtocolError) {
        let messages = try Self.inflate([payload], limit: limit, with: inflater)
        #expect(messages[0].count <= limit, "seed \(seed)")
      } catch {
        errors[error.kind, default: 0] += 1
      }
      #expect(try Self.inflate([Self.hello], with: inflater) == [Array("Hello".utf8)], "seed \(seed)")
    }
    #expect(Set(errors.keys) == [.malformedDeflate, .messageTooLarge(limit: 0)], "seed \(seed)")
  }
}

extension ProtocolError {
  /// The error with its limit set to 0, for comparing.
  var kind: ProtocolError {
    if case .messageTooLarge = self { .messageTooLarge(limit: 0) } else { self }
  }
}

@Suite("Pools of zlib states")
struct DeflatePoolTests {
  @Test("connections share a zlib state only if no message leaves a trace in it")
  func sharing() {
    let pool = DeflatePool()
    let stateless = DeflateParameters(serverNoContextTakeover: true, clientNoContextTakeover: true)
    let narrow = DeflateParameters(
      serverNoContextTakeover: true, clientNoContextTakeover: true, serverMaxWindowBits: 9)
    let keeping = DeflateParameters(serverNoContextTakeover: false, clientNoContextTakeover: false)
    for role in [Role.server, .client] {
      #expect(pool.deflater(for: stateless, as: role) === pool.deflater(for: stateless, as: role))
      #expect(pool.inflater(for: stateless, as: role) === pool.inflater(for: stateless, as: role))
      #expect(pool.deflater(for: keeping, as: role) !== pool.deflater(for: keeping, as: role))
      #expect(pool.inflater(for: keeping, as: role) !== pool.inflater(for: keeping, as: role))
    }
    #expect(pool.deflater(for: stateless, as: .server) !== pool.deflater(for: narrow, as: .server))
    #expect(pool.deflater(for: stateless, as: .client) === pool.deflater(for: narrow, as: .client))
  }

  @Test(
    "both sides of a connection get matching zlib states",
    arguments: [nil, 9, 15] as [Int?], [nil, 9, 15] as [Int?])
  func bothSides(serverBits: Int?, clientBits: Int?) throws {
    for (server, client) in [(true, true), (true, false), (false, true), (false, false)] {
      let parameters = DeflateParameters(
        serverNoContextTakeover: server, clientNoContextTakeover: client, serverMaxWindowBits: serverBits,
        clientMaxWindowBits: clientBits)
      let (ours, theirs) = (DeflatePool(), DeflatePool())
      for (from, to, sender, receiver) in [(Role.server, Role.client, ours, theirs), (.client, .server, theirs, ours)] {
        let deflater = sender.deflater(for: parameters, as: from)
        let inflater = receiver.inflater(for: parameters, as: to)
        for size in [3000, 3000, 10] {
          let message = (0..<size).map { UInt8(truncatingIfNeeded: $0 &* $0 >> 3) }
          #expect(try DeflateTests.inflate([deflater.compress(message.span)], with: inflater) == [message])
        }
      }
    }
  }
}
