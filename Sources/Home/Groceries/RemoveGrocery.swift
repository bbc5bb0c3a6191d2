import JSON
import Rooms

/// Takes an item off its list: the additions that `sources` names (GRO-2, GRO-16).
///
/// They can be restored for ten minutes.
struct RemoveGrocery<State: HasShoppingList>: Mutation {
  static var method: StaticString { "groceries.remove" }
  static var summary: StaticString { "Takes an item off its list: the additions that `sources` names (GRO-2, GRO-16)." }
  var id = ID<Grocery>()
  /// The additions that the caller saw: what others have added meanwhile stays (GRO-16). It may be absent if the line
  /// has one addition, or if `id` names an addition itself.
  var sources: [ID<Grocery>]?

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("id", \.id)
    field("sources", \.sources, Limits.grocerySources)
  }

  func check(_ problems: Problems, in state: inout State, _ context: Context) {
    guard !problems.isEmpty, let (lineID, line) = try? state.list.line(id, writableBy: context.person) else { return }
    if chosen(of: line, lineID) == nil { problems.note("sources", Self.needed) }
  }

  private static var needed: String { "is needed: several additions make this line" }

  func apply(to state: inout State, in context: Context) throws(Refusal) -> NoAnswer {
    let (lineID, line) = try state.list.line(id, writableBy: context.person)
    guard let chosen = chosen(of: line, lineID) else { throw .invalid("sources", Self.needed) }
    let found = chosen.filter { line.sources.contains($0) }
    if found.isEmpty { throw .gone("This addition") }
    for source in found {
      state.list.keepRemoved(source, of: line, lineID, by: context.person, at: context.now)
      state.remove(source, from: lineID, in: context)
    }
    return NoAnswer()
  }

  private func chosen(of line: Grocery, _ lineID: ID<Grocery>) -> [ID<Grocery>]? {
    if let sources { return sources }
    if id != lineID { return [id] }
    return line.sources.count == 1 ? Array(line.sources.keys) : nil
  }
}

/// Brings back what was removed from a line in the last ten minutes, under new ids (R-DEL).
struct RestoreGrocery<State: HasShoppingList>: Mutation {
  static var method: StaticString { "groceries.restore" }
  static var summary: StaticString {
    "Brings back what was removed from a line in the last ten minutes, under new ids (R-DEL)."
  }
  /// The line or the addition that was removed.
  var id = ID<Grocery>()
  /// The additions to bring back; all of the newest removal if it is absent.
  var sources: [ID<Grocery>]?
  /// The new id of the line, and of its first addition.
  var newID: ID<Grocery>?

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("id", \.id)
    field("sources", \.sources, Limits.grocerySources)
    field("newId", \.newID)
  }

  func apply(to state: inout State, in context: Context) throws(Refusal) -> GroceryAnswer {
    guard let (old, from) = state.list.restorable(id, sources, at: context.now) else { throw .gone("This item") }
    guard old.owner == nil || old.owner == context.person else {
      throw Refusal(.forbidden, "forbidden", "Only its owner may bring back a personal item.")
    }
    let newID = context.newID(newID)
    try state.checkNew(newID)
    var line = old
    line.was = from
    line.isLate = nil
    if let list = line.list, !state.hasList(list) { line.list = nil }
    if let category = line.category, !state.list.isKnown(category: category) { line.category = nil }
    line.sources = [:]
    for (source, part) in old.sources {
      line.sources[line.sources.isEmpty ? newID : context.newID()] = part
      state.list.removed[source] = nil
    }
    return try state.place(line, at: newID, in: context)
  }
}
