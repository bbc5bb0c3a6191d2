import JSON
import Rooms

/// The total of one thing that the household wants (GRO-5): the sum over the unchecked lines of all its lists, personal
/// ones included, in compatible units (R-MERGE).
///
/// Quantities in other units are in other lines with the same `key`. A line has an id of its own, which is not used
/// again: if a thing is wanted again after a purchase, it is another line.
struct AggregateLine: Record {
  /// The name in the oldest of the lines.
  var name = ""
  var key = ""
  /// Absent if one line wants the thing and has no quantity.
  @Packed var quantity: Quantity? = nil
  var unit: String?
  /// That of the oldest of the lines that have one (GRO-6).
  var category: String?
  /// The lines of all lists that are added up.
  var lines: SmallSet<ID<Grocery>> = []

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("name", \.name)
    field("key", \.key)
    field("quantity", \._quantity)
    field("unit", \.unit)
    field("category", \.category)
    field("lines", \.lines)
  }

  /// Adds up lines; if the sum exceeds the largest quantity, changes nothing and returns `false`.
  mutating func addUp(_ all: [ID<Grocery>: Grocery]) -> Bool {
    guard let oldest = all.min(by: { $0.key < $1.key })?.value else { return true }
    let units = Set(all.values.map(\.unit))
    let base = units.count == 1 ? nil : oldest.unitClass.baseUnit
    var sum: Int64 = 0
    for line in all.values {
      // A line without a quantity counts as one.
      sum += (line.quantity ?? .one).thousandths * (base == nil ? 1 : UnitClass.of(line.unit).factor)
    }
    guard sum <= Quantity.limit else { return false }
    quantity = all.count == 1 ? oldest.quantity : Quantity(thousandths: sum)
    unit = base ?? oldest.unit
    (name, key) = (oldest.name, oldest.key)
    category = all.filter { $0.value.category != nil }.min { $0.key < $1.key }?.value.category
    lines = SmallSet(all.keys)
    return true
  }
}

extension Grocery {
  /// Whether two states of a line count the same in a sum.
  fileprivate func counts(like other: Grocery) -> Bool {
    name == other.name && key == other.key && quantity == other.quantity && unit == other.unit
      && category == other.category && (checkedAt == nil) == (other.checkedAt == nil)
  }
}

extension Groceries {
  /// Updates the sums after one line of a list has changed.
  mutating func aggregateChanged(_ id: ID<Grocery>, from old: Grocery?, to new: Grocery?, in context: Context) {
    if let old, let new, old.counts(like: new) { return }
    let isWanted = new?.checkedAt == nil
    if let old, old.checkedAt == nil, let sum = aggregate.first(where: { $0.value.lines.contains(id) }) {
      // A line that still means the same thing stays in its sum, if the new sum is not too large.
      let stays = isWanted && new.map { $0.key == old.key && $0.unitClass == old.unitClass } == true
      var lines = sum.value.lines
      if !stays { lines.remove(id) }
      if set(sum.key, lines), stays { return }
      if stays {
        lines.remove(id)
        _ = set(sum.key, lines)
      }
    }
    guard let new, isWanted else { return }
    let fitting = aggregate.filter { _, sum in
      sum.key == new.key && UnitClass.of(sum.unit).unitClass == new.unitClass
    }
    for (sum, row) in fitting.sorted(by: { $0.key < $1.key }) where set(sum, row.lines + [id]) { return }
    let row: ID<AggregateLine> = context.newID()
    _ = set(row, [id])
  }

  /// Sets a sum to that of some lines, unless there are none; `false` if the sum is too large.
  private mutating func set(_ row: ID<AggregateLine>, _ lines: some Sequence<ID<Grocery>>) -> Bool {
    var all: [ID<Grocery>: Grocery] = [:]
    for id in lines { all[id] = list.groceries[id] }
    guard !all.isEmpty else {
      aggregate[row] = nil
      return true
    }
    var sum = aggregate[row] ?? AggregateLine()
    guard sum.addUp(all) else { return false }
    if sum != aggregate[row] { aggregate[row] = sum }
    return true
  }
}
