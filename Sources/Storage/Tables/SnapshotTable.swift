internal import GRDB

/// The table `snapshot`: the newest snapshot of each room that has one.
enum SnapshotTable {
  static func write(_ body: SealedBody, of room: Int64, _ database: Database) throws {
    let sql = """
      INSERT INTO snapshot (room, keyNumber, body) VALUES (?, ?, ?)
      ON CONFLICT (room) DO UPDATE SET keyNumber = excluded.keyNumber, body = excluded.body
      """
    try Query(database, sql).run(.integer(room), .integer(body.key), .bytes(body.bytes))
  }

  static func delete(of room: Int64, _ database: Database) throws {
    try Query(database, "DELETE FROM snapshot WHERE room = ?").run(.integer(room))
  }
}
