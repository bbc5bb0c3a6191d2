import JSON
import Rooms

extension Groceries {
  static let methods: [Method] = [
    .of(AddGrocery.self), .of(EditGrocery<HouseholdState>.self), .of(RemoveGrocery<HouseholdState>.self),
    .of(CheckGrocery<HouseholdState>.self), .of(HideGrocery.self), .question(SuggestGroceries.self),
    .of(ForgetGrocery.self),
  ]
}

extension OwnGroceries {
  static let methods: [Method] = [
    .of(AddOwnGrocery.self), .of(EditGrocery<CornerState>.self), .of(RemoveGrocery<CornerState>.self),
    .of(CheckGrocery<CornerState>.self), .of(ShowGrocery.self),
  ]
}

/// Puts something on the household's list, as everybody's or as one's own for all to see (GRO-1, GRO-3).
struct AddGrocery: Mutation {
  static let method: StaticString = "groceries.add"
  static let summary: StaticString =
    "Puts something on the household's list, as everybody's or as one's own for all to see (GRO-1, GRO-3)."
  var id: ID<Grocery>?
  var name = Line()
  var quantity: Quantity?
  var unit: Line?
  var note: Prose?
  var personal: Bool?

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("id", \.id)
    field("name", \.name, Limits.groceryName)
    field("quantity", \.quantity)
    field("unit", \.unit, Limits.unit)
    field("note", \.note, Limits.groceryNote)
    field("personal", \.personal)
  }

  func apply(to home: inout HouseholdState, in context: Context) throws(Refusal) -> GroceryAnswer {
    let source = GrocerySource(
      by: context.person, at: context.now, quantity: quantity, unit: unit?.text, note: note?.text)
    let answer = try home.add(
      source, named: name.text, owner: personal == true ? context.person : nil, merging: personal != true,
      as: context.newID(id), in: context)
    home.groceries.remember(name: name.text, key: NameKey.of(name.text), at: context.now)
    return answer
  }
}

/// Puts something on one's own list, which nobody else sees (GRO-1).
struct AddOwnGrocery: Mutation {
  static let method: StaticString = "groceries.add"
  static let summary: StaticString = "Puts something on one's own list, which nobody else sees (GRO-1)."
  var id: ID<Grocery>?
  var name = Line()
  var quantity: Quantity?
  var unit: Line?
  var note: Prose?

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("id", \.id)
    field("name", \.name, Limits.groceryName)
    field("quantity", \.quantity)
    field("unit", \.unit, Limits.unit)
    field("note", \.note, Limits.groceryNote)
  }

  func apply(to corner: inout CornerState, in context: Context) throws(Refusal) -> GroceryAnswer {
    let source = GrocerySource(
      by: context.person, at: context.now, quantity: quantity, unit: unit?.text, note: note?.text)
    return try corner.add(source, named: name.text, owner: nil, merging: false, as: context.newID(id), in: context)
  }
}

/// Changes an item; in a line of several additions, `source` says which of them (GRO-2, GRO-3).
struct EditGrocery<State: HasShoppingList>: Mutation {
  static var method: StaticString { "groceries.edit" }
  static var summary: StaticString {
    "Changes an item; in a line of several additions, `source` says which of them (GRO-2, GRO-3)."
  }
  var id = ID<Grocery>()
  var source: ID<Grocery>?
  var name: Change<Line> = .unchanged
  var quantity: Change<Quantity> = .unchanged
  var unit: Change<Line> = .unchanged
  var note: Change<Prose> = .unchanged

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("id", \.id)
    field("source", \.source)
    field("name", \.name, Limits.groceryName)
    field("quantity", \.quantity)
    field("unit", \.unit, Limits.unit)
    field("note", \.note, Limits.groceryNote)
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
    if case .set(let name) = name {
      line.name = name.text
      line.key = NameKey.of(name.text)
    }
    if editsSource { try editSource(of: &line, lineID) }
    line.editedBy = context.person
    line.editedAt = context.now
    state.put(line, at: lineID, in: context)
    if name != .unchanged || unit != .unchanged { state.mergeIntoOther(lineID, in: context) }
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

/// Takes an item off the list: the additions that `sources` names (GRO-2, GRO-16).
struct RemoveGrocery<State: HasShoppingList>: Mutation {
  static var method: StaticString { "groceries.remove" }
  static var summary: StaticString { "Takes an item off the list: the additions that `sources` names (GRO-2, GRO-16)." }
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
    for source in found { state.remove(source, from: lineID, in: context) }
    return NoAnswer()
  }

  private func chosen(of line: Grocery, _ lineID: ID<Grocery>) -> [ID<Grocery>]? {
    if let sources { return sources }
    if id != lineID { return [id] }
    return line.sources.count == 1 ? Array(line.sources.keys) : nil
  }
}

/// Says that an item is in the basket, or that it is not after all (GRO-8).
struct CheckGrocery<State: HasShoppingList>: Mutation {
  static var method: StaticString { "groceries.check" }
  static var summary: StaticString { "Says that an item is in the basket, or that it is not after all (GRO-8)." }
  var id = ID<Grocery>()
  var checked = true

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("id", \.id)
    field("checked", \.checked)
  }

  func apply(to state: inout State, in context: Context) throws(Refusal) -> NoAnswer {
    var (lineID, line) = try state.list.line(of: id)
    // If two members check the same item, the first one's check counts.
    guard checked == (line.checkedAt == nil) else { return NoAnswer() }
    line.checkedBy = checked ? context.person : nil
    line.checkedAt = checked ? context.now : nil
    state.put(line, at: lineID, in: context)
    if !checked { state.mergeIntoOther(lineID, in: context) }
    return NoAnswer()
  }
}
