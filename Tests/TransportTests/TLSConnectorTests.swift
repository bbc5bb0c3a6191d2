import Glibc
import Platform
import Testing

@testable import Transport

extension Sockets {
  @Suite("TLS connector")
  struct TLSConnectorTests {
    /// The outcome of a connection from `server`'s own loop.
    private func connect(
      _ server: TestServer, to host: String, port: UInt16? = nil, _ tls: TLSClient,
      within limit: Duration = .seconds(5), sending bytes: [UInt8] = []
    ) async -> (log: Log<Event>, failures: Log<ConnectError>) {
      let (log, failures) = (Log<Event>(), Log<ConnectError>())
      await server.onLoop { core, _ in
        Connector(loop: core, workers: WorkerQueues(name: "names")).connect(
          to: host, port: port ?? server.listener.port, tls: tls, within: limit,
          opened: { stream in
            log.add(.opened(stream.peer))
            stream.send(bytes.span)
            return TestStream(log: log)
          }, failed: { failures.add($0) })
      }
      return (log, failures)
    }

    @Test(
      "LOC-31: a connection to a server that proves its name is opened", arguments: ["localhost", "127.0.0.1"])
    func trusted(host: String) async throws {
      let pair = Certificates.elliptic
      let bytes = (0..<300_000).map { UInt8(truncatingIfNeeded: $0) }
      try await TestServer.serving(.echo, tls: pair.server()) { server in
        let (log, failures) = await connect(
          server, to: host, try TLSClient(authorities: pair.certificate), sending: bytes)
        await log.until { $0.bytes.count == bytes.count }
        #expect(log.elements.bytes == bytes)
        #expect(failures.elements == [])
        guard case .opened(let peer)? = log.elements.first else { return }
        #expect(peer.isEncrypted)
      }
    }

    @Test("LOC-31: the connector refuses an unknown certificate, a wrong name and clear text, with the reason")
    func refused() async throws {
      let pair = Certificates.elliptic
      let elsewhere = Certificates.make(
        "elsewhere", ["ec", "-pkeyopt", "ec_paramgen_curve:P-256"], names: "DNS:a.example")
      try await TestServer.serving(.echo, tls: pair.server()) { server in
        let unknown = await connect(server, to: "localhost", try TLSClient(authorities: Certificates.rsa.certificate))
        await unknown.failures.until(count: 1)
        #expect(unknown.failures.elements == [.notTrusted("self-signed certificate")])
        let system = await connect(server, to: "localhost", try TLSClient())
        await system.failures.until(count: 1)
        #expect(system.failures.elements == [.notTrusted("self-signed certificate")])
        #expect(unknown.log.elements + system.log.elements == [], "no handler hears of a refused connection")
      }
      try await TestServer.serving(.echo, tls: elsewhere.server()) { server in
        let tls = try TLSClient(authorities: elsewhere.certificate)
        let name = await connect(server, to: "localhost", tls)
        await name.failures.until(count: 1)
        #expect(name.failures.elements == [.notTrusted("hostname mismatch")])
        let address = await connect(server, to: "127.0.0.1", tls)
        await address.failures.until(count: 1)
        #expect(address.failures.elements == [.notTrusted("IP address mismatch")])
      }
      try await TestServer.serving(.echo) { server in
        let plain = await connect(server, to: "localhost", try TLSClient(), sending: [1])
        await plain.failures.until(count: 1)
        guard case .notSecured? = plain.failures.elements.first else {
          return #expect(Bool(false), "\(plain.failures.elements)")
        }
      }
    }

    @Test("the connector gives up a server that does not finish the handshake in time, or that closes")
    func unfinished() async throws {
      let tls = try TLSClient()
      try await TestServer.serving(.silent) { server in
        let (log, failures) = await connect(server, to: "127.0.0.1", tls, within: .milliseconds(100))
        await failures.until(count: 1)
        #expect(failures.elements == [.timedOut] && log.elements == [])
      }
      let hangUp = Behaviour { _, stream, _ in stream.close() }
      try await TestServer.serving(hangUp) { server in
        let (_, failures) = await connect(server, to: "127.0.0.1", tls)
        await failures.until(count: 1)
        #expect(failures.elements == [.notSecured("the server has hung up")])
      }
    }

    @Test("a file without authorities is refused by its name")
    func badFile() {
      let text = Certificates.file("text.pem", "hello\n")
      for (file, reason) in [("/none.pem", "cannot be read"), (text, "holds no certificate in PEM form")] {
        let error = #expect(throws: TLSError.self) { try TLSClient(authorities: file) }
        #expect(error?.description.hasPrefix("The authorities file \(file) \(reason)") == true)
      }
    }
  }
}
