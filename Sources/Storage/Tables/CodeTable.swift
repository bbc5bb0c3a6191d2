internal import GRDB
internal import Platform
internal import Rooms

/// The table `code`: codes that were sent to people, one of each purpose at a time.
enum CodeTable {
  /// Replaces the code of the same purpose. Returns when another may be made, if `limit` were made in the last hour.
  static func set(
    _ code: AccountCode, of person: ID<Person>, limit: Int, _ database: Database
  ) throws -> Instant? {
    let hour = Duration.seconds(3600)
    var made = try self.made(code.purpose, of: person, database).filter { $0 > code.at - hour && $0 <= code.at }
    if made.count >= limit, let first = made.first { return first + hour }
    made.append(code.at)
    let row = Row(
      purpose: code.purpose.rawValue, hash: code.hash, email: code.email, until: code.until.milliseconds, wrong: 0,
      made: "\(made.map(\.milliseconds))")
    try insert(row, of: person, database)
    return nil
  }

  /// A row of a person, as it is stored.
  struct Row {
    var purpose: String
    var hash: [UInt8]
    var email: String
    var until: Int64
    var wrong: Int64
    var made: String
  }

  static func insert(_ row: Row, of person: ID<Person>, _ database: Database) throws {
    let sql = """
      INSERT OR REPLACE INTO code (person, purpose, hash, email, until, wrong, made) VALUES (?, ?, ?, ?, ?, ?, ?)
      """
    try Query(database, sql).run(
      .bytes(person.bytes), .text(row.purpose), .bytes(row.hash), .text(row.email), .integer(row.until),
      .integer(row.wrong), .text(row.made))
  }

  static func all(_ database: Database, _ body: (ID<Person>, Row) -> Void) throws {
    try Query(database, "SELECT person, purpose, hash, email, until, wrong, made FROM code ORDER BY person, purpose")
      .rows { row in
        body(
          try row.id(0),
          Row(
            purpose: row.text(1), hash: row.bytes(2), email: row.text(3), until: row.integer(4), wrong: row.integer(5),
            made: row.text(6)))
      }
  }

  static func deleteAll(of person: ID<Person>, _ database: Database) throws {
    try Query(database, "DELETE FROM code WHERE person = ?").run(.bytes(person.bytes))
  }

  private static func made(
    _ purpose: AccountCode.Purpose, of person: ID<Person>, _ database: Database
  ) throws -> [Instant] {
    let sql = """
      SELECT value FROM code, json_each(code.made) WHERE person = ? AND purpose = ? ORDER BY value
      """
    var made: [Instant] = []
    try Query(database, sql).rows(.bytes(person.bytes), .text(purpose.rawValue)) {
      made.append(Instant(milliseconds: $0.integer(0)))
    }
    return made
  }

  /// Uses up a code, and returns the address that it was sent to; `nil` if it is wrong, expired or used.
  static func use(
    _ purpose: AccountCode.Purpose, hash: [UInt8], of person: ID<Person>, at now: Instant, _ database: Database
  ) throws -> String? {
    let sql = "SELECT hash, email FROM code WHERE person = ? AND purpose = ? AND until > ? AND wrong < ?"
    let found = try Query(database, sql).first(
      .bytes(person.bytes), .text(purpose.rawValue), .integer(now.milliseconds), .integer(Int64(AccountCode.guesses))
    ) { (hash: $0.bytes(0), email: $0.text(1)) }
    guard let found else { return nil }
    // Hashes are compared: the time tells nothing of the code.
    let isRight = found.hash == hash
    let change = isRight ? "until = 0, hash = x''" : "wrong = wrong + 1"
    try Query(database, "UPDATE code SET \(change) WHERE person = ? AND purpose = ?")
      .run(.bytes(person.bytes), .text(purpose.rawValue))
    return isRight ? found.email : nil
  }
}
