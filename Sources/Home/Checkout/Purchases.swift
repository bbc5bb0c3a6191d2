import JSON
import Rooms

/// The purchases of a household (GRO-9 to GRO-14): the history has them, the state knows which lines were bought.
struct Purchases: Subject {
  typealias State = HouseholdState
  static let history = [
    HistoryKind(ListPurchases.history, of: Purchase.self, lifetime: nil),
    HistoryKind(ListPurchaseVersions.history, of: PurchaseVersion.self, lifetime: nil),
  ]

  /// Lines that were bought lately, and by whom.
  var bought = Table<ID<Grocery>, BoughtLine>()

  mutating func parts(_ part: inout some PartVisitor) { part("boughtLines", &bought, .hidden) }

  mutating func note(_ id: ID<Grocery>, by person: ID<Person>, at now: Instant) {
    bought[id] = BoughtLine(by: person, at: now)
  }

  /// Forgets the oldest, if there are too many.
  mutating func trim(at now: Instant) {
    if bought.count > Limits.boughtLines { bought.removeAll { now - $1.at >= Limits.removedAge } }
    bought.keep(Limits.boughtLines) { $0.at }
  }
}

/// Lists the purchases, newest first (GRO-14).
struct ListPurchases: HistoryPage {
  typealias State = HouseholdState
  typealias Item = Purchase
  static let method: StaticString = "trips.history"
  static let summary: StaticString = "Lists the purchases, newest first (GRO-14)."
  static let history = "purchase"
  var before: HistoryCursor?
  var limit: Int?
  /// Only those that this person has made, or has a share of.
  var person: ID<Person>?

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("before", \.before)
    field("limit", \.limit, PageLimits.items)
    field("person", \.person)
  }

  var query: HistoryQuery {
    HistoryQuery(
      kind: Self.history, about: Set(person.map { [$0] } ?? []), before: before,
      limit: limit ?? PageLimits.usualItems)
  }

  static func query(_ id: ID<Purchase>) -> HistoryQuery { HistoryQuery(kind: history, id: id.bytes, limit: 1) }
}

/// Lists what a purchase was after each of its changes, and who made them, newest first (GRO-13).
struct ListPurchaseVersions: HistoryPage {
  typealias State = HouseholdState
  typealias Item = PurchaseVersion
  static let method: StaticString = "trips.versions"
  static let summary: StaticString =
    "Lists what a purchase was after each of its changes, and who made them, newest first (GRO-13)."
  static let history = "purchaseVersion"
  var before: HistoryCursor?
  var limit: Int?
  var id = ID<Purchase>()

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("before", \.before)
    field("limit", \.limit, PageLimits.items)
    field("id", \.id)
  }

  var query: HistoryQuery {
    HistoryQuery(kind: Self.history, about: [id.cast()], before: before, limit: limit ?? PageLimits.usualItems)
  }
}
