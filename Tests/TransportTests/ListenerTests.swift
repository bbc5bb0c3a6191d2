import Glibc
import Platform
import Testing

@testable import Transport

extension Sockets {
  @Suite("Listener and connector")
  struct ListenerTests {
    /// Connects from `server`'s own loop, and logs the events of the client side.
    private func connect(
      _ server: TestServer, to host: String, port: UInt16, workers: any Workers = WorkerQueues(name: "names"),
      within limit: Duration = .seconds(5), sending bytes: [UInt8] = [], log: Log<Event>, failures: Log<ConnectError>
    ) async {
      await server.onLoop { core, _ in
        Connector(loop: core, workers: workers).connect(
          to: host, port: port, within: limit,
          opened: { stream in
            log.add(.opened(stream.peer))
            stream.send(bytes.span)
            return TestStream(log: log)
          }, failed: { failures.add($0) })
      }
    }

    @Test("a listener on loopback has the same port for IPv4 and IPv6", arguments: ["127.0.0.1", "::1", "localhost"])
    func loopback(host: String) async throws {
      try await TestServer.serving(.echo) { server in
        #expect(server.listener.port > 0)
        guard server.listener.hosts.contains(host) || host == "localhost" else { return }
        let (log, failures) = (Log<Event>(), Log<ConnectError>())
        await connect(server, to: host, port: server.listener.port, sending: [1, 2], log: log, failures: failures)
        await log.until { $0.bytes == [1, 2] }
        guard case .opened(let peer)? = server.log.elements.first else { return }
        #expect(peer.isLoopback && !peer.isEncrypted)
        if host != "localhost" { #expect(peer.host == host) }
        #expect(failures.elements == [])
      }
    }

    @Test("a listener with a literal address listens on no other")
    func literal() async throws {
      let loop = try EventLoop(name: "test")
      loop.start()
      let listener = try Listener(address: .literal("127.0.0.2"), port: 0, loops: [loop]) { _ in }
      #expect(listener.hosts == ["127.0.0.2"])
      #expect(throws: (any Error).self) { try RawPeer(port: listener.port) }
      #expect(throws: SystemError(call: "bind", code: EADDRINUSE)) {
        try Listener(address: .literal("127.0.0.2"), port: listener.port, loops: [loop]) { _ in }
      }
      #expect(throws: SystemError.self) {
        try Listener(address: .literal("example.org"), port: 0, loops: [loop]) { _ in }
      }
      await withCheckedContinuation { done in loop.stop { done.resume() } }
    }

    @Test("OPS-4: a Unix socket belongs to one listener; a file that is no socket is not replaced")
    func localSocket() async throws {
      let path = "/tmp/hearth-listener-\(getpid())"
      let loop = try EventLoop(name: "test")
      loop.start()
      func listen() throws -> Listener { try Listener(address: .socket(path: path), port: 0, loops: [loop]) { _ in } }
      let first = try listen()
      #expect(throws: SystemError(call: "bind", code: EADDRINUSE)) { try listen() }
      first.stop()
      #expect(access(path, F_OK) == -1)
      close(open(path, O_CREAT | O_WRONLY, 0o600))
      defer { unlink(path) }
      #expect(throws: SystemError(call: "bind", code: EEXIST)) { try listen() }
      #expect(access(path, F_OK) == 0)
      let long = "/tmp/" + String(repeating: "x", count: 103)
      #expect(throws: SystemError(call: "bind", code: ENAMETOOLONG)) {
        try Listener(address: .socket(path: long), port: 0, loops: [loop]) { _ in }
      }
      await withCheckedContinuation { done in loop.stop { done.resume() } }
    }

    private final class Naming: LoopHandler {
      let name: String
      let log: Log<String>
      init(_ name: String, _ log: Log<String>) {
        self.name = name
        self.log = log
      }
      func opened(_ stream: any Stream) -> any StreamHandler {
        log.add(name)
        return TestStream(log: Log())
      }
      func batchEnded() {}
    }

    @Test("a listener gives connections to loops in turn")
    func roundRobin() async throws {
      let log = Log<String>()
      let loops = try ["a", "b", "c"].map { name in
        let loop = try EventLoop(name: name)
        loop.start { _ in Naming(name, log) }
        return loop
      }
      let listener = try Listener(port: 0, loops: loops) { _ in }
      let peers = try (0..<9).map { _ in try RawPeer(port: listener.port) }
      await log.until(count: 9)
      for name in ["a", "b", "c"] { #expect(log.elements.filter { $0 == name }.count == 3) }
      for peer in peers { peer.close() }
      for loop in loops { await withCheckedContinuation { done in loop.stop { done.resume() } } }
    }

    @Test("a stopped listener accepts no more, and its accepted connections continue")
    func stopping() async throws {
      try await TestServer.serving(.echo) { server in
        let peer = try RawPeer(port: server.listener.port)
        await server.log.until(count: 1)
        server.listener.stop()
        await server.onLoop { _, _ in }
        #expect(throws: (any Error).self) { try RawPeer(port: server.listener.port) }
        peer.send([1])
        #expect(peer.receive(1) == [1])
      }
    }

    @Test("with 16 descriptors left, a listener pauses, reports it, and accepts the waiting connections later")
    func noDescriptors() async throws {
      // This runs in a process of its own: the limit would hit all other tests.
      await #expect(processExitsWith: .success) { try await Self.runOutOfDescriptors() }
    }

    static func runOutOfDescriptors() async throws {
      // Dispatch ends the process if it gets no descriptor for its first timer.
      try await Task.sleep(for: .milliseconds(10))
      // Some of the following numbers are taken already, as are those that a process inherits.
      for number in stride(from: dup(0), to: 64, by: 3) { dup2(0, number) }
      // Other code in the process may open or close a descriptor meanwhile, so the test retries.
      for _ in 1...5 where try await hasRunOutOfDescriptors() { return }
      Issue.record("each time there was a descriptor left, or more than one connection waited in the reserve")
    }

    private static func hasRunOutOfDescriptors() async throws -> Bool {
      var didRunOut = false
      try await TestServer.serving(.echo) { server in
        await server.onLoop { _, _ in }
        var limits = rlimit()
        getrlimit(__rlimit_resource_t(7), &limits)  // RLIMIT_NOFILE
        var before = limits
        // The peer gets the last number below the reserve.
        let free = Array((0..<Int32(1024)).lazy.filter { fcntl($0, F_GETFD) == -1 }.prefix(3))
        limits.rlim_cur = rlim_t(free[0]) + 1 + 16
        try #require(setrlimit(__rlimit_resource_t(7), &limits) == 0)
        defer { setrlimit(__rlimit_resource_t(7), &before) }
        let batches = await server.onLoop { core, _ in core.batchCount }
        guard let peer = try? RawPeer(port: server.listener.port) else { return }
        let start = ContinuousClock.now
        while server.problems.elements.count < 3 {
          guard server.log.elements.isEmpty, ContinuousClock.now - start < .seconds(20) else { return }
          try await Task.sleep(for: .milliseconds(20))
        }
        let spare = await server.onLoop { _, _ in
          let spare = dup(0)
          close(spare)
          return spare
        }
        // One connection waits in the reserve, however often the listener retries.
        guard spare == free[2] else { return }
        didRunOut = true
        let spent = await server.onLoop { core, _ in core.batchCount } - batches
        setrlimit(__rlimit_resource_t(7), &before)
        #expect(server.problems.elements.allSatisfy { $0 == SystemError(call: "accept4", code: EMFILE) })
        #expect(spent < 50, "three pauses of 100 ms must not spin")
        peer.send([1])
        #expect(peer.receive(1) == [1])
      }
      return didRunOut
    }

    @Test("a refused connection fails with the kernel's error")
    func refused() async throws {
      try await TestServer.serving { server in
        let (log, failures) = (Log<Event>(), Log<ConnectError>())
        server.listener.stop()
        await server.onLoop { _, _ in }
        await connect(server, to: "127.0.0.1", port: server.listener.port, log: log, failures: failures)
        await failures.until(count: 1)
        #expect(failures.elements == [.failed(SystemError(call: "connect", code: ECONNREFUSED))])
        #expect(log.elements.isEmpty)
      }
    }

    @Test("the connector gives up a peer that does not answer in time")
    func timeout() async throws {
      // A listening socket whose backlog is full, so that the kernel drops further attempts.
      let full = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
      defer { close(full) }
      listen(full, 0)
      let port = try System.localAddress(full).port
      let fillers = (0..<4).map { _ in
        let filler = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue), 0)
        _ = System.connect(filler, to: SocketAddress(literal: "127.0.0.1", port: port) ?? SocketAddress())
        return filler
      }
      defer { for filler in fillers { close(filler) } }
      try await TestServer.serving { server in
        let (log, failures) = (Log<Event>(), Log<ConnectError>())
        await connect(
          server, to: "127.0.0.1", port: port, within: .milliseconds(100), log: log, failures: failures)
        await failures.until(count: 1)
        #expect(failures.elements == [.timedOut])
      }
    }

    @Test("connecting to an unknown name fails, and so does one lookup too many")
    func names() async throws {
      try await TestServer.serving { server in
        let (log, failures) = (Log<Event>(), Log<ConnectError>())
        await connect(server, to: "no such host", port: 1, log: log, failures: failures)
        await failures.until(count: 1)
        #expect(failures.elements == [.unknownHost("no such host")])
        let none = WorkerQueues(name: "none", count: 0, waitingLimit: 0)
        await connect(server, to: "localhost", port: 1, workers: none, log: log, failures: failures)
        await failures.until(count: 2)
        #expect(failures.elements.last == .busy)
      }
    }

    @Test("stopping the loop ends an attempt to connect")
    func stoppedMeanwhile() async throws {
      let server = try TestServer(.silent, EventLoop.Options())
      let (log, failures) = (Log<Event>(), Log<ConnectError>())
      let full = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
      defer { close(full) }
      listen(full, 0)
      let port = try System.localAddress(full).port
      for _ in 0..<6 { await connect(server, to: "127.0.0.1", port: port, log: log, failures: failures) }
      await log.until(count: 1)
      await server.stop(within: .milliseconds(50))
      #expect(log.elements.ends.count + failures.elements.count == 6)
      #expect(failures.elements.allSatisfy { $0 == .stopped })
    }
  }

  @Suite("Addresses")
  struct AddressTests {
    @Test(
      "a literal address is parsed and written",
      arguments: [
        ("127.0.0.1", true), ("127.255.1.2", true), ("::1", true), ("10.0.0.1", false), ("::", false),
        ("2001:db8::7", false), ("0.0.0.0", false),
      ])
    func literals(text: String, isLoopback: Bool) throws {
      let address = try #require(SocketAddress(literal: text, port: 80))
      #expect(address.host == text)
      #expect(address.isLoopback == isLoopback)
      #expect(address.peer(isEncrypted: true).port == 80)
    }

    @Test("a text that is no literal address is a name", arguments: ["localhost", "", "127.0.0.1.5", "1:2", "127.1"])
    func names(text: String) { #expect(SocketAddress(literal: text, port: 0) == nil) }

    @Test("an address is small, since every connection has one")
    func size() { #expect(MemoryLayout<SocketAddress>.size <= 24) }
  }
}
