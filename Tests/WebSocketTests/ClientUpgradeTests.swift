import HTTP
import Testing
import WebSocket

@Suite("Client upgrade")
struct ClientUpgradeTests {
  static func client(deflate: DeflateOffer? = DeflateOffer()) throws -> ClientUpgrade {
    let target = try #require(Target("/sync"))
    return ClientUpgrade(
      host: "server.example.com", target: target, key: Array("the sample nonce".utf8),
      subprotocols: ["hearth.v1", "hearth.v2"], deflate: deflate, headers: ["User-Agent": "test"])
  }

  @Test("the client's request matches the example of RFC 6455 §1.3")
  func request() throws {
    let expected = """
      GET /sync HTTP/1.1\r
      Host: server.example.com\r
      Upgrade: websocket\r
      Connection: Upgrade\r
      Sec-WebSocket-Version: 13\r
      Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r
      Sec-WebSocket-Protocol: hearth.v1, hearth.v2\r
      Sec-WebSocket-Extensions: permessage-deflate; server_no_context_takeover; client_no_context_takeover\r
      User-Agent: test\r
      \r

      """
    #expect(try Self.client().request.encoded() == Array(expected.utf8))
  }

  @Test(
    "client and server agree on subprotocol and compression",
    arguments: [DeflatePolicy.stateless, .asOffered, nil] as [DeflatePolicy?])
  func agree(policy: DeflatePolicy?) throws {
    for offer in [DeflateOffer(), DeflateOffer(serverNoContextTakeover: false, serverMaxWindowBits: 9), nil] {
      let client = try Self.client(deflate: offer)
      let server = UpgradePolicy(subprotocols: ["hearth.v2"], deflate: policy)
      var requests = RequestParser()
      let (asked, _) = try #require(try requests.receive(client.request.encoded().span))
      let upgrade = try server.accept(asked)
      var responses = ResponseParser()
      let (answered, _) = try #require(try responses.receive(upgrade.response.encoded().span))
      let agreed = try client.accept(answered)
      #expect(agreed.subprotocol == "hearth.v2")
      #expect(agreed.deflate?.serverMaxWindowBits == upgrade.deflate?.serverMaxWindowBits)
      #expect(agreed.deflate?.serverNoContextTakeover == upgrade.deflate?.serverNoContextTakeover)
      #expect(agreed.deflate?.clientNoContextTakeover == upgrade.deflate.map { _ in true })
    }
  }

  static let answer: Headers = [
    "Upgrade": "websocket", "Connection": "Upgrade", "Sec-WebSocket-Accept": "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=",
  ]

  @Test(
    "the client rejects a response that does not match its request (RFC 6455 §4.1)",
    arguments: [
      ("Upgrade", nil, .malformed("Upgrade")),
      ("Upgrade", "h2c", .malformed("Upgrade")),
      ("Upgrade", "websocket, h2c", .malformed("Upgrade")),
      ("Connection", nil, .malformed("Connection")),
      ("Connection", "close", .malformed("Connection")),
      ("Sec-WebSocket-Accept", nil, .malformed("Sec-WebSocket-Accept")),
      ("Sec-WebSocket-Accept", "", .malformed("Sec-WebSocket-Accept")),
      ("Sec-WebSocket-Accept", "s3pPLMBiTxaQ9kYGzzhZRbK+xOO=", .malformed("Sec-WebSocket-Accept")),
      ("Sec-WebSocket-Accept", "dGhlIHNhbXBsZSBub25jZQ==", .malformed("Sec-WebSocket-Accept")),
      ("Sec-WebSocket-Protocol", "other", .malformed("Sec-WebSocket-Protocol")),
      ("Sec-WebSocket-Protocol", "hearth.v1, hearth.v2", .malformed("Sec-WebSocket-Protocol")),
      ("Sec-WebSocket-Protocol", "", .malformed("Sec-WebSocket-Protocol")),
      ("Sec-WebSocket-Extensions", "", .malformed("Sec-WebSocket-Extensions")),
      ("Sec-WebSocket-Extensions", "mystery", .malformed("Sec-WebSocket-Extensions")),
      ("Sec-WebSocket-Extensions", "permessage-deflate", .malformed("Sec-WebSocket-Extensions")),
      (
        "Sec-WebSocket-Extensions",
        "permessage-deflate; server_no_context_takeover, permessage-deflate; server_no_context_takeover",
        .malformed("Sec-WebSocket-Extensions")
      ),
      ("Sec-WebSocket-Protocol", "hearth.v1", nil),
      ("Sec-WebSocket-Extensions", "permessage-deflate; server_no_context_takeover", nil),
      ("connection", "keep-alive, upgrade", nil),
      ("upgrade", "WebSocket", nil),
    ] as [(String, String?, ClientUpgradeError?)])
  func answers(name: String, value: String?, error: ClientUpgradeError?) throws {
    var headers = Headers()
    for field in Self.answer.fields where field.name.lowercased() != name.lowercased() {
      headers.add(field.name, field.value)
    }
    if let value { headers.add(name, value) }
    let response = ResponseHead(status: .switchingProtocols, headers: headers)
    let client = try Self.client()
    if let error {
      #expect(throws: error) { try client.accept(response) }
    } else {
      _ = try client.accept(response)
    }
  }

  @Test("the client reports the status of a refusal, and rejects HTTP/1.0 and an extension that it did not offer")
  func refusals() throws {
    let client = try Self.client(deflate: nil)
    #expect(throws: ClientUpgradeError.refused(.forbidden)) {
      try client.accept(ResponseHead(status: .forbidden, headers: Self.answer))
    }
    #expect(throws: ClientUpgradeError.malformed("Upgrade")) {
      try client.accept(ResponseHead(version: .http10, status: .switchingProtocols, headers: Self.answer))
    }
    var headers = Self.answer
    headers.add("Sec-WebSocket-Extensions", "permessage-deflate; server_no_context_takeover")
    #expect(throws: ClientUpgradeError.malformed("Sec-WebSocket-Extensions")) {
      try client.accept(ResponseHead(status: .switchingProtocols, headers: headers))
    }
  }
}
