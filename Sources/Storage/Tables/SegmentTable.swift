internal import GRDB
internal import Rooms

/// The table `segment`: older changes of rooms, for clients that resume.
enum SegmentTable {
  /// Bytes of all segments that a room ever had, removed ones included.
  static func total(of room: Int64, _ database: Database) throws -> Int64 {
    try Query(database, "SELECT total FROM segment WHERE room = ? ORDER BY version DESC LIMIT 1")
      .first(.integer(room)) { $0.integer(0) } ?? 0
  }

  static func insert(
    _ body: SealedBody, _ segment: Segment, of room: Int64, total: Int64, _ database: Database
  ) throws {
    let sql = "INSERT INTO segment (room, version, since, at, total, keyNumber, body) VALUES (?, ?, ?, ?, ?, ?, ?)"
    try Query(database, sql).run(
      .integer(room), .integer(segment.version), .integer(segment.from), .integer(segment.at.milliseconds),
      .integer(total), .integer(body.key), .bytes(body.bytes))
  }

  /// Removes segments up to a version that are older than `instant`, or that end within the first `total` bytes.
  ///
  /// Remaining segments are not read, since a busy room has thousands.
  static func removeOld(
    of room: Int64, before instant: Instant, upTo version: Int64, total: Int64, _ database: Database
  ) throws {
    let sql = """
      SELECT version FROM (
        SELECT version, at, total FROM segment WHERE room = ? AND version > ? AND version <= ? ORDER BY version LIMIT 1
      ) WHERE at < ? OR total <= ?
      """
    let next = try Query(database, sql)
    var last: Int64?
    while let old = try next.first(
      .integer(room), .integer(last ?? -1), .integer(version), .integer(instant.milliseconds), .integer(total),
      body: { $0.integer(0) })
    {
      last = old
    }
    guard let last else { return }
    try Query(database, "DELETE FROM segment WHERE room = ? AND version <= ?").run(.integer(room), .integer(last))
  }

  static func delete(of room: Int64, _ database: Database) throws {
    try Query(database, "DELETE FROM segment WHERE room = ?").run(.integer(room))
  }

  /// The segments of a room that lead beyond a version, oldest first.
  static func segments(
    of room: RoomID, since version: Int64, _ keys: Keys?, _ database: Database, _ body: (Segment) -> Void
  ) throws {
    let sql = """
      SELECT since, version, at, keyNumber, body FROM segment
      WHERE room = (SELECT number FROM room WHERE key = ?) AND version > ? ORDER BY version, since
      """
    try Query(database, sql).rows(.bytes(room.storageKey), .integer(version)) { row in
      let version = row.integer(1)
      let content = try keys.open(row.bytes(4), row.integer(3), .segment(version: version), of: room)
      body(Segment(from: row.integer(0), version: version, at: Instant(milliseconds: row.integer(2)), body: content))
    }
  }
}
