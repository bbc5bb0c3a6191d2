internal import GRDB
public import Platform
public import Rooms

extension SQLiteStore: RoomStore {
  public func commit(_ batch: [RoomCommit], reply: Reply<Result<Void, StoreError>>) {
    submit(
      Job(
        scope: .commits(batch),
        write: { writer, database in
          if let conflict = try writer.commit(batch, database) { return { reply(.failure(conflict)) } }
          return { reply(.success(())) }
        }, fail: { reply(.failure($0)) }))
  }

  public func erase(_ rooms: [RoomID], reply: Reply<Result<Void, StoreError>>) {
    submit(
      Job(
        scope: .rooms(rooms), isAlone: true,
        write: { writer, database in
          try writer.erase(rooms, database)
          return { reply(.success(())) }
        }, fail: { reply(.failure($0)) }))
  }

  public func load(_ room: RoomID, reply: Reply<Result<StoredRoom?, StoreError>>) {
    afterWrites(of: room) { [self] in
      // Before the reader's view of the file is fixed, so that every row named here is in that view, or is in the
      // snapshot that the view holds.
      let positions = tails.positions(of: room)
      read(reply) { [keys] in try Self.load(room, positions: positions, keys, $0) }
    }
  }

  /// Composed where it is read, beside loop and writer: what a client away for a day has missed may take a while.
  public func missed(of room: RoomID, since version: Int64, reply: Reply<Result<Ring.Entry?, StoreError>>) {
    afterWrites(of: room) { [self] in
      readAlone(reply) { [keys] database in
        let sql = """
          SELECT since, version, at, keyNumber, body FROM segment
          WHERE room = (SELECT number FROM room WHERE key = ?) AND version > ? ORDER BY version, since
          """
        var composer = Ring.Composer(since: version)
        try Query(database, sql).rows(.bytes(room.storageKey), .integer(version)) { row in
          composer.add(try Segment(row, keys, of: room))
        }
        return composer.entry.flatMap { $0.patch.count <= Room.documentLimit ? $0 : nil }
      }
    }
  }

  public func history(
    of room: RoomID, _ query: HistoryQuery, reply: Reply<Result<[HistoryRecord], StoreError>>
  ) {
    afterWrites(of: room) { [self] in
      read(reply) { [keys] in try Self.history(of: room, query, keys, $0) }
    }
  }

  public func due(
    _ kind: DueKind, after cursor: DueRoom?, limit: Int, reply: Reply<Result<[DueRoom], StoreError>>
  ) {
    read(reply) { database in
      var rooms: [DueRoom] = []
      // A room's key begins with its kind; that of shares is the last.
      let sql = """
        SELECT key, due FROM room INDEXED BY roomByDue
        WHERE due IS NOT NULL AND due >= ? AND (due > ? OR key > ?) AND (key >= x'04') = ?
        ORDER BY due, key LIMIT ?
        """
      let due = SQLValue.integer(cursor?.due.milliseconds ?? .min)
      try Query(database, sql).rows(
        due, due, .bytes(cursor?.room.storageKey ?? []), .integer(kind == .shares ? 1 : 0),
        .integer(Int64(max(0, limit)))
      ) { row in
        rooms.append(DueRoom(room: try row.room(0), due: Instant(milliseconds: row.integer(1))))
      }
      return rooms
    }
  }

  public func undelivered(limit: Int, reply: Reply<Result<[StoredMessage], StoreError>>) {
    readAlone(reply) { [keys] database in
      var messages: [StoredMessage] = []
      let sql = "SELECT source, target, number, keyNumber, body FROM outbox ORDER BY row LIMIT ?"
      try Query(database, sql).rows(.integer(Int64(max(0, limit)))) { row in
        let (source, target, number) = (try row.room(0), try row.room(1), row.integer(2))
        // Its key goes when it has been taken up, perhaps while this is being read.
        if row.integer(3) != 0, keys[row.integer(3)] == nil { return }
        let place = SealedPlace.message(source: source, target: target, number: number)
        let body = try keys.open(row.bytes(4), row.integer(3), place, of: source.isSealed ? source : target)
        messages.append(
          StoredMessage(source: source, message: OutgoingMessage(target: target, number: number, body: body)))
      }
      return messages
    }
  }

  public func wasErased(_ room: RoomID, reply: Reply<Result<Bool, StoreError>>) {
    afterWrites(of: room) { [self] in
      read(reply) { database in
        try Query(database, "SELECT 1 FROM erased WHERE key = ?").first(.bytes(room.storageKey)) { _ in true } ?? false
      }
    }
  }

  public func room(secret hash: [UInt8], reply: Reply<Result<RoomID?, StoreError>>) {
    read(reply) { database in
      let sql = "SELECT room.key FROM secret JOIN room ON room.number = secret.room WHERE secret.hash = ?"
      return try Query(database, sql).first(.bytes(hash)) { try $0.room(0) }
    }
  }

  static func load(
    _ room: RoomID, positions: [Int64], _ keys: Keys?, _ database: Database
  ) throws -> StoredRoom? {
    let sql = """
      SELECT number, random, room.version, position, due, snapshot.body, live.body,
        snapshot.keyNumber, live.keyNumber, (SELECT max(version) FROM segment WHERE segment.room = number)
      FROM room
      LEFT JOIN snapshot ON snapshot.room = number LEFT JOIN live ON live.room = number WHERE key = ?
      """
    let found = try Query(database, sql).first(.bytes(room.storageKey)) { row in
      let snapshot = try row.optionalBytes(5).map { try keys.open($0, row.integer(7), .snapshot, of: room) }
      let live = try row.optionalBytes(6).map { try keys.open($0, row.integer(8), .live, of: room) }
      let stored = StoredRoom(
        version: row.integer(2), random: row.bytes(1), snapshot: snapshot, entries: [], segmentVersion: row.integer(9),
        live: live, due: row.optionalInteger(4).map { Instant(milliseconds: $0) })
      return (stored, number: row.integer(0), position: row.integer(3))
    }
    guard let found else { return nil }
    var (stored, number, snapshotPosition) = found
    let log = try Query(database, "SELECT version, entry, keyNumber FROM log WHERE position = ? AND room = ?")
    for position in positions where position > snapshotPosition {
      let entry = try log.first(.integer(position), .integer(number)) { row in
        let version = row.integer(0)
        return (version, body: try keys.open(row.bytes(1), row.integer(2), .entry(version: version), of: room))
      }
      // Only a room that was erased and made again meanwhile has rows that are not in this view.
      guard let entry else { break }
      stored.version = max(stored.version, entry.0)
      stored.entries.append(entry.body)
    }
    return stored
  }

  private static func history(
    of room: RoomID, _ query: HistoryQuery, _ keys: Keys, _ database: Database
  ) throws -> [HistoryRecord] {
    let sql = "SELECT number FROM room WHERE key = ?"
    guard let number = try Query(database, sql).first(.bytes(room.storageKey), body: { $0.integer(0) })
    else { return [] }
    var records: [HistoryRecord] = []
    func append(_ row: Query) throws {
      let id = row.bytes(0)
      let body = try keys.open(row.bytes(2), row.integer(3), .history(kind: query.kind, id: id), of: room)
      records.append(HistoryRecord(kind: query.kind, id: id, at: Instant(milliseconds: row.integer(1)), body: body))
    }
    let limit = SQLValue.integer(Int64(max(0, query.limit)))
    if let before = query.before {
      let sql = """
        SELECT id, at, body, keyNumber FROM history WHERE room = ? AND kind = ? AND (at, id) < (?, ?)
        ORDER BY at DESC, id DESC LIMIT ?
        """
      try Query(database, sql).rows(
        .integer(number), .text(query.kind), .integer(before.at.milliseconds), .bytes(before.id), limit, body: append)
    } else {
      let sql = """
        SELECT id, at, body, keyNumber FROM history WHERE room = ? AND kind = ? ORDER BY at DESC, id DESC LIMIT ?
        """
      try Query(database, sql).rows(.integer(number), .text(query.kind), limit, body: append)
    }
    return records
  }
}

extension Segment {
  /// From the columns `since`, `version`, `at`, `keyNumber`, `body`.
  init(_ row: Query, _ keys: Keys?, of room: RoomID) throws {
    let version = row.integer(1)
    self.init(
      from: row.integer(0), version: version, at: Instant(milliseconds: row.integer(2)),
      body: try keys.open(row.bytes(4), row.integer(3), .segment(version: version), of: room))
  }
}

extension Query {
  func room(_ column: Int32) throws -> RoomID {
    guard let room = RoomID(storageKey: bytes(column)) else { throw SQLiteFailure.unknownRoom }
    return room
  }
}
