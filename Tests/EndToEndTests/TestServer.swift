import Foundation
import JSON
import Platform
import Rooms
import Server
import Storage
import Testing
import Transport

@testable import HearthCommand

/// A whole server with its own port and its own folder.
final class TestServer: Sendable {
  private struct Running: Sendable {
    var node: Node
    var directory: any Directory
  }

  /// Receives the node's directory while the node starts.
  private final class Found: Sendable {
    let directory = Locked<(any Directory)?>(nil)
  }

  let folder: URL
  private let running: Locked<Running?>
  private let lines = Lines()

  private init(folder: URL) {
    self.folder = folder
    running = Locked(nil)
  }

  var port: UInt16 { running.withLock { $0?.node.port } ?? 0 }

  /// The accounts, for direct access; `nil` while the server is not running.
  var directory: (any Directory)? { running.withLock { $0?.directory } }

  /// The server's log so far.
  var log: [String] { lines.all.withLock { $0 } }

  private final class Lines: Sendable {
    let all = Locked<[String]>([])
  }

  /// Starts a server, which the test must end.
  ///
  /// A test is one function, without a closure around its body. Inside such a closure Swift 6.3 calls the wrong closure
  /// when one inside of `#expect` or `#require` is followed by one outside.
  static func start(_ change: (inout Node.Options) -> Void = { _ in }) async throws -> TestServer {
    let folder = root.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    return try await start(in: folder, change)
  }

  /// The parent folder of all servers of this process; removed when the process ends.
  private static let root: URL = {
    atexit {
      _ = TestServer.ending.wait(timeout: .now() + 10)
      try? FileManager.default.removeItem(at: TestServer.root)
    }
    return FileManager.default.temporaryDirectory.appending(path: "hearth-tests-\(getpid())")
  }()

  static func start(in folder: URL, _ change: (inout Node.Options) -> Void = { _ in }) async throws -> TestServer {
    let server = TestServer(folder: folder)
    try await server.start(change)
    return server
  }

  /// By default more than one, so that most rooms are on another loop than their subscribers.
  private static let loopCount = ProcessInfo.processInfo.environment["HEARTH_TEST_LOOPS"].flatMap { Int($0) } ?? 3

  /// Servers that are stopping.
  private static let ending = DispatchGroup()

  /// Stops the server without waiting; the end of the process waits.
  func end() {
    Self.ending.enter()
    Task.detached {
      await self.stop()
      Self.ending.leave()
    }
  }

  /// Starts on the existing files of the folder.
  private func start(_ change: (inout Node.Options) -> Void) async throws {
    var options = Node.Options(path: folder.appending(path: "hearth.db").path, port: 0)
    options.log = Logger(from: .debug) { [lines] event in
      let line = LogFormat.text.line(event, at: .now)
      lines.all.withLock { $0.append(line) }
      if event.level >= .warning { print("server: \(line)") }
    }
    options.loopCount = Self.loopCount
    // A machine that is busy with other tests must not look like a silent client.
    options.configuration.helloTimeout = .seconds(60)
    change(&options)
    let found = Found()
    let wrap = options.wrap
    options.wrap = { store in
      found.directory.withLock { $0 = store as? any Directory }
      return wrap(store)
    }
    let node = try await Node.start(options)
    let opened = found.directory.withLock { $0 }
    let directory = try #require(opened)
    running.withLock { $0 = Running(node: node, directory: directory) }
  }

  /// Stops the server; further calls have no effect.
  func stop() async {
    let node = running.withLock { running in
      defer { running = nil }
      return running?.node
    }
    await node?.stop()
  }

  /// Stops the server and starts it on the same files and another port.
  func restart(_ change: (inout Node.Options) -> Void = { _ in }) async throws {
    await stop()
    try await start(change)
  }

  /// Opens a new WebSocket connection.
  func connect() async throws -> TestClient { try await TestClient.connect(port: port) }

  /// Creates several people in one household, the first as its host, all watching it.
  func household(_ names: String...) async throws -> (room: String, members: [Member]) {
    let host = try await member(names[0])
    let room = try await host.makeHousehold()
    var members = [host]
    for name in names.dropFirst() { members.append(try await member(name)) }
    try await host.letIn(Array(members.dropFirst()), to: room)
    for member in members { try await member.call("room.subscribe", in: room) }
    return (room, members)
  }
}
