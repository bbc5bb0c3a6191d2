internal import Platform

/// A TCP connection, plain or with TLS.
///
/// With TLS, what `send` takes waits in the session and is encrypted right before it leaves, so that all of a batch
/// shares as few records as possible.
final class SocketStream: EventSource, Stream {
  private enum Phase {
    case open
    /// We have closed; unsent bytes still leave.
    case closing
    /// We have ended our sending direction; the peer has not ended its own.
    case finished
    /// The peer has closed; unsent bytes still leave.
    case ending
    case over
  }

  // A server has many streams, so small properties stand together (performance idioms).
  private let address: SocketAddress
  let tls: TLSSession?
  /// With TLS, `nil` until the handshake is done.
  private var handler: (any StreamHandler)?
  /// The bytes for the kernel.
  private(set) var output = OutputQueue()
  private(set) var sentByteCount = 0
  private var deadline: TimerQueue.Timer?
  /// The time at which the kernel last took bytes, or first refused all of them, in nanoseconds of the loop's time. It
  /// means nothing while no bytes wait.
  private var takenAt: Int64 = 0
  /// The time of the last read, in milliseconds of the loop's time, until the next send.
  private var readAt: UInt32?
  private var phase = Phase.open
  private var isDirty = false
  /// Whether the answer to the last read came later than the kernel acknowledges.
  private(set) var isAnsweredLate = false
  /// Whether the kernel takes no more bytes for now.
  private var isBlocked = false
  private var owesWritable = false
  private var peerHasClosed = false
  /// Whether a closing stream waits for the kernel to take what is unsent.
  private var isLingering = true
  var isReadingPaused = false {
    didSet { if isReadingPaused != oldValue { markDirty() } }
  }
  /// The `errno` for the handler, if we close because of the peer's bytes.
  private var failure: Int32?

  /// The most bytes that TLS itself may have waiting for a peer: more than any handshake takes.
  private static let answeredAtMost = 128 << 10
  /// Milliseconds. The kernel delays an acknowledgement by 40 ms, but only on connections where answers come.
  private static let late: UInt32 = 20
  /// The most bytes to encrypt at once: a slow peer's other bytes wait as plain bytes only.
  private static let sealedAtOnce = 256 << 10

  init(loop: LoopCore, descriptor: Int32, address: SocketAddress, tls: TLSSession? = nil) {
    self.address = address
    self.tls = tls
    super.init(loop: loop, descriptor: descriptor)
  }

  func open(_ open: (any Stream) -> any StreamHandler) { handler = open(self) }

  /// Begins the handshake, which must be done within `limit`, however slowly the peer sends.
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

  func close(lingering: Bool) {
    if !lingering { isLingering = false }
    if phase == .open { phase = .closing }
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
    // OpenSSL answers key updates by itself (RFC 8446 §4.6.3), even if the peer reads none of the answers.
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

  /// Lets OpenSSL append to the bytes that wait for the kernel.
  private func exchangingOutput<Result>(with tls: TLSSession, _ work: () -> Result) -> Result {
    swap(&output.bytes, &tls.channel.output)
    defer { swap(&output.bytes, &tls.channel.output) }
    return work()
  }

  /// Closes because the peer breaks the protocol. An alert for the peer still leaves.
  private func fail() {
    guard phase != .over else { return }
    failure = System.protocolError
    // Nothing can be encrypted any longer, and the alert must not wait.
    tls?.plain.clear(to: &loop.buffers)
    phase = .closing
    markDirty()
  }

  private func markDirty() {
    guard !isDirty, phase != .over else { return }
    isDirty = true
    loop.isDirty(self)
  }

  /// Sends the unsent bytes, with one call unless they are many, and continues closing. The loop calls this at the end
  /// of a batch.
  func flush() {
    isDirty = false
    while hasUnsent() { sent(output.withBytes { System.send(descriptor, $0) }) }
    guard phase != .over else { return }
    if phase == .closing || phase == .ending { finish() }
    if phase != .over { updateInterest() }
  }

  /// Whether there are bytes that the kernel may take. It ends a stream whose encryption fails.
  private func hasUnsent() -> Bool {
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

  /// Notes that the kernel has taken `count` of the unsent bytes, or a negated `errno`.
  private func sent(_ count: Int) {
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

  /// Encrypts unsent bytes, enough for one send. After the last, it adds `close_notify` if the stream closes.
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

  /// Continues closing, after either side has begun it.
  private func finish() {
    guard output.isEmpty else {
      guard isLingering else { return abort() }
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

  /// Whether the stream reads. A closing stream reads and discards until the peer closes, too.
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
      // After our last byte and the end of our sending direction, the way in which the peer closes does not matter.
      end(phase == .finished ? localEnd : .failed(Int32(-count)))
    }
  }

  private func peerClosed() {
    peerHasClosed = true
    if phase == .finished { return end(localEnd) }
    // The end is handled after the batch, so that answers to the peer's last bytes still leave.
    if phase == .open { phase = .ending }
    markDirty()
  }

  override func loopStops() { close() }
  override func loopIsStopped() { abort() }
}
