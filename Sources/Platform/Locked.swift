internal import Glibc

/// A value that one thread at a time may use.
///
/// What `Synchronization.Mutex` is, on a lock that the thread sanitizer knows: on Linux it sees nothing of `Mutex`, and
/// reports a race for every value that one protects (Swift 6.3.1).
///
/// `@unchecked`: `value` is touched with the lock held only.
@safe public final class Locked<Value: ~Copyable & Sendable>: @unchecked Sendable {
  @usableFromInline let lock = PosixLock()
  @usableFromInline var value: Value

  @inlinable public init(_ value: consuming Value) { self.value = value }

  /// Runs `body` with the value, when nobody else has it. Not to be called again from within `body`.
  @inlinable public func withLock<Result: ~Copyable, Failure: Error>(
    _ body: (inout Value) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    lock.lock()
    defer { lock.unlock() }
    return try body(&value)
  }
}

/// The system's lock, behind calls that need not be known where `Locked` is specialised.
///
/// `@unchecked`: being used by many threads is what a lock is for.
@safe @usableFromInline final class PosixLock: @unchecked Sendable {
  private let mutex: UnsafeMutablePointer<pthread_mutex_t>  // A mutex must not move.

  @usableFromInline init() {
    unsafe mutex = .allocate(capacity: 1)
    unsafe mutex.initialize(to: pthread_mutex_t())
    let code = unsafe pthread_mutex_init(mutex, nil)
    precondition(code == 0, "a lock could not be made")
  }

  deinit {
    unsafe pthread_mutex_destroy(mutex)
    unsafe mutex.deallocate()
  }

  @usableFromInline func lock() { unsafe pthread_mutex_lock(mutex) }
  @usableFromInline func unlock() { unsafe pthread_mutex_unlock(mutex) }
}
