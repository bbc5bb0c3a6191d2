import JSON
import Rooms

/// One entry of the ledger, which is never changed (R-MONEY, BIL-23).
struct LedgerEntry: Record {
  /// Grows by one with each entry.
  var n = 0
  var kind = EntryKind.bill
  /// The bill or the payment.
  var ref = ID<Thing>()
  var at = Instant()
  /// The member who has caused it; absent if it came by itself.
  var by: ID<Person>?
  /// ISO 4217.
  var currency = ""
  /// By how much the balance of each person grows, in minor units: the sum is 0.
  var people: SmallMap<ID<Person>, Int> = [:]
  /// The debts of which they consist.
  var debts: [EntryDebt] = []

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("n", \.n)
    field("kind", \.kind)
    field("ref", \.ref)
    field("at", \.at)
    field("by", \.by)
    field("currency", \.currency)
    field("people", \.people)
    field("debts", \.debts)
  }
}

enum EntryKind: String, Word {
  case bill
  /// Takes back an earlier entry of the same bill or payment.
  case reversal
  case payment
}

/// By how much more one person owes another.
struct EntryDebt: Record {
  var from = ID<Person>()
  var to = ID<Person>()
  var amount = 0

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("from", \.from)
    field("to", \.to)
    field("amount", \.amount)
  }
}

/// Lists the entries of the ledger, newest first (BIL-10, BIL-23).
struct ListLedger: PeoplePage {
  typealias State = HouseholdState
  typealias Item = LedgerEntry
  static let method: StaticString = "ledger.list"
  static let summary: StaticString = "Lists the entries of the ledger, newest first (BIL-10, BIL-23)."
  static let history = "ledger"
  var before: HistoryCursor?
  var limit: Int?
  /// Only entries that concern all of these: one person, or two.
  var people: [ID<Person>]?
}
