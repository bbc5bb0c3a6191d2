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
    let health = try await HTTPExchange.send("GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n", to: server.port)
    #expect(health.hasPrefix("HTTP/1.1 200 ") && health.hasSuffix("\r\n\r\nok\n"))
    for path in ["/", "/sync/", "/Sync", "/rooms"] {
      let answer = try await HTTPExchange.send("GET \(path) HTTP/1.1\r\nHost: localhost\r\n\r\n", to: server.port)
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
    }
  }

  @Test("F5: a web page may connect only from an allowed origin, byte for byte; programs may connect without one")
  func origins() async throws {
    let server = try await TestServer.start { $0.configuration.allowedOrigins = ["https://home.example"] }
    defer { server.end() }
    for origin in [
      "https://evil.example", "http://home.example", "https://home.example.evil.example", "https://home.example:444",
      "https://HOME.example", "https://home.example/", "null", "http://localhost",
    ] {
      let answer = try await HTTPExchange.send(Self.upgrade { $0.append("Origin: \(origin)") }, to: server.port)
      #expect(answer.hasPrefix("HTTP/1.1 403 "), "\(origin)")
    }
    let page = try await TestClient.connect(port: server.port, headers: ["Origin": "https://home.example"])
    try await page.fence()
    try await server.connect().fence()
  }
}
