internal import Crypto
internal import HTTP
internal import JSON
internal import Platform
internal import Rooms
internal import Transport
internal import WebSocket

/// Runs a `ClientCore` on an event loop: connections, files, timers, and callers that wait for results.
///
/// It writes to disk on the client's own loop, once per batch of events, so that changes of one batch share a flush.
///
/// `@unchecked`: `HearthClient` only passes the reference on; all members are used only on the loop.
final class ClientDriver: LoopHandler, ConnectionOwner, @unchecked Sendable {
  typealias Completion<Value> = (Result<Value, ClientError>) -> Void

  private let endpoint: Endpoint
  private let target: Target
  private let options: ServerConnection.Options
  private let files: any ClientFiles
  private var cache: RoomCache
  private var core: ClientCore
  private var loop: LoopCore?
  private var connection: Connection?

  private var timer: (any LoopTimer)?
  private var timerDeadline: Duration?
  private var wantsSave = false
  private var wantsStore = false
  private var logSize: Int
  /// Whether the last append failed and may have left a partial line.
  private var isLogTorn = false

  private var followers: [String: [EventQueue]] = [:]
  private var listeners: [AsyncStream<ClientEvent>.Continuation] = []
  private var acceptances: [Int64: Completion<Change>] = [:]
  private var outcomes: [Int64: Outcome] = [:]
  private var calls: [Int: Completion<JSON>] = [:]
  private var connecting: [Completion<Greeting>] = []
  private var left: ((ClientError) -> Void)?

  /// The log is rewritten when it exceeds four times the size of its content by this many bytes.
  private static let deadLogBytes = 64 << 10

  init(
    _ endpoint: Endpoint, _ target: Target, settings: ClientCore.Settings, options: HearthClient.Options,
    files: any ClientFiles
  ) throws(ClientError) {
    self.endpoint = endpoint
    self.target = target
    self.options = options.connection
    self.files = files
    do throws(FileError) {
      let (records, _) = try QueueLog.read(try files.read(QueueLog.file) ?? [])
      let owner = QueueOwner(client: ID(bytes: SystemRandom.bytes(16)) ?? ID(), person: nil, tokenHash: nil)
      let queue = ChangeQueue(records, new: owner, limits: options.queueLimits)
      let seed = SystemRandom.bytes(8).reduce(0) { $0 << 8 | UInt64($1) }
      core = ClientCore(settings, queue: queue, seed: seed)
      cache = try RoomCache(files, limit: options.keptBytes)
      // Rewrite the log: this removes a torn line and finished changes.
      _ = core.takeRecords()
      let file = core.queue.wholeFile
      try files.replace(QueueLog.file, with: file)
      logSize = file.count
    } catch {
      throw .storage(error)
    }
  }

  var client: ID<Client> { core.queue.owner.client }

  func begin(_ loop: LoopCore) { self.loop = loop }

  private var now: Duration { loop?.uptime ?? .zero }
  private var wall: Instant { loop?.now ?? Instant() }

  // MARK: the loop

  func opened(_ stream: any Stream) -> any StreamHandler {
    preconditionFailure("a client has no listener")
  }

  func batchEnded() {
    guard left == nil else { return }
    if exchange(&wantsSave, with: false) { save() }
    if exchange(&wantsStore, with: false) { store() }
  }

  private func setTimer() {
    guard core.deadline != timerDeadline else { return }
    timer?.cancel()
    timerDeadline = core.deadline
    timer = timerDeadline.flatMap { deadline in
      loop?.schedule(after: max(deadline - now, .zero)) { [weak self] in
        guard let self, left == nil else { return }
        timerDeadline = nil
        carryOut(core.tick(now))
      }
    }
  }

  // MARK: the connection

  func opened(_ connection: Connection) { carryOut(core.opened(at: now, wall: wall)) }

  func received(_ text: [UInt8], on connection: Connection) { carryOut(core.received(text, at: now)) }

  func ended(_ connection: Connection, _ reason: ClientError) {
    self.connection = nil
    if let left { return left(reason) }
    carryOut(core.ended(reason, at: now))
  }

  private func connect() {
    guard let loop, left == nil else { return }
    let upgrade = ClientUpgrade(
      host: endpoint.hostHeader, target: target, key: SystemRandom.bytes(16),
      subprotocols: [ServerConnection.subprotocol])
    connection = Connection.open(endpoint, upgrade, options: options, on: loop, owner: self)
  }

  // MARK: outputs of the core

  private func carryOut(_ outputs: [ClientCore.Output]) {
    for output in outputs { carryOut(output) }
    setTimer()
  }

  private func carryOut(_ output: ClientCore.Output) {
    switch output {
    case .connect: connect()
    case .disconnect:
      connection?.abandon()
      connection = nil
    case .fail(let error): connection?.fail(error, error.closeCode)
    case .send(let text): connection?.send(text: text)
    case .store:
      wantsStore = true
      loop?.wantBatchEnd()
    case .save:
      wantsSave = true
      loop?.wantBatchEnd()
    case .forget(let room): tidy { cache throws(FileError) in try cache.remove(room) }
    case .keepOnly(let rooms): tidy { cache throws(FileError) in try cache.keepOnly(rooms) }
    case .wipe:
      tidy { cache throws(FileError) in try cache.keepOnly([]) }
      rewriteLog()
    case .room(let room, let event): publish(event, of: room)
    case .client(let event): publish(event)
    case .accepted(let id):
      guard let change = core.queue.entries.first(where: { $0.change.id == id })?.change else { return }
      let outcome = Outcome()
      outcomes[id] = outcome
      acceptances.removeValue(forKey: id)?(.success(Change(queued: change, outcome: outcome)))
    case .rejected(let id, let error): acceptances.removeValue(forKey: id)?(.failure(error))
    case .settled(let id, let result): outcomes.removeValue(forKey: id)?.settle(result)
    case .called(let number, let result): calls.removeValue(forKey: number)?(result)
    }
  }

  private func publish(_ event: ClientEvent) {
    for listener in listeners { listener.yield(event) }
    switch event {
    case .connected(let greeting): for done in exchange(&connecting, with: []) { done(.success(greeting)) }
    case .disconnected(let error, _), .stopped(let error, _):
      for done in exchange(&connecting, with: []) { done(.failure(error)) }
    case .answered, .refused, .delayed, .storageFailed: break
    }
  }

  private func publish(_ event: RoomEvent, of room: String) {
    let snapshot = core.connection.snapshot(of: room)
    for queue in followers[room] ?? [] { queue.put(event, snapshot: snapshot) }
    guard case .closed = event else { return }
    for queue in followers.removeValue(forKey: room) ?? [] { queue.finish() }
  }

  // MARK: disk

  private func tidy(_ work: (inout RoomCache) throws(FileError) -> Void) {
    do throws(FileError) { try work(&cache) } catch { carryOut(.client(.storageFailed(error))) }
  }

  private func save() {
    var isWhole = true
    let needed = core.connection.followedRooms
    for (room, snapshot) in core.takeDirty() {
      do throws(FileError) { try cache.write(snapshot, of: room, needed: needed) } catch {
        isWhole = false
        carryOut(core.notSaved(room, error, at: now))
      }
    }
    if isWhole { carryOut(core.saved(at: now)) }
  }

  private func store() {
    if isLogTorn { rewriteLog() }
    let records = core.takeRecords()
    guard !records.isEmpty else { return }
    let line = QueueLog.line(records)
    do throws(FileError) {
      if isLogTorn { throw FileError(name: QueueLog.file, reason: .damaged) }
      try files.append(line, to: QueueLog.file)
      logSize += line.count
      carryOut(core.stored(at: now))
      if logSize > Self.deadLogBytes + 4 * core.queue.size, !core.queue.hasRecords { rewriteLog() }
    } catch {
      isLogTorn = true
      carryOut(core.notStored(error, at: now))
    }
  }

  /// Replaces the log by one that holds only open changes.
  private func rewriteLog() {
    let file = core.queue.wholeFile
    do throws(FileError) {
      try files.replace(QueueLog.file, with: file)
      logSize = file.count
      isLogTorn = false
    } catch {
      isLogTorn = true
      carryOut(.client(.storageFailed(error)))
    }
  }

  // MARK: requests of the application

  func start() { carryOut(core.start()) }

  func connect(_ completion: @escaping Completion<Greeting>) {
    if let greeting = core.greeting { return completion(.success(greeting)) }
    if let end = core.end { return completion(.failure(end)) }
    connecting.append(completion)
    carryOut(core.start())
  }

  func use(token: String) { carryOut(core.use(token: token)) }

  func listen(_ listener: AsyncStream<ClientEvent>.Continuation) {
    if left == nil { listeners.append(listener) } else { listener.finish() }
  }

  func follow(_ room: String, _ completion: @escaping Completion<EventQueue>) {
    do throws(ClientError) {
      let kept = core.connection.followedRooms.contains(room) ? nil : cache.read(room)
      let outputs = try core.follow(room, kept: kept)
      let queue = EventQueue()
      if let known = core.connection.snapshot(of: room) { queue.put(.state(known, reason: "kept"), snapshot: known) }
      followers[room, default: []].append(queue)
      completion(.success(queue))
      carryOut(outputs)
    } catch {
      completion(.failure(error))
    }
  }

  func unfollow(_ room: String) {
    for queue in followers.removeValue(forKey: room) ?? [] { queue.finish() }
    carryOut(core.unfollow(room))
  }

  func document(of room: String) -> RoomDocument? { core.document(of: room) }

  var queued: [QueuedChange] { core.queue.entries.filter(\.isOpen).map(\.change) }

  func change(
    _ method: String, _ parameters: JSON, room: String?, patch: JSON?, _ completion: @escaping Completion<Change>
  ) {
    do throws(ClientError) {
      let (id, outputs) = try core.change(method, parameters, room: room, patch: patch, wall: wall)
      acceptances[id] = completion
      carryOut(outputs)
    } catch {
      completion(.failure(error))
    }
  }

  func call(_ method: String, _ parameters: JSON, room: String?, _ completion: @escaping Completion<JSON>) {
    do throws(ClientError) {
      let (number, outputs) = try core.call(method, parameters, room: room)
      calls[number] = completion
      carryOut(outputs)
    } catch {
      completion(.failure(error))
    }
  }

  // MARK: the end

  /// Writes pending data, closes the connection in order, and completes every waiting caller with `closed`.
  func leave(_ done: @escaping (ClientError) -> Void) {
    save()
    store()
    timer?.cancel()
    left = { [unowned self] _ in
      for completion in exchange(&acceptances, with: [:]).values { completion(.failure(.closed)) }
      for done in exchange(&connecting, with: []) { done(.failure(.closed)) }
      for outcome in exchange(&outcomes, with: [:]).values { outcome.settle(.failure(.closed)) }
      for completion in exchange(&calls, with: [:]).values { completion(.failure(.closed)) }
      for queue in exchange(&followers, with: [:]).values.joined() { queue.finish() }
      for listener in exchange(&listeners, with: []) { listener.finish() }
      files.close()
      done(.closed)
    }
    if let connection, connection.isOpen { return connection.fail(.closed, .normal) }
    connection?.abandon()
    connection = nil
    left?(.closed)
  }
}
