import JSON

/// A room that several connections watch: records which versions arrive where, and how long after their cause.
///
/// The cause of a version is known from the answer, which may arrive before or after the patches on other connections.
final class WatchedRoom {
  private struct Version {
    var startedAt: Int64?
    /// Times of deliveries before the answer.
    var early: [Int64] = []
    var deliveryCount = 0

    /// Counts a delivery and returns the start of its cause, if that is known yet.
    mutating func deliver(at now: Int64) -> Int64? {
      deliveryCount += 1
      if startedAt == nil { early.append(now) }
      return startedAt
    }
  }

  private(set) var connections: [Connection] = []
  private let mix: Mix
  /// The content of the changed objects as each watcher has seen it.
  var content: ContentChecker
  private var versions: [Int: Version] = [:]
  /// The highest version in an answer.
  private(set) var answeredVersion = 0
  /// Completions of chores that were answered without an error, and the sums of the household's statistics before and
  /// after.
  var completionCount = 0
  var choreSums: [Int] = []
  /// Versions up to this one were caused before the load.
  private var firstVersion = 0

  init(_ connections: [Connection], _ mix: Mix) {
    self.connections = connections
    self.mix = mix
    content = ContentChecker(mix.rule, watcherCount: connections.count)
  }

  /// Checks the changed objects in a patch.
  func inspect(_ patch: View?, by watcher: Int) {
    switch mix {
    case .edit:
      patch?[key: "groceries"]?.forEachMember { id, line in
        guard let id = id.string, let sources = line[key: "sources"] else { return }
        guard let number = Self.number(sources[key: id]?[key: "note"]) else { return }
        content.see(id, number, by: watcher)
      }
    case .check:
      patch?[key: "groceries"]?.forEachMember { id, line in
        guard let id = id.string, let by = line[key: "checkedBy"] else { return }
        content.see(id, by.isNull ? 0 : 1, by: watcher)
      }
    case .notes:
      patch?[key: "notes"]?.forEachMember { id, note in
        guard let id = id.string, let number = Self.number(note[key: "text"]) else { return }
        content.see(id, number, by: watcher)
      }
    case .chores: break
    }
  }

  /// Whether statistics have grown by as much as was done, each completion once (CHO-9).
  var countsChoresOnce: Bool { choreSums.count == 2 && choreSums[1] - choreSums[0] == completionCount }

  /// The number at the start of a text.
  private static func number(_ text: View?) -> Int? {
    text?.withBytes { bytes in
      var number: Int?
      for index in bytes.indices {
        guard 48...57 ~= bytes[index], number ?? 0 < 1 << 40 else { break }
        number = (number ?? 0) * 10 + Int(bytes[index] - 48)
      }
      return number
    }
  }

  /// Forgets everything so far; the load starts here.
  func begin() {
    versions = [:]
    firstVersion = max(answeredVersion, connections.map { $0.positions[0] }.max() ?? 0)
  }

  func answered(_ version: Int, startedAt: Int64, deliveries: inout Histogram, last: inout Histogram) {
    answeredVersion = max(answeredVersion, version)
    guard version > firstVersion else { return }
    var entry = versions[version] ?? Version()
    entry.startedAt = startedAt
    for moment in entry.early { deliveries.record(moment - startedAt) }
    let isDone = entry.deliveryCount == connections.count
    if isDone, let moment = entry.early.last { last.record(moment - startedAt) }
    entry.early = []
    versions[version] = isDone ? nil : entry
  }

  func delivered(
    _ covered: ClosedRange<Int>, at now: Int64, deliveries: inout Histogram, last: inout Histogram
  ) {
    for version in covered where version > firstVersion {
      // Mutated in place: in a large room thousands of deliveries are recorded before the answer.
      let startedAt = versions[version, default: Version()].deliver(at: now)
      guard let startedAt else { continue }
      deliveries.record(now - startedAt)
      if versions[version]?.deliveryCount == connections.count {
        last.record(now - startedAt)
        versions[version] = nil
      }
    }
  }

  /// Objects that some watcher sees differently from the last answered call.
  var staleCount: Int {
    connections.indices.reduce(0) { $0 + (connections[$1].isOpen ? content.staleCount(of: $1) : 0) }
  }

  /// Answered versions that some open connection lacks.
  var missingCount: Int {
    connections.reduce(0) { $0 + ($1.isOpen ? max(0, answeredVersion - $1.positions[0]) : 0) }
  }
}
