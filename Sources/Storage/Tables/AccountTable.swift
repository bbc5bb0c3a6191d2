internal import GRDB
internal import Platform
internal import Rooms

/// The table `account`.
enum AccountTable {
  static func insert(_ account: Account, _ database: Database) throws {
    let sql = """
      INSERT INTO account (person, keyNumber, email, verifiedAt, passwordHash, pinHash, createdAt, revision)
        VALUES (?, 0, ?, ?, ?, ?, ?, ?)
      """
    try Query(database, sql).run(
      .bytes(account.person.bytes), .optional(account.email), .optional(account.verifiedAt?.milliseconds),
      .optional(account.passwordHash), .optional(account.pinHash), .integer(account.createdAt.milliseconds),
      .integer(account.revision.number))
  }

  /// Gives an account an address, unless another account has it.
  static func setEmail(
    _ email: String, of person: ID<Person>, verifiedAt: Instant?, _ database: Database
  ) throws -> Bool {
    let owner = try account(by: .email(email), database)?.person
    guard owner == nil || owner == person else { return false }
    try Query(database, "UPDATE account SET email = ?, verifiedAt = ?, revision = revision + 1 WHERE person = ?")
      .run(.text(email), .optional(verifiedAt?.milliseconds), .bytes(person.bytes))
    return true
  }

  static func verify(_ person: ID<Person>, at instant: Instant, _ database: Database) throws {
    try Query(database, "UPDATE account SET verifiedAt = coalesce(verifiedAt, ?) WHERE person = ?")
      .run(.integer(instant.milliseconds), .bytes(person.bytes))
  }

  static func contains(email: String, _ database: Database) throws -> Bool {
    try Query(database, "SELECT 1 FROM account WHERE email = ?").first(.text(email)) { _ in true } ?? false
  }

  static func account(by key: AccountKey, _ database: Database) throws -> Account? {
    switch key {
    case .email(let email): try Query(database, columns + " WHERE email = ?").first(.text(email), body: read)
    case .identity(let identity):
      try Query(database, columns + " WHERE person = (SELECT person FROM identity WHERE issuer = ? AND subject = ?)")
        .first(.text(identity.issuer), .text(identity.subject), body: read)
    case .person(let person): try Query(database, columns + " WHERE person = ?").first(.bytes(person.bytes), body: read)
    }
  }

  /// Accounts in the order of their persons, behind `person`.
  static func page(after person: ID<Person>?, limit: Int, _ database: Database) throws -> [Account] {
    var accounts: [Account] = []
    try Query(database, columns + " WHERE person > ? ORDER BY person LIMIT ?")
      .rows(.bytes((person ?? ID()).bytes), .integer(Int64(limit))) { accounts.append(try read($0)) }
    return accounts
  }

  static func setPasswordHash(_ hash: String?, of person: ID<Person>, _ database: Database) throws {
    try Query(database, "UPDATE account SET passwordHash = ?, revision = revision + 1 WHERE person = ?")
      .run(.optional(hash), .bytes(person.bytes))
  }

  static func setPINHash(_ hash: String?, of person: ID<Person>, _ database: Database) throws {
    try Query(database, "UPDATE account SET pinHash = ?, revision = revision + 1 WHERE person = ?")
      .run(.optional(hash), .bytes(person.bytes))
  }

  static func delete(_ person: ID<Person>, _ database: Database) throws {
    try Query(database, "DELETE FROM account WHERE person = ?").run(.bytes(person.bytes))
  }

  private static let columns = """
    SELECT person, account.email, passwordHash, createdAt, revision, pinHash, verifiedAt,
      (SELECT code.email FROM code
        WHERE code.person = account.person AND purpose = 'address' AND length(code.hash) > 0) FROM account
    """

  /// Reads a row of `columns`.
  static func read(_ row: Query) throws -> Account {
    Account(
      person: try row.id(0), email: row.optionalText(1),
      verifiedAt: row.optionalInteger(6).map { Instant(milliseconds: $0) }, pendingEmail: row.optionalText(7),
      passwordHash: row.optionalText(2), pinHash: row.optionalText(5),
      createdAt: Instant(milliseconds: row.integer(3)), revision: Revision(number: row.integer(4)))
  }

  /// Several orders of all rows: a damaged page cuts off each of them at another place.
  static let ways = ["person", "person DESC", "email", "email DESC"].map { "\(columns) ORDER BY \($0)" }
}

extension Query {
  func id<Of>(_ column: Int32) throws -> ID<Of> {
    guard let id = ID<Of>(bytes: bytes(column)) else {
      throw SQLiteFailure(code: 11, message: "an id is not sixteen bytes long")
    }
    return id
  }
}
