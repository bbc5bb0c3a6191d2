import Foundation
import JSON
import Rooms
import Server
import Testing

@testable import HearthCommand

@Suite("Sharing a position")
struct ShareTests {
  private static let home: JSON = ["lat": 52, "lon": 4, "r": 100, "label": "home"]

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
    members[1].client.hearTicks()
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

  @Test(
    "LOC-7: a position that was sent is kept when a change, or the share's end, fails on a full disk",
    arguments: ["shares.extend", "shares.leave"])
  func fullDisk(method: String) async throws {
    let gate = Gate()
    let server = try await TestServer.start { $0.wrap = { gate.wrap(LifelessStore($0)) } }
    defer { server.end() }
    let (_, members) = try await server.household("Ana", "Bo")
    let share = try await members[0].share(with: members[1])
    let copy = try await members[1].watch(share)
    try await members[0].report(fix(52, 4))
    let told = try await members[1].client.notification("room.live")
    gate.failOnce(in: share)
    let isEnd = method == "shares.leave"
    let later: [String: JSON] = isEnd ? [:] : ["until": (Instant.now + .seconds(7200)).json]
    #expect(try await members[isEnd ? 1 : 0].refusal(method, in: share, later).code == 7)
    let again = try await members[1].again(on: server)
    let answer = try await again.call("room.subscribe", in: share)
    #expect(answer["live"]?["position"] == told["patch"]?["position"])
    #expect(answer["version"]?.int == copy.version + 1, "the first report makes a version")
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
      #expect(tick["live"]?[share]?["at"] == fixedAt && tick["live"]?[share]?["state"] == "fresh")
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

  @Test("LOC-7: heartbeats have the age of a position whose share is being loaded again")
  func reloading() async throws {
    let gate = Gate()
    let server = try await TestServer.start {
      $0.configuration.heartbeat = .seconds(1)
      $0.wrap = gate.wrap
    }
    defer { server.end() }
    let (_, members) = try await server.household("Ana", "Bo")
    let share = try await members[0].share(with: members[1])
    try await members[0].report(fix(52.5, 4.5))
    let fixedAt = try await members[1].watch(share).answer["live"]?["position"]?["at"]
    gate.failOnce(in: share)
    gate.holdLoads()
    let later: [String: JSON] = ["until": (Instant.now + .seconds(7200)).json]
    #expect(try await members[0].refusal("shares.extend", in: share, later).code == 7)
    for _ in 1...2 {
      let tick = try await members[1].client.notification("room.tick") { $0["rooms"]?[share] != nil }
      #expect(tick["live"]?[share]?["at"] == fixedAt)
    }
    gate.release()
  }

  @Test("LOC-20, LOC-35: a report of the reporting device feeds all shares of the sharer and no others")
  func severalShares() async throws {
    let server = try await TestServer.start()
    defer { server.end() }
    let (_, members) = try await server.household("Ana", "Bo", "Cy")
    let toBo = try await members[0].share(with: members[1])
    let toCy = try await members[0].share(with: members[2])
    let back = try await members[1].share(with: members[0])
    let answer = try await members[0].report(fix(52.6, 4.6))
    #expect(answer["shares"] == 2 && answer["intervalSeconds"] == 30 && answer["alreadyInside"] == nil)
    let (tablet, _) = try await members[0].logIn(on: server)
    let refusal = try await tablet.refusal("positions.report", ["sentAt": Instant.now.json, "fixes": [fix(52.7, 4.7)]])
    #expect(refusal.code == 4 && refusal.reason == "otherDevice")
    #expect(try await members[1].watch(toBo).answer["live"]?["position"]?["lat"] == 52.6)
    #expect(try await members[2].watch(toCy).answer["live"]?["position"]?["lat"] == 52.6)
    #expect(try await members[0].watch(back).answer["live"]?["position"] == nil)
    #expect(try await members[1].refusal("room.subscribe", in: toCy).code == 3)
  }

  @Test("LOC-23, S3.11: only the chosen receivers get a position; no other frame, log, metric or export has one")
  func privacy() async throws {
    let server = try await TestServer.start { $0.configuration.heartbeat = .seconds(1) }
    defer { server.end() }
    let (room, members) = try await server.household("Host", "Sharer", "Receiver")
    let (host, sharer, receiver) = (members[0], members[1], members[2])
    let stranger = try await server.member("Stranger")
    let share = try await sharer.share(
      with: [receiver], ["until": (.now + .seconds(3600)).json, "trail": true, "ride": true])
    try await receiver.call("pickup.accept", in: share, ["minutes": 9])
    try await host.call("shares.ask", ["person": .string(sharer.id)])
    for member in [host, stranger] {
      #expect(try await member.refusal("room.subscribe", in: share).code == 3)
      #expect(try await member.refusal("pickup.accept", in: share, ["minutes": 9]).code == 3)
      #expect(try await member.refusal("shares.extend", in: share, ["until": Instant.now.json]).code == 3)
    }
    for member in members { _ = try await member.watch("me") }
    _ = try await receiver.watch(share)
    for outsider in [host, stranger] { outsider.client.forget() }
    // Rounded, or as whole numbers; so many digits occur nowhere else, except in ids, which may contain any.
    func tells(_ text: String) -> Bool {
      let rest = text.replacing(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/, with: "")
      return ["37.7007", "377007", "144.9009", "1449009"].contains { rest.contains($0) }
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
    let map = try await receiver.watch(share)
    #expect(map.answer["live"]?["trail"]?.object?.count == 2 && tells(map.answer["live"]?["trail"]?.text ?? ""))
    seen.append(map.state)
    for message in seen { #expect(!tells(message.text), "\(message.text)") }
    for text in seen.map(\.text) where text.contains("share/") { #expect(text.contains(sharer.id)) }
    try await host.call("auth.confirm", ["password": .string(TestServer.password)])
    try await host.call("households.dismiss", in: room)
    try await me.follow { $0["dismissed"] != nil }
    let caller = HTTPCaller(port: server.port)
    let export = try #require(me["inbox"].values.first { $0["kind"] == "dismissed" }?["link"]?.string)
    for path in [export, "/metrics", "/healthz"] {
      let answer = try await caller.send("", method: "GET", path: path)
      #expect(answer.status == 200 && !tells(answer.body) && !answer.body.contains(share), "\(path)")
    }
    #expect(!server.log.contains { tells($0) || $0.contains("144.") })
  }

  @Test("R-ARRIVE: the answers to a start and to a report name the shares that started inside their place")
  func alreadyInside() async throws {
    let server = try await TestServer.start()
    defer { server.end() }
    let (_, members) = try await server.household("Ana", "Bo")
    let answer = try await members[0].call(
      "shares.start",
      [
        "receivers": [.string(members[1].id)], "place": Self.home, "position": ["lat": 52, "lon": 4, "accuracy": 9],
      ])
    #expect(answer["alreadyInside"] == true)
    let id = try #require(answer["id"])
    // Without a position at the start, the first fix decides.
    let other = try await members[0].share(with: [members[1]], ["place": Self.home])
    let ids = [id, .string(String(other.dropFirst("share/".count)))].sorted { $0.text < $1.text }
    #expect(try await members[0].report(fix(52, 4))["alreadyInside"] == .array(ids))
  }

  @Test("LOC-26: a killed process loses no share, and events that fell due meanwhile are reported once")
  func killed() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "hearth-shares-\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let first = try await TestServer.start(in: folder)
    let (_, members) = try await first.household("Ana", "Bo")
    await first.stop()

    let process = try await ServerProcess.start(data: folder)
    let (ana, bo) = (try await members[0].again(at: process.port), try await members[1].again(at: process.port))
    let over = try await ana.share(with: [bo], ["until": (.now + .seconds(3600)).json])
    let share = try await ana.share(with: [bo], ["place": Self.home, "ride": true])
    for room in [over, share] { try await bo.call("shares.see", in: room) }
    try await ana.report(fix(52.0063, 4))
    // The last fix may be lost.
    try await Task.sleep(for: .milliseconds(1200))
    try await ana.report(fix(52.0062, 4))
    await process.kill()

    let server = try await TestServer.start(in: folder) { $0.wrap = { LaterStore($0, after: .seconds(3700)) } }
    defer { server.end() }
    for round in 1...2 {
      if round == 2 { try await server.restart { $0.wrap = { LaterStore($0, after: .seconds(3700)) } } }
      for member in members {
        let again = try await member.again(on: server)
        let me = try await again.watch("me")
        try await me.follow { $0["shares"]?.object?.count == 1 }
        let copy = try await again.watch(share)
        #expect(copy["pickup"] == ["state": "wanted"] && copy["share"]["place"]?["r"] == 100)
        #expect(copy["receivers"][bo.id]?["state"] == "seen" && copy["share"]["arrival"] == "underWay")
        try await copy.follow { $0["share"]?["lost"] == "noContact" }
        if member.id == bo.id {
          try await me.follow { $0["inbox"]?.object?.values.contains { $0["kind"] == "lost" } == true }
        }
        let told = me["inbox"].values
        #expect(told.filter { $0["kind"] == "ended" }.map { $0["reason"] } == ["timeUp"])
        #expect(told.count { $0["kind"] == "lost" } == (member.id == bo.id ? 1 : 0))
        #expect(!told.contains { $0["kind"] == "ending" }, "an ended share needs no warning")
        let lat = copy.answer["live"]?["position"]?["lat"]
        #expect(lat == 52.0063 || lat == 52.0062)
        #expect(try await again.refusal("room.subscribe", in: over).code == 3)
      }
    }
  }

  @Test("SYN-4: a report is answered when its effect is on disk, and counts only if that succeeds")
  func answered() async throws {
    let gate = Gate()
    let server = try await TestServer.start { $0.wrap = { gate.wrap($0) } }
    defer { server.end() }
    let (_, members) = try await server.household("Ana", "Bo")
    let (ana, bo) = (members[0], members[1])
    let first = try await ana.share(with: bo)
    gate.hold(first)
    ana.post("positions.report", ["sentAt": Instant.now.json, "fixes": [fix(52, 4)]], id: 900)
    await gate.holdsOne()
    try await ana.client.fence()
    #expect(!ana.client.messagesNow.contains { $0["id"] == 900 })
    gate.release()
    #expect(try await ana.client.next { $0["id"] == 900 }["result"]?["shares"] == 1)
    // The change that the share is tracked from now on cannot be written.
    let second = try await ana.share(with: bo)
    gate.failOnce(in: second)
    #expect(try await ana.report(fix(52, 4))["shares"] == 1)
    #expect(try await bo.watch(second)["share"]["trackedAt"] == nil)
    #expect(try await ana.report(fix(52, 4))["shares"] == 2)
    #expect(try await bo.watch(second)["share"]["trackedAt"] != nil)
  }

  @Test("LOC-6: while a driver comes, the phone is asked to report every 10 seconds, and every 30 otherwise")
  func interval() async throws {
    let server = try await TestServer.start()
    defer { server.end() }
    let (_, members) = try await server.household("Ana", "Bo")
    let (ana, bo) = (members[0], members[1])
    _ = try await ana.share(with: bo)
    let ride = try await ana.share(with: [bo], ["until": (.now + .seconds(3600)).json, "ride": true])
    #expect(try await ana.report()["intervalSeconds"] == 30)
    try await bo.call("pickup.accept", in: ride, ["minutes": 5])
    #expect(try await ana.report()["intervalSeconds"] == 10)
    try await bo.call("pickup.release", in: ride)
    #expect(try await ana.report()["intervalSeconds"] == 30)
  }

  @Test("LOC-33, SYN-4: a block while a share begins takes the receiver out, though the share is not there yet")
  func blockedEarly() async throws {
    let gate = Gate()
    let server = try await TestServer.start {
      $0.loopCount = 1
      $0.wrap = { gate.wrap($0) }
    }
    defer { server.end() }
    let (_, members) = try await server.household("Ana", "Bo", "Cy")
    let (ana, bo, cy) = (members[0], members[1], members[2])
    let id = newID()
    gate.holdErasures()
    ana.post(
      "shares.start",
      [
        "id": .string(id), "receivers": [.string(bo.id), .string(cy.id)], "until": (Instant.now + .seconds(3600)).json,
      ], id: 900)
    await gate.holdsOne()
    try await ana.call("contacts.block", ["person": .string(bo.id)])
    // The message of the block has met a room that nobody has made yet.
    try await ana.client.fence()
    gate.release()
    #expect(try await ana.client.next { $0["id"] == 900 }["result"] != nil)
    let copy = try await cy.watch("share/\(id)")
    try await copy.follow { $0["receivers"]?.object?.keys.sorted() == [cy.id] }
    #expect(try await bo.refusal("room.subscribe", in: "share/\(id)").code == 3)
  }
}
