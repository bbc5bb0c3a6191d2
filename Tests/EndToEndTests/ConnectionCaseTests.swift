import JSON
import Testing

/// CASES on connections that break, repeat themselves or are taken away.
@Suite("Cases of connections")
struct ConnectionCaseTests {
  // MARK: R-010

  @Test("R-010: a client that missed a member's leaving and coming back, ten times, gets the document of a newcomer")
  func comeBack() async throws {
    let server = try await TestServer.start()
    defer { server.end() }
    let (room, members) = try await server.household("Ana", "Bo", "Cleo", "Dora")
    let (ana, bo, cleo, dora) = (members[0], members[1], members[2], members[3])
    // Bo is the host by inheritance.
    try await ana.call("members.leave", in: room)
    let before = try await cleo.watch(room)
    #expect(before["members"][bo.id]?["role"] == "host")
    cleo.client.drop()
    let doras = try await dora.watch(room)
    dora.client.pauseReading(true)
    let tablet = try await bo.logIn(on: server).0
    let bosRoom = try await tablet.watch("me")

    for number in 1...10 {
      let host = try await dora.again(on: server, client: newID())
      let code = try await host.call("joinCodes.create", in: room)
      try await bo.call("members.leave", in: room)
      try await bo.call("households.join", ["code": try #require(code["code"])])
      try await host.call("joinCodes.revoke", in: room, ["id": try #require(code["id"])])
      try await host.call("notes.add", in: room, ["text": "\(number)"])
      host.client.drop()
    }

    let whole = try await (try await cleo.again(on: server, client: newID())).watch(room)
    #expect(whole["members"][bo.id]?["role"] == "member")
    let back = try await cleo.again(on: server)
    let answer = try await back.call(
      "room.subscribe", in: room, ["epoch": .string(before.epoch), "version": .number(JSON.Number(before.version))])
    #expect(Self.merged(answer, into: before.state) == whole.state.withoutEmptyMaps)
    dora.client.pauseReading(false)
    try await doras.follow(to: whole.version)
    #expect(doras.state.withoutEmptyMaps == whole.state.withoutEmptyMaps)
    let household = String(room.dropFirst("household/".count))
    let mine = try await (try await bo.again(on: server, client: newID())).watch("me")
    try await bosRoom.follow(to: mine.version)
    #expect(bosRoom["households"][household] == mine["households"][household])
    #expect(mine["households"][household]?["role"] == "member")
  }

  /// A document after the answer to a resumed subscription.
  private static func merged(_ answer: JSON, into state: JSON) -> JSON {
    (answer["state"] ?? MergePatch.apply(answer["patch"] ?? [:], to: state)).withoutEmptyMaps
  }

  // MARK: R-011

  @Test("R-011: one numbered call over two sockets and HTTP at once has one effect and one answer")
  func threeWays() async throws {
    let server = try await TestServer.start()
    defer { server.end() }
    let (room, members) = try await server.household("Ana", "Bo")
    let observer = try await members[1].watch(room)
    var ana = members[0]
    for number in 1...20 {
      let parameters: [String: JSON] = [
        "room": .string(room), "seq": .number(JSON.Number(number)), "id": .string(newID()), "name": "Thing \(number)",
      ]
      let old = ana.client
      old.post("groceries.add", parameters, id: 1000)
      let post = server.caller(ana)
      async let byHTTP = post.call("groceries.add", parameters, headers: ["Hearth-Client": old.id])
      // The newer connection replaces the old one, which may have had its answer.
      ana = try await ana.again(on: server)
      let answer = try await ana.client.call("groceries.add", parameters)
      #expect(try await byHTTP == answer)
      _ = try await old.closeCode()
      let earlier = old.messagesNow.first { $0["id"] == 1000 }
      #expect(earlier == nil || earlier?["result"] == answer)
      #expect(answer["id"] == parameters["id"])
    }
    try await observer.follow { $0["groceries"]?.object?.count == 20 }
    // Without a number, the id tells.
    let id: JSON = .string(newID())
    try await ana.call("groceries.add", in: room, ["id": id, "name": "Tea"])
    #expect(try await ana.refusal("groceries.add", in: room, ["id": id, "name": "Tea"]).reason == "exists")
    try await observer.follow { $0["groceries"]?.object?.count == 21 }
  }

  @Test("R-011: one Idempotency-Key over five connections at once has one effect; another body is refused as reused")
  func oneKey() async throws {
    let server = try await TestServer.start()
    defer { server.end() }
    let (room, members) = try await server.household("Ana")
    let post = server.caller(members[0])
    for number in 1...10 {
      let key = ["Idempotency-Key": "key\(number)"]
      let add: [String: JSON] = ["room": .string(room), "text": "\(number)"]
      let answers = try await withThrowingTaskGroup(of: JSON.self) { group in
        for _ in 1...5 { group.addTask { try await post.call("notes.add", add, headers: key) } }
        return try await group.reduce(into: []) { $0.append($1) }
      }
      #expect(Set(answers.map(\.text)).count == 1)
      let other = try await post.send(HTTPCaller.message("notes.add", ["room": .string(room), "text": "other"]), key)
      #expect(other.reason == "reused")
    }
    #expect(try await members[0].watch(room)["notes"].count == 10)
  }

  // MARK: R-012

  enum Laptop: CaseIterable { case listening, deaf, amidMessage }

  @Test(
    "R-012, ACC-14: a revoked device gets nothing committed later, whatever it is doing", arguments: Laptop.allCases)
  func revoked(laptop: Laptop) async throws {
    let server = try await TestServer.start()
    defer { server.end() }
    let (room, members) = try await server.household("Ana", "Bo")
    let (ana, bo) = (members[0], members[1])
    let share = try await bo.share(with: ana)
    let (device, session) = try await ana.logIn(on: server)
    for watched in ["me", room, share] { try await device.call("room.subscribe", in: watched) }
    switch laptop {
    case .listening: break
    case .deaf: device.client.pauseReading(true)
    case .amidMessage: device.client.send(bytes: [0x01, 0x81, 0, 0, 0, 0, UInt8(ascii: "{")])
    }
    for number in 1...20 { try await bo.call("notes.add", in: room, ["text": "before \(number)"]) }

    let start = ContinuousClock.now
    try await ana.call("devices.revoke", ["id": .string(session)])
    for number in 1...20 { try await bo.call("notes.add", in: room, ["text": "after \(number)"]) }
    try await bo.report(fix(52, 4))
    device.client.pauseReading(false)
    let code = try await device.client.closeCode()
    #expect(ContinuousClock.now - start < .seconds(5), "one second, plus slack for a busy machine")
    #expect(code == 4102)
    let seen = device.client.messagesNow
    #expect(seen.last?["method"] == "session.ended" && seen.last?["params"]?["reason"] == "revoked")
    #expect(!seen.contains { $0.text.contains("after ") || $0["method"] == "room.live" && $0.text.contains("\"lat\"") })

    #expect(try await server.caller(device).send(HTTPCaller.message("inbox.read", ["all": true])).status == 401)
    let late = try await TestClient.connect(port: server.port)
    let hello: [String: JSON] = ["token": .string(device.token), "client": .string(device.client.id)]
    #expect(try await late.refusal("hello", hello).reason == "token")
    #expect(try await late.closeCode() == 4101)
  }

  @Test("R-012, ACC-6: a device that logs out by HTTP is told so on its socket, and both are closed to it")
  func loggedOut() async throws {
    let server = try await TestServer.start()
    defer { server.end() }
    let (room, members) = try await server.household("Ana", "Bo")
    let ana = members[0]
    try await server.caller(ana).call("auth.logOut")
    try await members[1].call("notes.add", in: room, ["text": "after"])
    #expect(try await ana.client.closeCode() == 4102)
    let seen = ana.client.messagesNow
    #expect(seen.last?["params"]?["reason"] == "loggedOut" && !seen.contains { $0.text.contains("after") })
    #expect(try await server.caller(ana).send(HTTPCaller.message("inbox.read", ["all": true])).status == 401)
  }

  // MARK: R-017

  @Test(
    "R-017: checks that are cut off and sent again take effect once, even if a member has unchecked items meanwhile",
    arguments: [0, 1, 60, 700, 2000, 3500, 100_000])
  func cutOff(bytes: Int) async throws {
    let server = try await TestServer.start()
    defer { server.end() }
    let (room, members) = try await server.household("Ana", "Bo")
    let (ana, bo) = (members[0], members[1])
    var ids: [String] = []
    for number in 1...30 {
      let added = try await ana.call("groceries.add", in: room, ["name": .string("Thing \(number)")])
      ids.append(try #require(added["id"]?.string))
    }
    let home = try await bo.watch(room)
    let calls = ids.enumerated().map { number, id in
      TestClient.message(
        "groceries.check",
        ["room": .string(room), "seq": .number(JSON.Number(number + 1)), "id": .string(id), "checked": true],
        id: 1000 + number)
    }
    ana.client.send(bytes: Array(calls.flatMap { Self.frame($0) }.prefix(bytes)))
    await ana.client.flush()
    ana.client.drop()

    func checked() -> [String] { ids.filter { home["groceries"][$0]?["checkedBy"] != nil } }
    // As many checks as came whole take effect, whether or not their answers arrive.
    let whole = calls.reduce(into: (sum: 0, count: 0)) { found, call in
      found.sum += Self.frame(call).count
      if found.sum <= bytes { found.count += 1 }
    }.count
    try await home.follow { _ in checked().count >= whole }
    #expect(checked() == Array(ids.prefix(whole)))
    let unchecked = Array(checked().prefix(3))
    for id in unchecked {
      try await bo.call("groceries.check", in: room, ["id": .string(id), "checked": false])
    }
    let renamed = ids.suffix(2)
    for id in renamed {
      try await bo.call("groceries.edit", in: room, ["id": .string(id), "name": .string("New \(id)")])
    }

    let back = try await ana.again(on: server)
    let observer = try await back.watch(room)
    back.client.send(calls)
    for number in ids.indices {
      #expect(try await back.client.next { $0["id"]?.int == 1000 + number }["result"] != nil)
    }
    let expected = ids.filter { !unchecked.contains($0) }
    let last = try await back.call("notes.add", in: room, ["text": "That was all."])
    for copy in [home, observer] { try await copy.follow(to: try #require(last["version"]?.int)) }
    #expect(observer.state == home.state && checked() == expected)
    for id in renamed { #expect(home["groceries"][id]?["name"]?.string == "New \(id)") }
  }

  private static func frame(_ text: String) -> [UInt8] {
    let payload = Array(text.utf8)
    return [0x81, 0xFE, UInt8(payload.count >> 8), UInt8(payload.count & 255), 0, 0, 0, 0] + payload
  }
}
