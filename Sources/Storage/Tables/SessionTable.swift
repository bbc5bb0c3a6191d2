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

  static func delete(_ session: ID<Session>, of person: ID<Person>, _ database: Database) throws {
    try Query(database, "DELETE FROM session WHERE id = ? AND person = ?")
      .run(.bytes(session.bytes), .bytes(person.bytes))
  }

  private static let columns = "SELECT id, person, tokenHash, name, createdAt, lastUsedAt FROM session"

  /// Reads a row of `columns`.
  static func read(_ row: Query) throws -> SessionRecord {
    SessionRecord(
      id: try row.id(0), person: try row.id(1), tokenHash: row.bytes(2), name: row.text(3),
      createdAt: Instant(milliseconds: row.integer(4)), lastUsedAt: Instant(milliseconds: row.integer(5)))
  }

  /// Several orders of all rows: a damaged page cuts off each of them at another place.
  static let ways = ["id", "id DESC", "tokenHash", "tokenHash DESC"].map { "\(columns) ORDER BY \($0)" }
}
