internal import GRDB
internal import Glibc
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

  /// Composes the patch on a reader's thread, since the changes of a day may take a while.
  public func missed(of room: RoomID, since version: Int64, reply: Reply<Result<Ring.Entry?, StoreError>>) {
    afterWrites(of: room) { [self] in
      readAlone(reply) { [keys] database in
        var composer = Ring.Composer(since: version)
        try SegmentTable.segments(of: room, since: version, keys, database) { composer.add($0) }
        return composer.entry.flatMap { $0.patch.count <= Room.documentLimit ? $0 : nil }
      }
    }
  }

  public func history(
    of room: RoomID, _ query: HistoryQuery, reply: Reply<Result<[HistoryRecord], StoreError>>
  ) {
    afterWrites(of: room) { [self] in
      read(reply) { [keys] in try HistoryTable.page(of: room, query, keys, $0) }
    }
  }

  public func prune(
    history kind: String, before instant: Instant, limit: Int, reply: Reply<Result<Int, StoreError>>
  ) {
    submit(
      Job(
        scope: .directory,
        write: { writer, database in
          let count = try writer.prune(history: kind, before: instant, limit: limit, database)
          return { reply(.success(count)) }
        }, fail: { reply(.failure($0)) }))
  }

  public func due(
    _ kind: DueKind, in partitions: Partitions, after cursor: DueRoom?, limit: Int,
    reply: Reply<Result<[DueRoom], StoreError>>
  ) {
    readAlone(reply) { try RoomTable.due(kind, in: partitions, after: cursor, limit: limit, $0) }
  }

  public func undelivered(
    in partitions: Partitions, after cursor: OutboxCursor?, limit: Int, reply: Reply<Result<OutboxPage, StoreError>>
  ) {
    readAlone(reply) { [keys] in try OutboxTable.page(in: partitions, after: cursor, limit: limit, keys, $0) }
  }

  public func discard(_ messages: [StoredMessage], reply: Reply<Result<Void, StoreError>>) {
    submit(
      Job(
        scope: .rooms(messages.map(\.source)),
        write: { writer, database in
          try writer.discard(messages, database)
          return { reply(.success(())) }
        }, fail: { reply(.failure($0)) }))
  }

  public func size(reply: Reply<Result<StoreSize, StoreError>>) {
    readAlone(reply) { [path = pool.path] database in
      let rooms = try Query(database, "SELECT count(*) FROM room").first { Int($0.integer(0)) } ?? 0
      let keys = Keys.path(besides: path)
      let files = [path, path + "-wal", path + "-shm", keys, keys + "-wal", keys + "-shm"]
      return StoreSize(rooms: rooms, bytes: files.reduce(0) { $0 + Self.byteCount(of: $1) })
    }
  }

  /// The size of a file, 0 if there is none.
  private static func byteCount(of path: String) -> Int {
    var status = stat()
    return unsafe stat(path, &status) == 0 ? Int(status.st_size) : 0
  }

  public func wasErased(_ room: RoomID, reply: Reply<Result<Bool, StoreError>>) {
    afterWrites(of: room) { [self] in
      read(reply) { try ErasedTable.contains(room, $0) }
    }
  }

  public func rooms(secret hash: [UInt8], limit: Int, reply: Reply<Result<[RoomID], StoreError>>) {
    read(reply) { try SecretTable.rooms(hash: hash, limit: limit, $0) }
  }

  /// Reads a room; `positions` are those of its log rows.
  static func load(
    _ room: RoomID, positions: [Int64], _ keys: Keys?, _ database: Database
  ) throws -> StoredRoom? {
    guard let content = try RoomTable.content(of: room, keys, database) else { return nil }
    var stored = content.stored
    let log = try LogTable.Reader(database)
    for position in positions where position > content.position {
      // A row is missing from this view only if the room was erased and made again meanwhile.
      guard let entry = try log.entry(of: content.number, at: position) else { break }
      stored.version = max(stored.version, entry.version)
      let place = SealedPlace.entry(version: entry.version)
      stored.entries.append(try keys.open(entry.body.bytes, entry.body.key, place, of: room))
    }
    return stored
  }
}
