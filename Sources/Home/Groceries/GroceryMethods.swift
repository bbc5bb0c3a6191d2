import JSON
import Rooms

extension Groceries {
  static let methods: [Method] = [
    .of(AddGrocery.self), .of(EditGrocery<HouseholdState>.self), .of(RemoveGrocery<HouseholdState>.self),
    .of(RestoreGrocery<HouseholdState>.self), .of(CheckGrocery<HouseholdState>.self), .of(HideGrocery.self),
    .question(SuggestGroceries.self), .of(ForgetGrocery.self), .of(ForgetCategory<HouseholdState>.self),
  ]
}

extension OwnGroceries {
  static let methods: [Method] = [
    .of(AddOwnGrocery.self), .of(EditGrocery<CornerState>.self), .of(RemoveGrocery<CornerState>.self),
    .of(RestoreGrocery<CornerState>.self), .of(CheckGrocery<CornerState>.self), .of(ShowGrocery.self),
    .of(ForgetCategory<CornerState>.self),
  ]
}

/// Puts something on a list of the household, as everybody's or as one's own for all to see (GRO-1, GRO-3, GRO-6).
struct AddGrocery: Mutation {
  static let method: StaticString = "groceries.add"
  static let summary: StaticString =
    "Puts something on a list of the household, as everybody's or as one's own for all to see (GRO-1, GRO-3, GRO-6)."
  var id: ID<Grocery>?
  var name = Line()
  var quantity: Quantity?
  var unit: Line?
  var note: Prose?
  var personal: Bool?
  /// The main list if it is absent.
  var list: ID<GroceryList>?
  /// A word or a name; what the name had last if it is absent.
  var category: Line?
  var barcode: Barcode?

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("id", \.id)
    field("name", \.name, Limits.groceryName)
    field("quantity", \.quantity)
    field("unit", \.unit, Limits.unit)
    field("note", \.note, Limits.groceryNote)
    field("personal", \.personal)
    field("list", \.list)
    field("category", \.category, Limits.categoryName)
    field("barcode", \.barcode)
  }

  func apply(to home: inout HouseholdState, in context: Context) throws(Refusal) -> GroceryAnswer {
    let source = GrocerySource(
      by: context.person, at: context.now, quantity: quantity, unit: unit?.text, note: note?.text)
    if let list, !home.hasList(list) { throw .gone("This list") }
    var line = Grocery(
      name: name.text, key: NameKey.of(name.text), owner: personal == true ? context.person : nil, list: list,
      barcode: barcode)
    if let category { line.category = try home.list.category(named: category.text) }
    return try home.add(remembering: line, source, as: context.newID(id), in: context)
  }
}

extension HouseholdState {
  /// Adds an item with the category that its name had last, unless it has one, and remembers the name (GRO-4, GRO-6).
  mutating func add(
    remembering line: Grocery, _ source: GrocerySource, as id: ID<Grocery>, in context: Context
  ) throws(Refusal) -> GroceryAnswer {
    var line = line
    line.category = line.category ?? usualCategory(of: line.key)
    let answer = try add(line, source, as: id, in: context)
    groceries.remember(
      name: line.name, key: line.key, category: line.category, barcode: line.barcode, at: context.now)
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
  var category: Line?
  var barcode: Barcode?

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("id", \.id)
    field("name", \.name, Limits.groceryName)
    field("quantity", \.quantity)
    field("unit", \.unit, Limits.unit)
    field("note", \.note, Limits.groceryNote)
    field("category", \.category, Limits.categoryName)
    field("barcode", \.barcode)
  }

  func apply(to corner: inout CornerState, in context: Context) throws(Refusal) -> GroceryAnswer {
    let source = GrocerySource(
      by: context.person, at: context.now, quantity: quantity, unit: unit?.text, note: note?.text)
    var line = Grocery(name: name.text, key: NameKey.of(name.text), barcode: barcode)
    if let category { line.category = try corner.list.category(named: category.text) }
    return try corner.add(line, source, as: context.newID(id), in: context)
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
