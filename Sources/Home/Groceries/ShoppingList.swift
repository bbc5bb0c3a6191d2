import JSON
import Rooms

/// A line of a shopping list (GRO-1, GRO-3).
struct Grocery: Record {
  var name = ""
  /// What names of the same thing have in common (R-MERGE).
  var key = ""
  /// The sum over the sources: absent where there is one, and it says nothing.
  @Packed var quantity: Quantity? = nil
  var unit: String?
  /// Whose personal line it is; a line without owner is everybody's.
  @Packed var owner: ID<Person>? = nil
  @Packed var checkedBy: ID<Person>? = nil
  @Packed var checkedAt: Instant? = nil
  @Packed var editedBy: ID<Person>? = nil
  @Packed var editedAt: Instant? = nil
  /// The id that it had before it was shown or hidden.
  @Packed var was: ID<Grocery>? = nil
  /// What was added to the line, by the id of each addition. The first has the line's id.
  var sources: SmallMap<ID<Grocery>, GrocerySource> = [:]

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("name", \.name)
    field("key", \.key)
    field("quantity", \._quantity)
    field("unit", \.unit)
    field("owner", \._owner)
    field("checkedBy", \._checkedBy)
    field("checkedAt", \._checkedAt)
    field("editedBy", \._editedBy)
    field("editedAt", \._editedAt)
    field("was", \._was)
    field("sources", \.sources)
  }

  var unitClass: UnitClass { UnitClass.of(unit).unitClass }

  /// Adds up the sources; `false`, and nothing changed, where the sum is more than a quantity can say.
  mutating func addUp() -> Bool {
    if sources.count == 1, let only = sources.values.first {
      quantity = only.quantity
      unit = only.unit
      return true
    }
    let units = Set(sources.values.map(\.unit))
    let base = units.count == 1 ? nil : unitClass.baseUnit
    var sum: Int64 = 0
    for source in sources.values {
      // Whoever says no quantity means one.
      let factor = base == nil ? 1 : UnitClass.of(source.unit).factor
      sum += (source.quantity ?? .one).thousandths * factor
    }
    guard sum <= Quantity.limit else { return false }
    quantity = Quantity(thousandths: sum)
    if let base { unit = base } else if units.count == 1, let same = units.first { unit = same }
    return true
  }
}

/// One addition to a line: who wanted how much, and what he said of it.
struct GrocerySource: Record {
  var by = ID<Person>()
  var at = Instant()
  @Packed var quantity: Quantity? = nil
  var unit: String?
  var note: String?

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("by", \.by)
    field("at", \.at)
    field("quantity", \._quantity)
    field("unit", \.unit)
    field("note", \.note)
  }
}

/// The line that an addition was merged into.
struct GroceryLine: Record {
  var line = ID<Grocery>()

  static func fields(_ field: inout some FieldVisitor<Self>) { field("line", \.line) }
}

struct GroceryAnswer: Record {
  var id = ID<Grocery>()
  /// The line that the addition was merged into.
  var line: ID<Grocery>?

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("id", \.id)
    field("line", \.line)
  }
}

/// A room with a shopping list.
protocol HasGroceries: RoomState {
  var groceries: Table<ID<Grocery>, Grocery> { get set }
  /// Additions that stand in a line with another id. Hidden.
  var mergedGroceries: Table<ID<Grocery>, GroceryLine> { get set }
  /// Lines that another room is about to take. Hidden.
  var moving: Table<ID<Grocery>, MovingGrocery> { get set }
  func checkNew<Of>(_ id: ID<Of>) throws(Refusal)
  mutating func forget<Of>(_ id: ID<Of>, at now: Instant)
  /// A line is not what it was.
  mutating func lineChanged(_ id: ID<Grocery>, from old: Grocery?, to new: Grocery?, in context: Context)
}

extension HasGroceries {
  /// Whether an id names a line or an addition to one.
  func names(grocery id: ID<Grocery>) -> Bool { groceries.contains(id) || mergedGroceries.contains(id) }

  /// The line that an id names, or into which what it names was merged.
  func line(of id: ID<Grocery>) throws(Refusal) -> (id: ID<Grocery>, line: Grocery) {
    let lineID = mergedGroceries[id]?.line ?? id
    guard let line = groceries[lineID] else { throw .gone("This item") }
    guard !moving.contains(lineID) else {
      throw Refusal(.conflict, "moving", "This item is being shown or hidden just now.")
        .temporary(after: .milliseconds(100))
    }
    return (lineID, line)
  }

  /// The only way to change a line.
  mutating func put(_ line: Grocery?, at id: ID<Grocery>, in context: Context) {
    let old = groceries.exchange(line, at: id)
    lineChanged(id, from: old, to: line, in: context)
  }

  /// Puts something on the list, into a line of the same thing where there is one that nobody has bought (R-MERGE).
  mutating func add(
    _ source: GrocerySource, named name: String, owner: ID<Person>?, merging: Bool, as id: ID<Grocery>,
    in context: Context
  ) throws(Refusal) -> GroceryAnswer {
    try checkNew(id)
    let key = NameKey.of(name)
    if merging {
      let unitClass = UnitClass.of(source.unit).unitClass
      let fitting = groceries.filter { _, line in
        line.key == key && line.owner == nil && line.checkedAt == nil && line.unitClass == unitClass
          && line.sources.count < Limits.grocerySources.upperBound
      }
      // The oldest line, wherever several fit, so that everybody merges alike.
      for (lineID, line) in fitting.sorted(by: { $0.key < $1.key }) {
        var merged = line
        merged.sources[id] = source
        guard merged.addUp() else { continue }
        put(merged, at: lineID, in: context)
        mergedGroceries[id] = GroceryLine(line: lineID)
        return GroceryAnswer(id: id, line: lineID)
      }
    }
    if groceries.count >= Limits.groceries {
      throw .fullList
    }
    var line = Grocery(name: name, key: key, owner: owner, sources: [id: source])
    _ = line.addUp()
    put(line, at: id, in: context)
    return GroceryAnswer(id: id)
  }

  /// Takes one addition out of its line, and the line with the last.
  mutating func remove(_ source: ID<Grocery>, from line: ID<Grocery>, in context: Context) {
    guard var rest = groceries[line], rest.sources.contains(source) else { return }
    rest.sources[source] = nil
    if rest.sources.isEmpty { return removeLine(line, in: context) }
    // A part of what could be said can be said.
    _ = rest.addUp()
    put(rest, at: line, in: context)
    mergedGroceries[source] = nil
    if source != line { forget(source, at: context.now) }
  }

  mutating func removeLine(_ id: ID<Grocery>, in context: Context) {
    guard let line = groceries[id] else { return }
    for source in line.sources.keys where source != id {
      mergedGroceries[source] = nil
      forget(source, at: context.now)
    }
    put(nil, at: id, in: context)
    forget(id, at: context.now)
  }

  /// A line that the caller may change: everybody's, or his own (GRO-2).
  func line(_ id: ID<Grocery>, writableBy person: ID<Person>) throws(Refusal) -> (id: ID<Grocery>, line: Grocery) {
    let found = try line(of: id)
    guard found.line.owner == nil || found.line.owner == person else {
      throw Refusal(.forbidden, "forbidden", "Only its owner may change a personal item.")
    }
    return found
  }
}

extension Refusal {
  static var fullList: Refusal { .full("groceries", "A list has at most \(Limits.groceries) lines.") }
}
