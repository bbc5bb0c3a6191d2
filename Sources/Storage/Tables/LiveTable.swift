internal import GRDB

/// The table `live`: the newest live values of each room that has any.
enum LiveTable {
  static func write(_ body: SealedBody, of room: Int64, _ database: Database) throws {
    let sql = """
      INSERT INTO live (room, keyNumber, body) VALUES (?, ?, ?)
      ON CONFLICT (room) DO UPDATE SET keyNumber = excluded.keyNumber, body = excluded.body
      """
    try Query(database, sql).run(.integer(room), .integer(body.key), .bytes(body.bytes))
  }

  static func delete(of room: Int64, _ database: Database) throws {
    try Query(database, "DELETE FROM live WHERE room = ?").run(.integer(room))
  }
}
