import JSON
import Rooms

/// The state of a room that has a shopping list.
protocol HasShoppingList: RemembersIDs {
  var list: ShoppingList { get set }
  /// Whether lines of the same thing are one (R-MERGE).
  static var mergesLines: Bool { get }
  /// Follows up on the change of a line.
  mutating func lineChanged(_ id: ID<Grocery>, from old: Grocery?, to new: Grocery?, in context: Context)
}

extension HouseholdState {
  static let mergesLines = true

  var list: ShoppingList {
    _read { yield groceries.list }
    _modify { yield &groceries.list }
  }

  mutating func lineChanged(_ id: ID<Grocery>, from old: Grocery?, to new: Grocery?, in context: Context) {
    groceries.aggregateChanged(id, from: old, to: new, in: context)
  }

  /// Removes the items that a leaving member has shown from their own list (HH-10).
  mutating func removeShownGroceries(of person: ID<Person>, in context: Context) {
    for id in list.groceries.keys(where: { $0.owner == person }) { removeLine(id, in: context) }
  }
}

extension CornerState {
  static let mergesLines = false

  var list: ShoppingList {
    _read { yield groceries.list }
    _modify { yield &groceries.list }
  }

  /// No other member sees these lines, so nothing follows.
  mutating func lineChanged(_ id: ID<Grocery>, from old: Grocery?, to new: Grocery?, in context: Context) {}
}

extension HasShoppingList {
  /// The only way to change a line.
  mutating func put(_ line: Grocery?, at id: ID<Grocery>, in context: Context) {
    let old = list.groceries.exchange(line, at: id)
    lineChanged(id, from: old, to: line, in: context)
  }

  /// Adds an item to the list; if it merges, to an unchecked line of the same thing (R-MERGE).
  mutating func add(
    _ source: GrocerySource, named name: String, owner: ID<Person>?, merging: Bool, as id: ID<Grocery>,
    in context: Context
  ) throws(Refusal) -> GroceryAnswer {
    try checkNew(id)
    let key = NameKey.of(name)
    if merging, let found = list.merging(source, id, key: key) {
      put(found.line, at: found.id, in: context)
      list.merged[id] = GroceryLine(line: found.id)
      return GroceryAnswer(id: id, line: found.id)
    }
    try list.checkSpace()
    var line = Grocery(name: name, key: key, owner: owner, sources: [id: source])
    _ = line.addUp()
    put(line, at: id, in: context)
    return GroceryAnswer(id: id)
  }

  /// Merges an open line into another one that it has become the same as, if that has room for it (R-MERGE). From then
  /// on its id names its addition there.
  mutating func mergeIntoOther(_ id: ID<Grocery>, in context: Context) {
    guard Self.mergesLines, let line = list.groceries[id], line.owner == nil, line.checkedAt == nil,
      let (otherID, found) = list.joining(line, id)
    else { return }
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
