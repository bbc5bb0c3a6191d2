import JSON
import Rooms
import Testing

@testable import HearthClient

/// SYN-3, SYN-11: decisions of the client on a simulated clock that its twin for browsers does not share: see
/// `ScriptTests` for the others.
@Suite("Client core")
struct ClientCoreTests {
  // MARK: reconnecting

  @Test("SYN-11: the client retries with growing delays until a connection is stable")
  func backoff() throws {
    let client = try CoreUnderTest()
    client.run { $0.start() }
    var ceilings: [Duration] = []
    for _ in 0..<10 {
      ceilings.append(client.core.backoff.ceiling)
      client.end(.unreachable(.timedOut))
      guard case .disconnected(_, let delay)? = client.events.last else {
        Issue.record("\(client.events)")
        return
      }
      #expect(delay <= ceilings[ceilings.count - 1])
      client.advance(by: delay)
    }
    #expect(ceilings.last == .seconds(30))
    // A short connection does not reset the backoff; a stable one does.
    for (lasting, ceiling) in [(Duration.seconds(9), Duration.seconds(30)), (.seconds(10), .seconds(1))] {
      client.open()
      client.answer(try #require(try client.takeCalls().first), CoreUnderTest.greeting())
      client.advance(by: lasting)
      client.end(.silent)
      #expect(client.core.backoff.ceiling == ceiling)
      client.advance(by: .seconds(30))
    }
  }

  @Test("clients that lose the server at the same moment spread their reconnections evenly")
  func jitter() throws {
    var tenths = [Int](repeating: 0, count: 10)
    for seed in 0..<2000 {
      let client = try CoreUnderTest(seed: UInt64(seed))
      client.run { $0.start() }
      client.end(.lost)
      guard case .disconnected(_, let delay)? = client.events.last else {
        Issue.record("\(client.events)")
        return
      }
      tenths[min(9, Int(delay / .milliseconds(50)))] += 1
    }
    for count in tenths { #expect((140...260).contains(count), "\(tenths)") }
  }

  // MARK: changes

  @Test("SYN-3: unanswered changes are sent again in order under the same numbers, by this process or the next")
  func replay() throws {
    let client = try CoreUnderTest.following()
    for text in ["1", "2", "3", "4"] { try client.change(text, key: text) }
    client.answer(try client.takeCalls()[1], ["version": 1])
    client.advance(by: .seconds(5))
    client.end(.lost)
    let next = try CoreUnderTest(file: client.file, kept: client.kept)
    #expect(next.core.queue.owner.client == client.core.queue.owner.client)
    client.advance(by: .seconds(1))
    for client in [client, next] {
      client.run { $0.start() }
      client.open()
      client.answer(try #require(try client.takeCalls().first), CoreUnderTest.greeting())
      let calls = try client.takeCalls().filter { $0.seq != nil }
      #expect(calls.map(\.seq) == [1, 3, 4])
      #expect(calls.map { $0["params"]?["text"] } == ["1", "3", "4"])
    }
    try next.run { try $0.follow(CoreUnderTest.house, kept: next.kept[CoreUnderTest.house]) }
    #expect(next.shown == ["a": "x", "1": "1", "3": "3", "4": "4"])
    try next.change("5")
    #expect(try next.takeCalls().compactMap(\.seq) == [5], "numbering continues")
  }

  @Test("after resuming, changes that the document contains are no longer shown on top of it")
  func resumedMark() throws {
    let client = try CoreUnderTest.following()
    try client.change("1", key: "b")
    try client.change("2", key: "c")
    client.end(.lost)
    client.advance(by: .seconds(1))
    client.open()
    client.answer(try #require(try client.takeCalls().first), CoreUnderTest.greeting())
    let calls = try client.takeCalls()
    // The document contains the first change, and another person has changed it since.
    client.answer(calls[0], CoreUnderTest.missed(["notes": ["b": "1 and more"]], from: 1, version: 3, seq: 1))
    #expect(client.shown == ["a": "x", "b": "1 and more", "c": "2"])
    #expect(client.document?.pending.map(\.id) == [2])
    client.answer(calls[1], ["version": 2])
    #expect(client.shown == ["a": "x", "b": "1 and more", "c": "2"])
  }

  @Test("a room has at most 64 unanswered numbers, and the client reports which answers it has stored")
  func window() throws {
    let client = try CoreUnderTest.following { $0.saveInterval = .seconds(3600) }
    for number in 1...70 { try client.change("\(number)", key: "\(number)") }
    let calls = try client.takeCalls()
    #expect(calls.map(\.seq) == Array(1...64))
    // Answers out of order free nothing, nor does the first one until its record is on disk.
    client.isDiskSlow = true
    for call in calls[1...9] { client.answer(call, ["version": 1]) }
    #expect(try client.takeCalls() == [])
    client.answer(calls[0], ["version": 1])
    #expect(try client.takeCalls() == [])
    #expect(client.wantsSave, "answers that hold up changes are written at once")
    client.write()
    let more = try client.takeCalls()
    try #require(more.map(\.seq) == Array(65...70))
    #expect(more[0]["params"]?["answered"] == 10)
    #expect(more[1]["params"]?["answered"] == nil, "reported only once")
  }

  @Test("a change that the server cannot parse, or that sets a reserved parameter, is rejected")
  func unreadable() throws {
    let client = try CoreUnderTest()
    func change(_ parameters: JSON) throws -> Int64 {
      var id: Int64 = 0
      try client.run {
        let result = try $0.change("m", parameters, room: nil, patch: nil, wall: Sample.at)
        id = result.id
        return result.outputs
      }
      return id
    }
    for name in ["room", "seq", "answered"] {
      #expect(throws: ClientError.reservedParameter(name)) { try change([name: 1]) }
    }
    #expect(throws: ClientError.parametersNotAnObject) { try change([1]) }
    var deep: JSON = 1
    for _ in 0..<40 { deep = [deep] }
    #expect(throws: ClientError.tooMuch("depth")) { try change(["a": deep]) }
    #expect(throws: ClientError.tooMuch("depth")) { try change(["a": .array(Array(repeating: 1, count: 10_000))]) }
    let long = JSON.string(String(repeating: "x", count: 65_500))
    #expect(throws: ClientError.tooMuch("sentMessageBytes")) { try change(["a": long]) }
    #expect(client.core.queue.entries.isEmpty)
    #expect(try change(["a": .string(String(repeating: "x", count: 65_000))]) == 1)
  }

  // MARK: ownership

  @Test("ACC-14: when a token has expired, everything is kept for the person's next one")
  func expired() throws {
    let client = try CoreUnderTest.following()
    try client.change("mine")
    client.advance(by: .seconds(5))
    _ = client.take()
    let kept = client.kept
    client.send(["jsonrpc": "2.0", "method": "session.ended", "params": ["reason": "expired"]])
    #expect(client.events == [.stopped(.sessionEnded(reason: "expired"), isWiped: false)])
    #expect(client.kept == kept && !kept.isEmpty)
    let next = try CoreUnderTest(token: "another of Ana", file: client.file, kept: client.kept)
    try next.connect()
    #expect(try next.takeCalls().compactMap(\.seq) == [1])
  }

  @Test("a token of another person inherits no data")
  func anotherPerson() throws {
    let client = try CoreUnderTest.following()
    try client.change("mine")
    let change = try #require(client.document?.pending.first)
    client.advance(by: .seconds(5))
    let bo = ID<Person>("b0000000-0000-4000-8000-000000000001") ?? ID()
    let next = try CoreUnderTest(token: "of Bo", file: client.file, kept: client.kept)
    try next.run { try $0.follow(CoreUnderTest.house, kept: next.kept[CoreUnderTest.house]) }
    #expect(next.document == nil, "not even before the server has identified the person")
    try next.connect(me: bo)
    #expect(next.events.contains(.refused(change, .sessionEnded(reason: "anotherPerson"))))
    #expect(try next.takeCalls().compactMap(\.seq) == [])
    #expect(next.kept.isEmpty)

    let same = try CoreUnderTest(token: "another of Ana", file: client.file, kept: client.kept)
    try same.connect()
    #expect(try same.takeCalls().compactMap(\.seq) == [1], "the same person keeps the queue")
  }
}
