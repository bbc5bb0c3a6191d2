internal import CLinux
internal import Glibc

/// An epoll set. The owner chooses a token for each descriptor that it watches.
@safe final class PollSet {  // An event's data may be a pointer. Here it is always a token.

  private(set) var descriptor: Int32
  private var events: [epoll_event]

  static let readable = EPOLLIN.rawValue
  static let writable = EPOLLOUT.rawValue
  /// The kernel reports these always.
  static let broken = EPOLLERR.rawValue | EPOLLHUP.rawValue

  /// The most events that one `wait` takes.
  var eventsPerBatch: Int { unsafe events.count }

  init(eventsPerBatch: Int) throws(SystemError) {
    descriptor = epoll_create1(Int32(EPOLL_CLOEXEC))
    guard descriptor >= 0 else { throw SystemError(call: "epoll_create1", code: errno) }
    unsafe events = Array(repeating: epoll_event(), count: eventsPerBatch)
  }

  deinit { close() }

  func close() {
    if descriptor >= 0 { System.close(descriptor) }
    descriptor = -1
  }

  /// Waits up to `milliseconds` for events, and returns the number of events that `event(_:)` now holds.
  func wait(milliseconds: Int32) -> Int {
    max(0, Int(unsafe epoll_wait(descriptor, &events, Int32(unsafe events.count), milliseconds)))
  }

  func event(_ index: Int) -> (token: UInt64, ready: UInt32) {
    let event = unsafe events[index]
    return unsafe (event.data.u64, event.events)
  }

  func add(_ watched: Int32, token: UInt64, interest: UInt32) throws(SystemError) {
    try control(EPOLL_CTL_ADD, watched, token, interest)
  }

  func change(_ watched: Int32, token: UInt64, interest: UInt32) {
    try? control(EPOLL_CTL_MOD, watched, token, interest)  // This needs no memory and so does not fail.
  }

  func remove(_ watched: Int32) { try? control(EPOLL_CTL_DEL, watched, 0, 0) }

  private func control(_ operation: Int32, _ watched: Int32, _ token: UInt64, _ interest: UInt32) throws(SystemError) {
    var event = unsafe epoll_event()
    unsafe event.events = interest
    unsafe event.data.u64 = token
    guard unsafe epoll_ctl(descriptor, operation, watched, &event) == 0 else {
      throw SystemError(call: "epoll_ctl", code: errno)
    }
  }
}
