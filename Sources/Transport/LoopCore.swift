public import Platform

public import struct Rooms.Instant

/// The inside of an event loop: its epoll set, streams and timers. It is synchronous code on the loop's queue; other
/// threads reach it through its `EventLoop`.
///
/// A batch runs in this order: events, posted work, timers; `StreamHandler.closed` of ended streams;
/// `LoopHandler.batchEnded`; one send for each stream that has unsent bytes; `writable` and `closed` that follow from
/// the sends. If many bytes have come together before `batchEnded`, they leave between two events. Within `batchEnded`,
/// `flushIfMany` sends early, but only to streams that had no unsent bytes before.
public final class LoopCore: Loop {
  public var now: Instant { clocks.now }
  public var uptime: Duration { clocks.uptime }
  public let poster: any Poster
  public private(set) var hasBacklog = false
  public var load: Double { gauge.load }
  /// Milliseconds of `uptime`. They start at 0 again after 49 days.
  var uptimeMilliseconds: UInt32 { UInt32(truncatingIfNeeded: uptimeNanoseconds / 1_000_000) }

  /// The number of sends since the loop was created.
  public internal(set) var sendCount = 0
  /// The number of batches since the loop was created.
  public private(set) var batchCount = 0
  /// The number of streams, listening sockets and connecting sockets.
  public private(set) var sourceCount = 0

  let pollSet: PollSet
  var buffers = BufferPool()
  /// The read buffer of all streams: a read is handled before the next one.
  var readBuffer: [UInt8]
  /// Created with the first TLS connection.
  private(set) lazy var tlsChannel = TLSChannel(plainCapacity: readBuffer.count)
  let handshakeLimit: Duration
  let flushLimit: Duration
  let farewellLimit: Duration
  private(set) var isStopping = false

  private let inbox: Inbox
  private var alarm: Int32 = -1
  private let linger: Int32
  private let startNanoseconds: Int64
  private(set) var uptimeNanoseconds: Int64 = 0
  /// The times that the batch has read. One property (performance idioms).
  private var clocks: (now: Instant, uptime: Duration)
  private var gauge = LoadGauge()
  private let timers = TimerQueue()
  /// The time at which `alarm` will fire, in the loop's time; `nil` if it is not set.
  private var alarmDeadline: Int64?

  private var handler: (any LoopHandler)?
  private var sources: [EventSource?] = []
  private var freePlaces: [UInt32] = []
  private var lastGeneration: UInt32 = 0
  private var dirty: [SocketStream] = []
  /// The number of streams in `dirty` that had unsent bytes before `batchEnded`. They may be given more there.
  private var keptCount = 0
  /// The number of bytes given to streams since `batchEnded` began, or since the last flush.
  private var dirtyByteCount = 0
  private var drained: [SocketStream] = []
  private var ended: [(stream: SocketStream, reason: StreamEnd)] = []
  private var wantsBatch = false
  private var stopped: (() -> Void)?
  private var isOver = false

  /// The number of streams, or of bytes for them, at which `flushIfMany` sends. With the objects of each stream, they
  /// fill about a level 2 cache.
  static let flushCount = 256
  static let flushByteCount = 128 << 10
  /// The number of unsent bytes at which a batch sends before its end. More would leave the CPU caches, and need new
  /// memory from the kernel.
  static let heldByteCount = 512 << 10
  /// The number of batches after which the thread returns to Dispatch, so that the actor's own jobs run.
  private static let turnLimit = 100
  /// The tokens of the inbox and the alarm. No `EventSource` has them: generations begin at 1, and places are few.
  private static let inboxToken = UInt64.max
  private static let alarmToken = UInt64.max - 1

  init(inbox: Inbox, options: EventLoop.Options) throws(SystemError) {
    self.inbox = inbox
    poster = inbox
    linger = options.lingers ? 1 : 0
    readBuffer = Array(repeating: 0, count: options.readBufferSize)
    handshakeLimit = options.handshakeLimit
    flushLimit = options.flushLimit
    farewellLimit = options.farewellLimit
    pollSet = try PollSet(eventsPerBatch: options.eventsPerBatch)
    alarm = try System.makeTimer()
    startNanoseconds = System.monotonicNanoseconds
    clocks = (System.now, .zero)
    try pollSet.add(inbox.event, token: Self.inboxToken, interest: PollSet.readable)
    try pollSet.add(alarm, token: Self.alarmToken, interest: PollSet.readable)
  }

  deinit {
    timers.removeAll()
    release()
  }

  /// Closes the loop's descriptors. Call this only when no Dispatch source watches the epoll set any longer.
  func release() {
    pollSet.close()
    if alarm >= 0 { System.close(exchange(&alarm, with: -1)) }
  }

  // MARK: Loop

  @discardableResult
  public func schedule(after delay: Duration, _ action: @escaping () -> Void) -> any LoopTimer {
    timer(after: delay, action)
  }

  func timer(after delay: Duration, _ action: @escaping () -> Void) -> TimerQueue.Timer {
    timers.add(deadline: uptimeNanoseconds + delay.nanosecondsForTimer, action)
  }

  public func wantBatchEnd() { wantsBatch = true }

  public func flushIfMany() {
    if dirty.count - keptCount >= Self.flushCount || dirtyByteCount >= Self.flushByteCount { flush(from: keptCount) }
  }

  public func wipeBuffers() {
    for index in readBuffer.indices { readBuffer[index] = 0 }
    tlsChannel.wipe()
    buffers.wipe()
  }

  // MARK: Batches

  func begin(_ handler: any LoopHandler) { self.handler = handler }

  /// Runs batches while there are events, and waits for the linger time before it returns: waking a thread through
  /// Dispatch costs more than waiting a little.
  func pump() {
    guard !isOver else { return }
    for _ in 0..<Self.turnLimit {
      let count = pollSet.wait(milliseconds: wantsBatch ? 0 : linger)
      readClocks()
      guard count > 0 || wantsBatch || isTimerDue else {
        buffers.shrink()
        break
      }
      runBatch(count)
      gauge.note(from: uptimeNanoseconds, to: System.monotonicNanoseconds - startNanoseconds)
      if finishStopping() { return }
    }
    if wantsBatch { inbox.wake() }
    setAlarm()
  }

  private var isTimerDue: Bool {
    guard let deadline = timers.nextDeadline else { return false }
    return deadline <= uptimeNanoseconds
  }

  private func readClocks() {
    uptimeNanoseconds = System.monotonicNanoseconds - startNanoseconds
    clocks = (System.now, .nanoseconds(uptimeNanoseconds))
  }

  private func runBatch(_ count: Int) {
    batchCount += 1
    wantsBatch = false
    hasBacklog = count == pollSet.eventsPerBatch
    for index in 0..<count {
      let (token, ready) = pollSet.event(index)
      switch token {
      case Self.inboxToken:
        for work in inbox.take() {
          work()
          flushIfMuch()
        }
      case Self.alarmToken:
        System.clear(counter: alarm)
        alarmDeadline = nil
      default:
        source(token)?.ready(ready)
        flushIfMuch()
      }
    }
    timers.fire(at: uptimeNanoseconds)
    tellEnded()
    keptCount = dirty.count
    dirtyByteCount = 0
    handler?.batchEnded()
    keptCount = 0
    flush()
    let hasNews = !drained.isEmpty || !ended.isEmpty
    for stream in exchange(&drained, with: []) { stream.tellWritable() }
    tellEnded()
    // Handlers have been called since `batchEnded`. Their bytes leave in a batch of their own.
    if hasNews { wantsBatch = true }
  }

  private func flushIfMuch() {
    if dirtyByteCount >= Self.heldByteCount { flush() }
  }

  private func flush(from first: Int = 0) {
    var next = first
    while next < dirty.count {
      dirty[next].flush()
      next += 1
    }
    dirty.removeSubrange(first...)
    dirtyByteCount = 0
  }

  private func tellEnded() {
    while !ended.isEmpty {
      for (stream, reason) in exchange(&ended, with: []) { stream.tellClosed(reason) }
    }
  }

  /// Sets the alarm for the next timer, while the loop does not wait by itself. An alarm that is set too early stays:
  /// it costs one look.
  private func setAlarm() {
    guard let deadline = timers.nextDeadline else { return }
    if let alarmDeadline, alarmDeadline <= deadline { return }
    alarmDeadline = deadline
    System.set(timer: alarm, monotonicNanoseconds: startNanoseconds + deadline)
  }

  // MARK: Streams

  /// Takes over a connected socket, whose handler `open` returns. A loop that is stopping closes it instead.
  func adopt(_ socket: OpenSocket, _ open: (any Stream) -> any StreamHandler) throws(SystemError) {
    guard !isStopping else { return }
    let stream = SocketStream(loop: self, descriptor: socket.take(), address: socket.peer)
    try stream.watch(PollSet.readable)
    stream.open(open)
  }

  func admits(_ peer: PeerAddress) -> Bool { handler?.admits(peer) ?? true }

  /// Takes over a connected socket with TLS. It asks for the handler after the handshake.
  func adopt(
    _ socket: OpenSocket, _ side: TLSSession.Side, within limit: Duration, _ opening: TLSSession.Opening
  ) throws(SystemError) {
    guard !isStopping else { return }
    let tls = TLSSession(side, channel: tlsChannel, opening: opening)
    let stream = SocketStream(loop: self, descriptor: socket.take(), address: socket.peer, tls: tls)
    try stream.watch(PollSet.readable)
    stream.shakeHands(within: limit)
  }

  /// Takes over an accepted connection.
  func accepted(_ socket: OpenSocket, _ server: TLSServer?) throws(SystemError) {
    guard let handler else { return }
    guard let server else { return try adopt(socket) { handler.opened($0) } }
    try adopt(
      socket, .server(server.context), within: handshakeLimit,
      TLSSession.Opening(opened: { handler.opened($0) }, failed: nil))
  }

  func isDirty(_ stream: SocketStream) { dirty.append(stream) }
  func noteGiven(byteCount: Int) { dirtyByteCount += byteCount }
  func isDrained(_ stream: SocketStream) { drained.append(stream) }

  func hasEnded(_ stream: SocketStream, _ reason: StreamEnd) {
    ended.append((stream, reason))
    wantsBatch = true
  }

  // MARK: Sources

  private func source(_ token: UInt64) -> EventSource? {
    let place = Int(UInt32(truncatingIfNeeded: token))
    guard place < sources.count, let source = sources[place], source.token == token else { return nil }
    return source
  }

  func reserveToken(for source: EventSource) -> UInt64 {
    lastGeneration = lastGeneration % (.max - 1) + 1
    let place: UInt32
    if let free = freePlaces.popLast() {
      place = free
      sources[Int(place)] = source
    } else {
      place = UInt32(truncatingIfNeeded: sources.count)
      sources.append(source)
    }
    sourceCount += 1
    return UInt64(lastGeneration) << 32 | UInt64(place)
  }

  func forget(_ token: UInt64) {
    let place = UInt32(truncatingIfNeeded: token)
    sources[Int(place)] = nil
    freePlaces.append(place)
    sourceCount -= 1
  }

  func stopListening(_ listener: Listener) {
    for source in sources {
      if let socket = source as? ListeningSocket, socket.listener === listener { socket.release() }
    }
  }

  // MARK: Stopping

  /// Ends everything in order within `limit`, and then calls `done` once.
  func stop(within limit: Duration, _ done: @escaping () -> Void) {
    guard !isStopping else { return }
    isStopping = true
    stopped = done
    for source in sources { source?.loopStops() }
    schedule(after: limit) { [unowned self] in for source in sources { source?.loopIsStopped() } }
  }

  private func finishStopping() -> Bool {
    guard isStopping, sourceCount == 0, ended.isEmpty else { return false }
    isOver = true
    inbox.close()
    timers.removeAll()
    handler = nil
    exchange(&stopped, with: nil)?()
    return true
  }
}
