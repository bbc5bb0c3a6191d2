internal import GRDB
internal import Platform
internal import Rooms

/// The table `history`: records that rooms keep beside their state, by kind.
enum HistoryTable {
  /// Adds a record, or replaces the one of the same kind and id.
  static func write(
    _ body: SealedBody, of room: Int64, kind: String, id: [UInt8], at instant: Instant, _ database: Database
  ) throws {
    let sql = """
      INSERT INTO history (room, kind, id, at, keyNumber, body) VALUES (?, ?, ?, ?, ?, ?)
      ON CONFLICT (room, kind, id) DO UPDATE
      SET at = excluded.at, keyNumber = excluded.keyNumber, body = excluded.body
      """
    try Query(database, sql).run(
      .integer(room), .text(kind), .bytes(id), .integer(instant.milliseconds), .integer(body.key), .bytes(body.bytes))
  }

  static func delete(of room: Int64, kind: String, id: [UInt8], _ database: Database) throws {
    try Query(database, "DELETE FROM history WHERE room = ? AND kind = ? AND id = ?")
      .run(.integer(room), .text(kind), .bytes(id))
  }

  static func delete(of room: Int64, _ database: Database) throws {
    try Query(database, "DELETE FROM history WHERE room = ?").run(.integer(room))
  }

  /// Removes the oldest records of a kind that are older than `instant`, at most `limit`; returns their number.
  static func prune(kind: String, before instant: Instant, limit: Int, _ database: Database) throws -> Int {
    let sql = """
      DELETE FROM history WHERE row IN (SELECT row FROM history WHERE kind = ? AND at < ? ORDER BY at LIMIT ?)
      """
    try Query(database, sql).run(.text(kind), .integer(instant.milliseconds), .integer(Int64(max(0, limit))))
    return database.changesCount
  }

  /// The records that a query asks for, newest first.
  static func page(
    of room: RoomID, _ query: HistoryQuery, _ keys: Keys, _ database: Database
  ) throws -> [HistoryRecord] {
    guard let number = try RoomTable.number(of: room, database) else { return [] }
    var records: [HistoryRecord] = []
    func append(_ row: Query) throws { records.append(try record(row, of: room, keys)) }
    let limit = SQLValue.integer(Int64(max(0, query.limit)))
    if let before = query.before {
      let sql = """
        SELECT kind, id, at, keyNumber, body FROM history WHERE room = ? AND kind = ? AND (at, id) < (?, ?)
        ORDER BY at DESC, id DESC LIMIT ?
        """
      try Query(database, sql).rows(
        .integer(number), .text(query.kind), .integer(before.at.milliseconds), .bytes(before.id), limit, body: append)
    } else {
      let sql = """
        SELECT kind, id, at, keyNumber, body FROM history WHERE room = ? AND kind = ?
        ORDER BY at DESC, id DESC LIMIT ?
        """
      try Query(database, sql).rows(.integer(number), .text(query.kind), limit, body: append)
    }
    return records
  }

  /// All records of a room.
  static func all(of room: RoomID, _ keys: Keys?, _ database: Database, _ body: (HistoryRecord) -> Void) throws {
    let sql = """
      SELECT kind, id, at, keyNumber, body FROM history WHERE room = (SELECT number FROM room WHERE key = ?)
      """
    try Query(database, sql).rows(.bytes(room.storageKey)) { body(try record($0, of: room, keys)) }
  }

  private static func record(_ row: Query, of room: RoomID, _ keys: Keys?) throws -> HistoryRecord {
    let (kind, id) = (row.text(0), row.bytes(1))
    let body = try keys.open(row.bytes(4), row.integer(3), .history(kind: kind, id: id), of: room)
    return HistoryRecord(kind: kind, id: id, at: Instant(milliseconds: row.integer(2)), body: body)
  }
}
