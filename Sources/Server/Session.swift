import Crypto
import HTTP
import JSON
import Platform
import Rooms
import WebSocket

/// One connection: first an HTTP request, then, once upgraded, a WebSocket that carries calls. Or a guest, which stands
/// for a connection of another shard that has called for a room of this one.
final class Session: StreamHandler {
  enum Phase {
    case head(RequestParser)
    case open(Receiver)
    /// Calls come by HTTP, one request after another.
    case http(HTTPConnection)
    /// Bytes are being handled right now.
    case receiving
    /// The connection itself is on another shard.
    case guest
    /// A close frame or the last response is on its way; whatever still comes is ignored.
    case closing
  }

  unowned let shard: Shard
  /// Unique within the shard.
  let number: UInt64
  /// Of a guest: the connection that it stands for.
  let origin: SessionKey?
  /// Set right after the stream has been opened, and `nil` once it is closed.
  var stream: (any Stream)?
  /// Others on the way could read along: neither TLS nor within this machine. Not of guests.
  var isInClear = false
  var phase: Phase
  /// permessage-deflate was agreed on; and what we send may be compressed with the window that all share.
  var inflates = false
  var isDeflating = false
  var person: ID<Person>?
  var sessionID: ID<Rooms.Session>?
  /// Something was called since the last heartbeat; and when the token was used last, as far as is known here.
  var isUsed = false
  var usedAt = Instant()
  var client = ID<Client>()
  var subscriptions: [Subscription] = []
  /// Answers that wait until the patch they belong to can be sent.
  var held: [() -> Void] = []
  /// Messages that wait for the end of a slow call before them, so that they are handled in their order.
  private var waitingMessages: [(text: [UInt8], batch: CallBatch?)] = []
  private(set) var isHeld = false
  /// It stands for one request over HTTP: it watches nothing, and what is answered leaves by `CallBatch`.
  var isExchange = false
  /// Seals answers with secrets to this session: derived from the token, never on disk.
  var answerKey: [UInt8] = []
  var errorCount = 0
  /// Rooms that the connection watches or has asked to watch, on whichever shard. Not of guests.
  var watchCount = 0
  /// Of a guest: its connection watches as many rooms as it may.
  var watchesEnough = false
  var abroad: Abroad?
  /// Something waits until its stream has drained.
  var isBehind = false
  var isNotedFull = false
  /// Counts among those of its address that have not said who they are.
  var isStranger = false
  /// When the message began that is not complete.
  var messageSince: Duration?
  var isNotedUnfinished = false
  /// Pings and pongs, and since when they are counted.
  private var pingCount = 0
  private var pingsSince = Duration.zero
  let openedAt: Duration
  var heardAt: Duration
  /// Bytes that the system had taken at the last heartbeat, and since when it has taken no more though some wait.
  private var sentCount = 0
  private var stalledSince: Duration?

  init(shard: Shard, now: Duration, number: UInt64, origin: SessionKey? = nil) {
    self.shard = shard
    self.number = number
    self.origin = origin
    openedAt = now
    heardAt = now
    phase = .head(RequestParser())
  }

  var isOpen: Bool {
    switch phase {
    case .open, .receiving, .guest: stream != nil
    case .head, .http, .closing: false
    }
  }

  func subscription(to room: RoomID) -> Subscription? { subscriptions.first { $0.seat.id == room } }

  // MARK: stream

  func received(_ bytes: inout MutableSpan<UInt8>) {
    heardAt = shard.loop.uptime
    switch phase {
    case .head: shard.receiveHead(&bytes, self)
    case .open: shard.receiveFrames(&bytes, self)
    case .http(let connection): connection.receive(bytes.span)
    case .receiving, .guest, .closing: break
    }
  }

  func writable() {
    shard.catchUp(self)
    shard.acknowledge(self, atLeast: 1)
  }

  func closed(_ reason: StreamEnd) {
    if let host = stream?.peer.host { shard.noteKnown(self, from: host) }
    stream = nil
    if case .http(let connection) = phase { connection.ended() }
    phase = .closing
    shard.remove(self)
  }

  /// How long the peer has taken nothing, as far as heartbeats show. Called once each.
  func stallTime(at now: Duration) -> Duration {
    guard let stream, stream.unsentByteCount > 0, stream.sentByteCount == sentCount else {
      sentCount = stream?.sentByteCount ?? 0
      stalledSince = nil
      return .zero
    }
    if stalledSince == nil { stalledSince = now }
    return now - (stalledSince ?? now)
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
    isHeld = true
    updatePause()
  }

  /// Lets the peer wait, or go on, on behalf of another shard.
  func pause(_ isPaused: Bool, by shard: Int) {
    if isPaused { abroad?.pausing.insert(shard) } else { abroad?.pausing.remove(shard) }
    updatePause()
  }

  private func updatePause() { stream?.isReadingPaused = isHeld || abroad?.pausing.isEmpty == false }

  /// Lets a message wait, or one call of a batch.
  func queue(_ text: [UInt8], of batch: CallBatch? = nil) { waitingMessages.append((text, batch)) }

  /// Lets a call of a batch wait before all else that waits.
  func queueFirst(_ text: [UInt8], of batch: CallBatch) { waitingMessages.insert((text, batch), at: 0) }

  func release() {
    isHeld = false
    while !isHeld, !waitingMessages.isEmpty {
      let (text, batch) = waitingMessages.removeFirst()
      guard isOpen else { continue }
      if let batch { shard.receive(text.span, of: batch, from: self) } else { shard.receive(text.span, from: self) }
    }
    updatePause()
  }

  // MARK: secrets

  /// An answer with a secret in it, as it may stand on disk: only this session's token opens it.
  func sealed(_ answer: [UInt8], _ randomness: any Randomness) -> [UInt8] {
    let nonce = randomness.bytes(AESGCM.nonceSize)
    guard let box = try? AESGCM.seal(answer, key: answerKey, nonce: nonce) else { return Self.sealedMark }
    return Self.sealedMark + Array(Base64.url.encode(nonce + box).utf8) + [UInt8(ascii: "\"")]
  }

  /// An answer from a receipt, opened if it was sealed; `nil` where another session sealed it.
  func opened(_ answer: [UInt8]) -> [UInt8]? {
    guard answer.starts(with: Self.sealedMark) else { return answer }
    let text = answer.dropFirst(Self.sealedMark.count).dropLast()
    guard let box = Base64.url.decode(String(decoding: text, as: UTF8.self)), box.count > AESGCM.nonceSize else {
      return nil
    }
    let nonce = Array(box.prefix(AESGCM.nonceSize))
    return try? AESGCM.open(Array(box.dropFirst(AESGCM.nonceSize)), key: answerKey, nonce: nonce)
  }

  private static let sealedMark = Array("\"sealed\":\"".utf8)

  // MARK: sending

  /// Sends one whole message, which stands behind the codec's `headerSpace`.
  func send(_ frame: Writer, isSecret: Bool) {
    guard isOpen, let stream else { return }
    let isLarge = frame.count - shard.codec.headerSpace >= shard.configuration.deflateThreshold
    shard.codec.send(frame, to: stream, compressed: isDeflating && isLarge && !isSecret)
  }

  /// Starts the closing handshake and lets go of everything.
  func close(_ code: CloseCode?, _ reason: String) {
    guard isOpen, let stream else { return }
    stream.send(Frame.close(code, reason: reason).span)
    stream.close()
    phase = .closing
    shard.leaveRooms(self)
  }
}
