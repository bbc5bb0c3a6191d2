internal import GRDB
internal import Platform
internal import Rooms

/// What the writer's queue knows and does: changes of rooms within a transaction that somebody else begins and ends.
///
/// Between `begin` and `finish` or `rollBack` its memory runs ahead of the file; either makes them agree again.
struct RoomWriter: Sendable {
  private var heads: Heads
  private let tails: Tails
  let keys: Keys
  private var nextPosition: Int64
  private var dead: DeadRows

  // What `rollBack` needs.
  private var undo: [(room: RoomID, head: Head?)] = []
  private var startPosition: Int64 = 0
  private var startDead = DeadRows()
  /// The rows of the rooms of the batch at hand; 0 for those that are being made.
  private var numbers: [Int64] = []
  /// Sealed rooms that may not need their keys any more, and keys that nothing is left of when the transaction is on
  /// disk.
  private var leaving: Set<RoomID> = []
  private var released: Set<Int64> = []
  /// What `finish` tells the tails.
  private var changes: [Tails.Change] = []

  /// Keys to shred: nothing is left on disk that they open.
  private(set) var shreddable: Set<Int64> = []
  /// Set when the system failed: what is on disk is not known any more, and nothing is written after that.
  var failure: StoreError?
  /// The last transaction was written: trimming may go on though nobody writes.
  private(set) var hasRoom = true
  /// Log rows written since the store was opened.
  private(set) var rowCount = 0
  /// Pages written since the last checkpoint, roughly.
  private(set) var pageCount = 0

  /// Reads what is left of the log from the last time: seconds of it, whatever the number of rooms.
  init(_ database: Database, tails: Tails, keys: Keys, limits: StoreLimits) throws {
    self.keys = keys
    heads = Heads(capacity: limits.headCount)
    self.tails = tails
    var live: [Tails.Change] = []
    var leftOver: [DeadRows.Row] = []
    var last: Int64 = 0
    let sql =
      "SELECT log.position, room.position, room.key, log.room FROM log LEFT JOIN room ON room.number = log.room "
      + "ORDER BY 1"
    try Query(database, sql).rows { row in
      last = row.integer(0)
      if let snapshot = row.optionalInteger(1), snapshot < last {
        guard let room = RoomID(storageKey: row.bytes(2)) else { throw SQLiteFailure.unknownRoom }
        live.append(.appended(room, position: last))
      } else {
        leftOver.append(DeadRows.Row(position: last, room: row.integer(3)))
      }
    }
    _ = tails.apply(live)
    dead = DeadRows(sorted: leftOver)
    let removed = try Query(database, "SELECT position FROM meta").first { $0.integer(0) }
    guard let removed else { throw SQLiteFailure(code: 11, message: "the table of settings is empty") }
    nextPosition = max(last, removed) + 1
  }

  mutating func begin() {
    undo.removeAll(keepingCapacity: true)
    changes.removeAll(keepingCapacity: true)
    leaving.removeAll()
    released.removeAll()
    startPosition = nextPosition
    startDead = dead
  }

  /// The transaction is on disk.
  mutating func finish() {
    hasRoom = true
    startDead = DeadRows()
    shreddable.formUnion(released)
    dead.append(tails.apply(changes))
    rowCount += Int(nextPosition - startPosition)
    heads.trim()
  }

  /// The transaction has left nothing.
  mutating func rollBack() {
    hasRoom = false
    rollBackHeads(to: 0)
    nextPosition = startPosition
    dead = startDead
    startDead = DeadRows()
    changes.removeAll(keepingCapacity: true)
  }

  private mutating func rollBackHeads(to mark: Int) {
    while undo.count > mark, let last = undo.popLast() { heads[last.room] = last.head }
  }

  mutating func checkpointDone() {
    pageCount = 0
  }
}

// MARK: - Commits

extension RoomWriter {
  /// Writes a batch, or nothing of it and answers why not. Throws when the whole transaction must be given up.
  mutating func commit(_ batch: [RoomCommit], _ database: Database) throws -> StoreError? {
    // All is checked before anything is written, so that a lost race costs no savepoint.
    if let conflict = try check(batch, database) { return conflict }
    let log = try Query(database, "INSERT INTO log (position, room, version, keyNumber, entry) VALUES (?, ?, ?, ?, ?)")
    for (index, commit) in batch.enumerated() {
      let known = numbers[index]
      let number = known != 0 ? known : try number(of: commit, database)
      if let snapshot = commit.snapshot {
        try write(snapshot, of: commit.room, number, database)
        if commit.random == nil { try advance(number, to: commit.version, database) }
        changes.append(.cleared(commit.room, number: number))
      } else if let entry = commit.entry {
        log.bind(nextPosition, at: 1)
        log.bind(number, at: 2)
        log.bind(commit.version, at: 3)
        let sealed = try seal(entry, .entry(version: commit.version), of: commit.room)
        log.bind(sealed.key, at: 4)
        try log.run(bindingInPlace: sealed.bytes, at: 5)
        changes.append(.appended(commit.room, position: nextPosition))
        nextPosition += 1
        pageCount += entry.count / 4096
      } else if commit.version != commit.expectedVersion && commit.random == nil {
        try Query(database, "UPDATE room SET version = ? WHERE number = ?")
          .run(.integer(commit.version), .integer(number))
      }
      if case .set(let due) = commit.due, due != nil || commit.random == nil {
        try Query(database, "UPDATE room SET due = ? WHERE number = ?")
          .run(.optional(due?.milliseconds), .integer(number))
        pageCount += 2
      }
      if !commit.history.isEmpty { try write(commit.history, of: commit.room, number, database) }
      if !(commit.sent.isEmpty && commit.taken.isEmpty) { try writeMessages(of: commit, database) }
      if !commit.segments.isEmpty { try write(commit.segments, of: commit, number, database) }
      for secret in commit.secrets { try write(secret, of: number, database) }
    }
    pageCount += 2 + batch.count / 10
    return nil
  }

  /// Moves the heads to where the batch leads, or answers which room is not where the batch believes it to be.
  private mutating func check(_ batch: [RoomCommit], _ database: Database) throws -> StoreError? {
    let mark = undo.count
    numbers.removeAll(keepingCapacity: true)
    // By index: a commit holds half a dozen arrays, and a copy of it retains each of them.
    for index in batch.indices {
      let room = batch[index].room
      let version = batch[index].version
      let head = try head(of: room, database)
      let isExpected =
        batch[index].expectedVersion == head?.version ?? 0 && version >= batch[index].expectedVersion
        && (head == nil) == (batch[index].random != nil)
      guard isExpected else {
        rollBackHeads(to: mark)
        return .conflict(room)
      }
      let next = Head(number: head?.number ?? 0, version: version)
      numbers.append(next.number)
      if next != head {
        undo.append((room, head))
        heads[room] = next
      }
    }
    return nil
  }

  private mutating func head(of room: RoomID, _ database: Database) throws -> Head? {
    if let head = heads[room] { return head }
    let sql = "SELECT number, version FROM room WHERE key = ?"
    let stored = try Query(database, sql).first(.bytes(room.storageKey)) {
      Head(number: $0.integer(0), version: $0.integer(1))
    }
    guard var head = stored else { return nil }
    if let position = tails.last(of: room) {
      let version = try Query(database, "SELECT version FROM log WHERE position = ?")
        .first(.integer(position)) { $0.integer(0) }
      head.version = max(head.version, version ?? 0)
    }
    heads[room] = head
    return head
  }

  /// The room's row, which is made here when the room is.
  private mutating func number(of commit: RoomCommit, _ database: Database) throws -> Int64 {
    if let number = heads[commit.room]?.number, number != 0 { return number }
    guard let random = commit.random else { throw SQLiteFailure.unknownRoom }
    let isInLog = commit.entry != nil && commit.snapshot == nil
    try Query(database, "INSERT INTO room (key, random, version, position) VALUES (?, ?, ?, ?)")
      .run(
        .bytes(commit.room.storageKey), .bytes(random),
        .integer(isInLog ? commit.expectedVersion : commit.version), .integer(nextPosition - 1))
    let number = database.lastInsertedRowID
    heads[commit.room]?.number = number
    pageCount += 2
    return number
  }

  private mutating func advance(_ number: Int64, to version: Int64, _ database: Database) throws {
    try Query(database, "UPDATE room SET version = ?, position = ? WHERE number = ?")
      .run(.integer(version), .integer(nextPosition - 1), .integer(number))
  }

  /// The bytes that go into a row, and the number of the key they are sealed with, 0 for none.
  private func seal(
    _ content: [UInt8], _ place: SealedPlace, of room: RoomID, with purpose: Keys.Purpose = .content
  ) throws -> (key: Int64, bytes: [UInt8]) {
    guard room.isSealed else { return (0, content) }
    let key = try keys.key(purpose, of: room)
    return (key.number, try key.seal(content, place, of: room))
  }

  private mutating func write(_ snapshot: [UInt8], of room: RoomID, _ number: Int64, _ database: Database) throws {
    let sql = """
      INSERT INTO snapshot (room, keyNumber, body) VALUES (?, ?, ?)
      ON CONFLICT (room) DO UPDATE SET keyNumber = excluded.keyNumber, body = excluded.body
      """
    let body = try seal(snapshot, .snapshot, of: room)
    try Query(database, sql).run(.integer(number), .integer(body.key), .bytes(body.bytes))
    pageCount += 2 + snapshot.count / 4096
  }

  private mutating func write(
    _ records: [HistoryRecord], of room: RoomID, _ number: Int64, _ database: Database
  ) throws {
    let sql = """
      INSERT INTO history (room, kind, id, at, keyNumber, body) VALUES (?, ?, ?, ?, ?, ?)
      ON CONFLICT (room, kind, id) DO UPDATE
      SET at = excluded.at, keyNumber = excluded.keyNumber, body = excluded.body
      """
    for record in records {
      if let body = record.body {
        let sealed = try seal(body, .history(kind: record.kind, id: record.id), of: room)
        try Query(database, sql).run(
          .integer(number), .text(record.kind), .bytes(record.id), .integer(record.at.milliseconds),
          .integer(sealed.key), .bytes(sealed.bytes))
      } else {
        try Query(database, "DELETE FROM history WHERE room = ? AND kind = ? AND id = ?")
          .run(.integer(number), .text(record.kind), .bytes(record.id))
      }
      pageCount += 3
    }
  }

  private mutating func writeMessages(of commit: RoomCommit, _ database: Database) throws {
    for message in commit.sent {
      let place = SealedPlace.message(source: commit.room, target: message.target, number: message.number)
      let sealed = try seal(
        message.body, place, of: commit.room.isSealed ? commit.room : message.target, with: .outbox)
      try Query(database, "INSERT INTO outbox (source, target, number, keyNumber, body) VALUES (?, ?, ?, ?, ?)")
        .run(
          .bytes(commit.room.storageKey), .bytes(message.target.storageKey), .integer(message.number),
          .integer(sealed.key), .bytes(sealed.bytes))
    }
    for taken in commit.taken {
      try Query(database, "DELETE FROM outbox WHERE target = ? AND source = ? AND number <= ?")
        .run(.bytes(commit.room.storageKey), .bytes(taken.source.storageKey), .integer(taken.number))
      if taken.source.isSealed { leaving.insert(taken.source) }
    }
    pageCount += 3 * (commit.sent.count + commit.taken.count)
  }

  /// Adds segments, and removes those that are older than anybody may count on.
  private mutating func write(
    _ segments: [Segment], of commit: RoomCommit, _ number: Int64, _ database: Database
  ) throws {
    guard let newest = segments.last else { return }
    var total =
      try Query(database, "SELECT total FROM segment WHERE room = ? ORDER BY version DESC LIMIT 1")
      .first(.integer(number)) { $0.integer(0) } ?? 0
    let sql = "INSERT INTO segment (room, version, since, at, total, keyNumber, body) VALUES (?, ?, ?, ?, ?, ?, ?)"
    for segment in segments {
      let sealed = try seal(segment.body, .segment(version: segment.version), of: commit.room)
      total += Int64(segment.body.count)
      try Query(database, sql).run(
        .integer(number), .integer(segment.version), .integer(segment.from), .integer(segment.at.milliseconds),
        .integer(total), .integer(sealed.key), .bytes(sealed.bytes))
      pageCount += 2 + segment.body.count / 4096
    }
    try removeSegments(
      of: number, before: newest.at + .zero - Segment.keptTime, upTo: commit.version - Segment.keptChanges,
      total: total - Int64(Segment.keptBytes), database)
  }

  /// Removes segments up to a version that are older than `instant`, or that end within the first `total` bytes. Those
  /// that stay are not looked at, since a busy room has thousands.
  private func removeSegments(
    of number: Int64, before instant: Instant, upTo version: Int64, total: Int64, _ database: Database
  ) throws {
    let sql = """
      SELECT version FROM (
        SELECT version, at, total FROM segment WHERE room = ? AND version > ? AND version <= ? ORDER BY version LIMIT 1
      ) WHERE at < ? OR total <= ?
      """
    let next = try Query(database, sql)
    var last: Int64?
    while let old = try next.first(
      .integer(number), .integer(last ?? -1), .integer(version), .integer(instant.milliseconds), .integer(total),
      body: { $0.integer(0) })
    {
      last = old
    }
    guard let last else { return }
    try Query(database, "DELETE FROM segment WHERE room = ? AND version <= ?").run(.integer(number), .integer(last))
  }

  private mutating func write(_ secret: SecretChange, of number: Int64, _ database: Database) throws {
    if secret.isValid {
      try Query(database, "INSERT INTO secret (hash, room) VALUES (?, ?)").run(.bytes(secret.hash), .integer(number))
    } else {
      try Query(database, "DELETE FROM secret WHERE hash = ? AND room = ?")
        .run(.bytes(secret.hash), .integer(number))
    }
    pageCount += 2
  }
}

// MARK: - Live values, erasing, trimming

extension RoomWriter {
  mutating func keepLive(_ values: [RoomID: [UInt8]], _ database: Database) throws {
    let sql = """
      INSERT INTO live (room, keyNumber, body) VALUES (?, ?, ?)
      ON CONFLICT (room) DO UPDATE SET keyNumber = excluded.keyNumber, body = excluded.body
      """
    for (room, body) in values {
      // A room that was erased meanwhile keeps nothing.
      guard let number = try head(of: room, database)?.number else { continue }
      let sealed = try seal(body, .live, of: room)
      try Query(database, sql).run(.integer(number), .integer(sealed.key), .bytes(sealed.bytes))
      pageCount += 1
    }
  }

  /// Removes messages that nobody will take.
  mutating func discard(_ messages: [StoredMessage], _ database: Database) throws {
    for stored in messages {
      try Query(database, "DELETE FROM outbox WHERE target = ? AND source = ? AND number = ?").run(
        .bytes(stored.message.target.storageKey), .bytes(stored.source.storageKey), .integer(stored.message.number))
      for room in [stored.source, stored.message.target] where room.isSealed { leaving.insert(room) }
      pageCount += 1
    }
  }

  /// Removes all that is kept of rooms but their addresses. What they have sent is still to arrive, and what was sent
  /// to them is given back, so messages stay until they are taken or discarded. Must have its transaction to itself:
  /// it counts on the tails being those of the file.
  mutating func erase(_ rooms: [RoomID], _ database: Database) throws {
    for room in rooms {
      if room.isSealed { leaving.insert(room) }
      guard let head = try head(of: room, database) else { continue }
      try deleteFromLog(dead.take(of: head.number), database)
      try deleteFromLog(tails.positions(of: room).map { $0...$0 }, database)
      try Query(database, "INSERT OR IGNORE INTO erased (key) VALUES (?)").run(.bytes(room.storageKey))
      for sql in [
        "DELETE FROM snapshot WHERE room = ?", "DELETE FROM live WHERE room = ?", "DELETE FROM history WHERE room = ?",
        "DELETE FROM secret WHERE room = ?", "DELETE FROM segment WHERE room = ?",
        "DELETE FROM room WHERE number = ?",
      ] {
        try Query(database, sql).run(.integer(head.number))
      }
      undo.append((room, head))
      heads[room] = nil
      changes.append(.cleared(room, number: head.number))
      pageCount += 8
    }
    try rememberPosition(database)
  }

  /// Looks which keys are not needed any more when the transaction is on disk: a room's own when the room is gone, that
  /// of its messages when they are, too. `rooms` are looked at beside those that something was removed of.
  mutating func releaseKeys(of rooms: Set<RoomID> = [], _ database: Database) throws {
    for room in leaving.union(rooms) {
      guard try head(of: room, database) == nil else { continue }
      if let number = keys.number(.content, of: room) { released.insert(number) }
      guard let number = keys.number(.outbox, of: room) else { continue }
      let isNeeded = try Query(database, "SELECT 1 FROM outbox WHERE keyNumber = ? AND keyNumber > 0 LIMIT 1")
        .first(.integer(number)) { _ in true }
      if isNeeded != true { released.insert(number) }
    }
  }

  /// Shreds the keys that nothing is left of. Throws when they are still there, perhaps: the next call tries again.
  mutating func shred() throws {
    guard !shreddable.isEmpty else { return }
    try keys.shred(shreddable)
    shreddable.removeAll()
  }

  /// Enough rows are dead to make trimming worth a step.
  var isTrimmingDue: Bool { dead.isDue(beside: tails.count) }
  var deadRowCount: Int { dead.count }

  /// Deletes log rows that are in snapshots: a few more than are about to be written, so that a busy store keeps up
  /// with itself and no transaction becomes long. Called before these are: they take the pages of those that go, each
  /// of which would otherwise be written twice, once to overwrite what was deleted.
  mutating func trim(before rowCount: Int, _ database: Database) throws {
    if rowCount > 0 { try trim(rowCount + rowCount / 4 + 1, database) }
  }

  /// The same for its own sake, while few write: so few rows that nobody waits for long.
  mutating func trimAtLeisure(_ database: Database) throws {
    if isTrimmingDue { try trim(256, database) }
  }

  private mutating func trim(_ limit: Int, _ database: Database) throws {
    try deleteFromLog(dead.take(limit), database)
    pageCount += limit / 10
    try rememberPosition(database)
  }

  private func deleteFromLog(_ positions: [ClosedRange<Int64>], _ database: Database) throws {
    let delete = try Query(database, "DELETE FROM log WHERE position BETWEEN ? AND ?")
    for range in positions {
      delete.bind(range.lowerBound, at: 1)
      delete.bind(range.upperBound, at: 2)
      try delete.runBound()
    }
  }

  /// Rows are about to go that told how far the log had come.
  private func rememberPosition(_ database: Database) throws {
    try Query(database, "UPDATE meta SET position = ?").run(.integer(nextPosition - 1))
  }
}

extension SQLiteFailure {
  /// A row refers to a room that does not exist, or whose key names none: only damage can bring that about.
  static let unknownRoom = SQLiteFailure(code: 11, message: "a row belongs to a room that does not exist")
}
