internal import JSON
internal import Platform

/// A result that is set once and may have several readers.
final class Outcome: Sendable {
  typealias Value = Result<JSON, ClientError>

  private struct State {
    var value: Value?
    var waiting: [CheckedContinuation<Value, Never>] = []
  }

  private let state = Locked(State())

  /// Sets the result; later calls have no effect.
  func settle(_ value: Value) {
    let waiting = state.withLock { state in
      if state.value == nil { state.value = value }
      return exchange(&state.waiting, with: [])
    }
    for continuation in waiting { continuation.resume(returning: value) }
  }

  var value: Value {
    get async {
      await withCheckedContinuation { continuation in
        let known = state.withLock { state in
          if state.value == nil { state.waiting.append(continuation) }
          return state.value
        }
        if let known { continuation.resume(returning: known) }
      }
    }
  }
}
