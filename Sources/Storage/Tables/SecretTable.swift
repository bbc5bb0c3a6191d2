internal import GRDB
internal import Rooms

/// The table `secret`: hashes of secrets that lead to a room, such as join codes.
enum SecretTable {
  static func write(_ secret: SecretChange, of room: Int64, _ database: Database) throws {
    if secret.isValid {
      try Query(database, "INSERT OR IGNORE INTO secret (hash, room) VALUES (?, ?)").run(
        .bytes(secret.hash), .integer(room))
    } else {
      try Query(database, "DELETE FROM secret WHERE hash = ? AND room = ?").run(.bytes(secret.hash), .integer(room))
    }
  }

  static func delete(of room: Int64, _ database: Database) throws {
    try Query(database, "DELETE FROM secret WHERE room = ?").run(.integer(room))
  }

  static func rooms(hash: [UInt8], limit: Int, _ database: Database) throws -> [RoomID] {
    var rooms: [RoomID] = []
    let sql = """
      SELECT room.key FROM secret JOIN room ON room.number = secret.room WHERE secret.hash = ?
      ORDER BY secret.room LIMIT ?
      """
    try Query(database, sql).rows(.bytes(hash), .integer(Int64(limit))) { rooms.append(try $0.room(0)) }
    return rooms
  }

  static func hashes(of room: RoomID, _ database: Database, _ body: ([UInt8]) -> Void) throws {
    try Query(database, "SELECT hash FROM secret WHERE room = (SELECT number FROM room WHERE key = ?)")
      .rows(.bytes(room.storageKey)) { body($0.bytes(0)) }
  }
}
