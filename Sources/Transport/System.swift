// The system calls of `Transport`, and so nearly all of its unsafe code: pointers live for one call, lengths are taken
// from the spans themselves. What stands above this file is safe Swift.

internal import CLinux
internal import Glibc

internal import struct Rooms.Instant

/// A system call that failed, by its `errno`.
public struct SystemError: Error, Sendable, Equatable, CustomStringConvertible {
  /// The call's name, for logs.
  public var call: String
  public var code: Int32

  /// The machine has no such address or address family.
  var isMissingFamily: Bool { code == EAFNOSUPPORT || code == EADDRNOTAVAIL }

  /// Somebody else has the address and port.
  public var isInUse: Bool { code == EADDRINUSE }

  public var description: String { "\(call): \(unsafe String(cString: strerror(code)))" }
}

enum System {
  /// Reads what is there, with one call, and passes it to `body` within `buffer`. Returns the count: 0 at the end of
  /// the stream; a failure is the negated `errno`.
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

  /// Lets the acknowledgement of what is read next wait for the answer (tcp(7), TCP_QUICKACK). The system does so by
  /// itself where answers come within 40 ms.
  static func acknowledgeWithAnswer(_ descriptor: Int32) {
    try? setOption(descriptor, level: Int32(IPPROTO_TCP), TCP_QUICKACK, to: 0)  // A hint, and no more.
  }

  /// Hands over as much as the system takes. A failure is the negated `errno`; it never raises `SIGPIPE`.
  static func send(_ descriptor: Int32, _ bytes: Span<UInt8>) -> Int {
    let count = unsafe bytes.withUnsafeBytes {
      unsafe Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
    }
    return count < 0 ? Int(-errno) : count
  }

  /// Tells the peer that nothing more will come.
  static func finishSending(_ descriptor: Int32) { _ = shutdown(descriptor, Int32(SHUT_WR)) }

  /// Makes the coming `close` reset the connection, so that the system keeps nothing of it.
  static func resetOnClose(_ descriptor: Int32) {
    var option = linger(l_onoff: 1, l_linger: 0)
    _ = unsafe setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
  }

  static func close(_ descriptor: Int32) { _ = Glibc.close(descriptor) }

  /// The error that the system holds against a socket, 0 if none; asking clears it.
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

  /// A TCP socket that blocks nobody and stays out of child processes.
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

  /// Begins to connect: 0 when done at once, else an `errno`, of which `EINPROGRESS` means "wait".
  static func connect(_ descriptor: Int32, to address: SocketAddress) -> Int32 {
    unsafe address.withSystemAddress { unsafe Glibc.connect(descriptor, $0, $1) } == 0 ? 0 : errno
  }

  /// Takes one waiting connection. A failure is the negated `errno`.
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

  /// Another descriptor for the same socket, the lowest that is free; -1 if none is.
  static func duplicate(_ descriptor: Int32) -> Int32 { fcntl(descriptor, F_DUPFD_CLOEXEC, 0) }

  static var tooManyDescriptors: Int32 { EMFILE }

  enum AcceptProblem {
    case nothingLeft
    /// The connection was over before it was taken.
    case connectionGone
    /// No descriptors or no memory.
    case exhausted
  }

  /// What the negated `errno` of `accept` asks for.
  static func acceptProblem(_ result: Int32) -> AcceptProblem {
    switch -result {
    case EAGAIN: .nothingLeft
    case EMFILE, ENFILE, ENOBUFS, ENOMEM: .exhausted
    default: .connectionGone  // accept(2): network errors of the new socket arrive here.
    }
  }

  /// Options that a listening socket passes on to what it accepts, and those of its own.
  static func prepareListening(_ descriptor: Int32, family: Int32) throws(SystemError) {
    try setOption(descriptor, level: SOL_SOCKET, SO_REUSEADDR)
    try setNoDelay(descriptor)
    try setOption(descriptor, level: Int32(IPPROTO_TCP), TCP_NOTSENT_LOWAT, to: unsentBytesOfSystem)
    if family == AF_INET6 { try setOption(descriptor, level: Int32(IPPROTO_IPV6), IPV6_V6ONLY) }
  }

  /// What the system takes for a peer and cannot send yet, at most: accepted sockets inherit it. Of somebody who does
  /// not read, megabytes would lie there otherwise, where no limit of ours holds and nothing can be merged any more.
  private static let unsentBytesOfSystem: Int32 = 64 * 1024

  /// We collect what leaves together ourselves; the system must not wait for more.
  static func setNoDelay(_ descriptor: Int32) throws(SystemError) {
    try setOption(descriptor, level: Int32(IPPROTO_TCP), TCP_NODELAY)
  }

  static var invalidArgument: Int32 { EINVAL }
  static var inProgress: Int32 { EINPROGRESS }

  /// The address a socket is bound to.
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

  /// The addresses of a name, in the order to try them. Blocks: for a worker queue.
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

  /// Whether a negated `errno` of `receive` or `send` only means "not now".
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

  /// Nanoseconds since some fixed moment; never goes back.
  static var monotonicNanoseconds: Int64 { clock(CLOCK_MONOTONIC) }

  static var now: Instant { Instant(milliseconds: clock(CLOCK_REALTIME) / 1_000_000) }

  /// Those of the machine that this process was not kept off, with `taskset(1)` for instance.
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

  /// Takes the counter of an event or timer descriptor, so that it is no longer ready.
  static func clear(counter descriptor: Int32) {
    var counter: UInt64 = 0
    _ = unsafe read(descriptor, &counter, MemoryLayout<UInt64>.size)
  }

  static func makeTimer() throws(SystemError) -> Int32 {
    let descriptor = timerfd_create(CLOCK_MONOTONIC, Int32(TFD_NONBLOCK | TFD_CLOEXEC))
    guard descriptor >= 0 else { throw SystemError(call: "timerfd_create", code: errno) }
    return descriptor
  }

  /// Sets a timer descriptor to fire once, at a moment of the monotonic clock.
  static func set(timer descriptor: Int32, monotonicNanoseconds: Int64) {
    var time = itimerspec()
    time.it_value.tv_sec = Int(monotonicNanoseconds / 1_000_000_000)
    time.it_value.tv_nsec = Int(monotonicNanoseconds % 1_000_000_000)
    _ = unsafe timerfd_settime(descriptor, Int32(TFD_TIMER_ABSTIME), &time, nil)
  }
}

extension [UInt8] {
  /// Copies `bytes` to the end.
  mutating func append(copying bytes: Span<UInt8>) {
    unsafe bytes.withUnsafeBufferPointer { unsafe append(contentsOf: $0) }
  }
}

extension Duration {
  /// Whole nanoseconds, never negative; stops at 146 years, so that sums of two cannot overflow.
  var nanosecondsForTimer: Int64 {
    let (seconds, attoseconds) = components
    guard seconds >= 0, attoseconds >= 0 else { return 0 }
    let (product, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
    return overflow ? .max / 2 : Swift.min(product, .max / 2 - 999_999_999) + attoseconds / 1_000_000_000
  }
}
