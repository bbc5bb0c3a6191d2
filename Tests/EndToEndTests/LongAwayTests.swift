import JSON
import Rooms
import Testing

@testable import HearthCommand

@Suite("Long absences")
struct LongAwayTests {
  /// Changes notes of some two kilobytes, most of them several times.
  private func change(_ room: String, by member: Member, _ count: Int) async throws {
    var notes: [JSON] = []
    for number in 0..<count {
      let text: JSON = .string("\(number) " + String(repeating: "n", count: 1_990))
      if notes.count < 20 {
        notes.append(try #require(try await member.call("notes.add", in: room, ["text": text])["id"]))
      } else if number % 50 == 0 {
        try await member.call("notes.remove", in: room, ["id": notes.removeFirst()])
      } else {
        try await member.call("notes.edit", in: room, ["id": notes[number % 19], "text": text])
      }
    }
  }

  @Test("SYN-9: a client that missed 1,024 large changes gets them as one patch, also after a restart of the server")
  func largeChanges() async throws {
    let server = try await TestServer.start()
    defer { server.end() }
    let (room, members) = try await server.household("Ana", "Bo")
    let copy = try await members[1].watch(room)
    members[1].client.drop()
    try await change(room, by: members[0], 1_024)
    for _ in 0..<2 {
      let bo = try await members[1].again(on: server)
      let answer = try await bo.call("room.subscribe", in: room, copy.place)
      let ana = try await members[0].again(on: server)
      let fresh = try await ana.watch(room)
      #expect(answer["state"] == nil && answer["epoch"]?.string == copy.epoch)
      #expect(answer["from"]?.int == copy.version && answer["version"]?.int == fresh.version)
      #expect(MergePatch.apply(try #require(answer["patch"]), to: copy.state) == fresh.state)
      // It watches the room from here on.
      try await ana.call("notes.add", in: room, ["text": "next"])
      let patch = try await bo.client.notification("room.patch") { $0["room"]?.string == room }
      #expect(patch["from"]?.int == fresh.version)
      try await server.restart()
    }
  }

  @Test("SYN-9: a client that returns to a busy room converges to exactly the state that others see")
  func busyRoom() async throws {
    let server = try await TestServer.start()
    defer { server.end() }
    let (room, members) = try await server.household("Ana", "Bo")
    let copy = try await members[1].watch(room)
    members[1].client.drop()
    try await change(room, by: members[0], 60)
    let busy = Task { try await change(room, by: members[0], 150) }
    var comings: [RoomPlace] = []
    for _ in 0..<10 {
      let bo = try await members[1].again(on: server, client: newID())
      let answer = try await bo.call("room.subscribe", in: room, copy.place)
      #expect(answer["state"] == nil)
      let state = MergePatch.apply(try #require(answer["patch"]), to: copy.state)
      comings.append(RoomPlace(client: bo.client, state: state, version: try #require(answer["version"]?.int)))
    }
    try await busy.value
    let fresh = try await members[0].watch(room)
    for var coming in comings {
      while coming.version < fresh.version {
        let patch = try await coming.client.notification("room.patch") { $0["room"]?.string == room }
        #expect(patch["from"]?.int == coming.version)
        coming.state = MergePatch.apply(try #require(patch["patch"]), to: coming.state)
        coming.version = try #require(patch["version"]?.int)
      }
      #expect(coming.state == fresh.state)
    }
  }

  /// The epoch and version that a client has reached.
  private struct RoomPlace {
    var client: TestClient
    var state: JSON
    var version: Int
  }
}
