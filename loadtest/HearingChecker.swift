/// Checks, frame by frame, that nobody who watches a room is left without news of it.
///
/// * SYN-6: between two frames that speak of a room – a patch, a live patch, a tick – pass at most 60 s, for every
///   watcher and every room.
/// * LOC-7: between two frames that tell a live position, or its age, pass at most 60 s, for every receiver.
/// * SYN-1: versions are dense; a tick names the version that the watcher has.
///
/// It knows no socket and no clock: moments come in with the frames, in nanoseconds of one monotonic clock, and a
/// position's age is told in milliseconds of the wall clock that fixed it.
struct HearingChecker {
  /// What a watcher may have to wait for news, in nanoseconds.
  static let bound: Int64 = 60_000_000_000

  /// One connection's view of one room.
  private struct Watch {
    var heardAt: Int64
    var version: Int
    /// When the position or its age was last told; `nil` before the first position.
    var toldAt: Int64?
    /// When the newest position was fixed, in milliseconds since 1970.
    var fixedAt: Int64 = 0
    /// The room is over for this watcher: nothing more is due.
    var isOver = false
  }

  private var watches: [Watch] = []
  /// Between two frames that speak of a room, and between two that tell a position or its age.
  private(set) var gaps = Histogram()
  private(set) var positionGaps = Histogram()
  /// How old the newest position was, whenever it was looked at.
  private(set) var ages = Histogram()
  /// Gaps beyond the bound.
  private(set) var lateCount = 0
  private(set) var latePositionCount = 0
  /// Versions that never came, or that a tick told of before they had come.
  private(set) var missingCount = 0
  /// Versions that came again.
  private(set) var twiceCount = 0
  /// Versions and positions that came after later ones.
  private(set) var disorderCount = 0
  /// Ticks that told a version or an age which the watcher knows to be false.
  private(set) var wrongCount = 0

  // MARK: what the frames say

  /// Somebody has subscribed to a room; answers the number of the watch.
  mutating func begin(at now: Int64, version: Int, fixedAt: Int64? = nil) -> Int {
    watches.append(Watch(heardAt: now, version: version, toldAt: fixedAt == nil ? nil : now, fixedAt: fixedAt ?? 0))
    return watches.count - 1
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

  /// - Parameter fixedAt: when the position was fixed that the frame tells, if it tells one.
  mutating func live(_ watch: Int, fixedAt: Int64?, at now: Int64) {
    hear(watch, at: now)
    guard let fixedAt else { return }
    tell(watch, at: now)
    if fixedAt < watches[watch].fixedAt { disorderCount += 1 }
    watches[watch].fixedAt = max(fixedAt, watches[watch].fixedAt)
  }

  mutating func tick(_ watch: Int, version: Int, at now: Int64) {
    hear(watch, at: now)
    let mine = watches[watch].version
    if version > mine { missingCount += version - mine }
    if version < mine { wrongCount += 1 }
  }

  /// The part of a tick that tells how old a position is.
  mutating func tickPosition(_ watch: Int, fixedAt: Int64, at now: Int64) {
    tell(watch, at: now)
    if fixedAt != watches[watch].fixedAt { wrongCount += 1 }
  }

  /// The watcher is out of the room, or has gone.
  mutating func close(_ watch: Int) { watches[watch].isOver = true }

  // MARK: time passes

  /// Looks at how old each position is that somebody sees. Called at even intervals, the ages are distributed as
  /// receivers see them.
  mutating func sampleAges(wallMilliseconds now: Int64) {
    for watch in watches where watch.toldAt != nil && !watch.isOver {
      ages.record(max(0, now - watch.fixedAt) * 1_000_000)
    }
  }

  /// The end: whoever waits for news has waited until now.
  mutating func finish(at now: Int64) {
    for watch in watches.indices where !watches[watch].isOver {
      hear(watch, at: now)
      if watches[watch].toldAt != nil { tell(watch, at: now) }
    }
  }

  private mutating func hear(_ watch: Int, at now: Int64) {
    let gap = now - watches[watch].heardAt
    gaps.record(gap)
    if gap > Self.bound { lateCount += 1 }
    watches[watch].heardAt = now
  }

  private mutating func tell(_ watch: Int, at now: Int64) {
    if let toldAt = watches[watch].toldAt {
      positionGaps.record(now - toldAt)
      if now - toldAt > Self.bound { latePositionCount += 1 }
    }
    watches[watch].toldAt = now
  }
}
