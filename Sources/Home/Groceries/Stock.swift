import JSON
import Rooms

/// The supplies of a household: in, low or out (CHO-25).
struct Stock: Subject {
  typealias State = HouseholdState
  static let methods: [Method] = [.of(SetStock.self), .of(RemoveStock.self)]

  /// By the key of the name (R-MERGE).
  var stock = Table<String, StockItem>()

  mutating func parts(_ part: inout some PartVisitor) { part("stock", &stock) }
}

struct StockItem: Record {
  var name = ""
  var level = StockLevel.inStock
  var by = ID<Person>()
  var at = Instant()

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("name", \.name)
    field("level", \.level)
    field("by", \.by)
    field("at", \.at)
  }
}

enum StockLevel: String, Word {
  case inStock = "in"
  case low, out
}

/// Says how much there is of a supply; what is out goes on the household's list, once (CHO-25).
struct SetStock: Mutation {
  static let method: StaticString = "stock.set"
  static let summary: StaticString =
    "Says how much there is of a supply; what is out goes on the household's list, once (CHO-25)."
  var name = Line()
  var level = StockLevel.inStock

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("name", \.name, Limits.groceryName)
    field("level", \.level)
  }

  func apply(to home: inout HouseholdState, in context: Context) throws(Refusal) -> StockAnswer {
    _ = try home.caller(context)
    let key = NameKey.of(name.text)
    let before = home.stock.stock[key]
    if before == nil, home.stock.stock.count >= Limits.stock {
      throw .full("stock", "At most \(Limits.stock) supplies are watched.")
    }
    let item = StockItem(name: name.text, level: level, by: context.person, at: context.now)
    if before?.level != level || before?.name != name.text { home.stock.stock[key] = item }
    let isWanted = home.groceries.list.groceries.values.contains {
      $0.key == key && $0.owner == nil && $0.checkedAt == nil
    }
    guard level == .out, before?.level != .out, !isWanted else { return StockAnswer() }
    let source = GrocerySource(by: context.person, at: context.now)
    let added = try home.add(
      remembering: Grocery(name: name.text, key: key), source, as: context.newID(), in: context)
    return StockAnswer(grocery: added.id)
  }
}

struct StockAnswer: Record {
  /// The new item of the list.
  var grocery: ID<Grocery>?

  static func fields(_ field: inout some FieldVisitor<Self>) { field("grocery", \.grocery) }
}

/// Watches a supply no longer (CHO-25).
struct RemoveStock: Mutation {
  static let method: StaticString = "stock.remove"
  static let summary: StaticString = "Watches a supply no longer (CHO-25)."
  var name = Line()

  static func fields(_ field: inout some FieldVisitor<Self>) { field("name", \.name, Limits.groceryName) }

  func apply(to home: inout HouseholdState, in context: Context) throws(Refusal) -> NoAnswer {
    _ = try home.caller(context)
    let key = NameKey.of(name.text)
    guard home.stock.stock.contains(key) else { throw .gone("This supply") }
    home.stock.stock[key] = nil
    return NoAnswer()
  }
}
