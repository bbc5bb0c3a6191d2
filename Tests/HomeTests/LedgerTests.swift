import Rooms
import TestSupport
import Testing

@testable import Home

/// The pure parts of the ledger: what is open between two people, and advice.
@Suite("Ledger")
struct LedgerTests {
  private static let people = (0..<6).map { ID<Person>(high: 1, low: UInt64($0)) }
  private let ana = Self.people[0]
  private let ben = Self.people[1]

  private func debt(_ amount: Int, from: ID<Person>, to: ID<Person>) -> Debt {
    Debt(from: from, to: to, amount: Int64(amount))
  }

  private func bill(_ number: Int) -> ID<Bill> { ID(high: 2, low: UInt64(number)) }

  @Test("BIL-6: money paid back settles the bills that it is for, then the oldest; too much of it turns the debt")
  func matching() {
    var open = OpenDebt(currency: "EUR")
    for (number, amount) in [(1, 100), (2, 200), (3, 300)] {
      open.add(debt(amount, from: ana, to: ben), of: bill(number))
    }
    open.add(debt(150, from: ben, to: ana), of: nil)
    #expect(open.bills == [OpenBill(bill: bill(2), left: 150), OpenBill(bill: bill(3), left: 300)])
    open.add(debt(50, from: ben, to: ana), of: nil, against: [bill(3), bill(9)])
    #expect(open.bills == [OpenBill(bill: bill(2), left: 150), OpenBill(bill: bill(3), left: 250)])
    #expect(open.amount == 400 && open.from == ana)
    open.add(debt(500, from: ben, to: ana), of: bill(4))
    #expect(open.from == ben && open.to == ana && open.amount == 100)
    #expect(open.bills == [OpenBill(bill: bill(4), left: 100)])
    open.add(debt(100, from: ana, to: ben), of: nil)
    #expect(open.amount == 0 && open.bills.isEmpty)
  }

  @Test("BIL-6: whatever two people owe and pay, what is open adds up and is in one direction", arguments: 0..<20)
  func adding(seed: Int) {
    var random = SeededGenerator(seed: UInt64(seed))
    var (open, net) = (OpenDebt(currency: "EUR"), 0)
    for number in 0..<300 {
      let amount = Int.random(in: 1...500, using: &random)
      let isBack = Bool.random(using: &random)
      net += isBack ? -amount : amount
      open.add(
        isBack ? debt(amount, from: ben, to: ana) : debt(amount, from: ana, to: ben),
        of: Bool.random(using: &random) ? bill(number) : nil,
        against: [bill(Int.random(in: 0...number, using: &random))])
      #expect(open.amount == abs(net) && open.bills.reduce(0) { $0 + $1.left } == open.amount)
      #expect(open.bills.allSatisfy { $0.left > 0 } && open.bills.count <= Limits.openBills)
      if net != 0 { #expect(open.from == (net > 0 ? ana : ben) && open.to == (net > 0 ? ben : ana)) }
    }
  }

  @Test(
    "R-NET: at most n - 1 payments settle all, and one that is paid leaves the others as they are",
    arguments: 0..<50)
  func settling(seed: Int) throws {
    var random = SeededGenerator(seed: UInt64(seed))
    var ledger = Ledger()
    var nets: [ID<Person>: Int] = [:]
    for person in Self.people.dropFirst() { nets[person] = Int.random(in: -500...500, using: &random) }
    nets[ana] = -nets.values.reduce(0, +)
    ledger.balances["EUR"] = Balance(people: SmallMap(nets.filter { $0.value != 0 }.map { ($0.key, $0.value) }))
    ledger.advise("EUR", isWanted: true)
    #expect(ledger.transfers.count <= nets.count - 1)
    while let id = ledger.transfers.keys.randomElement(using: &random), let paid = ledger.transfers[id] {
      let others = ledger.transfers.filter { $0.key != id }.map(\.value)
      let isWhole = Bool.random(using: &random)
      let amount = isWhole ? paid.amount : Int.random(in: 1...paid.amount, using: &random)
      let payment = debt(amount, from: paid.from, to: paid.to)
      _ = try ledger.post([debt(amount, from: paid.to, to: paid.from)], "EUR") { $0.add($1, of: nil) }
      ledger.advise(afterPaying: payment, "EUR")
      #expect(ledger.transfers.filter { $0.key != id }.map(\.value) == others)
      #expect((ledger.transfers[id]?.amount ?? 0) == paid.amount - amount)
    }
    #expect(ledger.balances.isEmpty, "all is settled")
  }

  @Test("R-NET: the one who owes most pays the one who gets most; of equal ones the smaller id comes first")
  func order() {
    let nets = [Self.people[0]: -5, Self.people[1]: -5, Self.people[2]: 7, Self.people[3]: 3]
    #expect(
      Debt.settling(nets) == [
        debt(5, from: Self.people[0], to: Self.people[2]), debt(2, from: Self.people[1], to: Self.people[2]),
        debt(3, from: Self.people[1], to: Self.people[3]),
      ])
    #expect(Debt.settling([:] as [ID<Person>: Int]).isEmpty)
  }

  @Test("BIL-23: books that do not add up are found")
  func verified() throws {
    var books = Ledger()
    _ = try books.post([debt(100, from: ana, to: ben)], "EUR") { $0.add($1, of: bill(1)) }
    _ = try books.post([debt(30, from: ben, to: ana)], "JPY") { $0.add($1, of: bill(2)) }
    #expect(books.problem == nil)
    func broken(_ damage: (inout Ledger) -> Void) -> String? {
      var books = books
      damage(&books)
      return books.problem
    }
    let id = OpenDebt.id(between: ana, ben, "EUR")
    #expect(broken { $0.balances["EUR"]?.people[Self.people[2]] = 1 } == "the balances in EUR add up to 1, not to 0")
    #expect(broken { $0.balances["JPY"] = nil } == "the balances in JPY are not what the debts come to")
    #expect(broken { $0.debts[id] = nil } == "the balances in EUR are not what the debts come to")
    #expect(broken { $0.debts[id]?.bills[0].left = 99 } == "the open bills of a debt in EUR do not add up to it")
  }
}
