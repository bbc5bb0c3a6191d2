import HTTP
import Testing

@Suite("HTTP responses")
struct ResponseTests {
  @Test("a response is parsed with and without a reason phrase")
  func read() throws {
    let head = try #require(try parseResponse("HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\n\r\n"))
    #expect(head.status == .switchingProtocols)
    #expect(head.headers["upgrade"] == "websocket")
    #expect(try parseResponse("HTTP/1.1 200 \r\n\r\n")?.status == .ok)
    #expect(try parseResponse("HTTP/1.1 200\r\n\r\n")?.status == .ok)
    #expect(try parseResponse("HTTP/1.0 204 no\r\n\r\n")?.version == .http10)
    #expect(try parseResponse("HTTP/1.1 200 OK\r\n") == nil)
  }

  @Test(
    "a malformed status line is rejected",
    arguments: [
      ("HTTP/1.1 20 OK", .malformedStartLine),
      ("HTTP/1.1 2000 OK", .malformedStartLine),
      ("HTTP/1.1 099 OK", .malformedStartLine),
      ("HTTP/1.1 600 OK", .malformedStartLine),
      ("HTTP/1.1 +20 OK", .malformedStartLine),
      ("HTTP/1.1  200 OK", .malformedStartLine),
      ("HTTP/1.1", .malformedStartLine),
      ("HTTP/2 200 OK", .unsupportedVersion),
      ("ICY 200 OK", .malformedStartLine),
      ("<html>", .malformedStartLine),
    ] as [(String, HTTPError)])
  func refused(line: String, error: HTTPError) {
    #expect(throws: error) { try parseResponse("\(line)\r\n\r\n") }
  }

  @Test("status, method and headers decide how a response's body ends")
  func framing() throws {
    func framing(_ status: Int, _ headers: Headers, _ method: String = "GET") throws -> BodyFraming {
      try ResponseHead(status: Status(rawValue: status), headers: headers).bodyFraming(answering: method)
    }
    #expect(try framing(200, ["Content-Length": "5"]) == .length(5))
    #expect(try framing(200, ["Transfer-Encoding": "chunked"]) == .chunked)
    #expect(try framing(200, [:]) == .untilClose)
    #expect(try framing(200, ["Content-Length": "5"], "HEAD") == BodyFraming.none)
    for status in [100, 101, 204, 304] { #expect(try framing(status, ["Content-Length": "5"]) == BodyFraming.none) }
    #expect(throws: HTTPError.ambiguousLength) {
      try framing(200, ["Content-Length": "5", "Transfer-Encoding": "chunked"])
    }
  }

  @Test("a response is written with the length of its body")
  func write() {
    let response = Response(.ok, headers: ["Content-Type": "text/plain"], body: "hello".bytes)
    let head = "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 5\r\n\r\n"
    #expect(response.encoded() == "\(head)hello".bytes)
    #expect(response.encoded(includesBody: false) == head.bytes)
    #expect(
      Response(.switchingProtocols, headers: ["Upgrade": "websocket"]).encoded()
        == "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\n\r\n".bytes)
    #expect(Response(.noContent, body: "x".bytes).encoded() == "HTTP/1.1 204 No Content\r\n\r\n".bytes)
    #expect(
      Response(.notFound, text: "no\n").encoded()
        == "HTTP/1.1 404 Not Found\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: 3\r\n\r\nno\n".bytes)
  }

  @Test("a header value cannot inject a line into the response")
  func injection() {
    let response = Response(.found, headers: ["Location": "/\r\nSet-Cookie: a", "bad name": "x", "A\r\nB": "x"])
    #expect(
      response.encoded()
        == "HTTP/1.1 302 Found\r\nLocation: /  Set-Cookie: a\r\nContent-Length: 0\r\n\r\n".bytes)
  }

  @Test("requests and responses are the same after encoding and parsing")
  func roundTrip() throws {
    let target = try #require(Target("/rpc?x=1"))
    let request = Request("POST", target, host: "example.com", headers: ["A": "b"], body: "{}".bytes)
    let text = "POST /rpc?x=1 HTTP/1.1\r\nHost: example.com\r\nA: b\r\nContent-Length: 2\r\n\r\n{}"
    #expect(request.encoded() == text.bytes)
    let (head, rest) = try #require(try parseRequest(text))
    #expect(try head.bodyFraming() == .length(2))
    #expect(rest == "{}")
    #expect(Request("GET", target, host: "a").encoded() == "GET /rpc?x=1 HTTP/1.1\r\nHost: a\r\n\r\n".bytes)
  }

  @Test("every error of a peer has a status with a reason phrase")
  func errors() {
    let errors: [(HTTPError, Int)] = [
      (.invalidByte(0), 400), (.headTooLarge(1), 431), (.targetTooLong(1), 414), (.tooManyHeaders(1), 431),
      (.malformedStartLine, 400), (.unsupportedVersion, 505), (.malformedHeader, 400), (.obsoleteFolding, 400),
      (.invalidHost, 400), (.ambiguousLength, 400), (.unsupportedTransferEncoding, 501), (.bodyTooLarge(1), 413),
      (.malformedChunk, 400), (.incomplete, 400),
    ]
    for (error, status) in errors {
      #expect(error.status.rawValue == status)
      #expect(!error.status.reason.isEmpty)
      #expect(error.explanation.hasSuffix(".") && error.explanation.contains(" "))
    }
  }
}
