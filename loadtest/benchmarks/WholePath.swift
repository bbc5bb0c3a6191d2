import JSON
import Platform
import Rooms
import Server
import WebSocket

/// Changes on their whole way through a server but for the kernel and the disk: from the bytes of frames, through
/// rule, commit and patch, to the bytes that each member of a household is sent.
///
/// Households of four, all of whom watch and call at once: what a saturated server does.
final class WholePath {
  private let inFlight: Int
  private let loop = BareLoop()
  private let shard: Shard
  private var members: [Member] = []
  private var numbers = 0

  private struct Member {
    let stream: BareStream
    let handler: any StreamHandler
    let household: String
    let items: [String]
  }

  /// Changes of one round.
  var changesPerRound: Int { members.count * inFlight }

  /// - Parameters:
  ///   - households: at most 15, for the sample's people are in all of them, and have 16 connections each.
  ///   - inFlight: calls of each member in a round.
  init(households: Int, inFlight: Int) throws {
    self.inFlight = inFlight
    let home = try SampleHome()
    let items = try home.groceries()
    let store = BareStore(household: home.stored, person: try SampleHome.storedPerson())
    let shards = Shards(posters: [loop.poster])
    var configuration = Configuration()
    configuration.gather = .zero
    configuration.callsPerSecond = 1_000_000
    shard = Shard(
      loop: loop, index: 0, shards: shards, configuration: configuration,
      services: Services(
        store: store, directory: store, workers: NoWorkers(), randomness: NoRandomness(), log: .none))
    shard.start {}
    loop.settle(shard)
    for number in 0..<households {
      let id = ID<Household>(high: 0x1111_0000_0000_8000 | UInt64(number), low: 0x8555_6666_7777_8888)
      for (index, person) in SampleHome.people.enumerated() {
        let stream = BareStream()
        let member = Member(
          stream: stream, handler: shard.opened(stream), household: "household/\(id)",
          items: (0..<inFlight).map { items[index * inFlight + $0] })
        join(member, as: person, client: ID(high: 0x2000_0000_0000_8000, low: 1 << 63 | UInt64(members.count)))
        members.append(member)
      }
    }
    runBatch()
    for member in members {
      let text = member.stream.unsent
      guard member.stream.flush() > 10_000 else { throw Failure(what: "the household was not told: \(text)") }
    }
  }

  private func join(_ member: Member, as person: ID<Person>, client: ID<Client>) {
    give(
      Array(
        """
        GET /sync HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\
        Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\
        Sec-WebSocket-Protocol: hearth.v1\r\n\r\n
        """.utf8), to: member)
    let token = SampleHome.token(of: person)
    let hello =
      "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"hello\",\"params\":{\"token\":\"\(token)\",\"client\":\"\(client)\"}}"
    give(Frame.text(hello, mask: 0x1234_5678), to: member)
    runBatch()
    let subscribe =
      "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"room.subscribe\",\"params\":{\"room\":\"\(member.household)\"}}"
    give(Frame.text(subscribe, mask: 0x1234_5678), to: member)
    runBatch()
  }

  private func give(_ bytes: [UInt8], to member: Member) {
    var bytes = bytes
    var span = bytes.mutableSpan
    member.handler.received(&span)
  }

  private func runBatch() {
    loop.uptime += .milliseconds(3)
    loop.now = loop.now + .milliseconds(3)
    loop.settle(shard)
  }

  /// The bytes that each member sends in one round.
  func prepareRound() -> [[UInt8]] {
    numbers += inFlight
    return members.map { member in
      var bytes: [UInt8] = []
      for index in 0..<inFlight {
        let number = numbers - inFlight + index + 1
        bytes += Frame.text(
          """
          {"jsonrpc":"2.0","id":\(number),"method":"groceries.edit","params":{"room":"\(member.household)",\
          "seq":\(number),"answered":\(number - index - 1),"id":"\(member.items[index])",\
          "note":"\(number) \(String(repeating: "x", count: 88))"}}
          """, mask: 0x9E37_79B9)
      }
      return bytes
    }
  }

  /// What is measured: one batch of the loop.
  @inline(never) func runRound(_ bytes: inout [[UInt8]]) {
    for index in members.indices {
      var span = bytes[index].mutableSpan
      members[index].handler.received(&span)
    }
    runBatch()
    for member in members { sentByteCount += member.stream.flush() }
  }

  /// Bytes sent to members so far.
  private(set) var sentByteCount = 0
}
