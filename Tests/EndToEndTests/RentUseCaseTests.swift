import Foundation
import JSON
import Rooms
import Testing

@testable import HearthCommand

@Suite("Use cases: rent and requests")
struct RentUseCaseTests {
  private static let password = JSON.string(TestServer.password)

  private func confirmByPIN(_ member: Member) async throws {
    try await member.call("auth.setPin", ["pin": "1234", "password": Self.password])
    try await member.call("auth.confirm", ["pin": "1234"])
  }

  /// An unread notification of a kind in a person's inbox.
  private static func unread(_ kind: String, in me: JSON) -> JSON? {
    (me["inbox"]?.object ?? [:]).values.first { $0["kind"]?.string == kind && $0["readAt"] == nil }
  }

  /// A person's unread notification of a kind, once it has arrived.
  private func inbox(_ member: Member, has kind: String) async throws -> JSON {
    let me = try await member.watch("me")
    try await me.follow { Self.unread(kind, in: $0) != nil }
    return try #require(Self.unread(kind, in: me.state))
  }

  private func inbox(_ member: Member, closes kind: String) async throws {
    try await member.watch("me").follow { Self.unread(kind, in: $0) == nil }
  }

  private static func day(_ number: Int) -> JSON {
    .string(String((Instant.now + .seconds(86_400 * number)).description.prefix(10)))
  }

  @Test(
    "S1.12: the host sets day and amounts; each is told before, and pays; on the day \"Paid!\" tells the others"
  )
  func rent() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "hearth-\(UUID())")
    defer { try? FileManager.default.removeItem(at: folder) }
    let clock = try SteeredClock()
    let server = try await ServerProcess.start(data: folder, through: clock.command)
    var members: [Member] = []
    for name in ["Ana", "Bo", "Cy"] { members.append(try await ClockTests.signUp(name, at: server.port)) }
    let (ana, bo, cy) = (members[0], members[1], members[2])
    let room = try await ana.makeHousehold()
    try await ana.letIn([bo, cy], to: room)
    for member in members { try await member.call("room.subscribe", in: room) }
    let rent: [String: JSON] = [
      "title": "Rent", "amount": 100_000, "category": "rent", "first": Self.day(5),
      "repeat": ["every": 1, "unit": "months"],
      "split": ["kind": "exact", "parts": .object([ana.id: 40_000, bo.id: 35_000, cy.id: 25_000])],
    ]
    #expect(try await ana.refusal("recurringBills.add", in: room, ["bill": .object(rent)]).reason == "confirm")
    try await confirmByPIN(ana)
    let answer = try await ana.call("recurringBills.add", in: room, ["bill": .object(rent)])
    let id = try #require(answer["id"])
    #expect(answer["next"] == Self.day(5))
    let home = try await ana.watch(room)
    #expect(home.state["balances"] == nil)
    // Before the day each of the others is told their amount.
    try clock.setWall(by: .seconds(3 * 86_400))
    try await clock.passMinutes(for: members)
    #expect(try await inbox(bo, has: "billDue")["amount"] == 35_000)
    let told = try await inbox(cy, has: "billDue")
    #expect(told["amount"] == 25_000 && told["currency"] == "EUR" && told["name"] == "Rent")
    // Bo pays; it is closed, and the host is told.
    try await confirmByPIN(bo)
    let bill = try #require(told["ref"])
    try await bo.call("payments.propose", in: room, ["to": .string(ana.id), "amount": 35_000, "bills": [bill]])
    try await inbox(bo, closes: "billDue")
    #expect(try await inbox(ana, has: "payment")["amount"] == 35_000)
    // On the day the host is reminded.
    try clock.setWall(by: .seconds(3 * 86_400))
    try await clock.passMinutes(for: members)
    #expect(try await inbox(ana, has: "rentDue")["amount"] == 100_000)
    #expect(try await bo.refusal("recurringBills.paid", in: room, ["id": id]).code == 2)
    try await ana.call("recurringBills.paid", in: room, ["id": id])
    try await inbox(ana, closes: "rentDue")
    for other in [bo, cy] { #expect(try await inbox(other, has: "rentPaid")["actorName"] == "Ana") }
    try await home.follow {
      $0["recurringBills"]?[id.string ?? ""]?["posted"]?.object?.values.first?["paidBy"]?.string == ana.id
    }
    await server.stop()
  }

  @Test("S1.13: a request for money is pending until it is paid; it can be declined")
  func request() async throws {
    let server = try await TestServer.start()
    defer { server.end() }
    let (room, members) = try await server.household("Ana", "Bo", "Cy")
    let (ana, bo, cy) = (members[0], members[1], members[2])
    let home = try await bo.watch(room)
    let people: JSON = [.string(bo.id), .string(cy.id)]
    let id = try #require(
      try await ana.call("requests.create", in: room, ["title": "Pizza", "amount": 1200, "from": people])["id"])
    func state(_ member: Member, _ home: JSON) -> JSON? {
      home["requests"]?[id.string ?? ""]?["parts"]?[member.id]?["state"]
    }
    #expect(try await inbox(bo, has: "request")["amount"] == 1200)
    try await home.follow { state(bo, $0) == "pending" && $0["balances"] == nil }
    #expect(try await bo.refusal("requests.accept", in: room, ["id": id]).reason == "confirm")
    try await confirmByPIN(bo)
    try await bo.call("requests.accept", in: room, ["id": id])
    try await inbox(bo, closes: "request")
    #expect(try await inbox(ana, has: "requestAccepted")["amount"] == 1200)
    try await home.follow { state(bo, $0) == "accepted" && $0["balances"] != nil }
    try await ana.call("payments.record", in: room, ["from": .string(bo.id), "amount": 1200])
    try await home.follow { state(bo, $0) == "paid" && $0["balances"] == nil }
    try await cy.call("requests.decline", in: room, ["id": id, "reason": "Not hungry"])
    #expect(try await inbox(ana, has: "requestDeclined")["name"] == "Pizza")
    try await home.follow { $0["requests"] == nil }
    let items = try await cy.call("requests.list", in: room)["items"]?.array ?? []
    #expect(items.first?["request"]?["parts"]?[cy.id]?["reason"] == "Not hungry")
  }
}
