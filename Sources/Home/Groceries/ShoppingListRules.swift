import JSON
import Rooms

/// The state of a room that has a shopping list.
protocol HasShoppingList: RemembersIDs {
  var list: ShoppingList { get set }
  /// Whether lines of the same thing are one (R-MERGE).
  static var mergesLines: Bool { get }
  /// Whether items may be on other lists than the main one (GRO-6).
  static var hasLists: Bool { get }
  func hasList(_ id: ID<GroceryList>) -> Bool
  /// Whether what a person puts on a list comes late to another one who is shopping for it (GRO-7).
  func isLate(on list: ID<GroceryList>?, by person: ID<Person>) -> Bool
  /// The category that an item gets by itself, by its key.
  func usualCategory(of key: String) -> String?
  /// Remembers the category and the barcode that a member has given to an item.
  mutating func learn(from line: Grocery)
  mutating func categoryForgotten(_ key: String)
  /// Follows up on the change of a line.
  mutating func lineChanged(_ id: ID<Grocery>, from old: Grocery?, to new: Grocery?, in context: Context)
}

extension HouseholdState {
  static let mergesLines = true
  static let hasLists = true

  var list: ShoppingList {
    _read { yield groceries.list }
    _modify { yield &groceries.list }
  }

  func hasList(_ id: ID<GroceryList>) -> Bool { groceryLists.lists.contains(id) }

  func isLate(on list: ID<GroceryList>?, by person: ID<Person>) -> Bool {
    trips.trips.values.contains { $0.state == .open && $0.by != person && $0.covers(list) }
  }

  func usualCategory(of key: String) -> String? { groceries.catalogue[key]?.category }

  mutating func learn(from line: Grocery) { groceries.learn(from: line) }

  mutating func categoryForgotten(_ key: String) {
    groceries.forget(category: key)
    groceryLists.forget(category: key)
  }

  mutating func lineChanged(_ id: ID<Grocery>, from old: Grocery?, to new: Grocery?, in context: Context) {
    groceries.aggregateChanged(id, from: old, to: new, in: context)
    if let old, let new, old.checkedAt == nil, let person = new.checkedBy, let category = new.category {
      groceryLists.met(category, on: new.list, by: person, at: context.now)
    }
  }

  /// Removes the items that a leaving member has shown from their own list (HH-10).
  mutating func removeShownGroceries(of person: ID<Person>, in context: Context) {
    for id in list.groceries.keys(where: { $0.owner == person }) { removeLine(id, in: context) }
    list.removed.removeAll { _, row in row.line.owner == person }
  }
}

extension CornerState {
  static let mergesLines = false
  static let hasLists = false

  var list: ShoppingList {
    _read { yield groceries.list }
    _modify { yield &groceries.list }
  }

  // Only the owner sees these lines, and only the household has lists and remembers names.

  func hasList(_ id: ID<GroceryList>) -> Bool { false }
  func isLate(on list: ID<GroceryList>?, by person: ID<Person>) -> Bool { false }
  func usualCategory(of key: String) -> String? { nil }
  mutating func learn(from line: Grocery) {}
  mutating func categoryForgotten(_ key: String) {}
  mutating func lineChanged(_ id: ID<Grocery>, from old: Grocery?, to new: Grocery?, in context: Context) {}
}

extension HasShoppingList {
  /// The only way to change a line.
  mutating func put(_ line: Grocery?, at id: ID<Grocery>, in context: Context) {
    let old = list.groceries.exchange(line, at: id)
    lineChanged(id, from: old, to: line, in: context)
  }

  /// Adds an item with one addition, which has the item's id.
  mutating func add(
    _ line: Grocery, _ source: GrocerySource, as id: ID<Grocery>, in context: Context
  ) throws(Refusal) -> GroceryAnswer {
    try checkNew(id)
    var line = line
    line.sources[id] = source
    return try place(line, at: id, in: context)
  }

  /// Places a line whose ids are new on its list; an open one merges into another one of the same thing (R-MERGE).
  mutating func place(_ line: Grocery, at id: ID<Grocery>, in context: Context) throws(Refusal) -> GroceryAnswer {
    var line = line
    if isLate(on: line.list, by: context.person) { line.isLate = true }
    _ = line.addUp()
    if Self.mergesLines, let found = list.joining(line, id) {
      put(found.line, at: found.id, in: context)
      for source in line.sources.keys { list.merged[source] = GroceryLine(line: found.id) }
      return GroceryAnswer(id: id, line: found.id)
    }
    try list.checkSpace()
    put(line, at: id, in: context)
    for source in line.sources.keys where source != id { list.merged[source] = GroceryLine(line: id) }
    return GroceryAnswer(id: id)
  }

  /// Merges an open line into another one that it has become the same as, if that has room for it (R-MERGE). From then
  /// on its id names its addition there.
  mutating func mergeIntoOther(_ id: ID<Grocery>, in context: Context) {
    guard Self.mergesLines, let line = list.groceries[id], let (otherID, found) = list.joining(line, id) else {
      return
    }
    var joined = found
    joined.editedBy = context.person
    joined.editedAt = context.now
    put(nil, at: id, in: context)
    put(joined, at: otherID, in: context)
    for source in line.sources.keys { list.merged[source] = GroceryLine(line: otherID) }
    if line.sources[id] == nil { forget(id, at: context.now) }
  }

  /// Removes one addition from its line, and the line with its last addition.
  mutating func remove(_ source: ID<Grocery>, from line: ID<Grocery>, in context: Context) {
    guard var rest = list.groceries[line], rest.sources.contains(source) else { return }
    rest.sources[source] = nil
    if rest.sources.isEmpty { return removeLine(line, in: context) }
    // The sum of a part is never larger than that of the whole.
    _ = rest.addUp()
    put(rest, at: line, in: context)
    list.merged[source] = nil
    if source != line { forget(source, in: context) }
  }

  mutating func removeLine(_ id: ID<Grocery>, in context: Context) {
    guard let line = list.groceries[id] else { return }
    for source in line.sources.keys where source != id {
      list.merged[source] = nil
      forget(source, in: context)
    }
    put(nil, at: id, in: context)
    forget(id, in: context)
  }
}
