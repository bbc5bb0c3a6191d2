internal import GRDB
internal import Platform
internal import Rooms

/// The table `delivery`: what is to be delivered outside, until it is settled.
enum DeliveryTable {
  /// Adds a delivery, unless the room has one of the same cause.
  static func insert(_ delivery: Delivery, of room: RoomID, _ database: Database) throws {
    let sql = """
      INSERT INTO delivery (room, id, channel, notBefore, until, body, attempts, due) VALUES (?, ?, ?, ?, ?, ?, 0, ?)
      ON CONFLICT (room, id) DO NOTHING
      """
    try Query(database, sql).run(
      .bytes(room.storageKey), .bytes(delivery.id), .text(delivery.channel.rawValue),
      .integer(delivery.notBefore.milliseconds), .integer(delivery.until.milliseconds), .bytes(delivery.body),
      .integer(delivery.notBefore.milliseconds))
  }

  static func deleteAll(of room: RoomID, _ database: Database) throws {
    try Query(database, "DELETE FROM delivery WHERE room = ?").run(.bytes(room.storageKey))
  }

  static func settle(_ row: Int64, _ settlement: Settlement, _ database: Database) throws {
    switch settlement {
    case .done: try Query(database, "DELETE FROM delivery WHERE row = ?").run(.integer(row))
    case .retry(let instant):
      try Query(database, "UPDATE delivery SET attempts = attempts + 1, due = ? WHERE row = ?")
        .run(.integer(instant.milliseconds), .integer(row))
    }
  }

  static func page(in partitions: Partitions, limit: Int, _ database: Database) throws -> [StoredDelivery] {
    var page: [StoredDelivery] = []
    _ = try Query(database, columns + " ORDER BY due, row").leadingRows { row in
      if page.count >= limit { return false }
      let stored = try read(row)
      if partitions.contains(Partition(of: stored.room)) { page.append(stored) }
      return true
    }
    return page
  }

  private static let columns = "SELECT row, room, id, channel, notBefore, until, body, attempts, due FROM delivery"

  private static func read(_ row: Query) throws -> StoredDelivery {
    guard let channel = Delivery.Channel(rawValue: row.text(3)) else {
      throw SQLiteFailure(code: 11, message: "a delivery has no channel")
    }
    let delivery = Delivery(
      id: row.bytes(2), channel: channel, notBefore: Instant(milliseconds: row.integer(4)),
      until: Instant(milliseconds: row.integer(5)), body: row.bytes(6))
    return StoredDelivery(
      row: row.integer(0), room: try row.room(1), attempts: Int(row.integer(7)),
      due: Instant(milliseconds: row.integer(8)), delivery: delivery)
  }

  /// Calls `body` for each row, or with the reason why it cannot be read.
  static func all(_ database: Database, _ body: (Result<StoredDelivery, SQLiteFailure>) -> Void) throws {
    try Query(database, columns + " ORDER BY row").rows { row in
      body(Result { try read(row) }.mapError(SQLiteFailure.init))
    }
  }
}
