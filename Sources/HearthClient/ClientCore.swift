internal import Crypto
internal import JSON
internal import Rooms

/// The logic of a `HearthClient` as a value: takes events with their time and returns the outputs to carry out.
///
/// It decides when to connect, which messages and queued changes to send, and the shown state of a room. It owns no
/// socket, file or clock, and its random numbers come from a seed. After each call the driver carries out the outputs
/// in order and calls `tick` at `deadline`.
struct ClientCore: Sendable {
  enum Output: Equatable {
    case connect
    /// Drop the connection at once, without a further event from it.
    case disconnect
    /// The server broke the protocol: close the connection, and report its end as usual.
    case fail(ClientError)
    case send([UInt8])
    /// Write the queue's records, then call `stored` or `notStored`.
    case store
    /// Write the documents of `takeDirty`, then call `saved`.
    case save
    /// Remove the stored data of one room, of all rooms except the given ones, or of everything.
    case forget(String)
    case keepOnly(Set<String>)
    case wipe
    case room(String, RoomEvent)
    case client(ClientEvent)
    /// A new change is on disk, or was rejected.
    case accepted(Int64)
    case rejected(Int64, ClientError)
    /// A change has its final answer.
    case settled(Int64, Result<JSON, ClientError>)
    /// A call outside the queue has its answer.
    case called(Int, Result<JSON, ClientError>)
  }

  enum Phase: Equatable {
    case idle
    case waiting(until: Duration)
    case connecting
    case greeting(call: Int, until: Duration)
    case ready(since: Duration)
    /// Until the application starts it again.
    case stopped
  }

  struct Settings: Sendable {
    var token: String
    var app: String?
    var backoff = Backoff()
    var limits = ConnectionCore.Limits()
    /// The longest time that the server may take to answer `hello`.
    var greetingLimit = Duration.seconds(30)
    /// The longest time that documents and answers wait to be written together.
    var saveInterval = Duration.seconds(5)
  }

  private(set) var phase = Phase.idle
  private(set) var queue: ChangeQueue
  private(set) var connection: ConnectionCore
  private(set) var backoff: Backoff
  private var settings: Settings
  private var random: UInt64
  /// The reason why everything was wiped, until there is a new token.
  private(set) var end: ClientError?
  /// The server's greeting on the current connection.
  private(set) var greeting: Greeting?
  private var plainCalls: Set<Int> = []
  private var resubscriptions: [String: Duration] = [:]
  private var dirty: Set<String> = []
  private var saveAt: Duration?
  /// The queue's revision, and its shown changes by room, as last reported.
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

  /// Whether stored documents certainly belong to the caller: a client with the same token wrote them.
  var isOwner: Bool { queue.owner.tokenHash == Self.hash(settings.token) }

  /// The next time at which `tick` is due.
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

  /// Connects, now or again after `stopped`, without the rest of a wait.
  mutating func start() -> [Output] {
    switch phase {
    case .idle, .waiting, .stopped:
      if end != nil { return [] }
      phase = .connecting
      return [.connect]
    case .connecting, .greeting, .ready: return []
    }
  }

  /// Continues with another token, perhaps of another person.
  ///
  /// Documents are requested again. Queued changes wait until the server has identified the token's person.
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

  /// Reports a new connection, and sends `hello`.
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

  /// Reports that the connection ended or could not be made.
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
    // The server has already spread the clients over time.
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

  /// Drops the state of a connection.
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

  /// Ends the session, of which nothing may stay on this device (ACC-14, SEC-8).
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

  /// The next random number (SplitMix64).
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
      guard greeting.me != nil else { throw .malformed("the answer to hello has no person") }
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

  /// Sends due changes, writes pending records, and reports rooms whose shown changes differ.
  private mutating func proceed(at now: Duration) -> [Output] {
    var outputs: [Output] = []
    if case .ready = phase {
      // Moved out of `self` while the queue is mutated, which avoids a copy.
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

  /// Takes the documents that changed since they were last written.
  mutating func takeDirty() -> [(room: String, snapshot: RoomSnapshot)] {
    saveAt = nil
    return exchange(&dirty, with: []).sorted().compactMap { room in
      connection.snapshot(of: room).map { (room, $0) }
    }
  }

  /// Reports that the documents are on disk: only now may the queue forget the changes in them.
  mutating func saved(at now: Duration) -> [Output] {
    queue.finishAnswered()
    return proceed(at: now)
  }

  /// Reports that a document could not be written, and schedules a retry.
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

  /// Follows a room, starting from its stored snapshot.
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
  /// An upper bound for the bytes that the protocol adds to parameters.
  private static let envelopeBytes = 300

  /// Queues a change. `accepted` or `rejected` follows when its record is written or failed.
  mutating func change(
    _ method: String, _ parameters: JSON, room: String?, patch: JSON?, wall: Instant
  ) throws(ClientError) -> (id: Int64, outputs: [Output]) {
    if let end { throw end }
    guard let members = parameters.object, patch == nil || patch?.object != nil else { throw .parametersNotAnObject }
    for name in Self.reserved where members[name] != nil { throw .reservedParameter(name) }
    // A message that the server cannot parse would be sent again and again.
    let message: JSON = ["params": parameters, "method": .string(method), "room": .string(room ?? "")]
    let text = message.bytes
    guard text.count + Self.envelopeBytes <= settings.limits.sentMessageBytes else {
      throw .tooMuch("sentMessageBytes")
    }
    guard (try? JSON.parse(text, depthLimit: 31, nodeLimit: 9_990)) != nil else { throw .tooMuch("depth") }
    let id = try queue.add(method, parameters, room: room, patch: patch, at: wall)
    return (id, [.store])
  }

  /// Calls a method outside the queue, on the current connection.
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
