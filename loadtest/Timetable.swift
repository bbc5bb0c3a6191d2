/// Who wants to be called when, to ten milliseconds. Never too early; in one slot in the order of adding.
struct Timetable<Item> {
  private static var slot: Int64 { 10_000_000 }
  private var waiting: [Int64: [Item]] = [:]
  /// All slots up to this one are done.
  private var doneSlot: Int64

  /// - Parameter now: nanoseconds of the monotonic clock, as everywhere here.
  init(from now: Int64) { doneSlot = now / Self.slot }

  mutating func add(_ item: Item, at moment: Int64) {
    waiting[max(moment / Self.slot, doneSlot) + 1, default: []].append(item)
  }

  /// Takes those whose time has come.
  mutating func take(at now: Int64) -> [Item] {
    var due: [Item] = []
    while doneSlot < now / Self.slot {
      guard !waiting.isEmpty else {
        doneSlot = now / Self.slot
        break
      }
      doneSlot += 1
      if let items = waiting.removeValue(forKey: doneSlot) { due += items }
    }
    return due
  }

  /// When to look again.
  var next: Int64 { waiting.isEmpty ? .max : (doneSlot + 1) * Self.slot }
}
