import JSON
import Rooms
import Testing

@testable import Home

@Suite("Reminders of bills with a due day")
struct DueBillTests {
  let house: ChoreWorld
  let id: ID<Bill>

  /// The electrician is to be paid until 10 July; Ana has paid 600 and Dan 300, and Ben and Cem owe a third each.
  init() throws {
    house = try ChoreWorld("Ana", "Ben", "Cem", "Dan")
    try house.go(to: "2026-07-01")
    let paid = [house.people[0].description: JSON(600), house.people[3].description: 300]
    let answer = try house.call(
      0, "bills.add",
      [
        "bill": [
          "title": "Electrician", "amount": 900, "paid": .object(paid), "dueDate": "2026-07-10",
          "split": ["people": .array([1, 2, 3].map(house.person))],
        ]
      ])
    id = try #require(answer["id"]?.string.flatMap { ID($0) })
  }

  private func edit(_ bill: JSON) throws { try house.call(0, "bills.edit", ["id": .id(id), "bill": bill]) }

  @Test("BIL-21: three days before its due day each who owes a part of a bill is reminded once, at their own hour")
  func reminded() throws {
    try house.world.call(house.people[2], "settings.edit", ["hour": "20:30"])
    for member in [1, 2] { #expect(try house.count(.bill, of: member) == 1, "they are told at once, too") }
    try house.go(to: "2026-07-20")
    #expect(try house.unread(.billDue, of: 1) == ["2026-07-07 09:00 300"])
    #expect(try house.unread(.billDue, of: 2) == ["2026-07-07 20:30 300"])
    for member in [0, 3] { #expect(try house.count(.billDue, of: member) == 0) }
    let told = try #require(try house.newest(.billDue, of: 1))
    #expect(told.ref == id.cast() && told.name == "Electrician" && told.currency == "EUR")
  }

  @Test("BIL-21: a member who has paid before is not reminded; one who pays later has the reminder closed")
  func paid() throws {
    try house.record(300, from: 1, by: 0)
    try house.go(to: "2026-07-08")
    #expect(try house.count(.billDue, of: 1) == 0 && house.unread(.billDue, of: 2).count == 1)
    try house.record(300, from: 2, by: 0)
    #expect(try house.unread(.billDue, of: 2).isEmpty && house.state.moneyReminders.dueBills.isEmpty)
  }

  @Test("BIL-21: a member is reminded of their parts to two payers as one, until both are paid")
  func twoPayers() throws {
    try edit(["split": ["people": .array([house.person(1)])]])
    try house.go(to: "2026-07-08")
    #expect(try house.unread(.billDue, of: 1) == ["2026-07-07 09:00 900"])
    try house.record(600, from: 1, by: 0)
    #expect(try house.unread(.billDue, of: 1).count == 1)
    try house.record(300, from: 1, by: 3)
    #expect(try house.unread(.billDue, of: 1).isEmpty)
  }

  @Test("BIL-13, BIL-21: a changed bill reminds of what it is now, on another day or not at all")
  func changed() throws {
    try edit(["amount": 900, "dueDate": "2026-07-20", "split": ["people": .array([1, 3].map(house.person))]])
    try house.go(to: "2026-07-16")
    for member in [1, 2] { #expect(try house.count(.billDue, of: member) == 0) }
    try house.go(to: "2026-07-17", "10:00")
    #expect(try house.unread(.billDue, of: 1) == ["2026-07-17 09:00 450"])
    #expect(try house.count(.billDue, of: 2) == 0)
    // The new amount takes the place of the old one, but on no day on which the change itself is told.
    let paid = [house.people[0].description: JSON(300), house.people[3].description: 300]
    try edit(["amount": 600, "paid": .object(paid)])
    #expect(try house.unread(.billDue, of: 1).isEmpty && house.count(.billChanged, of: 1) == 2)
    try house.go(to: "2026-07-18", "10:00")
    #expect(try house.unread(.billDue, of: 1) == ["2026-07-18 09:00 300"])
    try edit(["dueDate": .null])
    #expect(try house.unread(.billDue, of: 1).isEmpty && house.state.moneyReminders.dueBills.isEmpty)
  }

  @Test("BIL-21, R-DEL: a removed bill reminds nobody; brought back, it does again")
  func removed() throws {
    try house.call(0, "bills.remove", ["id": .id(id)])
    #expect(try house.state.moneyReminders.dueBills.isEmpty)
    try house.call(0, "bills.restore", ["id": .id(id)])
    try house.go(to: "2026-07-08")
    for member in [1, 2] { #expect(try house.count(.billDue, of: member) == 1) }
  }

  @Test("BIL-21: of a bill that is due today nobody is reminded, since they have just been told")
  func today() throws {
    try house.call(0, "bills.remove", ["id": .id(id)])
    for day in ["2026-07-01", "2026-06-20"] {
      try house.call(0, "bills.add", ["bill": ["title": "Late", "amount": 900, "dueDate": .string(day)]])
    }
    #expect(try house.state.moneyReminders.dueBills.isEmpty)
    try house.go(to: "2026-07-20")
    #expect(try house.count(.billDue, of: 1) == 0 && house.count(.bill, of: 1) == 3)
  }

  @Test("BIL-21: a member who leaves is no longer reminded, and the others are")
  func left() throws {
    try house.call(1, "members.leave", [:])
    #expect(try house.state.moneyReminders.dueBills[id]?.parts.map(\.from) == [house.people[2]])
    try house.go(to: "2026-07-08")
    #expect(try house.count(.billDue, of: 1) == 0 && house.count(.billDue, of: 2) == 1)
  }
}
