import Foundation
import JSON
import Rooms
import Testing

@testable import Home

/// R-SPLIT, R-CHECKOUT and R-NET together: the books of drawn households, against another implementation.
@Suite("Books of drawn households")
struct HouseholdBooksTests {
  private static let ofBlock = 20

  private func person(_ number: Int) -> ID<Person> { ID(high: 1, low: UInt64(number)) }
  private func bill(_ number: Int) -> ID<Bill> { ID(high: 0, low: UInt64(number)) }

  @Test(
    "R-SPLIT, R-CHECKOUT, R-NET: the books of 1,000 households are those that another implementation keeps",
    arguments: 0..<50)
  func drawn(block: Int) throws {
    let file = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Fixtures/households.json")
    let digests = try JSON.parse(try String(contentsOf: file, encoding: .utf8)).array
    var (draws, digest) = (Draws(seed: 4711 + block), Digest())
    for _ in 0..<Self.ofBlock { for word in try books(&draws) { digest.add(Int64(word)) } }
    #expect(digest.text == digests?[block].string, "see Fixtures/households.py")
  }

  /// The words of a household's digest: its shares, balances, debts of pairs, and payments that settle them.
  private func books(_ draws: inout Draws) throws -> [Int] {
    let count = 2 + draws.below(5)
    let mask = draws.below(1 << count)
    let sharers = Set((0..<count).filter { mask >> $0 & 1 == 1 }.map(person))
    var (words, ledger) = ([Int](), Ledger())
    for _ in 0..<3 + draws.below(6) {
      var (paid, shares) = ([ID<Person>: Int64](), [ID<Person>: Int64]())
      if draws.below(3) != 0 {
        let size = 1 + draws.below(1 << 20)
        let total = Int64(draws.below(6) == 0 ? -size : size)
        let id = bill(draws.below(1 << 31))
        shares = try split(&draws, of: total, among: count).parts(of: total, bill: id)
        let payer = draws.below(count)
        var first = total
        if draws.below(3) == 0 { first = Int64(draws.below(size + 1)) * total.signum() }
        let other = draws.below(count)
        paid[person(payer)] = first
        paid[person(other), default: 0] += total - first
      } else {
        let buyer = person(draws.below(count))
        let total = Int64(1 + draws.below(30_000))
        let id = bill(draws.below(1 << 31))
        let lines = (0..<draws.below(6)).map { _ in
          let owner = draws.below(count + 1)
          let units = Int64(1000 * (1 + draws.below(9)))
          let price = draws.below(2) != 0 ? Int64(draws.below(8000)) : nil
          return CheckoutShares.Line(owner: owner == count ? nil : person(owner), price: price, units: units)
        }
        let rule = CheckoutShares(lines: lines, sharers: sharers, buyer: buyer)
        guard let parts = try? rule.parts(of: total, bill: id) else {
          words.append(-1)
          continue
        }
        (shares, paid) = (parts, [buyer: total])
      }
      words += shares.sorted { $0.key < $1.key }.map { Int($0.value) }
      let debts = Debt.between(paid: paid, parts: shares)
      _ = try ledger.post(debts, "EUR") { $0.add($1, of: nil) }
    }
    let nets = ledger.balances["EUR"]?.people ?? [:]
    words += (0..<count).map { nets[person($0)] ?? 0 }
    for low in 0..<count {
      for high in (low + 1)..<max(low + 1, count) {
        let one = ledger.debt(of: person(low), to: person(high), "EUR")
        words.append(one - ledger.debt(of: person(high), to: person(low), "EUR"))
      }
    }
    let payments = Debt.settling(nets.map { (key: $0.key, value: $0.value) })
    return words + payments.flatMap { [Int($0.from.low), Int($0.to.low), Int($0.amount)] }
  }

  private func split(_ draws: inout Draws, of total: Int64, among count: Int) -> Split {
    let kind = draws.below(4)
    let mask = 1 + draws.below(1 << count - 1)
    let people = (0..<count).filter { mask >> $0 & 1 == 1 }.map(person)
    guard let last = people.last, kind != 0 else { return .equal(Set(people)) }
    var parts: [ID<Person>: Int] = [:]
    if kind == 1 {
      for one in people { parts[one] = 1 + draws.below(1000) }
      return .shares(parts)
    }
    let (whole, sign) = (kind == 2 ? 10_000 : Int(total.magnitude), kind == 2 ? 1 : Int(total.signum()))
    for one in people.dropLast() { parts[one] = draws.below(whole / people.count + 1) * sign }
    parts[last] = whole * sign - parts.values.reduce(0, +)
    return kind == 2 ? .percent(parts) : .exact(parts.mapValues { Int64($0) })
  }
}
