import Dispatch
import Glibc
import Platform
import Testing

@testable import Transport

/// All tests that use sockets. They run one at a time, since they count the descriptors of the whole process.
@Suite("Over loopback sockets", .serialized)
enum Sockets {}

/// A log that any thread appends to, and that a test awaits.
final class Log<Element: Sendable>: Sendable {
  private struct State {
    var elements: [Element] = []
    var waiters: [(number: Int, isMet: @Sendable ([Element]) -> Bool, resume: @Sendable (Bool) -> Void)] = []
    var number = 0
  }
  private let state = Locked(State())

  var elements: [Element] { state.withLock { $0.elements } }

  func add(_ element: Element) {
    let met = state.withLock { state in
      state.elements.append(element)
      let met = state.waiters.filter { $0.isMet(state.elements) }
      state.waiters.removeAll { waiter in met.contains { $0.number == waiter.number } }
      return met
    }
    for waiter in met { waiter.resume(true) }
  }

  /// Waits until `isMet` holds for all elements; fails the test after half a minute.
  func until(
    _ location: SourceLocation = #_sourceLocation, _ isMet: @escaping @Sendable ([Element]) -> Bool
  ) async {
    let isDone = await withCheckedContinuation { continuation in
      let number = state.withLock { state -> Int? in
        if isMet(state.elements) { return nil }
        state.number += 1
        state.waiters.append((state.number, isMet, { continuation.resume(returning: $0) }))
        return state.number
      }
      guard let number else { return continuation.resume(returning: true) }
      DispatchQueue.global().asyncAfter(deadline: .now() + 30) { self.giveUp(number) }
    }
    #expect(isDone, "waited in vain; have \(elements.suffix(20))", sourceLocation: location)
  }

  func until(count: Int, _ location: SourceLocation = #_sourceLocation) async {
    await until(location) { $0.count >= count }
  }

  private func giveUp(_ number: Int) {
    let waiter = state.withLock { state in
      let waiter = state.waiters.first { $0.number == number }
      state.waiters.removeAll { $0.number == number }
      return waiter
    }
    waiter?.resume(false)
  }
}

enum Event: Sendable, Equatable {
  case opened(PeerAddress)
  case received([UInt8])
  case writable
  case closed(StreamEnd)
}

/// A stream handler that logs its events, and handles received bytes as the test chooses.
final class TestStream: StreamHandler {
  let log: Log<Event>
  var received: ([UInt8]) -> Void = { _ in }

  init(log: Log<Event>) { self.log = log }

  func received(_ bytes: inout MutableSpan<UInt8>) {
    let bytes = (0..<bytes.count).map { bytes[$0] }
    log.add(.received(bytes))
    received(bytes)
  }

  func writable() { log.add(.writable) }
  func closed(_ reason: StreamEnd) { log.add(.closed(reason)) }
}

/// The behaviour of a test's server for each new stream, on the loop.
struct Behaviour: Sendable {
  let opened: @Sendable (LoopCore, any Stream, TestStream) -> Void

  static let silent = Behaviour { _, _, _ in }
  static let paused = Behaviour { _, stream, _ in stream.isReadingPaused = true }
  static let echo = Behaviour { _, stream, handler in handler.received = { stream.send($0.span) } }
}

/// A loop with a listener. Tests find its streams in the order of opening.
final class TestServer: Sendable {
  /// State that only the loop uses.
  private final class OnLoop: LoopHandler, @unchecked Sendable {
    let log: Log<Event>
    let behaviour: Behaviour
    var core: LoopCore?
    var streams: [any Stream] = []
    /// Runs once, at the end of a batch.
    var atBatchEnd: (() -> Void)?

    init(log: Log<Event>, behaviour: Behaviour) {
      self.log = log
      self.behaviour = behaviour
    }

    func opened(_ stream: any Stream) -> any StreamHandler {
      streams.append(stream)
      let handler = TestStream(log: log)
      if let core { behaviour.opened(core, stream, handler) }
      log.add(.opened(stream.peer))
      return handler
    }

    func batchEnded() { exchange(&atBatchEnd, with: nil)?() }
  }

  let loop: EventLoop
  let listener: Listener
  let log = Log<Event>()
  let problems = Log<SystemError>()
  private let onLoop: OnLoop

  init(
    _ behaviour: Behaviour, _ options: EventLoop.Options, address: Listener.Address = .loopback, tls: TLSServer? = nil
  ) throws {
    loop = try EventLoop(name: "test", options: options)
    onLoop = OnLoop(log: log, behaviour: behaviour)
    loop.start { [onLoop] core in
      onLoop.core = core
      return onLoop
    }
    listener = try Listener(address: address, port: 0, tls: tls, loops: [loop]) { [problems] in problems.add($0) }
  }

  func onLoop<Value: Sendable>(_ work: @escaping @Sendable (LoopCore, [any Stream]) -> Value) async -> Value {
    await withCheckedContinuation { continuation in
      loop.run { [onLoop] in continuation.resume(returning: work($0, onLoop.streams)) }
    }
  }

  /// Runs `work` in a batch, and `atBatchEnd` when that batch ends.
  func onLoop<Value: Sendable>(
    _ work: @escaping @Sendable (LoopCore, [any Stream]) -> Void,
    atBatchEnd: @escaping @Sendable (LoopCore, [any Stream]) -> Value
  ) async -> Value {
    await withCheckedContinuation { continuation in
      loop.run { [onLoop] core in
        work(core, onLoop.streams)
        onLoop.atBatchEnd = { continuation.resume(returning: atBatchEnd(core, onLoop.streams)) }
      }
    }
  }

  func stop(within limit: Duration = .seconds(5)) async {
    await withCheckedContinuation { continuation in loop.stop(within: limit) { continuation.resume() } }
    onLoop.core = nil
  }

  /// Runs `body` with a server, and then stops the server.
  static func serving(
    _ behaviour: Behaviour = .silent, options: EventLoop.Options = EventLoop.Options(), tls: TLSServer? = nil,
    _ body: (TestServer) async throws -> Void
  ) async throws {
    let server = try TestServer(behaviour, options, tls: tls)
    do { try await body(server) } catch {
      await server.stop()
      throw error
    }
    await server.stop()
  }
}

/// A blocking client over the system calls, with a timeout of half a minute for each.
final class RawPeer {
  private(set) var descriptor: Int32

  init(port: UInt16, receiveBuffer: Int32 = 0) throws {
    descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    try #require(descriptor >= 0)
    var timeout = timeval(tv_sec: 30, tv_usec: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &timeout, socklen_t(MemoryLayout<timeval>.size))
    setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &timeout, socklen_t(MemoryLayout<timeval>.size))
    var size = receiveBuffer
    if size > 0 { setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &size, 4) }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    let result = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { connect(descriptor, $0, 16) }
    }
    guard result == 0 || errno == EINTR && isConnected() else { throw SystemError(call: "connect", code: errno) }
  }

  deinit { close() }

  /// Waits for a connection whose making was interrupted, and goes on.
  private func isConnected() -> Bool {
    var event = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
    return uninterrupted { Int(poll(&event, 1, 30_000)) } == 1 && System.pendingError(descriptor) == 0
  }

  func close() {
    if descriptor >= 0 { Glibc.close(descriptor) }
    descriptor = -1
  }

  func reset() {
    var option = linger(l_onoff: 1, l_linger: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
    close()
  }

  func finishSending() { shutdown(descriptor, Int32(SHUT_WR)) }

  func send(_ bytes: [UInt8]) {
    #expect(uninterrupted { Glibc.send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL)) } == bytes.count)
  }

  /// Receives at least a byte; nothing at the end of the stream; `nil` when the connection is reset or silent.
  func receiveSome() -> [UInt8]? {
    var part = [UInt8](repeating: 0, count: 1 << 16)
    let count = uninterrupted { recv(descriptor, &part, part.count, 0) }
    return count < 0 ? nil : Array(part[..<count])
  }

  /// Receives `limit` bytes, fewer at the end of the stream; `nil` when the connection is reset or silent.
  func receive(_ limit: Int) -> [UInt8]? {
    var bytes: [UInt8] = []
    var part = [UInt8](repeating: 0, count: min(limit, 1 << 16))
    while bytes.count < limit {
      let count = uninterrupted { recv(descriptor, &part, min(part.count, limit - bytes.count), 0) }
      if count < 0 { return nil }
      if count == 0 { break }
      bytes += part[..<count]
    }
    return bytes
  }
}

/// Repeats a call that a signal interrupted.
private func uninterrupted(_ call: () -> Int) -> Int {
  while true {
    let result = call()
    if result >= 0 || errno != EINTR { return result }
  }
}

/// Waits until `isMet`, for what nobody tells; fails the test after ten seconds.
func eventually(
  _ location: SourceLocation = #_sourceLocation, _ isMet: () async throws -> Bool
) async rethrows {
  let deadline = ContinuousClock.now + .seconds(10)
  while try await !isMet() {
    guard ContinuousClock.now < deadline else {
      Issue.record("waited in vain", sourceLocation: location)
      return
    }
    await Task.yield()
  }
}

/// The number of open descriptors of this process.
func openDescriptorCount() throws -> Int {
  let folder = try #require(opendir("/proc/self/fd"))
  defer { closedir(folder) }
  var count = -3  // ".", ".." and the folder's own descriptor.
  while readdir(folder) != nil { count += 1 }
  return count
}

extension SocketStream {
  /// Bytes of memory that the stream holds for sending.
  var ownedCapacity: Int { output.bytes.capacity + (tls?.plain.bytes.capacity ?? 0) }
}

extension [Event] {
  var bytes: [UInt8] {
    flatMap { event -> [UInt8] in
      if case .received(let bytes) = event { bytes } else { [] }
    }
  }

  var ends: [StreamEnd] {
    compactMap { event in
      if case .closed(let reason) = event { reason } else { nil }
    }
  }
}
