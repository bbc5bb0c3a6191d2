internal import Platform

/// The unread events of one reader of a room.
///
/// The queue is bounded without losing information: when it is full, the room's whole state replaces the events.
final class EventQueue: Sendable {
  private struct State {
    var events: [RoomEvent] = []
    var reader: CheckedContinuation<RoomEvent?, Never>?
    var isFinished = false
  }

  private let limit: Int
  private let state = Locked(State())

  init(limit: Int = 256) { self.limit = limit }

  /// Adds an event. `snapshot` is the room's state including the event.
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

  /// Ends the queue after the events already in it.
  func finish() {
    let reader = state.withLock { state in
      state.isFinished = true
      return state.reader.take()
    }
    reader?.resume(returning: nil)
  }

  /// Returns the next event, or `nil` at the end. For one reader at a time: a second reader ends the wait of the first.
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

  /// The events as a sequence for one reader. Cancelling it finishes the queue.
  var stream: AsyncStream<RoomEvent> {
    AsyncStream(unfolding: { await self.next() }, onCancel: { self.finish() })
  }
}
