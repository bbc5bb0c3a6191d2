import Rooms

/// Something that may be done so many times at once, and again after a while: a bucket that fills up all the time.
struct Allowance: Sendable {
  struct Limit: Sendable {
    /// Times at once.
    var times: Int
    /// The time after which one more is there.
    var refill: Duration
  }

  /// When everything is there again.
  private(set) var fullAt = Duration.zero

  /// How long it has to wait; `nil` if it may be done now.
  func wait(_ limit: Limit, at now: Duration) -> Duration? {
    let wait = max(fullAt, now) + limit.refill - now - limit.refill * limit.times
    return wait > .zero ? wait : nil
  }

  /// Takes one, also where none is there: nobody owes more than that.
  mutating func take(_ limit: Limit, at now: Duration) {
    fullAt = min(max(fullAt, now) + limit.refill, now + limit.refill * limit.times)
  }

  /// Gives one permit back.
  mutating func giveBack(_ limit: Limit) { fullAt -= limit.refill }
}

/// A table that forgets the half of its entries that were written longest ago, when it is full: an attacker with many
/// names or addresses cannot fill the memory, nor make the server look for what to forget.
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
