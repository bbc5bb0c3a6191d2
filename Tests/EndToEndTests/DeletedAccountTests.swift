import Foundation
import JSON
import Platform
import Rooms
import Testing

@testable import HearthCommand

@Suite("Deleting an account, end to end")
struct DeletedAccountTests {
  @Test("ACC-9: a deleted account ends all its sessions, cannot log in, and frees its address")
  func deletion() async throws {
    let server = try await TestServer.start()
    defer { server.end() }
    let (room, members) = try await server.household("Ana", "Bo")
    let (ana, bo) = (members[0], members[1])
    let home = try await bo.watch(room)
    let tablet = try await ana.logIn(on: server).0
    #expect(try await ana.refusal("auth.deleteAccount").reason == "confirm")
    try await ana.call("auth.confirm", ["password": .string(TestServer.password)])
    #expect(try await tablet.refusal("auth.deleteAccount").reason == "confirm")
    try await ana.call("auth.deleteAccount")
    for client in [ana.client, tablet.client] {
      #expect(try await client.notification("session.ended")["reason"] == "accountDeleted")
      #expect(try await client.closeCode() == 4102)
    }
    try await home.follow { $0["members"]?.object?.count == 1 && $0["former"] != nil }
    #expect(home["former"][ana.id]?["number"] == 1 && home["former"][ana.id]?["name"] == nil)
    #expect(home["household"]["host"]?.string == bo.id)

    try await server.restart()
    let stranger = try await server.connect()
    let login: [String: JSON] = ["email": .string(ana.email), "password": .string(TestServer.password)]
    #expect(try await stranger.refusal("auth.logIn", login).reason == "login")
    let dead = try await stranger.refusal("hello", ["token": .string(ana.token), "client": .string(newID())])
    #expect(dead.reason == "token")
    let again = try await server.connect()
    let fresh = try await again.call("auth.signUp", login.merging(["name": "Anna"]) { $1 })
    #expect(fresh["me"] != nil && fresh["me"]?.string != ana.id)
  }

  @Test("ACC-9: a person who writes to an account that was just deleted learns that it is gone")
  func writtenTo() async throws {
    let gate = Gate()
    let server = try await TestServer.start {
      $0.loopCount = 2
      $0.wrap = { gate.wrap($0) }
    }
    defer { server.end() }
    // The household, which would tell, is on a shard whose commits are held; the people are on the other one.
    let ana = try await server.member("Ana")
    var bo = try await server.member("Bo")
    while Self.shard(of: bo.id) != Self.shard(of: ana.id) { bo = try await server.member("Bo") }
    var room = try await ana.makeHousehold()
    while Self.shard(of: Self.id(in: room)) == Self.shard(of: ana.id) { room = try await ana.makeHousehold() }
    try await ana.letIn([bo], to: room)
    let me = try await ana.watch("me")
    gate.hold(room)
    try await bo.call("auth.confirm", ["password": .string(TestServer.password)])
    try await bo.call("auth.deleteAccount")
    await gate.holdsOne()
    try await ana.call("contacts.invite", ["person": .string(bo.id)])
    try await me.follow { $0["sentContactInvitations"]?.object?.count == 1 }
    try await me.follow { ($0["sentContactInvitations"]?.object ?? [:]).isEmpty }
    gate.release()
  }

  private static func id(in room: String) -> String { String(room.dropFirst("household/".count)) }

  private static func shard(of id: String) -> Int {
    Partitions.shard(of: Partition(of: ID<Thing>(id) ?? ID()), count: 2)
  }

  @Test(
    "ACC-9: a server that is killed while it deletes an account has deleted all of it or nothing",
    arguments: ["beforeCommit:1", "afterCommit:1", "beforeCommit:2", "afterCommit:2", "beforeCommit:3"])
  func killed(point: String) async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "hearth-deleted-\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let made = try await TestServer.start(in: folder)
    let (room, members) = try await made.household("Ana", "Bo")
    try await members[0].call("auth.confirm", ["password": .string(TestServer.password)])
    await made.stop()

    let dying = try await ServerProcess.start(data: folder, arguments: ["--loops", "1"], crashAt: point)
    let client = try await TestClient.connect(port: dying.port)
    try await client.call("hello", ["token": .string(members[0].token), "client": .string(newID())])
    client.post("auth.deleteAccount", [:], id: 900)
    #expect(await dying.wasKilled)

    let server = try await TestServer.start(in: folder)
    defer { server.end() }
    let isDeleted = point != "beforeCommit:1"
    let stranger = try await server.connect()
    let login: [String: JSON] = ["email": .string(members[0].email), "password": .string(TestServer.password)]
    if isDeleted {
      #expect(try await stranger.refusal("auth.logIn", login).reason == "login")
      let home = try await members[1].again(on: server).watch(room)
      try await home.follow { $0["members"]?.object?.count == 1 && $0["former"]?.text.contains("Ana") == false }
    } else {
      try await stranger.call("auth.logIn", login)
      #expect(try await members[1].again(on: server).watch(room)["members"].count == 2)
    }
  }
}
