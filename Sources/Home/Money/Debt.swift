import Rooms

/// A debt of one person to another.
struct Debt: Equatable, Sendable {
  var from: ID<Person>
  var to: ID<Person>
  var amount: Int64

  /// The debt the other way, which takes it back or pays it.
  var reversed: Debt { Debt(from: to, to: from, amount: amount) }

  /// The debts after some participants have paid for all: debtors to creditors in the order of their ids (R-SPLIT).
  ///
  /// - Precondition: The paid amounts and the parts have the same sum.
  static func between(paid: [ID<Person>: Int64], parts: [ID<Person>: Int64]) -> [Debt] {
    let nets = Set(paid.keys).union(parts.keys).sorted().map { ($0, (paid[$0] ?? 0) - (parts[$0] ?? 0)) }
    var creditors = nets.filter { $0.1 > 0 }[...]
    var debts: [Debt] = []
    for (debtor, net) in nets where net < 0 {
      var owed = -net
      while owed > 0, let (creditor, due) = creditors.first {
        let amount = min(owed, due)
        debts.append(Debt(from: debtor, to: creditor, amount: amount))
        owed -= amount
        if amount == due { creditors.removeFirst() } else { creditors[creditors.startIndex].1 -= amount }
      }
    }
    return debts
  }
}
