import JSON
import Platform
import Rooms

/// The content of the disk, which survives a crash of the server up to the last flushed commit.
///
/// An independent implementation of `RoomStore` and `Directory` in memory. It also passes every entry of the log to the
/// journal, which keeps them all.
struct DiskContent {
  struct Kept {
    var version: Int64
    var random: [UInt8]
    var snapshot: [UInt8]?
    var entries: [[UInt8]] = []
    var live: [UInt8]?
    var due: Instant?
    var history: [HistoryRecord] = []
    var segments: [Segment] = []
  }

  var rooms: [RoomID: Kept] = [:]
  var messages: [StoredMessage] = []
  var secrets: [[UInt8]: RoomID] = [:]
  var erased: Set<RoomID> = []
  var accounts: [ID<Person>: Account] = [:]
  var sessions: [ID<Session>: SessionRecord] = [:]

  /// Writes a batch as a whole. If a room is not at the expected version, writes nothing and returns the conflict.
  mutating func commit(_ batch: [RoomCommit], _ journal: Journal) -> StoreError? {
    for commit in batch {
      let kept = rooms[commit.room]
      let isExpected =
        commit.expectedVersion == kept?.version ?? 0 && commit.version >= commit.expectedVersion
        && (kept == nil) == (commit.random != nil)
      guard isExpected else { return .conflict(commit.room) }
    }
    for commit in batch {
      var kept = rooms[commit.room] ?? Kept(version: 0, random: commit.random ?? [])
      kept.version = commit.version
      if let snapshot = commit.snapshot {
        kept.snapshot = snapshot
        kept.entries = []
      } else if let entry = commit.entry {
        kept.entries.append(entry)
      }
      if let entry = commit.entry { journal.note(entry, of: commit.room) }
      if case .set(let due) = commit.due { kept.due = due }
      for record in commit.history {
        kept.history.removeAll { $0.kind == record.kind && $0.id == record.id }
        if record.body != nil { kept.history.append(record) }
      }
      kept.segments += commit.segments
      rooms[commit.room] = kept
      messages += commit.sent.map { StoredMessage(source: commit.room, message: $0) }
      for taken in commit.taken {
        messages.removeAll {
          $0.message.target == commit.room && $0.source == taken.source && $0.message.number <= taken.number
        }
      }
      for secret in commit.secrets {
        if secret.isValid {
          secrets[secret.hash] = commit.room
        } else if secrets[secret.hash] == commit.room {
          secrets[secret.hash] = nil
        }
      }
    }
    return nil
  }

  mutating func erase(_ list: [RoomID]) {
    for room in list where rooms.removeValue(forKey: room) != nil {
      erased.insert(room)
      secrets = secrets.filter { $0.value != room }
    }
  }

  func load(_ room: RoomID) -> StoredRoom? {
    rooms[room].map {
      StoredRoom(
        version: $0.version, random: $0.random, snapshot: $0.snapshot, entries: $0.entries,
        segmentVersion: $0.segments.last?.version ?? 0, live: $0.live, due: $0.due)
    }
  }

  func missed(of room: RoomID, since version: Int64) -> Ring.Entry? {
    guard let kept = rooms[room] else { return nil }
    var composer = Ring.Composer(since: version)
    for segment in kept.segments { composer.add(segment) }
    return composer.entry.flatMap { $0.patch.count <= Room.documentLimit ? $0 : nil }
  }

  func history(of room: RoomID, _ query: HistoryQuery) -> [HistoryRecord] {
    func isBefore(_ record: HistoryRecord, _ at: Instant, _ id: [UInt8]) -> Bool {
      record.at != at ? record.at < at : record.id.lexicographicallyPrecedes(id)
    }
    let records = (rooms[room]?.history ?? []).filter { record in
      record.kind == query.kind && query.before.map { isBefore(record, $0.at, $0.id) } ?? true
    }
    return Array(records.sorted { isBefore($1, $0.at, $0.id) }.prefix(query.limit))
  }
}
