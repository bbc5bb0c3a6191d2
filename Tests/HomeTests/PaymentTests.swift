import JSON
import Rooms
import Testing

@testable import Home

@Suite("Payments")
struct PaymentTests {
  let house: ChoreWorld
  init() throws { house = try ChoreWorld("Ana", "Ben", "Cem") }

  private let day = Duration.seconds(24 * 3600)

  private func refused(_ body: () throws -> some Any) -> String? { reason(body) }

  /// How much a refused payment might be.
  private func left(_ amount: Int, from payer: Int, to payee: Int) -> Int? {
    refusal { try house.propose(amount, from: payer, to: payee) }?.details["left"]?.int
  }

  // MARK: proposing and confirming

  @Test("BIL-5: a proposed payment is pending; confirmed by the payee it counts, and is in the history")
  func confirmed() throws {
    let bill = try house.bill(900, for: [0, 1, 2])
    let id = try house.propose(300, from: 1, to: 0, ["method": "paypal", "extRef": "4KX 2211"])
    let pending = try #require(try house.state.payments.payments[id])
    #expect(pending.from == house.people[1] && pending.to == house.people[0] && pending.by == house.people[1])
    #expect(pending.state == .pending && pending.until == house.world.now + day * 7)
    #expect(pending.method == .paypal && pending.extRef == "4KX 2211")
    let told = try #require(try house.newest(.payment, of: 0))
    #expect(told.amount == 300 && told.currency == "EUR" && told.actorName == "Ben" && told.readAt == nil)
    #expect(try house.count(.payment, of: 1) == 0 && house.count(.payment, of: 2) == 0)
    // Nothing is posted so far.
    #expect(try house.debt(of: 1, to: 0) == 300 && house.balance(0) == 600 && house.payments().isEmpty)
    try house.confirm(id, by: 0)
    #expect(try house.debt(of: 1, to: 0) == 0 && house.debt(of: 2, to: 0) == 300 && house.balance(0) == 300)
    #expect(try house.state.payments.payments.isEmpty)
    let listed = try #require(try house.payments().first)
    #expect(listed.id == id && listed.payment.state == .confirmed && listed.payment.closedBy == house.people[0])
    #expect(listed.payment.paid == [OpenBill(bill: bill, left: 300)] && listed.payment.until == nil)
    #expect(try house.newest(.payment, of: 0)?.readAt != nil)
    #expect(try house.newest(.paymentConfirmed, of: 1)?.amount == 300 && house.count(.paymentConfirmed, of: 0) == 0)
    let event = try #require(try house.state.feed.activity.values.max { $0.n < $1.n })
    #expect(event.kind == .paid && event.actor == house.people[1] && event.ref == house.people[0].cast())
    #expect(refused { try house.confirm(id, by: 0) } == "notFound/gone")
    #expect(try house.world.isRestorable(house.home))
  }

  @Test("BIL-8: proposing and confirming need the PIN of the last minutes; a password does not do")
  func pin() throws {
    try house.bill(900, for: [0, 1, 2])
    let proposal: JSON = ["to": house.person(0), "amount": 300]
    for way in [nil, Rooms.Confirmation.password] {
      house.world.confirmation = way
      #expect(refused { try house.call(1, "payments.propose", proposal) } == "forbidden/confirm")
    }
    #expect(try house.state.payments.payments.isEmpty && house.count(.payment, of: 0) == 0)
    let id = try house.propose(300, from: 1, to: 0)
    for way in [nil, Rooms.Confirmation.password] {
      house.world.confirmation = way
      #expect(refused { try house.call(0, "payments.confirm", ["id": .id(id)]) } == "forbidden/confirm")
    }
    // Rejecting, cancelling and recording give nothing away.
    house.world.confirmation = nil
    try house.call(0, "payments.reject", ["id": .id(id)])
    try house.record(300, from: 1, by: 0)
    #expect(try house.balance(0) == 300)
  }

  @Test("BIL-5, SEC-11: only the payee confirms, rejects and takes back; only the payer cancels and brings back")
  func entitled() throws {
    try house.bill(900, for: [0, 1, 2])
    let id = try house.propose(100, from: 1, to: 0)
    for other in [1, 2] {
      #expect(refused { try house.confirm(id, by: other) } == "forbidden/forbidden")
      #expect(refused { try house.call(other, "payments.reject", ["id": .id(id)]) } == "forbidden/forbidden")
    }
    for other in [0, 2] {
      #expect(refused { try house.call(other, "payments.cancel", ["id": .id(id)]) } == "forbidden/forbidden")
    }
    try house.call(1, "payments.cancel", ["id": .id(id)])
    for other in [0, 2] {
      #expect(refused { try house.call(other, "payments.restore", ["id": .id(id)]) } == "forbidden/forbidden")
    }
    let recorded = try house.record(100, from: 1, by: 0)
    for other in [1, 2] {
      #expect(refused { try house.call(other, "payments.undo", ["id": .id(recorded)]) } == "forbidden/forbidden")
    }
    #expect(refused { try house.propose(1, from: 1, to: 1) } == "conflict/yourself")
    #expect(refused { try house.record(1, from: 0, by: 0) } == "conflict/yourself")
    let stranger = try house.world.signUp("Eve")
    let parameters: JSON = ["from": .id(stranger), "amount": 1, "overpay": true]
    #expect(refused { try house.call(0, "payments.record", parameters) } == "notFound/gone")
  }

  @Test("BIL-5: a rejected payment is posted nowhere, and the payer is told why")
  func rejected() throws {
    try house.bill(900, for: [0, 1, 2])
    let id = try house.propose(300, from: 1, to: 0)
    try house.call(0, "payments.reject", ["id": .id(id), "reason": "Nothing has arrived"])
    #expect(try house.debt(of: 1, to: 0) == 300 && house.state.payments.payments.isEmpty)
    let told = try #require(try house.newest(.paymentRejected, of: 1))
    #expect(told.name == "Nothing has arrived" && told.amount == 300 && told.actorName == "Ana")
    let listed = try #require(try house.payments().first)
    #expect(listed.payment.state == .rejected && listed.payment.reason == "Nothing has arrived")
    #expect(try house.newest(.payment, of: 0)?.readAt != nil)
    #expect(refused { try house.call(0, "payments.undo", ["id": .id(id)]) } == "notFound/gone")
    #expect(refused { try house.call(1, "payments.restore", ["id": .id(id)]) } == "notFound/gone")
    // It can be proposed again, as another one.
    try house.propose(300, from: 1, to: 0)
    #expect(refused { try house.propose(1, from: 1, to: 0, ["id": .id(id)]) } == "conflict/exists")
    // The history never loses it to another one.
    house.world.advance(day * 40)
    try house.call(0, "bills.add", ["bill": ["title": "Tea", "amount": 300]])
    #expect(refused { try house.propose(1, from: 1, to: 0, ["id": .id(id)]) } == "conflict/exists")
    #expect(refused { try house.record(1, from: 1, by: 0, ["id": .id(id)]) } == "conflict/exists")
    let other = try house.propose(1, from: 1, to: 0)
    try house.call(1, "payments.cancel", ["id": .id(other)])
    let taken: JSON = ["id": .id(other), "newId": .id(id)]
    #expect(refused { try house.call(1, "payments.restore", taken) } == "conflict/exists")
  }

  @Test("R-DEL: a cancelled payment comes back for ten minutes, under a new id, if as much is still owed")
  func cancelled() throws {
    try house.bill(900, for: [0, 1, 2])
    let id = try house.propose(300, from: 1, to: 0)
    try house.call(1, "payments.cancel", ["id": .id(id)])
    #expect(try house.newest(.payment, of: 0)?.readAt != nil && house.payments().first?.payment.state == .cancelled)
    house.world.advance(.seconds(599))
    let other = try house.propose(200, from: 1, to: 0)
    let again = refusal { try house.call(1, "payments.restore", ["id": .id(id)]) }
    #expect(again?.reason == "exceeds" && again?.details["left"] == 100)
    try house.call(0, "payments.reject", ["id": .id(other)])
    let taken: JSON = ["id": .id(id), "newId": .id(other)]
    #expect(refused { try house.call(1, "payments.restore", taken) } == "conflict/exists")
    let restored = try house.call(1, "payments.restore", ["id": .id(id)])
    let newID = try #require(restored["id"]?.string.flatMap { ID<Payment>($0) })
    #expect(newID != id && restored["left"] == 0)
    let payment = try #require(try house.state.payments.payments[newID])
    #expect(payment.was == id && payment.amount == 300 && payment.until == house.world.now + day * 7)
    #expect(try house.payments().map(\.payment.state) == [.rejected] && house.count(.payment, of: 0) == 3)
    #expect(refused { try house.call(1, "payments.restore", ["id": .id(id)]) } == "notFound/gone")
    try house.call(1, "payments.cancel", ["id": .id(newID)])
    house.world.advance(.seconds(600))
    #expect(refused { try house.call(1, "payments.restore", ["id": .id(newID)]) } == "notFound/gone")
    #expect(try house.state.payments.recent.isEmpty)
  }

  // MARK: how much

  @Test("BIL-7: pending payments count as paid: a second one above what is left is refused, and says how much is left")
  func exceeds() throws {
    try house.bill(900, for: [0, 1, 2])
    #expect(left(301, from: 1, to: 0) == 300)
    try house.propose(200, from: 1, to: 0)
    #expect(left(200, from: 1, to: 0) == 100)
    let id = ID<Payment>(high: 9, low: 9)
    try house.propose(100, from: 1, to: 0, ["id": .id(id)])
    #expect(refused { try house.propose(100, from: 1, to: 0, ["id": .id(id)]) } == "conflict/exists")
    #expect(left(1, from: 1, to: 0) == 0 && left(301, from: 2, to: 0) == 300 && left(1, from: 0, to: 1) == 0)
    // The payee records what is on its way already.
    #expect(refused { try house.record(100, from: 1, by: 0) } == "conflict/exceeds")
    // A currency of its own.
    try house.bill(5000, for: [1], "JPY")
    #expect(refusal { try house.propose(5001, from: 1, to: 0, ["currency": "JPY"]) }?.details["left"] == 5000)
    #expect(refused { try house.propose(5000, from: 1, to: 0, ["currency": "JPY"]) } == nil)
    for amount in [0, -1, 1_000_000_000_001] {
      let found = refusal { try house.propose(amount, from: 1, to: 0) }
      #expect(found?.fields.map(\.path) == ["amount"])
    }
  }

  @Test("BIL-6: bills are paid in any amounts, the chosen ones first and then the oldest; what is left is told")
  func parts() throws {
    let bills = try (1...3).map { _ in try house.bill(200, for: [0, 1]) }
    func open() throws -> [Int] {
      let open = try house.open(0, 1)
      return bills.map { bill in open.first { $0.bill == bill }?.left ?? 0 }
    }
    try house.confirm(house.propose(1, from: 1, to: 0), by: 0)
    #expect(try open() == [99, 100, 100])
    try house.confirm(house.propose(150, from: 1, to: 0, ["bills": [.id(bills[2])]]), by: 0)
    #expect(try open() == [49, 100, 0])
    let paid = try house.payments().first?.payment.paid ?? []
    #expect(Set(paid.map(\.left)) == [50, 100] && Set(paid.map(\.bill)) == [bills[0], bills[2]])
    let found = refusal { try house.propose(10, from: 1, to: 0, ["bills": [.id(bills[1]), .id(bills[2])]]) }
    #expect(found?.fields.map(\.path) == ["bills.1"])
    #expect(refusal { try house.propose(1, from: 0, to: 1, ["bills": [.id(bills[1])]]) }?.fields.count == 1)
    try house.record(149, from: 1, by: 0)
    #expect(try open() == [0, 0, 0] && house.balance(0) == 0)
    #expect(try house.state.ledger.balances.isEmpty && house.state.ledger.debts.isEmpty)
  }

  @Test("BIL-6: only a payment that says so exceeds what is owed: then the payee owes the rest")
  func overpaid() throws {
    let bill = try house.bill(200, for: [0, 1])
    let id = try house.propose(250, from: 1, to: 0, ["overpay": true])
    #expect(try house.debt(of: 1, to: 0) == 100)
    try house.confirm(id, by: 0)
    #expect(try house.debt(of: 0, to: 1) == 150 && house.open(0, 1) == [OpenBill(bill: nil, left: 150)])
    #expect(try house.payments().first?.payment.paid == [OpenBill(bill: bill, left: 100)])
    try house.call(0, "payments.undo", ["id": .id(id)])
    #expect(try house.debt(of: 1, to: 0) == 100 && house.open(0, 1) == [OpenBill(bill: bill, left: 100)])
    // Where nothing is owed it is a loan.
    try house.confirm(house.propose(70, from: 2, to: 1, ["overpay": true]), by: 1)
    #expect(try house.debt(of: 1, to: 2) == 70)
  }

  // MARK: recording, and taking back

  @Test(
    "BIL-5: the payee records what they have got: it counts at once, the payer is told, and for ten minutes it can go")
  func recorded() throws {
    let bills = try (1...2).map { _ in try house.bill(200, for: [0, 1]) }
    let id = try house.record(150, from: 1, by: 0, ["method": "cash"])
    #expect(try house.debt(of: 1, to: 0) == 50 && house.newest(.paymentRecorded, of: 1)?.amount == 150)
    #expect(try house.count(.paymentConfirmed, of: 1) == 0 && house.count(.paymentRecorded, of: 0) == 0)
    // Another bill meanwhile: what is taken back is the oldest again.
    let third = try house.bill(60, for: [0, 1])
    house.world.advance(.seconds(599))
    try house.call(0, "payments.undo", ["id": .id(id)])
    #expect(
      try house.open(0, 1) == [
        OpenBill(bill: bills[0], left: 100), OpenBill(bill: bills[1], left: 100), OpenBill(bill: third, left: 30),
      ])
    #expect(try house.newest(.paymentRecorded, of: 1)?.readAt != nil)
    #expect(try house.newest(.paymentUndone, of: 1)?.readAt == nil && house.count(.paymentUndone, of: 1) == 1)
    #expect(try house.payments().map(\.payment.state) == [.reversed])
    let entries = try house.call(0, "ledger.list", [:])["items"]?.array ?? []
    #expect(entries.prefix(3).map { $0["kind"] } == ["reversal", "bill", "payment"])
    #expect(entries.first?["ref"] == .id(id))
    #expect(refused { try house.call(0, "payments.undo", ["id": .id(id)]) } == "notFound/gone")
    let confirmed = try house.propose(230, from: 1, to: 0)
    try house.confirm(confirmed, by: 0)
    house.world.advance(.seconds(600))
    #expect(refused { try house.call(0, "payments.undo", ["id": .id(confirmed)]) } == "notFound/gone")
  }

  @Test("BIL-5: what is taken back after the other has come to owe is set against that")
  func takenBackLater() throws {
    try house.bill(200, for: [0, 1])
    let id = try house.record(100, from: 1, by: 0)
    try house.bill(60, by: 1, for: [0])
    #expect(try house.debt(of: 0, to: 1) == 60)
    try house.call(0, "payments.undo", ["id": .id(id)])
    #expect(try house.debt(of: 1, to: 0) == 40 && house.balance(0) == 40)
  }

  // MARK: by itself

  @Test("BIL-5: after seven days a payment is confirmed by itself, once, and both are told; also after downtime")
  func byItself() throws {
    try house.bill(900, for: [0, 1, 2])
    let id = try house.propose(300, from: 1, to: 0)
    house.world.advance(day * 7 - .milliseconds(1))
    #expect(try house.state.payments.payments.count == 1 && house.debt(of: 1, to: 0) == 300)
    house.world.advance(.milliseconds(1))
    #expect(try house.state.payments.payments.isEmpty && house.debt(of: 1, to: 0) == 0)
    let listed = try #require(try house.payments().first)
    #expect(listed.id == id && listed.payment.state == .confirmed && listed.payment.closedBy == nil)
    #expect(try house.count(.paymentConfirmed, of: 0) == 1 && house.count(.paymentConfirmed, of: 1) == 1)
    // The payee has not got it after all.
    #expect(refused { try house.call(0, "payments.undo", ["id": .id(id)]) } == nil)
    // Three weeks without a server.
    try house.propose(100, from: 2, to: 0)
    house.world.now = house.world.now + day * 21
    house.world.advance(.zero)
    #expect(try house.debt(of: 2, to: 0) == 200 && house.payments().count == 2)
    house.world.advance(day * 30)
    #expect(try house.debt(of: 2, to: 0) == 200 && house.payments().count == 2)
    #expect(try house.world.isRestorable(house.home))
  }

  @Test("BIL-5, R-MONEY: a payment for which the books have no room waits for another week")
  func noRoom() throws {
    var ledger = Ledger()
    let (one, two) = (house.people[0], house.people[1])
    ledger.balances["EUR"] = Balance(people: [one: Limits.balance - 5, two: 5 - Limits.balance])
    func hasRoom(_ amount: Int64, from payer: ID<Person>, to payee: ID<Person>, _ currency: String = "EUR") -> Bool {
      ledger.hasRoom(for: [Debt(from: payer, to: payee, amount: amount).reversed], currency)
    }
    #expect(hasRoom(5, from: one, to: two) && !hasRoom(6, from: one, to: two))
    #expect(hasRoom(6, from: two, to: one) && hasRoom(6, from: one, to: two, "USD"))
  }

  // MARK: people who have left

  @Test("R-041, BIL-5: a former member can be settled with, as the debtor and as the creditor, and after coming back")
  func former() throws {
    try house.bill(900, for: [0, 1, 2])
    try house.bill(100, by: 2, for: [1])
    try house.call(2, "members.leave", [:])
    #expect(try house.debt(of: 2, to: 0) == 300 && house.debt(of: 1, to: 2) == 100)
    // The debtor: the payee records what they send.
    try house.record(100, from: 2, by: 0)
    #expect(try house.debt(of: 2, to: 0) == 200)
    // The creditor: nobody is there to confirm.
    let id = try house.propose(60, from: 1, to: 2)
    house.world.advance(day * 7)
    #expect(try house.debt(of: 1, to: 2) == 40 && house.payments().first?.id == id)
    let inbox = try house.world.me(house.people[2]).inbox.notifications.values
    #expect(!inbox.contains { [.payment, .paymentConfirmed, .paymentRecorded].contains($0.kind) })
    // Back again they meet what they owed, and are owed.
    try house.world.join([house.people[2]], ID(high: 0xB000, low: 1))
    #expect(try house.propose(200, from: 2, to: 0) != id && left(41, from: 1, to: 2) == 40)
    try house.world.delete(house.people[2])
    #expect(try house.debt(of: 2, to: 0) == 200 && house.state.payments.payments.count == 1)
    house.world.advance(day * 7)
    #expect(try house.debt(of: 2, to: 0) == 0 && house.balance(0) + house.balance(1) + house.balance(2) == 0)
    try house.propose(40, from: 1, to: 2)
    house.world.advance(day * 7)
    #expect(try house.balance(1) == -300 && house.balance(0) == 300)
  }

  // MARK: few payments

  @Test("R-NET, BIL-11: where debts are settled by few payments, these are owed; paying one leaves the others")
  func simplified() throws {
    // Ben owes Ana, Ana owes Cem: Ben is to pay Cem.
    try house.bill(100, for: [1])
    try house.bill(100, by: 2, for: [0])
    try house.bill(50, by: 2, for: [1])
    #expect(left(151, from: 1, to: 2) == 50)
    try house.call(0, "households.update", ["simplify": true])
    #expect(left(151, from: 1, to: 2) == 150 && left(1, from: 1, to: 0) == 0 && left(1, from: 0, to: 2) == 0)
    try house.bill(300, for: [2])
    let advice = try house.state.ledger.transfers.values.map { [$0.from, $0.to] }
    let owed = try house.state.owed
    let first = try #require(owed.first)
    let (payer, payee) = (
      try #require(house.people.firstIndex(of: first.from)), try #require(house.people.firstIndex(of: first.to))
    )
    // Taken back, it is advised again.
    let mistaken = try house.record(first.amount, from: payer, by: payee)
    try house.call(payee, "payments.undo", ["id": .id(mistaken)])
    #expect(try house.state.owed == owed)
    try house.record(first.amount, from: payer, by: payee)
    #expect(try house.state.owed == Array(owed.dropFirst()) && advice.count == owed.count)
    for rest in owed.dropFirst() {
      let (payer, payee) = (house.people.firstIndex(of: rest.from), house.people.firstIndex(of: rest.to))
      try house.record(rest.amount, from: try #require(payer), by: try #require(payee))
    }
    #expect(try house.state.ledger.balances.isEmpty && house.state.owed.isEmpty)
  }

  // MARK: texts and pages

  @Test("BIL-18: no reference of a payment is the number of a card, and all bad fields are named together")
  func fields() throws {
    try house.bill(900, for: [0, 1, 2])
    let bad: JSON = [
      "to": "x", "amount": 0, "currency": "ZZZ", "method": "card", "extRef": "4111 1111 1111 1111", "bills": [],
      "overpay": 1,
    ]
    let found = refusal { try house.call(1, "payments.propose", bad) }
    #expect(
      Set(found?.fields.map(\.path) ?? []) == ["to", "amount", "currency", "method", "extRef", "bills", "overpay"])
    let record = refusal {
      try house.call(0, "payments.record", ["from": house.person(1), "amount": 1, "extRef": "5555.5555.5555.4444"])
    }
    #expect(record?.fields.map(\.path) == ["extRef"])
  }

  @Test("BIL-9, BIL-10: the history has all that is not pending, also of two people alone, in pages")
  func pages() throws {
    try house.bill(3000, for: [0, 1, 2])
    for number in 1...3 {
      house.world.advance(.seconds(1))
      try house.record(number, from: 1, by: 0)
      try house.record(number * 10, from: 2, by: 0)
    }
    try house.propose(100, from: 1, to: 0)
    let amounts = try house.payments(["people": .array([house.person(1)])]).map(\.payment.amount)
    #expect(amounts == [3, 2, 1])
    #expect(try house.payments(["people": .array([house.person(1), house.person(2)])]).isEmpty)
    let first = try house.call(2, "payments.list", ["limit": 4])
    let second = try house.payments(["limit": 4, "before": first["next"] ?? .null])
    #expect(first["items"]?.array?.count == 4 && second.map(\.payment.amount).sorted() == [1, 10])
  }

  @Test("BIL-7: of two devices that confirm at once one is told that it is done, and it counts once")
  func twice() throws {
    try house.bill(900, for: [0, 1, 2])
    let id = try house.propose(300, from: 1, to: 0)
    try house.confirm(id, by: 0)
    #expect(refused { try house.confirm(id, by: 0) } == "notFound/gone")
    #expect(refused { try house.call(1, "payments.cancel", ["id": .id(id)]) } == "notFound/gone")
    #expect(try house.balance(1) == 0)
  }
}
