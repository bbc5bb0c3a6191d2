internal import GRDB
internal import Rooms

/// The table `secret`: hashes of secrets that lead to a room, such as join codes.
enum SecretTable {
  static func write(_ secret: SecretChange, of room: Int64, _ database: Database) throws {
    if secret.isValid {
      try Query(database, "INSERT INTO secret (hash, room) VALUES (?, ?)").run(.bytes(secret.hash), .integer(room))
    } else {
      try Query(database, "DELETE FROM secret WHERE hash = ? AND room = ?").run(.bytes(secret.hash), .integer(room))
    }
  }

  static func delete(of room: Int64, _ database: Database) throws {
    try Query(database, "DELETE FROM secret WHERE room = ?").run(.integer(room))
  }

  static func room(hash: [UInt8], _ database: Database) throws -> RoomID? {
    let sql = "SELECT room.key FROM secret JOIN room ON room.number = secret.room WHERE secret.hash = ?"
    return try Query(database, sql).first(.bytes(hash)) { try $0.room(0) }
  }

  static func hashes(of room: RoomID, _ database: Database, _ body: ([UInt8]) -> Void) throws {
    try Query(database, "SELECT hash FROM secret WHERE room = (SELECT number FROM room WHERE key = ?)")
      .rows(.bytes(room.storageKey)) { body($0.bytes(0)) }
  }
}
