/// Checks what patches say of the things that are being changed: each call writes its own number, so what a watcher
/// sees tells which call made it so.
struct ContentChecker {
  /// How the value of a thing may change.
  enum Rule {
    /// It is the number of the last call: it grows, and ends at the last one that was answered.
    case growing
    /// It goes to and fro, and ends where the last answered call left it.
    case toAndFro
    /// It never changes.
    case fixed
  }

  private struct Thing {
    var sent: Int
    var answered: Int?
    /// By watcher.
    var seen: [Int?]
  }

  private let rule: Rule
  private let watcherCount: Int
  private var things: [String: Thing] = [:]
  /// Values that no call had written, or that came after a later one.
  private(set) var wrongCount = 0

  init(_ rule: Rule, watcherCount: Int) {
    self.rule = rule
    self.watcherCount = watcherCount
  }

  /// A call is sent that gives a thing this value.
  mutating func send(_ id: String, _ value: Int) {
    things[id, default: Thing(sent: value, seen: Array(repeating: nil, count: watcherCount))].sent = value
  }

  /// That call has taken effect.
  mutating func answer(_ id: String, _ value: Int) { things[id]?.answered = value }

  /// Nobody will look at the thing any more.
  mutating func forget(_ id: String) { things[id] = nil }

  /// A watcher sees a thing with a value.
  mutating func see(_ id: String, _ value: Int, by watcher: Int) {
    guard let thing = things[id] else { return }
    switch rule {
    case .growing: if value > thing.sent || value < thing.seen[watcher] ?? 0 { wrongCount += 1 }
    case .toAndFro: if !(0...1 ~= value) { wrongCount += 1 }
    case .fixed: if value != thing.sent { wrongCount += 1 }
    }
    things[id]?.seen[watcher] = value
  }

  /// How many things a watcher sees otherwise than the last answered call has left them. Asked when all is quiet.
  func staleCount(of watcher: Int) -> Int {
    guard rule != .fixed else { return 0 }
    return things.values.count { thing in thing.answered != nil && thing.seen[watcher] != thing.answered }
  }
}
