import JSON
import Rooms
import Testing

@testable import Home

@Suite("Reminders of recurring bills")
struct RentReminderTests {
  let house: ChoreWorld
  let id: ID<RecurringBill>

  /// The rent is due on 1 July; Ana pays it, and Ben and Cem owe her 350 and 250.
  init() throws {
    house = try ChoreWorld("Ana", "Ben", "Cem", "Dan")
    try house.go(to: "2026-06-17")
    id = try house.rent("2026-07-01")
  }

  private var bill: ID<Bill> {
    get throws { RecurringBill.bill(of: id, on: try #require(LocalDay("2026-07-01"))) }
  }

  private func pay(_ date: JSON? = nil, by member: Int = 0) throws {
    var parameters: [String: JSON] = ["id": .id(id)]
    if let date { parameters["date"] = date }
    try house.call(member, "recurringBills.paid", .object(parameters))
  }

  @Test("BIL-16: before the day each of the others is told their own part, once, at their own hour; nobody else is")
  func parts() throws {
    try house.world.call(house.people[2], "settings.edit", ["hour": "20:30"])
    try house.go(to: "2026-06-28", "08:59")
    #expect(try house.count(.billDue, of: 1) == 0 && house.dueDays == ["2026-07-01"])
    try house.go(to: "2026-07-05")
    #expect(try house.unread(.billDue, of: 1) == ["2026-06-28 09:00 350"])
    #expect(try house.unread(.billDue, of: 2) == ["2026-06-28 20:30 250"])
    let told = try #require(try house.newest(.billDue, of: 1))
    #expect(try told.ref == bill.cast() && told.name == "Rent" && told.currency == "EUR")
    #expect(told.until == ZoneTime("Europe/Berlin").end(of: try #require(LocalDay("2026-07-01"))))
    for member in [0, 3] { #expect(try house.count(.billDue, of: member) == 0) }
    // No fact is told twice.
    for member in 0...3 { #expect(try house.count(.bill, of: member) == 0) }
  }

  @Test(
    "BIL-15: on the day the payer is reminded at their hour; \"Paid!\" closes it, tells the others and posts nothing")
  func paid() throws {
    try house.go(to: "2026-07-01", "08:59")
    #expect(try house.count(.rentDue, of: 0) == 0)
    try house.go(to: "2026-07-01", "09:00")
    #expect(try house.unread(.rentDue, of: 0) == ["2026-07-01 09:00 1000"])
    for member in 1...3 { #expect(try house.count(.rentDue, of: member) == 0) }
    for member in 1...3 { #expect(reason { try pay(by: member) } == "forbidden/forbidden") }
    let before = try house.state.ledger.balances.map(\.value)
    try pay()
    #expect(try house.unread(.rentDue, of: 0).isEmpty && house.state.ledger.balances.map(\.value) == before)
    for member in [1, 2] {
      #expect(try house.newest(.rentPaid, of: member)?.amount == 1000)
      #expect(try house.newest(.rentPaid, of: member)?.actorName == "Ana")
      #expect(try house.unread(.billDue, of: member).count == 1, "they owe it all the same")
    }
    #expect(try house.count(.rentPaid, of: 0) == 0 && house.count(.rentPaid, of: 3) == 0)
    let day = try #require(LocalDay("2026-07-01"))
    let posted = try #require(try house.recurring(id).posted[day])
    #expect(posted.paidOn == day && posted.paidBy == house.people[0])
    #expect(try posted.bill == bill)
    #expect(reason { try pay() } == "conflict/alreadyPaid" && reason { try pay("2026-08-01") } == "notFound/gone")
    #expect(try house.count(.rentPaid, of: 1) == 1 && house.world.isRestorable(house.home))
  }

  @Test("BIL-15: said before the day, the payer is not reminded; before anything is posted there is nothing to say")
  func early() throws {
    #expect(reason { try pay() } == "notFound/gone")
    try house.go(to: "2026-06-29")
    try pay()
    try house.go(to: "2026-07-02")
    #expect(try house.count(.rentDue, of: 0) == 0)
    // The next month has its own reminder.
    try house.go(to: "2026-08-01")
    #expect(try house.unread(.rentDue, of: 0) == ["2026-08-01 09:00 1000"])
  }

  @Test("BIL-15: \"Paid!\" is for the last day that is due; when that is paid, for the next one that is posted")
  func whichDay() throws {
    try house.go(to: "2026-07-30")
    #expect(try house.dueDays.count == 2)
    try pay()
    #expect(try house.recurring(id).posted[try #require(LocalDay("2026-07-01"))]?.paidOn?.text == "2026-07-30")
    try pay()
    #expect(try house.recurring(id).posted[try #require(LocalDay("2026-08-01"))]?.paidOn?.text == "2026-07-30")
    #expect(reason { try pay() } == "conflict/alreadyPaid")
    try house.go(to: "2026-08-30")
    try pay("2026-09-01")
    #expect(try house.recurring(id).posted[try #require(LocalDay("2026-08-01"))]?.paidBy == house.people[0])
  }

  @Test("BIL-16, REM-6: a reminder is closed once the part is paid, or its payment pending; the payee is told once")
  func settled() throws {
    try house.go(to: "2026-06-29")
    try house.propose(100, from: 1, to: 0, ["bills": .array([.id(try bill)])])
    #expect(try house.unread(.billDue, of: 1).count == 1, "a smaller amount leaves it open")
    try house.propose(250, from: 1, to: 0, ["bills": .array([.id(try bill)])])
    #expect(try house.unread(.billDue, of: 1).isEmpty && house.unread(.billDue, of: 2).count == 1)
    #expect(try house.count(.payment, of: 0) == 2)
    try house.record(250, from: 2, by: 0)
    #expect(try house.unread(.billDue, of: 2).isEmpty && house.state.moneyReminders.dueBills.isEmpty)
    #expect(try house.count(.payment, of: 0) == 2 && house.count(.bill, of: 0) == 0)
  }

  @Test("BIL-16: what is paid before the hour of the reminder is not reminded of at all")
  func paidBefore() throws {
    try house.go(to: "2026-06-28", "01:00")
    try house.record(350, from: 1, by: 0)
    try house.go(to: "2026-07-05")
    #expect(try house.count(.billDue, of: 1) == 0 && house.count(.billDue, of: 2) == 1)
  }

  @Test("BIL-16: an older debt may stay open: the reminder is closed if the payment is for this bill")
  func older() throws {
    try house.bill(90, for: [1])
    try house.go(to: "2026-06-29")
    try house.propose(350, from: 1, to: 0)
    #expect(try house.unread(.billDue, of: 1).count == 1, "it is for the oldest first")
    try house.propose(90, from: 1, to: 0)
    #expect(try house.unread(.billDue, of: 1).isEmpty)
    try house.bill(90, for: [2])
    try house.propose(250, from: 2, to: 0, ["bills": .array([.id(try bill)])])
    #expect(try house.unread(.billDue, of: 2).isEmpty && house.debt(of: 2, to: 0) == 340)
  }

  @Test("BIL-16: with whose debt the bill is set off, they are told of the bill, and of nothing to pay")
  func setOff() throws {
    try house.bill(500, by: 1, for: [0])
    try house.go(to: "2026-07-05")
    #expect(try house.count(.billDue, of: 1) == 0 && house.unread(.bill, of: 1) == ["2026-06-28 00:00 350"])
    #expect(try house.count(.billDue, of: 2) == 1 && house.debt(of: 0, to: 1) == 150)
  }

  @Test("BIL-13, REM-6: removing the bill closes all reminders of it, and the recurring bill goes on")
  func removed() throws {
    try house.go(to: "2026-07-01")
    try house.call(0, "bills.remove", ["id": .id(try bill)])
    #expect(try house.unread(.billDue, of: 1).isEmpty && house.unread(.rentDue, of: 0).isEmpty)
    #expect(try house.state.moneyReminders.dueBills.isEmpty && house.state.ledger.balances.isEmpty)
    try house.go(to: "2026-07-30")
    #expect(try house.dueDays == ["2026-07-01", "2026-08-01"] && house.debt(of: 1, to: 0) == 350)
  }

  @Test("R-NET, BIL-16: where debts are settled by few payments, it is closed once its debtor owes nobody anything")
  func simplified() throws {
    try house.call(0, "households.update", ["simplify": true])
    try house.bill(350, by: 3, for: [0])
    try house.go(to: "2026-06-29")
    #expect(try house.unread(.billDue, of: 1).count == 1)
    let owed = try house.state.owed.filter { $0.from == house.people[1] }
    for transfer in owed {
      let payee = try #require(house.people.firstIndex(of: transfer.to))
      try house.record(transfer.amount, from: 1, by: payee)
    }
    #expect(try house.unread(.billDue, of: 1).isEmpty)
  }

  @Test("BIL-15, R-DEL: cancelled, there is no reminder for the payer; brought back, there is again")
  func cancelled() throws {
    try house.go(to: "2026-06-29")
    try house.call(0, "recurringBills.cancel", ["id": .id(id)])
    try house.call(0, "recurringBills.restore", ["id": .id(id)])
    try house.go(to: "2026-07-01")
    #expect(try house.unread(.rentDue, of: 0).count == 1)
    let back = try #require(try house.state.recurringBills.bills.keys.first)
    try house.call(0, "recurringBills.cancel", ["id": .id(back)])
    #expect(try house.unread(.rentDue, of: 0).isEmpty && house.unread(.billDue, of: 1).count == 1)
    // Not if it is paid already.
    let paid = try #require(
      try house.call(0, "recurringBills.restore", ["id": .id(back)])["id"]?.string.flatMap { ID<RecurringBill>($0) })
    try house.call(0, "recurringBills.paid", ["id": .id(paid)])
    try house.call(0, "recurringBills.cancel", ["id": .id(paid)])
    try house.call(0, "recurringBills.restore", ["id": .id(paid)])
    house.world.advance(.zero)
    #expect(try house.unread(.rentDue, of: 0).isEmpty)
  }

  @Test("HH-11: a household that is dismissed is quiet; brought back in time, it reminds as before")
  func dismissed() throws {
    try house.go(to: "2026-06-28", "01:00")
    house.world.confirmation = .pin
    try house.call(0, "households.dismiss", [:])
    house.world.confirmation = nil
    try house.go(to: "2026-06-28", "08:00")
    try house.world.call(house.people[0], "households.restore", ["household": .id(ID<Household>(high: 0xB000, low: 1))])
    try house.go(to: "2026-07-01")
    #expect(try house.unread(.billDue, of: 1) == ["2026-06-28 09:00 350"])
    #expect(try house.unread(.rentDue, of: 0) == ["2026-07-01 09:00 1000"])
  }
}
