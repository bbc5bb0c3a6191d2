import HTTP
import JSON
import Platform
import Rooms
import WebSocket

/// One connection: first an HTTP request, then, once upgraded, a WebSocket that carries calls. Or a guest, which stands
/// for a connection of another shard that has called for a room of this one.
final class Session: StreamHandler {
  /// The state of a connection. Payloads are boxed: an idle connection has no room for them.
  enum Phase {
    indirect case head(RequestParser)
    /// Between two messages there is nothing to remember.
    case open
    /// A message has begun and is not complete.
    indirect case amid(Receiver)
    /// Calls come by HTTP, one request after another.
    case http(HTTPConnection)
    /// Bytes are being handled right now.
    case receiving
    /// The connection itself is on another shard; the log-in that it calls with.
    indirect case guest(ID<Rooms.Session>?)
    /// A close frame or the last response is on its way; whatever still comes is ignored.
    case closing
  }

  // Fields are ordered to avoid padding; a server holds thousands of sessions.
  unowned let shard: Shard
  /// Unique within the shard.
  let number: UInt64
  /// Of a guest: the connection that it stands for.
  let origin: SessionKey?
  /// The connection is neither encrypted nor within this machine, so others could read it.
  var isInClear = false
  /// It came by the local socket of the server's owner, so its calls are those of administration (OPS-4).
  var isAdmin = false
  /// permessage-deflate was agreed on; and what we send may be compressed with the window that all share.
  var inflates = false
  var isDeflating = false
  /// Something was called since the last heartbeat.
  var isUsed = false
  /// The peer does not take what it is sent, so its connection is not read meanwhile.
  var isChoked = false {
    didSet { if isChoked != oldValue { updatePause() } }
  }
  /// Messages that have waited are being handled.
  private var isDraining = false
  /// Calls in several steps that later messages wait for.
  private var holdCount: UInt16 = 0
  /// Set right after the stream has been opened, and `nil` once it is closed.
  var stream: (any Stream)?
  var phase: Phase
  var person: ID<Person>?
  /// Something waits until its stream has drained.
  var isBehind = false
  /// Its stream was full at its heartbeat.
  var owesTick = false
  var isNotedFull = false
  var isNotedUnfinished = false
  /// Its person is unknown, and it counts against the limits of its address.
  var isStranger = false
  /// It has said hello once, so its messages may be large.
  var takesLarge = false
  var errorCount: UInt16 = 0
  var sessionID: ID<Rooms.Session>?
  /// Pings and pongs, and since when they are counted.
  private var pingCount: UInt16 = 0
  /// Rooms that the connection watches or has asked to watch, on whichever shard. Not of guests.
  var watchCount: Int32 = 0
  @Nanoseconds private var pingsSince = Duration.zero
  var callRate = CallRate()
  /// When the token was used last, as far as is known here.
  var usedAt = Instant()
  var client = ID<Client>()
  var subscriptions: [Subscription] = []
  var answerKey: AnswerKey?
  /// Where its request came through a proxy.
  var proxied: Proxied?
  /// It stands for one request over HTTP: it watches nothing, and its answers leave by a `CallBatch`.
  var isExchange = false
  /// Of a guest: its connection watches as many rooms as it may.
  var watchesEnough = false
  /// The client has called more often than it may, so its connection is not read for a moment.
  var isThrottled = false {
    didSet { if isThrottled != oldValue { updatePause() } }
  }
  /// Unsent bytes above which it will be choked; 0 while it is not full.
  var toleratedBytes: Int32 = 0
  var abroad: Abroad?
  @Nanoseconds private(set) var openedAt: Duration
  @Nanoseconds var heardAt: Duration
  /// Allocated only while a message or an answer is pending.
  private var underway: Underway?

  init(shard: Shard, now: Duration, number: UInt64, origin: SessionKey? = nil) {
    self.shard = shard
    self.number = number
    self.origin = origin
    openedAt = now
    heardAt = now
    phase = .head(RequestParser())
  }

  /// The log-in that calls come from, also of a guest. Only the connection itself has a `sessionID`, which is ended.
  var device: ID<Rooms.Session>? { if case .guest(let device) = phase { sessionID ?? device } else { sessionID } }

  var isHeld: Bool { holdCount > 0 }

  var isOpen: Bool {
    switch phase {
    case .open, .amid, .receiving, .guest: stream != nil
    case .head, .http, .closing: false
    }
  }

  func subscription(to room: RoomID) -> Subscription? { subscriptions.first { $0.seat.id == room } }

  // MARK: stream

  func received(_ bytes: inout MutableSpan<UInt8>) {
    heardAt = shard.loop.uptime
    switch phase {
    case .head: shard.receiveHead(&bytes, self)
    case .open, .amid:
      shard.receiveFrames(&bytes, self)
      shard.connections.chokeIfFull(self)
    case .http(let connection): connection.receive(bytes.span)
    case .receiving, .guest, .closing: break
    }
  }

  func writable() {
    if case .http(let connection) = phase { return connection.proceed() }
    shard.teller.catchUp(self)
    if owesTick { shard.connections.tick(self) }
    shard.neighbours.acknowledge(self, atLeast: 1)
    shard.connections.chokeIfFull(self)
  }

  func closed(_ reason: StreamEnd) {
    shard.accounts.noteKnown(self)
    stream = nil
    if case .http(let connection) = phase { connection.ended() }
    phase = .closing
    shard.connections.remove(self)
  }

  /// Counts a ping or a pong; closes where there are too many.
  func notePing(at now: Duration) {
    if now - pingsSince >= .seconds(60) {
      pingsSince = now
      pingCount = 0
    }
    pingCount += 1
    if pingCount > WireLimits.pingsPerMinute { close(.policyViolation, "too many pings") }
  }

  // MARK: order

  /// Lets later messages wait, and the peer feel it, until `release`.
  func hold() {
    holdCount += 1
    updatePause()
  }

  /// Lets the peer wait, or go on, on behalf of another shard.
  func pause(_ isPaused: Bool, by shard: Int) {
    if isPaused { abroad?.pausing.insert(shard) } else { abroad?.pausing.remove(shard) }
    updatePause()
  }

  private func updatePause() {
    if case .http(let connection) = phase { return connection.proceed() }
    stream?.isReadingPaused = isHeld || isChoked || isThrottled || abroad?.pausing.isEmpty == false
  }

  /// Lets a message wait, or one call of a batch.
  func queue(_ text: [UInt8], of batch: CallBatch? = nil) { changeUnderway { $0.messages.append((text, batch)) } }

  /// Lets a call of a batch wait before all else that waits.
  func queueFirst(_ text: [UInt8], of batch: CallBatch) {
    changeUnderway { $0.messages.insert((text, batch), at: 0) }
  }

  func release() {
    holdCount -= 1
    // A call that is done at once must not let a later message begin in the middle of its own batch.
    if isDraining { return }
    isDraining = true
    defer { isDraining = false }
    while !isHeld, let (text, batch) = underway?.messages.first {
      changeUnderway { $0.messages.removeFirst() }
      guard isOpen else { continue }
      if let batch { shard.receive(text.span, of: batch, from: self) } else { shard.receive(text.span, from: self) }
    }
    updatePause()
  }

  // MARK: pending

  private func changeUnderway(_ change: (Underway) -> Void) {
    let all = underway ?? Underway()
    change(all)
    underway = all.isEmpty ? nil : all
  }

  /// When the message began that is not complete.
  var messageSince: Duration? {
    get { underway?.messageSince }
    set { if newValue != messageSince { changeUnderway { $0.messageSince = newValue } } }
  }

  /// Lets an answer wait until the patch that it belongs to can be sent.
  func hold(_ deliver: @escaping () -> Void) { changeUnderway { $0.answers.append(deliver) } }

  /// Delivers the answers that have waited.
  func deliverHeld() {
    guard let answers = underway?.answers, !answers.isEmpty else { return }
    changeUnderway { $0.answers = [] }
    for deliver in answers { deliver() }
  }

  // MARK: secrets

  /// An answer with a secret in it, as it may stand on disk: only this session's token opens it.
  func sealed(_ answer: [UInt8], _ randomness: any Randomness) -> [UInt8] {
    answerKey?.sealed(answer, randomness) ?? AnswerKey.mark
  }

  /// An answer from a receipt, opened if it was sealed; `nil` where another session sealed it.
  func opened(_ answer: [UInt8]) -> [UInt8]? {
    answer.starts(with: AnswerKey.mark) ? answerKey?.opened(answer) : answer
  }

  // MARK: sending

  /// Sends one whole message, which stands behind the codec's `headerSpace`.
  func send(_ frame: Writer, isSecret: Bool) {
    guard isOpen, let stream else { return }
    let isLarge = frame.count - FrameCodec.headerSpace >= shard.configuration.deflateThreshold
    shard.teller.codec.send(frame, to: stream, compressed: isDeflating && isLarge && !isSecret)
  }

  /// Closes the connection, since its state is uncertain: the client reconnects and resumes.
  func interrupt() { close(.overloaded, "come back and resume") }

  /// Starts the closing handshake and ends all subscriptions.
  ///
  /// - Parameter lingering: Whether the client still gets what its kernel does not take with this batch.
  func close(_ code: CloseCode?, _ reason: String, lingering: Bool = true) {
    guard let stream else { return }
    guard isOpen else { return lingering ? () : stream.close(lingering: false) }
    stream.send(Frame.close(code, reason: reason).span)
    stream.close(lingering: lingering)
    phase = .closing
    shard.connections.leaveRooms(self)
  }

  /// Ends a connection that is no WebSocket, or no longer: a close frame or response that is on its way still leaves.
  func drop() {
    if case .head = phase { stream?.abort() } else { stream?.close() }
  }
}

/// Messages and answers that are pending on a connection. Most connections have none, and no memory for them.
private final class Underway {
  /// When the message began that is not complete.
  var messageSince: Duration?
  /// Messages that wait for the end of a slow call before them, so that they are handled in their order.
  var messages: [(text: [UInt8], batch: CallBatch?)] = []
  /// Answers that wait until the patch they belong to can be sent.
  var answers: [() -> Void] = []

  var isEmpty: Bool { messageSince == nil && messages.isEmpty && answers.isEmpty }
}
