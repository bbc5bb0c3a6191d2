internal import CLinux
internal import Dispatch
internal import Glibc
public import Platform

/// Signals that a server handles: they are posted to a loop or another `Poster` instead of ending the process.
///
/// Dispatch's signal sources would not do: they miss a signal that the kernel delivers to a thread that has not blocked
/// it.
public final class ProcessSignals: Sendable {
  public enum Signal: Sendable, CaseIterable {
    /// `SIGTERM`
    case terminate
    /// `SIGINT`
    case interrupt
    /// `SIGHUP`
    case hangUp

    var number: Int32 {
      switch self {
      case .terminate: SIGTERM
      case .interrupt: SIGINT
      case .hangUp: SIGHUP
      }
    }
  }

  private let signals: [Signal]
  private let sources: Locked<[Source]>

  /// A read source. Dispatch's objects are thread-safe, although their types are not `Sendable`.
  private struct Source: @unchecked Sendable {  // See above.
    let source: any DispatchSourceRead
  }

  /// Posts `received` for each of `signals` that arrives, until `cancel`. Signals that arrive together are posted once.
  /// A signal goes to the latest value that asked for it.
  public init(
    _ signals: [Signal], poster: any Poster, _ received: @escaping @Sendable (Signal) -> Void
  ) throws(SystemError) {
    self.signals = signals
    let queue = DispatchQueue(label: "signals")
    var made: [Source] = []
    for signal in signals {
      // It is never closed: a signal handler on another thread may be about to write to it.
      let event = try System.makeEvent()
      let source = DispatchSource.makeReadSource(fileDescriptor: event, queue: queue)
      source.setEventHandler {
        System.clear(counter: event)
        poster.post { received(signal) }
      }
      source.activate()
      made.append(Source(source: source))
      guard clinux_catch(signal.number, event) == 0 else { throw SystemError(call: "sigaction", code: errno) }
    }
    sources = Locked(made)
  }

  /// Stops posting. The signals are ignored from then on.
  public func cancel() {
    for signal in signals { _ = Glibc.signal(signal.number, SIG_IGN) }
    let left = sources.withLock { exchange(&$0, with: []) }
    for source in left { source.source.cancel() }
  }

  /// Ignores SIGPIPE: a write to a closed connection returns an error instead of ending the process.
  public static func ignoreBrokenPipes() { _ = Glibc.signal(SIGPIPE, SIG_IGN) }
}
