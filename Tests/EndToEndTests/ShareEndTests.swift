import Foundation
import JSON
import Rooms
import Testing

@testable import HearthCommand

/// Shares until a place, and the ends of shares. Time that must pass does so while the server is down.
@Suite("Shares until a place, and ends of shares")
struct ShareEndTests {
  static let home: JSON = ["lat": 52, "lon": 4, "r": 100, "label": "home"]

  /// A position this many metres north of the place.
  static func north(_ metres: Double) -> JSON {
    JSON.Number(((52 + metres / 111_195.08) * 1e5).rounded() / 1e5).map(JSON.number) ?? .null
  }

  /// A person watching their own room after a restart.
  struct Watcher {
    let member: Member
    let me: RoomCopy

    func told(_ kind: String) -> [JSON] {
      me["inbox"].values.filter { $0["kind"]?.string == kind }
    }
  }

  /// Lets time pass while the server is down, then reconnects all members to watch their own rooms.
  static func later(_ passed: Duration, _ members: [Member], on server: TestServer) async throws -> [Watcher] {
    // Live values are written to disk in idle time.
    try await Task.sleep(for: .milliseconds(1200))
    try await server.restart { if passed > .zero { $0.wrap = { LaterStore($0, after: passed) } } }
    var watchers: [Watcher] = []
    for member in members {
      let again = try await member.again(on: server)
      watchers.append(Watcher(member: again, me: try await again.watch("me")))
    }
    return watchers
  }

  @Test("LOC-17, LOC-34, S3.10: an arrival is reported once to all members of the share and ends it")
  func arrival() async throws {
    let server = try await TestServer.start()
    defer { server.end() }
    let (_, members) = try await server.household("Ana", "Bo", "Cy")
    let share = try await members[0].share(with: [members[1], members[2]], ["place": Self.home])
    try await members[0].report(fix(Self.north(500), 4))
    var all = try await Self.later(.seconds(120), members, on: server)
    for watcher in all { _ = try await watcher.member.watch(share) }
    let now = Instant.now
    let answer = try await all[0].member.report(
      fix(Self.north(40), 4, at: now - .seconds(15)), fix(Self.north(300), 4, at: now - .seconds(60)),
      fix(Self.north(50), 4, at: now - .seconds(30)))
    #expect(answer["shares"] == 1 && answer["intervalSeconds"] == 30 && answer["alreadyInside"] == nil)
    for watcher in all {
      let closed = try await watcher.member.client.notification("room.closed")
      #expect(closed == ["room": .string(share), "reason": "ended"])
      try await watcher.me.follow { $0["shares"] == nil }
      let told = try #require(watcher.told("arrived").first)
      #expect(told["actorName"] == "Ana" && told["place"] == "home" && told["reason"] == "arrived")
      #expect(!watcher.me.state.text.contains("\"lat\""), "only the share has the place's coordinates")
      #expect(try await watcher.member.refusal("room.subscribe", in: share).code == 3)
    }
    #expect(try await all[0].member.report(fix(Self.north(40), 4))["shares"] == 0)
    all = try await Self.later(.zero, members, on: server)
    for watcher in all {
      #expect(watcher.told("arrived").count == 1 && watcher.told("ended").isEmpty && watcher.told("urgent").isEmpty)
    }
  }

  @Test("LOC-3, LOC-14, LOC-17, S3.1: an arrival closes the pick-up that was wanted, and ends the share at once")
  func wantedRide() async throws {
    let server = try await TestServer.start()
    defer { server.end() }
    let (_, members) = try await server.household("Ana", "Bo")
    let bell = try await members[1].watch("me")
    let share = try await members[0].share(with: [members[1]], ["place": Self.home, "ride": true])
    let id = String(share.dropFirst("share/".count))
    try await bell.follow { $0["shares"] != nil }
    let offered = try #require(bell["inbox"].values.first { $0["kind"] == "share" })
    #expect(offered["place"] == "home" && offered["pickup"] == "wanted" && offered["until"] == nil)
    #expect(bell["shares"][id]?["place"] == "home" && bell["shares"][id]?["pickup"] == "wanted")
    #expect(!bell.state.text.contains("\"lat\""))
    try await members[0].report(fix(Self.north(500), 4))
    let all = try await Self.later(.seconds(120), members, on: server)
    let copy = try await all[1].member.watch(share)
    #expect(copy.state["pickup"] == ["state": "wanted"] && copy["share"]["place"]?["lat"] == 52)
    let now = Instant.now
    for ago in [40, 20] { try await all[0].member.report(fix(Self.north(9), 4, at: now - .seconds(ago))) }
    try await copy.follow { $0["share"]?["reason"] == "arrived" }
    #expect(copy.state["pickup"]?["state"] != "wanted")
    for watcher in all {
      try await watcher.me.follow { $0["shares"] == nil }
      #expect(watcher.told("arrived").map { $0["reason"] } == ["arrived"] && watcher.told("ended").isEmpty)
    }
  }

  @Test("R-ARRIVE: a share that starts inside its place reports that, and the sharer arrives only after leaving")
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
    let room = "share/\(id.string ?? "")"
    // Without a position at the start, the first fix decides.
    let other = try await members[0].share(with: [members[1]], ["place": Self.home])
    let ids = [id, .string(String(other.dropFirst("share/".count)))].sorted { $0.text < $1.text }
    #expect(try await members[0].report(fix(Self.north(9), 4))["alreadyInside"] == .array(ids))
    let all = try await Self.later(.seconds(300), members, on: server)
    let copy = try await all[1].member.watch(room)
    #expect(copy["share"]["arrival"] == "alreadyInside")
    let now = Instant.now
    let inside = try await all[0].member.report(
      fix(Self.north(9), 4, at: now - .seconds(250)), fix(Self.north(9), 4, at: now - .seconds(230)))
    #expect(inside["alreadyInside"] == .array(ids))
    let left = try await all[0].member.report(
      fix(Self.north(500), 4, at: now - .seconds(100)), fix(Self.north(500), 4, at: now - .seconds(90)))
    #expect(left["alreadyInside"] == nil)
    try await copy.follow { $0["share"]?["arrival"] == "underWay" }
    try await all[0].member.report(
      fix(Self.north(9), 4, at: now - .seconds(30)), fix(Self.north(9), 4, at: now - .seconds(20)))
    try await all[1].me.follow { $0["shares"] == nil }
    #expect(all[1].told("arrived").count == 2)
  }

  @Test("LOC-32: an identical report a minute later is acknowledged and is not a second fix")
  func replay() async throws {
    let server = try await TestServer.start()
    defer { server.end() }
    let (_, members) = try await server.household("Ana", "Bo")
    let share = try await members[0].share(with: [members[1]], ["place": Self.home])
    try await members[0].report(fix(Self.north(150), 4))
    let sentAt = Instant.now
    try await members[0].report(fix(Self.north(9), 4, at: sentAt, accuracy: 100), sentAt: sentAt)
    let all = try await Self.later(.seconds(60), members, on: server)
    let copy = try await all[1].member.watch(share)
    let before = try #require(copy.answer["live"]?["position"])
    // All clocks have moved on, and with them the time that the phone reported.
    let then = sentAt - .seconds(60)
    for _ in 1...2 {
      let answer = try await all[0].member.report(
        fix(Self.north(9), 4, at: then, accuracy: 100), sentAt: then)
      #expect(answer["shares"] == 1)
      let live = try await all[1].member.client.notification("room.live")
      #expect(live["patch"]?["position"] == nil && live["patch"]?["link"]?["at"] != nil)
    }
    #expect(try await all[1].member.watch(share).answer["live"]?["position"] == before)
    #expect(before["receivedAt"] != nil)
  }

  @Test("LOC-35: one device reports, and another does not arrive until it takes over, also after a restart")
  func devices() async throws {
    let server = try await TestServer.start()
    defer { server.end() }
    let (_, members) = try await server.household("Ana", "Bo")
    let share = try await members[0].share(with: [members[1]], ["place": Self.home])
    let phone = members[0]
    let me = try await phone.watch("me")
    try await phone.report(fix(Self.north(500), 4))
    try await me.follow { $0["reporter"]?["client"]?.string == phone.client.id }
    let (before, session) = try await DeviceTests().logIn(phone, on: server, "Tablet")
    let all = try await Self.later(.seconds(120), [phone, before, members[1]], on: server)
    let tablet = all[1].member
    let now = Instant.now
    let report: [String: JSON] = [
      "sentAt": now.json,
      "fixes": [fix(Self.north(9), 4, at: now - .seconds(40)), fix(Self.north(9), 4, at: now - .seconds(20))],
    ]
    let refusal = try await tablet.refusal("positions.report", report)
    #expect(refusal.code == 4 && refusal.reason == "otherDevice")
    let copy = try await all[2].member.watch(share)
    #expect(copy["share"]["arrival"] == "underWay" && copy.answer["live"]?["position"]?["lat"] == Self.north(500))
    try await all[0].member.report(fix(Self.north(480), 4, at: now - .seconds(10)))
    try await tablet.call("shares.takeOver")
    let other = try await all[0].member.refusal("positions.report", ["sentAt": now.json])
    #expect(other.reason == "otherDevice")
    try await all[0].me.follow { $0["reporter"]?["session"]?.string == session }
    #expect(all[0].me["reporter"]["client"]?.string == tablet.client.id)
    #expect(try await tablet.report(fix(Self.north(470), 4))["shares"] == 1)
    #expect(try await members[1].again(on: server).refusal("shares.takeOver").code == 3)
  }

  @Test("LOC-18, LOC-21: a receiver confirms having looked and asks for the distance, unnoticed by others")
  func looking() async throws {
    let server = try await TestServer.start()
    defer { server.end() }
    let (_, members) = try await server.household("Ana", "Bo", "Cy")
    let share = try await members[0].share(with: members[1], members[2])
    let copy = try await members[0].watch(share)
    _ = try await members[1].watch(share)
    #expect(copy["receivers"][members[1].id]?["state"] == "invited", "subscribing alone does not count as looking")
    try await members[1].call("shares.see", in: share)
    try await copy.follow { $0["receivers"]?[members[1].id]?["state"] == "seen" }
    #expect(Instant(copy["receivers"][members[1].id]?["seenAt"]) != nil)
    #expect(copy["receivers"][members[2].id]?["state"] == "invited")
    #expect(try await members[0].refusal("shares.see", in: share).code == 2)

    let nowhere = try await members[1].refusal("shares.distance", in: share, ["lat": 52, "lon": 4])
    #expect(nowhere.code == 3 && nowhere.reason == "position")
    try await members[0].report(fix(Self.north(1000), 4))
    let version = copy.version
    let answer = try await members[1].call("shares.distance", in: share, ["lat": 52, "lon": 4])
    #expect(answer["metres"] == 1000 && Instant(answer["at"]) != nil && answer["version"] == nil)
    let bad = try await members[1].refusal("shares.distance", in: share, ["lat": 90.1, "lon": -180.1])
    #expect(bad.fields?.object?.keys.sorted() == ["lat", "lon"])
    let eve = try await server.member("Eve")
    let point: [String: JSON] = ["lat": 52, "lon": 4]
    let outside = try await eve.refusal("shares.distance", in: share, point)
    let nobodys = try await eve.refusal("shares.distance", in: "share/\(newID())", point)
    #expect(outside.code == 3 && outside.error == nobodys.error)
    // Only the first report made a version since.
    #expect(try await members[1].watch(share).version == version + 1)
  }

  @Test("LOC-2: a share until a place runs at most 12 hours, only the sharer extends it, and invalid fields are named")
  func cap() async throws {
    let server = try await TestServer.start()
    defer { server.end() }
    let (_, members) = try await server.household("Ana", "Bo")
    let bo: JSON = [.string(members[1].id)]
    let start = Instant.now
    let bad: [([String: JSON], [String])] = [
      (["receivers": bo], ["until"]),
      (["receivers": bo, "place": Self.home, "until": (start + .seconds(12 * 3600 + 60)).json], ["until"]),
      (
        ["receivers": bo, "place": ["lat": 91, "lon": 181, "r": 29]],
        ["place.label", "place.lat", "place.lon", "place.r"]
      ),
      (["receivers": bo, "place": ["lat": 1, "lon": 1, "r": 2001, "label": "home"]], ["place.r"]),
      (
        ["receivers": bo, "place": Self.home, "ride": "yes", "position": ["lat": 1]],
        ["position.lon", "ride"]
      ),
    ]
    for (parameters, fields) in bad {
      #expect(try await members[0].refusal("shares.start", parameters).fields?.object?.keys.sorted() == fields)
    }
    let share = try await members[0].share(
      with: [members[1]], ["place": Self.home, "until": (start + .seconds(3600)).json])
    let copy = try await members[1].watch(share)
    #expect(copy["share"]["until"] == (start + .seconds(3600)).json && copy["share"]["arrival"] == nil)
    let later = (start + .seconds(12 * 3600 - 60)).json
    #expect(try await members[1].refusal("shares.extend", in: share, ["until": later]).code == 2)
    let tooLate = (start + .seconds(13 * 3600)).json
    #expect(try await members[0].refusal("shares.extend", in: share, ["until": tooLate]).code == -32602)
    try await members[0].call("shares.extend", in: share, ["until": later])
    try await copy.follow { $0["share"]?["until"] == later }
  }

  @Test("LOC-34: a sharer who has not arrived in time is reported as urgent, once, to all, also after downtime")
  func notArrived() async throws {
    let server = try await TestServer.start()
    defer { server.end() }
    let (_, members) = try await server.household("Ana", "Bo")
    let share = try await members[0].share(
      with: [members[1]], ["place": Self.home, "until": (.now + .seconds(1000)).json])
    try await members[0].report(fix(Self.north(900), 4))
    let all = try await Self.later(.seconds(1100), members, on: server)
    for watcher in all {
      try await watcher.me.follow { $0["shares"] == nil }
      let told = try #require(watcher.told("urgent").first)
      #expect(told["reason"] == "notArrived" && told["place"] == "home" && Instant(told["fixedAt"]) != nil)
      #expect(try await watcher.member.refusal("room.subscribe", in: share).code == 3)
    }
    for watcher in try await Self.later(.zero, members, on: server) {
      #expect(watcher.told("urgent").count == 1 && watcher.told("ended").isEmpty)
    }
  }

  @Test("LOC-34: only the sharer is warned ten minutes before the end, once")
  func warning() async throws {
    let server = try await TestServer.start()
    defer { server.end() }
    let (_, members) = try await server.household("Ana", "Bo")
    let share = try await members[0].share(with: members[1])
    var all = try await Self.later(.seconds(3600 - 598), members, on: server)
    try await all[0].me.follow { $0["inbox"]?.object?.values.contains { $0["kind"] == "ending" } == true }
    #expect(all[0].told("ending").first?["room"]?.string == share)
    all = try await Self.later(.seconds(10), members, on: server)
    _ = try await all[0].member.watch(share)
    #expect(all[0].told("ending").count == 1 && all[1].told("ending").isEmpty)
  }

  @Test("LOC-8: a heartbeat reports whether a position is fresh or stale", arguments: [(0, "fresh"), (100, "stale")])
  func freshness(passed: Int, state: String) async throws {
    let server = try await TestServer.start()
    defer { server.end() }
    let (_, members) = try await server.household("Ana", "Bo")
    let share = try await members[0].share(with: members[1])
    try await members[0].report(fix(52, 4))
    try await Task.sleep(for: .milliseconds(1200))
    try await server.restart {
      $0.wrap = { LaterStore($0, after: .seconds(passed)) }
      $0.configuration.heartbeat = .seconds(1)
    }
    let bo = try await members[1].again(on: server)
    #expect(try await bo.watch(share).answer["live"]?["position"]?["lat"] == 52, "the position stays visible")
    let tick = try await bo.client.notification("room.tick") { $0["live"]?[share] != nil }
    #expect(tick["live"]?[share]?["state"]?.string == state)
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
    try await ana.report(fix(Self.north(700), 4))
    // The last fix may be lost.
    try await Task.sleep(for: .milliseconds(1200))
    try await ana.report(fix(Self.north(690), 4))
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
        #expect(lat == Self.north(700) || lat == Self.north(690))
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
    gate.failOnce()
    #expect(try await ana.report(fix(52, 4))["shares"] == 1)
    #expect(try await bo.watch(second)["share"]["trackedAt"] == nil)
    #expect(try await ana.report(fix(52, 4))["shares"] == 2)
    #expect(try await bo.watch(second)["share"]["trackedAt"] != nil)
  }
}
