internal import Crypto
internal import JSON
internal import Rooms

/// What a `HearthClient` does, as a value: what happens goes in with the time, what is to be done comes out.
///
/// It decides when to connect, what to say on a connection, what of the queue may be sent, and what a room is shown as.
/// It owns no socket, file or clock; its random numbers come from a seed. After each call its driver carries out the
/// outputs in order, and calls `tick` at `deadline`.
struct ClientCore: Sendable {
  enum Output: Equatable {
    case connect
    /// End the connection at once; nothing is to be heard of it any more.
    case disconnect
    /// The server has broken the protocol: close, and tell of the end as of any other.
    case fail(ClientError)
    case send([UInt8])
    /// Write the queue's records, then say `stored` or `notStored`.
    case store
    /// Write the documents of `takeDirty`, then say `saved`.
    case save
    /// Remove what is kept of a room, of all rooms but these, or of everything.
    case forget(String)
    case keepOnly(Set<String>)
    case wipe
    case room(String, RoomEvent)
    case client(ClientEvent)
    /// A new change is on disk, or not.
    case accepted(Int64)
    case rejected(Int64, ClientError)
    /// A change has been answered for good.
    case settled(Int64, Result<JSON, ClientError>)
    /// A call besides the queue has been answered.
    case called(Int, Result<JSON, ClientError>)
  }

  enum Phase: Equatable {
    case idle
    case waiting(until: Duration)
    case connecting
    case greeting(call: Int, until: Duration)
    case ready(since: Duration)
    /// Until somebody asks to go on.
    case stopped
  }

  struct Settings: Sendable {
    var token: String
    var app: String?
    var backoff = Backoff()
    var limits = ConnectionCore.Limits()
    /// How long the server may take to answer hello.
    var greetingLimit = Duration.seconds(30)
    /// How long documents and answers wait for being written together.
    var saveInterval = Duration.seconds(5)
  }

  private(set) var phase = Phase.idle
  private(set) var queue: ChangeQueue
  private(set) var connection: ConnectionCore
  private(set) var backoff: Backoff
  private var settings: Settings
  private var random: UInt64
  /// Why everything was wiped, until there is another token.
  private(set) var end: ClientError?
  /// What the server has said of the connection that there is.
  private(set) var greeting: Greeting?
  private var plainCalls: Set<Int> = []
  private var resubscriptions: [String: Duration] = [:]
  private var dirty: Set<String> = []
  private var saveAt: Duration?
  /// What was told of changes that are shown.
  private var reportedRevision = 0
  private var reportedPending: [String: [Int64]] = [:]

  init(_ settings: Settings, queue: ChangeQueue, seed: UInt64) {
    self.settings = settings
    self.queue = queue
    backoff = settings.backoff
    connection = ConnectionCore(limits: settings.limits)
    random = seed
    if queue.owner.person == nil, queue.owner.tokenHash == nil {
      var owner = queue.owner
      owner.tokenHash = Self.hash(settings.token)
      self.queue.set(owner)
    }
  }

  static func hash(_ token: String) -> String { Base64.url.encode(SHA256.hash(Array(token.utf8))) }

  /// Whether documents that were kept are surely the caller's: somebody with the same token wrote them.
  var isOwner: Bool { queue.owner.tokenHash == Self.hash(settings.token) }

  /// When `tick` has something to do.
  var deadline: Duration? {
    var times = [saveAt]
    switch phase {
    case .waiting(let until), .greeting(_, let until): times.append(until)
    case .ready:
      times += resubscriptions.values.map(\.self)
      times.append(queue.deadline)
    case .idle, .connecting, .stopped: break
    }
    return times.compactMap(\.self).min()
  }

  // MARK: connecting

  /// Begins, or goes on after `stopped`, or cuts a wait short.
  mutating func start() -> [Output] {
    switch phase {
    case .idle, .waiting, .stopped:
      if end != nil { return [] }
      phase = .connecting
      return [.connect]
    case .connecting, .greeting, .ready: return []
    }
  }

  /// Goes on with a token, perhaps another person's: documents are asked for anew, and what is queued waits until the
  /// server has said whose token it is.
  mutating func use(token: String) -> [Output] {
    end = nil
    if token != settings.token { forgetDocuments() }
    settings.token = token
    if queue.owner.person == nil, queue.entries.isEmpty { setOwner(queue.owner.person) }
    let lost = leave(.closed)
    phase = .connecting
    return lost + [.store, .disconnect, .connect]
  }

  private mutating func forgetDocuments() {
    for room in connection.followedRooms {
      connection.forget(room)
      try? connection.expect(room, known: nil)
    }
    dirty = []
  }

  private mutating func setOwner(_ person: ID<Person>?) {
    var owner = queue.owner
    owner.person = person
    owner.tokenHash = Self.hash(settings.token)
    queue.set(owner)
  }

  /// The connection has been made: says hello.
  mutating func opened(at now: Duration, wall: Instant) -> [Output] {
    guard phase == .connecting else { return [.disconnect] }
    connection.reconnect()
    var parameters: [String: JSON] = [
      "client": .string(queue.owner.client.description), "token": .string(settings.token),
    ]
    parameters["app"] = settings.app.map(JSON.string)
    guard let hello = try? connection.call("hello", .object(parameters)) else {
      return stop(.tooMuch("sentMessageBytes"))
    }
    phase = .greeting(call: hello.number, until: now + settings.greetingLimit)
    let outdated = queue.expire(at: wall)
    return [.send(hello.text)] + outdated.flatMap { refuse($0, .outdated, at: now) }
  }

  /// The connection is over, or could not be made.
  mutating func ended(_ error: ClientError, at now: Duration) -> [Output] {
    switch phase {
    case .connecting, .greeting, .ready: break
    case .idle, .waiting, .stopped: return []
    }
    if case .ready(let since) = phase, now - since >= backoff.stableAfter { backoff.reset() }
    let lost = leave(error)
    switch Recovery(after: error) {
    case .retry(let atLeast):
      let unit = Double(nextRandom() >> 11) / Double(1 << 53)
      return lost + wait(max(backoff.next(unit: unit), atLeast), after: error, at: now)
    // The server has spread its clients itself.
    case .retryExactly(let delay):
      backoff.reset()
      return lost + wait(delay, after: error, at: now)
    case .stop: return lost + stop(error)
    case .forget: return lost + wipe(error)
    }
  }

  private mutating func wait(_ delay: Duration, after error: ClientError, at now: Duration) -> [Output] {
    phase = .waiting(until: now + delay)
    return [.client(.disconnected(error, retryAfter: delay))]
  }

  /// Forgets what belongs to a connection.
  private mutating func leave(_ error: ClientError) -> [Output] {
    greeting = nil
    queue.disconnected()
    connection.reconnect()
    resubscriptions = [:]
    return exchange(&plainCalls, with: []).sorted().map { .called($0, .failure(error)) }
  }

  private mutating func stop(_ error: ClientError) -> [Output] {
    phase = .stopped
    return [.disconnect, .client(.stopped(error, isWiped: false))]
  }

  /// The session is over: nothing of it may stay here (ACC-14, SEC-8).
  private mutating func wipe(_ error: ClientError) -> [Output] {
    phase = .stopped
    end = error
    let outputs = forgetEverything(error)
    return [.disconnect] + outputs + [.client(.stopped(error, isWiped: true))]
  }

  private mutating func forgetEverything(_ error: ClientError) -> [Output] {
    var outputs: [Output] = [.wipe]
    for change in queue.wipe() {
      outputs += [.rejected(change.id, error), .settled(change.id, .failure(error)), .client(.refused(change, error))]
    }
    for room in connection.followedRooms.sorted() where end != nil {
      connection.forget(room)
      outputs.append(.room(room, .closed(reason: "sessionEnded")))
    }
    reportedPending = [:]
    dirty = []
    saveAt = nil
    return outputs
  }

  /// SplitMix64.
  private mutating func nextRandom() -> UInt64 {
    random &+= 0x9E37_79B9_7F4A_7C15
    var z = random
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }

  // MARK: messages

  mutating func received(_ text: [UInt8], at now: Duration) -> [Output] {
    var outputs: [Output] = []
    do throws(ClientError) {
      for output in try connection.receive(text) { outputs += handle(output, at: now) }
    } catch {
      return outputs + [.fail(error)]
    }
    return outputs + proceed(at: now)
  }

  mutating func tick(_ now: Duration) -> [Output] {
    var outputs: [Output] = []
    switch phase {
    case .waiting(let until) where until <= now:
      phase = .connecting
      outputs.append(.connect)
    case .greeting(_, let until) where until <= now:
      outputs += [.disconnect] + ended(.silent, at: now)
    case .ready:
      for room in resubscriptions.filter({ $0.value <= now }).keys.sorted() {
        resubscriptions[room] = nil
        if let sends = try? connection.resubscribe(to: room) { outputs += sends.flatMap { handle($0, at: now) } }
      }
      queue.tick(now)
    case .idle, .waiting, .connecting, .greeting, .stopped: break
    }
    if let time = saveAt, time <= now {
      saveAt = nil
      outputs.append(.save)
    }
    return outputs + proceed(at: now)
  }

  private mutating func handle(_ output: ConnectionCore.Output, at now: Duration) -> [Output] {
    switch output {
    case .send(let text): return [.send(text)]
    case .answered(let number, let result): return answered(number, result, at: now)
    case .confirmed(let room, let mark):
      queue.confirmed(upTo: mark, in: room)
      return []
    case .postponed(let room, let error):
      resubscriptions[room] = now + (error.retryAfter ?? .seconds(1))
      return []
    case .event(let room, let event): return happened(event, in: room, at: now)
    case .sessionEnded(let reason): return ended(.sessionEnded(reason: reason), at: now)
    case .leaving(let delay): return [.disconnect] + ended(.leaving(reconnectAfter: delay), at: now)
    }
  }

  private mutating func answered(
    _ number: Int, _ result: Result<JSON, ServerError>, at now: Duration
  ) -> [Output] {
    if case .greeting(number, _) = phase { return greeted(result, at: now) }
    if plainCalls.remove(number) != nil { return [.called(number, result.mapError(ClientError.server))] }
    guard let outcome = queue.take(result, of: number, at: now) else { return [] }
    switch outcome {
    case .answered(let change, let answer):
      saveSoon(now)
      queue.reached(connection.snapshot(of: change.roomKey)?.version, in: change.roomKey)
      return [.settled(change.id, .success(answer)), .client(.answered(change, answer))]
    case .refused(let change, let error): return refuse(change, .server(error), at: now)
    case .delayed(let change, let error, let delay): return [.client(.delayed(change, error, delay))]
    case .renumbered: return []
    case .unauthorized(let error): return [.disconnect] + ended(.server(error), at: now)
    }
  }

  private mutating func refuse(_ change: QueuedChange, _ error: ClientError, at now: Duration) -> [Output] {
    saveSoon(now)
    return [.settled(change.id, .failure(error)), .client(.refused(change, error))]
  }

  private mutating func greeted(_ result: Result<JSON, ServerError>, at now: Duration) -> [Output] {
    let greeting: Greeting
    do throws(ClientError) {
      switch result {
      case .success(let answer): greeting = try Greeting(AnswerReader(answer, of: "hello"))
      case .failure(let error): throw .server(error)
      }
      guard greeting.me != nil else { throw .malformed("hello names nobody") }
    } catch {
      return [.disconnect] + ended(error, at: now)
    }
    var outputs: [Output] = []
    let isKnown = queue.owner.person == greeting.me || queue.owner.person == nil && isOwner
    if !isKnown { outputs += forgetEverything(.sessionEnded(reason: "anotherPerson")) }
    setOwner(greeting.me)
    phase = .ready(since: now)
    self.greeting = greeting
    return outputs + [.keepOnly(Set(greeting.rooms + ["me"])), .client(.connected(greeting))]
  }

  /// Sends what may be sent, has written what must be, and tells whose view has changed.
  private mutating func proceed(at now: Duration) -> [Output] {
    var outputs: [Output] = []
    if case .ready = phase {
      // Taken out while the queue changes, so that it is not copied.
      var core = ConnectionCore(limits: settings.limits)
      swap(&core, &connection)
      let needsSaving = queue.sendReady(at: now) { change, number, answered in
        var parameters = change.parameters.object ?? [:]
        parameters["answered"] = answered.map { .number(JSON.Number(Int($0))) }
        guard let call = try? core.call(change.method, .object(parameters), room: change.room, seq: number) else {
          return nil
        }
        outputs.append(.send(call.text))
        return call.number
      }
      swap(&core, &connection)
      if needsSaving { outputs.append(.save) }
    }
    if queue.hasRecords { outputs.append(.store) }
    return outputs + reportPending()
  }

  // MARK: disk

  private mutating func saveSoon(_ now: Duration) { saveAt = saveAt ?? now + settings.saveInterval }

  /// Documents that have changed since they were written.
  mutating func takeDirty() -> [(room: String, snapshot: RoomSnapshot)] {
    saveAt = nil
    return exchange(&dirty, with: []).sorted().compactMap { room in
      connection.snapshot(of: room).map { (room, $0) }
    }
  }

  /// The documents are on disk: only now may the changes be forgotten that are in them.
  mutating func saved(at now: Duration) -> [Output] {
    queue.finishAnswered()
    return proceed(at: now)
  }

  /// One is not; it is tried again.
  mutating func notSaved(_ room: String, _ error: FileError, at now: Duration) -> [Output] {
    dirty.insert(room)
    saveSoon(now)
    return [.client(.storageFailed(error))]
  }

  mutating func takeRecords() -> [QueueRecord] { queue.takeRecords() }

  mutating func stored(at now: Duration) -> [Output] { queue.stored().map { .accepted($0.id) } + proceed(at: now) }

  mutating func notStored(_ error: FileError, at now: Duration) -> [Output] {
    let lost = queue.notStored(at: now)
    if queue.hasAnswered { saveSoon(now) }
    return [.client(.storageFailed(error))] + lost.map { .rejected($0.id, .storage(error)) } + reportPending()
  }
}

// MARK: rooms

extension ClientCore {
  private mutating func happened(_ event: RoomEvent, in room: String, at now: Duration) -> [Output] {
    switch event {
    case .state:
      queue.reached(nil, in: room)
      dirty.insert(room)
      saveSoon(now)
    case .patch(let change):
      queue.reached(change.version, in: room)
      dirty.insert(room)
      saveSoon(now)
    case .closed:
      queue.reached(nil, in: room)
      dirty.remove(room)
      resubscriptions[room] = nil
      reportedPending[room] = nil
      return [.forget(room), .room(room, event)]
    case .live, .tick, .pending: break
    }
    return [.room(room, event)]
  }

  /// Follows a room, from what is kept of it.
  mutating func follow(_ room: String, kept: RoomSnapshot?) throws(ClientError) -> [Output] {
    if let end { throw end }
    guard !connection.followedRooms.contains(room) else { return [] }
    try connection.expect(room, known: isOwner ? kept : nil)
    reportedRevision = -1
    guard case .ready = phase else { return [] }
    return try connection.resubscribe(to: room).compactMap { if case .send(let text) = $0 { .send(text) } else { nil } }
  }

  mutating func unfollow(_ room: String) -> [Output] {
    guard connection.followedRooms.contains(room) else { return [] }
    resubscriptions[room] = nil
    reportedPending[room] = nil
    queue.reached(nil, in: room)
    if case .ready = phase, let call = try? connection.unsubscribe(from: room) { return [.send(call.text)] }
    connection.forget(room)
    return []
  }

  func document(of room: String) -> RoomDocument? {
    guard let snapshot = connection.snapshot(of: room) else { return nil }
    let patches = queue.patches(of: room)
    return RoomDocument(
      confirmed: snapshot, state: patches.reduce(snapshot.state) { MergePatch.apply($1.patch, to: $0) },
      pending: patches.map(\.change), isCurrent: connection.isCurrent(room))
  }

  private mutating func reportPending() -> [Output] {
    guard queue.revision != reportedRevision else { return [] }
    reportedRevision = queue.revision
    var outputs: [Output] = []
    let shown = queue.shown
    for room in connection.followedRooms.sorted() where connection.snapshot(of: room) != nil {
      let ids = shown[room] ?? []
      guard ids != reportedPending[room] ?? [] else { continue }
      reportedPending[room] = ids
      outputs.append(.room(room, .pending(ids.count)))
    }
    return outputs
  }
}

// MARK: calls

extension ClientCore {
  private static let reserved = ["room", "seq", "answered"]
  /// What the protocol puts around parameters, at most.
  private static let envelopeBytes = 300

  /// Queues a change; it is accepted or rejected once its record is on disk, or not.
  mutating func change(
    _ method: String, _ parameters: JSON, room: String?, patch: JSON?, wall: Instant
  ) throws(ClientError) -> (id: Int64, outputs: [Output]) {
    if let end { throw end }
    guard let members = parameters.object, patch == nil || patch?.object != nil else { throw .parametersNotAnObject }
    for name in Self.reserved where members[name] != nil { throw .reservedParameter(name) }
    // What the server cannot read would be sent again and again.
    let message: JSON = ["params": parameters, "method": .string(method), "room": .string(room ?? "")]
    let text = message.bytes
    guard text.count + Self.envelopeBytes <= settings.limits.sentMessageBytes else {
      throw .tooMuch("sentMessageBytes")
    }
    guard (try? JSON.parse(text, depthLimit: 31, nodeLimit: 9_990)) != nil else { throw .tooMuch("depth") }
    let id = try queue.add(method, parameters, room: room, patch: patch, at: wall)
    return (id, [.store])
  }

  /// Calls besides the queue, on the connection that is there.
  mutating func call(
    _ method: String, _ parameters: JSON, room: String?
  ) throws(ClientError) -> (number: Int, outputs: [Output]) {
    if let end { throw end }
    guard case .ready = phase else { throw .offline }
    let call = try connection.call(method, parameters, room: room)
    plainCalls.insert(call.number)
    return (call.number, [.send(call.text)])
  }
}
