import JSON
import Rooms

/// The groceries of a household: its list, what is wanted in all, and what it has had before (GRO-1 to GRO-8).
struct Groceries: Subject {
  typealias State = HouseholdState

  var list = ShoppingList()
  var aggregate = Table<ID<AggregateLine>, AggregateLine>()
  /// By the key of a name. Hidden: clients ask for what they need.
  var catalogue = Table<String, CatalogueItem>()

  mutating func parts(_ part: inout some PartVisitor) {
    list.parts(&part)
    part("aggregate", &aggregate)
    part("catalogue", &catalogue, .hidden)
  }
}

/// The groceries of a member's corner, which nobody else sees (GRO-1).
struct OwnGroceries: Subject {
  typealias State = CornerState

  var list = ShoppingList()

  mutating func parts(_ part: inout some PartVisitor) { list.parts(&part) }
}
