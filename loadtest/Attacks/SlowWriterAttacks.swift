import WebSocket

/// RELIABILITY E2: slow bytes must be complete in time, and no single byte extends the deadline.
///
/// Before hello the deadline is that of hello, counted from the connection; afterwards that of a message, counted from
/// its first byte.
extension AttackSettings {
  /// More bytes than there is time for.
  private static let drops = [UInt8](repeating: UInt8(ascii: "a"), count: 4000)

  private func dribbled(_ first: [UInt8], _ rest: [UInt8], step: Int = 1) -> Attack.Script {
    Attack.Script(first: first, rest: rest, step: step, pause: dribble)
  }

  var slowHeaders: [Attack.Variant] {
    let head = Array("GET /sync HTTP/1.1\r\nHost: hearth.example\r\nX-Long: ".utf8)
    return [
      Attack.Variant(
        name: "a header", entry: .secured, script: dribbled(head, Self.drops), ending: .dropped,
        deadline: helloTimeout),
      Attack.Variant(
        name: "from the first byte on", entry: .secured, script: dribbled([], head), ending: .dropped,
        deadline: helloTimeout),
    ]
  }

  var slowTLSHello: [Attack.Variant] {
    get throws {
      var hello: [UInt8] = []
      try TLSClient(TLSContext(authority: nil, address: "127.0.0.1")).takeOutput(into: &hello)
      // The deadline of OpenSSL's handshake, which no setting changes.
      return [
        Attack.Variant(
          name: "ClientHello", entry: .connected, script: dribbled([], hello), ending: .dropped, deadline: 10)
      ]
    }
  }

  /// A call by HTTP whose body never ends.
  var slowBody: [Attack.Variant] {
    let head = "POST /rpc HTTP/1.1\r\nHost: hearth.example\r\nContent-Type: application/json\r\n"
    let sized = Array("\(head)Content-Length: 4000\r\n\r\n".utf8)
    let chunked = Array("\(head)Transfer-Encoding: chunked\r\n\r\n".utf8)
    return [
      Attack.Variant(
        name: "Content-Length", entry: .secured, script: dribbled(sized, Self.drops), ending: .status(408),
        deadline: helloTimeout),
      Attack.Variant(
        name: "chunked", entry: .secured,
        script: dribbled(chunked, Array(repeating: Array("1\r\na\r\n".utf8), count: 500).flatMap(\.self), step: 6),
        ending: .status(408), deadline: helloTimeout),
    ]
  }

  /// The longest possible header, of the largest allowed frame.
  var slowFrameHeader: [Attack.Variant] {
    onBothSides("header", dribbled([0x81], [0xFF, 0, 0, 0, 0, 0, 1, 0, 0, 1, 2, 3, 4] + Self.drops))
  }

  var slowFramePayload: [Attack.Variant] {
    onBothSides("payload", dribbled([0x81, 0xFE, 0x0F, 0xFF, 0, 0, 0, 0], Self.drops))
  }

  /// As few fragments as possible, and a message with control frames inside that keep the connection alive.
  var slowFragments: [Attack.Variant] {
    let begin = Frame.encode(.text, [0x20].span, isFinal: false, mask: 1)
    let fragment = Frame.encode(.continuation, [0x20].span, isFinal: false, mask: 1)
    let ping = Frame.encode(.ping, Span(), mask: 1)
    let fragments = Array(repeating: fragment, count: 62).flatMap(\.self)
    let pings = Array(repeating: ping, count: 100).flatMap(\.self)
    return onBothSides("fragments", dribbled(begin, fragments, step: fragment.count))
      + onBothSides("pings in between", dribbled(begin, pings, step: ping.count))
  }

  private func onBothSides(_ name: String, _ script: Attack.Script) -> [Attack.Variant] {
    [
      Attack.Variant(
        name: "\(name), before hello", entry: .upgraded, script: script, ending: .closed(4108),
        deadline: helloTimeout),
      Attack.Variant(
        name: "\(name), behind it", entry: .member, script: script, ending: .closed(1008), deadline: messageTimeout),
    ]
  }
}
