import Crypto
import Foundation
import HearthClient
import JSON
import Platform
import Rooms
import Server
import TestSupport
import Testing

/// The client library against the real server: SYN-2, SYN-3, SYN-10, SYN-11, NFR-1, SEC-8.
@Suite("Client library", .serialized)
struct ClientTests {
  /// Creates a household on files in `folder` and returns its room and the members' tokens.
  static func household(in folder: URL, _ names: String...) async throws -> (room: String, tokens: [String]) {
    let server = try await TestServer.start(in: folder)
    var members: [Member] = []
    for name in names { members.append(try await server.member(name)) }
    let room = try await members[0].makeHousehold()
    try await members[0].letIn(Array(members.dropFirst()), to: room)
    await server.stop()
    return (room, members.map(\.token))
  }

  static func withFolder(_ body: (URL) async throws -> Void) async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "hearth-client-\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    try await body(folder)
  }

  /// Returns a port that is free at the moment.
  static func freePort(_ folder: URL) async throws -> UInt16 {
    let server = try await ServerProcess.start(data: folder)
    await server.stop()
    return server.port
  }

  static func client(
    _ port: UInt16, token: String, _ folder: URL, saving: Duration = .seconds(5)
  ) throws -> HearthClient {
    var options = HearthClient.Options()
    options.backoff.base = .milliseconds(20)
    options.backoff.cap = .milliseconds(300)
    options.saveInterval = saving
    return try HearthClient(
      Endpoint(host: "127.0.0.1", port: port), token: token, files: try FolderFiles(path: folder.path),
      options: options)
  }

  static func serve(_ folder: URL, on port: UInt16) async throws -> ServerProcess {
    try await ServerProcess.start(data: folder, port: port, arguments: ["--loops", "2"])
  }

  /// Waits until a room's document fulfils a condition.
  static func wait(
    _ client: HearthClient, _ room: String, _ what: String, until isReached: (RoomDocument) -> Bool
  ) async throws {
    let deadline = ContinuousClock.now + .seconds(60)
    while ContinuousClock.now < deadline {
      if let document = await client.document(of: room), isReached(document) { return }
      try await Task.sleep(for: .milliseconds(10))
    }
    let document = await client.document(of: room)
    throw Unexpected("\(what); version \(document?.confirmed.version ?? -1), \(document?.pending.count ?? -1) pending")
  }

  // MARK: restarts

  /// The number of kills; `script/kill` may set a higher one.
  static let kills = ProcessInfo.processInfo.environment["HEARTH_KILLS"].flatMap { Int($0) } ?? 4

  /// A member who counts in four notes and adds groceries, and whose program is killed now and then.
  private final class Writer: @unchecked Sendable {
    // @unchecked: the test and one of its tasks use it alternately.
    let name: String
    let token: String
    let port: UInt16
    let folder: URL
    let room: String
    var client: HearthClient
    let notes = (0..<4).map { _ in newID() }
    var groceries: [String] = []
    /// The number of accepted changes.
    var count = 0
    private let refused = Locked<[String]>([])
    private var listening: Task<Void, Never>?

    init(_ name: String, token: String, port: UInt16, folder: URL, room: String) async throws {
      self.name = name
      self.token = token
      self.port = port
      self.folder = folder
      self.room = room
      client = try ClientTests.client(port, token: token, folder, saving: .milliseconds(50))
      try await begin()
    }

    func begin() async throws {
      let events = client.events()
      listening = Task { [refused] in
        for await event in events {
          guard case .refused(let change, let error) = event else { continue }
          refused.withLock { $0.append("\(change.parameters.text): \(error)") }
        }
      }
      client.start()
      _ = try await client.follow(room)
    }

    var refusals: [String] { refused.withLock { $0 } }

    /// The text that a note has after all changes so far.
    func text(of note: Int) -> String { "\(name) \((count - 1 - note) / 4 * 4 + note)" }

    func write(for time: Duration) async throws {
      let end = ContinuousClock.now + time
      while ContinuousClock.now < end || count < 4 {
        try await change()
        try await Task.sleep(for: .milliseconds(.random(in: 1...40)))
      }
    }

    private func change() async throws {
      let note = notes[count % 4]
      let text = JSON.string("\(name) \(count)")
      let patch: JSON = ["notes": [note: ["text": text]]]
      let parameters: JSON = ["id": .string(note), "text": text]
      if count < 4 {
        let first = MergePatch.apply(["keep": true], to: parameters)
        _ = try await client.change("notes.add", first, room: room, showing: patch)
      } else {
        _ = try await client.change("notes.edit", parameters, room: room, showing: patch)
      }
      count += 1
      // The document shows the change at once, whatever has arrived from the server.
      if let document = await client.document(of: room) { #expect(document.state["notes"]?[note]?["text"] == text) }
      if count % 8 == 0, groceries.count < 100 {
        let id = newID()
        _ = try await client.change("groceries.add", ["id": .string(id), "name": text], room: room)
        groceries.append(id)
      }
    }

    /// Restores the folder as a kill would leave it: its content from before the client was closed.
    func killAndRestart() async throws {
      let copy = folder.deletingLastPathComponent().appending(path: "copy-\(UUID())")
      try FileManager.default.copyItem(at: folder, to: copy)
      await client.close()
      await listening?.value
      try FileManager.default.removeItem(at: folder)
      try FileManager.default.moveItem(at: copy, to: folder)
      let id = client.id
      client = try ClientTests.client(port, token: token, folder, saving: .milliseconds(50))
      #expect(client.id == id)
      try await begin()
    }
  }

  @Test("SYN-3, SYN-11: while servers and clients are killed, each queued change takes effect exactly once")
  func killed() async throws {
    try await Self.withFolder { folder in
      let (room, tokens) = try await Self.household(in: folder, "Ana", "Bo", "Cleo")
      let port = try await Self.freePort(folder)
      var writers: [Writer] = []
      for (name, token) in zip(["Ana", "Bo", "Cleo"], tokens) {
        let own = folder.appending(path: "client-\(name)")
        writers.append(try await Writer(name, token: token, port: port, folder: own, room: room))
      }
      let all = writers
      for kill in 0..<Self.kills {
        let server = try await Self.serve(folder, on: port)
        try await withThrowingTaskGroup(of: Void.self) { group in
          for writer in all { group.addTask { try await writer.write(for: .milliseconds(900)) } }
          try await Task.sleep(for: .milliseconds(.random(in: 200...700)))
          await server.kill()
          // The other writers continue.
          try await group.waitForAll()
        }
        try await all[kill % 3].killAndRestart()
      }

      let server = try await Self.serve(folder, on: port)
      for writer in all {
        let deadline = ContinuousClock.now + .seconds(60)
        while await !writer.client.queued().isEmpty, ContinuousClock.now < deadline {
          try await Task.sleep(for: .milliseconds(20))
        }
        #expect(await writer.client.queued() == [])
        #expect(writer.refusals == [])
      }
      let stranger = try await ServerConnection.connect(to: Endpoint(host: "127.0.0.1", port: port), client: ID())
      _ = try await stranger.hello(token: tokens[0])
      _ = try await stranger.subscribe(room)
      let truth = try #require(await stranger.state(of: room))
      for writer in all {
        try await Self.wait(writer.client, room, "\(writer.name) has what the server has") {
          $0.confirmed.version == truth.version && $0.isCurrent
        }
        let document = try #require(await writer.client.document(of: room))
        #expect(document.state == truth.state && document.pending == [])
        for (index, id) in writer.notes.enumerated() {
          #expect(
            truth.state["notes"]?[id]?["text"]?.string == writer.text(of: index), "no change is lost or reordered")
        }
        for id in writer.groceries { #expect(truth.state["groceries"]?[id] != nil, "no change is lost") }
      }
      // One version per change, and four for founding, the code, and two members who joined.
      let count = all.reduce(0) { $0 + $1.count + $1.groceries.count }
      #expect(Int(truth.version) == count + 4, "no change takes effect twice")
      print("\(Self.kills) kills of server and client each, \(count) changes, version \(truth.version)")
      await stranger.close()
      for writer in all { await writer.client.close() }
      await server.stop()
    }
  }

  @Test("SYN-10: clients of a stopping server reconnect at the announced time and receive only missed changes")
  func drained() async throws {
    try await Self.withFolder { folder in
      let (room, tokens) = try await Self.household(in: folder, "Ana")
      let port = try await Self.freePort(folder)
      let first = try await Self.serve(folder, on: port)
      let client = try Self.client(port, token: tokens[0], folder.appending(path: "client"))
      let events = client.events()
      let greeting = try await client.connect()
      #expect(greeting.rooms.contains(room))
      var changes = try await client.follow(room).makeAsyncIterator()
      guard case .state? = await changes.next() else { throw Unexpected("no state") }
      await first.stop()
      let second = try await Self.serve(folder, on: port)
      var delay = Duration.zero
      var connections = 0
      for await event in events {
        if case .disconnected(.leaving(let wanted), let wait) = event {
          #expect(wait == wanted && wait < Configuration().returnSpread)
          delay = wait
        }
        if case .connected = event { connections += 1 }
        if connections == 2 { break }
      }
      #expect(delay > .zero)
      let change = try await client.change("notes.add", ["text": "Back"], room: room)
      let answer = try await change.answer
      #expect(answer["version"] != nil)
      var next = await changes.next()
      // On a slow machine a tick of the old connection may come before.
      next: while true {
        switch next {
        case .live?, .tick?: next = await changes.next()
        default: break next
        }
      }
      guard case .patch? = next else {
        throw Unexpected("not a patch of the missed changes: \(String(describing: next))")
      }
      await client.close()
      await second.stop()
    }
  }

  @Test(
    "SYN-3: a change by `hearth call` takes effect once, even if the server is killed during it and restarted",
    arguments: ["beforeCommit:1", "afterCommit:1"])
  func command(point: String) async throws {
    try await Self.withFolder { folder in
      let (room, tokens) = try await Self.household(in: folder, "Ana")
      let port = try await Self.freePort(folder)
      let dying = try await ServerProcess.start(
        data: folder, port: port, arguments: ["--loops", "1"], crashAt: point)
      let call = try Program(
        ["call", "notes.add", #"{"text":"Milk is out"}"#, "--room", room, "--url", "ws://127.0.0.1:\(port)/sync"],
        token: tokens[0])
      #expect(await dying.wasKilled)
      let server = try await Self.serve(folder, on: port)
      let version = try await call.line { $0.contains("version") }
      #expect(version == #"  "version": 2"#, "once")
      #expect(await call.wait() == 0)
      #expect(try call.errors.contains("Retrying in "))
      await server.stop()
    }
  }

  @Test("the example in the client's documentation works")
  func example() async throws {
    try await Self.withFolder { temporary in
      let (room, tokens) = try await Self.household(in: temporary, "Ana")
      let port = try await Self.freePort(temporary)
      let server = try await Self.serve(temporary, on: port)
      let endpoint = Endpoint(host: "127.0.0.1", port: port)
      let (token, folder) = (tokens[0], temporary.appending(path: "client").path)
      let (shown, show) = Self.shown()

      // Copied from the documentation.
      let files = try FolderFiles(path: folder)
      let client = try HearthClient(endpoint, token: token, files: files)
      client.start()

      // The stored document at once, then every change while the task runs.
      Task { for await document in try await client.documents(of: room) { show(document.state["notes"]) } }

      // On disk and shown when this returns, with or without a connection.
      let note = UUID().uuidString.lowercased()
      let change = try await client.change(
        "notes.add", ["id": .string(note), "text": "Milk is out"], room: room,
        showing: ["notes": [note: ["text": "Milk is out"]]])
      // The server's answer, as soon as there is one.
      let answer = try await change.answer

      #expect(answer["id"]?.string == note)
      for await notes in shown where notes?[note]?["author"] != nil { break }
      await client.close()
      await server.stop()
    }
    let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    let folder = root.appending(path: "Sources/HearthClient/HearthClient.swift")
    let test = try String(contentsOf: URL(filePath: #filePath), encoding: .utf8).components(separatedBy: "\n")
    let lines = try String(contentsOf: folder, encoding: .utf8).components(separatedBy: "\n")
      .filter { $0.hasPrefix("///     ") }.map { $0.dropFirst(8) }
    #expect(lines.count > 8)
    for line in lines { #expect(test.contains("      \(line)"), "this line of the example is not tested: \(line)") }
  }

  private static func shown() -> (AsyncStream<JSON?>, @Sendable (JSON?) -> Void) {
    let (stream, continuation) = AsyncStream.makeStream(of: JSON?.self)
    return (stream, { continuation.yield($0) })
  }

  // MARK: the folder

  @Test("SEC-8: a started client shows stored documents with its own changes while offline, and resumes later")
  func offlineStart() async throws {
    try await Self.withFolder { folder in
      let (room, tokens) = try await Self.household(in: folder, "Ana")
      let port = try await Self.freePort(folder)
      let own = folder.appending(path: "client")
      var server = try await Self.serve(folder, on: port)
      var client = try Self.client(port, token: tokens[0], own)
      try await client.connect()
      _ = try await client.follow(room)
      _ = try await client.change("notes.add", ["text": "Milk is out"], room: room).answer
      try await Self.wait(client, room, "the note") { $0.confirmed.version == 2 }
      await server.kill()
      _ = try await client.change("households.x", room: nil)
      let id = newID()
      _ = try await client.change(
        "notes.add", ["id": .string(id), "text": "Offline"], room: room, showing: ["notes": [id: ["text": "Offline"]]])
      await client.close()
      for file in try FileManager.default.contentsOfDirectory(atPath: own.path) {
        let attributes = try FileManager.default.attributesOfItem(atPath: own.appending(path: file).path)
        #expect(attributes[.posixPermissions] as? Int == 0o600, "\(file)")
      }

      client = try Self.client(port, token: tokens[0], own)
      #expect(throws: FileError(name: own.path, reason: .inUse)) { try FolderFiles(path: own.path) }
      #expect(await client.queued().map(\.method) == ["households.x", "notes.add"])
      let events = client.events()
      var changes = try await client.follow(room).makeAsyncIterator()
      guard case .state(_, "kept")? = await changes.next() else { throw Unexpected("no stored state") }
      let document = try #require(await client.document(of: room))
      let texts = document.state["notes"]?.object?.values.compactMap { $0["text"]?.string }.sorted()
      #expect(texts == ["Milk is out", "Offline"] && !document.isCurrent && document.pending.count == 1)
      await #expect(throws: ClientError.self) { try await client.connect() }

      server = try await Self.serve(folder, on: port)
      // A refusal is reported even if no caller waits for it.
      var told: [String] = []
      for await event in events {
        if case .refused(let change, .server(let error)) = event { told.append("\(change.method) \(error.code)") }
        if case .answered(let change, _) = event { told.append("\(change.method)") }
        if told.count == 2 { break }
      }
      #expect(told == ["households.x -32601", "notes.add"])
      try await Self.wait(client, room, "all is confirmed") {
        $0.isCurrent && $0.pending == [] && $0.state["notes"]?[id]?["author"] != nil
      }
      var isWholeAgain = false
      await client.close()
      while let event = await changes.next() { if case .state = event { isWholeAgain = true } }
      #expect(!isWholeAgain, "the client resumes instead of loading the whole state")
      await server.stop()
    }
  }

  @Test("ACC-14, SEC-8: when the session is revoked, all its data is removed from disk, and callers are notified")
  func revoked() async throws {
    try await Self.withFolder { folder in
      let (room, tokens) = try await Self.household(in: folder, "Ana")
      let port = try await Self.freePort(folder)
      let own = folder.appending(path: "client")
      let server = try await Self.serve(folder, on: port)
      let client = try Self.client(port, token: tokens[0], own, saving: .milliseconds(10))
      let events = client.events()
      try await client.connect()
      var changes = try await client.follow(room).makeAsyncIterator()
      _ = try await client.change("notes.add", ["text": "Secret", "keep": true], room: room).answer
      while try !FileManager.default.contentsOfDirectory(atPath: own.path).contains(where: { $0.hasPrefix("room-") }) {
        try await Task.sleep(for: .milliseconds(10))
      }
      let elsewhere = try await ServerConnection.connect(to: Endpoint(host: "127.0.0.1", port: port), client: ID())
      _ = try await elsewhere.hello(token: tokens[0])
      _ = try await elsewhere.call("auth.logOut")
      await elsewhere.close()
      let end = ClientError.sessionEnded(reason: "loggedOut")
      #expect(await events.first { if case .stopped = $0 { true } else { false } } == .stopped(end, isWiped: true))
      var last: RoomEvent?
      while let event = await changes.next() { last = event }
      #expect(last == .closed(reason: "sessionEnded"))
      #expect(await client.document(of: room) == nil)
      await #expect(throws: end) { try await client.connect() }
      await #expect(throws: end) { try await client.change("notes.add", ["text": "More"], room: room) }
      let files = try FileManager.default.contentsOfDirectory(atPath: own.path).sorted()
      #expect(files == ["lock", "queue"])
      let queue = try String(contentsOf: own.appending(path: "queue"), encoding: .utf8)
      #expect(!queue.contains("Secret") && queue.contains(client.id.description))
      await client.close()
      await server.stop()
    }
  }
}
