import Crypto
import JSON
import Rooms

/// The debt of one person to another in one currency, by the bills from which it comes (BIL-3, BIL-4).
///
/// Of two people only one owes the other: a debt the other way is set against what is open, the oldest first (BIL-6).
struct OpenDebt: Record {
  var from = ID<Person>()
  var to = ID<Person>()
  /// ISO 4217.
  var currency = ""
  /// In minor units, above 0: the sum of `bills`.
  var amount = 0
  /// The oldest first.
  var bills: [OpenBill] = []

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("from", \.from)
    field("to", \.to)
    field("currency", \.currency)
    field("amount", \.amount)
    field("bills", \.bills)
  }

  /// The id of what is open between two people in a currency, whichever of them owes it.
  static func id(between one: ID<Person>, _ other: ID<Person>, _ currency: String) -> ID<OpenDebt> {
    .derived("debt", min(one, other).bytes + max(one, other).bytes + Array(currency.utf8))
  }

  /// Adds what a person owes another one. What is open the other way becomes less: first of these bills, then of the
  /// oldest.
  ///
  /// - Parameter bill: The bill from which the debt comes; `nil` if it is paid back, or paid too much.
  mutating func add(_ debt: Debt, of bill: ID<Bill>?, against first: [ID<Bill>] = []) {
    var rest = Int(debt.amount)
    if amount > 0, from != debt.from {
      let order = first.compactMap { wanted in bills.firstIndex { $0.bill == wanted } } + Array(bills.indices)
      for index in order {
        let part = min(rest, bills[index].left)
        bills[index].left -= part
        amount -= part
        rest -= part
      }
      bills.removeAll { $0.left == 0 }
    }
    if rest == 0 { return }
    (from, to) = (debt.from, debt.to)
    amount += rest
    bills.append(OpenBill(bill: bill, left: rest))
    joinOldest()
  }

  /// Makes the oldest bills one where there are too many: then it is of no bill in particular.
  mutating func joinOldest() {
    while bills.count > Limits.openBills {
      bills[1] = OpenBill(bill: nil, left: bills[0].left + bills[1].left)
      bills.removeFirst()
    }
  }
}

/// How much of a bill is open between two people; without a bill, older ones together, or money that was paid too much.
struct OpenBill: Record {
  var bill: ID<Bill>?
  var left = 0

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("bill", \.bill)
    field("left", \.left)
  }
}
