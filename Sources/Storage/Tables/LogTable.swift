internal import GRDB
internal import Rooms

/// The table `log`: entries of all rooms in the order of arrival.
enum LogTable {
  /// Appends entries with a statement that is looked up once per batch.
  struct Appender {
    private let statement: Query

    init(_ database: Database) throws {
      statement = try Query(
        database, "INSERT INTO log (position, room, version, keyNumber, entry) VALUES (?, ?, ?, ?, ?)")
    }

    func append(_ entry: SealedBody, of room: Int64, version: Int64, at position: Int64) throws {
      statement.bind(position, at: 1)
      statement.bind(room, at: 2)
      statement.bind(version, at: 3)
      statement.bind(entry.key, at: 4)
      try statement.run(bindingInPlace: entry.bytes, at: 5)
    }
  }

  /// Reads a room's entries by position, with a statement that is looked up once.
  struct Reader {
    private let statement: Query

    init(_ database: Database) throws {
      statement = try Query(database, "SELECT version, entry, keyNumber FROM log WHERE position = ? AND room = ?")
    }

    /// The entry at a position; `nil` if the row is gone or belongs to another room.
    func entry(of room: Int64, at position: Int64) throws -> (version: Int64, body: SealedBody)? {
      try statement.first(.integer(position), .integer(room)) { row in
        (row.integer(0), SealedBody(key: row.integer(2), bytes: row.bytes(1)))
      }
    }
  }

  static func version(at position: Int64, _ database: Database) throws -> Int64? {
    try Query(database, "SELECT version FROM log WHERE position = ?").first(.integer(position)) { $0.integer(0) }
  }

  /// A row without its content.
  struct Place {
    var position: Int64
    /// The room's number.
    var room: Int64
    /// The room's key and the position up to which its snapshot covers the log; `nil` if there is no such room.
    var owner: (key: [UInt8], snapshotPosition: Int64)?
  }

  /// All rows in the order of the log.
  static func places(_ database: Database, _ body: (Place) throws -> Void) throws {
    let sql =
      "SELECT log.position, room.position, room.key, log.room FROM log LEFT JOIN room ON room.number = log.room "
      + "ORDER BY 1"
    try Query(database, sql).rows { row in
      let owner = row.optionalInteger(1).map { (key: row.bytes(2), snapshotPosition: $0) }
      try body(Place(position: row.integer(0), room: row.integer(3), owner: owner))
    }
  }

  /// The positions of all rows by their room's number, each in order.
  static func positions(_ database: Database, _ body: (_ room: Int64, _ position: Int64) throws -> Void) throws {
    try Query(database, "SELECT position, room FROM log ORDER BY position").rows { row in
      try body(row.integer(1), row.integer(0))
    }
  }

  /// The keys of entries that no snapshot covers, with their rooms.
  static func keys(_ database: Database, _ body: (_ key: Int64, RoomID) throws -> Void) throws {
    let sql = """
      SELECT DISTINCT log.keyNumber, room.key FROM log JOIN room ON room.number = log.room
      WHERE log.keyNumber != 0 AND log.position > room.position
      """
    try Query(database, sql).rows { try body($0.integer(0), try $0.room(1)) }
  }

  static func delete(_ positions: [ClosedRange<Int64>], _ database: Database) throws {
    let statement = try Query(database, "DELETE FROM log WHERE position BETWEEN ? AND ?")
    for range in positions {
      statement.bind(range.lowerBound, at: 1)
      statement.bind(range.upperBound, at: 2)
      try statement.runBound()
    }
  }
}
