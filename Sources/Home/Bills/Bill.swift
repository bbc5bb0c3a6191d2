import JSON
import Rooms

/// A bill of a household: some have paid it, and each of some has a share of it (BIL-1, BIL-2).
struct Bill: Record {
  var title = ""
  /// In minor units of the currency, never 0; below 0 if money came back.
  var amount = 0
  /// ISO 4217.
  var currency = ""
  /// By person, their part of what was paid: the sum is the amount.
  var paid: SmallMap<ID<Person>, Int> = [:]
  var split = BillSplit()
  /// By person, their part of the cost: the sum is the amount.
  var shares: SmallMap<ID<Person>, Int> = [:]
  var date = LocalDay()
  /// One of the built-in words, which clients name in their own language, or a name of the household's own (BIL-12).
  var category: String?
  var note: String?
  /// The amount in the currency in which it was paid: a note, which changes no balance (R-MONEY).
  var original: OriginalAmount?
  /// The day until which it should be paid.
  var dueDate: LocalDay?
  /// Where it comes from, if no member has entered it.
  var origin: BillOrigin?
  var by: ID<Person>?
  var at = Instant()
  var editedBy: ID<Person>?
  var editedAt: Instant?
  /// The id of the bill before it was removed and brought back.
  var was: ID<Bill>?
  /// The number of its changes so far (GRO-13).
  var edits: Int?
  /// When and by whom it was removed: only in the history.
  var removedBy: ID<Person>?
  var removedAt: Instant?

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("title", \.title)
    field("amount", \.amount)
    field("currency", \.currency)
    field("paid", \.paid)
    field("split", \.split)
    field("shares", \.shares)
    field("date", \.date)
    field("category", \.category)
    field("note", \.note)
    field("original", \.original)
    field("dueDate", \.dueDate)
    field("origin", \.origin)
    field("by", \.by)
    field("at", \.at)
    field("editedBy", \.editedBy)
    field("editedAt", \.editedAt)
    field("was", \.was)
    field("edits", \.edits)
    field("removedBy", \.removedBy)
    field("removedAt", \.removedAt)
  }

  /// Everybody who has paid or has a share.
  var people: Set<ID<Person>> { Set(paid.keys).union(shares.keys) }

  /// The debts that follow from it (R-SPLIT).
  var debts: [Debt] {
    let parts = { (map: SmallMap<ID<Person>, Int>) in
      Dictionary(uniqueKeysWithValues: map.map { ($0.key, Int64($0.value)) })
    }
    return Debt.between(paid: parts(paid), parts: parts(shares))
  }
}

/// An amount as it was paid abroad.
struct OriginalAmount: Record {
  var amount = 0
  var currency = CurrencyCode()
  /// A decimal number: units of the bill's currency for one of this.
  var rate: Line?

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("amount", \.amount, Limits.money)
    field("currency", \.currency)
    field("rate", \.rate, Limits.rate)
  }
}

/// Where a bill comes from that no member has entered.
struct BillOrigin: Record {
  var kind = BillOriginKind.drinks
  /// The period of drinks, the recurring bill, the trip, or the request.
  var ref = ID<Thing>()

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("kind", \.kind)
    field("ref", \.ref)
  }
}

enum BillOriginKind: String, Word {
  /// A closed period of drinks (DRK-5).
  case drinks
  /// A recurring bill (BIL-14).
  case recurring
  /// A shopping trip (GRO-9).
  case trip
  /// A request for money (BIL-17).
  case request
}

/// A bill that can be brought back for ten minutes (R-DEL).
struct RemovedBill: Record {
  var bill = Bill()
  var removedAt = Instant()
  var removedBy = ID<Person>()

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("bill", \.bill)
    field("removedAt", \.removedAt)
    field("removedBy", \.removedBy)
  }

  var end: Instant { removedAt + Limits.undo }
}

/// A bill as it was after one of its changes (BIL-13).
struct BillVersion: Record {
  var id = ID<Bill>()
  /// The number of changes before this one: 0 for the bill as it was added.
  var edits = 0
  var at = Instant()
  var by: ID<Person>?
  var bill = Bill()

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("id", \.id)
    field("edits", \.edits)
    field("at", \.at)
    field("by", \.by)
    field("bill", \.bill)
  }
}

/// The built-in categories of bills (BIL-12), which clients name in their own language.
enum BillCategory: String, Word {
  case rent, utilities, internet, groceries, household, furniture, eatingOut, drinks, transport, health, leisure, other
}
