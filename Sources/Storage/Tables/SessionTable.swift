internal import GRDB
internal import Platform
internal import Rooms

/// The table `session`: signed-in devices. `lastUsedAt` lags behind: it is written at most once a minute.
enum SessionTable {
  static func insert(_ session: SessionRecord, _ database: Database) throws {
    let sql = """
      INSERT INTO session (id, person, tokenHash, keyNumber, name, createdAt, lastUsedAt) VALUES (?, ?, ?, 0, ?, ?, ?)
      """
    try Query(database, sql).run(
      .bytes(session.id.bytes), .bytes(session.person.bytes), .bytes(session.tokenHash), .text(session.name),
      .integer(session.createdAt.milliseconds), .integer(session.lastUsedAt.milliseconds))
  }

  static func session(tokenHash: [UInt8], _ database: Database) throws -> SessionRecord? {
    try Query(database, columns + " WHERE tokenHash = ?").first(.bytes(tokenHash), body: read)
  }

  static func session(_ id: ID<Session>, _ database: Database) throws -> SessionRecord? {
    try Query(database, columns + " WHERE id = ?").first(.bytes(id.bytes), body: read)
  }

  /// The sessions of a person, oldest first.
  static func sessions(of person: ID<Person>, _ database: Database) throws -> [SessionRecord] {
    var sessions: [SessionRecord] = []
    try Query(database, columns + " WHERE person = ? ORDER BY createdAt, id")
      .rows(.bytes(person.bytes)) { sessions.append(try read($0)) }
    return sessions
  }

  static func rename(
    _ session: ID<Session>, of person: ID<Person>, to name: String, _ database: Database
  ) throws {
    try Query(database, "UPDATE session SET name = ? WHERE id = ? AND person = ?")
      .run(.text(name), .bytes(session.bytes), .bytes(person.bytes))
  }

  static func noteUse(of session: ID<Session>, at instant: Instant, _ database: Database) throws {
    try Query(database, "UPDATE session SET lastUsedAt = max(lastUsedAt, ?) WHERE id = ?")
      .run(.integer(instant.milliseconds), .bytes(session.bytes))
  }

  static func confirm(
    _ session: ID<Session>, of person: ID<Person>, by confirmation: Confirmation, at now: Instant,
    _ database: Database
  ) throws {
    let sql = "UPDATE session SET confirmedBy = ?, confirmedAt = ?, wrongPINs = '[]' WHERE id = ? AND person = ?"
    try Query(database, sql).run(
      .text(confirmation.rawValue), .integer(now.milliseconds), .bytes(session.bytes), .bytes(person.bytes))
  }

  /// Notes the time of a wrong PIN. Returns how many there have been from `start` on, this one included.
  static func noteWrongPIN(
    of session: ID<Session>, of person: ID<Person>, at now: Instant, since start: Instant, _ database: Database
  ) throws -> Int {
    let sql = """
      UPDATE session SET wrongPINs =
        (SELECT json_group_array(value) FROM (
          SELECT value FROM json_each(wrongPINs) WHERE value >= ? UNION ALL SELECT ?))
        WHERE id = ? AND person = ? RETURNING json_array_length(wrongPINs)
      """
    return try Query(database, sql).first(
      .integer(start.milliseconds), .integer(now.milliseconds), .bytes(session.bytes), .bytes(person.bytes)
    ) { Int($0.integer(0)) } ?? 0
  }

  static func delete(_ session: ID<Session>, of person: ID<Person>, _ database: Database) throws {
    try Query(database, "DELETE FROM session WHERE id = ? AND person = ?")
      .run(.bytes(session.bytes), .bytes(person.bytes))
  }

  static func deleteAll(of person: ID<Person>, _ database: Database) throws {
    try Query(database, "DELETE FROM session WHERE person = ?").run(.bytes(person.bytes))
  }

  private static let columns =
    "SELECT id, person, tokenHash, name, createdAt, lastUsedAt, confirmedBy, confirmedAt FROM session"

  /// Reads a row of `columns`.
  static func read(_ row: Query) throws -> SessionRecord {
    SessionRecord(
      id: try row.id(0), person: try row.id(1), tokenHash: row.bytes(2), name: row.text(3),
      createdAt: Instant(milliseconds: row.integer(4)), lastUsedAt: Instant(milliseconds: row.integer(5)),
      confirmed: row.optionalText(6).flatMap { Confirmation(rawValue: $0) }.map {
        SessionRecord.Confirmed(by: $0, at: Instant(milliseconds: row.integer(7)))
      })
  }

  /// Several orders of all rows: a damaged page cuts off each of them at another place.
  static let ways = ["id", "id DESC", "tokenHash", "tokenHash DESC"].map { "\(columns) ORDER BY \($0)" }
}
