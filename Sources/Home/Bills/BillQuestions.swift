import JSON
import Rooms

/// A bill of the history, with its id.
struct ListedBill: Record {
  var id = ID<Bill>()
  var bill = Bill()

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("id", \.id)
    field("bill", \.bill)
  }
}

/// Lists the bills, those that were added last first; removed ones are marked (BIL-9, BIL-10).
struct ListBills: HistoryPage {
  typealias State = HouseholdState
  typealias Item = ListedBill
  static let method: StaticString = "bills.list"
  static let summary: StaticString =
    "Lists the bills, those that were added last first; removed ones are marked (BIL-9, BIL-10)."
  static let history = "bill"
  var before: HistoryCursor?
  var limit: Int?
  /// Only bills that concern all of these: one person, or two.
  var people: [ID<Person>]?
  var category: Line?
  /// Only bills that were added in this time.
  var from: Instant?
  var until: Instant?

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("before", \.before)
    field("limit", \.limit, PageLimits.items)
    field("people", \.people, 1...2)
    field("category", \.category, Limits.billCategory)
    field("from", \.from)
    field("until", \.until)
  }

  var query: HistoryQuery {
    var about = Set(people ?? [])
    if let category { about.insert(Self.mark(of: category.text)) }
    return HistoryQuery(
      kind: Self.history, about: about, from: from, until: until, before: before,
      limit: limit ?? PageLimits.usualItems)
  }

  /// The search for one bill.
  static func query(_ id: ID<Bill>) -> HistoryQuery { HistoryQuery(kind: history, id: id.bytes, limit: 1) }

  /// Queries find records by ids: that of a category follows from its name.
  static func mark(of category: String) -> ID<Person> {
    .derived("billCategory", Array(NameKey.of(category).utf8))
  }
}

/// Lists what a bill was before each of its changes, and who made them, newest first (BIL-13).
struct ListBillVersions: HistoryPage {
  typealias State = HouseholdState
  typealias Item = BillVersion
  static let method: StaticString = "bills.versions"
  static let summary: StaticString =
    "Lists what a bill was before each of its changes, and who made them, newest first (BIL-13)."
  static let history = "billVersion"
  var before: HistoryCursor?
  var limit: Int?
  var id = ID<Bill>()

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("before", \.before)
    field("limit", \.limit, PageLimits.items)
    field("id", \.id)
  }

  var query: HistoryQuery {
    HistoryQuery(kind: Self.history, about: [id.cast()], before: before, limit: limit ?? PageLimits.usualItems)
  }
}
