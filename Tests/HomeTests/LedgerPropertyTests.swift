import JSON
import Rooms
import TestSupport
import Testing

@testable import Home

/// Random bills, payments, changes and members who leave: what must hold of the books after every step.
@Suite("Books under random use")
struct LedgerPropertyTests {
  @Test(
    "R-MONEY, R-NET, BIL-23, R-041: the books add up after every step, and paying what is owed settles everybody",
    arguments: 1...12)
  func random(seed: UInt64) throws {
    var run = try Run(seed: seed)
    for _ in 0..<150 {
      run.step()
      try run.check()
    }
    #expect(run.done > 30 && run.undone > 0, "seed \(seed): too little got through to mean anything")
    #expect(try run.house.world.isRestorable(run.house.home))
    try run.settle()
  }

  @Test("R-MONEY: a household with years of bills is not larger than one with a hundred: the rest is in the history")
  func size() throws {
    let house = try ChoreWorld("Ana", "Ben", "Cem")
    house.world.checksStates = false
    /// Characters of the snapshot after some more bills, each of which is paid back.
    func sizeAfter(_ count: Int) throws -> Int {
      for number in 1...count {
        let payer = number % 3
        try house.bill(900, by: payer, for: [0, 1, 2])
        for other in 0...2 where other != payer {
          let owed = try house.debt(of: other, to: payer)
          if owed > 0 { try house.record(owed, from: other, by: payer) }
        }
        house.world.advance(.seconds(30 * 86_400))
      }
      return house.world.snapshot(of: try #require(house.world.rooms[house.home])).text.utf8.count
    }
    // All months of which the sums are kept.
    let first = try sizeAfter(Limits.bills)
    #expect(try Double(sizeAfter(150)) <= 1.02 * Double(first))
    #expect(try house.state.ledger.balances.isEmpty)
  }

  @Test("R-NET: a payment of one suggestion leaves the others, and there are fewer than people", arguments: 1...50)
  func advice(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let people = (0..<8).map { ID<Person>(high: 1, low: UInt64($0)) }
    var ledger = Ledger()
    for _ in 0..<20 {
      let debt = Debt(
        from: people[Int.random(in: 0..<8, using: &random)], to: people[Int.random(in: 0..<8, using: &random)],
        amount: Int64.random(in: 1...1000, using: &random))
      _ = try ledger.post([debt], "EUR") { open, debt in open.add(debt, of: nil) }
    }
    ledger.advise("EUR", isWanted: true)
    let nets = ledger.balances["EUR"]?.people ?? [:]
    #expect(ledger.transfers.count < max(nets.count, 1))
    for person in people {
      let sum = ledger.transfers.values.reduce(0) { sum, transfer in
        sum + (transfer.to == person ? transfer.amount : 0) - (transfer.from == person ? transfer.amount : 0)
      }
      #expect(sum == nets[person] ?? 0, "nets are unchanged")
    }
    while let id = ledger.transfers.keys.randomElement(using: &random), let paid = ledger.transfers[id] {
      var others = ledger.transfers
      others[id] = nil
      let payment = Debt(from: paid.from, to: paid.to, amount: Int64(paid.amount))
      _ = try ledger.post([Debt(from: paid.to, to: paid.from, amount: payment.amount)], "EUR") { open, debt in
        open.add(debt, of: nil)
      }
      ledger.advise(afterPaying: payment, "EUR")
      #expect(ledger.transfers.map(\.value) == others.map(\.value))
    }
    #expect(ledger.balances.isEmpty)
  }

  @Test("BIL-6: a payment that is taken back leaves every bill as open as it was", arguments: 1...50)
  func putBack(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let (debtor, creditor) = (ID<Person>(high: 1, low: 1), ID<Person>(high: 1, low: 2))
    var debt = OpenDebt(from: debtor, to: creditor, currency: "EUR")
    for number in 0..<5 {
      let bill = Int.random(in: 0..<4, using: &random) == 0 ? nil : ID<Bill>(high: 2, low: UInt64(number))
      debt.add(Debt(from: debtor, to: creditor, amount: Int64.random(in: 1...50, using: &random)), of: bill)
    }
    func sums(_ debt: OpenDebt) -> [ID<Bill>?: Int] {
      Dictionary(debt.bills.map { ($0.bill, $0.left) }, uniquingKeysWith: +)
    }
    let amount = Int64.random(in: 1...300, using: &random)
    var paid = debt
    paid.add(
      Debt(from: creditor, to: debtor, amount: amount), of: nil, against: debt.bills.compactMap(\.bill).suffix(1))
    let parts = debt.parts(paidIn: paid.amount == 0 ? nil : paid)
    #expect(parts.reduce(0) { $0 + $1.left } == min(Int(amount), debt.amount))
    if paid.amount == 0 { paid = OpenDebt(from: debtor, to: creditor, currency: "EUR") }
    paid.putBack(parts, of: Debt(from: debtor, to: creditor, amount: amount))
    #expect(sums(paid) == sums(debt) && paid.amount == debt.amount && paid.from == debtor)
  }
}

private struct Run {
  let seed: UInt64
  var random: SeededGenerator
  let house: ChoreWorld
  var isHome: [Bool]
  var bills: [ID<Bill>] = []
  var closed: [ID<Payment>] = []
  var done = 0
  var undone = 0

  init(seed: UInt64) throws {
    self.seed = seed
    random = SeededGenerator(seed: seed)
    house = try ChoreWorld("Ana", "Ben", "Cem", "Dan", "Eva")
    house.world.checksStates = false
    isHome = house.people.map { _ in true }
    if seed.isMultiple(of: 2) { try house.call(0, "households.update", ["simplify": true]) }
  }

  mutating func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &random) }
  mutating func member() -> Int { house.people.indices.filter { isHome[$0] }.randomElement(using: &random) ?? 0 }
  mutating func anybody() -> Int { number(0...house.people.count - 1) }
  mutating func currency() -> JSON { number(1...4) == 1 ? "JPY" : "EUR" }

  /// Some who live there, at least one.
  mutating func some() -> [JSON] {
    var people: [JSON] = []
    for index in house.people.indices where isHome[index] && number(0...1) == 1 { people.append(house.person(index)) }
    return people.isEmpty ? [house.person(member())] : people
  }

  /// Calls a method, which may be refused.
  @discardableResult
  mutating func call(_ person: Int, _ method: String, _ parameters: JSON) -> JSON? {
    house.world.confirmation = .pin
    defer { house.world.confirmation = nil }
    guard let answer = try? house.call(person, method, parameters) else { return nil }
    done += 1
    return answer
  }

  mutating func step() {
    // Much happens in the minutes in which it can be undone.
    house.world.advance(.seconds(number(1...4) == 1 ? number(1...100_000) : number(1...60)))
    switch number(0...13) {
    case 0...3: addBill()
    case 4:
      guard let id = bills.randomElement(using: &random) else { return }
      call(member(), "bills.edit", ["id": .id(id), "bill": ["amount": amount(-2000...5000)]])
    case 5:
      guard let id = bills.randomElement(using: &random) else { return }
      let person = member()
      guard call(person, "bills.remove", ["id": .id(id)]) != nil, number(0...1) == 1 else { return }
      call(person, "bills.restore", ["id": .id(id)])
    case 6, 7: propose()
    case 8, 9: answerPayment()
    case 10: record()
    case 11:
      if number(0...1) == 1 { record(isOverpaid: true) }
      guard let id = closed.last else { return }
      for person in house.people.indices where isHome[person] {
        if call(person, "payments.undo", ["id": .id(id)]) != nil { undone += 1 }
      }
    case 12: call(0, "households.update", ["simplify": .bool(number(0...1) == 1)])
    default: comeOrGo()
    }
  }

  private mutating func amount(_ range: ClosedRange<Int>) -> JSON { .number(.init(number(range))) }

  private mutating func addBill() {
    let person = member()
    var bill: [String: JSON] = [
      "title": "Bill", "amount": amount(-1000...5000), "currency": currency(),
      "split": ["kind": "equal", "people": .array(some())],
    ]
    if number(0...2) == 0 {
      let (one, other) = (number(1...500), number(1...500))
      let second = member()
      if second != person {
        bill["amount"] = .number(.init(one + other))
        bill["paid"] = .object([
          house.people[person].description: .number(.init(one)),
          house.people[second].description: .number(.init(other)),
        ])
      }
    }
    if let id = call(person, "bills.add", ["bill": .object(bill)])?["id"]?.string.flatMap({ ID<Bill>($0) }) {
      bills.append(id)
    }
  }

  private mutating func propose() {
    call(
      member(), "payments.propose",
      [
        "to": house.person(anybody()), "amount": amount(1...800), "currency": currency(),
        "overpay": .bool(number(0...3) == 0),
      ])
  }

  private mutating func record(isOverpaid: Bool = false) {
    let payment: JSON = [
      "from": house.person(anybody()), "amount": amount(1...800), "currency": currency(),
      "overpay": .bool(isOverpaid || number(0...3) == 0),
    ]
    if let id = call(member(), "payments.record", payment)?["id"]?.string.flatMap({ ID<Payment>($0) }) {
      closed.append(id)
    }
  }

  private mutating func answerPayment() {
    guard let pending = try? house.state.payments.payments.map({ $0 }).randomElement(using: &random),
      let payee = house.people.firstIndex(of: pending.value.to),
      let payer = house.people.firstIndex(of: pending.value.from)
    else { return }
    switch number(0...3) {
    case 0: call(payee, "payments.reject", ["id": .id(pending.key)])
    case 1:
      call(payer, "payments.cancel", ["id": .id(pending.key)])
      if number(0...1) == 1 { call(payer, "payments.restore", ["id": .id(pending.key)]) }
    default: if call(payee, "payments.confirm", ["id": .id(pending.key)]) != nil { closed.append(pending.key) }
    }
  }

  private mutating func comeOrGo() {
    let person = number(1...house.people.count - 1)
    if isHome[person] {
      call(person, "members.leave", [:])
    } else {
      try? house.world.join([house.people[person]], ID(high: 0xB000, low: 1))
    }
    isHome[person] = (try? house.state.membership.members.contains(house.people[person])) ?? false
  }

  /// Holds what must always be so.
  func check() throws {
    let state = try house.state
    for (currency, balance) in state.ledger.balances {
      #expect(balance.people.values.reduce(0, +) == 0, "seed \(seed): \(currency) adds up")
    }
    var nets: [String: Int] = [:]
    for (id, debt) in state.ledger.debts {
      #expect(id == OpenDebt.id(between: debt.from, debt.to, debt.currency) && debt.from != debt.to)
      #expect(debt.amount > 0 && debt.bills.allSatisfy { $0.left > 0 }, "seed \(seed): one direction")
      #expect(debt.bills.reduce(0) { $0 + $1.left } == debt.amount, "seed \(seed): open bills add up")
      nets["\(debt.to) \(debt.currency)", default: 0] += debt.amount
      nets["\(debt.from) \(debt.currency)", default: 0] -= debt.amount
    }
    var balances: [String: Int] = [:]
    for (currency, balance) in state.ledger.balances {
      for (person, amount) in balance.people { balances["\(person) \(currency)"] = amount }
    }
    #expect(nets.filter { $0.value != 0 } == balances, "seed \(seed): debts agree with balances")
    if state.info.facts.value.simplify == true {
      var advised: [String: Int] = [:]
      for transfer in state.ledger.transfers.values {
        advised["\(transfer.to) \(transfer.currency)", default: 0] += transfer.amount
        advised["\(transfer.from) \(transfer.currency)", default: 0] -= transfer.amount
      }
      #expect(advised == balances, "seed \(seed): the advice settles all")
    } else {
      #expect(state.ledger.transfers.isEmpty)
    }
    for (_, payment) in state.payments.payments { #expect(payment.state == .pending && payment.until != nil) }
  }

  /// Settles everything that is owed: then nobody owes anything.
  mutating func settle() throws {
    house.world.advance(.seconds(8 * 24 * 3600))
    #expect(try house.state.payments.payments.isEmpty)
    for transfer in try house.state.owed {
      let (payer, payee) = (
        try #require(house.people.firstIndex(of: transfer.from)), try #require(house.people.firstIndex(of: transfer.to))
      )
      let more: [String: JSON] = ["amount": .number(.init(transfer.amount)), "currency": .string(transfer.currency)]
      if isHome[payee] {
        let payment = more.merging(["from": house.person(payer)]) { $1 }
        #expect(call(payee, "payments.record", .object(payment)) != nil, "seed \(seed)")
      } else {
        if !isHome[payer] {
          try house.world.join([house.people[payer]], ID(high: 0xB000, low: 1))
          isHome[payer] = true
        }
        let payment = more.merging(["to": house.person(payee)]) { $1 }
        #expect(call(payer, "payments.propose", .object(payment)) != nil, "seed \(seed)")
      }
      try check()
    }
    house.world.advance(.seconds(8 * 24 * 3600))
    try check()
    #expect(try house.state.ledger.balances.isEmpty && house.state.owed.isEmpty, "seed \(seed): all are at 0")
  }
}
