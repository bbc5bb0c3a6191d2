import JSON
import Testing

@testable import HearthCommand

@Suite("Use cases: shopping")
struct ShoppingUseCaseTests {
  @Test("S0.13: a member goes shopping, the others are told in time to change the lists, and hear when it is over")
  func goingShopping() async throws {
    let server = try await TestServer.start()
    defer { server.end() }
    let (room, members) = try await server.household("Ana", "Bo", "Cleo")
    let (ana, bo) = (members[0], members[1])
    let me = try await bo.watch("me")
    let home = try await ana.watch(room)
    let market = try #require(try await bo.call("lists.create", in: room, ["name": "Market"])["id"])
    let figs = try await bo.call(
      "groceries.add", in: room, ["name": "Figs", "list": market, "category": "fruit", "barcode": "4006381333931"])
    // Ana says that she goes; Bo hears of it, and adds something that she sees as late.
    let trip = try #require(try await ana.call("trips.start", in: room, ["list": market])["id"])
    func told(_ kind: JSON) -> JSON? {
      me["inbox"].values.first { $0["kind"] == kind && $0["ref"] == trip }
    }
    try await me.follow { _ in told("shopping")?["readAt"] == nil && told("shopping")?["actorName"] == "Ana" }
    #expect(told("shopping")?["name"] == "Market")
    let milk = try #require(
      try await bo.call("groceries.add", in: room, ["name": "Milk", "list": market])["id"]?.string)
    try await home.follow { $0["groceries"]?[milk]?["late"] == true }
    // She finds the figs by their barcode, checks them and, home again, has bought nothing after all.
    let found = try await ana.call("groceries.suggest", in: room, ["barcode": "4006381333931"])
    #expect(found["items"] == [["name": "Figs", "category": "fruit"]])
    try await ana.call("groceries.check", in: room, ["id": try #require(figs["id"]), "checked": true])
    #expect(try await bo.refusal("trips.discard", in: room, ["id": trip]).reason == "forbidden")
    try await ana.call("trips.discard", in: room, ["id": trip])
    try await me.follow { _ in told("shopping")?["readAt"] != nil && told("shoppingCancelled") != nil }
    try await home.follow { $0["groceries"]?[milk]?["late"] == nil && $0["trips"]?.object?.isEmpty != false }
  }

  @Test("S0.10, S0.11, R-DEL: an item that was removed by mistake is brought back, with its note")
  func undo() async throws {
    let server = try await TestServer.start()
    defer { server.end() }
    let (room, members) = try await server.household("Ana", "Bo")
    for place in [room, room + "/mine"] {
      let tea = try #require(
        try await members[0].call("groceries.add", in: place, ["name": "Tea", "note": "green"])["id"])
      try await members[0].call("groceries.remove", in: place, ["id": tea])
      let again = try await members[0].call("groceries.restore", in: place, ["id": tea])
      let id = try #require(again["id"]?.string)
      let copy = try await members[0].watch(place)
      #expect(copy["groceries"][id]?["sources"]?[id]?["note"] == "green" && copy["groceries"][id]?["was"] == tea)
    }
  }
}
