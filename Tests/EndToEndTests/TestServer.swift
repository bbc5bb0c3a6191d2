import Foundation
import JSON
import Platform
import Rooms
import Server
import Storage
import Testing
import Transport

@testable import hearth

/// A whole server on a port of its own, with a database in a folder of its own.
final class TestServer: Sendable {
  let node: Node
  let folder: URL

  var port: UInt16 { node.port }

  private init(node: Node, folder: URL) {
    self.node = node
    self.folder = folder
  }

  /// Runs `body` with a fresh server, and with one that starts again from the same files wherever it asks for that.
  static func run(
    _ change: (inout Node.Options) -> Void = { _ in }, _ body: (TestServer) async throws -> Void
  ) async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "hearth-\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let server = try await start(in: folder, change)
    do {
      try await body(server)
    } catch {
      await server.node.stop()
      throw error
    }
    await server.node.stop()
  }

  static func start(in folder: URL, _ change: (inout Node.Options) -> Void = { _ in }) async throws -> TestServer {
    var options = Node.Options(path: folder.appending(path: "hearth.db").path, port: 0)
    options.log = { print("server: \($0)") }
    // A busy machine may take its time; what happens at the limit has a test of its own.
    options.configuration.helloTimeout = .seconds(60)
    change(&options)
    return TestServer(node: try await Node.start(options), folder: folder)
  }

  func stop() async { await node.stop() }

  /// A new connection, upgraded.
  func connect() async throws -> TestClient { try await TestClient.connect(port: port) }

  /// Somebody with an account who has said hello.
  func member(_ name: String, email: String? = nil) async throws -> Member {
    let client = try await connect()
    let address = email ?? "\(name.lowercased())-\(UUID().uuidString.prefix(8).lowercased())@example.org"
    let account = try await client.call(
      "auth.signUp", ["email": .string(address), "password": "correct horse", "name": .string(name)])
    let member = Member(
      client: client, name: name, email: address, id: try #require(account["me"]?.string),
      token: try #require(account["token"]?.string))
    try await member.hello()
    return member
  }

  /// Several people in one household, the first of them its host, all watching it.
  func household(_ names: String...) async throws -> (room: String, members: [Member]) {
    let host = try await member(names[0])
    let id = UUID().uuidString.lowercased()
    _ = try await host.client.call(
      "households.create", ["id": .string(id), "name": "Elm Street", "timeZone": "Europe/Berlin", "currency": "EUR"])
    let room = "household/\(id)"
    var members = [host]
    if names.count > 1 {
      let code = try await host.client.call("joinCodes.create", ["room": .string(room)])
      for name in names.dropFirst() {
        let member = try await member(name)
        _ = try await member.client.call("households.join", ["code": try #require(code["code"])])
        members.append(member)
      }
    }
    for member in members { _ = try await member.client.call("room.subscribe", ["room": .string(room)]) }
    return (room, members)
  }
}

struct Member {
  let client: TestClient
  let name: String
  let email: String
  let id: String
  let token: String

  @discardableResult
  func hello() async throws -> JSON {
    try await client.call("hello", ["token": .string(token), "client": .string(client.id)])
  }

  /// The same person on another connection, as the same client unless another is named.
  func again(on server: TestServer, client id: String? = nil) async throws -> Member {
    let other = try await server.connect()
    other.id = id ?? client.id
    let member = Member(client: other, name: name, email: email, id: self.id, token: token)
    try await member.hello()
    return member
  }
}
