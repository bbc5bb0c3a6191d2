/// Entries with due times, in slots of ten milliseconds. Never early; within a slot in order of addition.
struct Timetable<Item> {
  private static var slot: Int64 { 10_000_000 }
  private var waiting: [Int64: [Item]] = [:]
  /// All slots up to this one are done.
  private var doneSlot: Int64

  /// - Parameter now: nanoseconds of the monotonic clock, like all times here.
  init(from now: Int64) { doneSlot = now / Self.slot }

  mutating func add(_ item: Item, at moment: Int64) {
    waiting[max(moment / Self.slot, doneSlot) + 1, default: []].append(item)
  }

  /// Takes the entries that are due.
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

  /// When to call `take` again.
  var next: Int64 { waiting.isEmpty ? .max : (doneSlot + 1) * Self.slot }
}
