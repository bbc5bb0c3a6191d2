import JSON
import Rooms
import Testing

@testable import HearthCommand
@testable import Server

/// Live updates of a busy server, which collects them.
@Suite("Live updates of a busy server")
struct LiveTests {
  /// A busy server with a share, and the share's messages to its receiver.
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
      // The connection's number decides the second of its first heartbeat, which sends all live values.
      for _ in 1...120 { try await TestClient.connect(port: server.port).drop() }
      let (household, members) = try await server.household("Ana", "Bo")
      self.household = household
      (ana, bo) = (members[0], members[1])
      share = try await ana.share(with: bo, until: until)
      // The first report also changes the share's document.
      try await ana.report(fix(52, 4.3))
      version = try await bo.watch(share).version
      bo.client.forget()
    }

    /// Reports positions by their latitudes, each after the answer to the previous one.
    func report(_ latitudes: JSON...) async throws {
      for latitude in latitudes { #expect(try await ana.report(fix(latitude, 4.3))["shares"] == 1) }
    }

    func extend(by seconds: Int64 = 60) async throws {
      try await ana.call("shares.extend", in: share, ["until": (until + .seconds(seconds)).json])
    }

    /// The messages of the share so far, in order, as latitudes and versions.
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
    "LOC-5: each report is sent as a separate update, even if several leave together, without waiting for more reports",
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

  @Test("a server that is not busy sends each position at once")
  func atOnce() async throws {
    let busy = try await Busy(holding: .seconds(3600)) { $0.busy = 2...3 }
    defer { busy.server.end() }
    try await busy.report(52.00001)
    let live = try await busy.bo.client.notification("room.live")
    #expect(live["patch"]?["position"]?["lat"] == 52.00001)
  }

  @Test("SYN-5: held updates of a room are sent before its next change")
  func order() async throws {
    let busy = try await Busy(holding: .seconds(3600))
    defer { busy.server.end() }
    try await busy.report(52.00001, 52.00002)
    #expect(try await busy.told() == [])
    try await busy.extend()
    #expect(try await busy.told() == [52.00001, 52.00002, .number(JSON.Number(busy.version + 1))])
  }

  @Test("LOC-22: a new subscriber receives the current live values, and no older ones afterwards")
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

  @Test("SYN-7: a client that catches up never receives an older position after a newer one")
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

  @Test("LOC-7: a heartbeat never reports the age of a position before the position is sent")
  func heartbeat() async throws {
    let busy = try await Busy(holding: .seconds(3600)) { $0.heartbeat = .seconds(1) }
    defer { busy.server.end() }
    try await busy.report(52.00001)
    let live = try await busy.bo.client.notification("room.live")
    #expect(live["patch"]?["position"]?["lat"] == 52.00001)
  }

  @Test("a large amount of held updates is sent early")
  func much() async throws {
    let busy = try await Busy(holding: .seconds(3600))
    defer { busy.server.end() }
    for number in 1...100 { try await busy.report(.number(try #require(JSON.Number(52 + Double(number) / 1000)))) }
    let told = try await busy.told()
    #expect(told.count > 20 && told.count < 100)
    #expect(told.first == 52.001)
  }

  @Test("SYN-10: a stopping server sends the held updates")
  func leaving() async throws {
    let busy = try await Busy(holding: .seconds(3600))
    try await busy.report(52.00001)
    busy.server.end()
    let live = try await busy.bo.client.notification("room.live")
    #expect(live["patch"]?["position"]?["lat"] == 52.00001)
  }
}
