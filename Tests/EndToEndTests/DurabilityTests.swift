import JSON
import Rooms
import Testing

@testable import HearthCommand

/// SYN-4: an acknowledged or visible change is on disk; an unacknowledged one is there as a whole or not at all.
@Suite("Durability before visibility")
struct DurabilityTests {
  @Test("SYN-4: on a slow disk no patch, answer or state is sent before the commit, and then all are, in order")
  func held() async throws {
    let gate = Gate()
    let server = try await TestServer.start { $0.wrap = { gate.wrap($0) } }
    defer { server.end() }
    let (room, members) = try await server.household("Ana", "Bo", "Cy")
    let (ana, bo, cy) = (members[0], members[1], members[2])
    for member in members { try await member.call("room.unsubscribe", in: room) }
    _ = try await ana.watch(room)
    let copy = try await bo.watch(room)
    gate.hold(room)
    let id: JSON = .string(newID())
    ana.post("notes.add", in: room, ["seq": 1, "id": id, "text": "on its way"], id: 900)
    await gate.holdsOne()
    // These depend on data that is not on disk: the refusal reveals it, and the state contains it.
    ana.post("notes.edit", in: room, ["id": id, "text": "still on its way"], id: 901)
    bo.post("notes.add", in: room, ["id": id, "text": "the same id"], id: 902)
    ana.post("notes.add", in: room, ["seq": 1, "id": id, "text": "on its way"], id: 903)
    cy.post("room.subscribe", in: room, id: 904)
    bo.post("room.subscribe", in: room, copy.place, id: 905)
    for member in members {
      try await member.client.fence()
      #expect(member.client.messagesNow.isEmpty, "\(member.name) receives nothing yet")
    }
    gate.release()
    let first = try await ana.client.next()
    #expect(first["method"] == "room.patch" && first["params"]?["version"]?.int == copy.version + 1)
    let added = try await ana.client.next()
    #expect(added["id"] == 900 && added["result"]?["version"]?.int == copy.version + 1)
    let second = try await ana.client.next()
    #expect(second["method"] == "room.patch" && second["params"]?["version"]?.int == copy.version + 2)
    #expect(try await ana.client.next { $0["id"] == 901 }["result"]?["version"]?.int == copy.version + 2)
    #expect(try await ana.client.next { $0["id"] == 903 }["result"] == added["result"])
    #expect(try await bo.client.next { $0["id"] == 902 }["error"]?["data"]?["reason"] == "exists")
    let state = try await cy.client.next()
    #expect(state["id"] == 904 && state["result"]?["version"]?.int == copy.version + 2)
    #expect(state["result"]?["state"]?["notes"]?[id.string ?? ""]?["text"] == "still on its way")
    let resumed = try await bo.client.next { $0["id"] == 905 }
    #expect(resumed["result"]?["from"]?.int == copy.version)
    #expect(resumed["result"]?["patch"]?["notes"]?[id.string ?? ""]?["text"] == "still on its way")
  }

  @Test("HH-9, SYN-4: a removed member receives nothing more, and is notified only when the removal is on disk")
  func leaving() async throws {
    let gate = Gate()
    let server = try await TestServer.start { $0.wrap = { gate.wrap($0) } }
    defer { server.end() }
    let (room, members) = try await server.household("Ana", "Bo")
    let (ana, bo) = (members[0], members[1])
    bo.client.forget()
    gate.hold(room)
    bo.post("members.leave", in: room, id: 900)
    await gate.holdsOne()
    ana.post("notes.add", in: room, ["text": "Is he gone?"], id: 901)
    #expect(try await bo.refusal("room.subscribe", in: room).code == 3)
    #expect(try await bo.refusal("notes.add", in: room, ["text": "One more thing"]).code == 3)
    try await bo.client.fence()
    #expect(bo.client.messagesNow.isEmpty)
    gate.release()
    #expect(try await bo.client.next { $0["id"] == 900 }["result"] != nil)
    _ = try await bo.client.notification("room.closed") { $0["room"]?.string == room }
    _ = try await ana.client.next { $0["id"] == 901 }
    try await bo.client.fence()
    #expect(!bo.client.messagesNow.contains { $0.text.contains("Is he gone?") })
  }

  @Test("unsubscribing while the state waits for the disk cancels the subscription")
  func unsubscribed() async throws {
    let gate = Gate()
    let server = try await TestServer.start { $0.wrap = { gate.wrap($0) } }
    defer { server.end() }
    let (room, members) = try await server.household("Ana", "Bo")
    try await members[1].call("room.unsubscribe", in: room)
    gate.hold(room)
    members[0].post("notes.add", in: room, ["text": "one"], id: 900)
    await gate.holdsOne()
    members[1].post("room.subscribe", in: room, id: 901)
    members[1].post("room.unsubscribe", in: room, id: 902)
    #expect(try await members[1].client.next { $0["id"] == 902 }["result"] != nil)
    gate.release()
    _ = try await members[1].client.next { $0["id"] == 901 }
    members[1].client.forget()
    try await members[0].call("notes.add", in: room, ["text": "two"])
    try await members[1].client.fence()
    #expect(members[1].client.messagesNow.isEmpty)
  }

  @Test("HH-9: a leaving member does not receive an earlier change that is committed only afterwards")
  func leavingBehindACommit() async throws {
    let gate = Gate()
    let server = try await TestServer.start { $0.wrap = { gate.wrap($0) } }
    defer { server.end() }
    let (room, members) = try await server.household("Ana", "Bo")
    let (ana, bo) = (members[0], members[1])
    gate.hold(room)
    ana.post("notes.add", in: room, ["text": "a surprise for Bo"], id: 900)
    await gate.holdsOne()
    bo.post("members.leave", in: room, id: 901)
    // The note is on its way to the disk, the leaving is queued behind it.
    #expect(try await bo.refusal("notes.add", in: room, ["text": "x"]).code == 3)
    gate.release()
    #expect(try await bo.client.notification("room.closed")["reason"] == "left")
    let answer = try await ana.client.next { $0["id"] == 900 }
    #expect(answer["result"] != nil)
    try await bo.client.fence()
    #expect(!bo.client.messagesNow.contains { $0.text.contains("surprise") })
  }

  @Test("SYN-9: rooms with an old log are snapshotted, however many they are")
  func oldRooms() async throws {
    let gate = Gate()
    let server = try await TestServer.start {
      $0.configuration.snapshotAge = .seconds(1)
      $0.wrap = { gate.wrap($0) }
    }
    defer { server.end() }
    let ana = try await server.member("Ana")
    for number in 1...16 {
      try await ana.call(
        "households.create",
        ["name": .string("Home \(number)"), "timeZone": "Europe/Amsterdam", "currency": "EUR"])
    }
    func rooms(snapshotted: Bool) -> Set<RoomID> {
      Set(gate.commits.filter { !snapshotted || $0.snapshot != nil }.map(\.room))
    }
    let all = rooms(snapshotted: false)
    #expect(all.count >= 17 && !rooms(snapshotted: true).isSuperset(of: all))
    let deadline = ContinuousClock.now + .seconds(40)
    while !rooms(snapshotted: true).isSuperset(of: all), ContinuousClock.now < deadline {
      try await Task.sleep(for: .milliseconds(100))
    }
    #expect(rooms(snapshotted: true).isSuperset(of: all))
  }

  @Test("SYN-9: the changes of a failed snapshot are part of the next one, so returning clients miss nothing")
  func refusedSnapshot() async throws {
    let gate = Gate()
    let change: (inout Node.Options) -> Void = {
      $0.configuration.snapshotAge = .seconds(1)
      $0.wrap = { gate.wrap($0) }
    }
    let server = try await TestServer.start(change)
    defer { server.end() }
    let (room, members) = try await server.household("Ana")
    let copy = try await members[0].watch(room)
    func snapshotted(after count: Int) async throws {
      let deadline = ContinuousClock.now + .seconds(40)
      while !gate.commits.dropFirst(count).contains(where: { $0.room.name == room && $0.snapshot != nil }) {
        try #require(ContinuousClock.now < deadline, "the household is not snapshotted")
        try await Task.sleep(for: .milliseconds(50))
      }
    }
    for isRefused in [true, false] {
      gate.refuseSnapshots(isRefused)
      let count = gate.commits.count
      try await members[0].call("notes.add", in: room, ["text": .string("refused: \(isRefused)")])
      try await snapshotted(after: count)
    }
    try await server.restart(change)
    let ana = try await members[0].again(on: server)
    let answer = try await ana.call("room.subscribe", in: room, copy.place)
    #expect(answer["state"] == nil && answer["from"]?.int == copy.version)
    #expect(answer["patch"]?["notes"]?.object?.count == 2)
  }

  @Test("SYN-9: a room is snapshotted after a number of bytes, however few the entries")
  func longLog() async throws {
    let gate = Gate()
    let server = try await TestServer.start {
      $0.configuration.entriesPerSnapshot = 100_000
      $0.wrap = { gate.wrap($0) }
    }
    defer { server.end() }
    let (room, members) = try await server.household("Ana")
    let id: JSON = .string(newID())
    try await members[0].call("notes.add", in: room, ["id": id, "text": "long"])
    for number in 1...120 {
      let text = "\(number) " + String(repeating: "x", count: 1990)
      try await members[0].call("notes.edit", in: room, ["id": id, "text": .string(text)])
    }
    var sizes = [0]
    for commit in gate.commits where commit.room.name == room {
      sizes[sizes.count - 1] += commit.entry?.count ?? 0
      if commit.snapshot != nil { sizes.append(0) }
    }
    #expect(sizes.count == 2 && 192 << 10..<200 << 10 ~= sizes[0], "\(sizes)")
  }

  @Test("SYN-4: when a commit fails, callers may retry, no change is visible, and the room works afterwards")
  func failed() async throws {
    let gate = Gate()
    let server = try await TestServer.start { $0.wrap = { gate.wrap($0) } }
    defer { server.end() }
    let (room, members) = try await server.household("Ana", "Bo")
    let (ana, bo) = (members[0], members[1])
    let copy = try await bo.watch(room)
    ana.client.forget()
    gate.failOnce(in: room)
    ana.post("notes.add", in: room, ["seq": 1, "text": "lost"], id: 900)
    let refusal = try await ana.client.next()
    #expect(refusal["id"] == 900 && refusal["error"]?["code"] == 7)
    #expect(refusal["error"]?["data"]?["temporary"] == true)
    // Watching clients notice nothing.
    try await bo.client.fence()
    #expect(!bo.client.messagesNow.contains { $0.text.contains("lost") })
    // A temporary refusal does not use up the call's number.
    let answer = try await ana.call("notes.add", in: room, ["seq": 1, "text": "lost"])
    #expect(answer["version"]?.int == copy.version + 1)
    let patch = try await bo.client.notification("room.patch")
    #expect(patch["from"]?.int == copy.version && patch["version"]?.int == copy.version + 1)
    #expect(server.log.contains { $0.contains("failed") } && !server.log.contains { $0.contains("lost") })
  }

  @Test("SYN-4: if one room of a batch lost its race, only its calls are refused and the other rooms are committed")
  func lostRace() async throws {
    let gate = Gate()
    let server = try await TestServer.start { $0.wrap = { gate.wrap($0) } }
    defer { server.end() }
    let (room, members) = try await server.household("Ana")
    let ana = members[0]
    let copy = try await ana.watch(room)
    let household = try #require(RoomID(name: room, caller: ID()))
    gate.hold()
    gate.failOnce(with: .conflict([household]), after: 1)
    ana.post("notes.add", in: room, ["text": "first"], id: 901)
    await gate.holdsOne()
    // Both rooms change while the first commit is held, and so share the next one.
    ana.post("notes.add", in: room, ["text": "lost"], id: 902)
    ana.post("groceries.add", in: "\(room)/mine", ["name": "Tea"], id: 903)
    try await ana.client.fence()
    gate.release()
    #expect(try await ana.client.next { $0["id"] == 901 }["result"]?["version"]?.int == copy.version + 1)
    let refusal = try await ana.client.next { $0["id"] == 902 }
    #expect(refusal["error"]?["code"] == 7 && refusal["error"]?["data"]?["temporary"] == true)
    #expect(try await ana.client.next { $0["id"] == 903 }["result"] != nil)

    let answer = try await ana.call("notes.add", in: room, ["text": "again"])
    #expect(answer["version"]?.int == copy.version + 2)
    #expect(try await ana.watch("\(room)/mine")["groceries"].count == 1)
    let batches = gate.commits.filter { $0.room.name == room || $0.room.name == "\(room)/mine" }.map(\.room.name)
    #expect(batches.suffix(4) == [room, "\(room)/mine", "\(room)/mine", room])
  }

  @Test("SYN-3, SYN-4: while it is unknown what is on disk, nothing is answered, and clients retry after reconnecting")
  func broken() async throws {
    let gate = Gate()
    let server = try await TestServer.start { $0.wrap = { gate.wrap($0) } }
    defer { server.end() }
    let (room, members) = try await server.household("Ana", "Bo")
    let (ana, bo) = (members[0], members[1])
    let copy = try await bo.watch(room)
    ana.client.forget()
    gate.failOnce(in: room, with: .failed("a broken disk"))
    ana.post("notes.add", in: room, ["seq": 1, "text": "lost"], id: 900)
    for member in members { #expect(try await member.client.closeCode() == 4005) }
    #expect(ana.client.messagesNow.isEmpty && bo.client.messagesNow.allSatisfy { !$0.text.contains("lost") })
    let back = try await bo.again(on: server)
    let resumed = try await back.call("room.subscribe", in: room, copy.place)
    #expect(resumed["from"] == resumed["version"] && resumed["patch"] == .object([:]))
    let again = try await ana.again(on: server)
    let answer = try await again.call("notes.add", in: room, ["seq": 1, "text": "lost"])
    #expect(answer["version"]?.int == copy.version + 1)
    #expect(try await back.client.notification("room.patch")["version"]?.int == copy.version + 1)
  }

  @Test(
    "SYN-4: whichever commit of a call across rooms fails, the call takes effect exactly once in the end",
    arguments: 0...3)
  func failedBetweenRooms(commit: Int) async throws {
    let gate = Gate()
    let server = try await TestServer.start { $0.wrap = { gate.wrap($0) } }
    defer { server.end() }
    let ana = try await server.member("Ana")
    let id = newID()
    let create: [String: JSON] = [
      "seq": 1, "id": .string(id), "name": "Elm Street", "timeZone": "UTC", "currency": "EUR",
    ]
    gate.failOnce(after: commit)
    ana.post("households.create", create, id: 900)
    let answer = try await ana.client.next { $0["id"] == 900 }
    if commit == 0 { #expect(answer["error"]?["code"] == 7) }
    // Whatever the answer was, sending the call again is correct.
    let again = try await ana.again(on: server, client: ana.client.id)
    let result = try await again.call("households.create", create)
    #expect(result["household"]?.string == id)
    if let first = answer["result"] { #expect(first == result) }
    let me = try await again.watch("me")
    #expect(me["households"].count == 1)
    #expect(try await again.watch("household/\(id)")["members"].count == 1)
    // Later messages between the same rooms are delivered, too.
    let bo = try await server.member("Bo")
    try await again.letIn([bo], to: "household/\(id)")
    // A message in the failed commit is delivered a little later.
    var isThere = false
    for _ in 0..<200 where !isThere {
      isThere = (try? await again.call("groceries.add", in: "household/\(id)/mine", ["name": "Tea"])) != nil
      if !isThere { try await Task.sleep(for: .milliseconds(50)) }
    }
    #expect(isThere)
    try await bo.call("notes.add", in: "household/\(id)", ["text": "Hello"])
    try await me.follow { $0["inbox"]?.object?.values.contains { $0["kind"] == "note" } == true }
  }

  @Test("a room that cannot be read is reported as temporarily unavailable, not as missing")
  func unreadable() async throws {
    let gate = Gate()
    let server = try await TestServer.start { $0.wrap = { gate.wrap($0) } }
    defer { server.end() }
    let (room, members) = try await server.household("Ana")
    try await members[0].call("notes.add", in: room, ["text": "still here"])
    try await server.restart({ $0.wrap = { gate.wrap($0) } })
    let ana = try await members[0].again(on: server)
    gate.setUnreadable(true)
    for (method, parameters) in [
      ("room.subscribe", [:]), ("notes.add", ["text": "x", "seq": 1]), ("activity.list", [:]),
    ] as [(String, [String: JSON])] {
      let refusal = try await ana.refusal(method, in: room, parameters)
      #expect(refusal.code == 7 && refusal.error["data"]?["temporary"] == true, "\(method): \(refusal)")
    }
    gate.setUnreadable(false)
    #expect(try await ana.watch(room)["notes"].count == 1)
  }
}
