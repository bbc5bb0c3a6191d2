internal import CLinux
internal import Dispatch
internal import Glibc
public import Platform

/// Signals that a server answers to, told on a loop or any other `Poster` instead of ending the process.
///
/// Not by Dispatch's signal sources: they miss a signal that the system gives to a thread that has not blocked it.
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

  /// A read source: Dispatch's objects may be used from any thread, though their types do not say so.
  private struct Source: @unchecked Sendable {  // See above.
    let source: any DispatchSourceRead
  }

  /// Posts `received` for each of `signals` that arrives, until `cancel`; once if several arrive at the same time. The
  /// latest value that asked for a signal gets it.
  public init(
    _ signals: [Signal], poster: any Poster, _ received: @escaping @Sendable (Signal) -> Void
  ) throws(SystemError) {
    self.signals = signals
    let queue = DispatchQueue(label: "signals")
    var made: [Source] = []
    for signal in signals {
      // Never closed: a signal handler on another thread may be about to write to it.
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

  /// Stops telling. The signals are ignored from then on.
  public func cancel() {
    for signal in signals { _ = Glibc.signal(signal.number, SIG_IGN) }
    let left = sources.withLock { exchange(&$0, with: []) }
    for source in left { source.source.cancel() }
  }

  /// Writing to a connection that is gone shall be an error like others, not the end of the process.
  public static func ignoreBrokenPipes() { _ = Glibc.signal(SIGPIPE, SIG_IGN) }
}
