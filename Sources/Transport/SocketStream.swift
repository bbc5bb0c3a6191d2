internal import Platform

/// A TCP connection, plain or with TLS.
///
/// With TLS, what `send` takes waits in the session and is encrypted right before it leaves, so that all of a batch
/// shares as few records as possible.
final class SocketStream: EventSource, Stream {
  private enum Phase {
    case open
    /// We have closed; what was given to `send` still leaves.
    case closing
    /// We have closed and said so; the peer has not yet.
    case finished
    /// The peer has closed; what was given to `send` still leaves.
    case ending
    case over
  }

  // A server has many streams, so what is small stands together.
  private let address: SocketAddress
  let tls: TLSSession?
  /// With TLS: once the handshake is done.
  private var handler: (any StreamHandler)?
  /// Bytes for the system.
  private(set) var output = OutputQueue()
  private(set) var sentByteCount = 0
  private var deadline: TimerQueue.Timer?
  /// When the system last took something, or refused all for the first time, in nanoseconds of the loop's time; of no
  /// meaning while nothing waits.
  private var takenAt: Int64 = 0
  /// When something was read that nothing has been sent since, in milliseconds of the loop's time.
  private var readAt: UInt32?
  private var phase = Phase.open
  private var isDirty = false
  /// The last thing that was read had to wait for an answer longer than the system does to acknowledge.
  private(set) var isAnsweredLate = false
  /// The system takes no more for now.
  private var isBlocked = false
  private var owesWritable = false
  private var peerHasClosed = false
  var isReadingPaused = false {
    didSet { if isReadingPaused != oldValue { markDirty() } }
  }
  /// The `errno` that the handler is told, where it is we who close because of what the peer does.
  private var failure: Int32?

  /// What TLS itself may have waiting for a peer: more than any handshake takes.
  private static let answeredAtMost = 128 << 10
  /// Milliseconds. The system waits 40 before it acknowledges what has no answer yet, but only where answers come.
  private static let late: UInt32 = 20
  /// Encrypted in one go, so that a slow peer's bytes wait in one form only.
  private static let sealedAtOnce = 256 << 10

  init(loop: LoopCore, descriptor: Int32, address: SocketAddress, tls: TLSSession? = nil) {
    self.address = address
    self.tls = tls
    super.init(loop: loop, descriptor: descriptor)
  }

  func open(_ open: (any Stream) -> any StreamHandler) { handler = open(self) }

  /// Begins the handshake, which must be done within `limit` however the peer dribbles.
  func shakeHands(within limit: Duration) {
    guard let tls else { return }
    deadline = loop.timer(after: limit) { [unowned self] in
      tls.failure = .timedOut
      abort()
    }
    if exchangingOutput(with: tls, { tls.start() }) == .failed { fail() }
    if !output.isEmpty { markDirty() }
  }

  // MARK: Stream

  var peer: PeerAddress { address.peer(isEncrypted: tls != nil) }
  var stalledSince: Duration? { owesWritable ? .nanoseconds(takenAt) : nil }
  var unsentByteCount: Int { tls.map { $0.plain.count + $0.sealedCount } ?? output.count }

  func send(_ bytes: Span<UInt8>) {
    guard phase == .open || phase == .ending, !bytes.isEmpty else { return }
    if let tls {
      tls.plain.append(bytes, from: &loop.buffers)
    } else {
      output.append(bytes, from: &loop.buffers)
    }
    loop.noteGiven(byteCount: bytes.count)
    markDirty()
  }

  func close() {
    guard phase == .open else { return }
    phase = .closing
    markDirty()
  }

  func abort() {
    guard phase != .over else { return }
    System.resetOnClose(descriptor)
    end(.local)
  }

  // MARK: Bytes

  private func received(_ bytes: inout MutableSpan<UInt8>) {
    guard let tls else {
      handler?.received(&bytes)
      return
    }
    let received = bytes.span
    let waiting = output.count
    let (count, outcome) = exchangingOutput(with: tls) { tls.receive(received) }
    if !output.isEmpty { markDirty() }
    // OpenSSL answers requests for new keys by itself (RFC 8446 §4.6.3), also to a peer that takes none of the answers.
    tls.answeredCount = waiting == 0 ? output.count : tls.answeredCount + output.count - waiting
    if tls.answeredCount > Self.answeredAtMost { return fail() }
    if tls.isEstablished, let opening = tls.takeOpening() {
      deadline?.cancel()
      deadline = nil
      handler = opening.opened(self)
    }
    if count > 0, phase == .open { tls.channel.withPlain(count) { handler?.received(&$0) } }
    switch outcome {
    case .goesOn: break
    case .closedByPeer: if phase == .open { peerClosed() }
    case .failed: fail()
    }
  }

  /// Lets OpenSSL write behind what waits for the system.
  private func exchangingOutput<Result>(with tls: TLSSession, _ work: () -> Result) -> Result {
    swap(&output.bytes, &tls.channel.output)
    defer { swap(&output.bytes, &tls.channel.output) }
    return work()
  }

  /// Closes because the peer does not keep to the protocol; what is to be told it still leaves.
  private func fail() {
    guard phase != .over else { return }
    failure = System.protocolError
    // Nothing can be encrypted any more, and must not stand in the way of the alert.
    tls?.plain.clear(to: &loop.buffers)
    phase = .closing
    markDirty()
  }

  private func markDirty() {
    guard !isDirty, phase != .over else { return }
    isDirty = true
    loop.isDirty(self)
  }

  /// Hands over what is unsent, with one call unless it is much, and does what was waiting for that. Called at the end
  /// of a batch.
  func flush() {
    isDirty = false
    while hasUnsent() { sent(output.withBytes { System.send(descriptor, $0) }) }
    guard phase != .over else { return }
    if phase == .closing || phase == .ending { finish() }
    if phase != .over { updateInterest() }
  }

  /// Whether there is something that the system may take. Ends a stream that cannot go on.
  func hasUnsent() -> Bool {
    guard phase != .over, !isBlocked else { return false }
    if let tls, !seal(tls) {
      end(.failed(System.protocolError))
      return false
    }
    guard output.isEmpty else { return true }
    if owesWritable, phase == .open { loop.isDrained(self) }
    owesWritable = false
    return false
  }

  /// Has `ring` send what is unsent, all within its next `submit`.
  func addUnsent(to ring: SendRing, place: Int) {
    output.withBytes { ring.add(descriptor, $0, place: place) }
  }

  /// The system has taken `count` bytes of what is unsent, or it is a negated `errno`.
  func sent(_ count: Int) {
    loop.sendCount += 1
    if let readAt {
      isAnsweredLate = loop.uptimeMilliseconds &- readAt >= Self.late
      self.readAt = nil
    }
    if count < 0, !System.isTemporary(count) { return end(.failed(Int32(-count))) }
    output.drop(max(0, count), to: &loop.buffers)
    sentByteCount += tls?.taken(leaving: output.count) ?? max(0, count)
    guard !output.isEmpty else { return }
    if count > 0 || !owesWritable { takenAt = loop.uptimeNanoseconds }
    isBlocked = true
    owesWritable = true
  }

  /// Encrypts what waits, or so much of it that it is worth a send; behind the last, says goodbye if we are closing.
  private func seal(_ tls: TLSSession) -> Bool {
    let count = min(tls.plain.count, max(0, Self.sealedAtOnce - output.count))
    let isLast = count == tls.plain.count && (phase == .closing || phase == .ending)
    guard count > 0 || isLast && tls.owesGoodbye else { return true }
    if output.isEmpty { output.bytes = loop.buffers.take() } else { output.compact() }
    return exchangingOutput(with: tls) {
      guard tls.seal(count, &loop.buffers) else { return false }
      if isLast { tls.sayGoodbye() }
      return true
    }
  }

  /// The way out, whoever closed first.
  private func finish() {
    guard output.isEmpty else {
      if deadline == nil { deadline = loop.timer(after: loop.flushLimit) { [unowned self] in abort() } }
      return
    }
    if phase == .ending { return end(.peer) }
    if peerHasClosed { return end(localEnd) }
    System.finishSending(descriptor)
    phase = .finished
    deadline?.cancel()
    deadline = loop.timer(after: loop.farewellLimit) { [unowned self] in end(localEnd) }
  }

  private var localEnd: StreamEnd { failure.map { .failed($0) } ?? .local }

  private func end(_ reason: StreamEnd) {
    phase = .over
    deadline?.cancel()
    deadline = nil
    output.clear(to: &loop.buffers)
    tls?.plain.clear(to: &loop.buffers)
    release()
    loop.hasEnded(self, reason)
  }

  func tellWritable() { if phase == .open { handler?.writable() } }

  func tellClosed(_ reason: StreamEnd) {
    tls?.takeOpening()?.failed?(handshakeFailure(reason))
    exchange(&handler, with: nil)?.closed(reason)
  }

  private func handshakeFailure(_ reason: StreamEnd) -> ConnectError {
    if loop.isStopping { return .stopped }
    if let failure = tls?.failure { return failure }
    if failure == nil, case .failed(let code) = reason { return .failed(SystemError(call: "recv", code: code)) }
    return .notSecured("the server has hung up")
  }

  // MARK: Events

  /// A closing stream reads on, and discards, until the peer closes too.
  private var isReading: Bool { !peerHasClosed && (phase != .open || !isReadingPaused) }

  private func updateInterest() {
    change(interest: (isReading ? PollSet.readable : 0) | (isBlocked ? PollSet.writable : 0))
  }

  override func ready(_ events: UInt32) {
    if events & PollSet.writable != 0, isBlocked {
      isBlocked = false
      markDirty()
    }
    if events & ~PollSet.writable == 0 { return }
    if isReading {
      read()
    } else if events & PollSet.broken != 0 {
      let code = System.pendingError(descriptor)
      end(.failed(code == 0 ? System.connectionReset : code))
    }
  }

  private func read() {
    if isAnsweredLate { System.acknowledgeWithAnswer(descriptor) }
    readAt = loop.uptimeMilliseconds
    let count = System.receive(descriptor, into: &loop.readBuffer) { bytes in
      if phase == .open { received(&bytes) }
    }
    if count == 0 {
      peerClosed()
    } else if count < 0, !System.isTemporary(count) {
      // Once everything of ours is handed over and we said goodbye, how the peer leaves does not matter.
      end(phase == .finished ? localEnd : .failed(Int32(-count)))
    }
  }

  private func peerClosed() {
    peerHasClosed = true
    if phase == .finished { return end(localEnd) }
    // Acted upon after the batch, so that answers to the peer's last bytes still leave.
    if phase == .open { phase = .ending }
    markDirty()
  }

  override func loopStops() { close() }
  override func loopIsStopped() { abort() }
}
