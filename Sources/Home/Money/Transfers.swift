import JSON
import Rooms

/// A payment that would help to settle what all owe each other with few payments (BIL-11, R-NET): advice only.
struct Transfer: Record {
  var from = ID<Person>()
  var to = ID<Person>()
  /// ISO 4217.
  var currency = ""
  /// In minor units, above 0.
  var amount = 0

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("from", \.from)
    field("to", \.to)
    field("currency", \.currency)
    field("amount", \.amount)
  }

  static func id(from debtor: ID<Person>, to creditor: ID<Person>, _ currency: String) -> ID<Transfer> {
    .derived("transfer", debtor.bytes + creditor.bytes + Array(currency.utf8))
  }
}

extension Debt {
  /// At most n − 1 payments after which nobody owes anything: the one who owes most pays the one who gets most (R-NET).
  ///
  /// - Parameter nets: What each gets, or owes if it is below 0; the sum is 0.
  static func settling(_ nets: some Sequence<(key: ID<Person>, value: Int)>) -> [Debt] {
    var debtors = nets.filter { $0.value < 0 }.map { (id: $0.key, left: -$0.value) }.sorted(by: isBefore)[...]
    var creditors = nets.filter { $0.value > 0 }.map { (id: $0.key, left: $0.value) }.sorted(by: isBefore)[...]
    var payments: [Debt] = []
    while let debtor = debtors.first, let creditor = creditors.first {
      let amount = min(debtor.left, creditor.left)
      payments.append(Debt(from: debtor.id, to: creditor.id, amount: Int64(amount)))
      debtors[debtors.startIndex].left -= amount
      creditors[creditors.startIndex].left -= amount
      if debtor.left == amount { debtors.removeFirst() }
      if creditor.left == amount { creditors.removeFirst() }
    }
    return payments
  }

  /// The larger amount first; of equal ones the smaller id.
  private static func isBefore(_ one: (id: ID<Person>, left: Int), _ other: (id: ID<Person>, left: Int)) -> Bool {
    one.left != other.left ? one.left > other.left : one.id < other.id
  }
}

extension Ledger {
  /// Advises anew how a currency's balances are settled; takes the advice away if nobody wants it.
  mutating func advise(_ currency: String, isWanted: Bool) {
    var payments: [ID<Transfer>: Transfer] = [:]
    if isWanted, let nets = balances[currency]?.people {
      for debt in Debt.settling(nets.map { (key: $0.key, value: $0.value) }) {
        let transfer = Transfer(from: debt.from, to: debt.to, currency: currency, amount: Int(debt.amount))
        payments[Transfer.id(from: debt.from, to: debt.to, currency)] = transfer
      }
    }
    for id in transfers.keys(where: { $0.currency == currency }) where payments[id] == nil { transfers[id] = nil }
    for (id, transfer) in payments where transfers[id] != transfer { transfers[id] = transfer }
  }

  /// Takes a payment off the advice, so that the rest of it stays as it is (R-NET); advises anew if it was another one.
  mutating func advise(afterPaying payment: Debt, _ currency: String) {
    let id = Transfer.id(from: payment.from, to: payment.to, currency)
    guard let transfer = transfers[id], transfer.amount >= Int(payment.amount) else {
      return advise(currency, isWanted: true)
    }
    let left = transfer.amount - Int(payment.amount)
    if left == 0 { transfers[id] = nil } else { transfers[id]?.amount = left }
  }
}
