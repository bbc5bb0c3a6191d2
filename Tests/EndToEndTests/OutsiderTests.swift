import JSON
import Rooms
import Testing

/// HH-14, SEC-11, S1.15: an outsider learns nothing about a room, not even that it exists.
@Suite("Outsiders")
struct OutsiderTests {
  @Test("an outsider's numbers are not remembered and may be used after joining")
  func numbers() async throws {
    let server = try await TestServer.start()
    defer { server.end() }
    let (room, members) = try await server.household("Ana")
    let bo = try await server.member("Bo")
    #expect(try await bo.refusal("notes.add", in: room, ["seq": 1, "text": "Let me in"]).code == 3)
    try await members[0].letIn([bo], to: room)
    try await bo.call("notes.add", in: room, ["seq": 1, "text": "Let me in"])
    #expect(try await bo.watch(room)["notes"].count == 1)
  }

  @Test("`me` and `mine` always mean the caller's own rooms, and no name reaches another person's")
  func ownRooms() async throws {
    let server = try await TestServer.start()
    defer { server.end() }
    let (room, members) = try await server.household("Ana", "Bo")
    let (ana, bo) = (members[0], members[1])
    try await ana.call("groceries.add", in: room + "/mine", ["name": "A present for Bo"])
    let corner = try await bo.watch(room + "/mine")
    #expect(corner["groceries"].isEmpty)
    #expect(try await bo.watch("me")["profile"]["name"] == "Bo")
    for name in ["person/\(ana.id)", "me/\(ana.id)", "\(room)/\(ana.id)", "\(room)/mine/\(ana.id)"] {
      #expect(try await bo.refusal("room.subscribe", in: name).code == -32602)
    }
    try await bo.client.fence()
    #expect(!bo.client.messagesNow.contains { $0.text.contains("present") })
  }
}
