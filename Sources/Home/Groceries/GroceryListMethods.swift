import JSON
import Rooms

extension GroceryLists {
  static let methods: [Method] = [
    .of(CreateList.self), .of(EditList.self), .of(RemoveList.self), .of(RestoreList.self),
  ]
}

struct ListAnswer: Record {
  var id = ID<GroceryList>()

  static func fields(_ field: inout some FieldVisitor<Self>) { field("id", \.id) }
}

/// Makes another list, such as one for a store (GRO-6).
struct CreateList: Mutation {
  static let method: StaticString = "lists.create"
  static let summary: StaticString = "Makes another list, such as one for a store (GRO-6)."
  var id: ID<GroceryList>?
  var name = Line()
  var store: Line?
  /// The order of the categories, by words and names; it is learned if it is absent.
  var order: [Line]?

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("id", \.id)
    field("name", \.name, Limits.listName)
    field("store", \.store, Limits.listName)
    field("order", \.order, Limits.categoryOrder)
  }

  func check(_ problems: Problems, in home: inout HouseholdState, _ context: Context) {
    if let order { home.list.check(order: order, problems) }
  }

  func apply(to home: inout HouseholdState, in context: Context) throws(Refusal) -> ListAnswer {
    _ = try home.caller(context)
    let id = context.newID(id)
    try home.checkNew(id)
    try home.groceryLists.checkSpace()
    home.groceryLists.lists[id] = GroceryList(
      name: name.text, store: store?.text, by: context.person, at: context.now)
    if let order { home.groceryLists.order(id, by: order.map { NameKey.of($0.text) }) }
    return ListAnswer(id: id)
  }
}

/// Changes a list; what is left out stays as it is. `order: null` lets it learn again (GRO-6).
struct EditList: Mutation {
  static let method: StaticString = "lists.edit"
  static let summary: StaticString =
    "Changes a list; what is left out stays as it is. `order: null` lets it learn again (GRO-6)."
  /// The main list if it is absent.
  var id: ID<GroceryList>?
  var name: Change<Line> = .unchanged
  var store: Change<Line> = .unchanged
  var order: Change<[Line]> = .unchanged

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("id", \.id)
    field("name", \.name, Limits.listName)
    field("store", \.store, Limits.listName)
    field("order", \.order, Limits.categoryOrder)
  }

  func check(_ problems: Problems, in home: inout HouseholdState, _ context: Context) {
    if name == .cleared { problems.note("name", "cannot be removed") }
    if id == nil, name != .unchanged, name != .cleared { problems.note("name", "is not of the main list") }
    if id == nil, store != .unchanged { problems.note("store", "is not of the main list") }
    if case .set(let order) = order { home.list.check(order: order, problems) }
  }

  func apply(to home: inout HouseholdState, in context: Context) throws(Refusal) -> NoAnswer {
    _ = try home.caller(context)
    if let id {
      var list = try home.groceryLists.list(id)
      if case .set(let name) = name { list.name = name.text }
      store.map(\.text).apply(to: &list.store)
      list.editedBy = context.person
      list.editedAt = context.now
      home.groceryLists.lists[id] = list
    }
    switch order {
    case .unchanged: break
    case .cleared: home.groceryLists.order(id, by: nil)
    case .set(let order): home.groceryLists.order(id, by: order.map { NameKey.of($0.text) })
    }
    return NoAnswer()
  }
}

/// Takes a list away; its items go to the main list. It can be restored for ten minutes (GRO-6, R-DEL).
struct RemoveList: Mutation {
  static let method: StaticString = "lists.remove"
  static let summary: StaticString =
    "Takes a list away; its items go to the main list. It can be restored for ten minutes (GRO-6, R-DEL)."
  var id = ID<GroceryList>()

  static func fields(_ field: inout some FieldVisitor<Self>) { field("id", \.id) }

  func apply(to home: inout HouseholdState, in context: Context) throws(Refusal) -> NoAnswer {
    _ = try home.caller(context)
    _ = try home.groceryLists.list(id)
    let lines = home.list.groceries.keys { $0.list == id }
    let additions = lines.flatMap { line in
      (home.list.groceries[line]?.sources.keys.map { ($0, line) }) ?? []
    }
    home.groceryLists.remove(id, holding: SmallMap(additions), by: context.person, at: context.now)
    for line in lines {
      home.move([line], to: nil, in: context)
      home.mergeIntoOther(line, in: context)
    }
    home.trips.listRemoved(id)
    home.forget(id, in: context)
    return NoAnswer()
  }
}

/// Restores a list that was removed in the last ten minutes, under a new id, with its items (GRO-6, R-DEL).
struct RestoreList: Mutation {
  static let method: StaticString = "lists.restore"
  static let summary: StaticString =
    "Restores a list that was removed in the last ten minutes, under a new id, with its items (GRO-6, R-DEL)."
  var id = ID<GroceryList>()
  var newID: ID<GroceryList>?

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("id", \.id)
    field("newId", \.newID)
  }

  func apply(to home: inout HouseholdState, in context: Context) throws(Refusal) -> ListAnswer {
    _ = try home.caller(context)
    let removed = try home.groceryLists.restorable(id, at: context.now)
    let newID = context.newID(newID)
    try home.checkNew(newID)
    try home.groceryLists.checkSpace()
    var list = removed.list
    list.was = id
    list.shelves.order.removeAll { !home.list.isKnown(category: $0) }
    home.groceryLists.lists[newID] = list
    home.groceryLists.removedLists[id] = nil
    for line in Set(removed.additions.values).sorted() {
      home.takeBack(removed.additions.filter { $0.value == line }.map(\.key), of: line, to: newID, in: context)
    }
    return ListAnswer(id: newID)
  }
}

extension ShoppingList {
  /// Notes each entry of an order that is no category here, and each that stands in it twice.
  fileprivate func check(order: [Line], _ problems: Problems) {
    let keys = order.map { NameKey.of($0.text) }
    for (index, key) in keys.enumerated() {
      if !isKnown(category: key) { problems.note("order.\(index)", "is no category here") }
      if keys[..<index].contains(key) { problems.note("order.\(index)", "stands in the list already") }
    }
  }
}

extension HouseholdState {
  /// Puts lines on another list, without merging.
  fileprivate mutating func move(_ lines: [ID<Grocery>], to list: ID<GroceryList>?, in context: Context) {
    for id in lines {
      guard var line = self.list.groceries[id] else { continue }
      line.list = list
      put(line, at: id, in: context)
    }
  }

  /// Puts additions that were one line back on their list: those that are still there, on the main list. Merged ones
  /// become a line of their own again.
  fileprivate mutating func takeBack(
    _ additions: [ID<Grocery>], of old: ID<Grocery>, to list: ID<GroceryList>, in context: Context
  ) {
    let lines = Dictionary(grouping: additions) { self.list.merged[$0]?.line ?? $0 }
    for (id, additions) in lines.sorted(by: { $0.key < $1.key }) {
      guard var rest = self.list.groceries[id], rest.list == nil else { continue }
      var part = rest
      part.sources = [:]
      for addition in additions {
        part.sources[addition] = rest.sources[addition]
        rest.sources[addition] = nil
      }
      if part.sources.isEmpty { continue }
      if rest.sources.isEmpty {
        move([id], to: list, in: context)
        continue
      }
      guard (try? self.list.checkSpace()) != nil else { return }
      part.list = list
      part.was = old
      // Parts of a sum are never larger than the whole.
      _ = (part.addUp(), rest.addUp())
      let newID: ID<Grocery> = context.newID()
      put(rest, at: id, in: context)
      put(part, at: newID, in: context)
      for addition in part.sources.keys { self.list.merged[addition] = GroceryLine(line: newID) }
    }
  }
}
