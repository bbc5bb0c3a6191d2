import HTTP
import Server
import Testing

@testable import HearthCommand

@Suite("HTTP")
struct HTTPTests {
  private static func upgrade(_ change: (inout [String]) -> Void) -> String {
    var lines = [
      "GET /sync HTTP/1.1", "Host: localhost", "Upgrade: websocket", "Connection: Upgrade",
      "Sec-WebSocket-Version: 13", "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
    ]
    change(&lines)
    return lines.joined(separator: "\r\n") + "\r\n\r\n"
  }

  @Test("the server answers its health check, and answers other paths with 404 and malformed requests with 400")
  func plain() async throws {
    let server = try await TestServer.start()
    defer { server.end() }
    let health = try await HTTPExchange.send(HTTPCaller.last("/healthz"), to: server.port)
    #expect(health.hasPrefix("HTTP/1.1 200 ") && health.hasSuffix("\r\n\r\nok\n"))
    for path in ["/", "/sync/", "/Sync", "/rooms"] {
      let answer = try await HTTPExchange.send(HTTPCaller.last(path), to: server.port)
      #expect(answer.hasPrefix("HTTP/1.1 404 "), "\(path)")
    }
    for text in ["GET /sync HTTP/1.1\r\n\r\n", "GET\r\n\r\n", "\u{16}\u{3}\u{1}\r\n\r\n"] {
      #expect(try await HTTPExchange.send(text, to: server.port).hasPrefix("HTTP/1.1 400 "), "\(text)")
    }
  }

  @Test("an invalid WebSocket upgrade is answered with the reason")
  func badUpgrades() async throws {
    let server = try await TestServer.start()
    defer { server.end() }
    let rows: [(status: Int, request: String)] = [
      (426, Self.upgrade { $0.remove(at: 2) }), (426, Self.upgrade { $0[4] = "Sec-WebSocket-Version: 8" }),
      (400, Self.upgrade { $0.remove(at: 5) }), (400, Self.upgrade { $0[5] = "Sec-WebSocket-Key: short" }),
      (405, Self.upgrade { $0[0] = "POST /sync HTTP/1.1" }),
      (400, Self.upgrade { $0.append("Sec-WebSocket-Protocol: chat, chat") }),
    ]
    for row in rows {
      let answer = try await HTTPExchange.send(row.request, to: server.port)
      #expect(answer.hasPrefix("HTTP/1.1 \(row.status) "), "\(answer)\n\(row.request)")
      let headers = try #require(try HTTPAnswer.all(in: answer).first).headers
      #expect(headers["connection"] == (row.status == 426 ? "Upgrade, close" : "close"), "\(answer)")
    }
  }

  @Test("R-005: no answer to HEAD has a body, and closes the connection if asked to (RFC 9110 §9.3.2)")
  func head() async throws {
    let server = try await TestServer.start()
    defer { server.end() }
    for (path, status) in [
      ("/healthz", 200), ("/readyz", 200), ("/metrics", 200), ("/none", 404), ("/rpc", 405), ("/sync", 405),
    ] {
      for (lines, expected) in [("", status), ("X : y\r\n", 400), ("Transfer-Encoding: gzip\r\n", 501)] {
        let request = "HEAD \(path) HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\(lines)\r\n"
        let answer = try await HTTPExchange.send(request, to: server.port)
        #expect(answer.hasPrefix("HTTP/1.1 \(expected) ") && answer.hasSuffix("\r\n\r\n"), "\(answer)")
        #expect(answer.contains("\r\nConnection: close\r\n") && !answer.contains("Content-Length: 0"), "\(answer)")
        #expect(answer.split(separator: "\r\n\r\n").count == 1, "\(answer)")
      }
    }
  }

  @Test("a target in absolute form is served, and its host stands for Host (RFC 9112 §3.2.2)")
  func absoluteForm() async throws {
    let server = try await TestServer.start()
    defer { server.end() }
    let health = "GET http://127.0.0.1/healthz HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"
    #expect(try await HTTPExchange.send(health, to: server.port).hasPrefix("HTTP/1.1 200 "))
    let socket = try await RawConnection.open(port: server.port)
    socket.send(Array(Self.upgrade { $0[0] = "GET http://127.0.0.1/sync HTTP/1.1" }.utf8))
    try await socket.waits { $0.starts(with: Array("HTTP/1.1 101".utf8)) }
    socket.drop()
  }

  @Test("F5: a web page may connect only from an allowed origin; programs may connect without one (R-004, SEC-12)")
  func origins() async throws {
    let server = try await TestServer.start { $0.configuration.allowedOrigins = originSet("https://home.example") }
    defer { server.end() }
    for origin in [
      "https://evil.example", "http://home.example", "https://home.example.evil.example", "https://home.example:444",
      "https://home.example/", "null", "file://", "", "http://localhost:7400",
    ] {
      let answer = try await HTTPExchange.send(Self.upgrade { $0.append("Origin: \(origin)") }, to: server.port)
      #expect(answer.hasPrefix("HTTP/1.1 403 "), "\(origin)")
    }
    for origin in ["https://home.example", "https://HOME.example:443"] {
      try await TestClient.connect(port: server.port, headers: ["Origin": origin]).fence()
    }
    try await server.connect().fence()
  }
}
