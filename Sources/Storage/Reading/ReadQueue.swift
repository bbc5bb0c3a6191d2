internal import GRDB
internal import Glibc
internal import Platform

/// One call that reads.
typealias Read = @Sendable (Result<Database, any Error>) -> Void

/// Reading beside the writer, in a view of the file that does not change meanwhile.
///
/// A server that has started is asked for thousands of rooms at once. To go to a reader and to open a view costs more
/// than to read one of them, so a reader takes several.
extension SQLiteStore {
  private static let readsPerView = 32

  /// Reads in a view that may be shared with other reads, which wait meanwhile.
  func read<Value: Sendable>(
    _ reply: Reply<Result<Value, StoreError>>, _ body: @escaping @Sendable (Database) throws -> Value
  ) {
    handOver(reply, body) { read, queue in
      queue.unread.append(read)
      guard queue.calledReaders * Self.readsPerView < queue.unread.count else { return }
      queue.calledReaders += 1
      pool.asyncUnsafeRead { [self] in
        // The caller may have more to ask, and wait for this very CPU.
        _ = sched_yield()
        carryOut(takeReads(), $0)
      }
    }
  }

  /// Reads what may take a while, in a view of its own.
  func readAlone<Value: Sendable>(
    _ reply: Reply<Result<Value, StoreError>>, _ body: @escaping @Sendable (Database) throws -> Value
  ) {
    handOver(reply, body) { read, _ in pool.asyncRead(read) }
  }

  private func handOver<Value: Sendable>(
    _ reply: Reply<Result<Value, StoreError>>, _ body: @escaping @Sendable (Database) throws -> Value,
    _ take: (@escaping Read, inout WriteQueue) -> Void
  ) {
    let read: Read = { database in
      do {
        reply(.success(try body(try database.get())))
      } catch {
        reply(.failure(.failed(SQLiteFailure(error).message)))
      }
    }
    let isTaken = queue.withLock { queue in
      guard !queue.isClosed else { return false }
      // Under the lock, so that `close` comes wholly before or behind it.
      take(read, &queue)
      return true
    }
    if !isTaken { reply(.failure(.closed)) }
  }

  /// The reads that have waited longest.
  private func takeReads() -> ArraySlice<Read> {
    queue.withLock { queue in
      queue.calledReaders -= 1
      defer { queue.unread = queue.unread.dropFirst(Self.readsPerView) }
      return queue.unread.prefix(Self.readsPerView)
    }
  }

  /// The view is opened here, behind all that `reads` were to come after.
  private func carryOut(_ reads: ArraySlice<Read>, _ reader: Result<Database, any Error>) {
    var reads = reads
    do {
      let database = try reader.get()
      try database.inTransaction(.deferred) {
        while let read = reads.popFirst() {
          read(.success(database))
          // Where reading fails SQLite may end the view: what comes after must not read two.
          guard database.isInsideTransaction else { throw DatabaseError(resultCode: .SQLITE_ABORT_ROLLBACK) }
        }
        return .commit
      }
    } catch {
      for read in reads { read(.failure(error)) }
    }
  }
}
