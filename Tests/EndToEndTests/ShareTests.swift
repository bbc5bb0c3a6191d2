import JSON
import Rooms
import Server
import Testing

@testable import HearthCommand

@Suite("Sharing a position")
struct ShareTests {
  @Test(
    "LOC-1, LOC-4, LOC-22, S3.1: receivers are told who shares and until when, and `me` lists all shares of a person")
  func start() async throws {
    let server = try await TestServer.start()
    defer { server.end() }
    let (_, members) = try await server.household("Ana", "Bo", "Cy", "Dee")
    let (ana, bo, cy, dee) = (members[0], members[1], members[2], members[3])
    let until = Instant.now + .seconds(3600)
    let me = try await bo.watch("me")
    let share = try await ana.share(with: bo, cy, until: until)
    let id = String(share.dropFirst("share/".count))
    try await me.follow { $0["shares"]?[id] != nil }
    let entry = try #require(me["shares"][id])
    #expect(entry["role"] == "receiver" && entry["sharer"]?.string == ana.id && entry["name"] == "Ana")
    #expect(entry["until"] == until.json && entry["state"] == "active")
    let told = try #require(me["inbox"].values.first { $0["kind"] == "share" })
    #expect(told["actorName"] == "Ana" && told["until"] == until.json && told["ref"]?.string == id)
    #expect(try await ana.watch("me")["shares"][id]?["role"] == "sharer")

    let room = try await bo.watch(share)
    #expect(room["share"]["sharer"]?.string == ana.id && room["receivers"].keys.sorted() == [bo.id, cy.id].sorted())
    #expect(try await dee.watch("me")["shares"].isEmpty)
    #expect(try await !dee.watch("me")["inbox"].values.contains { $0["kind"] == "share" })
  }

  @Test("LOC-1, LOC-2, LOC-20: each limit of a share is held on both sides, and strangers look like unknown people")
  func limits() async throws {
    let server = try await TestServer.start()
    defer { server.end() }
    let (_, members) = try await server.household("Ana", "Bo")
    let ana = members[0]
    let stranger = try await server.member("Eve")
    let bo: JSON = .string(members[1].id)
    let hour = (Instant.now + .seconds(3600)).json
    let bad: [([String: JSON], [String])] = [
      ([:], ["receivers", "until"]),
      (["receivers": [], "until": hour], ["receivers"]),
      (["receivers": [bo, bo], "until": hour], ["receivers"]),
      (["receivers": [bo], "until": (.now + .seconds(15 * 60 - 5)).json], ["until"]),
      (["receivers": [bo], "until": (.now + .seconds(25 * 3600)).json], ["until"]),
      (["receivers": .array(Array(repeating: bo, count: 51)), "until": hour], ["receivers"]),
      (["receivers": [bo], "until": hour, "note": .string(String(repeating: "n", count: 201))], ["note"]),
    ]
    for (parameters, fields) in bad {
      #expect(try await ana.refusal("shares.start", parameters).fields?.object?.keys.sorted() == fields)
    }
    let toStranger = try await ana.refusal("shares.start", ["receivers": [.string(stranger.id)], "until": hour])
    let toNobody = try await ana.refusal("shares.start", ["receivers": [.string(newID())], "until": hour])
    #expect(toStranger.code == 3 && toStranger.error == toNobody.error)

    let note: JSON = .string(String(repeating: "n", count: 200))
    let first = newID()
    for until in [Duration.seconds(15 * 60 + 120), .seconds(24 * 3600)] {
      let id = until == .seconds(24 * 3600) ? newID() : first
      try await ana.call(
        "shares.start", ["id": .string(id), "receivers": [bo], "until": (.now + until).json, "note": note])
    }
    let taken = try await ana.refusal(
      "shares.start", ["id": .string(first), "receivers": [bo], "until": hour])
    #expect(taken.reason == "exists")
    for _ in 3...5 { _ = try await ana.share(with: members[1]) }
    let sixth = try await ana.refusal("shares.start", ["receivers": [bo], "until": hour])
    #expect(sixth.code == 6 && sixth.reason == "shares")
    // Receiving shares is not limited.
    _ = try await members[1].share(with: ana)
  }

  @Test("LOC-2: only the sharer extends a share, and all members see its new end")
  func extend() async throws {
    let server = try await TestServer.start()
    defer { server.end() }
    let (_, members) = try await server.household("Ana", "Bo")
    let start = Instant.now
    let share = try await members[0].share(with: members[1], until: start + .seconds(3600))
    let me = try await members[1].watch("me")
    let room = try await members[1].watch(share)
    let id = String(share.dropFirst("share/".count))
    for bad in [Duration.seconds(1800), .seconds(3600), .seconds(25 * 3600)] {
      #expect(try await members[0].refusal("shares.extend", in: share, ["until": (start + bad).json]).code == -32602)
    }
    let later = (start + .seconds(7200)).json
    #expect(try await members[1].refusal("shares.extend", in: share, ["until": later]).code == 2)
    try await members[0].call("shares.extend", in: share, ["until": later])
    try await room.follow { $0["share"]?["until"] == later }
    try await me.follow { $0["shares"]?[id]?["until"] == later }
  }

  @Test("LOC-2, LOC-34: a share ends by itself, all members are notified once, and nothing of it can be read")
  func end() async throws {
    let server = try await TestServer.start()
    defer { server.end() }
    let (_, members) = try await server.household("Ana", "Bo")
    let ends = Instant.now + .seconds(1002)
    let share = try await members[0].share(with: members[1], until: ends)
    try await members[0].report(fix(52.12345, 4.54321))
    try await server.restart { options in
      let passed = ends - .now - .seconds(12)
      options.wrap = { LaterStore($0, after: passed) }
    }
    var watched: [(Member, RoomCopy, RoomCopy)] = []
    for member in members {
      let member = try await member.again(on: server)
      let room = try await member.watch(share)
      #expect(room.answer["live"]?["position"]?["lat"] == 52.12345, "the last position survives a restart")
      watched.append((member, room, try await member.watch("me")))
    }
    for (member, _, me) in watched {
      #expect(try await member.client.notification("room.closed") == ["room": .string(share), "reason": "ended"])
      try await me.follow { $0["shares"] == nil }
      #expect(me["inbox"].values.count { $0["kind"] == "ended" } == 1)
      #expect(try await member.refusal("room.subscribe", in: share).code == 3)
      #expect(try await member.hello()["rooms"]?.array?.contains(.string(share)) == false)
    }
    #expect(try await watched[0].0.report(fix(52.0, 4.0))["shares"] == 0)
  }

  @Test("LOC-5, S3.2, S3.3: every report reaches each receiver separately, and a later subscriber gets the last one")
  func report() async throws {
    let server = try await TestServer.start()
    defer { server.end() }
    let (_, members) = try await server.household("Ana", "Bo", "Cy")
    let share = try await members[0].share(with: members[1], members[2])
    for member in members { _ = try await member.watch(share) }
    for number in 1...5 {
      let lat: JSON = .number(try #require(JSON.Number(52 + Double(number) / 1000)))
      let answer = try await members[0].report(fix(lat, 4.3))
      #expect(answer["shares"] == 1 && answer["intervalSeconds"] == 30)
      for member in members {
        let live = try await member.client.notification("room.live")
        #expect(live["room"]?.string == share && live["patch"]?["position"]?["lat"] == lat)
        #expect(live["version"] == nil && live["patch"]?["link"]?["at"] != nil)
      }
    }
    let later = try await members[2].again(on: server, client: newID())
    let room = try await later.watch(share)
    #expect(room.answer["live"]?["position"]?["lat"] == 52.005 && room.answer["live"]?["position"]?["accuracy"] == 8)
    // The change that the share is tracked makes a version.
    #expect(
      room.version == 2 && !room.state.text.contains("lat"), "a position makes no version and is not in the state")
  }

  @Test(
    "LOC-6, LOC-32: only the newest fix of a batch goes live, older fixes are dropped, and clocks are corrected")
  func batch() async throws {
    let server = try await TestServer.start()
    defer { server.end() }
    let (_, members) = try await server.household("Ana", "Bo")
    let share = try await members[0].share(with: members[1])
    _ = try await members[1].watch(share)
    // A phone whose clock is two hours fast.
    let phone = Instant.now + .seconds(7200)
    try await members[0].report(
      fix(52.2, 4.2, at: phone - .seconds(20)), fix(52.3, 4.3, at: phone - .seconds(10)),
      fix(52.1, 4.1, at: phone - .seconds(30)), sentAt: phone)
    let live = try await members[1].client.notification("room.live")
    #expect(live["patch"]?["position"]?["lat"] == 52.3)
    let position = live["patch"]?["position"]
    let age = try #require(Instant(position?["receivedAt"])) - (try #require(Instant(position?["at"])))
    #expect(age == .seconds(10), "the age is the same by both clocks")
    // An older fix is acknowledged and only shows that the phone is alive.
    try await members[0].report(fix(52.0, 4.0, at: phone - .seconds(60)), sentAt: phone)
    let link = try await members[1].client.notification("room.live")
    #expect(link["patch"]?["position"] == nil && link["patch"]?["link"]?["at"] != nil)
    // A fix from the future counts as one of now.
    try await members[0].report(fix(52.4, 4.4, at: phone + .seconds(3600)), sentAt: phone)
    let now = try await members[1].client.notification("room.live")
    #expect(now["patch"]?["position"]?["lat"] == 52.4)
    #expect(try #require(Instant(now["patch"]?["position"]?["at"])) <= Instant.now)
    try await members[1].client.fence()
    #expect(!members[1].client.messagesNow.contains { $0["method"] == "room.live" })
  }

  @Test("LOC-7: a heartbeat has the age of a position sent before it, even if both fall due together")
  func heartbeat() async throws {
    let brake = Brake()
    let server = try await TestServer.start {
      $0.loopCount = 1
      $0.configuration.heartbeat = .seconds(1)
      $0.wrap = { BrakingStore($0, brake) }
    }
    defer { server.end() }
    let (_, members) = try await server.household("Ana", "Bo")
    let stranger = try await server.member("Cem")
    let share = try await members[0].share(with: members[1])
    _ = try await members[1].watch(share)
    try await members[0].report(fix(52, 4))
    // While the loop is stopped, a heartbeat falls due and a report arrives.
    brake.pull()
    stranger.post("room.subscribe", in: "household/\(newID())", id: 900)
    await brake.stopped()
    members[0].post("positions.report", ["sentAt": Instant.now.json, "fixes": [fix(52.001, 4)]], id: 901)
    await members[0].client.flush()
    try await Task.sleep(for: .milliseconds(1500))
    brake.release()
    var told: JSON?
    var ticksBehind = 0
    while ticksBehind < 2 {
      let message = try await members[1].client.next { ["room.live", "room.tick"].contains($0["method"]) }
      if let position = message["params"]?["patch"]?["position"] { told = position["at"] ?? told }
      guard let age = message["params"]?["live"]?[share] else { continue }
      #expect(age["at"] == told)
      if told != nil { ticksBehind += 1 }
    }
  }

  @Test("LOC-7: a position that was sent is kept when a change fails on a full disk")
  func fullDisk() async throws {
    let gate = Gate()
    let server = try await TestServer.start { $0.wrap = { gate.wrap(LifelessStore($0)) } }
    defer { server.end() }
    let (_, members) = try await server.household("Ana", "Bo")
    let share = try await members[0].share(with: members[1])
    let copy = try await members[1].watch(share)
    try await members[0].report(fix(52, 4))
    let told = try await members[1].client.notification("room.live")
    gate.failOnce(with: .full)
    let later: [String: JSON] = ["until": (Instant.now + .seconds(7200)).json]
    #expect(try await members[0].refusal("shares.extend", in: share, later).code == 7)
    let again = try await members[1].again(on: server)
    let answer = try await again.call("room.subscribe", in: share)
    #expect(answer["live"]?["position"] == told["patch"]?["position"])
    #expect(answer["version"]?.int == copy.version + 1, "the first report makes a version")
  }

  @Test("R-LOC: an invalid position is refused with all its invalid fields")
  func badFixes() async throws {
    let server = try await TestServer.start()
    defer { server.end() }
    let (_, members) = try await server.household("Ana", "Bo")
    let share = try await members[0].share(with: members[1])
    let refusal = try await members[0].refusal(
      "positions.report",
      ["fixes": [["lat": 90.1, "lon": -180.1, "accuracy": -1, "fixTime": "now", "battery": 101, "speed": 3]]])
    #expect(
      refusal.fields?.object?.keys.sorted() == [
        "fixes.0.accuracy", "fixes.0.battery", "fixes.0.fixTime", "fixes.0.lat", "fixes.0.lon", "fixes.0.speed",
        "sentAt",
      ])
    for (count, isTaken) in [(60, true), (61, false)] {
      let parameters: [String: JSON] = [
        "sentAt": Instant.now.json, "fixes": .array(Array(repeating: fix(52, 4), count: count)),
      ]
      if isTaken {
        try await members[0].call("positions.report", parameters)
      } else {
        #expect(try await members[0].refusal("positions.report", parameters).code == -32602)
      }
    }
    for (lat, lon) in [(90, 180), (-90, -180)] as [(JSON, JSON)] {
      try await members[0].report(fix(lat, lon, accuracy: 50_000))
    }
    let mixed = try await members[0].report(fix(-90, 180, accuracy: 50_001), fix(-90, -180, accuracy: 49_000))
    #expect(mixed["shares"] == 1)
    #expect(mixed["refused"] == [["index": 0, "reason": "accuracy must be 0 to 50000"]])
    // A receiver has no own share to report to.
    #expect(try await members[1].report(fix(1, 1))["shares"] == 0)
    #expect(try await members[1].watch(share).answer["live"]?["position"]?["lat"] == -90)
  }

  @Test("LOC-25, LOC-26: a silent phone is marked as lost after 180 s, also during downtime, and found when it reports")
  func lost() async throws {
    let server = try await TestServer.start()
    defer { server.end() }
    let (_, members) = try await server.household("Ana", "Bo")
    let share = try await members[0].share(with: members[1])
    try await members[0].report(fix(52.1, 4.1))
    // Live values are written to disk in idle time.
    try await Task.sleep(for: .milliseconds(1500))
    try await server.restart { $0.wrap = { LaterStore($0, after: .seconds(175)) } }
    let bo = try await members[1].again(on: server)
    let me = try await bo.watch("me")
    let copy = try await bo.watch(share)
    #expect(copy.state["share"]?["trackedAt"] != nil)
    try await copy.follow { $0["share"]?["lost"] == "noContact" }
    try await me.follow { $0["inbox"]?.object?.values.contains { $0["kind"] == "lost" } == true }
    let lost = try #require(me["inbox"].values.first { $0["kind"] == "lost" })
    #expect(lost["lat"] == nil && lost["cause"] == "noContact")
    let age = try #require(Instant(lost["at"])) - (try #require(Instant(lost["fixedAt"])))
    #expect(age >= .seconds(180) && age < .seconds(200))
    let ana = try await members[0].again(on: server)
    try await ana.report(fix(52.2, 4.2))
    try await copy.follow { $0["share"]?["lost"] == nil }
    try await me.follow { $0["inbox"]?.object?.values.contains { $0["kind"] == "back" } == true }
  }

  @Test(
    "LOC-7, LOC-8, SYN-6: heartbeats have the age of each position, and a report without a fix shows a living phone"
  )
  func ticks() async throws {
    let server = try await TestServer.start { $0.configuration.heartbeat = .seconds(1) }
    defer { server.end() }
    let (_, members) = try await server.household("Ana", "Bo")
    let share = try await members[0].share(with: members[1])
    try await members[0].report(fix(52.5, 4.5))
    let copy = try await members[1].watch(share)
    let fixedAt = try #require(copy.answer["live"]?["position"]?["at"])
    var last = try #require(Instant(copy.answer["live"]?["link"]?["at"]))
    for _ in 1...3 {
      let tick = try await members[1].client.notification("room.tick") { $0["live"]?[share] != nil }
      #expect(tick["rooms"]?[share]?.int == copy.version)
      #expect(tick["live"]?[share]?["at"] == fixedAt)
      let link = try #require(Instant(tick["live"]?[share]?["link"]))
      #expect(link >= last)
      last = link
      try await members[0].report()
    }
    let before = last
    let tick = try await members[1].client.notification("room.tick") {
      Instant($0["live"]?[share]?["link"]) ?? before > before
    }
    #expect(tick["live"]?[share]?["at"] == fixedAt)
  }

  @Test("LOC-20: one report feeds all shares of the sharer and no others")
  func severalShares() async throws {
    let server = try await TestServer.start()
    defer { server.end() }
    let (_, members) = try await server.household("Ana", "Bo", "Cy")
    let toBo = try await members[0].share(with: members[1])
    let toCy = try await members[0].share(with: members[2])
    let back = try await members[1].share(with: members[0])
    #expect(try await members[0].report(fix(52.6, 4.6))["shares"] == 2)
    #expect(try await members[1].watch(toBo).answer["live"]?["position"]?["lat"] == 52.6)
    #expect(try await members[2].watch(toCy).answer["live"]?["position"]?["lat"] == 52.6)
    #expect(try await members[0].watch(back).answer["live"]?["position"] == nil)
    #expect(try await members[1].refusal("room.subscribe", in: toCy).code == 3)
  }

  @Test("LOC-23, S3.11: only the chosen receivers ever get a position, in any frame, and the log has none")
  func privacy() async throws {
    let server = try await TestServer.start { $0.configuration.heartbeat = .seconds(1) }
    defer { server.end() }
    let (room, members) = try await server.household("Host", "Sharer", "Receiver")
    let (host, sharer, receiver) = (members[0], members[1], members[2])
    let stranger = try await server.member("Stranger")
    let share = try await sharer.share(with: receiver)
    for member in [host, stranger] {
      #expect(try await member.refusal("room.subscribe", in: share).code == 3)
      #expect(try await member.refusal("shares.extend", in: share, ["until": Instant.now.json]).code == 3)
    }
    for member in members { _ = try await member.watch("me") }
    _ = try await receiver.watch(share)
    for outsider in [host, stranger] { outsider.client.forget() }
    // Digits that occur nowhere else, except in ids, which may contain any.
    func tells(_ text: String) -> Bool {
      let rest = text.replacing(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/, with: "")
      return rest.contains("7007") || rest.contains("9009")
    }
    for (lat, lon) in [(-37.70071, 144.90093), (-37.70072, 144.90094)] as [(JSON, JSON)] {
      try await sharer.report(fix(lat, lon))
      let live = try await receiver.client.notification("room.live")
      #expect(live["patch"]?["position"]?["lon"] == lon && tells(live.text))
    }
    // Includes two heartbeats and every list and state that the host can request.
    for _ in 1...2 { _ = try await host.client.notification("room.tick") }
    let home = try await host.watch(room)
    let me = try await host.watch("me")
    let activity = try await host.call("activity.list", in: room)
    try await stranger.client.fence()
    var seen = [home.answer, me.answer, activity] + host.client.messagesNow + stranger.client.messagesNow
    seen.append(try await receiver.watch("me").answer)
    seen.append(try await receiver.watch(share).state)
    for message in seen { #expect(!tells(message.text), "\(message.text)") }
    for text in seen.map(\.text) where text.contains("share/") { #expect(text.contains(sharer.id)) }
    #expect(!server.log.contains { tells($0) || $0.contains("144.") })
  }
}
