import JSON
import Rooms
import Testing

@testable import Server
@testable import hearth

/// What is live, told by a busy server.
@Suite("Live, of a busy server")
struct LiveTests {
  /// A server that counts as busy, and what comes of a share in it.
  private final class Busy {
    let server: TestServer
    let ana: Member
    let bo: Member
    let household: String
    let share: String
    let version: Int
    private let until = Instant.now + .seconds(3600)

    init(holding wait: Duration, loops: Int = 1, _ change: (inout Configuration) -> Void = { _ in }) async throws {
      server = try await TestServer.start {
        $0.loopCount = loops
        $0.configuration.busy = -1...0
        $0.configuration.gatherLive = wait
        $0.configuration.heartbeat = .seconds(3600)
        $0.configuration.callsPerSecond = 100_000
        change(&$0.configuration)
      }
      // A connection's number is the second of its first heartbeat, with which everything is told.
      for _ in 1...120 { try await TestClient.connect(port: server.port).drop() }
      let (household, members) = try await server.household("Ana", "Bo")
      self.household = household
      (ana, bo) = (members[0], members[1])
      share = try await ana.share(with: bo, until: until)
      // The first one is a change of the share, too.
      try await ana.report(fix(52, 4.3))
      version = try await bo.watch(share).version
      bo.client.forget()
    }

    /// Reports positions by their latitudes, each when the one before has been answered.
    func report(_ latitudes: JSON...) async throws {
      for latitude in latitudes { #expect(try await ana.report(fix(latitude, 4.3))["shares"] == 1) }
    }

    func extend(by seconds: Int64 = 60) async throws {
      try await ana.call("shares.extend", in: share, ["until": (until + .seconds(seconds)).json])
    }

    /// What has come of the share so far, in order: latitudes and versions.
    func told(to member: Member? = nil) async throws -> [JSON] {
      let client = (member ?? bo).client
      try await client.fence()
      let messages = client.messagesNow.filter { $0["params"]?["room"]?.string == share }
      client.forget()
      return messages.compactMap {
        $0["params"]?["patch"]?["position"]?["lat"] ?? $0["params"]?["version"]
      }
    }
  }

  @Test(
    "LOC-5: each report is told by itself, though those of some time leave together, with no more reports to come",
    arguments: [1, 3])
  func together(loops: Int) async throws {
    let busy = try await Busy(holding: .milliseconds(50), loops: loops)
    defer { busy.server.end() }
    try await busy.report(52.00001, 52.00002, 52.00003)
    for latitude in [52.00001, 52.00002, 52.00003] as [JSON] {
      let live = try await busy.bo.client.notification("room.live")
      #expect(live["patch"]?["position"]?["lat"] == latitude)
    }
  }

  @Test("a server that has time tells each position at once")
  func atOnce() async throws {
    let busy = try await Busy(holding: .seconds(3600)) { $0.busy = 2...3 }
    defer { busy.server.end() }
    try await busy.report(52.00001)
    let live = try await busy.bo.client.notification("room.live")
    #expect(live["patch"]?["position"]?["lat"] == 52.00001)
  }

  @Test("SYN-5: what is held of a room comes before its next change")
  func order() async throws {
    let busy = try await Busy(holding: .seconds(3600))
    defer { busy.server.end() }
    try await busy.report(52.00001, 52.00002)
    #expect(try await busy.told() == [])
    try await busy.extend()
    #expect(try await busy.told() == [52.00001, 52.00002, .number(JSON.Number(busy.version + 1))])
  }

  @Test("LOC-22: who begins to watch is told what is true now, and nothing older behind it")
  func newcomer() async throws {
    let busy = try await Busy(holding: .seconds(3600))
    defer { busy.server.end() }
    try await busy.report(52.00001, 52.00002)
    let other = try await busy.bo.again(on: busy.server, client: newID())
    #expect(try await other.watch(busy.share).answer["live"]?["position"]?["lat"] == 52.00002)
    #expect(try await busy.told() == [52.00001, 52.00002])
    try await busy.report(52.00003)
    try await busy.extend()
    #expect(try await busy.told(to: other).first == 52.00003)
  }

  @Test("SYN-7: who has fallen behind and comes on is never told an older position behind a newer one")
  func slow() async throws {
    let busy = try await Busy(holding: .seconds(3600))
    defer { busy.server.end() }
    try await busy.ana.fill(busy.household)
    busy.bo.stopReading(whileWatching: busy.household)
    try await Task.sleep(for: .milliseconds(500))
    try await busy.report(52.00001)
    try await busy.extend(by: 60)
    try await busy.report(52.00002, 52.00003)
    _ = try await busy.bo.readAgain(busy.household)
    let merged = try await busy.bo.client.next {
      $0["method"] == "room.patch" && $0["params"]?["room"]?.string == busy.share
    }
    #expect(merged["params"]?["version"]?.int == busy.version + 1)
    try await busy.extend(by: 120)
    let told = try await busy.told().filter { $0 != .number(JSON.Number(busy.version + 2)) }
    #expect(told.last == 52.00003)
    #expect(told == told.sorted { $0.text < $1.text }, "\(told)")
  }

  @Test("LOC-7: before a heartbeat tells how old a position is, it is told")
  func heartbeat() async throws {
    let busy = try await Busy(holding: .seconds(3600)) { $0.heartbeat = .seconds(1) }
    defer { busy.server.end() }
    try await busy.report(52.00001)
    let live = try await busy.bo.client.notification("room.live")
    #expect(live["patch"]?["position"]?["lat"] == 52.00001)
  }

  @Test("much is not held, however long it might be")
  func much() async throws {
    let busy = try await Busy(holding: .seconds(3600))
    defer { busy.server.end() }
    for number in 1...100 { try await busy.report(.number(try #require(JSON.Number(52 + Double(number) / 1000)))) }
    let told = try await busy.told()
    #expect(told.count > 20 && told.count < 100)
    #expect(told.first == 52.001)
  }

  @Test("SYN-10: a server that stops tells what it held")
  func leaving() async throws {
    let busy = try await Busy(holding: .seconds(3600))
    try await busy.report(52.00001)
    busy.server.end()
    let live = try await busy.bo.client.notification("room.live")
    #expect(live["patch"]?["position"]?["lat"] == 52.00001)
  }
}
