import HearthClient
import JSON
import Platform
import Rooms
import Testing

/// SYN-11: the client on real sockets and files, against a scripted server.
@Suite("Client over a loopback socket", .timeLimit(.minutes(5)))
struct HearthClientTests {
  static let household = ServerConnectionTests.household

  static func client(
    _ port: UInt16, _ files: any ClientFiles = MemoryFiles(), _ change: (inout HearthClient.Options) -> Void = { _ in }
  ) throws -> HearthClient {
    var options = HearthClient.Options()
    options.backoff.base = .milliseconds(5)
    options.backoff.cap = .milliseconds(20)
    change(&options)
    return try HearthClient(Endpoint(host: "127.0.0.1", port: port), token: "secret", files: files, options: options)
  }

  @Test("the client follows a room, changes it and calls a method; releasing it closes the connection")
  func conversation() async throws {
    let (received, continuation) = AsyncStream.makeStream(of: ScriptedServer.Event.self)
    let server = try ScriptedServer { event in
      continuation.yield(event)
      return ServerConnectionTests.household1(event)
    }
    var client: HearthClient? = try Self.client(server.port) { $0.app = "test" }
    let greeting = try await client?.connect()
    #expect(greeting?.me == Sample.ana)
    #expect(try await client?.connect() == greeting, "already connected")
    var events = try #require(try await client?.follow(Self.household)).makeAsyncIterator()
    let whole = RoomSnapshot(epoch: "k3", version: 43, state: ["notes": [:]])
    #expect(await events.next() == .state(whole, reason: "new"))
    let change = try await client?.change("notes.add", ["text": "Milk is out"], room: Self.household)
    #expect(try await change?.answer == ["version": 44, "id": "0d"])
    #expect(await client?.document(of: Self.household)?.state == ["notes": ["0d": ["text": "Milk is out"]]])
    let id = try #require(client?.id)
    client = nil
    var all: [ScriptedServer.Event] = []
    for await event in received {
      all.append(event)
      if event == .end { break }
    }
    #expect(
      all == [
        .call(
          method: "hello", id: 1,
          parameters: ["token": "secret", "app": "test", "client": .string(id.description)]),
        .call(method: "room.subscribe", id: 2, parameters: ["room": .string(Self.household)]),
        .call(
          method: "notes.add", id: 3,
          parameters: ["room": .string(Self.household), "seq": 1, "text": "Milk is out"]),
        .close(1000), .end,
      ])
    await server.stop()
  }

  @Test("the client reconnects after every kind of disconnection and sends unanswered changes again")
  func hostileServer() async throws {
    let step = Locked(0)
    let script: ScriptedServer.Responder = { received in
      guard case .call(let method, let id, _) = received else { return [] }
      if method == "hello" { return [ServerConnectionTests.result(id, ServerConnectionTests.greeting)] }
      switch step.withLock({ step in
        step += 1
        return step
      }) {
      case 1: return [.drop]
      case 2: return [.text("{")]
      case 3: return [.close(4005, "overloaded")]
      case 4: return [.bytes([0xFF, 0xFF])]
      case 5:
        return [ServerConnectionTests.notify("server.leaving", #"{"reconnectAfter":10}"#), .close(4001, "leaving")]
      default: return [ServerConnectionTests.result(id, #"{"version":1}"#)]
      }
    }
    let server = try ScriptedServer(script)
    let client = try Self.client(server.port)
    let events = client.events()
    client.start()
    let change = try await client.change("notes.add", ["text": "Milk is out"], room: Self.household)
    #expect(try await change.answer == ["version": 1])
    await client.close()
    var ends = 0
    for await event in events { if case .disconnected = event { ends += 1 } }
    #expect(ends == 5)
    let sent = server.received.compactMap { received in
      if case .call("notes.add", _, let parameters) = received { parameters } else { nil }
    }
    #expect(sent.count == 6 && Set(sent).count == 1, "the same call with the same number")
    await server.stop()
  }

  @Test("the client leaves a server that is silent for too long, and retries")
  func silence() async throws {
    let server = try ScriptedServer { _ in [] }
    let client = try Self.client(server.port) { $0.connection.silenceLimit = .milliseconds(60) }
    let events = client.events()
    client.start()
    var silences = 0
    for await event in events {
      if case .disconnected(.silent, _) = event { silences += 1 }
      if silences == 2 { break }
    }
    await client.close()
    await server.stop()
  }

  @Test("without a network the client starts and queues changes, and `connect` throws the reason")
  func noNetwork() async throws {
    // The port of TCPMUX (RFC 1078), which has no listener. A port that was just released may be reused by another
    // test.
    let client = try Self.client(1)
    client.start()
    let change = try await client.change("notes.add", ["text": "Milk is out"], room: Self.household)
    #expect(await client.queued() == [change.queued])
    await #expect(throws: ClientError.offline) { try await client.call("activity.list", room: Self.household) }
    let error = await #expect(throws: ClientError.self) { try await client.connect() }
    guard case .unreachable? = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    let waiting = Task { try await change.answer }
    await client.close()
    await #expect(throws: ClientError.closed) { try await waiting.value }
    await #expect(throws: ClientError.closed) { try await client.change("x") }
    #expect(await client.document(of: Self.household) == nil)
    for await _ in client.events() {}
  }

  // MARK: disk

  /// Files on a disk that fails on demand.
  private final class FailingFiles: ClientFiles {
    let files = MemoryFiles()
    /// The number of bytes that can still be written; `nil` for no limit.
    let room = Locked<Int?>(nil)

    private func take(_ bytes: [UInt8]) -> (ArraySlice<UInt8>, Bool) {
      room.withLock { room in
        guard let left = room else { return (bytes[...], true) }
        let written = min(left, bytes.count)
        room = left - written
        return (bytes.prefix(written), written == bytes.count)
      }
    }

    func read(_ name: String) -> [UInt8]? { files.read(name) }
    func append(_ bytes: [UInt8], to name: String) throws(FileError) {
      let (written, isWhole) = take(bytes)
      files.append(Array(written), to: name)
      guard isWhole else { throw FileError(name: name, reason: .system(28)) }
    }
    func replace(_ name: String, with bytes: [UInt8]) throws(FileError) {
      guard take(bytes).1 else { throw FileError(name: name, reason: .system(28)) }
      files.replace(name, with: bytes)
    }
    func remove(_ name: String) { files.remove(name) }
    func sizes() -> [String: Int] { files.sizes() }
    func close() {}
  }

  @Test("on a full disk a change throws and leaves no trace, and later changes succeed", arguments: [0, 1, 30, 60])
  func fullDisk(written: Int) async throws {
    let files = FailingFiles()
    let client = try Self.client(1, files)
    _ = try await client.change("notes.add", ["text": "1"], room: Self.household)
    files.room.withLock { $0 = written }
    for _ in 0..<2 {
      let full = ClientError.storage(FileError(name: "queue", reason: .system(28)))
      let error = await #expect(throws: ClientError.self) { try await client.change("notes.add", ["text": "2"]) }
      let torn = ClientError.storage(FileError(name: "queue", reason: .damaged))
      #expect(error == full || error == torn)
    }
    files.room.withLock { $0 = nil }
    _ = try await client.change("notes.add", ["text": "3"], room: Self.household)
    #expect(await client.queued().map { $0.parameters["text"] } == ["1", "3"])
    await client.close()
    let next = try Self.client(1, files)
    #expect(next.id == client.id)
    #expect(await next.queued().map { $0.parameters["text"] } == ["1", "3"])
    await next.close()
  }

  @Test("a damaged queue is not opened and stays unchanged")
  func damaged() async throws {
    let files = MemoryFiles()
    let client = try Self.client(1, files)
    for text in ["1", "2"] { _ = try await client.change("notes.add", ["text": .string(text)]) }
    await client.close()
    var bytes = try #require(files.read("queue"))
    bytes[60] ^= 1
    files.replace("queue", with: bytes)
    #expect(throws: ClientError.storage(FileError(name: "queue", reason: .damaged))) { try Self.client(1, files) }
    #expect(files.read("queue") == bytes)
  }

  @Test("the queue's file does not grow with finished changes")
  func compaction() async throws {
    let script: ScriptedServer.Responder = { received in
      guard case .call(let method, let id, _) = received else { return [] }
      return [ServerConnectionTests.result(id, method == "hello" ? ServerConnectionTests.greeting : #"{"version":1}"#)]
    }
    let server = try ScriptedServer(script)
    let files = MemoryFiles()
    let client = try Self.client(server.port, files)
    try await client.connect()
    let text = JSON.string(String(repeating: "x", count: 1000))
    for _ in 0..<400 { _ = try await client.change("notes.add", ["text": text], room: Self.household).answer }
    let size = files.read("queue")?.count ?? 0
    #expect(size < 400_000, "\(size)")
    await client.close()
    await server.stop()
  }
}
