import JSON
import Rooms

/// The groceries of a household: its list, the totals and the earlier names (GRO-1 to GRO-8).
struct Groceries: Subject {
  typealias State = HouseholdState

  var list = ShoppingList()
  var aggregate = Table<ID<AggregateLine>, AggregateLine>()
  /// The earlier names by key. Hidden: clients query for names.
  var catalogue = Table<String, CatalogueItem>()

  mutating func parts(_ part: inout some PartVisitor) {
    list.parts(&part)
    part("aggregate", &aggregate)
    part("catalogue", &catalogue, .hidden)
  }
}

/// The groceries of a member's corner, which no other member sees (GRO-1).
struct OwnGroceries: Subject {
  typealias State = CornerState

  var list = ShoppingList()

  mutating func parts(_ part: inout some PartVisitor) { list.parts(&part) }
}
