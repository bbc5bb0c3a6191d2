internal import Dispatch
internal import GRDB
internal import Platform
public import Rooms

/// Rooms, accounts and sessions in one SQLite file, flushed before anything is answered.
///
/// **Group commit.** Whatever any loop has handed over since the last transaction goes into the next one, and is
/// answered after that one's flush. A batch that has lost its race writes nothing and alone is refused.
///
/// **Order.** Writes take effect in the order of the calls. Reads run beside the writer. One that names a room waits
/// for what was handed over of this room before, so it sees every commit that was made by its own loop earlier or
/// answered to anybody; what another loop hands over meanwhile it sees whole or not at all. Other reads see all that
/// was answered.
///
/// **Failure.** No space fails the transaction at hand, and the next one is tried. After any other failure of the
/// system nothing is written any more: a flush that failed once may succeed the next time without having written
/// what it should (so did Linux until 4.13), and an answer must not rest on that.
public final class SQLiteStore: Sendable {
  public let generation: [UInt8]

  let pool: DatabasePool
  let tails = Tails()
  let keys: Keys
  let writer: Locked<Writer>
  private let checkpointer: Checkpointer
  let inbox = Locked(Inbox())
  private let lock: Locked<FileLock?>
  private let limits: StoreLimits
  private let failed: @Sendable (String) -> Void
  private let timers = DispatchQueue(label: "hearth.store.timers")
  /// Wakes a writer that lingers.
  private let news = DispatchSemaphore(value: 0)

  /// Opens the store in the file at `path`, making it if there is no such file. Two more files stand beside it while
  /// it is open (`-wal`, `-shm`), and two for good: `-lock`, and `.keys` with the keys of sealed rooms. `failed` hears
  /// once, on some thread, that the system can not be trusted to write any more, and why: the process had better end.
  public convenience init(
    path: String, failed: @escaping @Sendable (String) -> Void = { _ in }
  ) throws(StoreOpeningError) {
    try self.init(path: path, limits: StoreLimits(), failed: failed)
  }

  init(
    path: String, limits: StoreLimits, failed: @escaping @Sendable (String) -> Void = { _ in }
  ) throws(StoreOpeningError) {
    self.failed = failed
    self.limits = limits
    lock = Locked(try FileLock(besides: path))
    let pool = try openPool(path: path, limits: limits)
    do {
      let tails = tails
      let needs = try pool.read { try KeyNeeds($0) }
      let keys = try needs.openKeys(of: path)
      // GRDB lends the connection for the length of the call; `Writer` keeps nothing of it.
      let writer = try pool.writeWithoutTransaction { database in
        var writer = try Writer(database, tails: tails, keys: keys, limits: limits)
        try writer.settleKeys(needs, database)
        return writer
      }
      self.writer = Locked(writer)
      checkpointer = try Checkpointer(path: path)
      self.keys = keys
      let generation = try pool.read { database in
        try Query(database, "SELECT generation FROM meta").first { $0.bytes(0) }
      }
      guard let generation, generation.count == 16 else {
        throw SQLiteFailure(code: 11, message: "the store's generation is missing")
      }
      self.generation = generation
    } catch let error as StoreOpeningError {
      throw error
    } catch {
      throw openingError(error, path: path)
    }
    self.pool = pool
  }

  /// Writes what was handed over, answers it, and closes the file. Calls that come later fail.
  ///
  /// A store that is let go of without it has written and answered all but live values and the use of sessions.
  public func close() {
    let wasOpen = askWriter { inbox in
      inbox.isClosed = true
      return true
    }
    guard wasOpen else { return }
    checkpointer.close()
    pool.writeWithoutTransaction { database in
      drain(database, isClosing: true)
      // The last connection to close is one that only reads, which leaves the log file behind. Where the system has
      // failed, nothing is written any more: the next opening finds what is on disk.
      if writer.withLock({ $0.failure }) == nil { _ = try? database.checkpoint(.truncate) }
    }
    try? pool.close()
    keys.close()
    lock.withLock { $0 = nil }
  }

  /// What the store has done since it was opened, and what it holds for later.
  public var statistics: StoreStatistics {
    inbox.withLock { inbox in
      var statistics = inbox.statistics
      statistics.tailRows = tails.count
      return statistics
    }
  }
}

public struct StoreStatistics: Sendable, Equatable {
  /// Each of them one flush.
  public var transactions = 0
  /// Calls that wrote something, or were refused.
  public var writes = 0
  public var logRows = 0
  public var checkpoints = 0
  /// Log rows that are not in a snapshot.
  public var tailRows = 0
  /// Log rows that are in a snapshot and will be deleted.
  public var deadRows = 0
}

/// Limits that tests make small.
struct StoreLimits {
  /// How many rooms the writer remembers the version of.
  var headCount = 65_536
  /// How large the file may become, in pages.
  var pageCount: Int?
  /// The writer trims the log by itself, a little each time, where fewer than so many calls have written within so many
  /// milliseconds.
  var calmCallCount = 20
  var calmMilliseconds = 200
  /// How long the writer waits for more before it gives its thread back.
  var lingerMilliseconds = 20
}

// MARK: - Handing over

/// What was handed over and is not written yet.
struct Inbox: Sendable {
  enum WriterState {
    case away
    /// At work, or on its way.
    case busy
    /// Done with everything, and waiting a little for more.
    case lingering
  }

  var jobs: [Job] = []
  /// What the writer is at; kept for those who ask whether a room is being written.
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
  /// Those that are being written, like `running`: what is read meanwhile may be older.
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
      // By index, as in `Writer.check`.
      return commits.indices.count { commits[$0].entry != nil && commits[$0].snapshot == nil }
    }
  }

  var scope: Scope
  /// It shares its transaction with no other call.
  var isAlone = false
  /// Writes, and answers what to say once that is on disk. Throws when the transaction must be given up.
  var write: @Sendable (inout Writer, Database) throws -> Answer
  /// Says that nothing was written.
  var fail: @Sendable (StoreError) -> Void
}

extension SQLiteStore {
  func submit(_ job: Job) {
    let isTaken = askWriter { inbox in
      inbox.jobs.append(job)
      inbox.callCount += 1
      return true
    }
    if !isTaken { job.fail(.closed) }
  }

  /// Runs `read` when everything of `room` that was handed over before is written: mostly at once.
  func afterWrites(of room: RoomID, _ read: @escaping @Sendable () -> Void) {
    let mustWait = askWriter { inbox in
      guard inbox.isWriting(room) else { return false }
      inbox.reads.append(read)
      return true
    }
    if !mustWait { read() }
  }

  /// Leaves something for the writer and makes it come; `false` if there is nothing after all, or the store is closed.
  @discardableResult private func askWriter(_ leave: (inout Inbox) -> Bool) -> Bool {
    let state: Inbox.WriterState? = inbox.withLock { inbox in
      guard !inbox.isClosed, leave(&inbox) else { return nil }
      defer { inbox.writerState = .busy }
      return inbox.writerState
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
    let needsTimer = inbox.withLock { inbox in
      guard !inbox.isClosed, !values.isEmpty else { return false }
      for value in values { inbox.live[value.room] = value.body }
      defer { inbox.isLiveTimed = true }
      return !inbox.isLiveTimed
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
    let needsTimer = inbox.withLock { inbox in
      guard !inbox.isClosed else { return false }
      if inbox.touches[session].map({ $0 < instant }) ?? true { inbox.touches[session] = instant }
      defer { inbox.isTouchTimed = true }
      return !inbox.isTouchTimed
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
  private func awaitCalm(_ inbox: inout Inbox) {
    guard !inbox.isCalmTimed else { return }
    inbox.isCalmTimed = true
    let count = inbox.callCount
    timers.asyncAfter(deadline: .now() + .milliseconds(limits.calmMilliseconds)) { [weak self] in
      guard let self else { return }
      flush {
        $0.isCalmTimed = false
        $0.isCalm = $0.callCount - count < limits.calmCallCount
      }
    }
  }

  /// Makes the writer take what nobody waits for.
  private func flush(_ change: (inout Inbox) -> Void) {
    askWriter {
      change(&$0)
      return true
    }
  }
}

// MARK: - Writing, on the writer's queue

extension SQLiteStore {
  func drain(_ database: Database, isClosing: Bool) {
    repeat {
      while let (jobs, reads) = take(isClosing: isClosing) {
        write(jobs, database)
        for read in reads { read() }
        writer.withLock { checkpointIfDue(&$0, database) }
      }
    } while linger()
  }

  /// Waits a little for more, since to wake a thread through Dispatch costs more than to stay; `false` if nothing came.
  private func linger() -> Bool {
    guard inbox.withLock({ $0.writerState }) != .away else { return false }
    if news.wait(timeout: .now() + .milliseconds(limits.lingerMilliseconds)) == .success { return true }
    return inbox.withLock { inbox in
      if inbox.writerState == .lingering { inbox.writerState = .away }
      // Something came at the last moment. Its signal is still to be taken, and will end another wait for nothing.
      return inbox.writerState == .busy
    }
  }

  /// Everything that was handed over, or `nil` when there is nothing to do.
  private func take(isClosing: Bool) -> (jobs: [Job], reads: [@Sendable () -> Void])? {
    let isTrimmingDue = writer.withLock { $0.isTrimmingDue && $0.hasRoom }
    return inbox.withLock { inbox in
      // Whoever closes writes what is left, and the file may be closed by now.
      guard isClosing || !inbox.isClosed else {
        inbox.writerState = .away
        return nil
      }
      var jobs = inbox.jobs
      // Live values go with whatever is written anyhow; a read may wait for them, too.
      if !inbox.live.isEmpty, !jobs.isEmpty || !inbox.reads.isEmpty || inbox.isLiveDue || isClosing {
        jobs.append(.keeping(inbox.live))
        inbox.live = [:]
      }
      if !inbox.touches.isEmpty, inbox.isTouchDue || isClosing {
        jobs.append(.touching(inbox.touches))
        inbox.runningTouches = exchange(&inbox.touches, with: [:])
      }
      if inbox.isShreddingDue { jobs.append(.shredding) }
      inbox.isShreddingDue = false
      inbox.isLiveDue = false
      inbox.isTouchDue = false
      let reads = inbox.reads
      if jobs.isEmpty, reads.isEmpty, isTrimmingDue, !isClosing {
        if inbox.isCalm || limits.calmMilliseconds == 0 { jobs.append(.trimming) } else { awaitCalm(&inbox) }
        inbox.isCalm = false
      }
      inbox.jobs = []
      inbox.reads = []
      inbox.running = jobs
      guard !(jobs.isEmpty && reads.isEmpty) else {
        inbox.writerState = isClosing ? .away : .lingering
        return nil
      }
      return (jobs, reads)
    }
  }

  private func write(_ jobs: [Job], _ database: Database) {
    var answers: [Job.Answer] = []
    writer.withLock { writer in
      // What must be alone parts those before from those behind it.
      var rest = jobs[...]
      while let first = rest.first {
        let group = first.isAlone ? rest.prefix(1) : rest.prefix { !$0.isAlone }
        rest = rest.dropFirst(group.count)
        answers += attempt(group, &writer, database)
      }
      let (logRows, deadRows) = (writer.rowCount, writer.deadRowCount)
      inbox.withLock { inbox in
        inbox.statistics.writes += jobs.count
        inbox.statistics.logRows = logRows
        inbox.statistics.deadRows = deadRows
      }
    }
    // Not under the lock: an answer may lead back here.
    inbox.withLock {
      $0.running = []
      $0.runningTouches = [:]
    }
    for answer in answers { answer() }
  }

  /// Writes calls in one transaction; what it answers must be said afterwards.
  private func attempt(_ jobs: ArraySlice<Job>, _ writer: inout Writer, _ database: Database) -> [Job.Answer] {
    if let failure = writer.failure { return Self.failures(of: jobs, failure) }
    do {
      var answers: [Job.Answer] = []
      answers.reserveCapacity(jobs.count)
      writer.begin()
      try database.writingTransaction {
        if writer.isTrimmingDue { try writer.trim(before: jobs.reduce(0) { $0 + $1.scope.logRowCount }, database) }
        for job in jobs { answers.append(try job.write(&writer, database)) }
        try writer.releaseKeys(database)
      }
      writer.finish()
      shred(&writer)
      inbox.withLock { $0.statistics.transactions += 1 }
      return answers
    } catch {
      writer.rollBack()
      let failure = SQLiteFailure(error)
      switch failure.kind {
      case .full:
        return Self.failures(of: jobs, .full)
      case .foreign, .damaged, .unreliable:
        fail(&writer, failure)
        return Self.failures(of: jobs, .failed(failure.message))
      case .refused:
        // Only one of them is to blame; the others must not suffer for it.
        guard jobs.count > 1 else { return Self.failures(of: jobs, .failed(failure.message)) }
        var answers: [Job.Answer] = []
        for index in jobs.indices { answers += attempt(jobs[index...index], &writer, database) }
        return answers
      }
    }
  }

  /// Shreds what is left over, before those are answered who have ended it. Without space it is tried again.
  private func shred(_ writer: inout Writer) {
    do {
      try writer.shred()
    } catch {
      let failure = SQLiteFailure(error)
      guard failure.kind == .full else { return fail(&writer, failure) }
      timers.asyncAfter(deadline: .now() + .seconds(10)) { [weak self] in self?.flush { $0.isShreddingDue = true } }
    }
  }

  private static func failures(of jobs: ArraySlice<Job>, _ error: StoreError) -> [Job.Answer] {
    jobs.map { job in { job.fail(error) } }
  }

  /// Lets pages be moved from the log file to the store, and moves the last of them, after the answers, so that nobody
  /// waits for that but the next batch.
  private func checkpointIfDue(_ writer: inout Writer, _ database: Database) {
    guard writer.failure == nil else { return }
    if checkpointer.takeTurn() {
      do {
        let (frames, _) = try database.checkpoint(.passive)
        // Readers that follow one another without a gap would let the log file grow for ever.
        if frames > 16_384 { try database.checkpoint(.restart) }
        inbox.withLock { $0.statistics.checkpoints += 1 }
      } catch {
        checkpointFailed(&writer, SQLiteFailure(error))
      }
    } else if writer.pageCount >= 2_000 {
      writer.checkpointDone()
      checkpointer.start { [weak self] failure in
        guard let self, let failure else { return }
        self.writer.withLock { checkpointFailed(&$0, failure) }
      }
    }
  }

  private func checkpointFailed(_ writer: inout Writer, _ failure: SQLiteFailure) {
    // Without space, or with a reader in the way, the log file just stays as long as it is.
    if failure.kind != .full && failure.kind != .refused { fail(&writer, failure) }
  }

  private func fail(_ writer: inout Writer, _ failure: SQLiteFailure) {
    writer.failure = .failed(failure.message)
    failed(failure.message)
  }
}

extension StoreError {
  static let closed = StoreError.failed("the store is closed")
}

extension Job {
  fileprivate static func keeping(_ values: [RoomID: [UInt8]]) -> Job {
    Job(
      scope: .rooms(Array(values.keys)),
      write: { writer, database in
        try writer.keepLive(values, database)
        return {}
      }, fail: { _ in })
  }

  fileprivate static func touching(_ touches: [ID<Session>: Instant]) -> Job {
    Job(
      scope: .directory,
      write: { _, database in
        for (session, instant) in touches {
          try Query(database, "UPDATE session SET lastUsedAt = max(lastUsedAt, ?) WHERE id = ?")
            .run(.integer(instant.milliseconds), .bytes(session.bytes))
        }
        return {}
      }, fail: { _ in })
  }

  fileprivate static var trimming: Job {
    Job(
      scope: .directory,
      write: { writer, database in
        try writer.trimAtLeisure(database)
        return {}
      },
      fail: { _ in })
  }

  /// Writes nothing: behind it what is left over is shredded.
  fileprivate static var shredding: Job { Job(scope: .directory, write: { _, _ in {} }, fail: { _ in }) }
}
