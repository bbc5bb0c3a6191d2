internal import Platform

/// What one reader of a room has not read yet.
///
/// Bounded, and nothing is lost by that: when single events have become too many, one whole state stands for them.
final class EventQueue: Sendable {
  private struct State {
    var events: [RoomEvent] = []
    var reader: CheckedContinuation<RoomEvent?, Never>?
    var isFinished = false
  }

  private let limit: Int
  private let state = Locked(State())

  init(limit: Int = 256) { self.limit = limit }

  /// Adds an event. `snapshot` is the room with the event in it.
  func put(_ event: RoomEvent, snapshot: RoomSnapshot?) {
    let reader = state.withLock { state -> CheckedContinuation<RoomEvent?, Never>? in
      guard !state.isFinished else { return nil }
      if let reader = state.reader.take() { return reader }
      if state.events.count >= limit, let snapshot {
        state.events = [.state(snapshot, reason: "behind")]
      } else {
        state.events.append(event)
      }
      return nil
    }
    reader?.resume(returning: event)
  }

  /// What has been put is still read; nothing more comes.
  func finish() {
    let reader = state.withLock { state in
      state.isFinished = true
      return state.reader.take()
    }
    reader?.resume(returning: nil)
  }

  /// The next event, or `nil` at the end. For one reader at a time: a second one ends the first one's waiting.
  func next() async -> RoomEvent? {
    await withCheckedContinuation { continuation in
      let (known, waiting) = state.withLock { state -> (RoomEvent??, CheckedContinuation<RoomEvent?, Never>?) in
        if !state.events.isEmpty { return (.some(state.events.removeFirst()), nil) }
        if state.isFinished { return (.some(nil), nil) }
        return (nil, exchange(&state.reader, with: continuation))
      }
      waiting?.resume(returning: nil)
      if let known { continuation.resume(returning: known) }
    }
  }

  /// The events as a sequence for one reader, whose cancellation ends it.
  var stream: AsyncStream<RoomEvent> {
    AsyncStream(unfolding: { await self.next() }, onCancel: { self.finish() })
  }
}
