internal import GRDB
internal import Rooms

/// The table `erased`: keys of rooms that were erased, since an id is never used again.
enum ErasedTable {
  static func insert(key: [UInt8], _ database: Database) throws {
    try Query(database, "INSERT OR IGNORE INTO erased (key) VALUES (?)").run(.bytes(key))
  }

  static func contains(_ room: RoomID, _ database: Database) throws -> Bool {
    try Query(database, "SELECT 1 FROM erased WHERE key = ?").first(.bytes(room.storageKey)) { _ in true } ?? false
  }

  /// Two orders of all keys: a damaged page cuts off each of them at another place.
  static let waysToKeys = ["SELECT key FROM erased ORDER BY key", "SELECT key FROM erased ORDER BY key DESC"]
}
