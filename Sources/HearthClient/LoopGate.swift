internal import Platform
internal import Transport

/// Runs work from any thread on an object of an event loop, while the loop runs.
final class LoopGate<Resident: Sendable>: Sendable {
  typealias Completion<Value> = (Result<Value, ClientError>) -> Void

  let loop: EventLoop
  private let resident: Resident
  private let state = Locked(State())

  private struct State {
    /// Whether the loop was asked to stop, or is about to be.
    var isClosed = false
    /// The reason for the end that the resident reported on closing.
    var end: ClientError?
  }

  init(_ loop: EventLoop, _ resident: Resident) {
    self.loop = loop
    self.resident = resident
  }

  /// Makes a loop for a client, which has few connections and gains nothing from lingering.
  static func makeLoop() throws(ClientError) -> EventLoop {
    var settings = EventLoop.Options()
    settings.readBufferSize = 64 << 10
    settings.lingers = false
    do throws(SystemError) { return try EventLoop(name: "hearth-client", options: settings) } catch {
      throw .unreachable(.failed(error))
    }
  }

  /// Runs `work` on the loop. It must call the completion once.
  func ask<Value: Sendable>(
    _ work: @escaping @Sendable (Resident, @escaping Completion<Value>) -> Void
  ) async throws(ClientError) -> Value {
    let result: Result<Value, ClientError> = await withCheckedContinuation { continuation in
      // Under the lock: work posted after the loop was asked to stop is dropped and would never complete.
      let end = state.withLock { state -> ClientError? in
        if state.isClosed { return state.end ?? .closed }
        loop.run { [resident] _ in work(resident) { continuation.resume(returning: $0) } }
        return nil
      }
      if let end { continuation.resume(returning: .failure(end)) }
    }
    return try result.get()
  }

  /// Runs `work` on the loop, or `refused` at once if it is closed.
  func post(_ work: @escaping @Sendable (Resident) -> Void, orElse refused: () -> Void = {}) {
    let isClosed = state.withLock { state in
      if !state.isClosed { loop.run { [resident] _ in work(resident) } }
      return state.isClosed
    }
    if isClosed { refused() }
  }

  /// Closes the gate, runs `leave` on the loop, waits until it has reported the reason, then stops the loop.
  func close(_ leave: @escaping @Sendable (Resident, @escaping (ClientError) -> Void) -> Void) async {
    let isFirst: Bool = await withCheckedContinuation { continuation in
      let isFirst = state.withLock { state in
        if state.isClosed { return false }
        state.isClosed = true
        loop.run { [self] _ in
          leave(resident) { end in
            self.state.withLock { $0.end = end }
            continuation.resume(returning: true)
          }
        }
        return true
      }
      if !isFirst { continuation.resume(returning: false) }
    }
    guard isFirst else { return }
    await withCheckedContinuation { continuation in loop.stop(within: .seconds(1)) { continuation.resume() } }
  }

  /// Closes the gate without waiting, for use in `deinit`.
  func drop(_ leave: @escaping @Sendable (Resident) -> Void) {
    if state.withLock({ exchange(&$0.isClosed, with: true) }) { return }
    loop.run { [resident] _ in leave(resident) }
    loop.stop(within: .seconds(1)) {}
  }
}
