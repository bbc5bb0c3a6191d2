import Platform
import Rooms

/// The counters of a shard since its start: plain values, changed only on its loop, and added up when they are read.
struct Counters: Sendable {
  var connections = 0
  var commits = 0
  var commitFailures: [String: Int] = [:]
  /// The number of rooms in a commit.
  var commitRooms = Histogram(bounds: [1, 2, 4, 8, 16, 32, 64, 128, 256, 512])
  /// Seconds from handing a commit over until it is on disk.
  var commitSeconds = Histogram(bounds: [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5])
  var patches = 0
  var patchBytes = 0
  /// Patches that were merged for a client that had fallen behind.
  var mergedPatches = 0
  var fellBehind = 0
  /// Times that a connection called more often than allowed.
  var throttles = 0
  /// Seconds between two broadcasts of one live position.
  var positionGaps = Histogram(bounds: [1, 2, 5, 10, 15, 20, 30, 45, 60, 90, 120, 180])
  /// First answers to subscriptions: `patch`, or the reason for sending the whole state.
  var resumes: [String: Int] = [:]
  var refusals: [String: Int] = [:]
  var loads = 0
  var failedLoads = 0
  var evictions = 0
  /// Due times at which a room acted.
  var dueRooms = 0
  /// Seconds from a due time until the room acted.
  var dueDelays = Histogram(bounds: [0.1, 0.5, 1, 5, 10, 30, 60, 120, 300, 600])
  var mails = 0
  var failedMails = 0
  /// Responses of `POST /rpc`, by status.
  var responses: [Int: Int] = [:]

  /// Reasons are words of the code. If one ever comes from elsewhere, the limit keeps it from becoming a label.
  mutating func noteRefusal(_ reason: String) {
    let name = refusals.count < 200 || refusals[reason] != nil ? reason : "other"
    refusals[name, default: 0] += 1
  }

  mutating func noteFailure(_ error: StoreError) {
    let kind =
      switch error {
      case .conflict: "conflict"
      case .full: "full"
      case .failed: "failed"
      }
    commitFailures[kind, default: 0] += 1
  }

  mutating func add(_ other: Counters) {
    connections += other.connections
    commits += other.commits
    mails += other.mails
    failedMails += other.failedMails
    commitFailures.merge(other.commitFailures, uniquingKeysWith: +)
    commitRooms.add(other.commitRooms)
    commitSeconds.add(other.commitSeconds)
    patches += other.patches
    patchBytes += other.patchBytes
    mergedPatches += other.mergedPatches
    fellBehind += other.fellBehind
    throttles += other.throttles
    positionGaps.add(other.positionGaps)
    resumes.merge(other.resumes, uniquingKeysWith: +)
    refusals.merge(other.refusals, uniquingKeysWith: +)
    loads += other.loads
    failedLoads += other.failedLoads
    evictions += other.evictions
    dueRooms += other.dueRooms
    dueDelays.add(other.dueDelays)
    responses.merge(other.responses, uniquingKeysWith: +)
  }
}

/// A count of values per bucket, as Prometheus expects it.
struct Histogram: Sendable {
  /// Upper bounds, ascending; one more bucket lies above the last.
  let bounds: [Double]
  private(set) var counts: [Int]
  private(set) var sum = 0.0

  init(bounds: [Double]) {
    self.bounds = bounds
    counts = Array(repeating: 0, count: bounds.count + 1)
  }

  mutating func observe(_ value: Double) {
    counts[bounds.firstIndex { value <= $0 } ?? bounds.count] += 1
    sum += value
  }

  mutating func observe(_ duration: Duration) { observe(duration.seconds) }

  mutating func add(_ other: Histogram) {
    for index in counts.indices { counts[index] += other.counts[index] }
    sum += other.sum
  }
}

/// The calls of one method on one shard. A class, so that each waiting caller carries one word.
final class CallCounter {
  var answered = 0
  var refused = 0
}

extension Duration {
  var seconds: Double {
    // Up to nine seconds, as for nearly every measurement, 64 bits suffice.
    if let attoseconds = Int64(exactly: attoseconds) { return Double(attoseconds) / 1e18 }
    return Double(components.seconds) + Double(components.attoseconds) / 1e18
  }
}
