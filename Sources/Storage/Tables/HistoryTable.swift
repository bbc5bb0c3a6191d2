internal import Crypto
internal import GRDB
internal import Platform
internal import Rooms

/// The table `history`: records that rooms keep beside their state, by kind.
enum HistoryTable {
  /// Adds a record, or replaces the one of the same kind and id.
  static func write(_ record: HistoryRecord, _ body: SealedBody, of room: Int64, _ database: Database) throws {
    let sql = """
      INSERT INTO history (room, kind, id, at, keyNumber, body) VALUES (?, ?, ?, ?, ?, ?)
      ON CONFLICT (room, kind, id) DO UPDATE
      SET at = excluded.at, keyNumber = excluded.keyNumber, body = excluded.body
      """
    try Query(database, sql).run(
      .integer(room), .text(record.kind), .bytes(record.id), .integer(record.at.milliseconds), .integer(body.key),
      .bytes(body.bytes))
    for person in record.about {
      let sql = """
        INSERT INTO historyPerson (room, kind, person, at, id, row)
        SELECT room, kind, ?, at, id, row FROM history WHERE room = ? AND kind = ? AND id = ?
        """
      try Query(database, sql).run(.bytes(person.bytes), .integer(room), .text(record.kind), .bytes(record.id))
    }
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

  /// The records that match a query, newest first.
  static func page(
    of room: RoomID, _ query: HistoryQuery, _ keys: Keys, _ database: Database
  ) throws -> [HistoryRecord] {
    guard let number = try RoomTable.number(of: room, database) else { return [] }
    // The index orders a page by one person's records; each further person only filters.
    let table = query.about.isEmpty ? "history" : "historyPerson"
    var conditions = ["place.room = ?", "place.kind = ?"]
    var values: [SQLValue] = [.integer(number), .text(query.kind)]
    if let first = query.about.first {
      conditions.append("place.person = ?")
      values.append(.bytes(first.bytes))
    }
    for person in query.about.dropFirst() {
      conditions.append("EXISTS (SELECT 1 FROM historyPerson WHERE row = place.row AND person = ?)")
      values.append(.bytes(person.bytes))
    }
    if let id = query.id {
      conditions.append("place.id = ?")
      values.append(.bytes(id))
    }
    if let from = query.from {
      conditions.append("place.at >= ?")
      values.append(.integer(from.milliseconds))
    }
    if let until = query.until {
      conditions.append("place.at < ?")
      values.append(.integer(until.milliseconds))
    }
    if let before = query.before {
      conditions.append("(place.at, place.id) < (?, ?)")
      values += [.integer(before.at.milliseconds), .bytes(before.id)]
    }
    values.append(.integer(Int64(max(0, query.limit))))
    let sql = """
      SELECT \(columns) FROM \(table) AS place JOIN history ON history.row = place.row
      WHERE \(conditions.joined(separator: " AND ")) ORDER BY place.at DESC, place.id DESC LIMIT ?
      """
    var records: [HistoryRecord] = []
    try Query(database, sql).rows(values) { records.append(try record($0, of: room, keys)) }
    return records
  }

  /// All records of a room.
  static func all(of room: RoomID, _ keys: Keys?, _ database: Database, _ body: (HistoryRecord) -> Void) throws {
    let sql = "SELECT \(columns) FROM history WHERE room = (SELECT number FROM room WHERE key = ?)"
    try Query(database, sql).rows(.bytes(room.storageKey)) { body(try record($0, of: room, keys)) }
  }

  private static let columns = """
    history.kind, history.id, history.at, history.keyNumber, history.body,
    (SELECT group_concat(hex(person), '') FROM historyPerson WHERE row = history.row)
    """

  private static func record(_ row: Query, of room: RoomID, _ keys: Keys?) throws -> HistoryRecord {
    let (kind, id) = (row.text(0), row.bytes(1))
    let body = try keys.open(row.bytes(4), row.integer(3), .history(kind: kind, id: id), of: room)
    return HistoryRecord(
      kind: kind, id: id, at: Instant(milliseconds: row.integer(2)), about: persons(row.text(5)), body: body)
  }

  private static func persons(_ digits: String) -> Set<ID<Person>> {
    let bytes = Hex.decode(digits) ?? []
    return Set(stride(from: 0, to: bytes.count, by: 16).compactMap { ID(bytes: bytes[$0...].prefix(16)) })
  }
}
