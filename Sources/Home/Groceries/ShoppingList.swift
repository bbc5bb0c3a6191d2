import JSON
import Rooms

/// The shopping of a room: the lines of all lists, and the additions that were merged into them (GRO-1, GRO-3). A
/// household has one, and each corner.
struct ShoppingList: Sendable {
  var groceries = Table<ID<Grocery>, Grocery>()
  /// Additions that are part of a line with another id.
  var merged = Table<ID<Grocery>, GroceryLine>()
  /// Lines that are being moved to another room.
  var moving = Table<ID<Grocery>, MovingGrocery>()
  /// The categories that people have added, by the key of their name.
  var categories = Table<String, OwnCategory>()
  /// Removed additions that can still be brought back.
  var removed = Table<ID<Grocery>, RemovedGrocery>()
  private(set) var due = DueTime()

  mutating func parts(_ part: inout some PartVisitor) {
    part("groceries", &groceries)
    part("mergedGroceries", &merged, .hidden)
    part("moving", &moving, .hidden)
    part("categories", &categories)
    part("removedGroceries", &removed, .hidden)
  }

  mutating func planAll() { due.plan(removed.values.map(\.end).min()) }

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

  /// The line that takes another one's additions, with them merged in: the oldest other line of the same thing on the
  /// same list that is unchecked and has room (R-MERGE). The oldest, so that merging is deterministic.
  ///
  /// It keeps its category and its barcode, and takes the other one's if it has none.
  func joining(_ line: Grocery, _ id: ID<Grocery>) -> (id: ID<Grocery>, line: Grocery)? {
    guard line.owner == nil, line.checkedAt == nil else { return nil }
    let fitting = groceries.filter { otherID, other in
      otherID != id && other.key == line.key && other.owner == nil && other.checkedAt == nil
        && other.unitClass == line.unitClass && other.list == line.list
        && other.sources.count + line.sources.count <= Limits.grocerySources.upperBound
    }
    for (otherID, other) in fitting.sorted(by: { $0.key < $1.key }) {
      var joined = other
      for (source, part) in line.sources { joined.sources[source] = part }
      guard joined.addUp() else { continue }
      joined.category = other.category ?? line.category
      joined.barcode = other.barcode ?? line.barcode
      joined.isLate = other.isLate ?? line.isLate
      return (otherID, joined)
    }
    return nil
  }

  /// Keeps an addition that is removed as long as it can be brought back (R-DEL).
  mutating func keepRemoved(
    _ source: ID<Grocery>, of line: Grocery, _ lineID: ID<Grocery>, by person: ID<Person>, at now: Instant
  ) {
    var part = line
    part.sources = [:]
    part.sources[source] = line.sources[source]
    let row = RemovedGrocery(line: part, from: lineID, removedAt: now, removedBy: person)
    removed[source] = row
    due.plan(row.end)
    removed.keep(Limits.groceries) { $0.removedAt }
  }

  /// The additions of one removal, as a line: the newest of those that `id` names, as a line or as an addition.
  func restorable(
    _ id: ID<Grocery>, _ sources: [ID<Grocery>]?, at now: Instant
  ) -> (line: Grocery, from: ID<Grocery>)? {
    let found = removed.filter { source, row in
      row.end > now && (row.from == id || source == id) && (sources?.contains(source) ?? true)
    }
    guard let newest = found.max(by: { ($0.value.removedAt, $0.key) < ($1.value.removedAt, $1.key) })?.value else {
      return nil
    }
    var line = newest.line
    line.sources = [:]
    for (source, row) in found where row.removedAt == newest.removedAt && row.from == newest.from {
      line.sources[source] = row.line.sources[source]
    }
    return (line, newest.from)
  }

  mutating func dropRemoved(at now: Instant) {
    removed.removeAll { _, row in row.end <= now }
    due = DueTime()
    planAll()
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
  /// The list; the main list if it is absent (GRO-6).
  @Packed var list: ID<GroceryList>? = nil
  /// A word, or the key of an added category.
  var category: String?
  @Packed var barcode: Barcode? = nil
  /// `true` if something of the line was added while another member was shopping for it (GRO-7).
  var isLate: Bool?
  @Packed var checkedBy: ID<Person>? = nil
  @Packed var checkedAt: Instant? = nil
  @Packed var editedBy: ID<Person>? = nil
  @Packed var editedAt: Instant? = nil
  /// The id of the line before it was shown, hidden or brought back.
  @Packed var was: ID<Grocery>? = nil
  /// The additions to the line by their ids. The first has the line's id.
  var sources: SmallMap<ID<Grocery>, GrocerySource> = [:]

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("name", \.name)
    field("key", \.key)
    field("quantity", \._quantity)
    field("unit", \.unit)
    field("owner", \._owner)
    field("list", \._list)
    field("category", \.category)
    field("barcode", \._barcode)
    field("late", \.isLate)
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

/// An addition that can be brought back for ten minutes (R-DEL).
struct RemovedGrocery: Record {
  /// Its line, without other additions.
  var line = Grocery()
  /// The line's id.
  var from = ID<Grocery>()
  var removedAt = Instant()
  var removedBy = ID<Person>()

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("line", \.line)
    field("from", \.from)
    field("removedAt", \.removedAt)
    field("removedBy", \.removedBy)
  }

  var end: Instant { removedAt + Limits.undo }
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
  static var fullList: Refusal { .full("groceries", "At most \(Limits.groceries) lines are on all lists.") }
}
