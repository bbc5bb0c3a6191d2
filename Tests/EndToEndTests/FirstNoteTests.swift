import JSON
import Testing

@Suite("One note from socket to disk and back")
struct FirstNoteTests {
  @Test("HH-1, NTE-1, SYN-1: all members receive a note in order, before its author has the answer")
  func note() async throws {
    let server = try await TestServer.start()
    defer { server.end() }
    let (room, members) = try await server.household("Ana", "Bo")
    let (ana, bo) = (members[0], members[1])
    ana.client.post("notes.add", ["room": .string(room), "seq": 1, "text": "Milk is out"], id: 900)
    let patch = try await ana.client.next { $0["method"] == "room.patch" && $0["params"]?["by"]?.string == ana.id }
    let answer = try await ana.client.next { $0["id"] == 900 }
    let version = try #require(answer["result"]?["version"]?.int)
    let id = try #require(answer["result"]?["id"]?.string)
    #expect(patch["params"]?["version"]?.int == version)
    #expect(patch["params"]?["patch"]?["notes"]?[id]?["text"] == "Milk is out")
    let seen = try await bo.client.notification("room.patch") { $0["version"]?.int == version }
    #expect(seen == patch["params"])

    let again = try await ana.client.call(
      "notes.add", ["room": .string(room), "seq": 1, "text": "Milk is out"])
    #expect(again["version"]?.int == version && again["id"]?.string == id)
  }
}
