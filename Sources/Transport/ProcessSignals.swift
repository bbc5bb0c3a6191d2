internal import Dispatch
internal import Glibc
public import Platform
internal import Synchronization

/// Signals that a server answers to, told on a loop or any other `Poster` instead of ending the process.
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

  private let sources: Mutex<[any DispatchSourceSignal]>

  /// Posts `received` for each of `signals` that arrives, until `cancel`.
  public init(_ signals: [Signal], poster: any Poster, _ received: @escaping @Sendable (Signal) -> Void) {
    let queue = DispatchQueue(label: "signals")
    let made = signals.map { signal -> any DispatchSourceSignal in
      _ = Glibc.signal(signal.number, SIG_IGN)  // Else the default action comes before the source.
      let source = DispatchSource.makeSignalSource(signal: signal.number, queue: queue)
      source.setEventHandler { poster.post { received(signal) } }
      source.activate()
      return source
    }
    sources = Mutex(made)
  }

  /// Stops listening. The signals stay ignored.
  public func cancel() {
    sources.withLock { for source in $0 { source.cancel() } }
  }

  /// Writing to a connection that is gone shall be an error like others, not the end of the process.
  public static func ignoreBrokenPipes() { _ = Glibc.signal(SIGPIPE, SIG_IGN) }
}
