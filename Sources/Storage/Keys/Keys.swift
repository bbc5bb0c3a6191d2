internal import Crypto
internal import GRDB
internal import Glibc
internal import Platform
internal import Rooms

/// The keys of sealed rooms, in a file of their own, so that shredding one there is the end of all that was sealed
/// with it, in whatever copies of the store (LOC-24; DESIGN §6, Sealing).
///
/// A room has two keys. One is for its content, and goes when the room is erased; the other for messages to and from
/// it, which may arrive after that, and goes with the last of them.
///
/// A key is on disk before anything sealed with it is, and is shredded after what was sealed with it is gone. What a
/// crash leaves in between, the next opening of the store puts right.
final class Keys: Sendable {
  enum Purpose: Int64 {
    case content = 0
    case outbox = 1
  }

  private struct Owner: Hashable {
    var room: RoomID
    var purpose: Purpose
  }

  private struct Held: Sendable {
    var keys: [Owner: SealingKey] = [:]
    var owners: [Int64: Owner] = [:]

    mutating func add(_ key: SealingKey, of owner: Owner) {
      keys[owner] = key
      owners[key.number] = owner
    }
  }

  private let queue: DatabaseQueue
  private let held = Locked(Held())

  private static let applicationID: Int64 = 0x4852_544B  // "HRTK"

  /// Where the keys of a store are.
  static func path(besides store: String) -> String { store + ".keys" }

  /// Opens the file, making it if there is none.
  init(path: String) throws(StoreOpeningError) {
    try makeFile(path)
    do {
      var configuration = Configuration()
      configuration.label = "hearth.keys"
      configuration.journalMode = .wal
      configuration.busyMode = .timeout(5)
      configuration.prepareDatabase { try claim($0, path: path, as: Self.applicationID) }
      queue = try DatabaseQueue(path: path, configuration: configuration)
      // Whatever a key passes through on its way is wiped behind it, and no temporary file is one of its places.
      let settings = "PRAGMA synchronous = FULL; PRAGMA secure_delete = ON; PRAGMA temp_store = MEMORY"
      try queue.inDatabase { try $0.execute(sql: settings) }
      let migrator = Self.migrator
      let (found, known) = (try queue.read { try Schema.format(of: $0) }, Self.format)
      if found > known { throw StoreOpeningError.tooNew(path: path, format: found, known: known) }
      try migrator.migrate(queue)
      let rows = try queue.read(Self.read)
      try wipe()
      held.withLock { held in
        for (owner, key) in rows { held.add(key, of: owner) }
      }
    } catch {
      throw (error as? StoreOpeningError) ?? openingError(error, path: path)
    }
  }

  /// The format of this file, which has a number of its own.
  private static let format = 1

  private static var migrator: DatabaseMigrator {
    var migrator = DatabaseMigrator()
    migrator.registerMigration("\(format)") { database in
      // A damaged key would open nothing; its hash tells that at once.
      try database.execute(
        sql: """
          CREATE TABLE key (
            number INTEGER PRIMARY KEY,
            room BLOB NOT NULL,
            purpose INTEGER NOT NULL,
            bytes BLOB NOT NULL,
            hash BLOB NOT NULL,
            UNIQUE (room, purpose)
          );
          CREATE TABLE shredded (number INTEGER PRIMARY KEY);
          """)
    }
    return migrator
  }

  private static func read(_ database: Database) throws -> [(Owner, SealingKey)] {
    var rows: [(Owner, SealingKey)] = []
    let check = try Query(database, "PRAGMA quick_check(1)").first { $0.text(0) }
    guard check == "ok" else { throw SQLiteFailure(code: 11, message: check ?? "unreadable") }
    try Query(database, "SELECT number, room, purpose, bytes, hash FROM key").rows { row in
      guard let room = RoomID(storageKey: row.bytes(1)), let purpose = Purpose(rawValue: row.integer(2)),
        row.bytes(3).count == AESGCM.keySize, row.bytes(4) == SHA256.hash(row.bytes(3))
      else { throw SQLiteFailure(code: 11, message: "key \(row.integer(0)) is not what was written") }
      rows.append((Owner(room: room, purpose: purpose), SealingKey(number: row.integer(0), bytes: row.bytes(3))))
    }
    return rows
  }

  /// The key to seal with; it is on disk when this returns.
  func key(_ purpose: Purpose, of room: RoomID) throws -> SealingKey {
    let owner = Owner(room: room, purpose: purpose)
    if let key = held.withLock({ $0.keys[owner] }) { return key }
    let key = SealingKey.draw()
    try queue.inTransaction { database in
      let sql = "INSERT INTO key (number, room, purpose, bytes, hash) VALUES (?, ?, ?, ?, ?)"
      try Query(database, sql).run(
        .integer(key.number), .bytes(room.storageKey), .integer(purpose.rawValue), .bytes(key.bytes),
        .bytes(SHA256.hash(key.bytes)))
      return .commit
    }
    held.withLock { $0.add(key, of: owner) }
    return key
  }

  /// The key that a row names; `nil` if there is none.
  subscript(number: Int64) -> SealingKey? {
    held.withLock { held in held.owners[number].flatMap { held.keys[$0] } }
  }

  /// The number of a room's key, if it has one.
  func number(_ purpose: Purpose, of room: RoomID) -> Int64? {
    held.withLock { $0.keys[Owner(room: room, purpose: purpose)]?.number }
  }

  /// The rooms that have keys.
  var rooms: Set<RoomID> { held.withLock { Set($0.keys.keys.map(\.room)) } }

  func wasShredded(_ number: Int64) throws -> Bool {
    try queue.read { database in
      try Query(database, "SELECT 1 FROM shredded WHERE number = ?").first(.integer(number)) { _ in true } ?? false
    }
  }

  /// Removes keys, so that their bytes are in no file any more when this returns.
  func shred(_ numbers: Set<Int64>) throws {
    try queue.inTransaction { database in
      for number in numbers {
        try Query(database, "DELETE FROM key WHERE number = ?").run(.integer(number))
        try Query(database, "INSERT OR IGNORE INTO shredded (number) VALUES (?)").run(.integer(number))
      }
      return .commit
    }
    held.withLock { held in
      for number in numbers {
        if let owner = held.owners.removeValue(forKey: number) { held.keys[owner] = nil }
      }
    }
    try wipe()
  }

  /// Writes the file anew, since rows that once moved between pages may have left copies behind, and empties its log.
  private func wipe() throws {
    try queue.inDatabase { database in
      try database.execute(sql: "VACUUM")
      _ = try database.checkpoint(.truncate)
    }
  }

  func close() {
    try? queue.inDatabase { _ = try $0.checkpoint(.truncate) }
    try? queue.close()
  }
}
