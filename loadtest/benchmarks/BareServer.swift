import Platform
import Rooms
import Server
import WebSocket

/// One shard of a server without sockets and disk.
final class BareServer {
  private let loop = BareLoop()
  private let shard: Shard
  private var clientCount: UInt64 = 0

  init(_ home: SampleHome) throws {
    let store = BareStore(household: home.stored, people: try home.storedPeople())
    var configuration = Configuration()
    configuration.gather = .zero
    configuration.gatherLive = .zero
    configuration.callsPerSecond = 1_000_000
    shard = Shard(
      loop: loop, index: 0, shards: Shards(posters: [loop.poster]), configuration: configuration,
      services: Services(
        store: store, directory: store, deliveries: store, workers: NoWorkers(), randomness: NoRandomness(),
        log: .none))
    shard.start {}
    loop.settle(shard)
  }

  var now: Instant { loop.now }

  /// Opens a connection and says hello.
  func connect(as person: ID<Person>) -> BareClient {
    let stream = BareStream()
    let client = BareClient(stream: stream, handler: shard.opened(stream))
    var upgrade = Array(
      """
      GET /sync HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\
      Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\
      Sec-WebSocket-Protocol: hearth.v1\r\n\r\n
      """.utf8)
    client.give(&upgrade)
    settle()
    let id = ID<Client>(high: 0x2000_0000_0000_8000, low: 1 << 63 | clientCount)
    clientCount += 1
    call(client, "hello", "\"token\":\"\(SampleHome.token(of: person))\",\"client\":\"\(id)\"")
    return client
  }

  func subscribe(_ client: BareClient, to room: String) { call(client, "room.subscribe", "\"room\":\"\(room)\"") }

  /// Calls a method and waits until all its effects are done.
  func call(_ client: BareClient, _ method: String, _ parameters: String) {
    var bytes = Frame.text(
      "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"\(method)\",\"params\":{\(parameters)}}", mask: 0x1234_5678)
    client.give(&bytes)
    settle()
  }

  /// Runs batches until there is nothing left to do, and lets time pass.
  func settle() {
    loop.uptime += .milliseconds(3)
    loop.now = loop.now + .milliseconds(3)
    loop.settle(shard)
  }
}

/// Clients of a `BareServer` that send in rounds.
protocol Path {
  var server: BareServer { get }
  var clients: [BareClient] { get }
  /// The bytes that each client sends in one round.
  func prepareRound() -> [[UInt8]]
}

extension Path {
  /// The measured work: one batch of the loop.
  func runRound(_ bytes: inout [[UInt8]]) {
    for index in clients.indices { clients[index].give(&bytes[index]) }
    server.settle()
    for client in clients { _ = client.stream.flush() }
  }
}

/// A connection to a `BareServer`.
struct BareClient {
  let stream: BareStream
  let handler: any StreamHandler

  func give(_ bytes: inout [UInt8]) {
    var span = bytes.mutableSpan
    handler.received(&span)
  }

  /// Discards the received output, which must contain a text.
  func expect(_ text: String) throws {
    let unsent = stream.unsent
    _ = stream.flush()
    if !unsent.contains(text) { throw Failure(what: "\(text) is missing in \(unsent)") }
  }
}
