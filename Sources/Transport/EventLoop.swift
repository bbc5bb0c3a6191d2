internal import Dispatch
public import Platform

/// An event loop: an actor on a serial queue, with an epoll set that Dispatch watches as one source.
///
/// Everything that lives on the loop is synchronous code over a `LoopCore`, entered once for each batch. The loop runs
/// until `stop`.
public actor EventLoop {
  /// The options of a loop.
  public struct Options: Sendable {
    /// The most events that one batch takes from the kernel, at least 1.
    public var eventsPerBatch = 1024
    /// The most bytes of one read, at least 1. Each loop has one such buffer.
    public var readBufferSize = 256 << 10
    /// Whether the loop waits up to 1 ms for more events before it gives its thread back. A medium load then wakes
    /// fewer threads.
    public var lingers = true
    /// The limit on the TLS handshake of an accepted connection.
    public var handshakeLimit: Duration = .seconds(10)
    /// The limit on sending the last bytes of a closing stream, however slowly the peer reads.
    public var flushLimit: Duration = .seconds(30)
    /// The limit on waiting until the peer closes, too. If we closed while bytes of the peer were unread, the kernel
    /// would reset the connection, and the reset could overtake our last bytes.
    public var farewellLimit: Duration = .seconds(2)

    public init() {}
  }

  /// The number of processors that this process may run on, at least 1. More loops than that are of no use.
  public static var processorCount: Int { System.processorCount }

  nonisolated let executor: QueueExecutor
  nonisolated let inbox: Inbox
  private let core: LoopCore
  private var source: (any DispatchSourceRead)?
  private var stopped: [@Sendable () -> Void] = []

  public nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe executor.asUnownedSerialExecutor() }

  /// Posts work to this loop from any thread.
  public nonisolated var poster: any Poster { inbox }

  public init(name: String, options: Options = Options()) throws(SystemError) {
    executor = QueueExecutor(label: name)
    inbox = try Inbox()
    core = try LoopCore(inbox: inbox, options: options)
  }

  /// Starts the loop with the handler that `makeHandler` creates on it. Call this once.
  public nonisolated func start(_ makeHandler: @escaping @Sendable (LoopCore) -> any LoopHandler) {
    executor.queue.async { self.assumeIsolated { $0.begin(makeHandler) } }
  }

  /// Starts a loop that takes no connections from listeners. Call this once.
  public nonisolated func start() { start { _ in NoHandler() } }

  /// Runs `work` on the loop, in its next batch.
  public nonisolated func run(_ work: @escaping @Sendable (LoopCore) -> Void) {
    inbox.post { self.assumeIsolated { work($0.core) } }
  }

  /// Stops the loop: closes all streams in order and everything else at once, releases the loop's descriptors, and
  /// calls `done` on some thread. If the loop has stopped already, it calls `done` at once. After `limit` it aborts the
  /// remaining streams. Work that is posted later is dropped. A loop that was never started must not be stopped.
  public nonisolated func stop(within limit: Duration = .seconds(5), _ done: @escaping @Sendable () -> Void) {
    let isRunning = inbox.accept { self.assumeIsolated { $0.close(within: limit, done) } }
    if !isRunning { done() }
  }

  private func begin(_ makeHandler: @Sendable (LoopCore) -> any LoopHandler) {
    precondition(source == nil, "a loop starts once")
    core.begin(makeHandler(core))
    let source = DispatchSource.makeReadSource(fileDescriptor: core.pollSet.descriptor, queue: executor.queue)
    source.setEventHandler {
      self.assumeIsolated { $0.core.pump() }
      // The thread may stay idle while the loop runs on others, and a core dump has its stack (LOC-24).
      FreedMemory.overwriteStack()
    }
    self.source = source
    source.activate()
  }

  private func close(within limit: Duration, _ done: @escaping @Sendable () -> Void) {
    stopped.append(done)
    core.stop(within: limit) { self.assumeIsolated { $0.cancel() } }
  }

  private func cancel() {
    // The epoll set is closed only after the cancellation: if a descriptor is closed under a source, a later descriptor
    // of the same number gets no events.
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
