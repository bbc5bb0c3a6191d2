import JSON
import Rooms
import Testing

@testable import HearthCommand

@Suite("Dismissed households, end to end")
struct DismissedHouseholdTests {
  private static func link(in me: RoomCopy) -> String? {
    me["inbox"].values.first { $0["kind"] == "dismissed" }?["link"]?.string
  }

  @Test("HH-11: a household is dismissed to all at once, handed out by a link, and brought back after a restart")
  func comesBack() async throws {
    let server = try await TestServer.start()
    defer { server.end() }
    let (room, members) = try await server.household("Ana", "Bo")
    let (ana, bo) = (members[0], members[1])
    try await ana.call("notes.add", in: room, ["text": "Milk is out"])
    // More bills than a page of the export holds.
    for number in 1...120 {
      let bill: JSON = ["title": .string("Bill \(number)"), "amount": .number(.init(2 * number))]
      try await ana.call("bills.add", in: room, ["bill": bill])
    }
    try await ana.call("payments.record", in: room, ["from": .string(bo.id), "amount": 60])
    #expect(try await ana.refusal("households.dismiss", in: room).reason == "confirm")
    try await ana.call("auth.confirm", ["password": .string(TestServer.password)])
    #expect(try await bo.refusal("households.dismiss", in: room).reason == "forbidden")
    try await ana.call("households.dismiss", in: room)
    for member in members {
      let closed = try await member.client.notification("room.closed") { $0["room"]?.string == room }
      #expect(closed["reason"] == "dismissed")
      #expect(try await member.refusal("room.subscribe", in: room).reason == "room")
      #expect(try await member.refusal("room.subscribe", in: room + "/mine").reason == "room")
    }
    let bosRoom = try await bo.watch("me")
    try await bosRoom.follow { $0["dismissed"]?.object?.count == 1 }
    let link = try #require(Self.link(in: bosRoom))

    // The link needs no token, and outlives a restart.
    try await server.restart()
    let caller = HTTPCaller(port: server.port)
    let answer = try await caller.send("", method: "GET", path: link)
    #expect(answer.status == 200 && answer.headers["cache-control"] == "no-store")
    #expect(answer.headers["content-disposition"]?.hasPrefix("attachment") == true)
    let export = try #require(answer.json)
    #expect(export["person"]?.string == bo.id)
    #expect(export["state"]?["notes"]?.text.contains("Milk is out") == true)
    // The whole ledger is there, and adds up to the balances.
    #expect(export["bills"]?.array?.count == 120 && export["purchases"] == [])
    let titles = (export["bills"]?.array ?? []).map { $0["bill"]?["title"]?.string ?? "" }
    #expect(Set(titles).count == 120)
    #expect(export["payments"]?.array?.first?["payment"]?["amount"] == 60)
    let entries = export["ledger"]?.array ?? []
    let balance = entries.reduce(0) { $0 + ($1["people"]?[bo.id]?.int ?? 0) }
    #expect(entries.count == 121 && balance == 60 - 120 * 121 / 2)
    #expect(export["state"]?["balances"]?["EUR"]?["people"]?[bo.id]?.int == balance)
    #expect(try await caller.send("", method: "POST", path: link).status == 405)
    for path in [link + "A", String(link.dropLast()), "/export/", "/export/" + String(repeating: "A", count: 100)] {
      #expect(try await caller.send("", method: "GET", path: path).status == 404)
    }

    let again = try await ana.again(on: server)
    try await again.call("households.restore", ["household": Member.household(room)])
    let (home, bosPhone) = (try await again.watch(room), try await bo.again(on: server))
    #expect(home["members"].count == 2 && home["notes"].count == 1)
    let bosAgain = try await bosPhone.watch("me")
    try await bosAgain.follow { $0["households"]?.object?.count == 1 }
    try await bosPhone.call("notes.add", in: room, ["text": "I am back"])
    #expect(try await caller.send("", method: "GET", path: link).status == 404)
    #expect(Self.link(in: bosAgain) == nil)
  }

  @Test("HH-9: the member who left last may bring the household back")
  func last() async throws {
    let server = try await TestServer.start()
    defer { server.end() }
    let (room, members) = try await server.household("Ana")
    try await members[0].call("members.leave", in: room)
    try await members[0].call("households.restore", ["household": Member.household(room)])
    #expect(try await members[0].watch(room)["household"]["name"] != nil)
  }
}
