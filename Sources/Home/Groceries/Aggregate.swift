import JSON
import Rooms

/// How much of one thing is wanted in all, by everybody together (GRO-5): the sum over those lines of the household's
/// list that nobody has bought, personal ones included, as far as they are measured alike (R-MERGE).
///
/// Quantities that are measured in other ways stand in other lines of the same `key`. A line has an id of its own,
/// which is not used again: a thing that is wanted anew after a purchase is another line.
struct AggregateLine: Record {
  /// As the oldest of the lines writes it.
  var name = ""
  var key = ""
  /// Absent where one line wants it and says nothing.
  @Packed var quantity: Quantity? = nil
  var unit: String?
  /// The lines of the list that are added up here.
  var lines: SmallSet<ID<Grocery>> = []

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("name", \.name)
    field("key", \.key)
    field("quantity", \._quantity)
    field("unit", \.unit)
    field("lines", \.lines)
  }

  /// Adds up lines; `false`, and nothing changed, where the sum is more than a quantity can say.
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
    lines = SmallSet(all.keys)
    return true
  }
}

extension Grocery {
  /// Whether two states of a line mean the same in a sum.
  fileprivate func counts(like other: Grocery) -> Bool {
    name == other.name && key == other.key && quantity == other.quantity && unit == other.unit
      && (checkedAt == nil) == (other.checkedAt == nil)
  }
}

extension Groceries {
  /// Keeps the sums in step with one line of the list that has changed.
  mutating func aggregateChanged(_ id: ID<Grocery>, from old: Grocery?, to new: Grocery?, in context: Context) {
    if let old, let new, old.counts(like: new) { return }
    let isWanted = new?.checkedAt == nil
    if let old, old.checkedAt == nil, let sum = aggregate.first(where: { $0.value.lines.contains(id) }) {
      // A line that goes on meaning the same thing stays in its sum, if that can still say so.
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

  /// Makes a sum that of some lines, none of which ends it; `false` where they are too much for one.
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
