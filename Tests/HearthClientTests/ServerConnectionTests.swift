import HTTP
import HearthClient
import JSON
import Platform
import Rooms
import Testing
import Transport
import WebSocket

@Suite("Server connection over a loopback socket", .serialized, .timeLimit(.minutes(5)))
struct ServerConnectionTests {
  static let installation = ID<Client>("c1000000-0000-4000-8000-000000000001") ?? ID()
  static let household = "household/9f000000-0000-4000-8000-000000000001"
  static let greeting =
    #"{"me":"\#(Sample.ana)","session":"5e000000-0000-4000-8000-000000000001","now":"2026-05-01T09:00:00.250Z","#
    + #""heartbeat":25000,"limits":{"messageBytes":65536},"rooms":["me","\#(household)"]}"#

  static func result(_ id: Int, _ result: String) -> ScriptedServer.Step {
    .text(#"{"jsonrpc":"2.0","id":\#(id),"result":\#(result)}"#)
  }

  static func notify(_ method: String, _ parameters: String) -> ScriptedServer.Step {
    .text(#"{"jsonrpc":"2.0","method":"\#(method)","params":\#(parameters)}"#)
  }

  /// Answers hello and subscriptions, and sends a patch before the answer to `notes.add`.
  static let household1: ScriptedServer.Responder = { received in
    switch received {
    case .call("hello", let id, _): return [result(id, greeting)]
    case .call("room.subscribe", let id, let parameters):
      guard parameters["room"]?.string == household else {
        return [.text(#"{"jsonrpc":"2.0","id":\#(id),"error":{"code":3,"message":"No.","data":{"reason":"room"}}}"#)]
      }
      let state =
        #"{"room":"\#(household)","epoch":"k3","version":43,"state":{"notes":{}},"reason":"new","live":{},"seq":0}"#
      return [result(id, state)]
    case .call("notes.add", let id, let parameters):
      let text = parameters["text"]?.text ?? ""
      return [
        notify(
          "room.patch",
          #"{"room":"\#(household)","from":43,"version":44,"at":"2026-05-01T09:00:00.250Z","by":"\#(Sample.ana)","#
            + #""patch":{"notes":{"0d":{"text":\#(text)}}}}"#),
        result(id, #"{"version":44,"id":"0d"}"#),
      ]
    case .call("bye", let id, _): return [result(id, "{}"), .close(4001, "leaving")]
    case .call, .pong, .close, .end: return []
    }
  }

  static func connect(
    _ server: ScriptedServer, _ options: ServerConnection.Options = .init()
  ) async throws -> ServerConnection {
    try await ServerConnection.connect(
      to: Endpoint(host: "127.0.0.1", port: server.port), client: installation, options: options)
  }

  /// Runs `body` with a client and a server that follows `script`, then closes both.
  static func connected(
    deflate: DeflatePolicy? = nil, options: ServerConnection.Options = .init(),
    script: @escaping ScriptedServer.Responder, _ body: (ServerConnection, ScriptedServer) async throws -> Void
  ) async throws {
    let server = try ScriptedServer(deflate: deflate, script)
    let client = try await connect(server, options)
    try await body(client, server)
    await client.close()
    await server.stop()
  }

  @Test("a connection says hello, subscribes and calls, and receives the change before the answer")
  func conversation() async throws {
    try await Self.connected(script: Self.household1) { client, server in
      let greeting = try await client.hello(token: "secret", app: "test")
      #expect(greeting.me == Sample.ana)
      #expect(greeting.now == Sample.at)
      #expect(greeting.heartbeat == .seconds(25))
      #expect(greeting.rooms == ["me", Self.household])

      var events = try await client.subscribe(Self.household).makeAsyncIterator()
      let whole = RoomSnapshot(epoch: "k3", version: 43, state: ["notes": [:]])
      #expect(await events.next() == .state(whole, reason: "new"))
      #expect(await client.state(of: Self.household) == whole)

      let answer = try await client.call("notes.add", ["text": "Milk is out"], room: Self.household, seq: 12)
      #expect(answer == ["version": 44, "id": "0d"])
      let patch: JSON = ["notes": ["0d": ["text": "Milk is out"]]]
      #expect(await client.state(of: Self.household)?.state == patch)
      #expect(
        await events.next() == .patch(RoomPatch(from: 43, version: 44, at: Sample.at, by: Sample.ana, patch: patch)))

      // A second reader starts with the known state, without asking the server.
      var others = try await client.subscribe(Self.household).makeAsyncIterator()
      let known = RoomSnapshot(epoch: "k3", version: 44, state: patch)
      #expect(await others.next() == .state(known, reason: "new"))

      #expect(
        server.received == [
          .call(
            method: "hello", id: 1,
            parameters: ["token": "secret", "app": "test", "client": .string(Self.installation.description)]),
          .call(method: "room.subscribe", id: 2, parameters: ["room": .string(Self.household)]),
          .call(
            method: "notes.add", id: 3,
            parameters: ["room": .string(Self.household), "seq": 12, "text": "Milk is out"]),
        ])
      #expect(Set(server.seenMasks).count == 3, "each frame has its own mask")
    }
  }

  @Test("a refused call throws, and the connection continues")
  func refusal() async throws {
    try await Self.connected(script: Self.household1) { client, _ in
      let error = ServerError(code: 3, message: "No.", reason: "room", data: ["reason": "room"])
      await #expect(throws: ClientError.server(error)) { _ = try await client.subscribe("me") }
      await #expect(throws: ClientError.parametersNotAnObject) { try await client.call("x", 7) }
      let greeting = try await client.hello()
      #expect(greeting.me == Sample.ana)
    }
  }

  @Test("a connection signs up and logs in", arguments: ["auth.signUp", "auth.logIn"])
  func accounts(method: String) async throws {
    let script: ScriptedServer.Responder = { received in
      guard case .call(method, let id, let parameters) = received, parameters["password"] == "correct horse",
        parameters["deviceToken"] == (method == "auth.logIn" ? "d0" : nil)
      else {
        return []
      }
      let session = "5e000000-0000-4000-8000-000000000001"
      return [Self.result(id, #"{"me":"\#(Sample.ana)","session":"\#(session)","token":"t0","deviceToken":"d1"}"#)]
    }
    try await Self.connected(script: script) { client, server in
      let login =
        method == "auth.logIn"
        ? try await client.logIn(email: "a@b.example", password: "correct horse", deviceToken: "d0")
        : try await client.signUp(email: "a@b.example", password: "correct horse", name: "Ana", birthday: "1998-02-28")
      #expect(login.me == Sample.ana)
      #expect(login.token == "t0" && login.deviceToken == "d1")
    }
  }

  @Test("compressed messages are inflated, with a context if the server keeps one", arguments: [true, false])
  func compression(keepsContext: Bool) async throws {
    let script: ScriptedServer.Responder = { received in
      guard case .call(_, let id, _) = received else { return [] }
      return [
        .compressed(#"{"jsonrpc":"2.0","id":\#(id),"result":{"text":"\#(String(repeating: "ab", count: 9999))"}}"#)
      ]
    }
    try await Self.connected(deflate: keepsContext ? .asOffered : .stateless, script: script) { client, _ in
      for _ in 0..<2 {
        let answer = try await client.call("a")
        #expect(answer["text"]?.string?.utf8.count == 19998)
      }
    }
  }

  @Test("a connection answers pings")
  func pings() async throws {
    let id = Locked(0)
    let script: ScriptedServer.Responder = { received in
      switch received {
      case .call(_, let number, _):
        id.withLock { $0 = number }
        return [.ping("are you there?")]
      case .pong(let text): return [Self.result(id.withLock { $0 }, #"{"pong":"\#(text)"}"#)]
      case .close, .end: return []
      }
    }
    try await Self.connected(script: script) { client, _ in
      let answer = try await client.call("a")
      #expect(answer == ["pong": "are you there?"])
    }
  }

  // MARK: ends

  @Test("when the server closes, calls fail, streams end, and the reason is reported")
  func serverCloses() async throws {
    let script: ScriptedServer.Responder = { received in
      if case .call("x", _, _) = received { return [.close(4005, "overloaded")] }
      return Self.household1(received)
    }
    try await Self.connected(script: script) { client, server in
      let events = try await client.subscribe(Self.household)
      let reason = ClientError.closedByServer(code: 4005, reason: "overloaded")
      let call = Task { try await client.call("x") }
      var count = 0
      for await _ in events { count += 1 }
      #expect(count == 1)
      await #expect(throws: reason) { try await call.value }
      #expect(await client.ended() == reason)
      await #expect(throws: reason) { try await client.call("y") }
      #expect(await client.state(of: Self.household)?.version == 43, "the known state is kept")
      await client.close()
      #expect(await client.ended() == reason, "closing afterwards does not change the reason")
    }
  }

  @Test("the announced reason for a close is reported")
  func announcedEnds() async throws {
    let script: ScriptedServer.Responder = { received in
      switch received {
      case .call("out", _, _):
        [Self.notify("session.ended", #"{"reason":"revoked"}"#), .close(4102, "revoked")]
      case .call("leave", _, _): [Self.notify("server.leaving", #"{"reconnectAfter":1800}"#), .close(4001, "")]
      case .call, .pong, .close, .end: []
      }
    }
    for (method, reason) in [
      ("out", ClientError.sessionEnded(reason: "revoked")), ("leave", .leaving(reconnectAfter: .milliseconds(1800))),
    ] {
      try await Self.connected(script: script) { client, server in
        await #expect(throws: reason) { try await client.call(method) }
      }
    }
  }

  @Test(
    "a protocol violation of the server closes the connection with the right code",
    arguments: [
      (ScriptedServer.Step.text("{"), UInt16(1002)), (.bytes([0x81, 0x80, 0, 0, 0, 0]), 1002),
      (.bytes([0x82, 0x01, 0x00]), 1003), (.bytes([0x81, 0x01, 0xFF]), 1007), (.bytes([0xC1, 0x01, 0x00]), 1002),
      (.bytes([0x81, 0x7F, 0, 0, 0, 1, 0, 0, 0, 0]), 1009),
    ])
  func serverErrs(step: ScriptedServer.Step, code: UInt16) async throws {
    let closeCode = Locked<UInt16?>(nil)
    let script: ScriptedServer.Responder = { received in
      if case .close(let code) = received { closeCode.withLock { $0 = code } }
      if case .call = received { return [step] }
      return []
    }
    try await Self.connected(script: script) { client, server in
      let error = await #expect(throws: ClientError.self) { try await client.call("a") }
      guard case .malformed? = error else {
        Issue.record("\(String(describing: error))")
        return
      }
      await client.close()
      await server.stop()
      #expect(closeCode.withLock { $0 } == code)
    }
  }

  @Test("a broken connection is reported as lost")
  func drop() async throws {
    let script: ScriptedServer.Responder = { if case .call = $0 { [.drop] } else { [] } }
    try await Self.connected(script: script) { client, _ in
      await #expect(throws: ClientError.lost) { try await client.call("a") }
    }
  }

  @Test("the client gives up a server that is silent for too long")
  func silence() async throws {
    var options = ServerConnection.Options()
    options.silenceLimit = .milliseconds(60)
    // The script answers no call, and the scripted server never answers pings.
    let script: ScriptedServer.Responder = { _ in [] }
    try await Self.connected(options: options, script: script) { client, _ in
      await #expect(throws: ClientError.silent) { try await client.call("a") }
    }
  }

  @Test("`close` sends a close frame, and later calls fail")
  func close() async throws {
    try await Self.connected(script: Self.household1) { client, server in
      let events = try await client.subscribe(Self.household)
      await client.close()
      #expect(server.received.contains(.close(1000)))
      for await event in events {
        if case .state = event { continue }
        Issue.record("\(event)")
      }
      await #expect(throws: ClientError.closed) { try await client.call("a") }
      #expect(await client.ended() == .closed)
    }
  }

  @Test("releasing a connection closes it")
  func letGo() async throws {
    let (received, continuation) = AsyncStream.makeStream(of: ScriptedServer.Event.self)
    let server = try ScriptedServer { event in
      continuation.yield(event)
      return []
    }
    _ = try await Self.connect(server)
    var events = received.makeAsyncIterator()
    #expect(await events.next() == .close(1000))
    #expect(await events.next() == .end)
    await server.stop()
  }

  @Test("the reason why a connection cannot be made is thrown")
  func unreachable() async throws {
    let server = try ScriptedServer { _ in [] }
    let elsewhere = Endpoint(host: "127.0.0.1", port: server.port, path: "/elsewhere")
    await #expect(throws: ClientError.refused(.notFound)) {
      try await ServerConnection.connect(to: elsewhere, client: Self.installation)
    }
    await server.stop()
    let error = await #expect(throws: ClientError.self) { _ = try await Self.connect(server) }
    guard case .unreachable(.failed)? = error else {
      Issue.record("\(String(describing: error))")
      return
    }

    var options = ServerConnection.Options()
    options.connectLimit = .milliseconds(50)
    let mute = try ScriptedServer(upgrades: false) { _ in [] }
    await #expect(throws: ClientError.unreachable(.timedOut)) { _ = try await Self.connect(mute, options) }
    await mute.stop()
  }
}
