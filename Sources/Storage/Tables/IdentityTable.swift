internal import GRDB
internal import Platform
internal import Rooms

/// The table `identity`: persons as providers of OpenID name them. A trigger ends those of an account that ends.
enum IdentityTable {
  struct Row: Equatable {
    var identity: ProviderIdentity
    var person: ID<Person>
  }

  static func insert(_ row: Row, _ database: Database) throws {
    try Query(database, "INSERT INTO identity (issuer, subject, person, keyNumber) VALUES (?, ?, ?, 0)")
      .run(.text(row.identity.issuer), .text(row.identity.subject), .bytes(row.person.bytes))
  }

  private static let columns = "SELECT issuer, subject, person FROM identity"

  /// Reads a row of `columns`.
  static func read(_ row: Query) throws -> Row {
    Row(identity: ProviderIdentity(issuer: row.text(0), subject: row.text(1)), person: try row.id(2))
  }

  /// Several orders of all rows: a damaged page cuts off each of them at another place.
  static let ways = ["issuer, subject", "issuer DESC, subject DESC", "person", "person DESC"]
    .map { "\(columns) ORDER BY \($0)" }
}

/// The table `nonce`: nonces that tokens have used, until they expire.
enum NonceTable {
  static func contains(_ nonce: IdentityProof.Nonce, _ database: Database) throws -> Bool {
    try Query(database, "SELECT 1 FROM nonce WHERE bytes = ?").first(.bytes(nonce.bytes)) { _ in true } ?? false
  }

  static func insert(_ nonce: IdentityProof.Nonce, at now: Instant, _ database: Database) throws {
    try Query(database, "DELETE FROM nonce WHERE until < ?").run(.integer(now.milliseconds))
    try Query(database, "INSERT INTO nonce (bytes, until) VALUES (?, ?)")
      .run(.bytes(nonce.bytes), .integer(nonce.end.milliseconds))
  }
}
