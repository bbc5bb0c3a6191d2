import JSON
import Rooms

/// The groceries of a household: its items, the totals and the earlier names (GRO-1 to GRO-8).
struct Groceries: Subject {
  typealias State = HouseholdState

  var list = ShoppingList()
  var aggregate = Table<ID<AggregateLine>, AggregateLine>()
  /// The earlier names by key. Hidden: clients query for names.
  var catalogue = Table<String, CatalogueItem>()
  var due: DueTime { list.due }

  mutating func parts(_ part: inout some PartVisitor) {
    list.parts(&part)
    part("aggregate", &aggregate)
    part("catalogue", &catalogue, .hidden)
  }

  mutating func planAll() { list.planAll() }

  static func fallDue(in home: inout HouseholdState, _ context: Context) { home.list.dropRemoved(at: context.now) }
}

/// The groceries of a member's corner, which no other member sees (GRO-1).
struct OwnGroceries: Subject {
  typealias State = CornerState

  var list = ShoppingList()
  var due: DueTime { list.due }

  mutating func parts(_ part: inout some PartVisitor) { list.parts(&part) }

  mutating func planAll() { list.planAll() }

  static func fallDue(in corner: inout CornerState, _ context: Context) { corner.list.dropRemoved(at: context.now) }
}
