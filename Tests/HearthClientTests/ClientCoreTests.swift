import JSON
import Rooms
import Testing

@testable import HearthClient

/// SYN-2, SYN-3, SYN-10, SYN-11: the decisions of the client, on a simulated clock.
@Suite("Client core")
struct ClientCoreTests {
  static func server(_ code: Int, _ reason: String, temporary: Bool = false) -> ClientError {
    .server(
      ServerError(
        code: code, message: "No.", reason: reason,
        data: temporary ? ["reason": .string(reason), "temporary": true] : ["reason": .string(reason)]))
  }

  // MARK: reconnecting

  enum End { case back, stop, forget }

  @Test(
    "SYN-10, ACC-14: each close code makes the client reconnect, stop, or forget everything",
    arguments: [
      (nil, End.back), (1000, .back), (1001, .back), (1002, .back), (1003, .back), (1007, .back), (1009, .back),
      (1011, .back), (1012, .back), (4000, .back), (4001, .back), (4002, .stop), (4003, .back), (4005, .back),
      (4006, .stop), (4099, .back), (4100, .stop), (4101, .forget), (4102, .forget), (4103, .stop), (4104, .stop),
      (4105, .stop), (4108, .stop), (4199, .stop), (4200, .back),
    ] as [(UInt16?, End)])
  func closeCodes(code: UInt16?, end: End) throws {
    let client = try CoreUnderTest.following()
    try client.change("mine")
    client.advance(by: .seconds(5))
    _ = client.take()
    client.end(.closedByServer(code: code, reason: ""))
    let error = ClientError.closedByServer(code: code, reason: "")
    switch end {
    case .back:
      guard case .disconnected(error, let delay)? = client.events.last else {
        Issue.record("\(client.events)")
        return
      }
      #expect(delay < .milliseconds(500))
      client.advance(by: delay)
      #expect(client.take().last == .connect)
      #expect(client.shown == ["a": "x", "b": "mine"])
    case .stop:
      #expect(client.events == [.stopped(error, isWiped: false)])
      client.advance(by: .seconds(3600))
      #expect(!client.take().contains(.connect))
      #expect(client.shown == ["a": "x", "b": "mine"], "stopping keeps all data")
      client.run { $0.start() }
      #expect(client.take() == [.connect], "the application can start it again")
    case .forget:
      #expect(client.events.last == .stopped(error, isWiped: true))
      let outputs = client.take()
      #expect(outputs.contains(.wipe) && outputs.contains(.room(CoreUnderTest.house, .closed(reason: "sessionEnded"))))
      #expect(client.document == nil && client.kept.isEmpty && client.core.queue.entries.isEmpty)
      client.run { $0.start() }
      client.advance(by: .seconds(3600))
      #expect(client.take() == [])
      #expect(throws: error) { try client.change("more") }
    }
  }

  @Test("SYN-10: the client reconnects exactly when a leaving server asked for it, and resets its backoff")
  func leaving() throws {
    let client = try CoreUnderTest.following()
    for _ in 0..<8 {
      client.end(.lost)
      client.advance(by: .seconds(30))
    }
    client.run { $0.start() }
    try client.connect()
    _ = client.take()
    client.send(["jsonrpc": "2.0", "method": "server.leaving", "params": ["reconnectAfter": 1800]])
    let delay = Duration.milliseconds(1800)
    #expect(client.events == [.disconnected(.leaving(reconnectAfter: delay), retryAfter: delay)])
    _ = client.take()
    client.advance(by: .milliseconds(1799))
    #expect(client.take() == [])
    client.advance(by: .milliseconds(1))
    #expect(client.take() == [.connect])
    client.end(.unreachable(.timedOut))
    guard case .disconnected(_, let next)? = client.events.last else {
      Issue.record("\(client.events)")
      return
    }
    #expect(next <= .milliseconds(500))
  }

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

  @Test("`reconnect` ends the wait for the next attempt")
  func reconnect() throws {
    let client = try CoreUnderTest.following()
    client.end(.lost)
    _ = client.take()
    client.run { $0.start() }
    #expect(client.take() == [.connect])
    client.run { $0.start() }
    #expect(client.take() == [], "a second call has no effect")
  }

  @Test("the client leaves a server that does not answer hello, and retries with a busy one")
  func hello() throws {
    let client = try CoreUnderTest()
    client.run { $0.start() }
    client.open()
    client.advance(by: .seconds(30))
    #expect(client.events.contains { if case .disconnected(.silent, _) = $0 { true } else { false } })
    client.advance(by: .seconds(30))
    _ = client.take()
    client.run { $0.start() }
    client.open()
    client.refuse(try #require(try client.takeCalls().last), 7, "busy", retryAfter: 20_000)
    guard case .disconnected(_, let delay)? = client.events.last else {
      Issue.record("\(client.events)")
      return
    }
    #expect(delay >= .seconds(20) && delay <= .seconds(30))
    client.advance(by: .seconds(30))
    client.open()
    client.refuse(try #require(try client.takeCalls().last), 1, "token")
    #expect(client.events.last == .stopped(Self.server(1, "token"), isWiped: true))
  }

  // MARK: rooms

  @Test("SYN-2: after a disconnection the client subscribes to all rooms at once, each from its last version")
  func resume() throws {
    let client = try CoreUnderTest.following()
    try client.run { try $0.follow("me", kept: RoomSnapshot(epoch: "e", version: 7, state: [:])) }
    try client.run { try $0.follow("share/77", kept: nil) }
    client.patch(["notes": ["c": "y"]], from: 1, version: 2)
    client.end(.lost)
    client.advance(by: .seconds(1))
    #expect(client.document?.isCurrent == false)
    client.open()
    let hello = try #require(try client.takeCalls().first)
    client.answer(hello, CoreUnderTest.greeting())
    let calls = try client.takeCalls()
    #expect(calls.map { $0["method"] } == ["room.subscribe", "room.subscribe", "room.subscribe"])
    #expect(
      calls.map { $0["params"] } == [
        ["room": .string(CoreUnderTest.house), "epoch": "k3", "version": 2],
        ["room": "me", "epoch": "e", "version": 7],
        ["room": "share/77"],
      ])
    client.answer(calls[0], CoreUnderTest.missed(["notes": ["a": .null]], from: 1, version: 5))
    #expect(client.shown == ["c": "y"])
    #expect(client.document?.confirmed.version == 5 && client.document?.isCurrent == true)
  }

  @Test("a room that is temporarily unavailable keeps its state and is subscribed to again")
  func busyRoom() throws {
    let client = try CoreUnderTest.following()
    client.send([
      "jsonrpc": "2.0", "method": "room.closed",
      "params": ["room": .string(CoreUnderTest.house), "reason": "tooFarBehind"],
    ])
    let again = try #require(try client.takeCalls().first)
    client.refuse(again, 7, "busy", retryAfter: 1000)
    #expect(client.shown == ["a": "x"])
    client.advance(by: .milliseconds(999))
    #expect(try client.takeCalls() == [])
    client.advance(by: .milliseconds(1))
    #expect(try client.takeCalls().first?["params"]?["version"] == 1)
  }

  @Test("a closed room is removed from disk")
  func closedRoom() throws {
    let client = try CoreUnderTest.following()
    client.advance(by: .seconds(5))
    #expect(client.kept[CoreUnderTest.house]?.version == 1)
    client.send([
      "jsonrpc": "2.0", "method": "room.closed", "params": ["room": .string(CoreUnderTest.house), "reason": "left"],
    ])
    #expect(client.kept.isEmpty && client.document == nil)
    #expect(client.take() == [.forget(CoreUnderTest.house), .room(CoreUnderTest.house, .closed(reason: "left"))])
  }

  // MARK: changes

  @Test("SYN-11: a change is on disk before it is shown or sent")
  func diskFirst() throws {
    let client = try CoreUnderTest.following()
    client.isDiskSlow = true
    let id = try client.change("mine")
    #expect(client.shown == ["a": "x"])
    #expect(try client.takeCalls() == [])
    client.write()
    #expect(client.take() == [.accepted(id), .room(CoreUnderTest.house, .pending(1))])
    #expect(client.shown == ["a": "x", "b": "mine"])
    #expect(try client.takeCalls().map(\.seq) == [1])
    #expect(try QueueLog.read(client.file).records.count == 3)
  }

  @Test("a change that cannot be written is rejected, and the next one succeeds")
  func diskFull() throws {
    let client = try CoreUnderTest.following()
    client.isDiskFull = true
    let id = try client.change("mine")
    let error = FileError(name: "queue", reason: .system(28))
    #expect(client.take() == [.client(.storageFailed(error)), .rejected(id, .storage(error))])
    #expect(client.shown == ["a": "x"])
    client.isDiskFull = false
    try client.change("again")
    #expect(client.shown == ["a": "x", "b": "again"])
    #expect(try client.takeCalls().map(\.seq) == [2])
  }

  @Test("a change stays pending until its answer, even if the room's patch contains it")
  func confirmed() throws {
    let client = try CoreUnderTest.following()
    let id = try client.change("mine")
    let call = try #require(try client.takeCalls().first)
    client.patch(["notes": ["b": "mine", "c": "other"]], from: 1, version: 2)
    #expect(client.document?.pending.count == 1)
    _ = client.take()
    client.answer(call, ["version": 2])
    #expect(client.shown == ["a": "x", "b": "mine", "c": "other"])
    #expect(client.document?.pending == [])
    let outputs = client.take()
    #expect(outputs.contains(.settled(id, .success(["version": 2]))))
    #expect(outputs.last == .room(CoreUnderTest.house, .pending(0)))
  }

  @Test("a change stays shown while its answer is ahead of the document")
  func answerAhead() throws {
    let client = try CoreUnderTest.following()
    try client.change("mine")
    client.answer(try #require(try client.takeCalls().first), ["version": 3])
    #expect(client.shown == ["a": "x", "b": "mine"])
    client.patch(["notes": ["c": "y"]], from: 1, version: 2)
    #expect(client.shown == ["a": "x", "b": "mine", "c": "y"])
    client.patch(["notes": ["b": "MINE"]], from: 2, version: 3)
    #expect(client.shown == ["a": "x", "b": "MINE", "c": "y"])
    #expect(client.document?.pending == [])
  }

  @Test("our unconfirmed changes are shown on top of other people's changes, in the order in which we made them")
  func rebase() throws {
    let client = try CoreUnderTest.following()
    try client.change("1")
    try client.change("2")
    client.patch(["notes": ["a": .null, "b": "theirs"]], from: 1, version: 2)
    #expect(client.shown == ["b": "2"])
    let calls = try client.takeCalls()
    client.refuse(calls[1], 2, "forbidden")
    #expect(client.shown == ["b": "1"])
    client.refuse(calls[0], 2, "forbidden")
    #expect(client.shown == ["b": "theirs"])
  }

  @Test(
    "a final refusal is reported, and the change is no longer shown",
    arguments: [
      (-32602, "invalidParams"), (-32601, "methodNotFound"), (-32603, "internalError"), (1, "password"),
      (2, "forbidden"), (3, "gone"), (4, "exists"), (4, "reused"), (5, "invitationsPerDay"), (6, "notes"), (7, "x"),
    ])
  func refusals(code: Int, reason: String) throws {
    let client = try CoreUnderTest.following()
    let id = try client.change("mine")
    let call = try #require(try client.takeCalls().first)
    let change = try #require(client.document?.pending.first)
    _ = client.take()
    client.refuse(call, code, reason)
    let error = Self.server(code, reason)
    #expect(
      client.take() == [
        .settled(id, .failure(error)), .client(.refused(change, error)), .room(CoreUnderTest.house, .pending(0)),
      ])
    client.advance(by: .seconds(6))
    #expect(client.core.queue.entries.isEmpty)
    #expect(try client.takeCalls() == [])
    #expect(try CoreUnderTest(file: client.file).core.queue.entries.isEmpty)
  }

  @Test("a temporary refusal gets a new number, which is on disk before the change is sent again; it stays shown")
  func temporary() throws {
    let client = try CoreUnderTest.following()
    try client.change("mine")
    try client.change("later", key: "c")
    let calls = try client.takeCalls()
    client.refuse(calls[0], 7, "busy", retryAfter: 1000)
    client.refuse(calls[1], 7, "busy", retryAfter: 1500)
    client.advance(by: .milliseconds(999))
    #expect(try client.takeCalls() == [])
    #expect(client.shown == ["a": "x", "b": "mine", "c": "later"])
    client.isDiskSlow = true
    client.advance(by: .milliseconds(1))
    #expect(try client.takeCalls() == [])
    client.write()
    let again = try client.takeCalls()
    #expect(again.map(\.seq) == [3, 4], "later changes keep their order")
    #expect(again.map { $0["params"]?["text"] } == ["mine", "later"])
    #expect(try CoreUnderTest(file: client.file).core.queue.entries.map(\.number) == [3, 4])
  }

  @Test("a new number that could not be written is never sent, and the file keeps the change's old number")
  func unwrittenNumber() throws {
    let client = try CoreUnderTest.following()
    try client.change("mine")
    client.refuse(try #require(try client.takeCalls().first), 7, "busy", retryAfter: 1000)
    client.isDiskFull = true
    client.advance(by: .seconds(3))
    #expect(try client.takeCalls() == [])
    #expect(try CoreUnderTest(file: client.file).core.queue.entries.map(\.number) == [1])
    client.isDiskFull = false
    client.advance(by: .seconds(1))
    let number = try #require(try client.takeCalls().first?.seq)
    #expect(try CoreUnderTest(file: client.file).core.queue.entries.map(\.number) == [Int64(number)])
  }

  @Test("a long delay of one change does not hold up the others")
  func longDelay() throws {
    let client = try CoreUnderTest.following()
    try client.change("mine")
    client.refuse(try #require(try client.takeCalls().first), 5, "removed", retryAfter: 86_400_000)
    try client.change("later", key: "c")
    #expect(try client.takeCalls().map(\.seq) == [2])
    client.end(.lost)
    client.advance(by: .seconds(1))
    client.open()
    client.answer(try #require(try client.takeCalls().first), CoreUnderTest.greeting())
    #expect(try client.takeCalls().compactMap(\.seq) == [2])
    client.advance(by: .seconds(86_400))
    #expect(try client.takeCalls().compactMap(\.seq) == [3])
  }

  @Test("a change whose number the server skipped gets a new number")
  func skipped() throws {
    let client = try CoreUnderTest.following()
    try client.change("mine")
    client.refuse(try #require(try client.takeCalls().first), 4, "skipped")
    #expect(try client.takeCalls().map(\.seq) == [2])
    #expect(client.shown == ["a": "x", "b": "mine"])
  }

  @Test("when the server has forgotten hello, the client reconnects and sends the change again under its number")
  func unauthorized() throws {
    let client = try CoreUnderTest.following()
    try client.change("mine")
    client.refuse(try #require(try client.takeCalls().first), 1, "unauthorized")
    guard case .disconnected? = client.events.last else {
      Issue.record("\(client.events)")
      return
    }
    client.advance(by: .seconds(1))
    client.open()
    client.answer(try #require(try client.takeCalls().first), CoreUnderTest.greeting())
    #expect(try client.takeCalls().compactMap(\.seq) == [1])
  }

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

  @Test("new numbers are higher than any that the server has seen, even if the disk lost them")
  func healedNumbers() throws {
    let client = try CoreUnderTest()
    try client.connect()
    try client.run { try $0.follow(CoreUnderTest.house, kept: nil) }
    client.answer(try #require(try client.takeCalls().last), CoreUnderTest.state([:], version: 9, seq: 40))
    try client.change("mine")
    #expect(try client.takeCalls().map(\.seq) == [41])
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

  @Test("changes of `me` wait for changes of rooms and the other way round, since one may depend on the other")
  func acrossRooms() throws {
    let client = try CoreUnderTest.following()
    try client.change("house", room: nil, method: "households.create")
    try client.change("note")
    try client.change("another", room: "household/0a000000-0000-4000-8000-000000000001")
    try client.change("leave", room: nil, method: "x.y")
    var calls = try client.takeCalls()
    #expect(calls.map(\.seq) == [1])
    #expect(calls[0]["params"]?["room"] == nil)
    client.answer(calls[0], ["version": 1])
    calls = try client.takeCalls()
    #expect(calls.map(\.seq) == [2, 3])
    client.answer(calls[0], ["version": 2])
    #expect(try client.takeCalls() == [])
    client.answer(calls[1], ["version": 2])
    #expect(try client.takeCalls().map(\.seq) == [4])
  }

  @Test("the queue rejects a change above its limits and names the limit")
  func limits() throws {
    let client = try CoreUnderTest(limits: ChangeQueue.Limits(changes: 3, bytes: 4 << 20))
    for _ in 0..<3 { try client.change("x") }
    #expect(throws: ClientError.tooMuch("queuedChanges")) { try client.change("x") }
    let small = try CoreUnderTest(limits: ChangeQueue.Limits(changes: 1000, bytes: 1000))
    let error = #expect(throws: ClientError.self) { for _ in 0..<100 { try small.change("0123456789") } }
    #expect(error == .tooMuch("queuedBytes"))
    #expect(small.core.queue.size <= 1000 && small.core.queue.size > 700)
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

  @Test("a change that may have been carried out a month ago is not sent again, since the server forgot its answer")
  func outdated() throws {
    let client = try CoreUnderTest.following()
    try client.change("mine")
    client.end(.lost)
    client.advance(by: .seconds(29 * 24 * 3600 + 60))
    _ = client.take()
    client.run { $0.start() }
    client.open()
    #expect(client.events.contains { if case .refused(_, .outdated) = $0 { true } else { false } })
    client.answer(try #require(try client.takeCalls().last), CoreUnderTest.greeting())
    #expect(try client.takeCalls().compactMap(\.seq) == [])
  }

  // MARK: ownership

  @Test("SEC-8: the end of a session wipes all data and reports unsent changes; another token starts afresh")
  func sessionEnded() throws {
    let client = try CoreUnderTest.following()
    try client.change("mine")
    let change = try #require(client.document?.pending.first)
    client.advance(by: .seconds(5))
    #expect(!client.kept.isEmpty)
    _ = client.take()
    client.send(["jsonrpc": "2.0", "method": "session.ended", "params": ["reason": "revoked"]])
    let error = ClientError.sessionEnded(reason: "revoked")
    #expect(client.events == [.refused(change, error), .stopped(error, isWiped: true)])
    #expect(client.kept.isEmpty)
    #expect(!String(decoding: client.file, as: UTF8.self).contains("mine"))
    _ = client.take()
    client.run { $0.use(token: "another") }
    #expect(client.take().last == .connect)
    client.open()
    #expect(try client.takeCalls().last?["params"]?["token"] == "another")
    #expect(client.core.queue.owner.client == CoreUnderTest.owner.client)
    try client.change("new")
    #expect(client.core.queue.entries.map(\.number) == [2], "numbering continues")
  }

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

  // MARK: calls outside the queue

  @Test("a call outside the queue needs a connection, and fails when it ends")
  func calls() throws {
    let client = try CoreUnderTest()
    #expect(throws: ClientError.offline) { try client.run { try $0.call("activity.list", [:], room: nil).outputs } }
    try client.connect()
    try client.run { try $0.call("activity.list", [:], room: CoreUnderTest.house).outputs }
    let call = try #require(try client.takeCalls().first)
    #expect(call["params"] == ["room": .string(CoreUnderTest.house)])
    client.answer(call, ["items": []])
    #expect(client.take().contains(.called(2, .success(["items": []]))))
    try client.run { try $0.call("activity.list", [:], room: nil).outputs }
    client.end(.lost)
    #expect(client.take().contains(.called(3, .failure(.lost))))
  }
}
