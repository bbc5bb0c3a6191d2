// The system calls of `Transport`, and so nearly all of its unsafe code. Pointers live for one call, and lengths come
// from the spans. The rest of `Transport` is safe Swift.

internal import CLinux
internal import Glibc

internal import struct Rooms.Instant

/// A failed system call, with its `errno`.
public struct SystemError: Error, Sendable, Equatable, CustomStringConvertible {
  /// The name of the call, for logs.
  public var call: String
  public var code: Int32

  /// Whether the machine lacks the address or its family.
  var isMissingFamily: Bool { code == EAFNOSUPPORT || code == EADDRNOTAVAIL }

  /// Whether another socket has the address and port.
  public var isInUse: Bool { code == EADDRINUSE }

  public var description: String { "\(call): \(unsafe String(cString: strerror(code)))" }
}

enum System {
  /// Reads the available bytes with one call, and passes them to `body` within `buffer`. Returns the count, 0 at the
  /// end of the stream, or a negated `errno`.
  static func receive(
    _ descriptor: Int32, into buffer: inout [UInt8], _ body: (inout MutableSpan<UInt8>) -> Void
  ) -> Int {
    var span = buffer.mutableSpan
    let count = unsafe span.withUnsafeMutableBytes { unsafe recv(descriptor, $0.baseAddress, $0.count, 0) }
    guard count >= 0 else { return Int(-errno) }
    if count > 0 {
      var bytes = span._mutatingExtracting(0..<count)
      body(&bytes)
    }
    return count
  }

  /// Delays the next acknowledgement until an answer carries it (tcp(7), TCP_QUICKACK). The kernel does this by itself
  /// if answers come within 40 ms.
  static func acknowledgeWithAnswer(_ descriptor: Int32) {
    try? setOption(descriptor, level: Int32(IPPROTO_TCP), TCP_QUICKACK, to: 0)  // A hint, which may fail.
  }

  /// Sends as many bytes as the kernel takes. Returns the count or a negated `errno`, and never raises SIGPIPE.
  static func send(_ descriptor: Int32, _ bytes: Span<UInt8>) -> Int {
    let count = unsafe bytes.withUnsafeBytes {
      unsafe Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
    }
    return count < 0 ? Int(-errno) : count
  }

  /// Ends the sending direction of the connection.
  static func finishSending(_ descriptor: Int32) { _ = shutdown(descriptor, Int32(SHUT_WR)) }

  /// Makes the following `close` reset the connection, so that the kernel keeps nothing of it.
  static func resetOnClose(_ descriptor: Int32) {
    var option = linger(l_onoff: 1, l_linger: 0)
    _ = unsafe setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
  }

  static func close(_ descriptor: Int32) { _ = Glibc.close(descriptor) }

  /// The pending error of a socket, or 0. Reading it clears it.
  static func pendingError(_ descriptor: Int32) -> Int32 {
    var code: Int32 = 0
    var size = socklen_t(MemoryLayout<Int32>.size)
    return unsafe getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &code, &size) == 0 ? code : errno
  }

  private static func setOption(
    _ descriptor: Int32, level: Int32, _ name: Int32, to value: Int32 = 1
  ) throws(SystemError) {
    var value = value
    let result = unsafe setsockopt(descriptor, level, name, &value, socklen_t(MemoryLayout<Int32>.size))
    guard result == 0 else { throw SystemError(call: "setsockopt", code: errno) }
  }

  /// Creates a TCP socket that does not block, and that child processes do not inherit.
  static func makeSocket(_ family: Int32) throws(SystemError) -> OpenSocket {
    let type = Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
    let descriptor = socket(family, type, 0)
    guard descriptor >= 0 else { throw SystemError(call: "socket", code: errno) }
    return OpenSocket(descriptor)
  }

  static func bind(_ descriptor: Int32, to address: SocketAddress) throws(SystemError) {
    let result = unsafe address.withSystemAddress { unsafe Glibc.bind(descriptor, $0, $1) }
    guard result == 0 else { throw SystemError(call: "bind", code: errno) }
  }

  static func listen(_ descriptor: Int32, backlog: Int32) throws(SystemError) {
    guard Glibc.listen(descriptor, backlog) == 0 else { throw SystemError(call: "listen", code: errno) }
  }

  /// Begins to connect. Returns 0 if that is done at once, or an `errno`; `EINPROGRESS` means "wait".
  static func connect(_ descriptor: Int32, to address: SocketAddress) -> Int32 {
    unsafe address.withSystemAddress { unsafe Glibc.connect(descriptor, $0, $1) } == 0 ? 0 : errno
  }

  /// Accepts one connection. A failure is a negated `errno`.
  static func accept(_ descriptor: Int32) -> (descriptor: Int32, peer: SocketAddress) {
    var storage = sockaddr_storage()
    let accepted = unsafe withUnsafeMutablePointer(to: &storage) {
      unsafe $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        var size = socklen_t(MemoryLayout<sockaddr_storage>.size)
        return unsafe clinux_accept(descriptor, address, &size)
      }
    }
    return accepted < 0 ? (-errno, SocketAddress()) : (accepted, SocketAddress(storage))
  }

  /// Duplicates the descriptor as the lowest free number; -1 if no number is free.
  static func duplicate(_ descriptor: Int32) -> Int32 { fcntl(descriptor, F_DUPFD_CLOEXEC, 0) }

  static var tooManyDescriptors: Int32 { EMFILE }

  enum AcceptProblem {
    case nothingLeft
    /// The connection ended before it was accepted.
    case connectionGone
    /// No descriptor or no memory is left.
    case exhausted
  }

  /// The problem that a negated `errno` of `accept` stands for.
  static func acceptProblem(_ result: Int32) -> AcceptProblem {
    switch -result {
    case EAGAIN: .nothingLeft
    case EMFILE, ENFILE, ENOBUFS, ENOMEM: .exhausted
    default: .connectionGone  // accept(2) also returns network errors of the new socket.
    }
  }

  /// Sets the options of a listening socket. Accepted sockets inherit them.
  static func prepareListening(_ descriptor: Int32, family: Int32) throws(SystemError) {
    try setOption(descriptor, level: SOL_SOCKET, SO_REUSEADDR)
    try setNoDelay(descriptor)
    try setOption(descriptor, level: Int32(IPPROTO_TCP), TCP_NOTSENT_LOWAT, to: unsentBytesOfSystem)
    if family == AF_INET6 { try setOption(descriptor, level: Int32(IPPROTO_IPV6), IPV6_V6ONLY) }
  }

  /// The most bytes that the kernel holds for one peer; accepted sockets inherit it. Without it, the kernel would hold
  /// megabytes for a peer that does not read, beyond our limits, and the server could no longer merge them.
  private static let unsentBytesOfSystem: Int32 = 64 * 1024

  /// Turns off Nagle's algorithm: a loop itself collects the bytes that leave together.
  static func setNoDelay(_ descriptor: Int32) throws(SystemError) {
    try setOption(descriptor, level: Int32(IPPROTO_TCP), TCP_NODELAY)
  }

  /// Removes a file. A failure shows when its name is used again.
  static func remove(_ path: String) { _ = unsafe unlink(path) }

  static var invalidArgument: Int32 { EINVAL }
  static var inProgress: Int32 { EINPROGRESS }

  /// The address that a socket is bound to.
  static func localAddress(_ descriptor: Int32) throws(SystemError) -> SocketAddress {
    var storage = sockaddr_storage()
    let result = unsafe withUnsafeMutablePointer(to: &storage) {
      unsafe $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        var size = socklen_t(MemoryLayout<sockaddr_storage>.size)
        return unsafe getsockname(descriptor, address, &size)
      }
    }
    guard result == 0 else { throw SystemError(call: "getsockname", code: errno) }
    return SocketAddress(storage)
  }

  /// The addresses of a name, in the order to try them. It blocks, so it runs on a worker queue.
  static func resolve(_ host: String, port: UInt16) -> Result<[SocketAddress], ConnectError> {
    var hints = unsafe addrinfo()
    unsafe hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    unsafe hints.ai_flags = AI_ADDRCONFIG
    var first: UnsafeMutablePointer<addrinfo>?
    let code = unsafe getaddrinfo(host, nil, &hints, &first)
    guard code == 0 else { return .failure(.unknownHost(host)) }
    defer { unsafe freeaddrinfo(first) }
    var addresses: [SocketAddress] = []
    var next = unsafe first
    while let entry = unsafe next {
      if let address = unsafe entry.pointee.ai_addr,
        var found = unsafe SocketAddress(address, size: entry.pointee.ai_addrlen)
      {
        found.port = port
        addresses.append(found)
      }
      unsafe next = entry.pointee.ai_next
    }
    return addresses.isEmpty ? .failure(.unknownHost(host)) : .success(addresses)
  }

  /// Whether a negated `errno` of `receive` or `send` means "not now".
  static func isTemporary(_ result: Int) -> Bool {
    result == Int(-EAGAIN) || result == Int(-EINTR)
  }

  static var connectionReset: Int32 { ECONNRESET }
  static var protocolError: Int32 { EPROTO }

  private static func clock(_ id: clockid_t) -> Int64 {
    var time = timespec()
    _ = unsafe clock_gettime(id, &time)
    return Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec)
  }

  /// Nanoseconds of the monotonic clock.
  static var monotonicNanoseconds: Int64 { clock(CLOCK_MONOTONIC) }

  static var now: Instant { Instant(milliseconds: clock(CLOCK_REALTIME) / 1_000_000) }

  /// The number of processors that this process may run on, as `taskset(1)` for instance allows it.
  static var processorCount: Int { max(1, Int(clinux_processor_count())) }

  static func makeEvent() throws(SystemError) -> Int32 {
    let descriptor = eventfd(0, Int32(EFD_NONBLOCK | EFD_CLOEXEC))
    guard descriptor >= 0 else { throw SystemError(call: "eventfd", code: errno) }
    return descriptor
  }

  static func signal(event descriptor: Int32) {
    var one: UInt64 = 1
    _ = unsafe write(descriptor, &one, MemoryLayout<UInt64>.size)
  }

  /// Reads the counter of an eventfd or timerfd, so that it is no longer ready.
  static func clear(counter descriptor: Int32) {
    var counter: UInt64 = 0
    _ = unsafe read(descriptor, &counter, MemoryLayout<UInt64>.size)
  }

  static func makeTimer() throws(SystemError) -> Int32 {
    let descriptor = timerfd_create(CLOCK_MONOTONIC, Int32(TFD_NONBLOCK | TFD_CLOEXEC))
    guard descriptor >= 0 else { throw SystemError(call: "timerfd_create", code: errno) }
    return descriptor
  }

  /// Sets a timerfd to fire once, at a time of the monotonic clock.
  static func set(timer descriptor: Int32, monotonicNanoseconds: Int64) {
    var time = itimerspec()
    time.it_value.tv_sec = Int(monotonicNanoseconds / 1_000_000_000)
    time.it_value.tv_nsec = Int(monotonicNanoseconds % 1_000_000_000)
    _ = unsafe timerfd_settime(descriptor, Int32(TFD_TIMER_ABSTIME), &time, nil)
  }
}

extension [UInt8] {
  /// Appends a copy of `bytes`.
  mutating func append(copying bytes: Span<UInt8>) {
    unsafe bytes.withUnsafeBufferPointer { unsafe append(contentsOf: $0) }
  }
}

extension Duration {
  /// Whole nanoseconds, from 0 to 146 years, so that the sum of two cannot overflow.
  var nanosecondsForTimer: Int64 {
    let (seconds, attoseconds) = components
    guard seconds >= 0, attoseconds >= 0 else { return 0 }
    let (product, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
    return overflow ? .max / 2 : Swift.min(product, .max / 2 - 999_999_999) + attoseconds / 1_000_000_000
  }
}
