/// A room that several connections watch: which versions came where, and how long after they were caused.
///
/// A version's cause is known from the answer, which may come before or after the patches on other connections.
final class WatchedRoom {
  private struct Version {
    var startedAt: Int64?
    /// Moments of deliveries before the answer.
    var early: [Int64] = []
    var deliveryCount = 0
  }

  var connections: [Connection] = []
  private var versions: [Int: Version] = [:]
  /// The highest version that an answer has told of.
  private(set) var answeredVersion = 0
  /// Versions up to this one were caused before the load.
  private var firstVersion = 0

  /// Forgets all so far: the load begins here.
  func begin() {
    versions = [:]
    firstVersion = max(answeredVersion, connections.map { $0.positions[0] }.max() ?? 0)
  }

  func answered(_ version: Int, startedAt: Int64, deliveries: inout Histogram) {
    answeredVersion = max(answeredVersion, version)
    guard version > firstVersion else { return }
    var entry = versions[version] ?? Version()
    entry.startedAt = startedAt
    for moment in entry.early { deliveries.record(moment - startedAt) }
    entry.early = []
    versions[version] = entry.deliveryCount == connections.count ? nil : entry
  }

  func delivered(_ covered: ClosedRange<Int>, at now: Int64, deliveries: inout Histogram) {
    for version in covered where version > firstVersion {
      var entry = versions[version] ?? Version()
      entry.deliveryCount += 1
      if let startedAt = entry.startedAt { deliveries.record(now - startedAt) } else { entry.early.append(now) }
      let isDone = entry.startedAt != nil && entry.deliveryCount == connections.count
      versions[version] = isDone ? nil : entry
    }
  }

  /// Versions that were answered and have not come to some connection that is still open.
  var missingCount: Int {
    connections.reduce(0) { $0 + ($1.isOpen ? max(0, answeredVersion - $1.positions[0]) : 0) }
  }
}
