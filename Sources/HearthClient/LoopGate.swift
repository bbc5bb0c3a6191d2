internal import Platform
internal import Transport

/// The way from any thread to somebody who lives on an event loop, for as long as that runs.
final class LoopGate<Resident: Sendable>: Sendable {
  typealias Completion<Value> = (Result<Value, ClientError>) -> Void

  let loop: EventLoop
  private let resident: Resident
  private let state = Locked(State())

  private struct State {
    /// The loop has been told to stop, or will be.
    var isClosed = false
    /// Why it was over for the resident when it was closed.
    var end: ClientError?
  }

  init(_ loop: EventLoop, _ resident: Resident) {
    self.loop = loop
    self.resident = resident
  }

  /// A loop for a client: it has few connections, and nobody is helped if it lingers.
  static func makeLoop() throws(ClientError) -> EventLoop {
    var settings = EventLoop.Options()
    settings.readBufferSize = 64 << 10
    settings.lingers = false
    do throws(SystemError) { return try EventLoop(name: "hearth-client", options: settings) } catch {
      throw .unreachable(.failed(error))
    }
  }

  /// Runs `work` on the loop, which must call the completion once.
  func ask<Value: Sendable>(
    _ work: @escaping @Sendable (Resident, @escaping Completion<Value>) -> Void
  ) async throws(ClientError) -> Value {
    let result: Result<Value, ClientError> = await withCheckedContinuation { continuation in
      // Under the lock: what is posted to a loop after it was told to stop is dropped, and would never be answered.
      let end = state.withLock { state -> ClientError? in
        if state.isClosed { return state.end ?? .closed }
        loop.run { [resident] _ in work(resident) { continuation.resume(returning: $0) } }
        return nil
      }
      if let end { continuation.resume(returning: .failure(end)) }
    }
    return try result.get()
  }

  /// Runs `work` on the loop, or `refused` at once where it is closed.
  func post(_ work: @escaping @Sendable (Resident) -> Void, orElse refused: () -> Void = {}) {
    let isClosed = state.withLock { state in
      if !state.isClosed { loop.run { [resident] _ in work(resident) } }
      return state.isClosed
    }
    if isClosed { refused() }
  }

  /// Lets nobody in any more, has `leave` run on the loop, which must say once why it was over, then stops the loop.
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

  /// The same with nobody waiting, for whoever is let go of.
  func drop(_ leave: @escaping @Sendable (Resident) -> Void) {
    if state.withLock({ exchange(&$0.isClosed, with: true) }) { return }
    loop.run { [resident] _ in leave(resident) }
    loop.stop(within: .seconds(1)) {}
  }
}
