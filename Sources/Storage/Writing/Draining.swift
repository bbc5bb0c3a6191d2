internal import Dispatch
internal import GRDB
internal import Platform
internal import Rooms

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
    guard queue.withLock({ $0.writerState }) != .away else { return false }
    if news.wait(timeout: .now() + .milliseconds(limits.lingerMilliseconds)) == .success { return true }
    return queue.withLock { queue in
      if queue.writerState == .lingering { queue.writerState = .away }
      // Something came at the last moment. Its signal is still to be taken, and will end another wait for nothing.
      return queue.writerState == .busy
    }
  }

  /// Everything that was handed over, or `nil` when there is nothing to do.
  private func take(isClosing: Bool) -> (jobs: [Job], reads: [@Sendable () -> Void])? {
    let isTrimmingDue = writer.withLock { $0.isTrimmingDue && $0.hasRoom }
    return queue.withLock { queue in
      // The closing thread writes the rest, and the file may be closed by now.
      guard isClosing || !queue.isClosed else {
        queue.writerState = .away
        return nil
      }
      var jobs = queue.jobs
      // Live values go with whatever is written anyhow; a read may wait for them, too.
      if !queue.live.isEmpty, !jobs.isEmpty || !queue.reads.isEmpty || queue.isLiveDue || isClosing {
        jobs.append(.keeping(queue.live))
        queue.live = [:]
      }
      if !queue.touches.isEmpty, queue.isTouchDue || isClosing {
        jobs.append(.touching(queue.touches))
        queue.runningTouches = exchange(&queue.touches, with: [:])
      }
      if queue.isShreddingDue { jobs.append(.shredding) }
      queue.isShreddingDue = false
      queue.isLiveDue = false
      queue.isTouchDue = false
      let reads = queue.reads
      if jobs.isEmpty, reads.isEmpty, isTrimmingDue, !isClosing {
        if queue.isCalm || limits.calmMilliseconds == 0 { jobs.append(.trimming) } else { awaitCalm(&queue) }
        queue.isCalm = false
      }
      queue.jobs = []
      queue.reads = []
      queue.running = jobs
      guard !(jobs.isEmpty && reads.isEmpty) else {
        queue.writerState = isClosing ? .away : .lingering
        return nil
      }
      return (jobs, reads)
    }
  }

  private func write(_ jobs: [Job], _ database: Database) {
    var answers: [Job.Answer] = []
    writer.withLock { writer in
      // A job that must be alone separates the jobs before it from those behind it.
      var rest = jobs[...]
      while let first = rest.first {
        let group = first.isAlone ? rest.prefix(1) : rest.prefix { !$0.isAlone }
        rest = rest.dropFirst(group.count)
        answers += attempt(group, &writer, database)
      }
      let (logRows, deadRows) = (writer.rowCount, writer.deadRowCount)
      queue.withLock { queue in
        queue.statistics.writes += jobs.count
        queue.statistics.logRows = logRows
        queue.statistics.deadRows = deadRows
      }
    }
    // Not under the lock: an answer may lead back here.
    queue.withLock {
      $0.running = []
      $0.runningTouches = [:]
    }
    for answer in answers { answer() }
  }

  /// Writes calls in one transaction; what it answers must be said afterwards.
  private func attempt(_ jobs: ArraySlice<Job>, _ writer: inout RoomWriter, _ database: Database) -> [Job.Answer] {
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
      queue.withLock { $0.statistics.transactions += 1 }
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
  private func shred(_ writer: inout RoomWriter) {
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
  private func checkpointIfDue(_ writer: inout RoomWriter, _ database: Database) {
    guard writer.failure == nil else { return }
    if checkpointer.takeTurn() {
      do {
        let (frames, _) = try database.checkpoint(.passive)
        // Readers that follow one another without a gap would let the log file grow for ever.
        if frames > 16_384 { try database.checkpoint(.restart) }
        queue.withLock { $0.statistics.checkpoints += 1 }
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

  private func checkpointFailed(_ writer: inout RoomWriter, _ failure: SQLiteFailure) {
    // Without space, or with a reader in the way, the log file just stays as long as it is.
    if failure.kind != .full && failure.kind != .refused { fail(&writer, failure) }
  }

  private func fail(_ writer: inout RoomWriter, _ failure: SQLiteFailure) {
    writer.failure = .failed(failure.message)
    failed(failure.message)
  }
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
        for (session, instant) in touches { try SessionTable.noteUse(of: session, at: instant, database) }
        return {}
      }, fail: { _ in })
  }

  fileprivate static var trimming: Job {
    Job(
      scope: .directory,
      write: { writer, database in
        try writer.trimWhileIdle(database)
        return {}
      },
      fail: { _ in })
  }

  /// Writes nothing: behind it what is left over is shredded.
  fileprivate static var shredding: Job { Job(scope: .directory, write: { _, _ in {} }, fail: { _ in }) }
}
