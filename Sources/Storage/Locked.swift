internal import Glibc

/// A value that one thread at a time may use.
///
/// What `Synchronization.Mutex` is, on a lock that the thread sanitizer knows: on Linux it sees nothing of `Mutex`, and
/// reports a race for every value that one protects (Swift 6.3.1).
///
/// `@unchecked`: `value` is touched with the lock held only.
@safe final class Locked<Value: ~Copyable & Sendable>: @unchecked Sendable {
  private let mutex: UnsafeMutablePointer<pthread_mutex_t>  // A mutex must not move.
  private var value: Value

  init(_ value: consuming Value) {
    unsafe mutex = .allocate(capacity: 1)
    unsafe mutex.initialize(to: pthread_mutex_t())
    let code = unsafe pthread_mutex_init(mutex, nil)
    precondition(code == 0, "a lock could not be made")
    self.value = value
  }

  deinit {
    unsafe pthread_mutex_destroy(mutex)
    unsafe mutex.deallocate()
  }

  func withLock<Result: ~Copyable, Failure: Error>(
    _ body: (inout Value) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    unsafe pthread_mutex_lock(mutex)
    defer { unsafe pthread_mutex_unlock(mutex) }
    return try body(&value)
  }
}
