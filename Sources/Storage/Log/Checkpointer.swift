internal import GRDB
internal import Platform

/// Moves pages from SQLite's log file to the store, on a connection and a thread of its own: what is written meanwhile
/// goes behind, and nobody waits for the disk to take thousands of pages.
///
/// The rest, which is little then, is left to the writer: only it can begin the log file again.
final class Checkpointer: Sendable {
  private enum State {
    case idle, running
    /// All but a little has been moved; the writer moves the rest.
    case almostDone
    case closed
  }

  private let connection: DatabaseQueue
  private let state = Locked(State.idle)

  /// So many pages the writer moves by itself, between two transactions.
  static let rest = 256
  /// Rounds in which the writer was quicker, until it has to move what is left.
  private static let roundLimit = 4

  /// Opens a further connection to the store at `path`, which must exist.
  init(path: String) throws {
    var configuration = Configuration()
    configuration.label = "hearth.checkpoints"
    // As for the writer: the log is flushed before what is in it is moved, and the store before the log is begun anew.
    configuration.prepareDatabase { try $0.execute(sql: "PRAGMA synchronous = FULL; PRAGMA cache_size = -128") }
    connection = try DatabaseQueue(path: path, configuration: configuration)
  }

  /// Begins to move what the log file holds, unless that is being done. `done` is called once, on the thread that did
  /// it, with the failure if there was one.
  func start(_ done: @escaping @Sendable (SQLiteFailure?) -> Void) {
    // Under the lock, so that nothing is begun behind the closing.
    state.withLock { state in
      guard case .idle = state else { return }
      state = .running
      connection.asyncWriteWithoutTransaction { [self] in done(move($0)) }
    }
  }

  private func move(_ database: Database) -> SQLiteFailure? {
    do {
      for _ in 0..<Self.roundLimit {
        let (all, moved) = try database.checkpoint(.passive)
        if all - moved <= Self.rest { break }
      }
      end(as: .almostDone)
      return nil
    } catch {
      end(as: .idle)
      return SQLiteFailure(error)
    }
  }

  private func end(as next: State) {
    state.withLock { state in
      if case .running = state { state = next }
    }
  }

  /// Whether it is the writer's turn now; `true` once for each time that `start` has begun something.
  func takeTurn() -> Bool {
    state.withLock { state in
      guard case .almostDone = state else { return false }
      state = .idle
      return true
    }
  }

  /// Waits for what is being done and closes the connection; nothing is begun any more.
  func close() {
    state.withLock { $0 = .closed }
    try? connection.close()
  }
}
