import Foundation
import HTTP
import JSON
import Server
import TestSupport
import Testing
import WebSocket

@testable import HearthCommand

/// Attacks by unauthenticated clients on the whole server over real sockets (RELIABILITY A2, E2–E6, F5).
@Suite("Attacks on the edge")
struct EdgeTests {
  private static func allowOrigins(_ options: inout Node.Options) {
    options.configuration.allowedOrigins = Set(UpgradeTable.allowedOrigins.compactMap { Origin($0) })
  }

  // MARK: the opening handshake

  @Test("A2: a malformed upgrade is answered with its status and closed, sent whole or in pieces of 101 bytes")
  func malformedUpgrades() async throws {
    #expect(UpgradeTable.malformed.count >= 80)
    let server = try await TestServer.start(Self.allowOrigins)
    defer { server.end() }
    for (text, status) in UpgradeTable.malformed {
      let bytes = Array(text.utf8)
      // Bytes after a valid head must come with it, or they are the start of a frame.
      let isTrailing = text.hasPrefix(UpgradeTable.request()) && text != UpgradeTable.request()
      for size in isTrailing ? [bytes.count] : [bytes.count, 101] {
        let connection = try await RawConnection.open(port: server.port)
        for start in stride(from: 0, to: bytes.count, by: size) {
          connection.send(Array(bytes[start..<min(bytes.count, start + size)]))
        }
        let answer = String(decoding: try await connection.end(), as: UTF8.self)
        #expect(
          answer.hasPrefix("HTTP/1.1 \(status) ") && !answer.contains("jsonrpc"), "\(text.prefix(300))\n\(answer)")
      }
    }
  }

  @Test("R-004: an origin that only resembles an allowed one is refused before the upgrade (F5, SEC-12)")
  func origins() async throws {
    #expect(UpgradeTable.refusedOrigins.count >= 40)
    let server = try await TestServer.start(Self.allowOrigins)
    defer { server.end() }
    for origin in UpgradeTable.refusedOrigins {
      let answer = try await HTTPExchange.send(UpgradeTable.request(adding: ["Origin: \(origin)"]), to: server.port)
      #expect(answer.hasPrefix("HTTP/1.1 403 "), "\(origin)")
    }
    for origin in UpgradeTable.allowedOrigins.sorted() + UpgradeTable.equalOrigins {
      try await TestClient.connect(port: server.port, headers: ["Origin": origin]).fence()
    }
  }

  @Test("E6: an upgrade may arrive byte by byte, and ten thousand headers are refused")
  func pieces() async throws {
    let server = try await TestServer.start(Self.allowOrigins)
    defer { server.end() }
    let slow = try await RawConnection.open(port: server.port)
    for byte in UpgradeTable.request().utf8 { slow.send([byte]) }
    try await slow.waits { $0.starts(with: Array("HTTP/1.1 101".utf8)) }
    let many = UpgradeTable.request(adding: (0..<10_000).map { "X-\($0): a" })
    #expect(try await HTTPExchange.send(many, to: server.port).hasPrefix("HTTP/1.1 431 "))
    slow.drop()
  }

  @Test("R-001: what comes with an upgrade request is refused aloud, and frames right behind the 101 are answered")
  func behindUpgrade() async throws {
    let server = try await TestServer.start()
    defer { server.end() }
    let request = Array(UpgradeTable.request().utf8)
    let hello = Frame.text(call(1, "hello", ["client": .string(newID())]).text, mask: 3)
    let frames = hello + Frame.encode(.ping, Array("k".utf8).span, mask: 5)
    // A client must wait for the 101 (RFC 6455 §4.1): a proxy may take what comes earlier for another request.
    for behind in [frames, Array(frames.prefix(hello.count / 2))] {
      let eager = try await RawConnection.open(port: server.port)
      eager.send(request + behind)
      let answer = String(decoding: try await eager.end(), as: UTF8.self)
      #expect(answer.hasPrefix("HTTP/1.1 400 ") && answer.contains("must wait for the response"), "\(answer)")
    }
    for size in [1, 7, frames.count] {
      let patient = try await RawConnection.upgraded(port: server.port)
      for start in stride(from: 0, to: frames.count, by: size) {
        patient.send(Array(frames[start..<min(frames.count, start + size)]))
      }
      try await patient.waits { $0.firstRange(of: [0x8A, 1, UInt8(ascii: "k")]) != nil }
      let answer = try #require(patient.bytes.firstIndex { $0 == 0x81 || $0 == 0xC1 })
      let pong = try #require(patient.bytes.firstRange(of: [0x8A, 1, UInt8(ascii: "k")]))
      #expect(answer < pong.lowerBound, "in their order")
      patient.drop()
    }
  }

  @Test("R-002: a window that the server cannot keep to is declined, and what it sends stays plain")
  func windows() async throws {
    // These connections say no hello, and a busy machine takes its time.
    let server = try await TestServer.start { $0.configuration.helloTimeout = .seconds(600) }
    defer { server.end() }
    let rows: [(offer: String, isGranted: Bool, isCompressed: Bool)] = [
      ("server_max_window_bits=8", false, false), ("server_max_window_bits=7", false, false),
      ("server_max_window_bits=16", false, false), ("mystery", false, false),
      ("server_max_window_bits=8, permessage-deflate", true, true), ("server_max_window_bits=9", true, false),
      ("client_max_window_bits=8", true, true), ("client_max_window_bits", true, true),
    ]
    for (offer, isGranted, isCompressed) in rows {
      let connection = try await RawConnection.open(port: server.port)
      let line = "Sec-WebSocket-Extensions: permessage-deflate; \(offer)"
      connection.send(Array(UpgradeTable.request(adding: [line]).utf8))
      let end: [UInt8] = [13, 10, 13, 10]
      try await connection.waits { $0.firstRange(of: end) != nil }
      let head = try #require(connection.bytes.firstRange(of: end))
      let text = String(decoding: connection.bytes[..<head.upperBound], as: UTF8.self)
      #expect(text.hasPrefix("HTTP/1.1 101 "), "\(offer)")
      let both = "permessage-deflate; server_no_context_takeover; client_no_context_takeover"
      #expect(text.contains(both) == isGranted && text.contains("Extensions") == isGranted, "\(offer): \(text)")
      connection.send(Frame.text(#"{"jsonrpc":"2.0","id":1,"method":"rpc.discover"}"#, mask: 3))
      // A ping may stand in front of the answer, in two bytes.
      try await connection.waits { $0.dropFirst(head.upperBound).contains { $0 & 0x0F == 0x01 } }
      let first = connection.bytes.dropFirst(head.upperBound).first { $0 & 0x0F == 0x01 }
      #expect(first == (isCompressed ? 0xC1 : 0x81), "\(offer)")
      connection.drop()
    }
  }

  @Test("R-003: inflated messages are taken up to the limit and refused beyond, before hello and after (SEC-12)")
  func inflatedSizes() async throws {
    // These connections say no hello, and a busy machine takes its time.
    let server = try await TestServer.start { $0.configuration.helloTimeout = .seconds(600) }
    defer { server.end() }
    let ana = try await server.member("Ana")
    // The answer is small, so it comes uncompressed.
    let text = Array(#"{"jsonrpc":"2.0","id":7,"method":"no.suchMethod"}"#.utf8)
    func isAnswered(_ bytes: [UInt8]) -> Bool { bytes.firstRange(of: Array(#""id":7,"#.utf8)) != nil }
    for (token, limit) in [(nil, WireLimits.messageBeforeHello), (ana.token, WireLimits.message)] as [(String?, Int)] {
      // Cut off at the limit, all of them would still parse: behind the call there are only blanks.
      for (size, isTaken) in [(limit - 1, true), (limit, true), (limit + 1, false), (limit + 2, false)] {
        let message = text + [UInt8](repeating: 0x20, count: size - text.count)
        let payload = Deflater().compress(message.span)
        let half = payload.count / 2
        var first = Frame.encode(.text, Array(payload[..<half]).span, isFinal: false, mask: 7)
        first[0] |= 0x40
        let connection = try await RawConnection.upgraded(port: server.port)
        if let token { try await connection.hello(token: token) }
        connection.send(first + Frame.encode(.continuation, Array(payload[half...]).span, mask: 7))
        if isTaken {
          try await connection.waits(isAnswered)
          connection.drop()
        } else {
          #expect(try await connection.closeCode() == 1009, "\(size)")
          #expect(!isAnswered(connection.bytes), "\(size)")
        }
      }
    }
  }

  @Test("E2: slow headers, an upgrade without hello, and half a hello are each closed at their deadline")
  func slowloris() async throws {
    let server = try await TestServer.start { $0.configuration.helloTimeout = .seconds(10) }
    defer { server.end() }
    let endless = Array(UpgradeTable.request(adding: ["X: "]).dropLast(4).utf8) + Array(repeating: 0x61, count: 4000)
    let begin = Frame.encode(.text, [0x20].span, isFinal: false, mask: 1)
    let rest = Array(repeating: Frame.encode(.continuation, [0x20].span, isFinal: false, mask: 1), count: 63)
    // Fewer than the limit per minute, which would otherwise close them.
    let pings = Array(repeating: Frame.encode(.ping, Span(), mask: 1), count: 110)
    let attacks: [(name: String, isUpgraded: Bool, drops: [[UInt8]])] = [
      ("nothing", false, []), ("headers", false, endless.map { [$0] }), ("pings", true, pings),
      ("a message", true, [begin] + rest),
      ("one frame", true, [[0x81, 0xFE, 0x0F, 0xFF, 1, 2, 3, 4]] + endless.map { [$0] }),
    ]
    await withTaskGroup(of: Void.self) { group in
      for attack in attacks {
        group.addTask {
          do {
            let start = ContinuousClock.now
            let port = server.port
            let connection =
              try await attack.isUpgraded
              ? RawConnection.upgraded(port: port) : RawConnection.open(port: port)
            for drop in attack.drops where !connection.isClosed {
              connection.send(drop)
              try await Task.sleep(for: .milliseconds(100))
            }
            let bytes = try await connection.end()
            // Without the deadline the connection would stay for at least a minute.
            #expect(ContinuousClock.now - start < .seconds(45), "\(attack.name)")
            if attack.isUpgraded {
              #expect(String(decoding: bytes, as: UTF8.self).contains("no hello in time"), "\(attack.name)")
            }
          } catch { Issue.record("\(attack.name): \(error)") }
        }
      }
    }
    try await server.connect().fence()
  }

  // MARK: answers

  @Test("SYN-7: calls of a client that reads no answers are no longer read; when it reads again, it gets them all")
  func unreadAnswers() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "hearth-unread-\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let server = try await ServerProcess.start(
      data: folder, arguments: ["--loops", "2", "--hello-timeout", "600s", "--calls-per-second", "1000000"])
    // Answers of 17 MB to calls of 2 MB, and of 40 MB to 200 calls by HTTP.
    let client = JSON.string(newID())
    func hello(_ id: Int) -> [UInt8] { Frame.text(call(id, "hello", ["client": client]).text, mask: 0) }
    func discover(_ id: Int) -> [UInt8] {
      let body = #"{"jsonrpc":"2.0","id":\#(id),"method":"rpc.discover"}"#
      let head = "POST /rpc HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: "
      return Array("\(head)\(body.utf8.count)\r\n\r\n\(body)".utf8)
    }
    let floods: [(call: (Int) -> [UInt8], count: Int, bytesEach: Int, isUpgraded: Bool)] = [
      (hello, 15_000, 1100, true), (discover, 200, 120_000, false),
    ]
    /// Whether the answer to a call with this id is among the last ones.
    func ends(_ bytes: [UInt8], with id: Int) -> Bool {
      bytes.suffix(600_000).firstRange(of: Array("\"id\":\(id),".utf8)) != nil
    }
    for (call, count, bytesEach, isUpgraded) in floods {
      let connection = try await RawConnection.open(port: server.port)
      // Compression is off.
      if isUpgraded {
        connection.send(Array(UpgradeTable.request().utf8))
        try await connection.waits { $0.starts(with: Array("HTTP/1.1 101".utf8)) }
      }
      connection.send(call(2))
      try await connection.waits { ends($0, with: 2) }
      let before = try server.residentBytes()
      connection.setReading(false)
      connection.send(Array(repeating: call(1), count: count).flatMap(\.self) + call(3))
      try await Task.sleep(for: .seconds(3))
      let growth = try server.residentBytes() - before
      #expect(growth < 8 << 20, "grew by \(growth)")
      connection.setReading(true)
      try await connection.waits(within: 90) { ends($0, with: 3) }
      #expect(connection.bytes.count > count * bytesEach)
      connection.drop()
    }
    await server.stop()
  }

  // MARK: frames

  @Test("R-003: a compression bomb is refused at the limit before and after hello, and memory stays flat (E3)")
  func bombs() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "hearth-bombs-\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let seeding = try await TestServer.start(in: folder)
    let ana = try await seeding.member("Ana")
    await seeding.stop()
    let server = try await ServerProcess.start(data: folder, arguments: ["--loops", "1"])
    func bomb(_ size: Int) -> [UInt8] {
      let payload = Deflater(level: 9).compress([UInt8](repeating: 0x20, count: size).span)
      var frame = Frame.encode(.text, payload.span, mask: 7)
      frame[0] |= 0x40
      return frame
    }
    // Payloads of 64 KiB and 4 KiB that expand a thousandfold, and one that is too large itself.
    let (large, small, huge) = (bomb(60 << 20), bomb(3 << 20), bomb(100 << 20))
    #expect(large.count < 65_536 && small.count < 4096 && huge.count > 65_536)
    func explode(_ frame: [UInt8], token: String?) async throws {
      let connection = try await RawConnection.upgraded(port: server.port)
      if let token { try await connection.hello(token: token) }
      connection.send(frame)
      #expect(try await connection.closeCode() == 1009)
    }
    for frame in [large, small, huge] {
      try await explode(frame, token: nil)
      try await explode(frame, token: ana.token)
    }
    let before = try server.residentBytes()
    for _ in 0..<30 {
      try await explode(large, token: ana.token)
      try await explode(small, token: nil)
    }
    let growth = try server.residentBytes() - before
    #expect(growth < 4 << 20, "grew by \(growth)")
    await server.stop()
  }

  @Test(
    "E4: endless fragments and empty frames end at their limits; one fewer and the limit itself are accepted")
  func floods() async throws {
    let server = try await TestServer.start()
    defer { server.end() }
    let begin = Frame.encode(.text, Span(), isFinal: false, mask: 1)
    for piece in [[], [0x20]] as [[UInt8]] {
      let fragment = Frame.encode(.continuation, piece.span, isFinal: false, mask: 1)
      let last = Frame.encode(.continuation, piece.span, mask: 1)
      for (count, isTaken) in [(63, true), (64, true), (65, false), (10_000, false)] {
        let connection = try await RawConnection.upgraded(port: server.port)
        connection.send(begin + Array(repeating: fragment, count: count - 2).flatMap(\.self) + last)
        if isTaken {
          try await connection.waits { String(decoding: $0, as: UTF8.self).contains("-32700") }
          connection.drop()
        } else {
          #expect(try await connection.closeCode() == 1008, "\(count)")
        }
      }
    }
    // Empty messages count as malformed.
    let connection = try await RawConnection.upgraded(port: server.port)
    connection.send(Array(repeating: Frame.text("", mask: 1), count: 21).flatMap(\.self))
    #expect(try await connection.closeCode() == 4105)
  }

  /// Checks the limit of a client's pings and pongs in a minute (RELIABILITY E4).
  ///
  /// `LimitTests` runs it.
  @Sendable static func pings(limit: Int) async throws {
    let server = try await TestServer.start()
    defer { server.end() }
    for frame in [Frame.encode(.ping, [1].span, mask: 1), Frame.encode(.pong, [1].span, mask: 1)] {
      for (count, isTaken) in [(limit - 1, true), (limit, true), (limit + 1, false), (100_000, false)] {
        let connection = try await RawConnection.upgraded(port: server.port)
        connection.send(Array(repeating: frame, count: count).flatMap(\.self) + Frame.text("{", mask: 1))
        if isTaken {
          try await connection.waits { String(decoding: $0, as: UTF8.self).contains("-32700") }
          connection.drop()
        } else {
          #expect(try await connection.closeCode() == 1008, "\(count)")
          #expect(connection.bytes.count < 1000, "as many pongs as pings are allowed")
        }
      }
    }
  }

  @Test(
    "E4: a message must be complete in time, even with other frames in between; slow but complete messages may continue"
  )
  func incompleteMessages() async throws {
    let server = try await TestServer.start { $0.configuration.messageTimeout = .seconds(2) }
    defer { server.end() }
    let ana = try await server.member("Ana")
    let fragment = Frame.encode(.continuation, [0x20].span, isFinal: false, mask: 1)
    let begin = Frame.encode(.text, Array("{".utf8).span, isFinal: false, mask: 1)
    let whole = Frame.text(#"{"jsonrpc":"2.0","id":1,"method":"x"}"#, mask: 1)
    let ping = Frame.encode(.ping, Span(), mask: 1)
    let attacks: [(first: [UInt8], drops: [[UInt8]], isClosed: Bool)] = [
      (begin, Array(repeating: fragment, count: 300), true), (begin, Array(repeating: ping, count: 300), true),
      ([0x81, 0xFE, 0x0F, 0xFF, 1, 2, 3, 4], Array(repeating: [0x20], count: 300), true), ([0x81], [], true),
      (whole + begin, Array(repeating: ping, count: 300), true),
      // Each message is complete, and the next one has begun.
      (Array(whole.prefix(9)), Array(repeating: Array(whole.dropFirst(9) + whole.prefix(9)), count: 40), false),
    ]
    await withTaskGroup(of: Void.self) { group in
      for (index, attack) in attacks.enumerated() {
        group.addTask {
          do {
            let connection = try await RawConnection.upgraded(port: server.port)
            try await connection.hello(token: ana.token)
            let start = ContinuousClock.now
            connection.send(attack.first)
            var (last, longestPause) = (start, Duration.zero)
            for drop in attack.drops where !connection.isClosed {
              connection.send(drop)
              try await Task.sleep(for: .milliseconds(90))
              longestPause = max(longestPause, ContinuousClock.now - last)
              last = .now
            }
            guard attack.isClosed else {
              // A pause of this machine may have made our own sending too slow.
              #expect(!connection.isClosed || longestPause > .seconds(1.5))
              #expect(connection.isClosed || last - start > .seconds(3))
              return connection.drop()
            }
            #expect(try await connection.closeCode() == 1008, "\(index)")
            #expect(ContinuousClock.now - start >= .milliseconds(1900), "\(index)")
          } catch { Issue.record("\(index): \(error)") }
        }
      }
    }
  }

  @Test("E5: an invalid length is refused from its header alone")
  func lengths() async throws {
    let server = try await TestServer.start()
    defer { server.end() }
    let rows: [(bytes: [UInt8], code: Int)] = [
      ([0xFE, 0, 125], 1002), ([0xFE, 0, 0], 1002), ([0xFF, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF], 1002),
      ([0xFF, 0, 0, 0, 0, 0, 1, 0, 1], 1009), ([0xFF, 0, 0, 0, 0, 0x80, 0, 0, 0], 1009),
      ([0xFF, 0, 0, 0, 1, 0, 0, 0, 0], 1009), ([0xFF, 0x7F, 255, 255, 255, 255, 255, 255, 255], 1009),
      ([0xFF, 0x80, 0, 0, 0, 0, 0, 0, 0], 1002), ([0xFF, 255, 255, 255, 255, 255, 255, 255, 255], 1002),
      ([0x7F, 0, 0, 0, 0, 0, 0, 0, 1], 1002),
    ]
    for (bytes, code) in rows {
      let connection = try await RawConnection.upgraded(port: server.port)
      connection.send([0x81] + bytes)
      #expect(try await connection.closeCode() == code, "\(bytes)")
    }
  }

  @Test("E7: each hostile JSON text gets one error and changes nothing")
  func hostileJSON() async throws {
    let server = try await TestServer.start()
    defer { server.end() }
    let (room, members) = try await server.household("Ana")
    let ana = members[0]
    func add(_ text: String) -> String {
      #"{"jsonrpc":"2.0","id":1,"method":"notes.add","params":{"room":"\#(room)",\#(text)}}"#
    }
    let rows: [(text: String, code: Int)] = [
      (String(repeating: "[", count: 65_000), -32700), (String(repeating: "{\"a\":", count: 13_000), -32700),
      (add(#""text":"a","text":"b""#), -32700), (add(#""text":"a","t\u0065xt":"b""#), -32700),
      (add(#""__proto__":{},"__proto__":1"#), -32700), (add(#""text":"a","__proto__":{"text":"b"}"#), -32602),
      (add(#""text":"a","constructor":{}"#), -32602), (add(#""text":"\ud800""#), -32700),
      (add(#""text":"\udc00\ud800""#), -32700), (add(#""text":"\ud83d x""#), -32700),
      (add(#""text":"a","place":{"x":\#(String(repeating: "9", count: 10_000)),"y":0}"#), -32602),
      (add(#""text":"a","place":{"x":0.\#(String(repeating: "1", count: 10_000))e99999,"y":0}"#), -32602),
      (add(#""text":"a","seq":\#(String(repeating: "9", count: 10_000))"#), -32602),
      (add(#""text":"a","seq":1.5"#), -32602), (add(#""text":"a","seq":-0"#), -32602),
      (add(#""text":"a","x":[\#(Array(repeating: "0", count: 10_001).joined(separator: ","))]"#), -32700),
      (add(#""text":"a\#u{0}b""#), -32700), (add(#""text":"a"} //"#), -32700), (add(#""text":NaN"#), -32700),
    ]
    for (text, code) in rows {
      // Malformed messages are counted, and a connection may send twenty.
      ana.client.send(text)
      let answer = try await ana.client.next { $0["error"] != nil }
      #expect(answer["error"]?["code"]?.int == code, "\(text.prefix(200)) \(answer.text)")
    }
    #expect(try await ana.watch(room)["notes"].isEmpty)
  }
}
