internal import Dispatch
internal import GRDB
internal import Platform
internal import Rooms

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
  /// The disk was full when the store was opened: it took the space that is kept for that.
  public let wasOpenedFull: Bool

  let pool: DatabasePool
  let tails: Tails
  let keys: Keys
  let writer: Locked<RoomWriter>
  let checkpointer: Checkpointer
  let queue = Locked(WriteQueue())
  private let lock: Locked<FileLock?>
  let limits: StoreLimits
  let failed: @Sendable (String) -> Void
  let timers = DispatchQueue(label: "hearth.store.timers")
  private let spare: SpareSpace
  /// Wakes a writer that lingers.
  let news = DispatchSemaphore(value: 0)

  /// Opens the store in the file at `path`, making it if there is no such file. Two more files stand beside it while
  /// it is open (`-wal`, `-shm`), and three for good: `-lock`, `-spare` with space for opening it on a full disk, and
  /// `.keys` with the keys of sealed rooms. `failed` hears once, on some thread, that the system cannot be trusted to
  /// write any longer, and why: the process had better end.
  public convenience init(
    path: String, failed: @escaping @Sendable (String) -> Void = { _ in }
  ) throws(StoreOpeningError) {
    try self.init(path: path, limits: StoreLimits(), failed: failed)
  }

  /// - Parameter format: the format that the release knows; tests play another release.
  init(
    path: String, limits: StoreLimits, format: Int = StoreFormat.current,
    failed: @escaping @Sendable (String) -> Void = { _ in }
  ) throws(StoreOpeningError) {
    self.failed = failed
    self.limits = limits
    lock = Locked(try FileLock(besides: path))
    spare = SpareSpace(besides: path)
    let opened: Opened
    do throws(StoreOpeningError) {
      opened = try Opened(path: path, format: format, limits: limits)
      wasOpenedFull = false
    } catch {
      guard case .full = error, spare.release() else { throw error }
      opened = try Opened(path: path, format: format, limits: limits)
      wasOpenedFull = true
    }
    spare.keep()
    pool = opened.pool
    tails = opened.tails
    keys = opened.keys
    writer = Locked(opened.writer)
    checkpointer = opened.checkpointer
    generation = opened.generation
  }

  /// A store's files, once all of them are open.
  private struct Opened {
    let pool: DatabasePool
    let tails = Tails()
    let keys: Keys
    let writer: RoomWriter
    let checkpointer: Checkpointer
    let generation: [UInt8]

    init(path: String, format: Int, limits: StoreLimits) throws(StoreOpeningError) {
      pool = try openPool(path: path, format: format, limits: limits)
      do {
        let (tails, needs) = (tails, try pool.read { try KeyNeeds($0) })
        let keys = try needs.openKeys(of: path)
        // GRDB lends the connection for the length of the call; `RoomWriter` keeps nothing of it.
        writer = try pool.writeWithoutTransaction { database in
          var writer = try RoomWriter(database, tails: tails, keys: keys, limits: limits)
          try writer.settleKeys(needs, database)
          return writer
        }
        checkpointer = try Checkpointer(path: path)
        self.keys = keys
        generation = try pool.read { try MetaTable.generation($0) }
      } catch let error as StoreOpeningError {
        throw error
      } catch {
        throw openingError(error, path: path)
      }
    }
  }

  /// Lets all households that have a due time fall due at once, unless the store knows this version of the zone data:
  /// their due times follow from it, and each works them out anew when it is loaded (R-REC).
  ///
  /// Call it before the store is used. If it throws, nothing is changed, and the next start tries again.
  public func heed(zoneData version: String) throws {
    try pool.writeWithoutTransaction { database in
      if try MetaTable.zoneData(database) == version { return }
      try database.writingTransaction {
        try RoomTable.hurryHouseholds(database)
        try MetaTable.setZoneData(version, database)
      }
    }
  }

  /// Writes what was handed over, answers it, and closes the file. Calls that come later fail.
  ///
  /// A store that is let go of without it has written and answered all but live values and the use of sessions.
  public func close() {
    let wasOpen = askWriter { queue in
      queue.isClosed = true
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
    spare.keep()
    lock.withLock { $0 = nil }
  }

  /// The work of the store since it was opened, and the jobs that it holds for later.
  public var statistics: StoreStatistics {
    queue.withLock { queue in
      var statistics = queue.statistics
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
