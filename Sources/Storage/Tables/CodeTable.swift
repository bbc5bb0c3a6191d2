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
    let sql = """
      INSERT INTO code (person, purpose, hash, email, until, wrong, made) VALUES (?, ?, ?, ?, ?, 0, ?)
      ON CONFLICT (person, purpose) DO UPDATE
      SET hash = excluded.hash, email = excluded.email, until = excluded.until, wrong = 0, made = excluded.made
      """
    try Query(database, sql).run(
      .bytes(person.bytes), .text(code.purpose.rawValue), .bytes(code.hash), .text(code.email),
      .integer(code.until.milliseconds), .text("\(made.map(\.milliseconds))"))
    return nil
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
