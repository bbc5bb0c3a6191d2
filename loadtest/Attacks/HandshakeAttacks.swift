/// RELIABILITY E6: unusual upgrades that are valid, and invalid ones.
extension AttackSettings {
  private static let request =
    "GET /sync HTTP/1.1\r\nHost: hearth.example\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    + "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"

  /// Each byte in its own packet: the server must not parse earlier bytes again for each.
  var splitUpgrade: [Attack.Variant] {
    let filler = String(repeating: "a", count: 1024 - Self.request.utf8.count - "X-Long: \r\n\r\n".utf8.count)
    let request = Array("\(Self.request)X-Long: \(filler)\r\n\r\n".utf8)
    return [
      Attack.Variant(
        name: "1 KiB", entry: .secured, script: Attack.Script(rest: request, step: 1), ending: .status(101))
    ]
  }

  var manyHeaders: [Attack.Variant] {
    let headers = (0..<10_000).map { "X-\($0): a\r\n" }
    return [
      Attack.Variant(
        name: "10,000 headers", entry: .secured,
        script: Attack.Script(first: Array((Self.request + headers.joined() + "\r\n").utf8)), ending: .status(431)),
      Attack.Variant(
        name: "one without end", entry: .secured,
        script: Attack.Script(
          first: Array((Self.request + "X-Long: ").utf8), rest: Array(repeating: UInt8(ascii: "a"), count: 65_536),
          times: 160), ending: .status(431)),
    ]
  }
}
