import JSON
import TestSupport
import Testing

@testable import HearthCommand
@testable import Server

/// RELIABILITY E4: calls beyond a connection's rate are read later, and none is lost.
@Suite("Rate of calls")
struct CallRateTests {
  /// Checks that a burst may have the calls of two seconds; further ones wait for their turn.
  ///
  /// `LimitTests` runs it.
  @Sendable static func burst(perSecond: Int) {
    var rate = CallRate()
    let turn = Duration.seconds(1) / perSecond
    for call in 1...2 * perSecond {
      rate.note(calls: 1, at: .seconds(60), perSecond: perSecond)
      #expect(rate.wait(at: .seconds(60)) == nil, "\(call)")
    }
    rate.note(calls: 1, at: .seconds(60), perSecond: perSecond)
    #expect(rate.wait(at: .seconds(60)) == turn)
    rate.note(calls: 5, at: .seconds(60), perSecond: perSecond)
    #expect(rate.wait(at: .seconds(60)) == turn * 6)
    #expect(rate.wait(at: .seconds(60) + turn * 5) == turn)
    #expect(rate.wait(at: .seconds(60) + turn * 6) == nil)
  }

  @Test("calls within the rate never wait, and unused calls are saved up for two seconds at most")
  func steady() {
    var rate = CallRate()
    for call in 0..<1000 {
      let now = Duration.milliseconds(10 * call)
      rate.note(calls: 1, at: now, perSecond: 100)
      #expect(rate.wait(at: now) == nil)
    }
    for _ in 1...200 { rate.note(calls: 1, at: .seconds(3600), perSecond: 100) }
    #expect(rate.wait(at: .seconds(3600)) == nil)
    rate.note(calls: 1, at: .seconds(3600), perSecond: 100)
    #expect(rate.wait(at: .seconds(3600)) == .milliseconds(10))
  }

  @Test("a message counts once more for each 4,096 bytes", arguments: [(4095, 1), (4096, 2), (65_536, 17)])
  func size(bytes: Int, calls: Int) {
    var rate = CallRate()
    rate.note(calls: 100, at: .zero, perSecond: 50)
    rate.note(calls: 1, bytes: bytes, at: .zero, perSecond: 50)
    #expect(rate.wait(at: .zero) == .milliseconds(20 * calls))
  }

  /// Starts a server that allows ten calls a second, and so a burst of twenty. Calls that were read together with the
  /// first excess one are handled, too, so messages are about as large as one read.
  private func withServer(rate: Int = 10, _ body: (TestServer, Member) async throws -> Void) async throws {
    let server = try await TestServer.start { $0.configuration.callsPerSecond = rate }
    defer { server.end() }
    let ana = try await server.member("Ana")
    #expect(try await ana.hello()["limits"]?["callsPerSecond"]?.int == rate)
    let clock = ContinuousClock()
    let start = clock.now
    try await body(server, ana)
    let wait = clock.now - start
    #expect(wait > .milliseconds(1100))
    let metrics = try await HTTPCaller(port: server.port).send("", method: "GET", path: "/metrics").body
    let line = try #require(metrics.split(separator: "\n").first { $0.hasPrefix("hearth_throttles_total ") })
    #expect(line != "hearth_throttles_total 0")
  }

  @Test("a flood of calls is answered late and in order, and other clients are answered meanwhile")
  func socket() async throws {
    try await withServer { server, ana in
      let padding = String(repeating: " ", count: 3900)
      let calls = (1...40).map { #"{"jsonrpc":"2.0","id":\#($0),"method":"no.suchMethod"}"# + padding }
      ana.client.send(calls)
      let first = try await ana.client.next()
      #expect(first["id"] == 1)
      let bo = try await server.member("Bo")
      let refusal = try await bo.refusal("no.suchMethod")
      #expect(refusal.code == -32601)
      for id in 2...40 {
        let answer = try await ana.client.next()
        #expect(answer["id"]?.int == id)
      }
    }
  }

  @Test("a batch counts as the number of its calls")
  func batches() async throws {
    try await withServer { _, ana in
      // Calls that arrive together are read together, so the next one waits.
      ana.client.send(Array(repeating: Self.batch, count: 3))
      for _ in 1...3 { _ = try await ana.client.next { $0.array?.count == 16 } }
      try await ana.client.fence()
    }
  }

  @Test("a long answer counts as several calls")
  func answers() async throws {
    try await withServer { _, ana in
      let length = try await ana.client.call("rpc.discover").text.utf8.count
      let last = 1000 + 33 * 4096 / length
      for id in 1000...last { ana.post("rpc.discover", id: id) }
      _ = try await ana.client.next { $0["id"]?.int == last }
      try await ana.client.fence()
    }
  }

  @Test("a room's state counts as several calls, on any loop")
  func states() async throws {
    try await withServer { server, ana in
      let bo = try await server.member("Bo")
      let rooms = [try await ana.makeHousehold("One"), try await ana.makeHousehold("Two")]
      let text = JSON.string(String(repeating: "€", count: 2000))
      for room in rooms {
        try await ana.letIn([bo], to: room)
        for _ in 1...6 { try await bo.call("notes.add", in: room, ["text": text]) }
      }
      let clock = ContinuousClock()
      let start = clock.now
      // Each state counts as nine calls, and each room alone is requested often enough to exceed the rate.
      for id in 1000...1007 { ana.post("room.subscribe", in: rooms[id % 2], id: id) }
      for id in 1000...1007 { _ = try await ana.client.next { $0["id"]?.int == id } }
      try await ana.client.fence()
      let wait = clock.now - start
      #expect(wait > .milliseconds(1100))
    }
  }

  private static let unknown = #"{"jsonrpc":"2.0","id":1,"method":"no.suchMethod"}"#
  private static let batch = "[\(Array(repeating: unknown, count: 16).joined(separator: ","))]"

  @Test(
    "HTTP requests count on their connection, with their calls and answers",
    arguments: [(unknown, 16), (batch, 2), (#"{"jsonrpc":"2.0","id":1,"method":"rpc.discover"}"#, 2)])
  func requests(body: String, count: Int) async throws {
    // A low rate, so that even a busy machine exceeds it.
    try await withServer(rate: 2) { server, ana in
      let answers = try await pipeline(Array(repeating: body, count: count), of: ana, on: server)
      #expect(answers.count == count && answers.allSatisfy { $0.status == 200 })
    }
  }

  @Test("pipelined HTTP requests are not lost when a late long answer exceeds the rate")
  func ahead() async throws {
    try await withServer { server, ana in
      let room = try await ana.makeHousehold()
      for _ in 1...40 { try await ana.call("notes.add", in: room, ["text": "."]) }
      let list = HTTPCaller.message("activity.list", ["room": .string(room), "limit": 40])
      let bodies = Array(repeating: Self.unknown, count: 19) + [list] + Array(repeating: Self.unknown, count: 60)
      let answers = try await pipeline(bodies, of: ana, on: server)
      #expect(answers.count == bodies.count && (answers[19].body.utf8.count > 4096))
    }
  }

  /// Sends pipelined requests on one connection, the last of which closes it.
  private func pipeline(_ bodies: [String], of member: Member, on server: TestServer) async throws -> [HTTPAnswer] {
    let caller = HTTPCaller(port: server.port, token: member.token)
    let requests = bodies.dropLast().map { caller.request($0, ["Connection": "keep-alive"]) }
    let last = bodies.last.map { caller.request($0) } ?? ""
    return try HTTPAnswer.all(in: try await HTTPExchange.send(requests.joined() + last, to: server.port))
  }
}
