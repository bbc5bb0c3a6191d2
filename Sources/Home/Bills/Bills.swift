import JSON
import Rooms

/// The bills of a household (BIL-1, BIL-9, BIL-13): the newest in the state, all of them in the history.
struct Bills: Subject {
  typealias State = HouseholdState
  static let history = [
    HistoryKind(ListBills.history, of: ListedBill.self, lifetime: nil),
    HistoryKind(ListBillVersions.history, of: BillVersion.self, lifetime: nil),
  ]

  /// The bills that were added or changed last.
  var bills = Table<ID<Bill>, Bill>()
  var removed = Table<ID<Bill>, RemovedBill>()
  /// Own categories by the key of their name (R-MERGE).
  var categories = Table<String, OwnBillCategory>()
  var spending = Table<String, MonthOfSpending>()
  private(set) var due = DueTime()

  mutating func parts(_ part: inout some PartVisitor) {
    part("bills", &bills)
    part("billCategories", &categories)
    part("removedBills", &removed, .hidden)
    part("spending", &spending, .hidden)
  }

  mutating func planAll() { for removed in removed.values { due.plan(removed.end) } }

  mutating func put(_ bill: Bill, as id: ID<Bill>) {
    bills[id] = bill
    bills.keep(Limits.bills) { $0.editedAt ?? $0.at }
  }

  /// Takes a bill off the list, and keeps it as long as it can be brought back.
  mutating func takeOff(_ id: ID<Bill>, _ bill: Bill, by person: ID<Person>, at now: Instant) {
    bills[id] = nil
    let row = RemovedBill(bill: bill, removedAt: now, removedBy: person)
    removed[id] = row
    removed.keep(Limits.bills) { $0.removedAt }
    due.plan(row.end)
  }

  /// The category as it is kept: a built-in word, or a name of the household's own in its first spelling.
  mutating func category(named name: String) throws(Refusal) -> String {
    if BillCategory(rawValue: name) != nil { return name }
    let key = NameKey.of(name)
    if let own = categories[key] { return own.name }
    if categories.count >= Limits.billCategories {
      throw .full("billCategories", "At most \(Limits.billCategories) categories of your own can be named.")
    }
    categories[key] = OwnBillCategory(name: name)
    return name
  }

  static func fallDue(in home: inout HouseholdState, _ context: Context) {
    for id in home.bills.removed.keys(where: { $0.end <= context.now }) { home.bills.removed[id] = nil }
    home.bills.due = DueTime()
    home.bills.planAll()
  }
}

/// A category of the household's own (BIL-12).
struct OwnBillCategory: Record {
  /// In its first spelling.
  var name = ""

  static func fields(_ field: inout some FieldVisitor<Self>) { field("name", \.name) }
}
