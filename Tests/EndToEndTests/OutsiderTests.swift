import Home
import JSON
import Rooms
import Testing

/// HH-14, SEC-11, S1.15: who is not in a room learns nothing of it, not even that it exists.
@Suite("Outsiders")
struct OutsiderTests {
  private static let kinds: [(kind: RoomKindName, prefix: String, suffix: String)] = [
    (.household, "household/", ""), (.corner, "household/", "/mine"), (.share, "share/", ""),
  ]

  @Test("HH-14, LOC-23: every method is refused in the same bytes for another's room and for one that does not exist")
  func sameBytes() async throws {
    let server = try await TestServer.start()
    defer { server.end() }
    let (room, members) = try await server.household("Ana", "Bo", "Cy")
    let share = try await members[0].share(with: members[1])
    let eve = try await server.member("Eve")
    for (kind, prefix, suffix) in Self.kinds {
      let existing = kind == .share ? share : room + suffix
      let methods = HomeRooms.kinds.first { $0.name == kind }?.methods.map(\.name) ?? []
      #expect(!methods.isEmpty)
      for method in methods.filter({ $0 != "positions.report" }) + ["room.subscribe", "activity.list"] {
        for parameters in [[:], ["seq": 5], ["id": .string(newID()), "nonsense": true]] as [[String: JSON]] {
          if method.hasPrefix("room") || method == "activity.list", !parameters.isEmpty { continue }
          let other = try await eve.refusal(method, in: existing, parameters)
          let nobodys = try await eve.refusal(method, in: prefix + newID() + suffix, parameters)
          #expect(other.code == 3 && other.reason == "room", "\(method) \(parameters): \(other)")
          #expect(other.error.text == nobodys.error.text)
        }
      }
    }
    // The housemate who does not receive the share is as much outside of it.
    #expect(try await members[2].refusal("room.subscribe", in: share).code == 3)
    #expect(try await members[2].refusal("shares.extend", in: share, ["until": Instant.now.json]).code == 3)
  }

  @Test("an outsider's numbers are not remembered: let in later, he may use them")
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

  @Test("`me` and `mine` always mean the caller's own: nobody can name another's")
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
