import JSON
import Rooms
import Testing

@testable import Home

/// Recurring bills in the household of a `ChoreWorld`.
extension ChoreWorld {
  /// The rent of 1,000 a month, which the first member pays: 400 are their own part, 350 and 250 those of two others.
  @discardableResult
  func rent(_ first: String, _ more: [String: JSON] = [:], by author: Int = 0) throws -> ID<RecurringBill> {
    let parts = [people[0].description: JSON(400), people[1].description: 350, people[2].description: 250]
    let bill: [String: JSON] = [
      "title": "Rent", "amount": 1000, "category": "rent", "split": ["kind": "exact", "parts": .object(parts)],
      "first": .string(first), "repeat": ["every": 1, "unit": "months"],
    ]
    let answer = try withPIN {
      try call(author, "recurringBills.add", ["bill": .object(bill.merging(more) { $1 })])
    }
    return try #require(answer["id"]?.string.flatMap { ID($0) })
  }

  func edit(_ id: ID<RecurringBill>, _ bill: JSON, by member: Int = 0) throws {
    _ = try withPIN { try call(member, "recurringBills.edit", ["id": .id(id), "bill": bill]) }
  }

  func recurring(_ id: ID<RecurringBill>) throws -> RecurringBill { try #require(try state.recurringBills.bills[id]) }

  /// The bills of the books, in the order of their due days.
  var bills: [(id: ID<Bill>, bill: Bill)] {
    get throws {
      let items = try call(0, "bills.list", ["limit": 100])["items"]?.array ?? []
      return items.compactMap { ListedBill(history: $0.bytes) }.map { ($0.id, $0.bill) }
        .sorted { ($0.bill.dueDate ?? LocalDay(), $0.id) < ($1.bill.dueDate ?? LocalDay(), $1.id) }
    }
  }

  var dueDays: [String] { get throws { try bills.map { $0.bill.dueDate?.text ?? "" } } }

  /// Moves the clock as if no server had run meanwhile; then it starts.
  func sleep(to day: String, _ time: String = "12:00") throws {
    world.now = try local(day, time)
    world.advance(.zero)
  }

  /// The unread notifications of a kind: local day and time in Berlin, and the amount.
  func unread(_ kind: NotificationKind, of member: Int) throws -> [String] {
    try world.me(people[member]).inbox.notifications.values.filter { $0.kind == kind && $0.readAt == nil }
      .sorted { $0.at < $1.at }
      .map { notification in
        let (day, minute) = ZoneTime("Europe/Berlin").local(notification.at)
        return "\(day.text) \(LocalTime(minute: minute).text) \(notification.amount ?? 0)"
      }
  }
}

@Suite("Recurring bills")
struct RecurringBillTests {
  let house: ChoreWorld
  init() throws { house = try ChoreWorld("Ana", "Ben", "Cem", "Dan") }

  private func refused(_ body: () throws -> some Any) -> String? { reason(body) }

  // MARK: posting

  @Test("BIL-14, R-040: an occurrence is posted once, `lead` days before it is due, whatever is edited or restarted")
  func once() throws {
    try house.go(to: "2026-06-17")
    let id = try house.rent("2026-07-01")
    #expect(try house.recurring(id).nextAt == local("2026-06-28", "00:00"))
    house.world.advance(try local("2026-06-28", "00:00") - house.world.now - .milliseconds(1))
    #expect(try house.bills.isEmpty && house.state.ledger.balances.isEmpty)
    house.world.advance(.milliseconds(1))
    let day = try #require(LocalDay("2026-07-01"))
    let (billID, bill) = try #require(try house.bills.first)
    #expect(billID == RecurringBill.bill(of: id, on: day))
    #expect(bill.dueDate == day && bill.origin == BillOrigin(kind: .recurring, ref: id.cast()))
    #expect(bill.at == house.world.now && bill.by == house.people[0] && bill.category == "rent")
    #expect(bill.paid == [house.people[0]: 1000] && bill.shares[house.people[1]] == 350)
    #expect(try house.debt(of: 1, to: 0) == 350 && house.debt(of: 2, to: 0) == 250 && house.balance(0) == 600)
    try house.go(to: "2026-06-30")
    try house.edit(id, ["title": "The rent", "lead": 14])
    try house.edit(id, ["first": "2026-07-01", "repeat": ["every": 1, "unit": "months"]])
    for _ in 1...2 {
      #expect(try house.world.isRestorable(house.home))
      house.world.advance(.zero)
    }
    #expect(try house.dueDays == ["2026-07-01"] && house.recurring(id).next?.text == "2026-08-01")
    // Cancelling leaves July and stops August.
    try house.go(to: "2026-07-02")
    try house.call(0, "recurringBills.cancel", ["id": .id(id)])
    try house.go(to: "2026-10-01")
    #expect(try house.dueDays == ["2026-07-01"] && house.state.recurringBills.cancelled.isEmpty)
  }

  @Test("R-040: a bill whose first day is the very day on which it is added is posted at once, and once")
  func sameDay() throws {
    try house.go(to: "2026-07-01")
    let id = try house.rent("2026-07-01")
    house.world.advance(.zero)
    #expect(try house.dueDays == ["2026-07-01"] && house.recurring(id).next?.text == "2026-08-01")
    try house.go(to: "2026-07-28")
    #expect(try house.dueDays == ["2026-07-01"])
    try house.go(to: "2026-07-30")
    #expect(try house.dueDays == ["2026-07-01", "2026-08-01"])
  }

  @Test("R-040: a bill of a member's that has the id of a posting is not posted over")
  func taken() throws {
    let id = try house.rent("2026-03-01")
    let taken = RecurringBill.bill(of: id, on: try #require(LocalDay("2026-03-01")))
    try house.call(1, "bills.add", ["id": .id(taken), "bill": ["title": "Tea", "amount": 4]])
    try house.go(to: "2026-03-30")
    #expect(try house.bills.map(\.bill.title) == ["Tea", "Rent"] && house.dueDays == ["", "2026-04-01"])
  }

  @Test("BIL-14, R-030: what fell due while the server was down is posted later, in order and each once")
  func downtime() throws {
    try house.go(to: "2026-06-17")
    let id = try house.rent("2026-07-01")
    try house.sleep(to: "2026-07-03")
    #expect(try house.dueDays == ["2026-07-01"])
    try house.sleep(to: "2026-10-30")
    #expect(try house.dueDays == ["2026-07-01", "2026-08-01", "2026-09-01", "2026-10-01", "2026-11-01"])
    #expect(try house.debt(of: 1, to: 0) == 5 * 350)
    // In the ledger they stand in that order.
    let refs = try house.call(0, "ledger.list", [:])["items"]?.array?.reversed().map { $0["ref"] ?? .null }
    #expect(try refs == house.bills.map { JSON.id($0.id) })
    // Of each part there is a reminder (July's is too old by now); the payer is reminded of the last day that is over.
    #expect(try house.count(.billDue, of: 1) == 4)
    #expect(try house.unread(.rentDue, of: 0) == ["2026-10-30 12:00 1000"])
    #expect(try house.world.isRestorable(house.home) && house.recurring(id).next?.text == "2026-12-01")
  }

  @Test("BIL-14: after a very long downtime the bills come in several commits, none is lost, and none comes twice")
  func veryLong() throws {
    house.world.checksStates = false
    try house.go(to: "2026-03-02")
    let days: JSON = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]
    let id = try house.rent("2026-03-02", ["repeat": ["every": 1, "unit": "weeks", "weekdays": days], "lead": 0])
    try house.sleep(to: "2026-05-20")
    #expect(try house.bills.count == Limits.recurringPosts)
    house.world.advance(Limits.recurringPause)
    let first = try #require(LocalDay("2026-03-02"))
    #expect(try house.dueDays == (0..<80).map { first.adding($0).text })
    #expect(try house.recurring(id).posted.count == Limits.recurringPosted)
    #expect(try house.debt(of: 1, to: 0) == 80 * 350)
  }

  @Test("R-033: a bill of the 31st, 30th, 29th or 28th comes on that day, or on the last one of a shorter month")
  func monthEnds() throws {
    func days(_ first: String, _ recurrence: Recurrence, _ count: Int) throws -> [String] {
      var bill = RecurringBill(first: try #require(LocalDay(first)), recurrence: recurrence)
      bill.plan(notBefore: bill.first)
      var days: [String] = []
      for _ in 0..<count {
        let day = try #require(bill.next)
        days.append(day.text)
        // Posted and planned anew, as after an edit, it goes on in the same way.
        bill.posted[day] = PostedBill()
        bill.plan(notBefore: day)
      }
      return days
    }
    let monthly = Recurrence(unit: .months)
    #expect(
      try days("2027-01-31", monthly, 5) == ["2027-01-31", "2027-02-28", "2027-03-31", "2027-04-30", "2027-05-31"])
    #expect(try days("2027-01-30", monthly, 3) == ["2027-01-30", "2027-02-28", "2027-03-30"])
    #expect(try days("2027-01-29", monthly, 3) == ["2027-01-29", "2027-02-28", "2027-03-29"])
    #expect(try days("2027-01-28", monthly, 3) == ["2027-01-28", "2027-02-28", "2027-03-28"])
    #expect(
      try days("2026-11-30", Recurrence(every: 3, unit: .months), 3) == ["2026-11-30", "2027-02-28", "2027-05-30"])
    #expect(
      try days("2028-02-29", Recurrence(unit: .years), 5)
        == ["2028-02-29", "2029-02-28", "2030-02-28", "2031-02-28", "2032-02-29"])
  }

  @Test("R-033: the day of the month is remembered over edits and restarts")
  func anchor() throws {
    try house.go(to: "2027-01-15")
    let id = try house.rent("2027-01-31")
    try house.go(to: "2027-03-10")
    try house.edit(id, ["title": "Flat", "amount": 1000])
    #expect(try house.world.isRestorable(house.home))
    try house.go(to: "2027-05-30")
    #expect(try house.dueDays == ["2027-01-31", "2027-02-28", "2027-03-31", "2027-04-30", "2027-05-31"])
    // So it is if the rule is written anew.
    try house.edit(id, ["repeat": ["every": 2, "unit": "months"]])
    #expect(try house.recurring(id).next?.text == "2027-07-31")
  }

  @Test("R-034: where clocks skip midnight, a bill is posted at the first valid minute, once; its day stays")
  func skippedMidnight() throws {
    try house.go(to: "2027-04-20")
    let id = try house.rent("2027-04-30", ["lead": 0])
    #expect(try house.recurring(id).nextAt == local("2027-04-30", "00:00"))
    // The household moves, and so does the time of posting.
    try house.call(0, "households.update", ["timeZone": "Asia/Tokyo"])
    #expect(try house.recurring(id).nextAt == local("2027-04-30", "00:00", in: "Asia/Tokyo"))
    try house.call(0, "households.update", ["timeZone": "Africa/Cairo"])
    let start = try #require(Instant("2027-04-29T22:00:00Z"))
    #expect(try house.recurring(id).nextAt == start)
    #expect(ZoneTime("Africa/Cairo").local(start).minute == 60)
    house.world.advance(start - house.world.now - .milliseconds(1))
    #expect(try house.bills.isEmpty)
    house.world.advance(.seconds(3 * 86_400))
    #expect(try house.dueDays == ["2027-04-30"] && house.world.isRestorable(house.home))
  }

  @Test("R-REC: after new zone data the times of posting are worked out again, as soon as the room is loaded")
  func zoneData() throws {
    let id = try house.rent("2026-03-01")
    var home = try house.state
    #expect(home.chores.upkeep.value.zoneData == ZoneTime.dataVersion)
    home.chores.upkeep.value.zoneData = "1999a"
    home.recurringBills.bills[id]?.nextAt = house.world.now
    home.chores.planAgain()
    #expect(home.chores.due.at == Instant(milliseconds: 0))
    home.moveRecurringBills()
    #expect(try home.recurringBills.bills[id]?.nextAt == local("2026-02-26", "00:00"))
  }

  @Test("R-REC: a bill may end, by a last day or a count; then nothing follows")
  func ends() throws {
    try house.go(to: "2026-06-17")
    let one = try house.rent("2026-07-01", ["repeat": ["every": 1, "unit": "months", "until": "2026-08-01"]])
    let other = try house.rent("2026-07-02", ["repeat": ["every": 2, "unit": "weeks", "count": 3]])
    try house.go(to: "2027-06-17")
    #expect(try house.dueDays == ["2026-07-01", "2026-07-02", "2026-07-16", "2026-07-30", "2026-08-01"])
    for id in [one, other] {
      let bill = try house.recurring(id)
      #expect(bill.next == nil && bill.nextAt == nil && bill.isPaused == nil)
    }
  }

  @Test(
    "BIL-14: an edit holds from the next posting on; a new rule begins after all that is posted, and not in the past")
  func edited() throws {
    try house.go(to: "2026-06-17")
    let id = try house.rent("2026-07-01")
    try house.go(to: "2026-07-10")
    let halves: JSON = .object([house.people[0].description: 600, house.people[1].description: 600])
    try house.edit(id, ["amount": 1200, "split": ["kind": "exact", "parts": halves], "host": house.person(1)])
    #expect(
      try house.count(.recurringBillChanged, of: 2) == 1 && house.newest(.recurringBillChanged, of: 1)?.amount == 600)
    #expect(try house.debt(of: 1, to: 0) == 350, "what is posted stays as it was")
    try house.edit(id, ["repeat": ["every": 1, "unit": "weeks"]])
    // Weeks count from 1 July, a Wednesday: 15 July is the first that is not over, and its posting is due.
    #expect(try house.recurring(id).next?.text == "2026-07-15")
    try house.go(to: "2026-07-13")
    #expect(try house.dueDays == ["2026-07-01", "2026-07-15"])
    #expect(try house.debt(of: 1, to: 0) == -250, "of July's 350 nothing is paid, and Ana owes 600")
    // A later first day, too, and a longer lead.
    try house.edit(id, ["first": "2026-08-10", "lead": 14])
    try house.go(to: "2026-07-27", "00:00")
    #expect(try house.dueDays == ["2026-07-01", "2026-07-15", "2026-08-10"])
  }

  @Test("R-DEL: a cancelled bill can be brought back for ten minutes, under a new id, and nothing is posted twice")
  func restored() throws {
    try house.go(to: "2026-06-17")
    let id = try house.rent("2026-07-01")
    try house.go(to: "2026-06-29")
    try house.call(0, "recurringBills.cancel", ["id": .id(id)])
    #expect(try house.count(.recurringBillCancelled, of: 1) == 1 && house.count(.recurringBillCancelled, of: 3) == 0)
    #expect(refused { try house.call(1, "recurringBills.restore", ["id": .id(id)]) } == "forbidden/forbidden")
    let answer = try house.call(0, "recurringBills.restore", ["id": .id(id)])
    let back: ID<RecurringBill> = try #require(answer["id"]?.string.flatMap { ID($0) })
    #expect(back != id && answer["next"] == "2026-08-01")
    #expect(try house.recurring(back).was == id)
    // While it was cancelled, a day of posting came.
    house.world.advance(try local("2026-07-28", "23:55") - house.world.now)
    try house.call(0, "recurringBills.cancel", ["id": .id(back)])
    house.world.advance(.seconds(599))
    #expect(try house.dueDays == ["2026-07-01"])
    try house.call(0, "recurringBills.restore", ["id": .id(back), "newId": .id(ID<RecurringBill>(high: 1, low: 9))])
    house.world.advance(.zero)
    #expect(try house.dueDays == ["2026-07-01", "2026-08-01"])
    try house.call(0, "recurringBills.cancel", ["id": .id(ID<RecurringBill>(high: 1, low: 9))])
    house.world.advance(.seconds(600))
    let late = refused { try house.call(0, "recurringBills.restore", ["id": .id(ID<RecurringBill>(high: 1, low: 9))]) }
    #expect(late == "notFound/gone")
    #expect(try house.world.isRestorable(house.home))
  }

  // MARK: who may, and what

  @Test("BIL-8: adding and editing need a fresh PIN, cancelling and bringing back do not")
  func confirmation() throws {
    let bill: JSON = ["title": "Rent", "amount": 5, "first": "2026-03-01", "repeat": ["every": 1, "unit": "months"]]
    #expect(refused { try house.call(0, "recurringBills.add", ["bill": bill]) } == "forbidden/confirm")
    house.world.confirmation = .password
    #expect(refused { try house.call(0, "recurringBills.add", ["bill": bill]) } == "forbidden/confirm")
    house.world.confirmation = nil
    let id = try house.rent("2026-03-01")
    #expect(
      refused { try house.call(0, "recurringBills.edit", ["id": .id(id), "bill": ["note": "x"]]) }
        == "forbidden/confirm")
    try house.call(0, "recurringBills.cancel", ["id": .id(id)])
    try house.call(0, "recurringBills.restore", ["id": .id(id)])
    #expect(try house.state.recurringBills.bills.count == 1)
  }

  @Test("HH-15: the author, the payer and the host change and cancel it, and no others")
  func rights() throws {
    let id = try house.rent("2026-03-01", ["host": house.person(2)], by: 1)
    #expect(refused { try house.edit(id, ["note": "x"], by: 3) } == "forbidden/forbidden")
    #expect(refused { try house.call(3, "recurringBills.cancel", ["id": .id(id)]) } == "forbidden/forbidden")
    for member in [0, 1, 2] { try house.edit(id, ["note": .string("by \(member)")], by: member) }
    try house.call(2, "recurringBills.cancel", ["id": .id(id)])
    #expect(refused { try house.edit(id, ["note": "x"]) } == "notFound/gone")
    #expect(refused { try house.call(0, "recurringBills.paid", ["id": .id(id)]) } == "notFound/gone")
  }

  @Test("BIL-14: all bad fields are named together, and a refused call changes nothing")
  func fields() throws {
    func paths(_ bill: JSON) -> Set<String> {
      Set(refusal { try house.call(0, "recurringBills.add", ["bill": bill]) }?.fields.map(\.path) ?? [])
    }
    #expect(paths([:]) == ["bill.title", "bill.amount", "bill.first", "bill.repeat"])
    let stranger = try house.world.signUp("Eve")
    #expect(
      paths([
        "title": "Rent", "amount": 100, "host": .id(stranger), "first": "2026-02-01", "lead": 3,
        "split": ["kind": "exact", "parts": .object([stranger.description: 90])],
        "repeat": ["every": 1, "unit": "days", "basis": "completion"],
      ]) == ["bill.host", "bill.first", "bill.split", "bill.split.parts", "bill.repeat.unit", "bill.repeat.basis"])
    #expect(paths(["title": "", "amount": 0, "lead": 15, "first": "x"]).count == 4)
    #expect(
      paths([
        "title": "Rent", "amount": 100, "first": "2026-03-01",
        "repeat": ["every": 1, "unit": "months", "until": "2026-02-28"],
      ]) == ["bill.repeat.until"])
    #expect(
      paths(["title": "Rent", "amount": 1, "first": "2027-03-01", "repeat": ["every": 1, "unit": "years"]])
        == ["bill.first"])
    let id = try house.rent("2026-03-01")
    let found = refusal {
      try house.edit(
        id, ["title": .null, "host": .null, "first": .null, "repeat": .null, "lead": .null, "amount": 1001])
    }
    #expect(
      Set(found?.fields.map(\.path) ?? [])
        == ["bill.title", "bill.host", "bill.first", "bill.repeat", "bill.lead", "bill.split.parts"])
    #expect(try house.recurring(id).title == "Rent")
  }

  @Test("BIL-14: without a split it is for all who live there, equally, and the caller pays")
  func usual() throws {
    house.world.confirmation = .pin
    let bill: JSON = ["title": "Net", "amount": 4000, "first": "2026-03-01", "repeat": ["every": 1, "unit": "months"]]
    try house.call(1, "recurringBills.add", ["bill": bill])
    let row = try #require(try house.state.recurringBills.bills.values.first)
    #expect(row.host == house.people[1] && row.lead == 3 && row.currency == "EUR" && row.split.people?.count == 4)
    #expect(try house.newest(.recurringBill, of: 3)?.amount == 1000 && house.count(.recurringBill, of: 1) == 0)
    try house.go(to: "2026-03-01")
    #expect(try house.balance(1) == 3000)
  }

  // MARK: people who leave

  @Test("BIL-14: a bill that names somebody who has left is paused, and the author and the payer hear of it")
  func paused() throws {
    try house.go(to: "2026-06-17")
    let id = try house.rent("2026-07-01", ["host": house.person(0)], by: 1)
    let other = try house.rent("2026-07-01", ["split": ["kind": "equal", "people": .array([house.person(1)])]])
    try house.call(2, "members.leave", [:])
    #expect(try house.recurring(id).isPaused == true && house.recurring(id).nextAt == nil)
    #expect(try house.recurring(other).isPaused == nil)
    for member in [0, 1] { #expect(try house.count(.recurringBillPaused, of: member) == 1) }
    #expect(try house.count(.recurringBillPaused, of: 3) == 0)
    try house.go(to: "2026-07-10")
    #expect(try house.dueDays == ["2026-07-01"], "of the other one")
    // It goes on once it names those who live there; days that passed meanwhile are not made up for.
    #expect(refusal { try house.edit(id, ["note": "x"]) }?.fields.map(\.path) == ["bill.split"])
    try house.edit(id, ["split": ["kind": "equal", "people": .array([house.person(0), house.person(1)])]])
    #expect(try house.recurring(id).isPaused == nil && house.recurring(id).next?.text == "2026-08-01")
    #expect(try house.newest(.recurringBillPaused, of: 0)?.readAt != nil)
    try house.go(to: "2026-08-02")
    #expect(try house.dueDays == ["2026-07-01", "2026-08-01", "2026-08-01"])
  }

  @Test("BIL-14: if its payer has left, others who live there hear that it is paused; the host goes on with it")
  func payerLeft() throws {
    try house.go(to: "2026-06-17")
    let id = try house.rent("2026-07-01", ["host": house.person(2)], by: 2)
    try house.call(2, "members.leave", [:])
    for member in [0, 1, 3] { #expect(try house.count(.recurringBillPaused, of: member) == 1) }
    let equal: JSON = ["kind": "equal", "people": .array([house.person(0), house.person(1)])]
    #expect(refusal { try house.edit(id, ["split": equal]) }?.fields.map(\.path) == ["bill.host"])
    try house.edit(id, ["split": equal, "host": house.person(0)])
    try house.go(to: "2026-07-01")
    #expect(try house.debt(of: 1, to: 0) == 500)
  }

  @Test("R-MONEY: for a bill that would take a balance over its limit the books have no room")
  func room() throws {
    var ledger = Ledger()
    let (one, two) = (house.people[0], house.people[1])
    ledger.balances["EUR"] = Balance(people: [one: Limits.balance - 5, two: 5 - Limits.balance])
    #expect(ledger.hasRoom(for: [Debt(from: two, to: one, amount: 5)], "EUR"))
    #expect(!ledger.hasRoom(for: [Debt(from: two, to: one, amount: 6)], "EUR"))
    #expect(ledger.hasRoom(for: [Debt(from: one, to: two, amount: 6)], "EUR"))
  }
}
