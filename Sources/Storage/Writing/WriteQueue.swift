internal import Dispatch
internal import GRDB
internal import Platform
public import Rooms

/// Jobs that were handed over and are not written yet.
struct WriteQueue: Sendable {
  enum WriterState {
    case away
    /// At work, or on its way.
    case busy
    /// Done with everything, and waiting a little for more.
    case lingering
  }

  var jobs: [Job] = []
  /// The jobs that the writer is writing: a read asks whether its room is among them.
  var running: [Job] = []
  /// Reads that must come after `jobs`.
  var reads: [@Sendable () -> Void] = []
  /// Reads that no reader has begun, and readers that were called for them and have not come.
  var unread: ArraySlice<Read> = []
  var calledReaders = 0
  /// The newest live values of rooms.
  var live: [RoomID: [UInt8]] = [:]
  var isLiveTimed = false
  var isLiveDue = false
  var touches: [ID<Session>: Instant] = [:]
  /// The touches that are being written, like `running`: a read meanwhile may return an older time.
  var runningTouches: [ID<Session>: Instant] = [:]
  var isTouchTimed = false
  var isTouchDue = false
  var isShreddingDue = false
  /// Few have written lately: what is due anyhow can be done.
  var isCalm = false
  var isCalmTimed = false
  /// Calls that write, ever.
  var callCount = 0
  var writerState = WriterState.away
  var isClosed = false
  var statistics = StoreStatistics()

  /// When a session was used last, if that is not written yet.
  func touch(of session: ID<Session>) -> Instant? { touches[session] ?? runningTouches[session] }

  func isWriting(_ room: RoomID) -> Bool {
    live[room] != nil || jobs.contains { $0.scope.contains(room) } || running.contains { $0.scope.contains(room) }
  }
}

/// One call that writes.
struct Job: Sendable {
  /// Gives an answer, once the transaction is on disk.
  typealias Answer = @Sendable () -> Void

  enum Scope: Sendable {
    case commits([RoomCommit])
    case rooms([RoomID])
    case directory

    func contains(_ room: RoomID) -> Bool {
      switch self {
      case .commits(let commits): commits.contains { $0.room == room }
      case .rooms(let rooms): rooms.contains(room)
      case .directory: false
      }
    }

    /// Rows of the log that will be written.
    var logRowCount: Int {
      guard case .commits(let commits) = self else { return 0 }
      // By index, as in `RoomWriter.check`.
      return commits.indices.count { commits[$0].entry != nil && commits[$0].snapshot == nil }
    }
  }

  var scope: Scope
  /// It shares its transaction with no other call.
  var isAlone = false
  /// Writes, and answers what to say once that is on disk. Throws when the transaction must be given up.
  var write: @Sendable (inout RoomWriter, Database) throws -> Answer
  /// Says that nothing was written.
  var fail: @Sendable (StoreError) -> Void
}

extension SQLiteStore {
  func submit(_ job: Job) {
    let isTaken = askWriter { queue in
      queue.jobs.append(job)
      queue.callCount += 1
      return true
    }
    if !isTaken { job.fail(.closed) }
  }

  /// Runs `read` when everything of `room` that was handed over before is written: mostly at once.
  func afterWrites(of room: RoomID, _ read: @escaping @Sendable () -> Void) {
    let mustWait = askWriter { queue in
      guard queue.isWriting(room) else { return false }
      queue.reads.append(read)
      return true
    }
    if !mustWait { read() }
  }

  /// Leaves something for the writer and makes it come; `false` if there is nothing after all, or the store is closed.
  @discardableResult func askWriter(_ leave: (inout WriteQueue) -> Bool) -> Bool {
    let state: WriteQueue.WriterState? = queue.withLock { queue in
      guard !queue.isClosed, leave(&queue) else { return nil }
      defer { queue.writerState = .busy }
      return queue.writerState
    }
    // Not under the lock: the writer would run into it at once.
    switch state {
    case .away: pool.asyncWriteWithoutTransaction { [self] in drain($0, isClosing: false) }
    case .lingering: news.signal()
    case .busy, nil: break
    }
    return state != nil
  }

  public func keepLive(_ values: [(room: RoomID, body: [UInt8])]) {
    let needsTimer = queue.withLock { queue in
      guard !queue.isClosed, !values.isEmpty else { return false }
      for value in values { queue.live[value.room] = value.body }
      defer { queue.isLiveTimed = true }
      return !queue.isLiveTimed
    }
    guard needsTimer else { return }
    timers.asyncAfter(deadline: .now() + .seconds(1)) { [weak self] in
      self?.flush {
        $0.isLiveTimed = false
        $0.isLiveDue = true
      }
    }
  }

  public func touchSession(_ session: ID<Session>, at instant: Instant) {
    let needsTimer = queue.withLock { queue in
      guard !queue.isClosed else { return false }
      if queue.touches[session].map({ $0 < instant }) ?? true { queue.touches[session] = instant }
      defer { queue.isTouchTimed = true }
      return !queue.isTouchTimed
    }
    guard needsTimer else { return }
    timers.asyncAfter(deadline: .now() + .seconds(60)) { [weak self] in
      self?.flush {
        $0.isTouchTimed = false
        $0.isTouchDue = true
      }
    }
  }

  /// Waits until few have written for a while.
  func awaitCalm(_ queue: inout WriteQueue) {
    guard !queue.isCalmTimed else { return }
    queue.isCalmTimed = true
    let count = queue.callCount
    timers.asyncAfter(deadline: .now() + .milliseconds(limits.calmMilliseconds)) { [weak self] in
      guard let self else { return }
      flush {
        $0.isCalmTimed = false
        $0.isCalm = $0.callCount - count < limits.calmCallCount
      }
    }
  }

  /// Makes the writer take what nobody waits for.
  func flush(_ change: (inout WriteQueue) -> Void) {
    askWriter {
      change(&$0)
      return true
    }
  }
}

extension StoreError {
  static let closed = StoreError.failed("the store is closed")
}
