public import Rooms

extension Ledger {
  /// Why the books do not add up; `nil` if they do (BIL-23): the balances of each currency have the sum 0, and are what
  /// the debts between two come to.
  var problem: String? {
    var nets: [String: [ID<Person>: Int]] = [:]
    for debt in debts.values {
      guard debt.amount > 0, debt.bills.reduce(0, { $0 + $1.left }) == debt.amount else {
        return "the open bills of a debt in \(debt.currency) do not add up to it"
      }
      nets[debt.currency, default: [:]][debt.from, default: 0] -= debt.amount
      nets[debt.currency, default: [:]][debt.to, default: 0] += debt.amount
    }
    for (currency, balance) in balances {
      let sum = balance.people.values.reduce(0, +)
      if sum != 0 { return "the balances in \(currency) add up to \(sum), not to 0" }
    }
    for currency in Set(nets.keys).union(balances.keys) {
      let people = balances[currency]?.people ?? [:]
      let found = Dictionary(uniqueKeysWithValues: people.map { ($0.key, $0.value) })
      if found != (nets[currency] ?? [:]).filter({ $0.value != 0 }) {
        return "the balances in \(currency) are not what the debts come to"
      }
    }
    return nil
  }
}

extension HomeRooms {
  /// Why the content of a room contradicts itself, although it can be read; `nil` if it does not.
  public static func problem(of room: Room) -> String? {
    (room as? TypedRoom<HouseholdState>)?.state.ledger.problem
  }
}
