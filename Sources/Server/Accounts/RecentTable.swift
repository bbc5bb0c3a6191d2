/// A table that drops the half of its entries that were written longest ago when it is full.
///
/// An attacker with many names or addresses can neither fill the memory nor make the server search for old entries.
struct RecentTable<Value> {
  private let capacity: Int
  private var young: [String: Value] = [:]
  private var old: [String: Value] = [:]

  init(capacity: Int) { self.capacity = capacity }

  var count: Int { young.count + old.count }

  subscript(key: String) -> Value? {
    get { young[key] ?? old[key] }
    set {
      old[key] = nil
      young[key] = newValue
      guard young.count >= capacity / 2 else { return }
      old = young
      young = [:]
    }
  }

  mutating func keep(where isWanted: (Value) -> Bool) {
    young = young.filter { isWanted($0.value) }
    old = old.filter { isWanted($0.value) }
  }
}
