import Foundation
import JSON
import Testing

/// SYN-3, SYN-4: a process killed between any two steps of a change loses nothing visible and repeats nothing.
@Suite("kill -9 between any two steps")
struct KillTests {
  /// A folder with Ana's account and household, created once; each test works on a copy.
  struct Prepared: Sendable {
    let folder: URL
    let token: String
    let room: String

    static let shared = Task<Prepared, any Error> {
      let folder = FileManager.default.temporaryDirectory.appending(path: "hearth-prepared-\(UUID())")
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      let server = try await TestServer.start(in: folder)
      let (room, members) = try await server.household("Ana")
      await server.stop()
      return Prepared(folder: folder, token: members[0].token, room: room)
    }

    func copy() throws -> URL {
      let copy = FileManager.default.temporaryDirectory.appending(path: "hearth-killed-\(UUID())")
      try FileManager.default.copyItem(at: folder, to: copy)
      return copy
    }

    func client(on port: UInt16) async throws -> TestClient {
      let client = try await TestClient.connect(port: port)
      client.id = "0c11e0c1-0000-4000-8000-000000000001"
      try await client.call("hello", ["token": .string(token), "client": .string(client.id)])
      return client
    }
  }

  @Test(
    "a note added while the server is killed takes effect once",
    arguments: ["beforeCommit:1", "afterCommit:1", "afterTelling:1", "beforeCommit:2"])
  func note(point: String) async throws {
    let prepared = try await Prepared.shared.value
    let folder = try prepared.copy()
    defer { try? FileManager.default.removeItem(at: folder) }
    let add: [String: JSON] = ["room": .string(prepared.room), "seq": 1, "text": "Milk is out"]

    let dying = try await ServerProcess.start(data: folder, arguments: ["--loops", "1"], crashAt: point)
    var client = try await prepared.client(on: dying.port)
    let before = try await client.call("room.subscribe", ["room": .string(prepared.room)])
    client.post("notes.add", add, id: 900)
    if point == "beforeCommit:2" {
      _ = try await client.next { $0["id"] == 900 }
      client.post("notes.add", ["room": .string(prepared.room), "seq": 2, "text": "never"], id: 901)
    }
    #expect(await dying.wasKilled)
    _ = try await client.closeCode()
    let seen = client.messagesNow.filter { $0["method"] == "room.patch" }
    let answer = client.messagesNow.first { $0["id"] == 900 }
    if point.hasPrefix("afterTelling") { #expect(answer != nil && !seen.isEmpty) }
    if point == "beforeCommit:1" || point == "afterCommit:1" { #expect(answer == nil && seen.isEmpty) }

    let server = try await ServerProcess.start(data: folder)
    client = try await prepared.client(on: server.port)
    let resumed = try await client.call(
      "room.subscribe",
      [
        "room": .string(prepared.room), "epoch": try #require(before["epoch"]),
        "version": try #require(before["version"]),
      ])
    #expect(resumed["state"] == nil, "the client resumes with a patch")
    let isThere = resumed["patch"]?["notes"] != nil
    #expect(isThere == (point != "beforeCommit:1"))

    let again = try await client.call("notes.add", add)
    let version = try #require(before["version"]?.int) + 1
    #expect(again["version"]?.int == version)
    if let answer { #expect(answer["result"] == again) }
    let now = try await client.call("room.subscribe", ["room": .string(prepared.room)])
    #expect(now["version"]?.int == version)
    #expect(now["state"]?["notes"]?.object?.count == 1)
    await server.stop()
  }

  @Test(
    "a household created while the server is killed exists once, in all three of its rooms", arguments: 1...4,
    ["beforeCommit", "afterCommit", "afterTelling"])
  func household(commit: Int, step: String) async throws {
    let prepared = try await Prepared.shared.value
    let folder = try prepared.copy()
    defer { try? FileManager.default.removeItem(at: folder) }
    let id = "5e1f0000-0000-4000-8000-00000000000\(commit)"
    let create: [String: JSON] = [
      "id": .string(id), "seq": 1, "name": "Second", "timeZone": "Europe/Berlin", "currency": "EUR",
    ]

    let dying = try await ServerProcess.start(
      data: folder, arguments: ["--loops", "3"], crashAt: "\(step):\(commit)")
    var client = try await prepared.client(on: dying.port)
    client.post("households.create", create, id: 900)
    var answer: JSON?
    if commit == 4 {
      // Commits of one call may share flushes, and other work of the server may have a flush of its own. If there is
      // no fourth flush, the next call causes it.
      answer = try? await client.next { $0["id"] == 900 }
      for _ in 0..<4 { client.post("settings.edit", ["seq": 2, "muted": .object(["note": true])], id: 901) }
    }
    #expect(await dying.wasKilled)
    _ = try? await client.closeCode()
    answer = answer ?? client.messagesNow.first { $0["id"] == 900 }

    let server = try await ServerProcess.start(data: folder)
    client = try await prepared.client(on: server.port)
    let again = try await client.call("households.create", create)
    #expect(again["household"]?.string == id)
    if let answer { #expect(answer["result"] == again) }
    let me = try await client.call("room.subscribe", ["room": "me"])
    #expect(me["state"]?["households"]?.object?.count == 2)
    let home = try await client.call("room.subscribe", ["room": .string("household/\(id)")])
    #expect(home["state"]?["members"]?.object?.count == 1)
    _ = try await client.call("room.subscribe", ["room": .string("household/\(id)/mine")])
    await server.stop()
  }

  @Test(
    "GRO-1: an item that moves between two rooms during a kill ends up in exactly one of them",
    arguments: ["beforeCommit", "afterCommit"].flatMap { step in (2...4).map { "\(step):\($0)" } }, [true, false])
  func moving(point: String, isShowing: Bool) async throws {
    let prepared = try await Prepared.shared.value
    let folder = try prepared.copy()
    defer { try? FileManager.default.removeItem(at: folder) }
    let (home, mine): (JSON, JSON) = (.string(prepared.room), .string(prepared.room + "/mine"))
    let source = isShowing ? mine : home
    var add: [String: JSON] = ["room": source, "seq": 1, "id": .string(newID()), "name": "Tea"]
    if !isShowing { add["personal"] = true }
    let move: [String: JSON] = [
      "room": source, "seq": 2, "id": try #require(add["id"]), "newId": .string(newID()),
    ]
    let method = isShowing ? "groceries.show" : "groceries.hide"

    let dying = try await ServerProcess.start(data: folder, arguments: ["--loops", "2"], crashAt: point)
    var client = try await prepared.client(on: dying.port)
    try await client.call("groceries.add", add)
    client.post(method, move, id: 900)
    #expect(await dying.wasKilled)
    _ = try? await client.closeCode()
    #expect(!client.messagesNow.contains { $0["id"] == 900 })

    let server = try await ServerProcess.start(data: folder)
    client = try await prepared.client(on: server.port)
    let answer = try await client.call(method, move)
    #expect(answer["id"] == move["newId"])
    #expect(try await client.call(method, move) == answer, "the same call has the same answer")
    for (room, isThere) in [(home, isShowing), (mine, !isShowing)] {
      let state = try await client.call("room.subscribe", ["room": room])["state"]
      let lines = state?["groceries"]?.object ?? [:]
      #expect(lines.keys.map(\.self) == (isThere ? [move["newId"]?.string ?? ""] : []))
      #expect(lines.values.allSatisfy { $0["name"] == "Tea" && $0["was"] == move["id"] })
    }
    await server.stop()
  }
}
