import JSON
import Rooms

/// The ledger of a household (R-MONEY): what each gets or owes, and to whom, in the state; all entries in the history.
///
/// Balances change only by entries, each of which adds 0 to the sum of all balances of its currency.
struct Ledger: Subject {
  typealias State = HouseholdState
  static let methods: [Method] = [.question(ListLedger.self)]
  static let history = [HistoryKind(ListLedger.history, of: LedgerEntry.self, lifetime: nil)]

  /// By currency.
  var balances = Table<String, Balance>()
  var debts = Table<ID<OpenDebt>, OpenDebt>()
  /// If the household wants it: with which few payments all would be settled (R-NET).
  var transfers = Table<ID<Transfer>, Transfer>()
  var count = Single<LedgerCount>()

  mutating func parts(_ part: inout some PartVisitor) {
    part("balances", &balances)
    part("debts", &debts)
    part("transfers", &transfers)
    part("ledgerCount", &count, .hidden)
  }

  /// The amount that a person owes another one between the two of them, in minor units of a currency.
  func debt(of debtor: ID<Person>, to creditor: ID<Person>, _ currency: String) -> Int {
    guard let debt = debts[OpenDebt.id(between: debtor, creditor, currency)], debt.from == debtor else { return 0 }
    return debt.amount
  }

  /// Whether some debts leave all balances in their limits.
  func hasRoom(for debts: [Debt], _ currency: String) -> Bool {
    var balance = balances[currency] ?? Balance()
    for debt in debts {
      balance.add(-Int(debt.amount), to: debt.from)
      balance.add(Int(debt.amount), to: debt.to)
    }
    return balance.people.values.allSatisfy { abs($0) <= Limits.balance }
  }

  /// Adds an entry to the balances.
  ///
  /// - Parameter change: How the debt between two people changes.
  mutating func post(
    _ debts: [Debt], _ currency: String, _ change: (inout OpenDebt, Debt) -> Void
  ) throws(Refusal) -> LedgerEntry {
    guard hasRoom(for: debts, currency) else {
      throw .full("balance", "A balance goes up to \(Limits.balance) units.")
    }
    var entry = LedgerEntry(currency: currency)
    var balance = balances[currency] ?? Balance()
    for debt in debts where debt.amount > 0 && debt.from != debt.to {
      let amount = Int(debt.amount)
      entry.debts.append(EntryDebt(from: debt.from, to: debt.to, amount: amount))
      for (person, part) in [(debt.from, -amount), (debt.to, amount)] {
        entry.people[person] = (entry.people[person] ?? 0) + part
        balance.add(part, to: person)
      }
      let id = OpenDebt.id(between: debt.from, debt.to, currency)
      var open = self.debts[id] ?? OpenDebt(from: debt.from, to: debt.to, currency: currency)
      change(&open, debt)
      self.debts[id] = open.amount == 0 ? nil : open
    }
    // Both must hold by construction; a ledger that does not add up is worse than a refusal.
    guard balance.people.values.reduce(0, +) == 0, entry.people.values.reduce(0, +) == 0 else {
      throw Refusal(.internalError, "unbalanced", "The ledger would not add up.")
    }
    balances[currency] = balance.people.isEmpty ? nil : balance
    count.value.entries += 1
    entry.n = count.value.entries
    return entry
  }
}

/// The amount that each person gets from the others in one currency, or owes them if it is below 0: the sum is 0.
struct Balance: Record {
  /// Without those who have 0.
  var people: SmallMap<ID<Person>, Int> = [:]

  static func fields(_ field: inout some FieldVisitor<Self>) { field("people", \.people) }

  mutating func add(_ amount: Int, to person: ID<Person>) {
    let sum = (people[person] ?? 0) + amount
    people[person] = sum == 0 ? nil : sum
  }
}

/// The number of entries so far: the `n` of the newest.
struct LedgerCount: Record {
  var entries = 0

  static func fields(_ field: inout some FieldVisitor<Self>) { field("entries", \.entries) }
}

extension HouseholdState {
  /// The amount that a person owes another one, in minor units: by the advice where the household wants it (R-NET).
  func owed(by debtor: ID<Person>, to creditor: ID<Person>, _ currency: String) -> Int {
    guard info.facts.value.simplify == true else { return ledger.debt(of: debtor, to: creditor, currency) }
    return ledger.transfers[Transfer.id(from: debtor, to: creditor, currency)]?.amount ?? 0
  }

  /// All debts that are to be paid: by the advice where the household wants it (R-NET).
  var owed: [Transfer] {
    if info.facts.value.simplify == true { return Array(ledger.transfers.values) }
    return ledger.debts.values.map {
      Transfer(from: $0.from, to: $0.to, currency: $0.currency, amount: $0.amount)
    }
  }

  /// Posts the debts of a bill, or takes them back.
  mutating func post(
    _ kind: EntryKind, _ debts: [Debt], _ currency: String, of bill: ID<Bill>, in context: Context
  ) throws(Refusal) {
    // A bill that its payer has for themselves moves nothing.
    if debts.isEmpty { return }
    let isReversal = kind == .reversal
    let entry = try ledger.post(isReversal ? debts.map(\.reversed) : debts, currency) { open, debt in
      open.add(debt, of: isReversal ? nil : bill, against: isReversal ? [bill] : [])
    }
    write(entry, kind, of: bill.cast(), in: context)
    ledger.advise(currency, isWanted: info.facts.value.simplify == true)
  }

  /// Posts a payment: the payee owes the payer so much more, or the payer the payee so much less.
  ///
  /// - Parameter bills: The bills that it is for; the rest goes to the oldest.
  mutating func post(
    _ payment: Debt, _ currency: String, of id: ID<Payment>, for bills: [ID<Bill>], in context: Context
  ) throws(Refusal) {
    let entry = try ledger.post([payment.reversed], currency) { open, debt in
      open.add(debt, of: nil, against: bills)
    }
    write(entry, .payment, of: id.cast(), in: context)
    if info.facts.value.simplify == true { ledger.advise(afterPaying: payment, currency) }
  }

  /// Writes an entry to the history.
  func write(_ entry: LedgerEntry, _ kind: EntryKind, of ref: ID<Thing>, in context: Context) {
    var entry = entry
    (entry.kind, entry.ref, entry.at, entry.by) = (kind, ref, context.now, context.caller)
    // Pages are cut by the time and then the id of a record, so its id is the number of the entry.
    context.record(
      ListLedger.history, id: ID<LedgerEntry>(low: UInt64(entry.n)).bytes, about: Set(entry.people.keys), entry)
  }
}
