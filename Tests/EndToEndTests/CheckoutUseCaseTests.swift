import JSON
import Testing

@testable import HearthCommand

@Suite("Use cases: checkout and bills")
struct CheckoutUseCaseTests {
  private static func item(_ name: JSON, in home: JSON) -> String? {
    home["groceries"]?.object?.first { $0.value["name"] == name }?.key
  }

  /// A person's newest notification of a kind, once it has arrived.
  private func inbox(_ me: RoomCopy, has kind: JSON, _ isWanted: (JSON) -> Bool = { _ in true }) async throws -> JSON {
    func found(_ me: JSON) -> JSON? {
      (me["inbox"]?.object ?? [:]).values.first { $0["kind"] == kind && isWanted($0) }
    }
    try await me.follow { found($0) != nil }
    return try #require(found(me.state))
  }

  @Test(
    "S0.14, S0.15, GRO-14, GRO-15: a list is completed with its cost, and changed later; all that follows from it does"
  )
  func complete() async throws {
    let server = try await TestServer.start()
    defer { server.end() }
    let (room, members) = try await server.household("Ana", "Bo", "Cleo")
    let (ana, bo, cleo) = (members[0], members[1], members[2])
    let homes = try await (ana.watch(room), bo.watch(room))
    let me = try await (bo.watch("me"), cleo.watch("me"))
    var lines: [JSON] = []
    for (member, item) in [
      (bo, ["name": "Milk", "quantity": 2, "unit": "l"] as [String: JSON]), (ana, ["name": "Rice"]),
      (cleo, ["name": "Cake", "personal": true]), (bo, ["name": "Salt"]),
    ] {
      lines.append(["id": try #require(try await member.call("groceries.add", in: room, item)["id"])])
    }
    // Ana buys all but the salt. Her receipt says 12.00, of which the cake was 3.00.
    let cake: JSON = ["id": lines[2]["id"] ?? .null, "price": 300]
    let bought = try await ana.call(
      "trips.complete", in: room, ["lines": [lines[0], lines[1], cake], "total": 1200])
    let purchase = try #require(bought["id"])
    #expect(bought["shares"] == [ana.id: 300, bo.id: 300, cleo.id: 600] && bought["skipped"] == nil)
    for home in [homes.0, homes.1] {
      try await home.follow {
        $0["balances"]?["EUR"]?["people"] == [ana.id: 900, bo.id: -300, cleo.id: -600]
          && Self.item("Milk", in: $0) == nil && Self.item("Cake", in: $0) == nil && Self.item("Salt", in: $0) != nil
      }
    }
    let told = try await inbox(me.1, has: "shopped")
    #expect(told["amount"] == 600 && told["currency"] == "EUR" && told["actorName"] == "Ana")
    let listed = try await cleo.call("trips.history", in: room)["items"]?[0]
    #expect(listed?["id"] == purchase && listed?["total"] == 1200 && listed?["lines"]?.array?.count == 3)
    // Things that Ana has bought are not bought again.
    let again = try await bo.call("trips.complete", in: room, ["lines": [lines[1], lines[3]], "total": 90])
    #expect(again["skipped"]?[lines[1]["id"]?.string ?? ""] == ["reason": "alreadyBought", "by": .string(ana.id)])

    // At home she sees that the rice was 2.00 and for Bo, that she forgot the tea, and that the total was another one.
    let changed: [JSON] = [
      ["id": lines[0]["id"] ?? .null, "name": "Milk", "quantity": 2, "unit": "l"],
      ["name": "Rice", "owner": .string(bo.id), "price": 200], ["name": "Tea"],
    ]
    let edited = try await ana.call(
      "trips.edit", in: room, ["id": purchase, "lines": .array(changed), "total": 800])
    #expect(edited["shares"] == [ana.id: 200, bo.id: 400, cleo.id: 200])
    try await homes.1.follow { home in
      home["balances"]?["EUR"]?["people"]?[cleo.id] == -230 && home["bills"]?.object?.count == 2
    }
    for (copy, name) in [(me.0, "Bo"), (me.1, "Cleo")] {
      let news = try await inbox(copy, has: "purchaseChanged")
      #expect(news["actorName"] == "Ana" && news["ref"] == purchase, "\(name)")
    }
    #expect(try await bo.refusal("trips.edit", in: room, ["id": purchase, "note": "Mine"]).reason == "forbidden")
    // A server that starts again knows both versions.
    try await server.restart()
    let back = try await bo.again(on: server)
    let versions = try await back.call("trips.versions", in: room, ["id": purchase])["items"]?.array ?? []
    #expect(versions.map { $0["purchase"]?["total"] } == [800, 1200])
    #expect(try await back.watch(room)["balances"]["EUR"]?["people"]?[cleo.id] == -230)
  }

  @Test("S0.16, S0.18, S0.19, BIL-3, BIL-4: a bill is shared with some; they see it, its history, and who owes whom")
  func bills() async throws {
    let server = try await TestServer.start()
    defer { server.end() }
    let (room, members) = try await server.household("Ana", "Bo", "Cleo")
    let (ana, bo, cleo) = (members[0], members[1], members[2])
    let home = try await bo.watch(room)
    let me = try await (bo.watch("me"), cleo.watch("me"))
    let among: JSON = ["people": [.string(ana.id), .string(bo.id)]]
    let pizza: JSON = ["title": "Pizza", "amount": 2400, "split": among, "note": "Friday, with the neighbours"]
    let id = try #require(try await ana.call("bills.add", in: room, ["bill": pizza])["id"])
    let told = try await inbox(me.0, has: "bill")
    #expect(told["ref"] == id && told["name"] == "Pizza" && told["amount"] == 1200 && told["actorName"] == "Ana")
    try await home.follow { $0["bills"]?[id.string ?? ""]?["note"] == "Friday, with the neighbours" }
    #expect(me.1["inbox"].values.allSatisfy { $0["kind"] != "bill" }, "it does not concern Cleo")
    // Bo has paid something for Cleo and himself: debts are for each pair, with the bills that they consist of.
    let gas: JSON = [
      "title": "Gas", "amount": 901, "category": "utilities", "split": ["kind": "exact", "parts": [cleo.id: 901]],
    ]
    let other = try #require(try await bo.call("bills.add", in: room, ["bill": gas])["id"])
    try await home.follow { $0["balances"]?["EUR"]?["people"] == [ana.id: 1200, bo.id: -299, cleo.id: -901] }
    let debts = home["debts"].values.sorted { ($0["amount"]?.int ?? 0) < ($1["amount"]?.int ?? 0) }
    #expect(debts.map { $0["from"]?.string } == [cleo.id, bo.id] && debts.map { $0["to"]?.string } == [bo.id, ana.id])
    #expect(debts.map { $0["bills"] } == [[["bill": other, "left": 901]], [["bill": id, "left": 1200]]])
    // Every past bill with its total, all of them or those of two people.
    let all = try await cleo.call("bills.list", in: room)["items"]?.array ?? []
    #expect(all.map { $0["bill"]?["title"] } == ["Gas", "Pizza"] && all.map { $0["bill"]?["amount"] } == [901, 2400])
    let pair: JSON = [.string(ana.id), .string(bo.id)]
    #expect(try await cleo.call("bills.list", in: room, ["people": pair])["items"]?.array?.count == 1)
    #expect(try await cleo.call("bills.list", in: room, ["category": "utilities"])["items"]?[0]?["id"] == other)
    // Settled, it is over, and stays in the history.
    try await ana.call("payments.record", in: room, ["from": .string(bo.id), "amount": 1200])
    try await home.follow { $0["debts"]?.object?.count == 1 }
    #expect(try await bo.call("bills.list", in: room)["items"]?.array?.count == 2)
  }
}
