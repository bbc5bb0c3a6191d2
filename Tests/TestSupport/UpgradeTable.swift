/// Upgrade requests and origins that must be refused (RELIABILITY A2 and F5), by the codec and by the whole server.
public enum UpgradeTable {
  /// The request of RFC 6455 §1.3, with headers changed (`nil` removes one) and lines added.
  public static func request(
    _ changes: [String: String?] = [:], start: String = "GET /sync HTTP/1.1", adding lines: [String] = []
  ) -> String {
    let headers = [
      ("Host", "server.example.com"), ("Upgrade", "websocket"), ("Connection", "Upgrade"),
      ("Sec-WebSocket-Key", "dGhlIHNhbXBsZSBub25jZQ=="), ("Sec-WebSocket-Version", "13"),
    ]
    var text = "\(start)\r\n"
    for (name, value) in headers {
      if let value = changes[name] ?? value { text += "\(name): \(value)\r\n" }
    }
    return text + lines.map { "\($0)\r\n" }.joined() + "\r\n"
  }

  public static let oversized = String(repeating: "x", count: 9000)

  public static let malformed: [(String, Int)] = [
    // Method, path, version.
    (request(start: "POST /sync HTTP/1.1"), 405), (request(start: "HEAD /sync HTTP/1.1"), 405),
    (request(start: "get /sync HTTP/1.1"), 405), (request(start: "GETX /sync HTTP/1.1"), 405),
    (request(start: "OPTIONS /sync HTTP/1.1"), 405), (request(start: "GET /sync HTTP/1.0"), 505),
    (request(start: "GET /sync HTTP/2.0"), 505), (request(start: "GET /sync HTTP/1.2"), 505),
    (request(start: "GET /sync HTTP/1.1 x"), 400), (request(start: "GET  /sync HTTP/1.1"), 400),
    (request(start: "GET sync HTTP/1.1"), 400), (request(start: "GET * HTTP/1.1"), 400),
    (request(start: "GET ws://a/sync HTTP/1.1"), 400), (request(start: "GET /sync#x HTTP/1.1"), 400),
    (request(start: "GET http:///sync HTTP/1.1"), 400), (request(start: "GET http://u@a/sync HTTP/1.1"), 400),
    (request(["Host": nil], start: "GET http://a/sync HTTP/1.1"), 400),
    (request(start: "CONNECT a:443 HTTP/1.1"), 400), (request(start: "GET /sync"), 400),
    (request(start: "GET /\(oversized) HTTP/1.1"), 414), (request(start: ""), 400), (request(start: " "), 400),
    // Host.
    (request(["Host": nil]), 400), (request(["Host": ""]), 400), (request(["Host": "a b"]), 400),
    (request(["Host": "a,b"]), 400), (request(["Host": "a@b"]), 400), (request(["Host": "a/b"]), 400),
    (request(adding: ["Host: server.example.com"]), 400), (request(adding: ["host: evil.example"]), 400),
    // Upgrade and Connection.
    (request(["Upgrade": nil]), 426), (request(["Upgrade": ""]), 426), (request(["Upgrade": "h2c"]), 426),
    (request(["Upgrade": "websockets"]), 426), (request(["Upgrade": "web socket"]), 426),
    (request(["Upgrade": "\"websocket\""]), 426), (request(["Upgrade": "websocket/13"]), 426),
    (request(["Connection": nil]), 400), (request(["Connection": ""]), 400),
    (request(["Connection": "keep-alive"]), 400), (request(["Connection": "Upgraded"]), 400),
    (request(["Connection": "keep-alive Upgrade"]), 400), (request(["Connection": "close"]), 400),
    // Version of the protocol.
    (request(["Sec-WebSocket-Version": nil]), 426), (request(["Sec-WebSocket-Version": "12"]), 426),
    (request(["Sec-WebSocket-Version": "8"]), 426), (request(["Sec-WebSocket-Version": "14"]), 426),
    (request(["Sec-WebSocket-Version": "013"]), 426), (request(["Sec-WebSocket-Version": "+13"]), 426),
    (request(["Sec-WebSocket-Version": "13, 8"]), 426), (request(["Sec-WebSocket-Version": "13.0"]), 426),
    (request(["Sec-WebSocket-Version": "99999999999999999999"]), 426),
    (request(adding: ["Sec-WebSocket-Version: 13"]), 400), (request(adding: ["Sec-WebSocket-Version: 8"]), 400),
    // Key.
    (request(["Sec-WebSocket-Key": nil]), 400), (request(["Sec-WebSocket-Key": ""]), 400),
    (request(["Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ"]), 400),
    (request(["Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ="]), 400),
    (request(["Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==="]), 400),
    (request(["Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25j"]), 400),
    (request(["Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZSE="]), 400),
    (request(["Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZSEh"]), 400),
    (request(["Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZR=="]), 400),
    (request(["Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25j_Q=="]), 400),
    (request(["Sec-WebSocket-Key": "dGhl IHNhbXBsZSBub25jZQ=="]), 400),
    (request(["Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==, x"]), 400),
    (request(["Sec-WebSocket-Key": "========================"]), 400),
    (request(adding: ["Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ=="]), 400),
    (request(adding: ["sec-websocket-key: AAAAAAAAAAAAAAAAAAAAAA=="]), 400),
    // Origin.
    (request(adding: ["Origin: https://evil.example"]), 403), (request(adding: ["Origin: null"]), 403),
    (request(adding: ["Origin:"]), 403),
    (request(adding: ["Origin: https://app.example", "Origin: https://app.example"]), 403),
    (request(adding: ["Origin: https://app.example", "Origin: https://evil.example"]), 403),
    // Subprotocols and extensions.
    (request(adding: ["Sec-WebSocket-Protocol:"]), 400), (request(adding: ["Sec-WebSocket-Protocol: ,"]), 400),
    (request(adding: ["Sec-WebSocket-Protocol: a b"]), 400), (request(adding: ["Sec-WebSocket-Protocol: a, a"]), 400),
    (request(adding: ["Sec-WebSocket-Protocol: a", "Sec-WebSocket-Protocol: a"]), 400),
    (request(adding: ["Sec-WebSocket-Protocol: \"a\""]), 400),
    (request(adding: ["Sec-WebSocket-Extensions:"]), 400), (request(adding: ["Sec-WebSocket-Extensions: a;"]), 400),
    (request(adding: ["Sec-WebSocket-Extensions: a; b=\"c d\""]), 400),
    (request(adding: ["Sec-WebSocket-Extensions: a", "Sec-WebSocket-Extensions: ="]), 400),
    // Bodies, smuggled or not, and data before the answer.
    (request(adding: ["Content-Length: 5"]) + "hello", 400), (request(adding: ["Content-Length: 5"]), 400),
    (request(adding: ["Content-Length: 0", "Content-Length: 0"]), 400),
    (request(adding: ["Content-Length: -1"]), 400), (request(adding: ["Transfer-Encoding: chunked"]), 400),
    (request(adding: ["Transfer-Encoding: chunked", "Content-Length: 5"]), 400),
    (request(adding: ["Transfer-Encoding: identity"]), 501), (request() + request(), 400),
    (request() + "\u{1}", 400),
    // Line ends and characters.
    (request(adding: [" folded"]), 400), (request(adding: ["X: a", "\tfolded"]), 400),
    (request(adding: ["X : a"]), 400), (request(adding: [": a"]), 400), (request(adding: ["X"]), 400),
    (request(adding: ["X: \u{0}"]), 400), (request(adding: ["X: \u{7}"]), 400),
    (request(adding: ["X: a\nY: b"]), 400),
    (request(adding: ["X: a\rY: b"]), 400), (request(adding: ["X\u{e9}: a"]), 400),
    (request(adding: ["X: \(oversized)"]), 431), (request(adding: (0..<60).map { "X-\($0): a" }), 431),
    (request(adding: (0..<700).map { _ in "X: a" }), 431),
    (String(request().map { $0 == "\r\n" ? "\n" : $0 }), 400), ("\r\n\r\n" + request(), 400),
    ("\u{16}\u{3}\u{1}\u{2}\u{0}\u{1}\u{0}\u{1}", 400), ("\u{0}", 400), ("<policy-file-request/>\u{0}", 400),
  ]

  /// Origins that the server of the tests lists.
  public static let allowedOrigins: Set<String> = [
    "https://app.example", "https://app.example:8443", "http://localhost:3000", "capacitor://localhost",
  ]

  /// The same origins, written in another way (SEC-12).
  public static let equalOrigins = [
    "https://app.example:443", "https://APP.example", "HTTPS://app.example", "HTTPS://APP.EXAMPLE:443",
    "https://App.Example:8443", "HTTP://LOCALHOST:3000", "Capacitor://LocalHost",
  ]

  /// Origins that matching by prefix, suffix, host or pattern has accepted elsewhere.
  public static let refusedOrigins = [
    "http://app.example", "http://app.example:443", "https://app.example:8444", "https://app.example:80",
    "https://app.example:", "https://app.example:0443", "https://app.example:443:443", "capacitor://app.example",
    "app://localhost", "capacitor://localhost:443",
    "https://app.example/", "https://app.example/x", "https://app.example.", "https://app.example.evil.example",
    "https://evilapp.example", "https://evil.app.example", "https://xapp.example", "https://app.exampl",
    "https://app.examplee", "https://app-example", "https://appxexample", "https://app.example@evil.example",
    "https://evil.example@app.example", "https://user:pass@app.example", "https://evil.example#app.example",
    "https://evil.example?https://app.example", "https://evil.example/https://app.example", "https://evil.org",
    "https://app.example.evil.org", "https://app.example https://evil.example",
    "https://app.example, https://evil.example",
    "https://app.example%00", "https://app.example%2eevil.example", "https://аpp.example",
    "https://xn--pp-6kc.example",
    "app.example", "//app.example", "https:app.example", "https:///app.example", "wss://app.example",
    "ws://app.example",
    "null", "NULL", "", "*", "https://*", "file://", "data:", "chrome-extension://abc", "http://localhost",
    "http://localhost:3001", "http://127.0.0.1:3000", "http://[::1]:3000", "https://localhost:3000",
  ]
}
