internal import Platform

/// A TCP connection.
///
/// Between the socket and `StreamHandler` stand two methods, `received` and `transmit`; everything that comes in or
/// goes out passes them, so whatever rewrites bytes on the way belongs there.
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

  private let address: SocketAddress
  private var handler: (any StreamHandler)?
  /// Bytes for the system; those before `outputStart` it has taken.
  private var output: [UInt8] = []
  private var outputStart = 0
  private(set) var sentByteCount = 0
  private var deadline: (any LoopTimer)?
  private var phase = Phase.open
  private var isDirty = false
  /// The system takes no more for now.
  private var isBlocked = false
  private var owesWritable = false
  private var peerHasClosed = false

  var isReadingPaused = false {
    didSet { if isReadingPaused != oldValue { markDirty() } }
  }

  init(loop: LoopCore, descriptor: Int32, address: SocketAddress) {
    self.address = address
    super.init(loop: loop, descriptor: descriptor)
  }

  func open(_ open: (any Stream) -> any StreamHandler) { handler = open(self) }

  // MARK: Stream

  var peer: PeerAddress { address.peer }
  var unsentByteCount: Int { output.count - outputStart }
  /// Bytes of memory held for sending.
  var ownedCapacity: Int { output.capacity }

  func send(_ bytes: Span<UInt8>) {
    guard phase == .open || phase == .ending else { return }
    transmit(bytes)
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

  private func received(_ bytes: inout MutableSpan<UInt8>) { handler?.received(&bytes) }

  private func transmit(_ bytes: Span<UInt8>) {
    guard !bytes.isEmpty else { return }
    if output.isEmpty {
      output = loop.buffers.take()
    } else if outputStart >= output.count / 2, output.count + bytes.count > output.capacity {
      output.removeFirst(outputStart)
      outputStart = 0
    }
    output.append(copying: bytes)
    markDirty()
  }

  private func markDirty() {
    guard !isDirty, phase != .over else { return }
    isDirty = true
    loop.isDirty(self)
  }

  /// Hands over what is unsent, with one call, and does what was waiting for that. Called at the end of a batch.
  func flush() {
    isDirty = false
    guard phase != .over else { return }
    if !isBlocked, !output.isEmpty, let failure = write() {
      end(.failed(failure))
      return
    }
    if phase == .closing || phase == .ending { finish() }
    if phase != .over { updateInterest() }
  }

  /// Returns the `errno` of a failure.
  private func write() -> Int32? {
    loop.sendCallCount += 1
    let count = System.send(descriptor, output.span.extracting(outputStart..<output.count))
    if count < 0, !System.isTemporary(count) { return Int32(-count) }
    outputStart += max(0, count)
    sentByteCount += max(0, count)
    if outputStart < output.count {
      isBlocked = true
      owesWritable = true
      return nil
    }
    returnBuffer()
    if owesWritable, phase == .open { loop.isDrained(self) }
    owesWritable = false
    return nil
  }

  private func returnBuffer() {
    loop.buffers.give(exchange(&output, with: []))
    outputStart = 0
  }

  /// The way out, whoever closed first.
  private func finish() {
    guard output.isEmpty else {
      if deadline == nil { deadline = loop.schedule(after: loop.flushLimit) { [unowned self] in abort() } }
      return
    }
    if phase == .ending { return end(.peer) }
    if peerHasClosed { return end(.local) }
    System.finishSending(descriptor)
    phase = .finished
    deadline?.cancel()
    deadline = loop.schedule(after: loop.farewellLimit) { [unowned self] in end(.local) }
  }

  private func end(_ reason: StreamEnd) {
    phase = .over
    deadline?.cancel()
    deadline = nil
    returnBuffer()
    release()
    loop.hasEnded(self, reason)
  }

  func tellWritable() { if phase == .open { handler?.writable() } }

  func tellClosed(_ reason: StreamEnd) { exchange(&handler, with: nil)?.closed(reason) }

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
    let count = System.receive(descriptor, into: &loop.readBuffer) { bytes in
      if phase == .open { received(&bytes) }
    }
    if count == 0 {
      peerClosed()
    } else if count < 0, !System.isTemporary(count) {
      // Once everything of ours is handed over and we said goodbye, how the peer leaves does not matter.
      end(phase == .finished ? .local : .failed(Int32(-count)))
    }
  }

  private func peerClosed() {
    peerHasClosed = true
    if phase == .finished { return end(.local) }
    // Acted upon after the batch, so that answers to the peer's last bytes still leave.
    if phase == .open { phase = .ending }
    markDirty()
  }

  override func loopStops() { close() }
  override func loopIsStopped() { abort() }
}
