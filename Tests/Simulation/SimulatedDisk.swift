import JSON
import Platform
import Rooms

/// A way in which a disk breaks its promises, to prove that the checks detect it.
public enum DiskLie: Sendable, CaseIterable {
  /// Commits are answered one second before they are flushed.
  case answersBeforeFlush
  /// The last entries of a log are missing when it is read.
  case losesEntries
}

/// A disk with a queue: calls are carried out one after another and answered later, with random delays.
///
/// A crash loses the calls in the queue.
///
/// `@unchecked`: a simulated world has one thread.
final class SimulatedDisk: RoomStore, Directory, DeliveryStore, @unchecked Sendable {
  private unowned let world: World
  private(set) var content = DiskContent()
  let journal: Journal
  let generation: [UInt8]
  /// The longest time of a call.
  var latency = Duration.milliseconds(3)
  /// Whether the disk has no space.
  var isFull = false
  /// Counts crashes: calls from before the last crash are lost.
  private(set) var incarnation = 0
  private var busyUntil = Duration.zero
  /// Whether the disk has failed; it then writes nothing until the next crash.
  private(set) var hasFailed = false
  /// Whether the next write fails permanently.
  var willFail = false
  /// The promise that this disk breaks, if any.
  var lie: DiskLie?

  init(_ world: World) {
    self.world = world
    journal = Journal(world)
    generation = world.random.bytes(16)
  }

  func crash() {
    incarnation += 1
    busyUntil = .zero
    hasFailed = false
    willFail = false
  }

  /// - Parameter isWrite: whether a disk that lies may answer before the work is done.
  private func carryOut<Value: Sendable>(
    _ reply: Reply<Value>, isWrite: Bool = false, _ work: @escaping () -> Value
  ) {
    let born = incarnation
    let now = world.timeline.now
    busyUntil = max(busyUntil, now) + world.random.time(upTo: latency)
    world.timeline.after(busyUntil - now) { [self] in
      guard born == incarnation else { return }
      let value: Value
      if isWrite, lie == .answersBeforeFlush, let early = Result<Void, StoreError>.success(()) as? Value {
        value = early
        world.timeline.after(.seconds(1)) { [self] in
          if born == incarnation { _ = work() }
        }
      } else {
        value = work()
      }
      // The data is on disk, but the server does not know it yet.
      world.timeline.after(world.random.time(upTo: .microseconds(300))) { [self] in
        if born == incarnation { reply(value) }
      }
    }
  }

  private func write<Value: Sendable>(
    _ reply: Reply<Result<Value, StoreError>>, _ work: @escaping (inout DiskContent) -> Result<Value, StoreError>
  ) {
    carryOut(reply, isWrite: true) { [self] in
      if willFail { hasFailed = true }
      if hasFailed { return .failure(.failed("the simulated disk has failed")) }
      if isFull { return .failure(.full) }
      return work(&content)
    }
  }

  private func read<Value: Sendable>(
    _ reply: Reply<Result<Value, StoreError>>, _ work: @escaping (DiskContent) -> Value
  ) {
    carryOut(reply) { [self] in .success(work(content)) }
  }

  // MARK: rooms

  func load(_ room: RoomID, reply: Reply<Result<StoredRoom?, StoreError>>) {
    read(reply) { [lie] content in
      var stored = content.load(room)
      if lie == .losesEntries, let count = stored?.entries.count, count > 2 { stored?.entries.removeLast(2) }
      return stored
    }
  }

  func commit(_ batch: [RoomCommit], reply: Reply<Result<Void, StoreError>>) {
    write(reply) { [journal, world] content in
      if let error = content.commit(batch, journal) {
        world.violate("I3", "a commit did not follow the previous one: \(error)")
        return .failure(error)
      }
      world.flushed(batch)
      return .success(())
    }
  }

  func missed(of room: RoomID, since version: Int64, reply: Reply<Result<Ring.Entry?, StoreError>>) {
    read(reply) { $0.missed(of: room, since: version) }
  }

  func keepLive(_ values: [(room: RoomID, body: [UInt8])]) {
    let born = incarnation
    world.timeline.after(world.random.time(upTo: .seconds(1))) { [self] in
      guard born == incarnation, !isFull, !hasFailed else { return }
      for (room, body) in values { content.rooms[room]?.live = body }
    }
  }

  func history(of room: RoomID, _ query: HistoryQuery, reply: Reply<Result<[HistoryRecord], StoreError>>) {
    read(reply) { $0.history(of: room, query) }
  }

  func prune(history kind: String, before instant: Instant, limit: Int, reply: Reply<Result<Int, StoreError>>) {
    write(reply) { .success($0.prune(history: kind, before: instant, limit: limit)) }
  }

  func due(
    _ kind: DueKind, in partitions: Partitions, after cursor: DueRoom?, limit: Int,
    reply: Reply<Result<[DueRoom], StoreError>>
  ) { read(reply) { $0.due(kind, in: partitions, after: cursor, limit: limit) } }

  func undelivered(
    in partitions: Partitions, after cursor: OutboxCursor?, limit: Int, reply: Reply<Result<OutboxPage, StoreError>>
  ) { read(reply) { $0.undelivered(in: partitions, after: cursor, limit: limit) } }

  func rooms(secret hash: [UInt8], limit: Int, reply: Reply<Result<[RoomID], StoreError>>) {
    read(reply) { Array(($0.secrets[hash] ?? []).prefix(limit)) }
  }

  func discard(_ messages: [StoredMessage], reply: Reply<Result<Void, StoreError>>) {
    write(reply) { content in
      content.messages.removeAll { messages.contains($0.stored) }
      return .success(())
    }
  }

  func wasErased(_ room: RoomID, reply: Reply<Result<Bool, StoreError>>) { read(reply) { $0.erased.contains(room) } }

  func erase(_ rooms: [RoomID], reply: Reply<Result<Void, StoreError>>) {
    write(reply) { [journal] content in
      content.erase(rooms)
      for room in rooms { journal.noteErased(room) }
      return .success(())
    }
  }

  func size(reply: Reply<Result<StoreSize, StoreError>>) {
    read(reply) { StoreSize(rooms: $0.rooms.count, bytes: 0) }
  }

  // MARK: deliveries

  func deliveries(
    in partitions: Partitions, limit: Int, reply: Reply<Result<[StoredDelivery], StoreError>>
  ) { read(reply) { $0.deliveries(in: partitions, limit: limit) } }

  func settle(_ row: Int64, _ settlement: Settlement, reply: Reply<Result<Void, StoreError>>) {
    write(reply) { [world] content in
      if settlement == .done, let stored = content.deliveries.first(where: { $0.row == row }) {
        world.checkDelivered(stored)
      }
      content.settle(row, settlement)
      return .success(())
    }
  }

  // MARK: accounts

  /// Writes a person's account and room before the world starts.
  func seed(_ account: Account, room: RoomCommit, sessions: [SessionRecord]) {
    _ = content.commit([room], journal)
    content.accounts[account.person] = account
    for session in sessions { content.sessions[session.id] = session }
  }

  /// Notes that a session has confirmed.
  func confirm(_ session: String) {
    guard let id = ID<Session>(session) else { return }
    content.sessions[id]?.confirmed = SessionRecord.Confirmed(by: .pin, at: world.wallTime)
  }

  func createAccount(
    _ account: Account, by proof: AccountProof, room: RoomCommit, session: SessionRecord,
    reply: Reply<Result<AccountCreation, StoreError>>
  ) {
    write(reply) { [journal] content in
      if let email = account.email, content.accounts.values.contains(where: { $0.email == email }) {
        return .success(.emailTaken)
      }
      if case .identity(let proof) = proof {
        if content.nonces.contains(proof.nonce.bytes) { return .success(.nonceSpent) }
        if content.identities[proof.identity] != nil { return .success(.identityTaken) }
      }
      if let error = content.commit([room], journal) { return .failure(error) }
      content.accounts[account.person] = account
      content.sessions[session.id] = session
      switch proof {
      case .none: break
      case .claim(let claim): content.note(claim, of: account.person)
      case .identity(let proof):
        content.nonces.insert(proof.nonce.bytes)
        content.identities[proof.identity] = account.person
      }
      return .success(.created)
    }
  }

  func account(by key: AccountKey, reply: Reply<Result<Account?, StoreError>>) {
    read(reply) { content in
      switch key {
      case .email(let email): content.accounts.values.first { $0.email == email }
      case .person(let person): content.accounts[person]
      case .identity(let identity): content.identities[identity].flatMap { content.accounts[$0] }
      }
    }
  }

  func change(
    _ person: ID<Person>, expecting revision: Revision?, _ changes: [AccountChange],
    reply: Reply<Result<AccountOutcome, StoreError>>
  ) {
    write(reply) { [world] content in
      if let revision, content.accounts[person]?.revision != revision { return .success(.outdated) }
      for case .spend(let nonce, _) in changes where content.nonces.contains(nonce.bytes) {
        return .success(.nonceSpent)
      }
      var ended: [ID<Session>] = []
      for change in changes {
        if let refusal = content.refusal(of: change, for: person) { return .success(refusal) }
        let others = content.make(change, of: person)
        ended += others
        if case .addSession(let session, _) = change { world.logins.opened(session.id, of: person, unused: others) }
      }
      return .success(.changed(ended: ended))
    }
  }

  func session(tokenHash: [UInt8], reply: Reply<Result<SessionRecord?, StoreError>>) {
    read(reply) { $0.sessions.values.first { $0.tokenHash == tokenHash } }
  }

  func session(_ id: ID<Session>, reply: Reply<Result<SessionRecord?, StoreError>>) { read(reply) { $0.sessions[id] } }

  func accounts(after person: ID<Person>?, limit: Int, reply: Reply<Result<[ListedAccount], StoreError>>) {
    read(reply) { content in
      let behind = content.accounts.values.filter { account in person.map { $0 < account.person } ?? true }
      return behind.sorted { $0.person < $1.person }.prefix(limit).map { account in
        ListedAccount(account, sessions: content.sessions(of: account.person))
      }
    }
  }

  func count(reply: Reply<Result<DirectoryCount, StoreError>>) {
    read(reply) { DirectoryCount(accounts: $0.accounts.count, sessions: $0.sessions.count) }
  }

  func touchSession(_ session: ID<Session>, at instant: Instant) {
    let born = incarnation
    world.timeline.after(.seconds(60)) { [self] in
      if born == incarnation, !isFull, !hasFailed { content.sessions[session]?.lastUsedAt = instant }
    }
  }

  func sessions(of person: ID<Person>, reply: Reply<Result<[SessionRecord], StoreError>>) {
    read(reply) { $0.sessions(of: person) }
  }

  func secret(reply: Reply<Result<[UInt8], StoreError>>) { read(reply) { _ in [UInt8](repeating: 7, count: 32) } }

  func spend(
    puzzle challenge: [UInt8], by call: [UInt8], until end: Instant, at now: Instant,
    reply: Reply<Result<Bool, StoreError>>
  ) {
    write(reply) { content in
      content.puzzles = content.puzzles.filter { $0.value.end >= now }
      if let earlier = content.puzzles[challenge] { return .success(!call.isEmpty && earlier.call == call) }
      content.puzzles[challenge] = (call, end)
      return .success(true)
    }
  }
}
