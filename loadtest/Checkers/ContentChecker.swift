/// Checks the content of patches: each call writes its own number, so a seen value identifies the call that wrote it.
struct ContentChecker {
  /// The way in which a value may change.
  enum Rule {
    /// The number of the last call: it increases, and ends at the last answered call.
    case growing
    /// It toggles, and ends as the last answered call left it.
    case toAndFro
    /// It never changes.
    case fixed
  }

  private struct Thing {
    var sent: Int
    var answered: Int?
    /// The last seen value by watcher.
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

  /// Records that a call is sent that sets an object to this value.
  mutating func send(_ id: String, _ value: Int) {
    things[id, default: Thing(sent: value, seen: Array(repeating: nil, count: watcherCount))].sent = value
  }

  /// Records that the call was answered.
  mutating func answer(_ id: String, _ value: Int) { things[id]?.answered = value }

  /// Stops checking an object.
  mutating func forget(_ id: String) { things[id] = nil }

  /// Checks a value that a watcher sees.
  mutating func see(_ id: String, _ value: Int, by watcher: Int) {
    guard let thing = things[id] else { return }
    switch rule {
    case .growing: if value > thing.sent || value < thing.seen[watcher] ?? 0 { wrongCount += 1 }
    case .toAndFro: if !(0...1 ~= value) { wrongCount += 1 }
    case .fixed: if value != thing.sent { wrongCount += 1 }
    }
    things[id]?.seen[watcher] = value
  }

  /// The number of objects that a watcher sees differently from the last answered call. To be called when all is quiet.
  func staleCount(of watcher: Int) -> Int {
    guard rule != .fixed else { return 0 }
    return things.values.count { thing in thing.answered != nil && thing.seen[watcher] != thing.answered }
  }
}
