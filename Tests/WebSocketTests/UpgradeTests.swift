import HTTP
import TestSupport
import Testing
import WebSocket

@Suite("Server upgrade")
struct UpgradeTests {
  static let policy = UpgradePolicy(subprotocols: ["hearth.v1"], origins: only(["https://app.example"]))

  /// Allows these origins.
  static func only(_ origins: Set<String>, orNone: Bool = true) -> OriginPolicy {
    .only(Set(origins.compactMap { Origin($0) }), orNone: orNone)
  }

  static func request(
    _ changes: [String: String?] = [:], start: String = "GET /sync HTTP/1.1", adding lines: [String] = []
  ) -> String {
    UpgradeTable.request(changes, start: start, adding: lines)
  }

  /// The status of the response to `text` in pieces of `size` bytes; `nil` if the request is incomplete.
  static func status(of text: String, size: Int = .max, policy: UpgradePolicy = policy) -> Int? {
    var parser = RequestParser()
    let bytes = Array(text.utf8)
    var offset = 0
    do {
      while offset < bytes.count {
        let piece = Array(bytes[offset..<(offset + min(size, bytes.count - offset))])
        offset += piece.count
        guard let (head, consumed) = try parser.receive(piece.span) else { continue }
        let unread = piece.count - consumed + bytes.count - offset
        return try policy.accept(head, unreadByteCount: unread).response.status.rawValue
      }
      return nil
    } catch let error as UpgradeError {
      return error.response.status.rawValue
    } catch let error as HTTPError {
      return error.status.rawValue
    } catch {
      return -1
    }
  }

  @Test("the response matches the example of RFC 6455 §1.3")
  func example() throws {
    var parser = RequestParser()
    let text = Self.request(adding: ["Origin: https://app.example", "Sec-WebSocket-Protocol: chat, hearth.v1"])
    let (head, _) = try #require(try parser.receive(Array(text.utf8).span))
    let upgrade = try Self.policy.accept(head)
    #expect(upgrade.subprotocol == "hearth.v1")
    #expect(upgrade.deflate == nil)
    let expected = """
      HTTP/1.1 101 Switching Protocols\r
      Upgrade: websocket\r
      Connection: Upgrade\r
      Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r
      Sec-WebSocket-Protocol: hearth.v1\r
      \r

      """
    #expect(upgrade.response.encoded() == Array(expected.utf8))
  }

  @Test(
    "R-006: valid variations of the request are accepted, in any case of letters and over several lines",
    arguments: [
      request(), request(["Upgrade": "WebSocket"]), request(["Upgrade": "h2c, websocket"]),
      request(["Connection": "keep-alive, Upgrade"]), request(["Connection": "keep-alive,upgrade , x"]),
      request(["Connection": "keep-alive"], adding: ["Connection: Upgrade"]),
      request().replacing("Upgrade: ", with: "upgrade: ").replacing("Sec-WebSocket", with: "sec-websocket"),
      request(["Upgrade": "WEBSOCKET", "Connection": "UPGRADE"]),
      request(adding: ["Sec-WebSocket-Protocol: hearth.v2"]),
      request(start: "GET http://server.example.com/sync HTTP/1.1"), request(start: "GET HTTPS://a:1/sync?x HTTP/1.1"),
      request(["Host": "localhost:8080"]), request(["Host": "[::1]:8080"]),
      request(start: "GET / HTTP/1.1"), request(start: "GET /sync?x=y HTTP/1.1"),
      request(adding: ["Content-Length: 0"]), request(adding: ["Sec-WebSocket-Protocol: other"]),
      request(adding: ["Sec-WebSocket-Extensions: permessage-deflate; client_max_window_bits"]),
      request(adding: ["Sec-WebSocket-Extensions: a", "Sec-WebSocket-Extensions: b; c=d"]),
      request(adding: ["Sec-WebSocket-Protocol: a, b", "Sec-WebSocket-Protocol: hearth.v1"]),
      "\r\n" + request(),
    ])
  func accepted(text: String) {
    #expect(Self.status(of: text) == 101)
    for size in [1, 2, 3, 7, 64, 101] { #expect(Self.status(of: text, size: size) == 101) }
  }

  @Test("R-006: a malformed request is rejected at any split (RELIABILITY A2)", arguments: UpgradeTable.malformed)
  func refused(text: String, status: Int) {
    #expect(Self.status(of: text) == status)
    for size in [1, 2, 3, 7, 64, 101] { #expect(Self.status(of: text, size: size) == status) }
  }

  @Test("R-006: a refusal names the supported version, protocol and method, and says that the connection closes")
  func headersOfRefusals() {
    let errors: [UpgradeError] = [
      .method, .version, .notWebSocket, .webSocketVersion, .malformed("Host"), .unexpectedBody, .origin, .subprotocol,
    ]
    for error in errors {
      let headers = error.response.headers
      #expect(headers.list("Connection", contains: "close"), "\(error)")
      #expect(headers.list("Connection", contains: "upgrade") == headers.contains("Upgrade"), "\(error)")
    }
    #expect(UpgradeError.webSocketVersion.response.headers["Sec-WebSocket-Version"] == "13")
    #expect(UpgradeError.notWebSocket.response.headers["Upgrade"] == "websocket")
    #expect(UpgradeError.method.response.headers["Allow"] == "GET")
  }

  @Test("R-006: the server's order of subprotocols decides, in the offered case only, and one may be required")
  func subprotocols() throws {
    func select(_ ours: [String], _ theirs: String?, required: Bool = false) throws -> String? {
      let policy = UpgradePolicy(subprotocols: ours, requiresSubprotocol: required)
      var headers: Headers = [
        "Host": "a", "Upgrade": "websocket", "Connection": "Upgrade", "Sec-WebSocket-Version": "13",
        "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==",
      ]
      if let theirs { headers.add("Sec-WebSocket-Protocol", theirs) }
      let target = try #require(Target("/"))
      return try policy.accept(RequestHead(method: "GET", target: target, headers: headers)).subprotocol
    }
    #expect(try select(["b", "a"], "a, b") == "b")
    #expect(try select(["a"], "b") == nil)
    #expect(try select(["a"], "A") == nil)
    #expect(try select([], "a") == nil)
    #expect(try select(["a"], nil) == nil)
    #expect(try select(["a"], "a", required: true) == "a")
    #expect(throws: UpgradeError.subprotocol) { try select(["a"], "b", required: true) }
    #expect(throws: UpgradeError.subprotocol) { try select(["a"], nil, required: true) }
  }

  @Test("offers of permessage-deflate are answered by the policy")
  func deflate() throws {
    let offer = ["Sec-WebSocket-Extensions: permessage-deflate; client_max_window_bits"]
    func answer(_ deflate: DeflatePolicy?) throws -> String? {
      var parser = RequestParser()
      let (head, _) = try #require(try parser.receive(Array(Self.request(adding: offer).utf8).span))
      return try UpgradePolicy(deflate: deflate).accept(head).response.headers["Sec-WebSocket-Extensions"]
    }
    #expect(try answer(.stateless) == "permessage-deflate; server_no_context_takeover; client_no_context_takeover")
    #expect(try answer(.asOffered) == "permessage-deflate")
    #expect(try answer(nil) == nil)
  }
}

@Suite("Origins")
struct OriginTests {
  @Test(
    "R-004: an origin in the list may connect, however its case and its usual port are written (SEC-12)",
    arguments: UpgradeTable.allowedOrigins.sorted() + UpgradeTable.equalOrigins)
  func inTable(origin: String) {
    #expect(UpgradeTests.status(of: UpgradeTests.request(adding: ["Origin: \(origin)"]), policy: Self.policy) == 101)
  }

  static let policy = UpgradePolicy(origins: UpgradeTests.only(UpgradeTable.allowedOrigins))

  /// RELIABILITY F5: origins that matching by prefix, suffix, host or pattern has accepted elsewhere.
  @Test(
    "R-004: an origin that only resembles one in the list is refused (SEC-12)",
    arguments: UpgradeTable.refusedOrigins)
  func refused(origin: String) {
    #expect(UpgradeTests.status(of: UpgradeTests.request(adding: ["Origin: \(origin)"]), policy: Self.policy) == 403)
  }

  @Test("R-004: `null` and schemes of apps pass where they are listed by that very word (SEC-12)")
  func listed() {
    let words = ["null", "file://", "app://home"]
    for word in words {
      for origin in words {
        let text = UpgradeTests.request(adding: ["Origin: \(origin)"])
        let policy = UpgradePolicy(origins: UpgradeTests.only([word]))
        #expect(UpgradeTests.status(of: text, policy: policy) == (origin == word ? 101 : 403), "\(origin) by \(word)")
      }
    }
  }

  @Test("R-004: a request without an origin is accepted unless the policy forbids it, and a policy may ignore origins")
  func absence() {
    let text = UpgradeTests.request()
    let evil = UpgradeTests.request(adding: ["Origin: https://evil.example"])
    #expect(UpgradeTests.status(of: text, policy: Self.policy) == 101)
    #expect(UpgradeTests.status(of: text, policy: Self.strict) == 403)
    #expect(UpgradeTests.status(of: text, policy: UpgradePolicy(origins: .any)) == 101)
    #expect(UpgradeTests.status(of: evil, policy: UpgradePolicy(origins: .any)) == 101)
    #expect(UpgradeTests.status(of: evil, policy: UpgradePolicy()) == 403)
  }

  static let strict = UpgradePolicy(origins: UpgradeTests.only(UpgradeTable.allowedOrigins, orNone: false))
}
