internal import Platform

/// What other threads have for a loop. One eventfd write wakes it per burst, whoever is waiting: Dispatch, or the loop
/// itself inside `epoll_wait` (a block given to its queue would wait until that call ends).
final class Inbox: Poster {
  /// Stays open as long as anybody can post, so that its number never becomes somebody else's.
  let event: Int32
  private let state = Locked(State())

  private struct State {
    var work: [@Sendable () -> Void] = []
    var isOpen = true
  }

  init() throws(SystemError) { event = try System.makeEvent() }

  deinit { System.close(event) }

  func post(_ work: @escaping @Sendable () -> Void) { _ = accept(work) }

  /// Posts, or returns `false` after `close`.
  func accept(_ work: @escaping @Sendable () -> Void) -> Bool {
    let (isOpen, isFirst) = state.withLock {
      guard $0.isOpen else { return (false, false) }
      $0.work.append(work)
      return (true, $0.work.count == 1)
    }
    if isFirst { wake() }
    return isOpen
  }

  /// Lets the loop run a batch though nothing was posted.
  func wake() { System.signal(event: event) }

  /// Everything posted up to now. Called by the loop when `event` is ready.
  func take() -> [@Sendable () -> Void] {
    // Cleared first: a post that comes between the two finds the list not empty or signals again.
    System.clear(counter: event)
    return state.withLock { exchange(&$0.work, with: []) }
  }

  /// From now on, what is posted is dropped.
  func close() {
    let left = state.withLock {
      $0.isOpen = false
      return exchange(&$0.work, with: [])
    }
    _ = consume left  // Outside the lock: what work holds may post when let go.
  }
}

/// Puts `value` in the place of what was there, which it returns.
func exchange<Value>(_ place: inout Value, with value: consuming Value) -> Value {
  let old = place
  place = value
  return old
}
