import JSON
import Rooms

/// Changes an item; in a line of several additions, `source` says which of them (GRO-2, GRO-3, GRO-6).
struct EditGrocery<State: HasShoppingList>: Mutation {
  static var method: StaticString { "groceries.edit" }
  static var summary: StaticString {
    "Changes an item; in a line of several additions, `source` says which of them (GRO-2, GRO-3, GRO-6)."
  }
  var id = ID<Grocery>()
  var source: ID<Grocery>?
  var name: Change<Line> = .unchanged
  var quantity: Change<Quantity> = .unchanged
  var unit: Change<Line> = .unchanged
  var note: Change<Prose> = .unchanged
  /// `null` is the main list.
  var list: Change<ID<GroceryList>> = .unchanged
  var category: Change<Line> = .unchanged
  var barcode: Change<Barcode> = .unchanged

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("id", \.id)
    field("source", \.source)
    field("name", \.name, Limits.groceryName)
    field("quantity", \.quantity)
    field("unit", \.unit, Limits.unit)
    field("note", \.note, Limits.groceryNote)
    if State.hasLists { field("list", \.list) }
    field("category", \.category, Limits.categoryName)
    field("barcode", \.barcode)
  }

  private var editsSource: Bool { quantity != .unchanged || unit != .unchanged || note != .unchanged }

  func check(_ problems: Problems, in state: inout State, _ context: Context) {
    if name == .cleared { problems.note("name", "cannot be removed") }
    // A problem that stands alone is found by `apply`, which looks up the line anyway.
    guard !problems.isEmpty, editsSource, let (lineID, line) = try? state.list.line(id, writableBy: context.person)
    else { return }
    if let problem = problem(with: line, lineID) { problems.note(problem.field, problem.text) }
  }

  private func problem(with line: Grocery, _ lineID: ID<Grocery>) -> (field: String, text: String)? {
    guard let chosen = chosenSource(of: line, lineID) else {
      return ("source", "is needed: several additions make this line")
    }
    guard line.sources.count > 1, let part = line.sources[chosen], unitClass(of: part) != line.unitClass else {
      return nil
    }
    return ("unit", "must measure the same as the rest of the line")
  }

  func apply(to state: inout State, in context: Context) throws(Refusal) -> NoAnswer {
    var (lineID, line) = try state.list.line(id, writableBy: context.person)
    if case .set(let list) = list, !state.hasList(list) { throw .gone("This list") }
    if case .set(let name) = name {
      line.name = name.text
      line.key = NameKey.of(name.text)
      line.category = line.category ?? state.usualCategory(of: line.key)
    }
    if editsSource { try editSource(of: &line, lineID) }
    let from = line.list
    list.apply(to: &line.list)
    if line.list != from { line.isLate = state.isLate(on: line.list, by: context.person) ? true : nil }
    if case .set(let category) = category {
      line.category = try state.list.category(named: category.text)
    } else if category == .cleared {
      line.category = nil
    }
    barcode.apply(to: &line.barcode)
    if category != .unchanged || barcode != .unchanged { state.learn(from: line) }
    line.editedBy = context.person
    line.editedAt = context.now
    state.put(line, at: lineID, in: context)
    if name != .unchanged || unit != .unchanged || line.list != from { state.mergeIntoOther(lineID, in: context) }
    return NoAnswer()
  }

  private func editSource(of line: inout Grocery, _ lineID: ID<Grocery>) throws(Refusal) {
    if let problem = problem(with: line, lineID) { throw .invalid(problem.field, problem.text) }
    guard let chosen = chosenSource(of: line, lineID), var part = line.sources[chosen] else {
      throw .gone("This addition")
    }
    quantity.apply(to: &part.quantity)
    if case .set(let note) = note { part.note = note.text } else if note == .cleared { part.note = nil }
    if case .set(let unit) = unit { part.unit = unit.text } else if unit == .cleared { part.unit = nil }
    line.sources[chosen] = part
    if !line.addUp() { throw .full("quantity", "The sum would be more than a quantity can say.") }
  }

  private func chosenSource(of line: Grocery, _ lineID: ID<Grocery>) -> ID<Grocery>? {
    source ?? (line.sources.count == 1 ? line.sources.keys.first : id == lineID ? nil : id)
  }

  private func unitClass(of part: GrocerySource) -> UnitClass {
    switch unit {
    case .unchanged: UnitClass.of(part.unit).unitClass
    case .set(let unit): UnitClass.of(unit.text).unitClass
    case .cleared: UnitClass.of(nil).unitClass
    }
  }
}
