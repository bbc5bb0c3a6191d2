import JSON
import Rooms

/// A completed trip: what was bought, by whom, and what it cost (GRO-9, GRO-14).
struct Purchase: Record {
  var id = ID<Purchase>()
  var by = ID<Person>()
  var at = Instant()
  /// The list that the trip was for.
  var list: ID<GroceryList>?
  var lines: [PurchasedLine] = []
  /// In minor units of the currency; absent if nobody has said what it cost.
  var total: Int?
  /// ISO 4217.
  var currency = ""
  /// The members among whom everybody's things are divided: those who were not away.
  var sharers: [ID<Person>] = []
  /// The bill of the cost, and its shares.
  var bill: ID<Bill>?
  var shares: SmallMap<ID<Person>, Int> = [:]
  var note: String?
  /// The number of its changes so far, and the latest of them (GRO-13).
  var edits: Int?
  var editedBy: ID<Person>?
  var editedAt: Instant?

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("id", \.id)
    field("by", \.by)
    field("at", \.at)
    field("list", \.list)
    field("lines", \.lines)
    field("total", \.total)
    field("currency", \.currency)
    field("sharers", \.sharers)
    field("bill", \.bill)
    field("shares", \.shares)
    field("note", \.note)
    field("edits", \.edits)
    field("editedBy", \.editedBy)
    field("editedAt", \.editedAt)
  }

  /// The time from which on it can no longer be changed: later a bill of its own corrects it (GRO-13).
  var end: Instant { at + Limits.purchaseAge }

  /// The rule by which its cost is divided.
  func rule(in home: HouseholdState) -> CheckoutShares {
    CheckoutShares(
      lines: lines.map { line in
        CheckoutShares.Line(
          owner: line.owner.map { home.payer(for: $0) }, price: line.price.map { Int64($0) }, units: line.units)
      }, sharers: Set(sharers), buyer: home.payer(for: by))
  }
}

/// One thing that was bought.
struct PurchasedLine: Record {
  /// The line of the list; absent if it was on none.
  var id: ID<Grocery>?
  var name = Line()
  var quantity: Quantity?
  var unit: Line?
  var category: String?
  /// The person for whom it is; absent if it is everybody's.
  var owner: ID<Person>?
  /// In minor units.
  var price: Int?

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("id", \.id)
    field("name", \.name, Limits.groceryName)
    field("quantity", \.quantity)
    field("unit", \.unit, Limits.unit)
    field("category", \.category, Limits.categoryName)
    field("owner", \.owner)
    field("price", \.price, Limits.price)
  }

  /// Its units for R-CHECKOUT, in thousandths: the quantity if it is a count.
  var units: Int64 {
    UnitClass.of(unit?.text).unitClass == .count ? (quantity ?? .one).thousandths : Quantity.one.thousandths
  }
}

/// A purchase as it was after one of its changes (GRO-13).
struct PurchaseVersion: Record {
  /// The number of changes before this one: 0 for the purchase as it was completed.
  var edits = 0
  var at = Instant()
  var by: ID<Person>?
  var purchase = Purchase()

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("edits", \.edits)
    field("at", \.at)
    field("by", \.by)
    field("purchase", \.purchase)
  }
}

/// A line that somebody has bought: a later purchase of it is left out (GRO-10).
struct BoughtLine: Record {
  var by = ID<Person>()
  var at = Instant()

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("by", \.by)
    field("at", \.at)
  }
}
