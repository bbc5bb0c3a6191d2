/// Checks, frame by frame, that every watcher of a room receives news of it in time.
///
/// * SYN-6: for every watcher and room, at most 60 s pass between two frames about the room: a patch, a live patch, or
///   a tick.
/// * LOC-7: for every receiver, at most 60 s pass between two frames with a live position or its age.
/// * SYN-1: versions have no gaps, and a tick has the watcher's version.
///
/// A wait begins with the answer to subscribing, and ends with a frame or with the connection. A frame counts when its
/// watcher reads it, so the time in which a slow reader reads nothing is part of its wait: it may pause for as long as
/// the limit is above the heartbeat.
///
/// It uses no socket and no clock. Frames come with their time in nanoseconds of one monotonic clock; a position's age
/// is in milliseconds of the wall clock that measured it. Memory is bounded: a few numbers for each watch, which a
/// connection that comes back goes on with, and histograms.
struct HearingChecker {
  /// The longest time that a watcher may wait for news, in nanoseconds.
  let limit: Int64

  /// One connection's view of one room.
  private struct Watch {
    var heardAt: Int64
    var version: Int
    /// When the position or its age was last received; `nil` before the first position.
    var toldAt: Int64?
    /// When the newest position was measured, in milliseconds since 1970.
    var fixedAt: Int64 = 0
    /// Whether nothing is due: the room is over for this watcher, or the connection is gone.
    var isOver = false
  }

  private var watches: [Watch] = []
  /// Times between two frames about a room, and between two with a position or its age.
  private(set) var gaps = Histogram()
  private(set) var positionGaps = Histogram()
  /// Ages of positions: of each that is told, when it is told, and of the newest ones at each sample.
  private(set) var toldAges = Histogram()
  private(set) var ages = Histogram()
  /// Gaps above the limit.
  private(set) var lateCount = 0
  private(set) var latePositionCount = 0
  /// Versions that never came, or that a tick mentioned before they came.
  private(set) var missingCount = 0
  /// Versions that came repeatedly.
  private(set) var twiceCount = 0
  /// Versions and positions that came after later ones.
  private(set) var disorderCount = 0
  /// Ticks with a version or age that contradicts what the watcher has received.
  private(set) var wrongCount = 0
  /// Rooms that were at an earlier version when their watcher came back.
  private(set) var forgottenCount = 0

  init(limit: Int64 = 60_000_000_000) { self.limit = limit }

  // MARK: what the frames say

  // `now` is on the monotonic clock, `wall` the same moment in milliseconds since 1970.

  /// Records a subscription and returns the number of the watch.
  mutating func begin(at now: Int64, version: Int, fixedAt: Int64? = nil, wall: Int64) -> Int {
    watches.append(Watch(heardAt: now, version: version))
    begin(watches.count - 1, at: now, fixedAt, wall)
    return watches.count - 1
  }

  /// A position in the answer to subscribing is told, too.
  private mutating func begin(_ watch: Int, at now: Int64, _ fixedAt: Int64?, _ wall: Int64) {
    guard let fixedAt else { return }
    watches[watch].fixedAt = fixedAt
    tell(watch, at: now, wall)
  }

  /// Records that the watcher's connection is gone: until then it has waited, and nothing is due before it is back.
  mutating func pause(_ watch: Int, at now: Int64) {
    guard !watches[watch].isOver else { return }
    endWait(watch, at: now)
    watches[watch].isOver = true
  }

  /// Records that the watcher has subscribed again, and so has the position of the answer.
  ///
  /// A crash may lose the newest position, so an earlier one is in order.
  ///
  /// - Parameter from: the version from which the answer's patch leads to `version`; `nil` for the whole state.
  mutating func resume(_ watch: Int, at now: Int64, from: Int?, version: Int, fixedAt: Int64? = nil, wall: Int64) {
    let mine = watches[watch].version
    if let from, from > mine { missingCount += from - mine }
    if version < mine { forgottenCount += 1 }
    watches[watch] = Watch(heardAt: now, version: version)
    begin(watch, at: now, fixedAt, wall)
  }

  mutating func patch(_ watch: Int, from: Int, version: Int, at now: Int64) {
    hear(watch, at: now)
    let mine = watches[watch].version
    if from > mine { missingCount += from - mine }
    if version <= mine {
      disorderCount += 1
    } else {
      twiceCount += max(0, mine - from)
      watches[watch].version = version
    }
  }

  /// - Parameter fixedAt: when the frame's position was measured, if it has one.
  mutating func live(_ watch: Int, fixedAt: Int64?, at now: Int64, wall: Int64) {
    hear(watch, at: now)
    guard let fixedAt else { return }
    if fixedAt < watches[watch].fixedAt { disorderCount += 1 }
    watches[watch].fixedAt = max(fixedAt, watches[watch].fixedAt)
    tell(watch, at: now, wall)
  }

  mutating func tick(_ watch: Int, version: Int, at now: Int64) {
    hear(watch, at: now)
    let mine = watches[watch].version
    if version > mine { missingCount += version - mine }
    if version < mine { wrongCount += 1 }
  }

  /// Checks the part of a tick with a position's age.
  mutating func tickPosition(_ watch: Int, fixedAt: Int64, at now: Int64, wall: Int64) {
    tell(watch, at: now, wall)
    if fixedAt != watches[watch].fixedAt { wrongCount += 1 }
  }

  /// Records that the watcher has left the room.
  mutating func close(_ watch: Int) { watches[watch].isOver = true }

  // MARK: time passes

  /// Records the age of each position that a watcher has. Called at regular intervals, it gives the distribution that
  /// receivers see.
  mutating func sampleAges(wallMilliseconds now: Int64) {
    for watch in watches where watch.toldAt != nil && !watch.isOver {
      ages.record(max(0, now - watch.fixedAt) * 1_000_000)
    }
  }

  /// Ends the run: all watchers have waited for news until now.
  mutating func finish(at now: Int64) {
    for watch in watches.indices where !watches[watch].isOver { endWait(watch, at: now) }
  }

  private mutating func endWait(_ watch: Int, at now: Int64) {
    hear(watch, at: now)
    if watches[watch].toldAt != nil { noteWait(watch, at: now) }
  }

  private mutating func hear(_ watch: Int, at now: Int64) {
    let gap = now - watches[watch].heardAt
    gaps.record(gap)
    if gap > limit { lateCount += 1 }
    watches[watch].heardAt = now
  }

  private mutating func tell(_ watch: Int, at now: Int64, _ wall: Int64) {
    noteWait(watch, at: now)
    toldAges.record(max(0, wall - watches[watch].fixedAt) * 1_000_000)
  }

  private mutating func noteWait(_ watch: Int, at now: Int64) {
    if let toldAt = watches[watch].toldAt {
      positionGaps.record(now - toldAt)
      if now - toldAt > limit { latePositionCount += 1 }
    }
    watches[watch].toldAt = now
  }
}
