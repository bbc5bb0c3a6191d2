import JSON
import Rooms
import Testing

@testable import HearthClient

/// SYN-2, SYN-3, SYN-10, SYN-11: what the client decides, on a clock of the test's own.
@Suite("Client core")
struct ClientCoreTests {
  static func server(_ code: Int, _ reason: String, temporary: Bool = false) -> ClientError {
    .server(
      ServerError(
        code: code, message: "No.", reason: reason,
        data: temporary ? ["reason": .string(reason), "temporary": true] : ["reason": .string(reason)]))
  }

  // MARK: coming back

  enum End { case back, stop, forget }

  @Test(
    "SYN-10, ACC-14: every close code is come back from, or not, or makes everything be forgotten",
    arguments: [
      (nil, End.back), (1000, .back), (1001, .back), (1002, .back), (1003, .back), (1007, .back), (1009, .back),
      (1011, .back), (1012, .back), (4000, .back), (4001, .back), (4002, .stop), (4003, .back), (4005, .back),
      (4006, .stop), (4099, .back), (4100, .stop), (4101, .forget), (4102, .forget), (4103, .stop), (4104, .stop),
      (4105, .stop), (4108, .stop), (4199, .stop), (4200, .back),
    ] as [(UInt16?, End)])
  func closeCodes(code: UInt16?, end: End) throws {
    let script = try Script.following()
    try script.change("mine")
    script.advance(by: .seconds(5))
    _ = script.take()
    script.end(.closedByServer(code: code, reason: ""))
    let error = ClientError.closedByServer(code: code, reason: "")
    switch end {
    case .back:
      guard case .disconnected(error, let delay)? = script.events.last else {
        return #expect(Bool(false), "\(script.events)")
      }
      #expect(delay < .milliseconds(500))
      script.advance(by: delay)
      #expect(script.take().last == .connect)
      #expect(script.shown == ["a": "x", "b": "mine"])
    case .stop:
      #expect(script.events == [.stopped(error, isWiped: false)])
      script.advance(by: .seconds(3600))
      #expect(!script.take().contains(.connect))
      #expect(script.shown == ["a": "x", "b": "mine"], "nothing is forgotten")
      script.run { $0.start() }
      #expect(script.take() == [.connect], "who asks for it goes on")
    case .forget:
      #expect(script.events.last == .stopped(error, isWiped: true))
      let outputs = script.take()
      #expect(outputs.contains(.wipe) && outputs.contains(.room(Script.house, .closed(reason: "sessionEnded"))))
      #expect(script.document == nil && script.kept.isEmpty && script.core.queue.entries.isEmpty)
      script.run { $0.start() }
      script.advance(by: .seconds(3600))
      #expect(script.take() == [])
      #expect(throws: error) { try script.change("more") }
    }
  }

  @Test("SYN-10: comes back exactly when a server that leaves has asked for it, and counts anew")
  func leaving() throws {
    let script = try Script.following()
    for _ in 0..<8 {
      script.end(.lost)
      script.advance(by: .seconds(30))
    }
    script.run { $0.start() }
    try script.connect()
    _ = script.take()
    script.say(["jsonrpc": "2.0", "method": "server.leaving", "params": ["reconnectAfter": 1800]])
    let delay = Duration.milliseconds(1800)
    #expect(script.events == [.disconnected(.leaving(reconnectAfter: delay), retryAfter: delay)])
    _ = script.take()
    script.advance(by: .milliseconds(1799))
    #expect(script.take() == [])
    script.advance(by: .milliseconds(1))
    #expect(script.take() == [.connect])
    script.end(.unreachable(.timedOut))
    guard case .disconnected(_, let next)? = script.events.last else { return #expect(Bool(false)) }
    #expect(next <= .milliseconds(500))
  }

  @Test("SYN-11: tries again and again, more and more rarely, until a connection has lasted")
  func backoff() throws {
    let script = try Script()
    script.run { $0.start() }
    var ceilings: [Duration] = []
    for _ in 0..<10 {
      ceilings.append(script.core.backoff.ceiling)
      script.end(.unreachable(.timedOut))
      guard case .disconnected(_, let delay)? = script.events.last else { return #expect(Bool(false)) }
      #expect(delay <= ceilings[ceilings.count - 1])
      script.advance(by: delay)
    }
    #expect(ceilings.last == .seconds(30))
    // One that ends soon changes nothing; one that lasts does.
    for (lasting, ceiling) in [(Duration.seconds(9), Duration.seconds(30)), (.seconds(10), .seconds(1))] {
      script.open()
      script.answer(try #require(try script.takeCalls().first), Script.greeting())
      script.advance(by: lasting)
      script.end(.silent)
      #expect(script.core.backoff.ceiling == ceiling)
      script.advance(by: .seconds(30))
    }
  }

  @Test("clients that lose a server at one moment come back all over the time that they may")
  func jitter() throws {
    var tenths = [Int](repeating: 0, count: 10)
    for seed in 0..<2000 {
      let script = try Script(seed: UInt64(seed))
      script.run { $0.start() }
      script.end(.lost)
      guard case .disconnected(_, let delay)? = script.events.last else { return #expect(Bool(false)) }
      tenths[min(9, Int(delay / .milliseconds(50)))] += 1
    }
    for count in tenths { #expect((140...260).contains(count), "\(tenths)") }
  }

  @Test("a network that comes back need not be waited for")
  func reconnect() throws {
    let script = try Script.following()
    script.end(.lost)
    _ = script.take()
    script.run { $0.start() }
    #expect(script.take() == [.connect])
    script.run { $0.start() }
    #expect(script.take() == [], "once is enough")
  }

  @Test("a server that does not answer hello is left, one that is busy is asked again later")
  func hello() throws {
    let script = try Script()
    script.run { $0.start() }
    script.open()
    script.advance(by: .seconds(30))
    #expect(script.events.contains { if case .disconnected(.silent, _) = $0 { true } else { false } })
    script.advance(by: .seconds(30))
    _ = script.take()
    script.run { $0.start() }
    script.open()
    script.refuse(try #require(try script.takeCalls().last), 7, "busy", retryAfter: 20_000)
    guard case .disconnected(_, let delay)? = script.events.last else { return #expect(Bool(false)) }
    #expect(delay >= .seconds(20) && delay <= .seconds(30))
    script.advance(by: .seconds(30))
    script.open()
    script.refuse(try #require(try script.takeCalls().last), 1, "token")
    #expect(script.events.last == .stopped(Self.server(1, "token"), isWiped: true))
  }

  // MARK: rooms

  @Test("SYN-2: after a disconnection all rooms are asked for at once, each from where it was")
  func resume() throws {
    let script = try Script.following()
    try script.run { try $0.follow("me", kept: RoomSnapshot(epoch: "e", version: 7, state: [:])) }
    try script.run { try $0.follow("share/77", kept: nil) }
    script.patch(["notes": ["c": "y"]], from: 1, version: 2)
    script.end(.lost)
    script.advance(by: .seconds(1))
    #expect(script.document?.isCurrent == false)
    script.open()
    let hello = try #require(try script.takeCalls().first)
    script.answer(hello, Script.greeting())
    let calls = try script.takeCalls()
    #expect(calls.map { $0["method"] } == ["room.subscribe", "room.subscribe", "room.subscribe"])
    #expect(
      calls.map { $0["params"] } == [
        ["room": .string(Script.house), "epoch": "k3", "version": 2], ["room": "me", "epoch": "e", "version": 7],
        ["room": "share/77"],
      ])
    script.answer(calls[0], Script.missed(["notes": ["a": .null]], from: 1, version: 5))
    #expect(script.shown == ["c": "y"])
    #expect(script.document?.confirmed.version == 5 && script.document?.isCurrent == true)
  }

  @Test("a room that cannot be told of now is asked for again, and what is known of it stays")
  func busyRoom() throws {
    let script = try Script.following()
    script.say([
      "jsonrpc": "2.0", "method": "room.closed", "params": ["room": .string(Script.house), "reason": "tooFarBehind"],
    ])
    let again = try #require(try script.takeCalls().first)
    script.refuse(again, 7, "busy", retryAfter: 1000)
    #expect(script.shown == ["a": "x"])
    script.advance(by: .milliseconds(999))
    #expect(try script.takeCalls() == [])
    script.advance(by: .milliseconds(1))
    #expect(try script.takeCalls().first?["params"]?["version"] == 1)
  }

  @Test("a room that is closed is forgotten on disk, too")
  func closedRoom() throws {
    let script = try Script.following()
    script.advance(by: .seconds(5))
    #expect(script.kept[Script.house]?.version == 1)
    script.say([
      "jsonrpc": "2.0", "method": "room.closed", "params": ["room": .string(Script.house), "reason": "left"],
    ])
    #expect(script.kept.isEmpty && script.document == nil)
    #expect(script.take() == [.forget(Script.house), .room(Script.house, .closed(reason: "left"))])
  }

  // MARK: changes

  @Test("SYN-11: a change is on disk before it is shown or sent")
  func diskFirst() throws {
    let script = try Script.following()
    script.isDiskSlow = true
    let id = try script.change("mine")
    #expect(script.shown == ["a": "x"])
    #expect(try script.takeCalls() == [])
    script.write()
    #expect(script.take() == [.accepted(id), .room(Script.house, .pending(1))])
    #expect(script.shown == ["a": "x", "b": "mine"])
    #expect(try script.takeCalls().map(\.seq) == [1])
    #expect(try QueueLog.read(script.file).records.count == 3)
  }

  @Test("a change that cannot be written has not happened, and the next one can")
  func diskFull() throws {
    let script = try Script.following()
    script.isDiskFull = true
    let id = try script.change("mine")
    let error = FileError(name: "queue", reason: .system(28))
    #expect(script.take() == [.client(.storageFailed(error)), .rejected(id, .storage(error))])
    #expect(script.shown == ["a": "x"])
    script.isDiskFull = false
    try script.change("again")
    #expect(script.shown == ["a": "x", "b": "again"])
    #expect(try script.takeCalls().map(\.seq) == [2])
  }

  @Test("the change is in the room's patch, its own version goes with the answer")
  func confirmed() throws {
    let script = try Script.following()
    let id = try script.change("mine")
    let call = try #require(try script.takeCalls().first)
    script.patch(["notes": ["b": "mine", "c": "other"]], from: 1, version: 2)
    #expect(script.document?.pending.count == 1)
    _ = script.take()
    script.answer(call, ["version": 2])
    #expect(script.shown == ["a": "x", "b": "mine", "c": "other"])
    #expect(script.document?.pending == [])
    let outputs = script.take()
    #expect(outputs.contains(.settled(id, .success(["version": 2]))))
    #expect(outputs.last == .room(Script.house, .pending(0)))
  }

  @Test("an answer that is ahead of the document does not take the change away from view")
  func answerAhead() throws {
    let script = try Script.following()
    try script.change("mine")
    script.answer(try #require(try script.takeCalls().first), ["version": 3])
    #expect(script.shown == ["a": "x", "b": "mine"])
    script.patch(["notes": ["c": "y"]], from: 1, version: 2)
    #expect(script.shown == ["a": "x", "b": "mine", "c": "y"])
    script.patch(["notes": ["b": "MINE"]], from: 2, version: 3)
    #expect(script.shown == ["a": "x", "b": "MINE", "c": "y"])
    #expect(script.document?.pending == [])
  }

  @Test("what others change lies below our own changes, in whatever order ours were made")
  func rebase() throws {
    let script = try Script.following()
    try script.change("1")
    try script.change("2")
    script.patch(["notes": ["a": .null, "b": "theirs"]], from: 1, version: 2)
    #expect(script.shown == ["b": "2"])
    let calls = try script.takeCalls()
    script.refuse(calls[1], 2, "forbidden")
    #expect(script.shown == ["b": "1"])
    script.refuse(calls[0], 2, "forbidden")
    #expect(script.shown == ["b": "theirs"])
  }

  @Test(
    "a refusal for good is reported and not shown any more",
    arguments: [
      (-32602, "invalidParams"), (-32601, "methodNotFound"), (-32603, "internalError"), (1, "password"),
      (2, "forbidden"), (3, "gone"), (4, "exists"), (4, "reused"), (5, "invitationsPerDay"), (6, "notes"), (7, "x"),
    ])
  func refusals(code: Int, reason: String) throws {
    let script = try Script.following()
    let id = try script.change("mine")
    let call = try #require(try script.takeCalls().first)
    let change = try #require(script.document?.pending.first)
    _ = script.take()
    script.refuse(call, code, reason)
    let error = Self.server(code, reason)
    #expect(
      script.take() == [
        .settled(id, .failure(error)), .client(.refused(change, error)), .room(Script.house, .pending(0)),
      ])
    script.advance(by: .seconds(6))
    #expect(script.core.queue.entries.isEmpty)
    #expect(try script.takeCalls() == [])
    #expect(try Script(file: script.file).core.queue.entries.isEmpty)
  }

  @Test("a refusal for now is sent again under a new number, which is on disk first; shown all the while")
  func temporary() throws {
    let script = try Script.following()
    try script.change("mine")
    try script.change("later", key: "c")
    let calls = try script.takeCalls()
    script.refuse(calls[0], 7, "busy", retryAfter: 1000)
    script.refuse(calls[1], 7, "busy", retryAfter: 1500)
    script.advance(by: .milliseconds(999))
    #expect(try script.takeCalls() == [])
    #expect(script.shown == ["a": "x", "b": "mine", "c": "later"])
    script.isDiskSlow = true
    script.advance(by: .milliseconds(1))
    #expect(try script.takeCalls() == [])
    script.write()
    let again = try script.takeCalls()
    #expect(again.map(\.seq) == [3, 4], "what came later stays behind it")
    #expect(again.map { $0["params"]?["text"] } == ["mine", "later"])
    #expect(try Script(file: script.file).core.queue.entries.map(\.number) == [3, 4])
  }

  @Test("a new number that could not be written is never sent, and the file knows the change by the one that is")
  func unwrittenNumber() throws {
    let script = try Script.following()
    try script.change("mine")
    script.refuse(try #require(try script.takeCalls().first), 7, "busy", retryAfter: 1000)
    script.isDiskFull = true
    script.advance(by: .seconds(3))
    #expect(try script.takeCalls() == [])
    #expect(try Script(file: script.file).core.queue.entries.map(\.number) == [1])
    script.isDiskFull = false
    script.advance(by: .seconds(1))
    let number = try #require(try script.takeCalls().first?.seq)
    #expect(try Script(file: script.file).core.queue.entries.map(\.number) == [Int64(number)])
  }

  @Test("a long delay of one change does not hold up the others")
  func longDelay() throws {
    let script = try Script.following()
    try script.change("mine")
    script.refuse(try #require(try script.takeCalls().first), 5, "removed", retryAfter: 86_400_000)
    try script.change("later", key: "c")
    #expect(try script.takeCalls().map(\.seq) == [2])
    script.end(.lost)
    script.advance(by: .seconds(1))
    script.open()
    script.answer(try #require(try script.takeCalls().first), Script.greeting())
    #expect(try script.takeCalls().compactMap(\.seq) == [2])
    script.advance(by: .seconds(86_400))
    #expect(try script.takeCalls().compactMap(\.seq) == [3])
  }

  @Test("a number that was passed over had no effect, and the change gets another")
  func skipped() throws {
    let script = try Script.following()
    try script.change("mine")
    script.refuse(try #require(try script.takeCalls().first), 4, "skipped")
    #expect(try script.takeCalls().map(\.seq) == [2])
    #expect(script.shown == ["a": "x", "b": "mine"])
  }

  @Test("a server that has forgotten our hello is left, and hears the change again under its number")
  func unauthorized() throws {
    let script = try Script.following()
    try script.change("mine")
    script.refuse(try #require(try script.takeCalls().first), 1, "unauthorized")
    guard case .disconnected? = script.events.last else { return #expect(Bool(false), "\(script.events)") }
    script.advance(by: .seconds(1))
    script.open()
    script.answer(try #require(try script.takeCalls().first), Script.greeting())
    #expect(try script.takeCalls().compactMap(\.seq) == [1])
  }

  @Test("SYN-3: what was not answered is sent again in order, under the same numbers, by this process or the next")
  func replay() throws {
    let script = try Script.following()
    for text in ["1", "2", "3", "4"] { try script.change(text, key: text) }
    script.answer(try script.takeCalls()[1], ["version": 1])
    script.advance(by: .seconds(5))
    script.end(.lost)
    let next = try Script(file: script.file, kept: script.kept)
    #expect(next.core.queue.owner.client == script.core.queue.owner.client)
    script.advance(by: .seconds(1))
    for script in [script, next] {
      script.run { $0.start() }
      script.open()
      script.answer(try #require(try script.takeCalls().first), Script.greeting())
      let calls = try script.takeCalls().filter { $0.seq != nil }
      #expect(calls.map(\.seq) == [1, 3, 4])
      #expect(calls.map { $0["params"]?["text"] } == ["1", "3", "4"])
    }
    try next.run { try $0.follow(Script.house, kept: next.kept[Script.house]) }
    #expect(next.shown == ["a": "x", "1": "1", "3": "3", "4": "4"])
    try next.change("5")
    #expect(try next.takeCalls().compactMap(\.seq) == [5], "numbers go on")
  }

  @Test("on resuming, changes that the document contains are not shown on top of it any more")
  func resumedMark() throws {
    let script = try Script.following()
    try script.change("1", key: "b")
    try script.change("2", key: "c")
    script.end(.lost)
    script.advance(by: .seconds(1))
    script.open()
    script.answer(try #require(try script.takeCalls().first), Script.greeting())
    let calls = try script.takeCalls()
    // The first one is in, and somebody has changed it since.
    script.answer(calls[0], Script.missed(["notes": ["b": "1 and more"]], from: 1, version: 3, seq: 1))
    #expect(script.shown == ["a": "x", "b": "1 and more", "c": "2"])
    #expect(script.document?.pending.map(\.id) == [2])
    script.answer(calls[1], ["version": 2])
    #expect(script.shown == ["a": "x", "b": "1 and more", "c": "2"])
  }

  @Test("numbers never fall behind those that the server has seen, whatever became of the disk")
  func healedNumbers() throws {
    let script = try Script()
    try script.connect()
    try script.run { try $0.follow(Script.house, kept: nil) }
    script.answer(try #require(try script.takeCalls().last), Script.state([:], version: 9, seq: 40))
    try script.change("mine")
    #expect(try script.takeCalls().map(\.seq) == [41])
  }

  @Test("at most 64 numbers of a room are in doubt, and the server is told which are not")
  func window() throws {
    let script = try Script.following { $0.saveInterval = .seconds(3600) }
    for number in 1...70 { try script.change("\(number)", key: "\(number)") }
    let calls = try script.takeCalls()
    #expect(calls.map(\.seq) == Array(1...64))
    // Answers out of order free nothing, and neither does the first one until it is known on disk.
    script.isDiskSlow = true
    for call in calls[1...9] { script.answer(call, ["version": 1]) }
    #expect(try script.takeCalls() == [])
    script.answer(calls[0], ["version": 1])
    #expect(try script.takeCalls() == [])
    #expect(script.wantsSave, "what stands in the way is written at once")
    script.write()
    let more = try script.takeCalls()
    try #require(more.map(\.seq) == Array(65...70))
    #expect(more[0]["params"]?["answered"] == 10)
    #expect(more[1]["params"]?["answered"] == nil, "once is enough")
  }

  @Test("what is done in `me` is answered before what may depend on it is sent, and the other way round")
  func acrossRooms() throws {
    let script = try Script.following()
    try script.change("house", room: nil, method: "households.create")
    try script.change("note")
    try script.change("another", room: "household/0a000000-0000-4000-8000-000000000001")
    try script.change("leave", room: nil, method: "x.y")
    var calls = try script.takeCalls()
    #expect(calls.map(\.seq) == [1])
    #expect(calls[0]["params"]?["room"] == nil)
    script.answer(calls[0], ["version": 1])
    calls = try script.takeCalls()
    #expect(calls.map(\.seq) == [2, 3])
    script.answer(calls[0], ["version": 2])
    #expect(try script.takeCalls() == [])
    script.answer(calls[1], ["version": 2])
    #expect(try script.takeCalls().map(\.seq) == [4])
  }

  @Test("the queue takes so many changes and bytes, and says which limit is reached")
  func limits() throws {
    let script = try Script(limits: ChangeQueue.Limits(changes: 3, bytes: 4 << 20))
    for _ in 0..<3 { try script.change("x") }
    #expect(throws: ClientError.tooMuch("queuedChanges")) { try script.change("x") }
    let small = try Script(limits: ChangeQueue.Limits(changes: 1000, bytes: 1000))
    let error = #expect(throws: ClientError.self) { for _ in 0..<100 { try small.change("0123456789") } }
    #expect(error == .tooMuch("queuedBytes"))
    #expect(small.core.queue.size <= 1000 && small.core.queue.size > 700)
  }

  @Test("changes that the server could not read, or that name what is the client's to say, are not taken in")
  func unreadable() throws {
    let script = try Script()
    func change(_ parameters: JSON) throws -> Int64 {
      var id: Int64 = 0
      try script.run {
        let result = try $0.change("m", parameters, room: nil, patch: nil, wall: Said.at)
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
    #expect(script.core.queue.entries.isEmpty)
    #expect(try change(["a": .string(String(repeating: "x", count: 65_000))]) == 1)
  }

  @Test("what may have been carried out a month ago is not sent again, for the server has forgotten the answer")
  func outdated() throws {
    let script = try Script.following()
    try script.change("mine")
    script.end(.lost)
    script.advance(by: .seconds(29 * 24 * 3600 + 60))
    _ = script.take()
    script.run { $0.start() }
    script.open()
    #expect(script.events.contains { if case .refused(_, .outdated) = $0 { true } else { false } })
    script.answer(try #require(try script.takeCalls().last), Script.greeting())
    #expect(try script.takeCalls().compactMap(\.seq) == [])
  }

  // MARK: whose it is

  @Test("SEC-8: the end of a session wipes everything, and reports what was not sent; another token begins anew")
  func sessionEnded() throws {
    let script = try Script.following()
    try script.change("mine")
    let change = try #require(script.document?.pending.first)
    script.advance(by: .seconds(5))
    #expect(!script.kept.isEmpty)
    _ = script.take()
    script.say(["jsonrpc": "2.0", "method": "session.ended", "params": ["reason": "revoked"]])
    let error = ClientError.sessionEnded(reason: "revoked")
    #expect(script.events == [.refused(change, error), .stopped(error, isWiped: true)])
    #expect(script.kept.isEmpty)
    #expect(!String(decoding: script.file, as: UTF8.self).contains("mine"))
    _ = script.take()
    script.run { $0.use(token: "another") }
    #expect(script.take().last == .connect)
    script.open()
    #expect(try script.takeCalls().last?["params"]?["token"] == "another")
    #expect(script.core.queue.owner.client == Script.owner.client)
    try script.change("new")
    #expect(script.core.queue.entries.map(\.number) == [2], "numbers go on")
  }

  @Test("another person's token takes nothing over from the one before")
  func anotherPerson() throws {
    let script = try Script.following()
    try script.change("mine")
    let change = try #require(script.document?.pending.first)
    script.advance(by: .seconds(5))
    let bo = ID<Person>("b0000000-0000-4000-8000-000000000001") ?? ID()
    let next = try Script(token: "of Bo", file: script.file, kept: script.kept)
    try next.run { try $0.follow(Script.house, kept: next.kept[Script.house]) }
    #expect(next.document == nil, "not even before the server has said who it is")
    try next.connect(me: bo)
    #expect(next.events.contains(.refused(change, .sessionEnded(reason: "anotherPerson"))))
    #expect(try next.takeCalls().compactMap(\.seq) == [])
    #expect(next.kept.isEmpty)

    let same = try Script(token: "another of Ana", file: script.file, kept: script.kept)
    try same.connect()
    #expect(try same.takeCalls().compactMap(\.seq) == [1], "the same person goes on")
  }

  // MARK: calls besides

  @Test("a call besides the queue needs a connection, and fails with it")
  func calls() throws {
    let script = try Script()
    #expect(throws: ClientError.offline) { try script.run { try $0.call("activity.list", [:], room: nil).outputs } }
    try script.connect()
    try script.run { try $0.call("activity.list", [:], room: Script.house).outputs }
    let call = try #require(try script.takeCalls().first)
    #expect(call["params"] == ["room": .string(Script.house)])
    script.answer(call, ["items": []])
    #expect(script.take().contains(.called(2, .success(["items": []]))))
    try script.run { try $0.call("activity.list", [:], room: nil).outputs }
    script.end(.lost)
    #expect(script.take().contains(.called(3, .failure(.lost))))
  }
}
