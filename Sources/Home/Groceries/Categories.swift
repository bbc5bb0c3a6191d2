import JSON
import Rooms

/// The categories that every list knows; clients name them in their own language (GRO-6).
enum CategoryWord: String, CaseIterable {
  case fruit, vegetables, bakery, dairy, meat, fish, deli, frozen, pantry, canned, baking, spices, breakfast, snacks
  case sweets, drinks, alcohol, baby, pets, care, health, household, garden, other
}

/// A category of a household's own, or of a member's own list, by the key of its name.
struct OwnCategory: Record {
  /// The first spelling.
  var name = ""

  static func fields(_ field: inout some FieldVisitor<Self>) { field("name", \.name) }
}

extension ShoppingList {
  func isKnown(category key: String) -> Bool { CategoryWord(rawValue: key) != nil || categories.contains(key) }

  /// A category's word, or its name.
  func name(ofCategory key: String) -> String { categories[key]?.name ?? key }

  /// The key of a category with a name. One that is not known yet is kept: two phones that use a new name offline mean
  /// one category.
  mutating func category(named name: String) throws(Refusal) -> String {
    let key = NameKey.of(name)
    if isKnown(category: key) { return key }
    if categories.count >= Limits.categories {
      throw .full("categories", "At most \(Limits.categories) categories may be added.")
    }
    categories[key] = OwnCategory(name: name)
    return key
  }
}

/// Takes an added category away, unless something on a list has it (GRO-6).
struct ForgetCategory<State: HasShoppingList>: Mutation {
  static var method: StaticString { "groceries.forgetCategory" }
  static var summary: StaticString { "Takes an added category away, unless something on a list has it (GRO-6)." }
  var category = Line()

  static func fields(_ field: inout some FieldVisitor<Self>) { field("category", \.category, Limits.categoryName) }

  func apply(to state: inout State, in context: Context) throws(Refusal) -> NoAnswer {
    let key = NameKey.of(category.text)
    guard state.list.categories.contains(key) else { throw .gone("This category") }
    if state.list.groceries.values.contains(where: { $0.category == key }) {
      throw Refusal(.conflict, "inUse", "Something on a list is in this category.")
    }
    state.list.categories[key] = nil
    state.categoryForgotten(key)
    return NoAnswer()
  }
}
