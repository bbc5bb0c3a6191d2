import JSON
import Testing

@testable import HearthCommand

@Suite("Use cases: dinner")
struct DinnerUseCaseTests {
  @Test("S2.3: everybody sees who eats at home tonight, and who cooks; the fridge answers for one who forgot")
  func tonight() async throws {
    let server = try await TestServer.start()
    defer { server.end() }
    let (room, members) = try await server.household("Ana", "Bo", "Cy")
    let (ana, bo, cy) = (members[0], members[1], members[2])
    // See who lives in the house.
    let home = try await cy.watch(room)
    #expect(Set(home["members"].values.compactMap { $0["name"]?.string }) == ["Ana", "Bo", "Cy"])
    // Ana cooks for herself and two guests, Bo is out.
    let tonight = try #require(try await ana.call("dinner.set", in: room, ["guests": 2, "cook": true])["date"])
    try await bo.call("dinner.set", in: room, ["date": tonight, "eats": "out"])
    let day = try #require(tonight.string)
    try await home.follow { $0["dinner"]?[day]?["answers"]?.object?.count == 2 }
    var counts = try await cy.call("dinner.counts", in: room)
    #expect(counts["eating"] == 3 && counts["cooks"] == [.string(ana.id)] && counts["unknown"] == [.string(cy.id)])
    // Bo answers for Cy, who sees it on their phone.
    let answer = try await bo.call("dinner.set", in: room, ["date": tonight, "person": .string(cy.id), "eats": "in"])
    #expect(answer["eating"] == 4)
    try await home.follow { $0["dinner"]?[day]?["answers"]?[cy.id]?["by"]?.string == bo.id }
    // Cy usually eats at home, and it is the same after a restart.
    let week: JSON = [
      "monday": "in", "tuesday": "in", "wednesday": "in", "thursday": "in", "friday": "in", "saturday": "in",
      "sunday": "in",
    ]
    try await cy.call("dinner.pattern", in: room, ["days": week])
    try await server.restart()
    let again = try await ana.again(on: server)
    counts = try await again.call("dinner.counts", in: room, ["date": tonight])
    #expect(counts["eating"] == 4 && counts["unknown"] == [])
    #expect(try await again.watch(room)["dinnerPatterns"][cy.id]?["days"] == week)
  }
}
