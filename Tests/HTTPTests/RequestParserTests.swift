import HTTP
import Testing

@Suite("HTTP request heads")
struct RequestParserTests {
  static let request =
    "GET /a/b?c=d HTTP/1.1\r\nHost: example.com:8080\r\nX-Empty:\r\nAccept: a\r\naccept:\t b \r\n\r\nrest"

  @Test("a request head is parsed from pieces of any size, and leaves the bytes after it", arguments: 1...112)
  func anyPieceSize(size: Int) throws {
    let (head, rest) = try #require(try parseRequest(Self.request, size: size))
    #expect(head.method == "GET")
    #expect(head.target == Target("/a/b?c=d"))
    #expect(head.target.path == "/a/b")
    #expect(head.target.query == "c=d")
    #expect(head.version == .http11)
    #expect(head.headers.fields.map(\.name) == ["Host", "X-Empty", "Accept", "accept"])
    #expect(head.headers["host"] == "example.com:8080")
    #expect(head.headers["x-empty"] == "")
    #expect(head.headers["Accept"] == nil)
    #expect(head.headers.joined("ACCEPT") == "a, b")
    #expect(rest == "rest")
  }

  @Test("an incomplete request head asks for more at every cut")
  func cutAnywhere() throws {
    let head = Self.request.dropLast("rest".count)
    for count in 0..<head.count {
      #expect(try parseRequest(String(head.prefix(count))) == nil)
    }
    #expect(try parseRequest(String(head)) != nil)
  }

  @Test("one empty line before a request is skipped, two are rejected")
  func leadingEmptyLine() throws {
    #expect(try parseRequest("\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n")?.head.method == "GET")
    #expect(throws: HTTPError.malformedStartLine) { try parseRequest("\r\n\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n") }
  }

  /// Start lines, each with a valid `Host` after it.
  @Test(
    "a start line that is not one method, one path and one version is rejected",
    arguments: [
      ("GET  / HTTP/1.1", .malformedStartLine),
      ("GET /  HTTP/1.1", .malformedStartLine),
      (" GET / HTTP/1.1", .malformedStartLine),
      ("\tGET / HTTP/1.1", .malformedStartLine),
      ("GET / HTTP/1.1 ", .malformedStartLine),
      ("GET\t/ HTTP/1.1", .malformedStartLine),
      ("GET /", .malformedStartLine),
      ("GET", .malformedStartLine),
      ("G@T / HTTP/1.1", .malformedStartLine),
      ("GET a HTTP/1.1", .malformedStartLine),
      ("GET * HTTP/1.1", .malformedStartLine),
      ("OPTIONS * HTTP/1.1", .malformedStartLine),
      ("GET ws://example.com/ HTTP/1.1", .malformedStartLine),
      ("GET http:/example.com/ HTTP/1.1", .malformedStartLine),
      ("GET http://example.com/#a HTTP/1.1", .malformedStartLine),
      ("GET http://example.com#a HTTP/1.1", .malformedStartLine),
      ("GET http://example.com/\u{e9} HTTP/1.1", .malformedStartLine),
      ("GET http:///healthz HTTP/1.1", .invalidHost),
      ("GET http://?a HTTP/1.1", .invalidHost),
      ("GET http://:80/ HTTP/1.1", .invalidHost),
      ("GET http://user@example.com/ HTTP/1.1", .invalidHost),
      ("CONNECT example.com:443 HTTP/1.1", .malformedStartLine),
      ("GET /#a HTTP/1.1", .malformedStartLine),
      ("GET /\u{e9} HTTP/1.1", .malformedStartLine),
      ("GET /a b HTTP/1.1", .malformedStartLine),
      ("GET / http/1.1", .malformedStartLine),
      ("GET / FTP/1.1", .malformedStartLine),
      ("GET / HTTP/1.2", .unsupportedVersion),
      ("GET / HTTP/2.0", .unsupportedVersion),
      ("GET / HTTP/1.1.1", .unsupportedVersion),
      ("GET / HTTP/0.9", .unsupportedVersion),
      ("PRI * HTTP/2.0", .malformedStartLine),
      ("GET /\u{0} HTTP/1.1", .invalidByte(0)),
      ("GET /\u{7f} HTTP/1.1", .invalidByte(0x7F)),
      ("\u{16}\u{3}\u{1}", .invalidByte(0x16)),
    ] as [(String, HTTPError)])
  func startLine(line: String, error: HTTPError) {
    #expect(throws: error) { try parseRequest("\(line)\r\nHost: a\r\n\r\n") }
  }

  /// Headers after a valid start line.
  @Test(
    "R-005: headers that two parsers could read differently are rejected",
    arguments: [
      ("Host: a\nX: b\r\n", .invalidByte(0x0A)),
      ("Host: a\rX: b\r\n", .invalidByte(0x0D)),
      ("Host: a\r\r\n", .invalidByte(0x0D)),
      ("Host: a\r\n X: b\r\n", .obsoleteFolding),
      ("Host: a\r\n\tb\r\n", .obsoleteFolding),
      ("Host: a\r\n \r\n", .obsoleteFolding),
      ("Host: a\r\nX : b\r\n", .malformedHeader),
      ("Host: a\r\n: b\r\n", .malformedHeader),
      ("Host: a\r\nX\r\n", .malformedHeader),
      ("Host: a\r\nX(: b\r\n", .malformedHeader),
      ("Host: a\r\nX\u{e9}: b\r\n", .malformedHeader),
      ("Host: a\r\nX: \u{0}\r\n", .invalidByte(0)),
      ("Host: a\r\nX: \u{1}\r\n", .invalidByte(1)),
      ("Host: a\r\nX: \u{7f}\r\n", .invalidByte(0x7F)),
      ("X: b\r\n", .invalidHost),
      ("Host:\r\n", .invalidHost),
      ("Host: a\r\nHost: a\r\n", .invalidHost),
      ("Host: a\r\nhost: b\r\n", .invalidHost),
      ("Host: a, b\r\n", .invalidHost),
      ("Host: a b\r\n", .invalidHost),
      ("Host: user@a\r\n", .invalidHost),
      ("Host: a/b\r\n", .invalidHost),
      ("Host: a\r\nContent-Length: 1\r\nContent-Length: 1\r\n", .ambiguousLength),
      ("Host: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n", .ambiguousLength),
      ("Host: a\r\nContent-Length: 1, 1\r\n", .ambiguousLength),
      ("Host: a\r\nContent-Length: +1\r\n", .ambiguousLength),
      ("Host: a\r\nContent-Length: -1\r\n", .ambiguousLength),
      ("Host: a\r\nContent-Length: 0x1\r\n", .ambiguousLength),
      ("Host: a\r\nContent-Length: 1 1\r\n", .ambiguousLength),
      ("Host: a\r\nContent-Length:\r\n", .ambiguousLength),
      ("Host: a\r\nContent-Length: 18446744073709551616\r\n", .ambiguousLength),
      ("Host: a\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n", .ambiguousLength),
      ("Host: a\r\nTransfer-Encoding: chunked\r\nContent-Length: 1\r\n", .ambiguousLength),
      ("Host: a\r\nTransfer-Encoding: gzip\r\n", .unsupportedTransferEncoding),
      ("Host: a\r\nTransfer-Encoding: gzip, chunked\r\n", .unsupportedTransferEncoding),
      ("Host: a\r\nTransfer-Encoding: chunked, chunked\r\n", .unsupportedTransferEncoding),
      ("Host: a\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n", .unsupportedTransferEncoding),
      ("Host: a\r\nTransfer-Encoding: xchunked\r\n", .unsupportedTransferEncoding),
      ("Host: a\r\nTransfer-Encoding:\r\n", .unsupportedTransferEncoding),
    ] as [(String, HTTPError)])
  func headers(lines: String, error: HTTPError) {
    #expect(throws: error) { try parseRequest("POST / HTTP/1.1\r\n\(lines)\r\n") }
    #expect(throws: error) { try parseRequest("POST / HTTP/1.1\r\n\(lines)\r\n", size: 1) }
  }

  @Test(
    "a target in absolute form replaces Host, which must be in order all the same (RFC 9112 §3.2.2)",
    arguments: [
      ("http://a/healthz", "a", "/healthz", nil),
      ("HTTPS://A.example:8443/x?y=/z://b", "A.example:8443", "/x", "y=/z://b"),
      ("http://a", "a", "/", nil), ("http://a?x", "a", "/", "x"), ("http://[::1]:80/", "[::1]:80", "/", nil),
    ] as [(String, String, String, String?)])
  func absoluteForm(text: String, host: String, path: String, query: String?) throws {
    let lines = "X: y\r\nHost: other.example\r\n"
    let head = try #require(try parseRequest("GET \(text) HTTP/1.1\r\n\(lines)\r\n")?.head)
    #expect(head.headers.values(of: "Host") == [host] && head.headers["X"] == "y")
    #expect(head.target.path == path && head.target.query == query)
    for lines in ["", "Host: a\r\nHost: a\r\n", "Host: a b\r\n"] {
      #expect(throws: HTTPError.invalidHost) { try parseRequest("GET \(text) HTTP/1.1\r\n\(lines)\r\n") }
    }
    #expect(try parseRequest("GET \(text) HTTP/1.0\r\n\r\n")?.head.headers["Host"] == host)
  }

  @Test("the method and the target are known where only what follows them is malformed")
  func start() throws {
    func start(_ text: String) -> (method: String, target: Target)? {
      var parser = RequestParser()
      #expect(throws: HTTPError.self) { try parser.receive(text.bytes.span) }
      return parser.start
    }
    for rest in [
      "HTTP/1.1\r\nX : y\r\n\r\n", "HTTP/1.1\r\n\r\n", "HTTP/3\r\nHost: a\r\n\r\n", "HTTP/1.1\r\nX: \u{0}",
      "HTTP/1.1\r\nX: \(String(repeating: "x", count: 9000))",
    ] {
      let known = try #require(start("HEAD /rpc?x \(rest)"))
      #expect(known.method == "HEAD" && known.target.path == "/rpc")
    }
    let endless = "HEAD /\(String(repeating: "x", count: 9000))"
    for text in ["HEAD /rpc x\r\nHost: a\r\n\r\n", "HEAD /rpc HTTP/1.1\n", endless] {
      #expect(start(text) == nil)
    }
  }

  @Test("the headers declare how the body ends")
  func framing() throws {
    func framing(_ line: String) throws -> BodyFraming? {
      try parseRequest("POST / HTTP/1.1\r\nHost: a\r\n\(line)\r\n")?.head.bodyFraming()
    }
    #expect(try framing("") == BodyFraming.none)
    #expect(try framing("Content-Length: 0\r\n") == .length(0))
    #expect(try framing("content-length: 0018\r\n") == .length(18))
    #expect(try framing("Content-Length: 18446744073709551615\r\n") == .length(.max))
    #expect(try framing("Transfer-Encoding: Chunked\r\n") == .chunked)
    #expect(throws: HTTPError.unsupportedTransferEncoding) {
      try parseRequest("POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n")
    }
  }

  @Test("an HTTP/1.0 request needs no Host and ends the connection")
  func oldVersion() throws {
    let old = try #require(try parseRequest("GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n")?.head)
    #expect(old.version == .http10)
    #expect(!old.keepsAlive)
    let new = try #require(try parseRequest("GET / HTTP/1.1\r\nHost: a\r\nConnection: x, Close\r\n\r\n")?.head)
    #expect(!new.keepsAlive)
    #expect(try parseRequest("GET / HTTP/1.1\r\nHost: a\r\n\r\n")?.head.keepsAlive == true)
    #expect(try parseRequest("GET / HTTP/1.1\r\nHost: a\r\nExpect: 100-Continue\r\n\r\n")?.head.expectsContinue == true)
  }

  @Test("a head is accepted up to its size limit and rejected above it", arguments: [-1, 0, 1])
  func sizeLimit(excess: Int) throws {
    let frame = "GET / HTTP/1.1\r\nHost: a\r\nX: \r\n\r\n"
    let text =
      "GET / HTTP/1.1\r\nHost: a\r\nX: \(String(repeating: "x", count: 8192 - frame.utf8.count + excess))\r\n\r\n"
    #expect(text.utf8.count == 8192 + excess)
    if excess > 0 {
      #expect(throws: HTTPError.headTooLarge(8192)) { try parseRequest(text) }
    } else {
      #expect(try parseRequest(text) != nil)
    }
  }

  @Test("an endless target and endless headers are rejected at the limit")
  func endless() {
    #expect(throws: HTTPError.targetTooLong(8192)) {
      try parseRequest("GET /" + String(repeating: "a", count: 1_000_000), size: 1000)
    }
    #expect(throws: HTTPError.headTooLarge(8192)) {
      try parseRequest("GET / HTTP/1.1\r\nX: " + String(repeating: "a", count: 1_000_000), size: 1000)
    }
  }

  @Test("headers are accepted up to their limit and rejected above it", arguments: [63, 64, 65, 10_000])
  func headerLimit(count: Int) throws {
    let lines = String(repeating: "a: b\r\n", count: count - 1)
    let text = "GET / HTTP/1.1\r\nHost: a\r\n\(lines)\r\n"
    let limits = HeadLimits(sizeBytes: 100_000)
    if count > 64 {
      #expect(throws: HTTPError.tooManyHeaders(64)) { try parseRequest(text, limits: limits) }
    } else {
      #expect(try parseRequest(text, limits: limits)?.head.headers.fields.count == count)
    }
  }

  @Test("parsing is linear in the size of the head: 8 KiB byte by byte take milliseconds")
  func linearCost() throws {
    let text = "GET / HTTP/1.1\r\nHost: a\r\nX: \(String(repeating: "x", count: 8100))\r\n\r\n"
    let bytes = text.bytes
    var best = Duration.seconds(1)
    for _ in 0..<5 {
      best = min(
        best,
        try ContinuousClock().measure {
          var parser = RequestParser()
          for index in bytes.indices { _ = try parser.receive(bytes.span.extracting(index..<(index + 1))) }
        })
    }
    // Scanning from the start each time would read 33,000,000 bytes: seconds, in a debug build.
    #expect(best < .milliseconds(100))
  }
}
