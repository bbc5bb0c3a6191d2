internal import Glibc

/// A value that one thread at a time may use.
///
/// Like `Synchronization.Mutex`, but on a lock that the thread sanitizer knows. On Linux the sanitizer does not see
/// `Mutex` and reports a race for every value that one protects (Swift 6.3.1).
///
/// `@unchecked`: `value` is accessed only with the lock held.
@safe public final class Locked<Value: ~Copyable & Sendable>: @unchecked Sendable {
  @usableFromInline let lock = PosixLock()
  @usableFromInline var value: Value

  @inlinable public init(_ value: consuming Value) { self.value = value }

  /// Runs `body` with exclusive access to the value. `body` must not call it again.
  @inlinable public func withLock<Result: ~Copyable, Failure: Error>(
    _ body: (inout Value) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    lock.lock()
    defer { lock.unlock() }
    return try body(&value)
  }
}

/// A `pthread_mutex_t` behind calls that are not inlined, so that specialisations of `Locked` do not import Glibc.
///
/// `@unchecked`: a lock is made to be used by many threads.
@safe @usableFromInline final class PosixLock: @unchecked Sendable {
  private let mutex: UnsafeMutablePointer<pthread_mutex_t>  // A mutex must not move.

  @usableFromInline init() {
    unsafe mutex = .allocate(capacity: 1)
    unsafe mutex.initialize(to: pthread_mutex_t())
    let code = unsafe pthread_mutex_init(mutex, nil)
    precondition(code == 0, "could not create a lock")
  }

  deinit {
    unsafe pthread_mutex_destroy(mutex)
    unsafe mutex.deallocate()
  }

  @usableFromInline func lock() { unsafe pthread_mutex_lock(mutex) }
  @usableFromInline func unlock() { unsafe pthread_mutex_unlock(mutex) }
}
