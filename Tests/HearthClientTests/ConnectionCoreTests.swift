import HearthClient
import JSON
import Rooms
import TestSupport
import Testing

/// Sample messages of a server, and cores that have received some of them.
enum Sample {
  static let at = Instant("2026-05-01T09:00:00.250Z") ?? Instant()
  static let ana = ID<Person>("a7000000-0000-4000-8000-000000000001") ?? ID()

  /// A core with a call of `room.subscribe` for "me" in flight, under number 1.
  static func subscribing() throws -> ConnectionCore {
    var core = ConnectionCore()
    _ = try core.subscribe(to: "me")
    return core
  }

  /// A core that watches "me" at version 41.
  static func following(limits: ConnectionCore.Limits = .init()) throws -> ConnectionCore {
    var core = ConnectionCore(limits: limits)
    _ = try core.subscribe(to: "me")
    _ = try core.receive(
      #"{"jsonrpc":"2.0","id":1,"result":{"room":"me","epoch":"k3","version":41,"state":{"todos":{"a":{"text":"x"}}},"#
        + #""reason":"new","live":{"presence":{"p":1}},"seq":0}}"#)
    return core
  }

  static func patch(_ from: Int, _ version: Int, _ patch: String = "{}", more: String = "") -> String {
    #"{"jsonrpc":"2.0","method":"room.patch","params":{"room":"me","from":\#(from),"version":\#(version),"#
      + #""at":"2026-05-01T09:00:00.250Z"\#(more),"patch":\#(patch)}}"#
  }

  static func tick(_ version: Int, live: String = "") -> String {
    #"{"jsonrpc":"2.0","method":"room.tick","params":{"at":"2026-05-01T09:00:00.250Z","rooms":{"me":\#(version)}"#
      + #"\#(live)}}"#
  }

  static let resubscription = ConnectionCore.Output.send(
    Array(
      #"{"id":2,"jsonrpc":"2.0","method":"room.subscribe","params":{"epoch":"k3","room":"me","version":41}}"#.utf8))
}

@Suite("Connection core")
struct ConnectionCoreTests {
  // MARK: calls

  @Test("calls are numbered, and room and seq are added to their parameters")
  func calls() throws {
    var core = ConnectionCore()
    let first = try core.call("notes.add", ["text": "Milk"], room: "household/9f", seq: 12)
    #expect(first.number == 1)
    #expect(
      String(decoding: first.text, as: UTF8.self)
        == #"{"id":1,"jsonrpc":"2.0","method":"notes.add","params":{"room":"household/9f","seq":12,"text":"Milk"}}"#)
    let second = try core.call("hello")
    #expect(second.number == 2)
    #expect(String(decoding: second.text, as: UTF8.self) == #"{"id":2,"jsonrpc":"2.0","method":"hello","params":{}}"#)
  }

  @Test("a call is rejected if its parameters are not an object or exceed the server's limits")
  func callLimits() throws {
    var limits = ConnectionCore.Limits()
    limits.sentMessageBytes = 100
    limits.unansweredCalls = 1
    limits.rooms = 1
    var core = ConnectionCore(limits: limits)
    #expect(throws: ClientError.parametersNotAnObject) { try core.call("a", []) }
    let room = #"{"id":1,"jsonrpc":"2.0","method":"a","params":{"x":""}}"#.utf8.count
    let long = JSON.string(String(repeating: "x", count: 101 - room))
    #expect(throws: ClientError.tooMuch("sentMessageBytes")) { try core.call("a", ["x": long]) }
    let fitting = JSON.string(String(repeating: "x", count: 100 - room))
    #expect(try core.call("a", ["x": fitting]).text.count == 100)
    #expect(throws: ClientError.tooMuch("unansweredCalls")) { try core.call("a") }
    _ = try core.receive(#"{"jsonrpc":"2.0","id":1,"result":{}}"#)
    _ = try core.subscribe(to: "me")
    #expect(throws: ClientError.tooMuch("rooms")) { try core.subscribe(to: "share/77") }
  }

  @Test("answers are matched to calls in any order")
  func answers() throws {
    var core = ConnectionCore()
    _ = try core.call("a")
    _ = try core.call("b")
    #expect(
      try core.receive(#"{"jsonrpc":"2.0","id":2,"result":{"version":44}}"#) == [
        .answered(2, .success(["version": 44]))
      ])
    let outputs = try core.receive(
      #"{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"Invalid parameters: place.y missing.","data":"#
        + #"{"reason":"invalidParams","fields":{"place.y":"missing"},"temporary":true,"retryAfter":1500}}}"#)
    guard case .answered(1, .failure(let error))? = outputs.first else {
      Issue.record("\(outputs)")
      return
    }
    #expect(error.code == -32602)
    #expect(error.reason == "invalidParams")
    #expect(error.message == "Invalid parameters: place.y missing.")
    #expect(error.fields == ["place.y": "missing"])
    #expect(error.isTemporary)
    #expect(error.retryAfter == .milliseconds(1500))
  }

  @Test("an error without data is accepted")
  func bareError() throws {
    var core = ConnectionCore()
    _ = try core.call("a")
    let outputs = try core.receive(#"{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"no"}}"#)
    #expect(outputs == [.answered(1, .failure(ServerError(code: -32601, message: "no")))])
  }

  // MARK: state and patches

  @Test("the state in the answer to a subscription is kept")
  func state() throws {
    var core = try Sample.subscribing()
    let outputs = try core.receive(
      #"{"jsonrpc":"2.0","id":1,"result":{"room":"me","epoch":"k3","version":41,"state":{"todos":{}},"reason":"new","#
        + #""live":{"presence":{"p":1}},"seq":11}}"#)
    let snapshot = RoomSnapshot(epoch: "k3", version: 41, state: ["todos": [:]], live: ["presence": ["p": 1]])
    #expect(
      outputs.dropLast() == [
        .confirmed(room: "me", upTo: 11), .event(room: "me", .state(snapshot, reason: "new")),
      ])
    #expect(core.snapshot(of: "me") == snapshot)
  }

  @Test("when a subscription is refused for good, the call fails and the room is closed")
  func refusedSubscription() throws {
    var core = try Sample.subscribing()
    let outputs = try core.receive(
      #"{"jsonrpc":"2.0","id":1,"error":{"code":3,"message":"There is no such room here.","data":{"reason":"room"}}}"#)
    let error = ServerError(code: 3, message: "There is no such room here.", reason: "room", data: ["reason": "room"])
    #expect(outputs == [.event(room: "me", .closed(reason: "room")), .answered(1, .failure(error))])
    #expect(core.snapshot(of: "me") == nil)
  }

  @Test("a room that is temporarily unavailable keeps its state and is subscribed to on the next connection")
  func postponed() throws {
    var core = try Sample.following()
    _ = try core.receive(Sample.patch(42, 43))
    let refusal = #"{"code":7,"message":"Busy.","data":{"reason":"busy","temporary":true,"retryAfter":1000}}"#
    let outputs = try core.receive(#"{"jsonrpc":"2.0","id":2,"error":\#(refusal)}"#)
    guard case .postponed("me", let error)? = outputs.first else {
      Issue.record("\(outputs)")
      return
    }
    #expect(error.retryAfter == .seconds(1))
    #expect(core.snapshot(of: "me")?.version == 41)
    core.reconnect()
    #expect(!core.isCurrent("me"))
    let hello = try core.call("hello")
    let greeted = try core.receive(#"{"jsonrpc":"2.0","id":\#(hello.number),"result":{}}"#)
    guard case .send(let text)? = greeted.first else {
      Issue.record("\(greeted)")
      return
    }
    #expect(String(decoding: text, as: UTF8.self).contains(#""params":{"epoch":"k3","room":"me","version":41}"#))
  }

  @Test(
    "applies a patch from its version, and from an earlier one", arguments: [(41, 42), (41, 45), (40, 42), (0, 50)])
  func patch(from: Int, version: Int) throws {
    var core = try Sample.following()
    let outputs = try core.receive(
      Sample.patch(from, version, #"{"todos":{"a":null,"b":{"text":"y"}}}"#, more: #","by":"\#(Sample.ana)""#))
    let change = RoomPatch(
      from: Int64(from), version: Int64(version), at: Sample.at, by: Sample.ana,
      patch: ["todos": ["a": .null, "b": ["text": "y"]]])
    #expect(outputs == [.event(room: "me", .patch(change))])
    #expect(core.snapshot(of: "me")?.version == Int64(version))
    #expect(core.snapshot(of: "me")?.state == ["todos": ["b": ["text": "y"]]])
  }

  @Test("patches that are already known, or of other rooms, are ignored", arguments: [(40, 41), (12, 30)])
  func oldPatch(from: Int, version: Int) throws {
    var core = try Sample.following()
    let before = core.snapshot(of: "me")
    #expect(try core.receive(Sample.patch(from, version, #"{"todos":null}"#)) == [])
    #expect(core.snapshot(of: "me") == before)
    #expect(try core.receive(Sample.patch(41, 42).replacing("\"me\"", with: "\"share/77\"")) == [])
  }

  @Test("after a gap the room is subscribed to once, and resumes from the answer")
  func gap() throws {
    var core = try Sample.following()
    #expect(try core.receive(Sample.patch(42, 43, #"{"todos":{"c":{}}}"#)) == [Sample.resubscription])
    #expect(try core.receive(Sample.patch(43, 44)) == [], "one subscription in flight is enough")
    let outputs = try core.receive(
      #"{"jsonrpc":"2.0","id":2,"result":{"room":"me","epoch":"k3","version":44,"from":41,"patch":{"todos":{"c":{}}},"#
        + #""live":{},"seq":0}}"#)
    let change = RoomPatch(from: 41, version: 44, at: nil, by: nil, patch: ["todos": ["c": [:]]])
    #expect(
      outputs.dropLast() == [
        .event(room: "me", .patch(change)), .event(room: "me", .live(at: nil, patch: ["presence": .null])),
      ])
    #expect(core.snapshot(of: "me")?.state == ["todos": ["a": ["text": "x"], "c": [:]]])
    #expect(try core.receive(Sample.patch(44, 45)).count == 1)
    #expect(try core.receive(Sample.patch(46, 47)).count == 1, "the next gap causes another subscription")
  }

  @Test("a resubscription that finds nothing new causes no event")
  func nothingMissed() throws {
    var core = try Sample.following()
    _ = try core.receive(Sample.tick(42))
    let outputs = try core.receive(
      #"{"jsonrpc":"2.0","id":2,"result":{"room":"me","epoch":"k3","version":41,"from":41,"patch":{},"#
        + #""live":{"presence":{"p":1}},"seq":0}}"#)
    #expect(outputs.count == 1, "only the answer itself: \(outputs)")
  }

  @Test("a whole state replaces a patch, also with a new epoch")
  func newEpoch() throws {
    var core = try Sample.following()
    _ = try core.receive(Sample.tick(43))
    let outputs = try core.receive(
      #"{"jsonrpc":"2.0","id":2,"result":{"room":"me","epoch":"q9","version":7,"state":{},"reason":"epoch","live":{},"#
        + #""seq":0}}"#)
    let snapshot = RoomSnapshot(epoch: "q9", version: 7, state: [:])
    #expect(outputs.first == .event(room: "me", .state(snapshot, reason: "epoch")))
    #expect(core.snapshot(of: "me") == snapshot)
  }

  @Test("after another hello the rooms are subscribed to again")
  func helloAgain() throws {
    var core = try Sample.following()
    _ = try core.call("hello")
    let outputs = try core.receive(#"{"jsonrpc":"2.0","id":2,"result":{}}"#)
    #expect(outputs.count == 2)
    guard case .send(let text)? = outputs.first else {
      Issue.record("\(outputs)")
      return
    }
    #expect(String(decoding: text, as: UTF8.self).contains(#""params":{"epoch":"k3","room":"me","version":41}"#))
  }

  @Test("an unsubscribed room is forgotten")
  func unsubscribe() throws {
    var core = try Sample.following()
    #expect(
      String(decoding: try core.unsubscribe(from: "me").text, as: UTF8.self)
        == #"{"id":2,"jsonrpc":"2.0","method":"room.unsubscribe","params":{"room":"me"}}"#)
    #expect(core.snapshot(of: "me") == nil)
    #expect(try core.receive(Sample.patch(41, 42)) == [])
  }

  // MARK: live patches, ticks, ends

  @Test("a live patch is applied without a version")
  func live() throws {
    var core = try Sample.following()
    let outputs = try core.receive(
      #"{"jsonrpc":"2.0","method":"room.live","params":{"room":"me","at":"2026-05-01T09:00:00.250Z","#
        + #""patch":{"position":{"lat":52.1},"presence":null}}}"#)
    #expect(
      outputs == [
        .event(room: "me", .live(at: Sample.at, patch: ["position": ["lat": 52.1], "presence": .null]))
      ])
    #expect(core.snapshot(of: "me")?.live == ["position": ["lat": 52.1]])
    #expect(core.snapshot(of: "me")?.version == 41)
  }

  @Test("a tick at the known version or an older one is only passed on", arguments: [41, 40])
  func tick(version: Int) throws {
    var core = try Sample.following()
    let times = #","live":{"me":{"at":"2026-05-01T08:59:57.250Z","link":"2026-05-01T08:59:59.250Z"}}"#
    let live = LiveTimes(at: Sample.at - .seconds(3), link: Sample.at - .seconds(1))
    #expect(
      try core.receive(Sample.tick(version, live: times)) == [
        .event(room: "me", .tick(at: Sample.at, version: Int64(version), live: live))
      ])
  }

  @Test("a tick ahead of the known version causes a subscription")
  func tickAhead() throws {
    var core = try Sample.following()
    #expect(
      try core.receive(Sample.tick(42)) == [
        .event(room: "me", .tick(at: Sample.at, version: 42, live: nil)), Sample.resubscription,
      ])
  }

  @Test("a closed room is forgotten")
  func closed() throws {
    var core = try Sample.following()
    #expect(
      try core.receive(#"{"jsonrpc":"2.0","method":"room.closed","params":{"room":"me","reason":"removed"}}"#) == [
        .event(room: "me", .closed(reason: "removed"))
      ])
    #expect(core.snapshot(of: "me") == nil)
  }

  @Test("a room that was closed because the client was too slow is subscribed to again")
  func tooFarBehind() throws {
    var core = try Sample.following()
    #expect(
      try core.receive(#"{"jsonrpc":"2.0","method":"room.closed","params":{"room":"me","reason":"tooFarBehind"}}"#)
        == [Sample.resubscription])
    #expect(core.snapshot(of: "me")?.version == 41)
  }

  @Test("the end of the session and a leaving server are passed on, and unknown notifications are ignored")
  func notifications() throws {
    var core = ConnectionCore()
    #expect(
      try core.receive(#"{"jsonrpc":"2.0","method":"session.ended","params":{"reason":"revoked"}}"#)
        == [.sessionEnded(reason: "revoked")])
    #expect(
      try core.receive(#"{"jsonrpc":"2.0","method":"server.leaving","params":{"reconnectAfter":1800}}"#)
        == [.leaving(reconnectAfter: .milliseconds(1800))])
    #expect(try core.receive(#"{"jsonrpc":"2.0","method":"weather.changed","params":{"rain":true}}"#) == [])
  }

  // MARK: protocol violations

  @Test(
    "a violation of the protocol is rejected",
    arguments: [
      "", "[]", "{", #"{"id":2,"result":{}}"#, #"{"jsonrpc":"1.0","id":2,"result":{}}"#,
      #"{"jsonrpc":"2.0","id":9,"result":{}}"#, #"{"jsonrpc":"2.0","id":1,"result":{}}"#,
      #"{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"This is not JSON."}}"#,
      #"{"jsonrpc":"2.0","id":2}"#, #"{"jsonrpc":"2.0","id":2,"result":{},"error":{"code":1,"message":""}}"#,
      #"{"jsonrpc":"2.0","id":2,"error":{"message":"no code"}}"#,
      #"{"jsonrpc":"2.0","method":"room.patch","params":[]}"#,
      Sample.patch(42, 42), Sample.patch(42, 41), Sample.patch(41, 42, "[]"), Sample.patch(41, 42, "null"),
      Sample.patch(41, 42, more: #","by":"ana""#),
      Sample.patch(41, 42).replacing("41", with: "41.5"), Sample.patch(41, 42).replacing("2026-05", with: "2026-13"),
      Sample.patch(41, 42).replacing(#""from":41,"#, with: ""),
      Sample.patch(41, 42).replacing("42", with: "99999999999999999999"),
      Sample.tick(41).replacing("41", with: #""41""#), Sample.tick(41, live: #","live":[]"#),
      Sample.tick(41, live: #","live":{"me":3}"#),
      #"{"jsonrpc":"2.0","method":"room.closed","params":{"room":"me"}}"#,
      // The answer to call 2, a resubscription: a patch from another version or epoch, or neither patch nor state.
      #"{"jsonrpc":"2.0","id":2,"result":{"room":"me","epoch":"k3","version":44,"from":42,"patch":{},"live":{}}}"#,
      #"{"jsonrpc":"2.0","id":2,"result":{"room":"me","epoch":"q9","version":44,"from":41,"patch":{},"live":{}}}"#,
      #"{"jsonrpc":"2.0","id":2,"result":{"room":"me","epoch":"k3","version":44,"live":{}}}"#,
      #"{"jsonrpc":"2.0","id":2,"result":{"room":"me","epoch":"k3","version":44,"state":{},"reason":"new"}}"#,
    ])
  func violation(text: String) throws {
    var core = try Sample.following()
    _ = try core.subscribe(to: "me")
    let error = #expect(throws: ClientError.self) { try core.receive(text) }
    guard case .malformed? = error else {
      Issue.record("\(String(describing: error)) for \(text)")
      return
    }
  }

  @Test("messages and documents above the limits on bytes and depth are rejected")
  func limits() throws {
    var limits = ConnectionCore.Limits()
    limits.messageBytes = 400
    limits.documentBytes = 500
    var core = try Sample.following(limits: limits)
    let filler = 400 - Sample.patch(41, 42, #"{"a":""}"#).utf8.count
    #expect(throws: ClientError.tooMuch("messageBytes")) {
      try core.receive(Sample.patch(41, 42, #"{"a":"\#(String(repeating: "x", count: filler + 1))"}"#))
    }
    // Replacing the same text repeatedly sums up to more than the limit, but the document does not grow.
    for version in 41..<60 {
      let text = Sample.patch(version, version + 1, #"{"a":"\#(String(repeating: "x", count: filler))"}"#)
      #expect(text.utf8.count == 400)
      #expect(try core.receive(text).count == 1)
    }
    let error = #expect(throws: ClientError.self) {
      for version in 60..<70 {
        let text = String(repeating: "x", count: 100)
        _ = try core.receive(Sample.patch(version, version + 1, #"{"b\#(version)":"\#(text)"}"#))
      }
    }
    #expect(error == .tooMuch("documentBytes"))
    let deep = String(repeating: #"{"a":"#, count: 40) + "1" + String(repeating: "}", count: 40)
    #expect(throws: ClientError.malformed("tooDeep")) { try core.receive(Sample.patch(70, 71, deep)) }
  }

  @Test("the document converges to the server's, whatever patches are lost")
  func losses() throws {
    let seed = UInt64.random(in: 0..<UInt64.max)
    var random = SeededGenerator(seed: seed)
    for _ in 0..<200 {
      var server: [JSON] = [["n": [:]]]  // States by version, from 0.
      var patches: [JSON] = []  // The patch at n leads from version n to n + 1.
      var core = ConnectionCore()
      _ = try core.subscribe(to: "me")
      var asked = 1
      func answer() throws -> [ConnectionCore.Output] {
        let newest = server.count - 1
        let result: JSON = [
          "room": "me", "epoch": "e", "version": .number(.init(newest)), "state": server[newest], "reason": "tooOld",
          "live": [:], "seq": 0,
        ]
        return try core.receive((["jsonrpc": "2.0", "id": .number(.init(asked)), "result": result] as JSON).text)
      }
      _ = try answer()
      for _ in 0..<20 {
        let key = String(random.next() % 5)
        let value: JSON = random.next() % 3 == 0 ? .null : .number(.init(Int(random.next() % 100)))
        patches.append(["n": [key: value]])
        server.append(MergePatch.apply(patches[patches.count - 1], to: server[server.count - 1]))
        guard random.next() % 3 != 0 else { continue }
        let from = patches.count - 1 - Int(random.next() % UInt64(min(patches.count, 3)))
        let patch = try patches[(from + 1)...].reduce(patches[from]) { try #require(MergePatch.compose($0, $1)) }
        for case .send in try core.receive(Sample.patch(from, server.count - 1, patch.text)) {
          asked += 1
          _ = try answer()
        }
        try #require(core.snapshot(of: "me")?.state == server[server.count - 1], "seed \(seed)")
      }
    }
  }
}

extension ConnectionCore {
  mutating func receive(_ text: String) throws -> [Output] { try receive(Array(text.utf8)) }
}
