import JSON
import Rooms
import Server
import Testing

@testable import HearthCommand

@Suite("Watching a room")
struct SyncTests {
  @Test("SYN-1: a client receives the state once and then every change once, in order; they add up to the state")
  func fold() async throws {
    let server = try await TestServer.start()
    defer { server.end() }
    let (room, members) = try await server.household("Ana", "Bo")
    let copy = try await members[1].watch(room)
    let start = copy.version
    var notes: [JSON] = []
    for number in 1...30 {
      let answer = try await members[number % 2].call("notes.add", in: room, ["text": "\(number)"])
      notes.append(try #require(answer["id"]))
      if number % 3 == 0 { try await members[0].call("notes.remove", in: room, ["id": notes[number - 2]]) }
      if number % 4 == 0 {
        try await members[0].call("notes.edit", in: room, ["id": notes[0], "text": "\(-number)"])
      }
    }
    let fresh = try await members[0].watch(room)
    try await copy.follow(to: fresh.version)
    #expect(copy.state == fresh.state)
    #expect(fresh.version == start + 30 + 10 + 7, "every change raises the version by one")
    #expect(!copy.patches.isEmpty && copy.patches.allSatisfy { $0["at"] != nil && $0["room"]?.string == room })
    // The answer to a subscription is complete at any time.
    #expect(fresh.answer["reason"] == "new" && fresh.answer["from"] == nil)
    #expect(fresh.answer["live"]?.object?.keys.map(\.self) == ["presence"])
  }

  @Test("SYN-1: a refused call changes and sends nothing, and an unsubscribed room is silent")
  func silence() async throws {
    let server = try await TestServer.start()
    defer { server.end() }
    let (room, members) = try await server.household("Ana", "Bo")
    let copy = try await members[1].watch(room)
    _ = try await members[0].refusal("notes.add", in: room, ["text": ""])
    _ = try await members[0].refusal("notes.remove", in: room, ["id": .string(newID()), "seq": 1])
    _ = try await members[0].refusal("joinCodes.create", in: room, ["uses": 33])
    try await members[1].client.fence()
    #expect(!members[1].client.messagesNow.contains { $0["method"] == "room.patch" })
    #expect(try await members[0].watch(room).version == copy.version)
    try await members[1].call("room.unsubscribe", in: room)
    try await members[1].call("room.unsubscribe", in: room)
    try await members[0].call("notes.add", in: room, ["text": "unseen"])
    try await members[1].client.fence()
    #expect(!members[1].client.messagesNow.contains { $0["method"] == "room.patch" })
  }

  @Test("SYN-2: a client that returns with epoch and version gets the missed changes as one patch")
  func resume() async throws {
    let server = try await TestServer.start()
    defer { server.end() }
    let (room, members) = try await server.household("Ana", "Bo")
    let copy = try await members[1].watch(room)
    members[1].client.drop()
    for number in 1...10 { try await members[0].call("notes.add", in: room, ["text": "\(number)"]) }
    let bo = try await members[1].again(on: server)
    let answer = try await bo.call("room.subscribe", in: room, copy.place)
    let fresh = try await members[0].watch(room)
    #expect(answer["from"]?.int == copy.version && answer["version"]?.int == fresh.version)
    #expect(answer["state"] == nil && answer["epoch"]?.string == copy.epoch)
    #expect(MergePatch.apply(try #require(answer["patch"]), to: copy.state) == fresh.state)
    // Without missed changes nothing is sent, and the next change arrives.
    let again = try await bo.call("room.subscribe", in: room, fresh.place)
    #expect(again["patch"] == .object([:]) && again["from"] == again["version"])
    try await members[0].call("notes.add", in: room, ["text": "next"])
    let patch = try await bo.client.notification("room.patch") { $0["from"]?.int == fresh.version }
    #expect(patch["version"]?.int == fresh.version + 1)
  }

  @Test("SYN-2: a client that cannot resume gets the whole state in the same answer, with the reason")
  func reasons() async throws {
    let server = try await TestServer.start { $0.wrap = { ForgetfulStore($0) } }
    defer { server.end() }
    let (room, members) = try await server.household("Ana")
    let copy = try await members[0].watch(room)
    let rows: [([String: JSON], JSON)] = [
      ([:], "new"), (["version": 1], "new"), (["epoch": .string(copy.epoch)], "new"),
      (["epoch": "another", "version": 1], "epoch"),
      (["epoch": .string(copy.epoch), "version": .number(JSON.Number(copy.version + 1))], "ahead"),
    ]
    for (parameters, reason) in rows {
      let answer = try await members[0].call("room.subscribe", in: room, parameters)
      #expect(answer["reason"] == reason && answer["state"] == copy.state && answer["patch"] == nil)
    }
    // Edits of 8 KB: more than memory keeps, and the store has none of it.
    let id = try #require(try await members[0].call("notes.add", in: room, ["text": "short"])["id"])
    for number in 0..<8 {
      let text = String(repeating: number % 2 == 0 ? "🐑" : "🐏", count: 2000)
      try await members[0].call("notes.edit", in: room, ["id": id, "text": .string(text)])
    }
    let answer = try await members[0].call("room.subscribe", in: room, copy.place)
    #expect(answer["reason"] == "tooOld" && answer["state"]?["notes"] != nil)
  }

  @Test("SYN-2: each room has its own epoch, which survives a restart")
  func epochs() async throws {
    let server = try await TestServer.start()
    defer { server.end() }
    let (room, members) = try await server.household("Ana")
    let home = try await members[0].watch(room)
    let me = try await members[0].watch("me")
    let corner = try await members[0].watch(room + "/mine")
    #expect(Set([home.epoch, me.epoch, corner.epoch]).count == 3)
    try await server.restart()
    let ana = try await members[0].again(on: server)
    let answer = try await ana.call("room.subscribe", in: room, home.place)
    #expect(answer["patch"] == .object([:]) && answer["epoch"]?.string == home.epoch)
  }

  @Test("SYN-5: under concurrent changes all clients see one order, and each its own change before the answer")
  func order() async throws {
    let server = try await TestServer.start()
    defer { server.end() }
    let (room, members) = try await server.household("Ana", "Bo", "Cy", "Dee")
    var copies: [RoomCopy] = []
    for member in members { copies.append(try await member.watch(room)) }
    let start = copies[0].version
    for number in 1...20 {
      for (index, member) in members.enumerated() {
        member.post(
          "notes.add", in: room, ["seq": .number(JSON.Number(number)), "text": "\(index).\(number)"],
          id: 1000 + number)
      }
    }
    let end = start + 80
    for (member, copy) in zip(members, copies) {
      var reached = start
      var answers = 0
      // Checks messages in the order of arrival.
      while answers < 20 || reached < end {
        let message = try await member.client.next {
          $0["id"] != nil || ($0["method"] == "room.patch" && $0["params"]?["room"]?.string == room)
        }
        if let version = message["params"]?["version"]?.int {
          #expect(message["params"]?["from"]?.int == reached)
          reached = version
        } else {
          answers += 1
          let version = try #require(message["result"]?["version"]?.int)
          #expect(version <= reached, "the effect comes before the answer")
        }
      }
      #expect(reached == end && copy.version == start)
    }
    let states = try await members.asyncMap { try await $0.watch(room).state }
    #expect(states.allSatisfy { $0 == states[0] })
    // In the room's order, the calls of each client are in that client's order.
    let page = try await members[0].call("activity.list", in: room, ["limit": 100])
    let events = (page["items"]?.array ?? []).sorted { $0["n"]?.int ?? 0 < $1["n"]?.int ?? 0 }
    for (index, member) in members.enumerated() {
      let texts = events.filter { $0["actor"]?.string == member.id && $0["kind"] == "noteAdded" }
        .compactMap { states[0]["notes"]?[$0["ref"]?.string ?? ""]?["text"]?.string }
      let numbers = texts.compactMap { Int($0.dropFirst("\(index).".count)) }
      #expect(numbers == Array(1...20))
    }
  }

  @Test("SYN-6: in silence each heartbeat reports every room with its version")
  func ticks() async throws {
    let server = try await TestServer.start { $0.configuration.heartbeat = .seconds(1) }
    defer { server.end() }
    let (room, members) = try await server.household("Ana")
    let rooms = [try await members[0].watch("me"), try await members[0].watch(room)]
    try await members[0].call("room.subscribe", in: room + "/mine")
    var heard: [String: Int] = [:]
    let names = ["me", room, room + "/mine"]
    while !names.allSatisfy({ heard[$0, default: 0] >= 2 }) {
      let tick = try await members[0].client.notification("room.tick")
      #expect(tick["live"] == nil && tick["at"] != nil)
      for (name, version) in tick["rooms"]?.object ?? [:] {
        heard[name, default: 0] += 1
        if let copy = rooms.first(where: { $0.room == name }) { #expect(version.int == copy.version) }
      }
    }
    #expect(Set(heard.keys) == Set(names))
  }

  /// Checks the limit of rooms that a connection watches; watching a room twice counts once.
  ///
  /// `LimitTests` runs it.
  @Sendable static func subscriptions(limit: Int) async throws {
    let server = try await TestServer.start()
    defer { server.end() }
    let ana = try await server.member("Ana")
    var rooms = ["me"]
    for number in 1...16 {
      let room = try await ana.makeHousehold("House \(number)")
      rooms += [room, room + "/mine"]
    }
    var sharers: [Member] = []
    for number in 1...20 { sharers.append(try await server.member("Sharer\(number)")) }
    try await ana.letIn(sharers, to: rooms[1])
    for sharer in sharers { for _ in 1...5 { rooms.append(try await sharer.share(with: ana)) } }
    for _ in 1...2 { for room in rooms.prefix(limit) { try await ana.call("room.subscribe", in: room) } }
    // A refused subscription does not count.
    try await ana.call("room.unsubscribe", in: rooms[limit - 1])
    for room in rooms.prefix(4) {
      #expect(try await ana.refusal("room.subscribe", in: room, ["epoch": 1]).code == -32602)
    }
    #expect(try await ana.refusal("room.subscribe", in: "household/\(newID())").code == 3)
    try await ana.call("room.subscribe", in: rooms[limit - 1])
    let refusal = try await ana.refusal("room.subscribe", in: rooms[limit])
    #expect(refusal.code == 6 && refusal.reason == "subscriptions")
    try await ana.call("room.unsubscribe", in: rooms[0])
    try await ana.call("room.subscribe", in: rooms[limit])
  }

  @Test("SYN-7: a client that stops reading for a while gets its missed changes as one patch, and delays no other")
  func slowReader() async throws {
    let server = try await TestServer.start()
    defer { server.end() }
    let (room, members) = try await server.household("Ana", "Bo")
    let (ana, bo) = (members[0], members[1])
    try await ana.fill(room)
    let note = try #require(try await ana.call("notes.add", in: room, ["text": "0"])["id"])
    bo.stopReading(whileWatching: room)
    try await Task.sleep(for: .milliseconds(500))
    for number in 1...100 {
      try await ana.call("notes.edit", in: room, ["id": note, "text": .string("\(number)")])
    }
    let copy = try await bo.readAgain(room)
    try await copy.follow { $0["notes"]?[note.string ?? ""]?["text"] == "100" }
    #expect(copy.patches.count < 10, "100 changes came as \(copy.patches.count) patches")
    #expect(try await ana.watch(room).state == copy.state)
    try await ana.call("notes.edit", in: room, ["id": note, "text": "on time again"])
    try await copy.follow { $0["notes"]?[note.string ?? ""]?["text"] == "on time again" }
  }

  @Test("SYN-7, SYN-9: a client that falls behind the changes in memory gets them from disk, in a few patches")
  func verySlowReader() async throws {
    let gate = Gate()
    let server = try await TestServer.start { $0.wrap = { gate.wrap($0) } }
    defer { server.end() }
    let (room, members) = try await server.household("Ana", "Bo")
    let (ana, bo) = (members[0], members[1])
    try await ana.fill(room)
    var notes: [JSON] = []
    for number in 1...20 {
      notes.append(try #require(try await ana.call("notes.add", in: room, ["text": .string("\(number)")])["id"]))
    }
    bo.stopReading(whileWatching: room)
    try await Task.sleep(for: .milliseconds(500))
    for number in 1...100 {
      let text: JSON = .string("\(number) " + String(repeating: "n", count: 1_900))
      try await ana.call("notes.edit", in: room, ["id": notes[number % 20], "text": text])
    }
    #expect(gate.missedReads == 0)
    let copy = try await bo.readAgain(room)
    let final = try await ana.watch(room)
    try await copy.follow(to: final.version)
    #expect(gate.missedReads > 0)
    #expect(copy.patches.count < 10, "100 changes came as \(copy.patches.count) patches")
    #expect(copy.state == final.state)
  }

  @Test("SYN-5, SYN-7: a slow client also gets the answer to a call after the patch with its effect")
  func slowCaller() async throws {
    let server = try await TestServer.start()
    defer { server.end() }
    let (room, members) = try await server.household("Ana", "Bo")
    let (ana, bo) = (members[0], members[1])
    try await ana.fill(room)
    bo.stopReading(whileWatching: room, thenAdding: "his own")
    try await Task.sleep(for: .milliseconds(500))
    for number in 1...5 { try await ana.call("notes.add", in: room, ["text": "\(number)"]) }
    let copy = try await ana.watch(room)
    try await copy.follow { $0["notes"]?.object?.values.contains { $0["text"] == "his own" } == true }
    bo.client.pauseReading(false)
    var version = 0
    while true {
      let message = try await bo.client.next()
      if message["id"] == 3000 {
        #expect(version >= (try #require(message["result"]?["version"]?.int)))
        break
      }
      version = message["result"]?["version"]?.int ?? message["params"]?["version"]?.int ?? version
    }
  }

  @Test("SYN-7: a client that reads nothing for too long is disconnected and resumes later")
  func stalled() async throws {
    let server = try await TestServer.start {
      $0.configuration.heartbeat = .seconds(1)
      $0.configuration.stallLimit = .seconds(4)
    }
    defer { server.end() }
    let (room, members) = try await server.household("Ana", "Bo")
    let (ana, bo) = (members[0], members[1])
    try await ana.fill(room)
    let copy = try await bo.watch(room)
    // The kernel's buffers have not grown much by reading.
    let deaf = try await bo.again(on: server)
    deaf.stopReading(whileWatching: room, thenAdding: "sent, not read")
    for number in 1...2 { try await ana.call("notes.add", in: room, ["text": "\(number)"]) }
    #expect(try await deaf.client.closeCode() == nil)
    let back = try await bo.again(on: server)
    let answer = try await back.call("room.subscribe", in: room, copy.place)
    #expect(answer["state"] == nil && answer["patch"]?["notes"]?.object?.count == 3)
  }

  @Test(
    "SYN-8: an unused room is evicted and reloaded with all its data, including receipts and changes to resume from")
  func eviction() async throws {
    let gate = Gate()
    let server = try await TestServer.start {
      $0.wrap = { gate.wrap($0) }
      $0.configuration.roomIdleLimit = .seconds(1)
      // The room stays until it has told that its last watcher has gone.
      $0.configuration.presenceInterval = .seconds(1)
    }
    defer { server.end() }
    let (room, members) = try await server.household("Ana")
    let ana = members[0]
    let copy = try await ana.watch(room)
    try await ana.call("notes.add", in: room, ["seq": 1, "text": "before"])
    let loads = gate.loads(of: room)
    try await Task.sleep(for: .seconds(3))
    try await ana.call("notes.add", in: room, ["seq": 2, "text": "watched"])
    #expect(gate.loads(of: room) == loads, "a watched room is not evicted")
    try await ana.call("room.unsubscribe", in: room)
    let deadline = ContinuousClock.now + .seconds(30)
    while gate.loads(of: room) == loads, ContinuousClock.now < deadline {
      try await Task.sleep(for: .seconds(3))
      let repeated = try await ana.call("notes.add", in: room, ["seq": 2, "text": "watched"])
      #expect(repeated["version"]?.int == copy.version + 2, "receipts are restored, too")
    }
    #expect(gate.loads(of: room) == loads + 1)
    let answer = try await ana.call("room.subscribe", in: room, copy.place)
    #expect(answer["state"] == nil && answer["from"]?.int == copy.version)
    #expect(try await ana.watch(room)["notes"].count == 2)
  }

  @Test("SYN-9: rooms are snapshotted as they change, and clients resume over 1,024 changes, also after a restart")
  func snapshots() async throws {
    let gate = Gate()
    let change: @Sendable (inout Node.Options) -> Void = {
      $0.wrap = { gate.wrap($0) }
      $0.configuration.gather = .zero
    }
    let server = try await TestServer.start(change)
    defer { server.end() }
    let (room, members) = try await server.household("Ana")
    let ana = members[0]
    let id = try #require(try await ana.call("groceries.add", in: room, ["name": "Milk"])["id"])
    let copy = try await ana.watch(room)
    try await ana.call("room.unsubscribe", in: room)
    for number in 1...1024 {
      try await ana.call("groceries.check", in: room, ["id": id, "checked": .bool(number % 2 == 1)])
    }
    let snapshots = gate.commits.count { $0.snapshot != nil }
    #expect((4...6).contains(snapshots), "one per 256 commits; there were \(snapshots)")
    let fresh = try await ana.watch(room)
    #expect(fresh.version == copy.version + 1024)
    for round in 1...2 {
      let member = round == 1 ? ana : try await ana.again(on: server)
      let answer = try await member.call("room.subscribe", in: room, copy.place)
      #expect(answer["reason"] == nil && answer["version"]?.int == fresh.version)
      #expect(answer["from"]?.int == copy.version)
      #expect(MergePatch.apply(try #require(answer["patch"]), to: copy.state) == fresh.state)
      #expect(try await member.watch(room).state == fresh.state)
      if round == 1 { try await server.restart(change) }
    }
    // The store gets each change exactly once, also across the restart.
    for round in 1...2 {
      let again = try await ana.again(on: server)
      for number in 1...100 {
        try await again.call("groceries.check", in: room, ["id": id, "checked": .bool(number % 2 == 1)])
      }
      if round == 1 { try await server.restart(change) }
    }
    let segments = gate.commits.filter { $0.room.name == room }.flatMap(\.segments)
    for (one, next) in zip(segments, segments.dropFirst()) { #expect(one.version == next.from) }
    #expect(segments.first?.from == 0 && segments.last?.version ?? 0 > fresh.version)
  }
}

extension Member {
  /// Fills a household's state nearly to its limit.
  func fill(_ room: String) async throws {
    let long: JSON = .string(String(repeating: "\u{1F9F9}", count: 2000))
    for _ in 1...100 { try await call("notes.add", in: room, ["text": long]) }
  }

  /// Requests more of a large room than the kernel's buffers hold, without reading the answers 1001 to 1015. Then adds
  /// a note, with the answer 3000.
  ///
  /// All calls are sent as one piece: from a client that reads no answers, only calls already read are carried out.
  func stopReading(whileWatching room: String, thenAdding note: String? = nil) {
    client.pauseReading(true)
    let place = Self.parameters(in: room)
    var messages = (1...15).map { TestClient.message("room.subscribe", place, id: 1000 + $0) }
    if let note {
      let parameters = Self.parameters(["text": .string(note)], in: room)
      messages.append(TestClient.message("notes.add", parameters, id: 3000))
    }
    client.send(messages)
  }

  /// Resumes reading and returns the room as in the last of those answers.
  func readAgain(_ room: String) async throws -> RoomCopy {
    client.pauseReading(false)
    let answer = try await client.next { $0["id"] == 1015 }
    return try RoomCopy(of: room, by: client, as: try #require(answer["result"]))
  }
}

extension Array {
  func asyncMap<Result>(_ body: (Element) async throws -> Result) async rethrows -> [Result] {
    var results: [Result] = []
    for element in self { results.append(try await body(element)) }
    return results
  }
}
