// The system calls of the load generator, and so nearly all its unsafe code. Pointers live for one call, and lengths
// come from the arrays and spans themselves.

import CLinux
import Glibc

/// A failed system call.
struct SystemError: Error, CustomStringConvertible {
  let call: String
  let code: Int32
  var description: String { "\(call): \(unsafe String(cString: strerror(code)))" }
}

enum System {
  /// Nanoseconds of the monotonic clock.
  static var nanoseconds: Int64 {
    var time = timespec()
    _ = unsafe clock_gettime(CLOCK_MONOTONIC, &time)
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
  }

  /// Nanoseconds since this machine was booted, the clock of process start times.
  static var nanosecondsSinceBoot: Int64 {
    var time = timespec()
    _ = unsafe clock_gettime(CLOCK_BOOTTIME, &time)
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
  }

  /// Nanoseconds since 1970.
  static var wallNanoseconds: Int64 {
    var time = timespec()
    _ = unsafe clock_gettime(CLOCK_REALTIME, &time)
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
  }

  /// Milliseconds since 1970.
  static var wallMilliseconds: Int64 { wallNanoseconds / 1_000_000 }

  /// CPU time of this process, in nanoseconds.
  static var ownProcessorTime: Int64 {
    var time = timespec()
    _ = unsafe clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
  }

  /// Clock ticks per second, the unit of CPU time in `/proc`; and bytes per page.
  static let ticksPerSecond = Int64(sysconf(Int32(_SC_CLK_TCK)))
  static let pageSize = Int64(sysconf(Int32(_SC_PAGESIZE)))

  /// Pins this thread to one CPU.
  static func pin(to processor: UInt32) throws(SystemError) {
    guard clinux_pin(processor) == 0 else { throw SystemError(call: "sched_setaffinity", code: errno) }
  }

  /// Starts to connect to an IPv4 address.
  ///
  /// - Parameters:
  ///   - receiveBufferBytes: the size of the kernel's receive buffer; `nil` for the default.
  ///   - waits: whether to return only when connected, or throw the reason for a failure.
  static func connect(
    to host: String, port: UInt16, receiveBufferBytes: Int32? = nil, waits: Bool = false
  ) throws(SystemError) -> Int32 {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    guard unsafe inet_pton(AF_INET, host, &address.sin_addr) == 1 else {
      throw SystemError(call: "\(host) is no IPv4 address", code: EINVAL)
    }
    let mode = waits ? 0 : SOCK_NONBLOCK.rawValue
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | mode | SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { throw SystemError(call: "socket", code: errno) }
    var on: Int32 = 1
    _ = unsafe setsockopt(
      descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &on, socklen_t(MemoryLayout<Int32>.size))
    _ = unsafe setsockopt(descriptor, SOL_SOCKET, SO_TIMESTAMPNS, &on, socklen_t(MemoryLayout<Int32>.size))
    if var bytes = receiveBufferBytes {
      // Before connecting, since the window is negotiated then.
      _ = unsafe setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &bytes, socklen_t(MemoryLayout<Int32>.size))
    }
    let result = unsafe withUnsafePointer(to: address) {
      unsafe $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        unsafe Glibc.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    if result != 0, errno != EINPROGRESS {
      let code = errno
      close(descriptor)
      throw SystemError(call: "connect", code: code)
    }
    return descriptor
  }

  /// Ends a process at once, or asks it to end.
  static func end(_ process: Int32, atOnce isKilled: Bool) throws(SystemError) {
    guard kill(process, isKilled ? SIGKILL : SIGTERM) == 0 else { throw SystemError(call: "kill", code: errno) }
  }

  /// Sleeps for a millisecond.
  static func pause() { usleep(1000) }

  /// - Parameter isReset: whether to reset the connection, discarding data in flight.
  static func close(_ descriptor: Int32, resetting isReset: Bool = false) {
    if isReset {
      var none = linger(l_onoff: 1, l_linger: 0)
      _ = unsafe setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &none, socklen_t(MemoryLayout<linger>.size))
    }
    _ = Glibc.close(descriptor)
  }

  /// Reads available bytes and passes them on with the time of arrival of the last one (nanoseconds since 1970; `nil`
  /// if the kernel has not recorded it). Returns the count, 0 at the end of the stream, or the negated `errno`.
  static func receive(
    _ descriptor: Int32, into buffer: inout [UInt8], _ body: (inout MutableSpan<UInt8>, _ arrivedAt: Int64?) -> Void
  ) -> Int {
    var span = buffer.mutableSpan
    var arrivedAt = 0
    let count = unsafe span.withUnsafeMutableBytes {
      unsafe clinux_receive(descriptor, $0.baseAddress, $0.count, &arrivedAt)
    }
    guard count >= 0 else { return Int(-errno) }
    if count > 0 {
      var bytes = span._mutatingExtracting(0..<count)
      body(&bytes, arrivedAt == 0 ? nil : Int64(arrivedAt))
    }
    return count
  }

  /// Passes as many bytes as possible to the kernel. Returns the count, or the negated `errno`.
  static func send(_ descriptor: Int32, _ bytes: Span<UInt8>) -> Int {
    let count = unsafe bytes.withUnsafeBytes {
      unsafe Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
    }
    return count < 0 ? Int(-errno) : count
  }

  /// Whether a negated `errno` only means "try again later".
  static func isTemporary(_ result: Int) -> Bool { result == Int(-EAGAIN) || result == Int(-EINTR) }

  static func text(of result: Int) -> String { unsafe String(cString: strerror(Int32(truncatingIfNeeded: -result))) }
}

/// An epoll set with a timer.
@safe final class Poller {  // An event's data may be a pointer; here it is always a token.
  static let readable = EPOLLIN.rawValue
  static let writable = EPOLLOUT.rawValue
  /// The token of the timer's event.
  private static let timerToken = UInt64.max

  private let descriptor: Int32
  private let timer: Int32
  private var events: [epoll_event]
  private var setFor: Int64 = 0

  init() throws(SystemError) {
    descriptor = epoll_create1(Int32(EPOLL_CLOEXEC))
    guard descriptor >= 0 else { throw SystemError(call: "epoll_create1", code: errno) }
    timer = timerfd_create(CLOCK_MONOTONIC, Int32(TFD_NONBLOCK | TFD_CLOEXEC))
    guard timer >= 0 else { throw SystemError(call: "timerfd_create", code: errno) }
    unsafe events = Array(repeating: epoll_event(), count: 1024)
    try control(EPOLL_CTL_ADD, timer, Self.timerToken, Self.readable)
  }

  func add(_ watched: Int32, token: Int, interest: UInt32) throws(SystemError) {
    try control(EPOLL_CTL_ADD, watched, UInt64(token), interest)
  }

  func change(_ watched: Int32, token: Int, interest: UInt32) throws(SystemError) {
    try control(EPOLL_CTL_MOD, watched, UInt64(token), interest)
  }

  private func control(_ operation: Int32, _ watched: Int32, _ token: UInt64, _ interest: UInt32) throws(SystemError) {
    var event = unsafe epoll_event()
    unsafe event.events = interest
    unsafe event.data.u64 = token
    guard unsafe epoll_ctl(descriptor, operation, watched, &event) == 0 else {
      throw SystemError(call: "epoll_ctl", code: errno)
    }
  }

  /// Waits for events until `due` on the monotonic clock, and passes each on.
  func wait(until due: Int64, _ body: (_ token: Int, _ isReadable: Bool, _ isWritable: Bool) -> Void) {
    if due != setFor {
      setFor = due
      var time = itimerspec()
      // A time of zero would disarm the timer.
      time.it_value.tv_sec = Int(max(1, due) / 1_000_000_000)
      time.it_value.tv_nsec = Int(max(1, due) % 1_000_000_000)
      _ = unsafe timerfd_settime(timer, Int32(TFD_TIMER_ABSTIME), &time, nil)
    }
    let count = unsafe epoll_wait(descriptor, &events, Int32(unsafe events.count), -1)
    for index in 0..<max(0, Int(count)) {
      let event = unsafe events[index]
      let (token, ready) = unsafe (event.data.u64, event.events)
      if token == Self.timerToken {
        var counter: UInt64 = 0
        _ = unsafe read(timer, &counter, MemoryLayout<UInt64>.size)
        continue
      }
      // Errors and hang-ups are detected by reading.
      body(Int(token), ready & ~Self.writable != 0, ready & Self.writable != 0)
    }
  }
}

/// Formats a time as in RFC 3339, in UTC with milliseconds.
func timestamp(_ wallMilliseconds: Int64) -> String {
  var seconds = time_t(wallMilliseconds / 1000)
  var parts = unsafe tm()
  _ = unsafe gmtime_r(&seconds, &parts)
  func digits(_ value: some BinaryInteger, _ width: Int) -> String {
    let text = String(value)
    return String(repeating: "0", count: max(0, width - text.count)) + text
  }
  let date = unsafe [digits(parts.tm_year + 1900, 4), digits(parts.tm_mon + 1, 2), digits(parts.tm_mday, 2)]
  let time = unsafe [digits(parts.tm_hour, 2), digits(parts.tm_min, 2), digits(parts.tm_sec, 2)]
  let milliseconds = digits(wallMilliseconds % 1000, 3)
  return date.joined(separator: "-") + "T" + time.joined(separator: ":") + ".\(milliseconds)Z"
}
