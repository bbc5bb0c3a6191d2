import JSON
import Rooms

/// A shopping list: lines, and the additions that were merged into them (GRO-1, GRO-3). A household has one, and each
/// corner.
struct ShoppingList: Sendable {
  var groceries = Table<ID<Grocery>, Grocery>()
  /// Additions that are part of a line with another id.
  var merged = Table<ID<Grocery>, GroceryLine>()
  /// Lines that are being moved to another room.
  var moving = Table<ID<Grocery>, MovingGrocery>()

  mutating func parts(_ part: inout some PartVisitor) {
    part("groceries", &groceries)
    part("mergedGroceries", &merged, .hidden)
    part("moving", &moving, .hidden)
  }

  /// The line with an id, or the line into which the addition with that id was merged.
  func line(of id: ID<Grocery>) throws(Refusal) -> (id: ID<Grocery>, line: Grocery) {
    let lineID = merged[id]?.line ?? id
    guard let line = groceries[lineID] else { throw .gone("This item") }
    guard !moving.contains(lineID) else {
      throw Refusal(.conflict, "moving", "This item is being shown or hidden just now.")
        .temporary(after: .milliseconds(100))
    }
    return (lineID, line)
  }

  /// A line that a person may change: everybody's, or their own (GRO-2).
  func line(_ id: ID<Grocery>, writableBy person: ID<Person>) throws(Refusal) -> (id: ID<Grocery>, line: Grocery) {
    let found = try line(of: id)
    guard found.line.owner == nil || found.line.owner == person else {
      throw Refusal(.forbidden, "forbidden", "Only its owner may change a personal item.")
    }
    return found
  }

  /// The line that takes an addition, with the addition merged in: the oldest line of the same thing that is unchecked
  /// and has room (R-MERGE). The oldest, so that merging is deterministic.
  func merging(
    _ source: GrocerySource, _ id: ID<Grocery>, key: String
  ) -> (id: ID<Grocery>, line: Grocery)? {
    let unitClass = UnitClass.of(source.unit).unitClass
    let fitting = groceries.filter { _, line in
      line.key == key && line.owner == nil && line.checkedAt == nil && line.unitClass == unitClass
        && line.sources.count < Limits.grocerySources.upperBound
    }
    for (lineID, line) in fitting.sorted(by: { $0.key < $1.key }) {
      var line = line
      line.sources[id] = source
      if line.addUp() { return (lineID, line) }
    }
    return nil
  }

  /// The oldest other open line of the same thing that has room for all additions of a line, with them merged in.
  func joining(_ line: Grocery, _ id: ID<Grocery>) -> (id: ID<Grocery>, line: Grocery)? {
    let fitting = groceries.filter { otherID, other in
      otherID != id && other.key == line.key && other.owner == nil && other.checkedAt == nil
        && other.unitClass == line.unitClass
        && other.sources.count + line.sources.count <= Limits.grocerySources.upperBound
    }
    for (otherID, other) in fitting.sorted(by: { $0.key < $1.key }) {
      var joined = other
      for (source, part) in line.sources { joined.sources[source] = part }
      if joined.addUp() { return (otherID, joined) }
    }
    return nil
  }

  func checkSpace() throws(Refusal) {
    if groceries.count >= Limits.groceries { throw .fullList }
  }
}

/// A line of a shopping list (GRO-1, GRO-3).
struct Grocery: Record {
  var name = ""
  /// The same key for all names of one thing (R-MERGE).
  var key = ""
  /// The sum over the sources; absent if there is only one, and it has no quantity.
  @Packed var quantity: Quantity? = nil
  var unit: String?
  /// The owner of a personal line; a line without owner is everybody's.
  @Packed var owner: ID<Person>? = nil
  @Packed var checkedBy: ID<Person>? = nil
  @Packed var checkedAt: Instant? = nil
  @Packed var editedBy: ID<Person>? = nil
  @Packed var editedAt: Instant? = nil
  /// The id of the line before it was shown or hidden.
  @Packed var was: ID<Grocery>? = nil
  /// The additions to the line by their ids. The first has the line's id.
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

  /// Adds up the sources; if the sum exceeds the largest quantity, changes nothing and returns `false`.
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
      // An addition without a quantity counts as one.
      let factor = base == nil ? 1 : UnitClass.of(source.unit).factor
      sum += (source.quantity ?? .one).thousandths * factor
    }
    guard sum <= Quantity.limit else { return false }
    quantity = Quantity(thousandths: sum)
    if let base { unit = base } else if units.count == 1, let same = units.first { unit = same }
    return true
  }
}

/// One addition to a line: a member, a quantity and a note.
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

extension Refusal {
  static var fullList: Refusal { .full("groceries", "A list has at most \(Limits.groceries) lines.") }
}
