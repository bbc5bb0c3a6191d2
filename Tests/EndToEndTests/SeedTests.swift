import Foundation
import JSON
import Testing

@Suite("hearth seed")
struct SeedTests {
  private struct Person {
    let token: String
    let id: String
    let room: String
  }

  private let folder = FileManager.default.temporaryDirectory.appending(path: "hearth-seed-\(UUID())")
  private var out: URL { folder.appending(path: "people.jsonl") }
  private var data: URL { folder.appending(path: "data") }

  private func seed(_ arguments: String...) async throws -> Program.Outcome {
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    return try await Program.run(["seed", "--data", data.path, "--out", out.path] + arguments)
  }

  private func people() throws -> [Person] {
    try String(contentsOf: out, encoding: .utf8).split(separator: "\n").map { line in
      let value = try JSON.parse(String(line))
      return Person(
        token: try #require(value["token"]?.string), id: try #require(value["person"]?.string),
        room: "household/\(try #require(value["household"]?.string))")
    }
  }

  private func hello(_ person: Person, port: UInt16) async throws -> TestClient {
    let client = try await TestClient.connect(port: port)
    let answer = try await client.call("hello", ["token": .string(person.token), "client": .string(client.id)])
    #expect(answer["me"]?.string == person.id)
    #expect(answer["rooms"] == .array([.string(person.room), .string("\(person.room)/mine")]))
    return client
  }

  @Test("SYN-8: a server on a seeded folder admits its people, who can change its rooms")
  func server() async throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let outcome = try await seed("--households", "130", "--members", "3", "--notes", "2", "--groceries", "3")
    #expect(outcome.status == 0, "\(outcome)")
    let mode = try FileManager.default.attributesOfItem(atPath: out.path)[.posixPermissions] as? Int
    #expect(mode == 0o600)
    let people = try people()
    #expect(people.count == 390)
    #expect(Set(people.map(\.id)).count == 390)
    #expect(Set(people.map(\.room)).count == 130)

    let server = try await ServerProcess.start(data: data)
    // A member of the first household, and one of the last, which was written in another batch.
    for household in [people.prefix(3), people.suffix(3)] {
      let household = Array(household)
      let room = JSON.string(household[0].room)
      let ana = try await hello(household[0], port: server.port)
      let bo = try await hello(household[1], port: server.port)
      let whole = try await ana.call("room.subscribe", ["room": room])
      let state = try #require(whole["state"])
      #expect(Set(try #require(state["members"]?.object?.keys)) == Set(household.map(\.id)))
      #expect(state["members"]?[household[0].id]?["role"] == "host")
      #expect(state["notes"]?.object?.count == 2)
      #expect(state["groceries"]?.object?.count == 3)
      #expect(state["joinCodes"] == nil, "the code is used up")
      // Founding, one code, two joins, two notes, three items: one version each.
      #expect(whole["version"] == 9)
      let version = try #require(whole["version"]?.int)
      let epoch = try #require(whole["epoch"])
      let resumed = try await bo.call("room.subscribe", ["room": room, "epoch": epoch, "version": 1])
      #expect(resumed["from"] == 1, "older changes were stored with the room")
      #expect(resumed["patch"]?["notes"]?.object?.count == 2)

      let me = try await bo.call("room.subscribe", ["room": "me"])
      #expect(me["state"]?["households"]?.object?.count == 1)
      #expect(me["state"]?["inbox"]?.object?.isEmpty == false)
      let mine = try await bo.call("room.subscribe", ["room": .string("\(household[0].room)/mine")])
      #expect(mine["version"] == 1)

      let added = try await ana.call("notes.add", ["room": room, "seq": 1, "text": "Milk is out"])
      #expect(added["version"]?.int == version + 1)
      let patch = try await bo.notification("room.patch") { $0["room"] == room }
      #expect(patch["from"]?.int == version)
      #expect(patch["patch"]?["notes"]?[try #require(added["id"]?.string)]?["text"] == "Milk is out")
      // Messages between the rooms continue with the numbers after the seeded ones.
      _ = try await bo.notification("room.patch") {
        $0["room"] == "me" && $0["patch"]?["inbox"]?.object?.values.contains { $0["kind"] == "note" } == true
      }
      let joined = try await ana.call(
        "activity.list", ["room": room])["items"]?.array?.filter { $0["kind"] == "joined" }
      #expect(joined?.count == 2)
    }
    await server.stop()
  }

  @Test("NFR-8: a full household of four, with 40 notes and 60 items, takes 64 KB; seeding again adds to the folder")
  func full() async throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    #expect(try await seed("--households", "1", "--members", "1").status == 0)
    let first = try people()
    #expect(try await seed("--households", "1", "--full").status == 0)
    let people = try people()
    #expect(people.count == 4)
    let server = try await ServerProcess.start(data: data)
    _ = try await hello(first[0], port: server.port)
    let client = try await hello(people[3], port: server.port)
    let state = try await client.call("room.subscribe", ["room": .string(people[3].room)])["state"]
    #expect(state?["notes"]?.object?.count == 40)
    #expect(state?["groceries"]?.object?.count == 60)
    let size = try #require(state).text.utf8.count
    #expect(size > 10_000 && size < 64 << 10, "NFR-8 allows 1 MiB")

    let busy = try await seed("--households", "1")
    #expect(busy.status != 0)
    #expect(busy.errors.contains("is open in another process"), "\(busy)")
    #expect(try self.people().count == 4, "existing tokens are kept")
    await server.stop()
  }

  @Test(
    "`hearth seed` names the invalid number",
    arguments: [("--households", "0"), ("--members", "33"), ("--notes", "201"), ("--groceries", "501")])
  func limits(option: String, value: String) async throws {
    let outcome = try await Program.run(["seed", "--out", "/dev/null", option, value])
    #expect(outcome.status == 64)
    #expect(outcome.errors.contains(option), "\(outcome)")
  }

  @Test("`hearth seed` writes the tokens only to a regular file")
  func device() async throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let outcome = try await Program.run(["seed", "--data", data.path, "--out", "/dev/null"])
    #expect(outcome.status == 64)
    #expect(outcome.errors.contains("--out must name a file"), "\(outcome)")
  }
}
