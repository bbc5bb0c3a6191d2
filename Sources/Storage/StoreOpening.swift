internal import GRDB
internal import Glibc

/// Why a store was not opened. Nothing in the file has been changed then.
public enum StoreOpeningError: Error, Sendable, Equatable {
  /// There is a file of that name, and it is something else.
  case notAStore(path: String)
  /// The file was a store, and some of it is not readable; the second text is SQLite's.
  case damaged(path: String, String)
  /// A newer release has written to it, in a format that this release does not know.
  case tooNew(path: String, format: Int, known: Int)
  /// It has an older format. A server of this release brings it up to its own, a reader does not.
  case tooOld(path: String, format: Int, known: Int)
  /// Another process has it open.
  case inUse(path: String)
  /// The file of keys is not the one that belongs to the store, or is not whole; the second text says which.
  case keysLost(path: String, store: String, String)
  /// The disk has no space for what SQLite writes when it opens a file.
  case full(path: String)
  /// The system does not let us read and write it; the second text is the system's.
  case inaccessible(path: String, String)
}

extension StoreOpeningError: CustomStringConvertible {
  public var description: String {
    switch self {
    case .notAStore(let path): "\(path) is not a Hearth store; it was left as it is"
    case .damaged(let path, let detail): "\(path) is damaged (\(detail)); restore it from a backup"
    case .tooNew(let path, let format, let known):
      """
      \(path) was written by a newer release of Hearth: its format is \(format), and this release knows \(known); \
      it was left as it is
      """
    case .tooOld(let path, let format, let known):
      """
      \(path) was written by an older release of Hearth: its format is \(format), and this release reads \(known); \
      start the server on it once, which brings it up
      """
    case .keysLost(let path, let store, let detail):
      """
      \(path) holds the keys of running location shares, and \(detail); put the right one beside \(store), or save \
      everything but the shares into a new folder with `hearth recover`
      """
    case .full(let path): "\(path) cannot be opened, because its disk is full; free some space on it"
    case .inUse(let path): "\(path) is open in another process"
    case .inaccessible(let path, let detail): "\(path) cannot be opened: \(detail)"
    }
  }
}

/// The right to be the only process that writes to a store, for as long as the value lives: what the writer remembers
/// of rooms must not change behind its back.
///
/// The lock is on a file beside the store. On the store itself it would break SQLite's own: closing any descriptor of
/// a file gives up all locks of the process on it (fcntl(2), "Record locks").
struct FileLock: ~Copyable, Sendable {
  private let descriptor: Int32

  init(besides path: String) throws(StoreOpeningError) {
    let descriptor = unsafe open(path + "-lock", O_CREAT | O_RDWR | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw .inaccessible(path: path, systemError(errno)) }
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
      let code = errno
      close(descriptor)
      throw code == EWOULDBLOCK ? .inUse(path: path) : .inaccessible(path: path, systemError(code))
    }
    self.descriptor = descriptor
  }

  deinit {
    // A child process that is just being started holds the descriptor, and with it the lock, until its `exec`.
    flock(descriptor, LOCK_UN)
    close(descriptor)
  }
}

private func systemError(_ code: Int32) -> String {
  unsafe strerror(code).map { unsafe String(cString: $0) } ?? "error \(code)"
}

/// Makes sure that there is a file, and that it is not a stranger's too short to tell.
func makeFile(_ path: String) throws(StoreOpeningError) {
  var status = stat()
  // SQLite takes the shortest of strangers' files for empty ones.
  if unsafe stat(path, &status) == 0 {
    if (1..<512).contains(status.st_size) { throw .notAStore(path: path) }
  } else {
    // For its owner's eyes only; the files that SQLite puts beside it take its mode.
    let descriptor = unsafe open(path, O_CREAT | O_RDWR | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw .inaccessible(path: path, systemError(errno)) }
    close(descriptor)
  }
}

func isFile(_ path: String) -> Bool {
  var status = stat()
  return unsafe stat(path, &status) == 0
}

/// Opens the file, and brings it up to a format unless it has a higher one.
func openPool(path: String, format: Int, limits: StoreLimits) throws(StoreOpeningError) -> DatabasePool {
  try makeFile(path)
  do {
    var configuration = Configuration()
    configuration.label = "hearth.store"
    // References between rooms may point nowhere on purpose, and what an erased room leaves is removed by hand.
    configuration.foreignKeysEnabled = false
    configuration.busyMode = .timeout(5)
    configuration.maximumReaderCount = 4
    configuration.persistentReadOnlyConnections = true
    configuration.prepareDatabase { database in
      // Readers look up what is seldom wanted twice, all over the file, and the system keeps it in memory anyway.
      guard !database.configuration.readonly else { return try database.execute(sql: "PRAGMA cache_size = -128") }
      try claim(database, path: path, as: Schema.applicationID)
      try database.execute(sql: "PRAGMA cache_size = -16384; PRAGMA journal_size_limit = 67108864")
      // Deleted content is overwritten in the file, too. Debian's SQLite does it by default, others do not.
      try database.execute(sql: "PRAGMA secure_delete = ON")
      // Checkpoints are made after replies, not within commits; this is for when that fails.
      try database.execute(sql: "PRAGMA wal_autocheckpoint = 32768")
      if let count = limits.pageCount { try database.execute(sql: "PRAGMA max_page_count = \(count)") }
    }
    let pool = try DatabasePool(path: path, configuration: configuration)
    let found = try pool.writeWithoutTransaction { try Schema.format(of: $0) }
    if found > format { throw StoreOpeningError.tooNew(path: path, format: found, known: format) }
    try Schema.migrator(to: format).migrate(pool)
    try pool.writeWithoutTransaction { database in
      // GRDB sets NORMAL, which would answer before the log is flushed.
      try database.execute(sql: "PRAGMA synchronous = FULL")
      // SQLite opens a file that may only be read without a word.
      try database.inTransaction(.immediate) { .rollback }
    }
    return pool
  } catch let error as StoreOpeningError {
    throw error
  } catch {
    throw openingError(error, path: path)
  }
}

func openingError(_ error: any Error, path: String) -> StoreOpeningError {
  let failure = SQLiteFailure(error)
  return switch failure.kind {
  case .foreign: .notAStore(path: path)
  case .damaged, .refused: .damaged(path: path, failure.message)
  case .full: .full(path: path)
  case .unreliable: .inaccessible(path: path, failure.message)
  }
}

/// Marks a new file as ours; refuses one that is not. Must come before the file is switched to WAL, so that the mark
/// is in the file itself whatever happens next, and a stranger's file stays untouched.
func claim(_ database: Database, path: String, as application: Int64) throws {
  let pageCount = try Query(database, "PRAGMA page_count").first { $0.integer(0) } ?? 0
  // A file too short, or without SQLite's first line, shows only when something is read.
  _ = try Query(database, "SELECT count(*) FROM sqlite_master").first { $0.integer(0) }
  if pageCount == 0 {
    try database.execute(sql: "PRAGMA application_id = \(application)")
  } else {
    let identifier = try Query(database, "PRAGMA application_id").first { $0.integer(0) }
    guard identifier == application else { throw StoreOpeningError.notAStore(path: path) }
  }
}
