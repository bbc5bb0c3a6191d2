internal import Dispatch
public import Platform

/// A thread's worth of connections: an actor on a serial queue, with an epoll set that Dispatch watches as one source.
///
/// Everything that lives on it is plain code over a `LoopCore`, entered once per batch. It runs until `stop`.
public actor EventLoop {
  /// What can be chosen about a loop.
  public struct Options: Sendable {
    /// Events taken from the system at once, at least 1.
    public var eventsPerBatch = 1024
    /// Bytes that one read takes at most, at least 1; one such buffer per loop.
    public var readBufferSize = 256 << 10
    /// Wait up to 1 ms for more before giving the thread back: fewer wake-ups under a middling load.
    public var lingers = true
    /// Hand the sends of many connections to the system with one call, where it has that (`io_uring(7)`).
    public var sendsTogether = true
    /// How long the TLS handshake of an accepted connection may take, however slowly it comes.
    public var handshakeLimit: Duration = .seconds(10)
    /// How long a stream that is being closed may take to hand over what is unsent, however slowly the peer reads.
    public var flushLimit: Duration = .seconds(30)
    /// How long the peer may take to close in turn. Closing before it has would reset the connection if bytes of its
    /// were still unread, and the reset could overtake our last ones.
    public var farewellLimit: Duration = .seconds(2)

    public init() {}
  }

  /// The processors that this process may run on, at least 1: as many loops as make sense.
  public static var processorCount: Int { System.processorCount }

  nonisolated let executor: QueueExecutor
  nonisolated let inbox: Inbox
  private let core: LoopCore
  private var source: (any DispatchSourceRead)?
  private var stopped: [@Sendable () -> Void] = []

  public nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe executor.asUnownedSerialExecutor() }

  /// The way onto this loop from any thread.
  public nonisolated var poster: any Poster { inbox }

  public init(name: String, options: Options = Options()) throws(SystemError) {
    executor = QueueExecutor(label: name)
    inbox = try Inbox()
    core = try LoopCore(inbox: inbox, options: options)
  }

  /// Begins to run, with the handler that `makeHandler` makes on the loop. Once.
  public nonisolated func start(_ makeHandler: @escaping @Sendable (LoopCore) -> any LoopHandler) {
    executor.queue.async { self.assumeIsolated { $0.begin(makeHandler) } }
  }

  /// Begins to run without connections from listeners. Once.
  public nonisolated func start() { start { _ in NoHandler() } }

  /// Runs `work` on the loop, in its next batch.
  public nonisolated func run(_ work: @escaping @Sendable (LoopCore) -> Void) {
    inbox.post { self.assumeIsolated { work($0.core) } }
  }

  /// Closes all streams in order and everything else at once, then lets go of the system's resources and calls `done`
  /// on some thread, at once if that is over. Streams that are still there after `limit` are aborted. What is posted
  /// afterwards is dropped. A loop that was never started must not be stopped.
  public nonisolated func stop(within limit: Duration = .seconds(5), _ done: @escaping @Sendable () -> Void) {
    let isRunning = inbox.accept { self.assumeIsolated { $0.close(within: limit, done) } }
    if !isRunning { done() }
  }

  private func begin(_ makeHandler: @Sendable (LoopCore) -> any LoopHandler) {
    precondition(source == nil, "a loop starts once")
    core.begin(makeHandler(core))
    let source = DispatchSource.makeReadSource(fileDescriptor: core.pollSet.descriptor, queue: executor.queue)
    source.setEventHandler { self.assumeIsolated { $0.core.pump() } }
    self.source = source
    source.activate()
  }

  private func close(within limit: Duration, _ done: @escaping @Sendable () -> Void) {
    stopped.append(done)
    core.stop(within: limit) { self.assumeIsolated { $0.cancel() } }
  }

  private func cancel() {
    // Closed only after the cancellation: a descriptor closed under a source silences the next one of its number.
    source?.setCancelHandler {
      self.assumeIsolated {
        $0.core.release()
        for done in exchange(&$0.stopped, with: []) { done() }
      }
    }
    source?.cancel()
    source = nil
  }
}

private final class NoHandler: LoopHandler {
  func opened(_ stream: any Stream) -> any StreamHandler {
    stream.abort()
    return NoStreamHandler()
  }

  func batchEnded() {}
}

private final class NoStreamHandler: StreamHandler {
  func received(_ bytes: inout MutableSpan<UInt8>) {}
  func writable() {}
  func closed(_ reason: StreamEnd) {}
}
