internal import GRDB
internal import Platform
internal import Rooms

/// The changes of rooms on the writer's thread, within a transaction that its caller begins and ends.
///
/// Between `begin` and `finish` or `rollBack` its memory runs ahead of the file; either makes them agree again.
struct RoomWriter: Sendable {
  private var heads: Heads
  private let tails: Tails
  let keys: Keys
  private var nextPosition: Int64
  private var dead: DeadRows

  // State of the running transaction. `rollBack` restores the memory from it.
  private var undo: [(room: RoomID, head: Head?)] = []
  private var startPosition: Int64 = 0
  private var startDead = DeadRows()
  /// The rows of the rooms of the running batch; 0 for rooms that the batch makes.
  private var numbers: [Int64] = []
  /// Sealed rooms that may need their keys no longer.
  private var leaving: Set<RoomID> = []
  /// Keys of which nothing is left once the transaction is on disk.
  private var released: Set<Int64> = []
  /// Changes that `finish` applies to the tails.
  private var changes: [Tails.Change] = []

  /// Keys to shred: nothing is left on disk that they open.
  private(set) var shreddable: Set<Int64> = []
  /// Set when the kernel failed: the state of the disk is unknown, and nothing is written after that.
  var failure: StoreError?
  /// The last transaction was written, so trimming may go on while the store is idle.
  private(set) var hasRoom = true
  /// Log rows written since the store was opened.
  private(set) var rowCount = 0
  /// An estimate of the pages written since the last checkpoint.
  private(set) var pageCount = 0

  /// Reads what is left of the log: seconds of changes, whatever the number of rooms.
  init(_ database: Database, tails: Tails, keys: Keys, limits: StoreLimits) throws {
    self.keys = keys
    heads = Heads(capacity: limits.headCount)
    self.tails = tails
    var live: [Tails.Change] = []
    var leftOver: [DeadRows.Row] = []
    var last: Int64 = 0
    try LogTable.places(database) { place in
      last = place.position
      if let owner = place.owner, owner.snapshotPosition < last {
        guard let room = RoomID(storageKey: owner.key) else { throw SQLiteFailure.unknownRoom }
        live.append(.appended(room, position: last))
      } else {
        leftOver.append(DeadRows.Row(position: last, room: place.room))
      }
    }
    _ = tails.apply(live)
    dead = DeadRows(sorted: leftOver)
    nextPosition = max(last, try MetaTable.position(database)) + 1
  }

  mutating func begin() {
    undo.removeAll(keepingCapacity: true)
    changes.removeAll(keepingCapacity: true)
    leaving.removeAll()
    released.removeAll()
    startPosition = nextPosition
    startDead = dead
  }

  /// Called when the transaction is on disk.
  mutating func finish() {
    hasRoom = true
    startDead = DeadRows()
    shreddable.formUnion(released)
    dead.append(tails.apply(changes))
    rowCount += Int(nextPosition - startPosition)
    heads.trim()
  }

  /// Called when the transaction has left nothing.
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
  /// Writes a batch, or writes nothing and returns the conflict. Throws if the whole transaction must be given up.
  mutating func commit(_ batch: [RoomCommit], _ database: Database) throws -> StoreError? {
    // Everything is checked before anything is written, so that a lost race costs no savepoint.
    if let conflict = try check(batch, database) { return conflict }
    let log = try LogTable.Appender(database)
    for (index, commit) in batch.enumerated() {
      let known = numbers[index]
      let number = known != 0 ? known : try number(of: commit, database)
      if let snapshot = commit.snapshot {
        try SnapshotTable.write(try seal(snapshot, .snapshot, of: commit.room), of: number, database)
        pageCount += 2 + snapshot.count / 4096
        if commit.random == nil {
          try RoomTable.advance(number, to: commit.version, position: nextPosition - 1, database)
        }
        changes.append(.cleared(commit.room, number: number))
      } else if let entry = commit.entry {
        let sealed = try seal(entry, .entry(version: commit.version), of: commit.room)
        try log.append(sealed, of: number, version: commit.version, at: nextPosition)
        changes.append(.appended(commit.room, position: nextPosition))
        nextPosition += 1
        pageCount += entry.count / 4096
      } else if commit.version != commit.expectedVersion && commit.random == nil {
        try RoomTable.setVersion(commit.version, of: number, database)
      }
      if case .set(let due) = commit.due, due != nil || commit.random == nil {
        try RoomTable.setDue(due, of: number, database)
        pageCount += 2
      }
      if !commit.history.isEmpty { try write(commit.history, of: commit.room, number, database) }
      if !(commit.sent.isEmpty && commit.taken.isEmpty) { try writeMessages(of: commit, database) }
      if !commit.segments.isEmpty { try write(commit.segments, of: commit, number, database) }
      for delivery in commit.deliveries {
        try DeliveryTable.insert(delivery, of: commit.room, database)
        pageCount += 3
      }
      if commit.endsAccount, case .person(let person) = commit.room {
        try SessionTable.deleteAll(of: person, database)
        try CodeTable.deleteAll(of: person, database)
        try DeliveryTable.deleteAll(of: commit.room, database)
        try AccountTable.delete(person, database)
        pageCount += 6
      }
      for secret in commit.secrets {
        try SecretTable.write(secret, of: number, database)
        pageCount += 2
      }
    }
    pageCount += 2 + batch.count / 10
    return nil
  }

  /// Moves the heads to where the batch leads, or returns the rooms that are at another version than expected.
  private mutating func check(_ batch: [RoomCommit], _ database: Database) throws -> StoreError? {
    let mark = undo.count
    var lost: [RoomID] = []
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
        if !lost.contains(room) { lost.append(room) }
        continue
      }
      let next = Head(number: head?.number ?? 0, version: version)
      numbers.append(next.number)
      if next != head {
        undo.append((room, head))
        heads[room] = next
      }
    }
    if lost.isEmpty { return nil }
    rollBackHeads(to: mark)
    return .conflict(lost)
  }

  private mutating func head(of room: RoomID, _ database: Database) throws -> Head? {
    if let head = heads[room] { return head }
    guard var head = try RoomTable.head(of: room, database) else { return nil }
    if let position = tails.last(of: room) {
      head.version = max(head.version, try LogTable.version(at: position, database) ?? 0)
    }
    heads[room] = head
    return head
  }

  /// The number of the room's row, which is made here if the commit makes the room.
  private mutating func number(of commit: RoomCommit, _ database: Database) throws -> Int64 {
    if let number = heads[commit.room]?.number, number != 0 { return number }
    guard let random = commit.random else { throw SQLiteFailure.unknownRoom }
    let isInLog = commit.entry != nil && commit.snapshot == nil
    let number = try RoomTable.insert(
      commit.room, random: random, version: isInLog ? commit.expectedVersion : commit.version,
      position: nextPosition - 1, database)
    heads[commit.room]?.number = number
    pageCount += 2
    return number
  }

  /// The content of a row: sealed if the room is.
  private func seal(
    _ content: [UInt8], _ place: SealedPlace, of room: RoomID, with purpose: Keys.Purpose = .content
  ) throws -> SealedBody {
    guard room.isSealed else { return SealedBody(key: 0, bytes: content) }
    let key = try keys.key(purpose, of: room)
    return SealedBody(key: key.number, bytes: try key.seal(content, place, of: room))
  }

  private mutating func write(
    _ records: [HistoryRecord], of room: RoomID, _ number: Int64, _ database: Database
  ) throws {
    for record in records {
      if let body = record.body {
        let sealed = try seal(body, .history(kind: record.kind, id: record.id), of: room)
        try HistoryTable.write(record, sealed, of: number, database)
        pageCount += 2 * record.about.count
      } else {
        try HistoryTable.delete(of: number, kind: record.kind, id: record.id, database)
      }
      pageCount += 3
    }
  }

  private mutating func writeMessages(of commit: RoomCommit, _ database: Database) throws {
    for message in commit.sent {
      let place = SealedPlace.message(source: commit.room, target: message.target, number: message.number)
      let sealed = try seal(
        message.body, place, of: commit.room.isSealed ? commit.room : message.target, with: .outbox)
      try OutboxTable.insert(sealed, from: commit.room, message, database)
    }
    for taken in commit.taken {
      try OutboxTable.delete(taken, by: commit.room, database)
      if taken.source.isSealed { leaving.insert(taken.source) }
    }
    pageCount += 3 * (commit.sent.count + commit.taken.count)
  }

  /// Adds segments, and removes those that are older than a client may count on.
  private mutating func write(
    _ segments: [Segment], of commit: RoomCommit, _ number: Int64, _ database: Database
  ) throws {
    guard let newest = segments.last else { return }
    var total = try SegmentTable.total(of: number, database)
    for segment in segments {
      let sealed = try seal(segment.body, .segment(version: segment.version), of: commit.room)
      total += Int64(segment.body.count)
      try SegmentTable.insert(sealed, segment, of: number, total: total, database)
      pageCount += 2 + segment.body.count / 4096
    }
    try SegmentTable.removeOld(
      of: number, before: newest.at + .zero - Segment.keptTime, upTo: commit.version - Segment.keptChanges,
      total: total - Int64(Segment.keptBytes), database)
  }
}

// MARK: - Live values, erasing, trimming

extension RoomWriter {
  mutating func keepLive(_ values: [RoomID: [UInt8]], _ database: Database) throws {
    for (room, body) in values {
      // The room may have been erased meanwhile, and keeps nothing then.
      guard let number = try head(of: room, database)?.number else { continue }
      try LiveTable.write(try seal(body, .live, of: room), of: number, database)
      pageCount += 1
    }
  }

  mutating func prune(
    history kind: String, before instant: Instant, limit: Int, _ database: Database
  ) throws -> Int {
    let count = try HistoryTable.prune(kind: kind, before: instant, limit: limit, database)
    pageCount += 4 * count
    return count
  }

  /// Removes messages that no room will take.
  mutating func discard(_ messages: [StoredMessage], _ database: Database) throws {
    for stored in messages {
      try OutboxTable.delete(stored, database)
      for room in [stored.source, stored.message.target] where room.isSealed { leaving.insert(room) }
      pageCount += 1
    }
  }

  /// Removes all that is kept of rooms but their addresses.
  ///
  /// A room's messages stay until they are taken or discarded: those that it sent still arrive, and those sent to it
  /// are returned. Must have its transaction to itself: it relies on the tails being those of the file.
  mutating func erase(_ rooms: [RoomID], _ database: Database) throws {
    for room in rooms {
      if room.isSealed { leaving.insert(room) }
      guard let head = try head(of: room, database) else { continue }
      try LogTable.delete(dead.take(of: head.number), database)
      try LogTable.delete(tails.positions(of: room).map { $0...$0 }, database)
      try ErasedTable.insert(key: room.storageKey, database)
      try SnapshotTable.delete(of: head.number, database)
      try LiveTable.delete(of: head.number, database)
      try HistoryTable.delete(of: head.number, database)
      try SecretTable.delete(of: head.number, database)
      try SegmentTable.delete(of: head.number, database)
      try RoomTable.delete(head.number, database)
      undo.append((room, head))
      heads[room] = nil
      changes.append(.cleared(room, number: head.number))
      pageCount += 8
    }
    try rememberPosition(database)
  }

  /// Finds the keys that are not needed once the transaction is on disk: a room's own key when the room is gone, the
  /// key of its messages when they are gone, too. Looks at `rooms` beside the rooms that lost something.
  mutating func releaseKeys(of rooms: Set<RoomID> = [], _ database: Database) throws {
    for room in leaving.union(rooms) {
      guard try head(of: room, database) == nil else { continue }
      if let number = keys.number(.content, of: room) { released.insert(number) }
      guard let number = keys.number(.outbox, of: room) else { continue }
      if try !OutboxTable.needs(key: number, database) { released.insert(number) }
    }
  }

  /// Shreds the keys that nothing is left of. If it throws, they may still be there, and the next call retries.
  mutating func shred() throws {
    guard !shreddable.isEmpty else { return }
    try keys.shred(shreddable)
    shreddable.removeAll()
  }

  /// Enough rows are dead to make trimming worth a step.
  var isTrimmingDue: Bool { dead.isDue(beside: tails.count) }
  var deadRowCount: Int { dead.count }

  /// Deletes dead log rows before `rowCount` new ones are written: a few more than these, so that a busy store keeps
  /// up with itself and no transaction becomes long.
  ///
  /// New rows take the pages of deleted ones. In the other order each of those pages would be written twice, since
  /// deleting overwrites it.
  mutating func trim(before rowCount: Int, _ database: Database) throws {
    if rowCount > 0 { try trim(rowCount + rowCount / 4 + 1, database) }
  }

  /// Deletes dead log rows while the store is idle: so few that no caller waits for long.
  mutating func trimWhileIdle(_ database: Database) throws {
    if isTrimmingDue { try trim(256, database) }
  }

  private mutating func trim(_ limit: Int, _ database: Database) throws {
    try LogTable.delete(dead.take(limit), database)
    pageCount += limit / 10
    try rememberPosition(database)
  }

  /// Called before rows are deleted that told how far the log had come.
  private func rememberPosition(_ database: Database) throws {
    try MetaTable.setPosition(nextPosition - 1, database)
  }
}
