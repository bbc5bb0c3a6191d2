import JSON
import Rooms
import Testing

@testable import HearthCommand

/// The use cases that this release covers, each from beginning to end.
@Suite("Use cases")
struct UseCaseTests {
  @Test(
    "S0.1: after logging in, the person's settings and data load; a wrong token is reported and the connection ends")
  func logIn() async throws {
    let server = try await TestServer.start()
    defer { server.end() }
    let (room, members) = try await server.household("Ana", "Bo")
    try await members[0].call("settings.edit", ["muted": ["joined": true]])
    try await members[0].call("notes.add", in: room, ["text": "Rent is due"])
    let phone = try await server.connect()
    let login = try await phone.call(
      "auth.logIn", ["email": .string(members[0].email), "password": "correct horse", "device": "new phone"])
    let hello = try await phone.call(
      "hello", ["token": try #require(login["token"]), "client": .string(phone.id)])
    let me = try await phone.call("room.subscribe", ["room": "me"])
    #expect(me["state"]?["settings"]?["muted"] == ["joined": true] && me["state"]?["profile"]?["name"] == "Ana")
    for name in try #require(hello["rooms"]?.array) {
      let answer = try await phone.call("room.subscribe", ["room": name])
      if name.string == room { #expect(answer["state"]?["notes"]?.object?.count == 1) }
    }
    let thief = try await server.connect()
    _ = try await thief.refusal("hello", ["token": "guessed", "client": .string(newID())])
    _ = try await thief.notification("session.ended")
    #expect(try await thief.closeCode() == 4101)
  }

  @Test("S0.2, S0.3, S0.4, S0.5, S1.4: a household from its founding through invitation and joining to its end")
  func household() async throws {
    let server = try await TestServer.start()
    defer { server.end() }
    let ana = try await server.member("Ana")
    let bo = try await server.member("Bo")
    let cy = try await server.member("Cy")
    // S0.2: the creator is a member, sees its details, and could leave.
    let room = try await ana.makeHousehold("Elm Street")
    let home = try await ana.watch(room)
    #expect(home["household"]["name"] == "Elm Street" && home["members"].count == 1)
    // S0.3: the invitees see an invitation.
    let bosRoom = try await bo.watch("me")
    for guest in [bo, cy] { try await ana.invite(guest.email, to: room) }
    try await bosRoom.follow { $0["invitations"]?.object?.count == 1 }
    let cysRoom = try await cy.watch("me")
    try await cysRoom.follow { $0["invitations"]?.object?.count == 1 }
    // S0.5: Bo accepts and can do everything; Cy declines and nothing changes.
    try await bo.call("invitations.accept", ["id": .string(try #require(bosRoom["invitations"].keys.first))])
    try await cy.call("invitations.decline", ["id": .string(try #require(cysRoom["invitations"].keys.first))])
    try await home.follow { $0["members"]?.object?.count == 2 && $0["invitations"] == nil }
    try await bo.call("notes.add", in: room, ["text": "Hi"])
    try await home.follow { $0["notes"] != nil }
    #expect(try await cy.refusal("room.subscribe", in: room).code == 3)
    // S0.3 again: an address that is already a member's.
    let already = try await ana.refusal(
      "invitations.send", ["household": Member.household(room), "email": .string(bo.email)])
    #expect(already.reason == "alreadyMember")
    // S0.4: Bo leaves; Ana is notified; he sees nothing any longer.
    let anasRoom = try await ana.watch("me")
    let bosRooms = [room, room + "/mine"]
    for name in bosRooms { try await bo.call("room.subscribe", in: name) }
    try await bo.call("members.leave", in: room)
    for name in bosRooms {
      _ = try await bo.client.notification("room.closed") { $0["room"]?.string == name }
    }
    try await home.follow { $0["members"]?.object?.count == 1 }
    try await anasRoom.follow { $0["inbox"]?.object?.values.contains { $0["kind"] == "left" } == true }
    try await bosRoom.follow { $0["households"] == nil }
    #expect(try await bo.refusal("groceries.add", in: room, ["name": "Milk"]).code == 3)
    bo.client.forget()
    try await ana.call("notes.add", in: room, ["text": "Bo has left"])
    try await bo.client.fence()
    #expect(!bo.client.messagesNow.contains { bosRooms.contains($0["params"]?["room"]?.string ?? "") })
  }

  @Test("S0.10, S0.11, GRO-8: a list is filled in the kitchen and checked off in the shop")
  func shopping() async throws {
    let server = try await TestServer.start()
    defer { server.end() }
    let (room, members) = try await server.household("Ana", "Bo")
    let list = try await members[1].watch(room)
    let milk = try #require(try await members[0].call("groceries.add", in: room, ["name": "Milk"])["id"]?.string)
    let old = try #require(try await members[0].call("groceries.add", in: room, ["name": "Candles"])["id"]?.string)
    let eggs = try #require(
      try await members[0].call("groceries.add", in: room, ["name": "Eggs", "quantity": 6, "personal": true])["id"]?
        .string)
    try await list.follow { $0["groceries"]?.object?.count == 3 }
    try await members[1].call("groceries.remove", in: room, ["id": .string(old)])
    try await members[0].call("groceries.edit", in: room, ["id": .string(eggs), "quantity": 12])
    try await list.follow {
      $0["groceries"]?.object?.count == 2 && $0["groceries"]?[eggs]?["quantity"] == 12
    }
    // Personal items of two people stay two lines.
    try await members[1].call("groceries.add", in: room, ["name": "Eggs", "quantity": 1, "personal": true])
    try await list.follow { $0["groceries"]?.object?.count == 3 }
    let kitchen = try await members[0].watch(room)
    for item in [milk, eggs] {
      try await members[1].call("groceries.check", in: room, ["id": .string(item), "checked": true])
    }
    try await kitchen.follow {
      $0["groceries"]?[milk]?["checkedBy"] != nil && $0["groceries"]?[eggs]?["checkedBy"] != nil
    }
    #expect(kitchen["groceries"][milk]?["checkedBy"]?.string == members[1].id)
  }

  @Test("S0.22, S0.23: a temporary note, a removed note, and recent activity")
  func board() async throws {
    let server = try await TestServer.start()
    defer { server.end() }
    let (room, members) = try await server.household("Ana", "Bo")
    let board = try await members[1].watch(room)
    let timer = (Instant.now + .seconds(3600)).json
    let party = try await members[0].call("notes.add", in: room, ["text": "Party at eight", "expiresAt": timer])
    #expect(party["expiresAt"] == timer)
    let wrong = try await members[0].call("notes.add", in: room, ["text": "Prty at egiht"])
    try await members[0].call("notes.remove", in: room, ["id": try #require(wrong["id"])])
    try await board.follow(to: try await members[0].watch(room).version)
    #expect(board["notes"].values.compactMap { $0["text"]?.string } == ["Party at eight"])
    let events = board["activity"].values.sorted { $0["n"]?.int ?? 0 < $1["n"]?.int ?? 0 }
    #expect(events.compactMap { $0["kind"]?.string } == ["founded", "joined", "noteAdded", "noteAdded"])
    // A later viewer sees the same.
    let later = try await members[1].again(on: server, client: newID())
    #expect(try await later.watch(room).state == board.state)
  }

  @Test("S3.1, S3.2, S3.3, S3.11: a way home is visible to the chosen friends and to nobody else")
  func wayHome() async throws {
    let server = try await TestServer.start()
    defer { server.end() }
    let (_, members) = try await server.household("Walker", "Friend", "Flatmate")
    let (walker, friend, flatmate) = (members[0], members[1], members[2])
    let bell = try await friend.watch("me")
    let share = try await walker.share(with: friend, until: .now + .seconds(2 * 3600))
    // S3.1: receivers are told who shares and for how long; no ride is wanted.
    try await bell.follow { $0["inbox"]?.object?.values.contains { $0["kind"] == "share" } == true }
    let told = try #require(bell["inbox"].values.first { $0["kind"] == "share" })
    let left = try #require(Instant(told["until"])) - Instant.now
    #expect(told["actorName"] == "Walker" && left > .seconds(7000) && left <= .seconds(7200))
    // S3.3: the friend watches; S3.2: the phone reports by itself, and the server keeps the last position.
    let map = try await friend.watch(share)
    #expect(map.answer["live"]?["position"] == nil, "no position before the first report")
    for step in 1...4 {
      let lat: JSON = .number(try #require(JSON.Number(52 + Double(step) / 10_000)))
      try await walker.report(fix(lat, 4.9))
      #expect(try await friend.client.notification("room.live")["patch"]?["position"]?["lat"] == lat)
    }
    let later = try await friend.again(on: server, client: newID())
    let copy = try await later.watch(share)
    #expect(copy.answer["live"]?["position"]?["lat"] == 52.0004)
    #expect(copy["receivers"][friend.id]?["state"] == "invited", "subscribing alone does not count as looking")
    #expect(try await later.watch("me")["shares"].values.first?["state"] == "active")
    // S3.11
    #expect(try await flatmate.refusal("room.subscribe", in: share).code == 3)
    try await flatmate.client.fence()
    #expect(!flatmate.client.messagesNow.contains { $0.text.contains("52.000") || $0.text.contains(share) })
  }

  @Test("S3.1, S3.9, S3.10: two people share their ways home with each other; one wants a ride, one arrives")
  func bothWays() async throws {
    let server = try await TestServer.start()
    defer { server.end() }
    let (_, members) = try await server.household("Walker", "Cyclist")
    let (walker, cyclist) = (members[0], members[1])
    let (hers, his) = (try await walker.watch("me"), try await cyclist.watch("me"))
    let home: JSON = ["lat": 52, "lon": 4, "r": 100, "label": "home"]
    let walk = try await walker.share(with: [cyclist], ["until": (.now + .seconds(7200)).json, "ride": true])
    let ride = try await cyclist.share(with: [walker], ["place": home])
    // S3.1: each sees the other's share: its time limit and the wanted ride, or its place.
    try await his.follow { $0["inbox"]?.object?.values.contains { $0["kind"] == "share" } == true }
    let needsRide = try #require(his["inbox"].values.first { $0["kind"] == "share" })
    #expect(needsRide["pickup"] == "wanted" && needsRide["until"] != nil && needsRide["place"] == nil)
    try await hers.follow { $0["inbox"]?.object?.values.contains { $0["kind"] == "share" } == true }
    let untilHome = try #require(hers["inbox"].values.first { $0["kind"] == "share" })
    #expect(untilHome["pickup"] == nil && untilHome["until"] == nil && untilHome["place"] == "home")
    // S3.9: a person is sharer and receiver at once, and the sharer sees who has looked.
    try await his.follow { $0["shares"]?.object?.count == 2 }
    #expect(Set(his["shares"].values.compactMap { $0["role"]?.string }) == ["sharer", "receiver"])
    let seen = try await walker.watch(walk)
    try await cyclist.call("shares.see", in: walk)
    try await seen.follow { $0["receivers"]?[cyclist.id]?["state"] == "seen" }
    for (member, lat) in [(walker, 52.01), (cyclist, 52.02)] as [(Member, JSON)] {
      #expect(try await member.report(fix(lat, 4))["shares"] == 1)
    }
    #expect(try await cyclist.watch(walk).answer["live"]?["position"]?["lat"] == 52.01)
    #expect(try await walker.watch(ride).answer["live"]?["position"]?["lat"] == 52.02)
    // S3.10, a quarter of an hour later.
    try await server.restart { $0.wrap = { LaterStore($0, after: .seconds(900)) } }
    let bell = try await walker.again(on: server).watch("me")
    let now = Instant.now
    try await cyclist.again(on: server).report(
      fix(52, 4, at: now - .seconds(30)), fix(52, 4.0001, at: now - .seconds(10)))
    try await bell.follow { $0["inbox"]?.object?.values.contains { $0["kind"] == "arrived" } == true }
    #expect(bell["shares"].values.map { $0["role"] } == ["sharer"], "her own share continues")
  }

  @Test("S3.4, S3.5, S3.6: a friend drives: alerted, accepted with a time, the others told, collected")
  func pickUp() async throws {
    let server = try await TestServer.start()
    defer { server.end() }
    let (_, members) = try await server.household("Walker", "Driver", "Friend")
    let (walker, driver, friend) = (members[0], members[1], members[2])
    var bells: [String: RoomCopy] = [:]
    for member in members { bells[member.name] = try await member.watch("me") }
    func told(_ member: Member, _ state: JSON, by actor: Member) async throws -> JSON {
      func isMeant(_ row: JSON) -> Bool {
        row["kind"] == "pickup" && row["pickup"] == state && row["actor"]?.string == actor.id
      }
      let bell = try #require(bells[member.name])
      try await bell.follow { $0["inbox"]?.object?.values.contains(where: isMeant) == true }
      return try #require(bell["inbox"].values.first(where: isMeant))
    }
    let walk = try await walker.share(with: driver, friend, until: .now + .seconds(3600))
    try await walker.report(fix(52, 4))
    // S3.4
    try await walker.call("pickup.ready", in: walk)
    for member in [driver, friend] { _ = try await told(member, "requested", by: walker) }
    // S3.5: of two who accept at once the first one is the driver.
    let map = try await friend.watch(walk)
    try await driver.call("pickup.accept", in: walk, ["minutes": 12])
    let late = try await friend.refusal("pickup.accept", in: walk, ["minutes": 3])
    #expect(late.reason == "alreadyAccepted" && late.error["data"]?["by"]?.string == driver.id)
    let accepted = try await told(walker, "accepted", by: driver)
    let comes = try #require(Instant(accepted["arriveBy"])) - Instant.now
    #expect(accepted["actorName"] == "Driver" && comes > .seconds(11 * 60) && comes <= .seconds(12 * 60))
    #expect(try await told(friend, "accepted", by: driver)["actorName"] == nil, "someone has accepted")
    try await map.follow { $0["pickup"]?["by"]?.string == driver.id }
    // The list of all who share has the driver, too.
    #expect(try #require(bells["Friend"])["shares"].values.first?["driverName"] == "Driver")
    // S3.6: the way there; the position has five decimals.
    #expect(try await driver.call("shares.distance", in: walk, ["lat": 52, "lon": 4.001])["metres"] == 68)
    try await driver.call("pickup.collected", in: walk)
    _ = try await told(walker, "collected", by: driver)
  }

  @Test("S3.7, S3.8: a receiver stops, and the sharer stops by consent")
  func stopping() async throws {
    let server = try await TestServer.start()
    defer { server.end() }
    let (_, members) = try await server.household("Walker", "Friend", "Other")
    let (walker, friend, other) = (members[0], members[1], members[2])
    let bell = try await walker.watch("me")
    func told(_ kind: JSON) async throws {
      try await bell.follow { $0["inbox"]?.object?.values.contains { $0["kind"] == kind } == true }
    }
    // S3.7: one of several, then the only one.
    let walk = try await walker.share(with: friend, other)
    let map = try await friend.watch(walk)
    try await other.call("shares.leave", in: walk)
    try await map.follow { $0["formerReceivers"]?[other.id]?["state"] == "left" }
    #expect(try await other.refusal("room.subscribe", in: walk).code == 3)
    try await told("receiverLeft")
    try await friend.call("shares.leave", in: walk)
    try await bell.follow { $0["inbox"]?.object?.values.contains { $0["reason"] == "noReceivers" } == true }
    #expect(bell["shares"].isEmpty)
    // S3.8: denied, the share goes on; confirmed by both, it ends.
    let next = try await walker.share(with: friend, other)
    try await walker.call("shares.stop", in: next)
    try await other.call("shares.answerStop", in: next, ["confirm": false])
    try await told("stopDenied")
    try await friend.call("shares.answerStop", in: next, ["confirm": true])
    #expect(try await other.watch(next)["receivers"].keys.sorted() == [other.id])
    try await other.call("shares.answerStop", in: next, ["confirm": true])
    try await bell.follow { $0["inbox"]?.object?.values.contains { $0["reason"] == "stopped" } == true }
    #expect(bell["shares"].isEmpty)
  }

  @Test("S0.12, GRO-5: all members see the same sums, and items of different people add up")
  func aggregate() async throws {
    let server = try await TestServer.start()
    defer { server.end() }
    let (room, members) = try await server.household("Ana", "Bo")
    let copies = [try await members[0].watch(room), try await members[1].watch(room)]
    for member in members { try await member.call("groceries.add", in: room, ["name": "Eggs", "personal": true]) }
    for copy in copies { try await copy.follow { $0["aggregate"]?.object?.values.first?["quantity"] == 2 } }
    let id = try #require(copies[0]["groceries"].keys.first)
    try await members[1].call("groceries.check", in: room, ["id": .string(id), "checked": true])
    for copy in copies {
      try await copy.follow { $0["aggregate"]?.object?.values.first?["quantity"] == nil }
      #expect(copy["aggregate"].count == 1)
    }
  }
}
