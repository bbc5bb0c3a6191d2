internal import GRDB

/// The table `meta`: one row about the store itself.
enum MetaTable {
  static func insert(generation: [UInt8], _ database: Database) throws {
    try Query(database, "INSERT INTO meta (one, generation, position) VALUES (1, ?, 0)").run(.bytes(generation))
  }

  static func generation(_ database: Database) throws -> [UInt8] {
    let generation = try Query(database, "SELECT generation FROM meta").first { $0.bytes(0) }
    guard let generation, generation.count == 16 else {
      throw SQLiteFailure(code: 11, message: "the store's generation is missing")
    }
    return generation
  }

  /// The store's own secret, 32 bytes.
  static func secret(_ database: Database) throws -> [UInt8] {
    let secret = try Query(database, "SELECT secret FROM meta").first { $0.bytes(0) }
    guard let secret, secret.count == 32 else {
      throw SQLiteFailure(code: 11, message: "the store's secret is missing")
    }
    return secret
  }

  static func setSecret(_ secret: [UInt8], _ database: Database) throws {
    try Query(database, "UPDATE meta SET secret = ?").run(.bytes(secret))
  }

  static func zoneData(_ database: Database) throws -> String {
    try Query(database, "SELECT zoneData FROM meta").first { $0.text(0) } ?? ""
  }

  static func setZoneData(_ version: String, _ database: Database) throws {
    try Query(database, "UPDATE meta SET zoneData = ?").run(.text(version))
  }

  /// A position that is at least that of any removed log row.
  static func position(_ database: Database) throws -> Int64 {
    let position = try Query(database, "SELECT position FROM meta").first { $0.integer(0) }
    guard let position else { throw SQLiteFailure(code: 11, message: "the table of settings is empty") }
    return position
  }

  static func setPosition(_ position: Int64, _ database: Database) throws {
    try Query(database, "UPDATE meta SET position = ?").run(.integer(position))
  }
}
