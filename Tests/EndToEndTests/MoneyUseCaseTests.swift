import Foundation
import JSON
import Rooms
import Testing

@testable import HearthCommand

@Suite("Use cases: money")
struct MoneyUseCaseTests {
  private static let password = JSON.string(TestServer.password)

  private static func bill(_ amount: Int, for people: [Member]) -> JSON {
    [
      "title": "Electricity", "amount": .number(.init(amount)),
      "split": ["kind": "equal", "people": .array(people.map { .string($0.id) })],
    ]
  }

  /// A person's unread notification of a kind, once it has arrived.
  private func inbox(_ member: Member, has kind: String) async throws -> JSON {
    let me = try await member.watch("me")
    func found(_ me: JSON) -> JSON? {
      (me["inbox"]?.object ?? [:]).values.first { $0["kind"]?.string == kind && $0["readAt"] == nil }
    }
    try await me.follow { found($0) != nil }
    return try #require(found(me.state))
  }

  @Test("S0.17: a bill is paid, by PIN; the payee is told, confirms, and is credited; cancelled, nothing is paid")
  func pay() async throws {
    let server = try await TestServer.start()
    defer { server.end() }
    let (room, members) = try await server.household("Ana", "Bo")
    let (ana, bo) = (members[0], members[1])
    let home = try await bo.watch(room)
    let bill = try #require(try await ana.call("bills.add", in: room, ["bill": Self.bill(2400, for: members)])["id"])
    let payment: [String: JSON] = ["to": .string(ana.id), "amount": 1200, "method": "cash", "bills": [bill]]
    // Without a PIN, and without its confirmation, nothing happens.
    #expect(try await bo.refusal("payments.propose", in: room, payment).reason == "confirm")
    try await bo.call("auth.setPin", ["pin": "1234", "password": Self.password])
    #expect(try await bo.refusal("payments.propose", in: room, payment).reason == "confirm")
    try await bo.call("auth.confirm", ["pin": "1234"])
    let cancelled = try #require(try await bo.call("payments.propose", in: room, payment)["id"])
    try await bo.call("payments.cancel", in: room, ["id": cancelled])
    // A check mark until the payee confirms.
    let id = try #require(try await bo.call("payments.propose", in: room, payment)["id"])
    try await home.follow { $0["payments"]?[id.string ?? ""]?["state"] == "pending" }
    let told = try await inbox(ana, has: "payment")
    #expect(told["ref"] == id && told["amount"] == 1200 && told["currency"] == "EUR" && told["actorName"] == "Bo")
    let exceeds = try await bo.refusal("payments.propose", in: room, payment)
    #expect(exceeds.reason == "exceeds" && exceeds.error["data"]?["left"] == 0)
    #expect(try await ana.refusal("payments.confirm", in: room, ["id": id]).reason == "confirm")
    try await ana.call("auth.setPin", ["pin": "5678", "password": Self.password])
    try await ana.call("auth.confirm", ["pin": "5678"])
    try await ana.call("payments.confirm", in: room, ["id": id])
    try await home.follow { $0["payments"] == nil && $0["balances"] == nil && $0["debts"] == nil }
    #expect(try await inbox(bo, has: "paymentConfirmed")["ref"] == id)
    let items = try await bo.call("payments.list", in: room)["items"]?.array ?? []
    #expect(items.map { $0["payment"]?["state"] } == ["confirmed", "cancelled"])
    // A server that starts again knows it all.
    try await server.restart()
    let again = try await bo.again(on: server)
    #expect(try await again.call("payments.list", in: room)["items"]?.array?.count == 2)
  }

  @Test("S0.20: exactly the debtor is reminded; all are, each of their own total; at once again it is refused as spam")
  func remind() async throws {
    let server = try await TestServer.start()
    defer { server.end() }
    let (room, members) = try await server.household("Ana", "Bo", "Cy", "Dee")
    let (ana, bo, cy, dee) = (members[0], members[1], members[2], members[3])
    try await ana.call("bills.add", in: room, ["bill": Self.bill(3000, for: [ana, bo, cy])])
    try await ana.call("bills.add", in: room, ["bill": Self.bill(500, for: [cy])])
    try await ana.call("money.remind", in: room, ["person": .string(bo.id)])
    #expect(try await inbox(bo, has: "debtReminder")["amount"] == 1000)
    #expect(try await ana.refusal("money.remind", in: room, ["person": .string(dee.id)]).reason == "nothingOwed")
    let answer = try await ana.call("money.remindAll", in: room)
    #expect(answer["sent"] == [cy.id: ["EUR": 1500]])
    #expect(answer["skipped"] == [bo.id: "reminded", dee.id: "nothingOwed"])
    let told = try await inbox(cy, has: "debtReminder")
    #expect(told["amount"] == 1500 && told["debts"]?.array?.count == 1 && told["actorName"] == "Ana")
    let spam = try await ana.refusal("money.remindAll", in: room)
    #expect(spam.code == 5 && spam.reason == "reminded" && spam.error["data"]?["retryAfter"] != nil)
    // Once it is settled, it is closed everywhere.
    try await ana.call("payments.record", in: room, ["from": .string(cy.id), "amount": 1500])
    try await cy.watch("me").follow { me in
      !(me["inbox"]?.object ?? [:]).values.contains { $0["kind"] == "debtReminder" && $0["readAt"] == nil }
    }
  }

  @Test("S0.21: at the end of the month everybody who owes something is told by himself")
  func monthEnd() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "hearth-\(UUID())")
    defer { try? FileManager.default.removeItem(at: folder) }
    let clock = try SteeredClock()
    let server = try await ServerProcess.start(data: folder, through: clock.command)
    let ana = try await ClockTests.signUp("Ana", at: server.port)
    let bo = try await ClockTests.signUp("Bo", at: server.port)
    let room = try await ana.makeHousehold()
    try await ana.letIn([bo], to: room)
    try await bo.call("room.subscribe", in: room)
    try await ana.call("bills.add", in: room, ["bill": Self.bill(2400, for: [ana, bo])])
    let me = try await bo.watch("me")
    #expect(!(me.state["inbox"]?.object ?? [:]).values.contains { $0["kind"] == "debts" })
    // To the middle of a month, whose end is far. On the last day of one, notices may have come before the bill.
    let today = Calendar(identifier: .gregorian).component(.day, from: Date())
    try clock.setWall(by: .seconds((today < 28 ? 42 - today : 73 - today) * 86_400))
    try await clock.passMinutes(for: [ana, bo])
    let told = try await inbox(bo, has: "debts")
    #expect(told["amount"] == 1200 && told["currency"] == "EUR" && told["debts"]?[0]?["to"]?.string == ana.id)
    let others = try await ana.watch("me").state["inbox"]?.object ?? [:]
    #expect(!others.values.contains { $0["kind"] == "debts" })
    await server.stop()
  }
}
