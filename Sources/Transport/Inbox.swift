internal import Platform

/// The work that other threads post to a loop. One write to an eventfd wakes the loop for each burst, whether Dispatch
/// waits or the loop itself does in `epoll_wait`. A block on the loop's queue would wait until that call ends.
final class Inbox: Poster {
  /// An eventfd. It stays open as long as any thread can post, so that no other file gets its number.
  let event: Int32
  private let state = Locked(State())

  private struct State {
    var work: [@Sendable () -> Void] = []
    var isOpen = true
  }

  init() throws(SystemError) { event = try System.makeEvent() }

  deinit { System.close(event) }

  func post(_ work: @escaping @Sendable () -> Void) { _ = accept(work) }

  /// Posts `work`; returns `false` after `close`.
  func accept(_ work: @escaping @Sendable () -> Void) -> Bool {
    let (isOpen, isFirst) = state.withLock {
      guard $0.isOpen else { return (false, false) }
      $0.work.append(work)
      return (true, $0.work.count == 1)
    }
    if isFirst { wake() }
    return isOpen
  }

  /// Makes the loop run a batch, even if nothing was posted.
  func wake() { System.signal(event: event) }

  /// Takes all posted work. The loop calls this when `event` is ready.
  func take() -> [@Sendable () -> Void] {
    // The counter is cleared first: a post between the two steps is in the list or signals again.
    System.clear(counter: event)
    return state.withLock { exchange(&$0.work, with: []) }
  }

  /// Closes the inbox: work that is posted later is dropped.
  func close() {
    let left = state.withLock {
      $0.isOpen = false
      return exchange(&$0.work, with: [])
    }
    _ = consume left  // Outside the lock: a closure may release an object that posts in its `deinit`.
  }
}

/// Replaces the value at `place` and returns the old one.
func exchange<Value>(_ place: inout Value, with value: consuming Value) -> Value {
  let old = place
  place = value
  return old
}
