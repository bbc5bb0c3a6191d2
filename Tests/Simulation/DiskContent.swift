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
  /// A message and the place where it stands in the order of all.
  struct Sent {
    var row: Int64
    var stored: StoredMessage
  }

  var messages: [Sent] = []
  private var lastRow: Int64 = 0
  var secrets: [[UInt8]: [RoomID]] = [:]
  /// In the order of their rows.
  private(set) var deliveries: [StoredDelivery] = []
  private var lastDelivery: Int64 = 0
  var erased: Set<RoomID> = []
  var accounts: [ID<Person>: Account] = [:]
  var sessions: [ID<Session>: SessionRecord] = [:]
  var identities: [ProviderIdentity: ID<Person>] = [:]
  /// Nonces that have been used.
  var nonces: Set<[UInt8]> = []
  /// Puzzles that were used, by their challenges.
  var puzzles: [[UInt8]: (call: [UInt8], end: Instant)] = [:]
  /// The times of wrong PINs, by session.
  var wrongPINs: [ID<Session>: [Instant]] = [:]

  /// The sessions of a person, oldest first.
  func sessions(of person: ID<Person>) -> [SessionRecord] {
    sessions.values.filter { $0.person == person }.sorted { ($0.createdAt, $0.id) < ($1.createdAt, $1.id) }
  }

  /// Writes a batch, or writes nothing and returns the rooms that are at another version than expected.
  mutating func commit(_ batch: [RoomCommit], _ journal: Journal) -> StoreError? {
    let lost = batch.filter { commit in
      let kept = rooms[commit.room]
      let isExpected =
        commit.expectedVersion == kept?.version ?? 0 && commit.version >= commit.expectedVersion
        && (kept == nil) == (commit.random != nil)
      return !isExpected
    }
    if !lost.isEmpty { return .conflict(lost.map(\.room)) }
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
      for message in commit.sent {
        lastRow += 1
        messages.append(Sent(row: lastRow, stored: StoredMessage(source: commit.room, message: message)))
      }
      for taken in commit.taken {
        messages.removeAll { sent in
          let message = sent.stored.message
          return message.target == commit.room && sent.stored.source == taken.source && message.number <= taken.number
        }
      }
      for delivery in commit.deliveries { add(delivery, of: commit.room) }
      if commit.endsAccount, case .person(let person) = commit.room {
        accounts[person] = nil
        codes[person] = nil
        deliveries.removeAll { $0.room == commit.room }
        sessions = sessions.filter { $0.value.person != person }
      }
      for secret in commit.secrets {
        secrets[secret.hash, default: []].removeAll { $0 == commit.room }
        if secret.isValid { secrets[secret.hash, default: []].append(commit.room) }
      }
    }
    return nil
  }

  mutating func erase(_ list: [RoomID]) {
    for room in list where rooms.removeValue(forKey: room) != nil {
      erased.insert(room)
      secrets = secrets.mapValues { $0.filter { $0 != room } }
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

  private mutating func add(_ delivery: Delivery, of room: RoomID) {
    guard !deliveries.contains(where: { $0.room == room && $0.delivery.id == delivery.id }) else { return }
    lastDelivery += 1
    deliveries.append(
      StoredDelivery(row: lastDelivery, room: room, attempts: 0, due: delivery.notBefore, delivery: delivery))
  }

  func deliveries(in partitions: Partitions, limit: Int) -> [StoredDelivery] {
    let mine = deliveries.filter { partitions.contains(Partition(of: $0.room)) }
    return Array(mine.sorted { ($0.due, $0.row) < ($1.due, $1.row) }.prefix(limit))
  }

  mutating func settle(_ row: Int64, _ settlement: Settlement) {
    guard let index = deliveries.firstIndex(where: { $0.row == row }) else { return }
    switch settlement {
    case .done: deliveries.remove(at: index)
    case .retry(let instant):
      deliveries[index].attempts += 1
      deliveries[index].due = instant
    }
  }

  /// A code, how many wrong ones were given, and when codes of its purpose were made.
  struct Code {
    var code: AccountCode
    var wrongCount = 0
    var made: [Instant] = []
  }

  private var codes: [ID<Person>: [AccountCode.Purpose: Code]] = [:]

  mutating func note(_ claim: AddressClaim, of person: ID<Person>) {
    let isTaken = accounts.values.contains { $0.email == claim.code.email }
    _ = refusal(of: .setCode(claim.code, limit: .max), for: person)
    add(isTaken ? claim.warning : claim.letter, of: .person(person))
  }

  /// Makes a change that may be refused; `nil` if it was not.
  mutating func refusal(of change: AccountChange, for person: ID<Person>) -> AccountOutcome? {
    switch change {
    case .setCode(let code, let limit):
      let hour = Duration.seconds(3600)
      let made = (codes[person]?[code.purpose]?.made ?? []).filter { $0 > code.at - hour && $0 <= code.at }
      if made.count >= limit, let first = made.first { return .tooManyCodes(until: first + hour) }
      codes[person, default: [:]][code.purpose] = Code(code: code, made: made + [code.at])
      if code.purpose == .address { accounts[person]?.pendingEmail = code.email }
      return nil
    case .useCode(let purpose, let hash, let now):
      guard let kept = codes[person]?[purpose], kept.code.until > now, kept.wrongCount < AccountCode.guesses else {
        return .wrongCode
      }
      guard kept.code.hash == hash else {
        codes[person]?[purpose]?.wrongCount += 1
        return .wrongCode
      }
      codes[person]?[purpose]?.code.until = Instant()
      guard purpose == .address else { return nil }
      accounts[person]?.pendingEmail = nil
      if accounts.values.contains(where: { $0.email == kept.code.email && $0.person != person }) { return .emailTaken }
      accounts[person]?.email = kept.code.email
      accounts[person]?.verifiedAt = now
      accounts[person]?.revision.number += 1
      return nil
    case .setEmail(let email):
      if accounts.values.contains(where: { $0.email == email && $0.person != person }) { return .emailTaken }
      accounts[person]?.email = email
      accounts[person]?.verifiedAt = nil
      accounts[person]?.revision.number += 1
      return nil
    default: return nil
    }
  }

  /// Makes a change, and returns the sessions that it has ended without naming them.
  mutating func make(_ change: AccountChange, of person: ID<Person>) -> [ID<Session>] {
    switch change {
    case .setCode, .useCode, .setEmail: break
    case .verifyAddress(let now):
      if accounts[person]?.verifiedAt == nil { accounts[person]?.verifiedAt = now }
    case .deliver(let delivery): add(delivery, of: .person(person))
    case .setPasswordHash(let hash):
      accounts[person]?.passwordHash = hash
      accounts[person]?.revision.number += 1
    case .setPINHash(let hash):
      accounts[person]?.pinHash = hash
      accounts[person]?.revision.number += 1
    case .confirm(let id, let confirmation, let now):
      guard sessions[id]?.person == person else { return [] }
      sessions[id]?.confirmed = SessionRecord.Confirmed(by: confirmation, at: now)
      wrongPINs[id] = nil
    case .noteWrongPIN(let id, let now, let limit, let time):
      guard sessions[id]?.person == person else { return [] }
      wrongPINs[id] = (wrongPINs[id] ?? []).filter { $0 >= now - time } + [now]
      guard wrongPINs[id]?.count ?? 0 >= limit else { return [] }
      sessions[id] = nil
      return [id]
    case .renameSession(let id, let name):
      if sessions[id]?.person == person { sessions[id]?.name = name }
    case .endSessions(let ids):
      for id in ids where sessions[id]?.person == person { sessions[id] = nil }
    case .endOtherSessions(let own):
      let ended = sessions.values.filter { $0.person == person && $0.id != own }.map(\.id)
      for id in ended { sessions[id] = nil }
      return ended
    case .addSession(let session, let limit):
      let others = sessions.values.filter { $0.person == person }
        .sorted { ($0.lastUsedAt, $0.id) < ($1.lastUsedAt, $1.id) }
      let ended = others.prefix(max(0, others.count + 1 - limit)).map(\.id)
      for id in ended { sessions[id] = nil }
      sessions[session.id] = session
      return ended
    case .spend(let nonce, _): nonces.insert(nonce.bytes)
    }
    return []
  }

  mutating func prune(history kind: String, before instant: Instant, limit: Int) -> Int {
    var old = rooms.flatMap { room, kept in
      kept.history.filter { $0.kind == kind && $0.at < instant }.map { (room: room, record: $0) }
    }
    old.sort { ($0.record.at, $0.room) < ($1.record.at, $1.room) }
    for (room, record) in old.prefix(limit) {
      rooms[room]?.history.removeAll { $0.kind == kind && $0.id == record.id }
    }
    return min(limit, old.count)
  }

  func due(_ kind: DueKind, in partitions: Partitions, after cursor: DueRoom?, limit: Int) -> [DueRoom] {
    let all = rooms.compactMap { room, kept in kept.due.map { DueRoom(room: room, due: $0) } }
    let due = all.filter { due in
      DueKind(due.room) == kind && partitions.contains(Partition(of: due.room)) && cursor?.precedes(due) ?? true
    }
    return Array(due.sorted { $0.precedes($1) }.prefix(limit))
  }

  func undelivered(in partitions: Partitions, after cursor: OutboxCursor?, limit: Int) -> OutboxPage {
    let waiting = messages.filter { sent in
      sent.row > cursor?.row ?? 0 && partitions.contains(Partition(of: sent.stored.message.target))
    }
    let page = waiting.prefix(limit)
    let next = waiting.count > limit ? page.last.map { OutboxCursor(row: $0.row) } : nil
    return OutboxPage(messages: page.map(\.stored), next: next)
  }

  func history(of room: RoomID, _ query: HistoryQuery) -> [HistoryRecord] {
    query.page(of: rooms[room]?.history ?? [])
  }
}
