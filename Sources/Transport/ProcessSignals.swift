internal import CLinux
internal import Dispatch
internal import Glibc
public import Platform

/// Signals that a server answers to, told on a loop or any other `Poster` instead of ending the process.
///
/// Not by Dispatch's signal sources: they miss a signal that the system gives to a thread that has not blocked it.
public enum ProcessSignals {
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

  /// Posts `received` for each of `signals` that arrives, for the rest of the process's life; once if several arrive at
  /// the same time. Replaces what an earlier call asked for.
  public static func deliver(
    _ signals: [Signal], to poster: any Poster, _ received: @escaping @Sendable (Signal) -> Void
  ) throws(SystemError) {
    let queue = DispatchQueue(label: "signals")
    for signal in signals {
      // Never closed: a signal handler may be about to write to it.
      let event = try System.makeEvent()
      let source = DispatchSource.makeReadSource(fileDescriptor: event, queue: queue)
      source.setEventHandler {
        System.clear(counter: event)
        poster.post { received(signal) }
        _ = source  // Held by its own handler, so that it lives as long as the signal is caught.
      }
      source.activate()
      guard clinux_catch(signal.number, event) == 0 else { throw SystemError(call: "sigaction", code: errno) }
    }
  }

  /// Writing to a connection that is gone shall be an error like others, not the end of the process.
  public static func ignoreBrokenPipes() { _ = Glibc.signal(SIGPIPE, SIG_IGN) }
}
