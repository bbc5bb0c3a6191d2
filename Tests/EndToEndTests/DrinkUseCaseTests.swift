import JSON
import Testing

@testable import HearthCommand

@Suite("Use cases: drinks")
struct DrinkUseCaseTests {
  @Test("S2.2: drinks are taken, bought and corrected, the overview says who buys next, and settling starts anew")
  func period() async throws {
    let server = try await TestServer.start()
    defer { server.end() }
    let (room, members) = try await server.household("Ana", "Bo")
    let (ana, bo) = (members[0], members[1])
    let cellar = try await bo.watch(room)
    // Ana has bought a crate; both take from it, Ana also for Bo.
    try await ana.call("drinks.buy", in: room, ["kind": "Beer", "n": 24, "cost": 1899])
    try await ana.call("drinks.add", in: room, ["kind": "Beer", "n": 1])
    try await bo.call("drinks.add", in: room, ["kind": "Beer", "n": 2])
    try await ana.call("drinks.add", in: room, ["kind": "Beer", "n": 3, "person": .string(bo.id)])
    try await cellar.follow { $0["drinks"]?["beer"]?["stock"] == 18 }
    // A tap too much is taken back.
    let slip = try #require(try await bo.call("drinks.add", in: room, ["kind": "Beer", "n": 1])["id"])
    try await bo.call("drinks.undo", in: room, ["id": slip])
    // Two bottles are missing: nobody is charged.
    try await bo.call("drinks.correct", in: room, ["kind": "Beer", "to": 16])
    try await cellar.follow { $0["drinks"]?["beer"]?["unaccounted"] == -2 }
    let overview = try await bo.call("drinks.overview", in: room)
    #expect(overview["people"]?[ana.id] == ["drunk": 1, "bought": 24, "toBuy": -23])
    #expect(overview["people"]?[bo.id] == ["drunk": 5, "bought": 0, "toBuy": 5])
    #expect(overview["toBuy"] == -18 && overview["next"]?.string == bo.id)
    // They settle from the joint account, and begin anew.
    let settled = try await ana.call("drinks.closePeriod", in: room, ["period": 1, "cost": 600])
    #expect(settled["shares"] == [ana.id: 100, bo.id: 500])
    try await cellar.follow { $0["drinks"]?["beer"]?["counts"] == nil && $0["drinkPeriod"]?["number"] == 2 }
    #expect(cellar["drinks"]["beer"]?["stock"] == 16)
    let archived = try #require(try await bo.call("drinks.periods", in: room)["items"]?[0])
    #expect(archived["drinks"]?["beer"]?["counts"]?[bo.id]?["drunk"] == 5 && archived["bill"]?["cost"] == 600)
    #expect(try await bo.call("drinks.list", in: room)["items"]?.array?.count == 5)
  }
}
