internal import GRDB
internal import Platform
internal import Rooms

/// The table `room`: one small row for each room. Other tables name a room by the number of its row.
enum RoomTable {
  static func insert(
    _ room: RoomID, random: [UInt8], version: Int64, position: Int64, _ database: Database
  ) throws -> Int64 {
    try Query(database, "INSERT INTO room (key, random, version, position) VALUES (?, ?, ?, ?)")
      .run(.bytes(room.storageKey), .bytes(random), .integer(version), .integer(position))
    return database.lastInsertedRowID
  }

  /// The room's row and the version in it; the log may hold a newer version.
  static func head(of room: RoomID, _ database: Database) throws -> Head? {
    try Query(database, "SELECT number, version FROM room WHERE key = ?").first(.bytes(room.storageKey)) {
      Head(number: $0.integer(0), version: $0.integer(1))
    }
  }

  static func number(of room: RoomID, _ database: Database) throws -> Int64? {
    try Query(database, "SELECT number FROM room WHERE key = ?").first(.bytes(room.storageKey)) { $0.integer(0) }
  }

  static func setVersion(_ version: Int64, of number: Int64, _ database: Database) throws {
    try Query(database, "UPDATE room SET version = ? WHERE number = ?").run(.integer(version), .integer(number))
  }

  /// Notes that a snapshot at `version` covers the room's log up to `position`.
  static func advance(_ number: Int64, to version: Int64, position: Int64, _ database: Database) throws {
    try Query(database, "UPDATE room SET version = ?, position = ? WHERE number = ?")
      .run(.integer(version), .integer(position), .integer(number))
  }

  static func setDue(_ due: Instant?, of number: Int64, _ database: Database) throws {
    try Query(database, "UPDATE room SET due = ? WHERE number = ?")
      .run(.optional(due?.milliseconds), .integer(number))
  }

  /// Lets all households that have a due time fall due at once.
  static func hurryHouseholds(_ database: Database) throws {
    try Query(database, "UPDATE room SET due = 0 WHERE due IS NOT NULL AND key >= x'02' AND key < x'03'").run()
  }

  /// Rooms of one kind that have a due time, by that time and then by their keys.
  static func due(
    _ kind: DueKind, in partitions: Partitions, after cursor: DueRoom?, limit: Int, _ database: Database
  ) throws -> [DueRoom] {
    var rooms: [DueRoom] = []
    guard limit > 0 else { return rooms }
    // A room's key begins with its kind; the kind of shares is the last.
    let (index, range) = kind == .shares ? ("shareByDue", "key >= x'04'") : ("roomByDueTime", "key < x'04'")
    let sql = """
      SELECT key, due FROM room INDEXED BY \(index) WHERE due IS NOT NULL AND \(range) AND (due, key) > (?, ?)
      ORDER BY due, key
      """
    let start = cursor?.due.milliseconds ?? .min
    try Query(database, sql).leadingRows(.integer(start), .bytes(cursor?.room.storageKey ?? [])) { row in
      let room = try row.room(0)
      if partitions.contains(Partition(of: room)) {
        rooms.append(DueRoom(room: room, due: Instant(milliseconds: row.integer(1))))
      }
      return rooms.count < limit
    }
    return rooms
  }

  static func delete(_ number: Int64, _ database: Database) throws {
    try Query(database, "DELETE FROM room WHERE number = ?").run(.integer(number))
  }

  /// The tables' content of a room, without its log: the room as of `position`.
  struct Content {
    var stored: StoredRoom
    var number: Int64
    var position: Int64
  }

  static func content(of room: RoomID, _ keys: Keys?, _ database: Database) throws -> Content? {
    let sql = """
      SELECT number, random, room.version, position, due, snapshot.body, live.body,
        snapshot.keyNumber, live.keyNumber, (SELECT max(version) FROM segment WHERE segment.room = number)
      FROM room
      LEFT JOIN snapshot ON snapshot.room = number LEFT JOIN live ON live.room = number WHERE key = ?
      """
    return try Query(database, sql).first(.bytes(room.storageKey)) { row in
      let snapshot = try row.optionalBytes(5).map { try keys.open($0, row.integer(7), .snapshot, of: room) }
      let live = try row.optionalBytes(6).map { try keys.open($0, row.integer(8), .live, of: room) }
      let stored = StoredRoom(
        version: row.integer(2), random: row.bytes(1), snapshot: snapshot, entries: [], segmentVersion: row.integer(9),
        live: live, due: row.optionalInteger(4).map { Instant(milliseconds: $0) })
      return Content(stored: stored, number: row.integer(0), position: row.integer(3))
    }
  }

  /// The keys with which snapshots, live values and history of sealed rooms are sealed.
  static func keys(_ database: Database, _ body: (_ key: Int64, RoomID) throws -> Void) throws {
    let sql = """
      SELECT room.key, snapshot.keyNumber, live.keyNumber,
        (SELECT max(keyNumber) FROM history WHERE history.room = number) FROM room
      LEFT JOIN snapshot ON snapshot.room = number LEFT JOIN live ON live.room = number WHERE key >= ? AND key < ?
      """
    try Query(database, sql).rows(.bytes([4]), .bytes([5])) { row in
      let room = try row.room(0)
      for column in 1...3 as ClosedRange<Int32> where row.integer(column) != 0 { try body(row.integer(column), room) }
    }
  }

  /// Several orders of all rooms' keys: a damaged page cuts off each of them at another place.
  static let waysToKeys = [
    "SELECT key FROM room ORDER BY number", "SELECT key FROM room ORDER BY number DESC",
    "SELECT key FROM room ORDER BY key", "SELECT key FROM room ORDER BY key DESC",
  ]
}

extension Query {
  func room(_ column: Int32) throws -> RoomID {
    guard let room = RoomID(storageKey: bytes(column)) else { throw SQLiteFailure.unknownRoom }
    return room
  }
}

extension SQLiteFailure {
  /// The error for a row without a room, or with a key that names none. Only damage causes it.
  static let unknownRoom = SQLiteFailure(code: 11, message: "a row belongs to a room that does not exist")
}
