import Rooms
import WebSocket

/// Reports of positions on their way through the server, without the kernel: from frames through the reporter's own
/// room and their share to the bytes for each receiver.
///
/// Four people each share their position with the three others.
final class LivePath: Path {
  let server: BareServer
  let clients: [BareClient]
  private var numbers = 0

  /// The number of reports in a round.
  var reportsPerRound: Int { clients.count }

  init() throws {
    let server = try BareServer(SampleHome())
    self.server = server
    let people = SampleHome.people
    clients = people.map { server.connect(as: $0) }
    for (index, person) in people.enumerated() {
      let id = ID<Share>(high: 0x4000_0000_0000_8000, low: 1 << 63 | UInt64(index))
      let receivers = people.filter { $0 != person }.map { "\"\($0)\"" }.joined(separator: ",")
      server.call(
        clients[index], "shares.start",
        "\"seq\":1,\"id\":\"\(id)\",\"receivers\":[\(receivers)],\"until\":\"\((server.now + .seconds(3600)))\"")
      try clients[index].expect("\"id\":\"\(id)\"")
      for other in clients.indices where other != index {
        server.subscribe(clients[other], to: "share/\(id)")
        try clients[other].expect("\"receivers\"")
      }
    }
    // The first position of a share is a change.
    var first = prepareRound()
    runRound(&first)
    var second = prepareRound()
    for index in clients.indices { clients[index].give(&second[index]) }
    server.settle()
    for client in clients {
      let count = client.stream.unsent.split(separator: "room.live").count - 1
      guard count == 3 else { throw Failure(what: "\(count) positions in \(client.stream.unsent)") }
      try client.expect("\"shares\":1")
    }
  }

  func prepareRound() -> [[UInt8]] {
    numbers += 1
    // The server's clock stands still, and a phone never takes two fixes at one time: these clocks run ahead.
    let time = server.now + .seconds(numbers)
    return clients.map { _ in
      Frame.text(
        """
        {"jsonrpc":"2.0","id":\(numbers),"method":"positions.report","params":{"sentAt":"\(time)",\
        "fixes":[{"lat":\(52 + Double(numbers) / 100_000),"lon":4.30001,"accuracy":8,"fixTime":"\(time)"}]}}
        """, mask: 0x9E37_79B9)
    }
  }
}
