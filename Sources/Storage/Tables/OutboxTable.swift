internal import GRDB
internal import Platform
internal import Rooms

/// The table `outbox`: messages between rooms that their targets have not taken yet.
enum OutboxTable {
  static func insert(_ body: SealedBody, from source: RoomID, _ message: OutgoingMessage, _ database: Database) throws {
    try Query(database, "INSERT INTO outbox (source, target, number, keyNumber, body) VALUES (?, ?, ?, ?, ?)")
      .run(
        .bytes(source.storageKey), .bytes(message.target.storageKey), .integer(message.number), .integer(body.key),
        .bytes(body.bytes))
  }

  /// Removes the messages that a room has taken from another, up to a number.
  static func delete(_ taken: TakenMessage, by target: RoomID, _ database: Database) throws {
    try Query(database, "DELETE FROM outbox WHERE target = ? AND source = ? AND number <= ?")
      .run(.bytes(target.storageKey), .bytes(taken.source.storageKey), .integer(taken.number))
  }

  static func delete(_ stored: StoredMessage, _ database: Database) throws {
    try Query(database, "DELETE FROM outbox WHERE target = ? AND source = ? AND number = ?").run(
      .bytes(stored.message.target.storageKey), .bytes(stored.source.storageKey), .integer(stored.message.number))
  }

  static func delete(row: Int64, _ database: Database) throws {
    try Query(database, "DELETE FROM outbox WHERE row = ?").run(.integer(row))
  }

  /// A page of messages to rooms of some partitions, oldest first, and so in order for each source and target.
  static func page(
    in partitions: Partitions, after cursor: OutboxCursor?, limit: Int, _ keys: Keys, _ database: Database
  ) throws -> OutboxPage {
    var messages: [StoredMessage] = []
    var last = cursor?.row ?? .min
    let sql = "SELECT source, target, number, keyNumber, body, row FROM outbox WHERE row > ? ORDER BY row"
    let isLast = try Query(database, sql).leadingRows(.integer(last)) { row in
      if messages.count >= limit { return false }
      last = row.integer(5)
      let address = try Address(row)
      guard partitions.contains(Partition(of: address.target)) else { return true }
      // A key is shredded as soon as its last message is taken, perhaps during this read.
      let key = row.integer(3)
      if key == 0 || keys[key] != nil { messages.append(address.message(try address.open(row, keys))) }
      return true
    }
    return OutboxPage(messages: messages, next: isLast ? nil : OutboxCursor(row: last))
  }

  /// All messages, grouped by target and source. `body` gets an error if a message cannot be opened.
  static func all(
    _ keys: Keys?, _ database: Database, _ body: (Address, Result<StoredMessage, SQLiteFailure>) -> Void
  ) throws {
    let sql = "SELECT source, target, number, keyNumber, body FROM outbox ORDER BY target, source, number"
    try Query(database, sql).rows { row in
      let address = try Address(row)
      body(address, Result { address.message(try address.open(row, keys)) }.mapError(SQLiteFailure.init))
    }
  }

  /// A message without its content, read from the columns `source`, `target`, `number`, `keyNumber`, `body`.
  struct Address {
    var source: RoomID
    var target: RoomID
    var number: Int64

    fileprivate init(_ row: Query) throws {
      (source, target, number) = (try row.room(0), try row.room(1), row.integer(2))
    }

    fileprivate func open(_ row: Query, _ keys: Keys?) throws -> [UInt8] {
      let place = SealedPlace.message(source: source, target: target, number: number)
      return try keys.open(row.bytes(4), row.integer(3), place, of: source.isSealed ? source : target)
    }

    fileprivate func message(_ body: [UInt8]) -> StoredMessage {
      StoredMessage(source: source, message: OutgoingMessage(target: target, number: number, body: body))
    }
  }

  /// The rows of sealed messages, with their keys.
  static func keys(_ database: Database, _ body: (_ key: Int64, _ row: Int64) throws -> Void) throws {
    try Query(database, "SELECT keyNumber, row FROM outbox WHERE keyNumber > 0").rows {
      try body($0.integer(0), $0.integer(1))
    }
  }

  /// Whether any message is sealed with a key.
  static func needs(key: Int64, _ database: Database) throws -> Bool {
    try Query(database, "SELECT 1 FROM outbox WHERE keyNumber = ? AND keyNumber > 0 LIMIT 1")
      .first(.integer(key)) { _ in true } ?? false
  }
}
