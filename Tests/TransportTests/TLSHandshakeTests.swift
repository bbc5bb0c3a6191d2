import COpenSSL
import Glibc
import Platform
import TestSupport
import Testing

@testable import Transport

extension Sockets {
  @Suite("TLS handshake")
  struct TLSHandshakeTests {
    private func client(_ port: UInt16, _ arguments: String...) throws -> (output: String, end: ChildProcess.End) {
      try ChildProcess.run([Certificates.program, "s_client", "-connect", "127.0.0.1:\(port)"] + arguments)
    }

    @Test(
      "LOC-31: openssl s_client gets TLS 1.2 and 1.3, http/1.1 and no compression",
      arguments: [("-tls1_2", "TLSv1.2"), ("-tls1_3", "TLSv1.3")])
    func versions(option: String, version: String) async throws {
      for pair in [Certificates.elliptic, Certificates.rsa] {
        try await TestServer.serving(tls: pair.server()) { server in
          let (output, end) = try client(
            server.listener.port, option, "-alpn", "h2,http/1.1", "-CAfile", pair.certificate, "-verify_return_error",
            "-verify_hostname", "localhost")
          #expect(end == .exited(0))
          #expect(output.contains("New, \(version), Cipher is") || output.contains("Protocol  : \(version)"))
          #expect(output.contains("Verify return code: 0 (ok)"))
          #expect(output.contains("ALPN protocol: http/1.1"))
          #expect(output.contains("Compression: NONE"))
          await server.log.until { !$0.ends.isEmpty }
          guard case .opened(let peer)? = server.log.elements.first else { return }
          #expect(peer.isEncrypted && peer.isLoopback)
        }
      }
    }

    @Test(
      "LOC-31: the server refuses TLS 1.1, old ciphers and unknown protocols",
      arguments: [
        ["-tls1_1", "-cipher", "ALL@SECLEVEL=0"], ["-tls1_2", "-cipher", "AES128-SHA"], ["-alpn", "h2"],
      ])
    func refused(arguments: [String]) async throws {
      try await TestServer.serving(tls: Certificates.rsa.server()) { server in
        let (output, end) = try ChildProcess.run(
          [Certificates.program, "s_client", "-connect", "127.0.0.1:\(server.listener.port)"] + arguments)
        #expect(end != .exited(0))
        #expect(output.contains("alert"), "the server sends an alert")
        #expect(output.contains("no peer certificate available"))
        await server.onLoop { _, _ in }
        #expect(server.log.elements == [], "no handler hears of it")
        await eventually { await server.onLoop { core, _ in core.sourceCount } == server.listener.hosts.count }
      }
    }

    @Test("the server refuses renegotiation; the connection continues or ends")
    func renegotiation() async throws {
      try await TestServer.serving(.echo, tls: Certificates.rsa.server()) { server in
        let peer = try TLSPeer(port: server.listener.port, maximum: TLS1_2_VERSION)
        #expect(peer.shakeHands() == 0)
        peer.send([1])
        #expect(peer.receive(1) == [1])
        #expect(SSL_renegotiate(peer.ssl) == 1)
        #expect(peer.shakeHands() != 0)
      }
    }

    @Test("a handshake in single bytes succeeds", arguments: [TLS1_2_VERSION, TLS1_3_VERSION])
    func dribbled(version: Int32) async throws {
      try await TestServer.serving(.echo, tls: Certificates.elliptic.server()) { server in
        let peer = try TLSPeer(port: server.listener.port, maximum: version)
        peer.pieceSize = 1
        #expect(peer.shakeHands() == 0)
        #expect(peer.version == (version == TLS1_2_VERSION ? "TLSv1.2" : "TLSv1.3"))
        peer.send([1, 2, 3])
        #expect(peer.receive(3) == [1, 2, 3])
      }
    }

    @Test(
      "a slow handshake ends at its limit, at whatever step it is",
      arguments: [
        0, 1, 100, 400,
      ])
    func slow(sent: Int) async throws {
      var options = EventLoop.Options()
      options.handshakeLimit = .milliseconds(300)
      try await TestServer.serving(options: options, tls: Certificates.elliptic.server()) { server in
        let peer = try TLSPeer(port: server.listener.port)
        SSL_do_handshake(peer.ssl)
        let hello = peer.takeOutput()
        let start = ContinuousClock.now
        for byte in hello.prefix(sent) { peer.socket.send([byte]) }
        // If the whole hello has left, the server's flight comes first.
        while let bytes = peer.socket.receiveSome(), !bytes.isEmpty {}
        #expect((Duration.milliseconds(250)...Duration.seconds(3)).contains(ContinuousClock.now - start))
        #expect(server.log.elements == [])
        #expect(await server.onLoop { core, _ in core.sourceCount } == server.listener.hosts.count)
      }
    }

    @Test("the limit of a handshake is ten seconds")
    func limit() { #expect(EventLoop.Options().handshakeLimit == .seconds(10)) }

    @Test(
      "garbage instead of a hello ends the connection soon",
      arguments: [
        [UInt8](repeating: 0, count: 64), [0x16, 3, 1, 0xFF, 0xFF, 1, 0, 0, 0], [0x16, 3, 1, 0, 1, 1],
        [0x16, 3, 1, 0x10, 0, 1, 0xFF, 0xFF, 0xFF], [0x80, 0x2E, 1, 0, 2] + [UInt8](repeating: 7, count: 64),
        [0x16, 3, 1, 0, 8, 1, 0, 0, 4, 1, 2, 3, 4],
      ])
    func garbage(bytes: [UInt8]) async throws {
      try await TestServer.serving(tls: Certificates.elliptic.server()) { server in
        let start = ContinuousClock.now
        let peer = try RawPeer(port: server.listener.port)
        peer.send(bytes)
        // There may be an alert before the end.
        let answer = try #require(peer.receive(1000))
        #expect(answer.count <= 7)
        peer.close()
        await eventually { await server.onLoop { core, _ in core.sourceCount } == server.listener.hosts.count }
        // The end comes before the limit of a handshake.
        #expect(ContinuousClock.now - start < .seconds(9))
        #expect(server.log.elements == [])
      }
    }

    @Test("an HTTP request in clear text is answered with a hint at TLS")
    func plainRequest() async throws {
      try await TestServer.serving(tls: Certificates.elliptic.server()) { server in
        let peer = try RawPeer(port: server.listener.port)
        peer.send(Array("GET /sync HTTP/1.1\r\nHost: a\r\n\r\n".utf8))
        let answer = String(decoding: try #require(peer.receive(1000)), as: UTF8.self)
        #expect(answer.hasPrefix("HTTP/1.1 400 Bad Request\r\n"))
        #expect(answer.hasSuffix("\r\n\r\nThis port speaks TLS: use https:// or wss://.\n"))
        #expect(server.log.elements == [])
      }
    }

    @Test("a peer that closes during the handshake leaves nothing behind")
    func hangUp() async throws {
      try await TestServer.serving(tls: Certificates.elliptic.server()) { server in
        for count in [0, 5, 50, 10_000] {
          let peer = try TLSPeer(port: server.listener.port)
          SSL_do_handshake(peer.ssl)
          peer.socket.send(Array(peer.takeOutput().prefix(count)))
          count % 2 == 0 ? peer.socket.close() : peer.socket.reset()
        }
        await eventually { await server.onLoop { core, _ in core.sourceCount } == server.listener.hosts.count }
        #expect(server.log.elements == [])
      }
    }

    @Test("sessions resume by ticket, without state on the server", arguments: [TLS1_2_VERSION, TLS1_3_VERSION])
    func resumption(version: Int32) async throws {
      let tls = try Certificates.elliptic.server()
      try await TestServer.serving(.echo, tls: tls) { server in
        let first = try TLSPeer(port: server.listener.port, maximum: version)
        #expect(first.shakeHands() == 0)
        first.send([1])
        #expect(first.receive(1) == [1])
        #expect(!first.isResumed)
        let session = try #require(SSL_get1_session(first.ssl))
        defer { SSL_SESSION_free(session) }
        let second = try TLSPeer(port: server.listener.port, maximum: version, session: session)
        #expect(second.shakeHands() == 0)
        #expect(second.isResumed)
        second.send([2])
        #expect(second.receive(1) == [2])
        #expect(SSL_CTX_ctrl(tls.context.pointer, SSL_CTRL_SESS_NUMBER, 0, nil) == 0)
      }
    }

    @Test("a reloaded certificate serves new connections, and existing ones continue")
    func reload() async throws {
      let (old, new) = (Certificates.elliptic, Certificates.rsa)
      let files = Certificates.Pair(
        certificate: Certificates.file("used.pem", Certificates.text(old.certificate)),
        key: Certificates.file("used.key", Certificates.text(old.key)))
      let tls = try files.server()
      try await TestServer.serving(.echo, tls: tls) { server in
        let first = try TLSPeer(port: server.listener.port)
        #expect(first.shakeHands() == 0)
        #expect(first.serverName == "/CN=elliptic")

        _ = Certificates.file("used.key", Certificates.text(new.key))
        let error = #expect(throws: TLSError.self) { try tls.reload() }
        #expect(error?.description.contains("does not belong to the certificate") == true)
        let second = try TLSPeer(port: server.listener.port)
        #expect(second.shakeHands() == 0)
        #expect(second.serverName == "/CN=elliptic", "a bad certificate changes nothing")

        _ = Certificates.file("used.pem", Certificates.text(new.certificate))
        try tls.reload()
        let third = try TLSPeer(port: server.listener.port)
        #expect(third.shakeHands() == 0)
        #expect(third.serverName == "/CN=rsa")
        for peer in [first, second, third] {
          peer.send([7])
          #expect(peer.receive(1) == [7])
        }
      }
    }

    @Test("an unusable file is refused with its name and the reason")
    func badFiles() throws {
      let (good, other) = (Certificates.elliptic, Certificates.rsa)
      let text = Certificates.file("text.pem", "hello\n")
      let locked = "\(Certificates.folder)/locked.key"
      try #require(
        ChildProcess.run(
          [Certificates.program, "pkey", "-in", good.key, "-aes256", "-passout", "pass:x", "-out", locked]
        ).end == .exited(0))
      let old = try Certificates.expired(good)
      let weak = Certificates.make("weak", ["rsa:512"])
      let cases: [(certificate: String, key: String, expected: String)] = [
        ("/none.pem", good.key, "The certificate file /none.pem cannot be read (No such file or directory)."),
        (good.certificate, "/none.key", "The key file /none.key cannot be read (No such file or directory)."),
        (
          text, good.key,
          "The certificate file \(text) holds no certificate in PEM form that can be used (no start line)."
        ),
        (good.key, good.key, "The certificate file \(good.key) holds no certificate in PEM form that can be used"),
        (good.certificate, text, "The key file \(text) holds no private key in PEM form without a passphrase"),
        (good.certificate, locked, "The key file \(locked) holds no private key in PEM form without a passphrase"),
        (
          good.certificate, other.key,
          "The key in \(other.key) does not belong to the certificate in \(good.certificate)."
        ),
        (old.certificate, old.key, "The certificate in \(old.certificate) has expired."),
        (weak.certificate, weak.key, "that can be used (ee key too small)."),
      ]
      for (certificate, key, expected) in cases {
        let error = #expect(throws: TLSError.self) { try TLSServer(certificate: certificate, key: key) }
        #expect(error?.description.contains(expected) == true, "\(error?.description ?? "")")
      }
    }
  }

  @Suite("TLS hello")
  struct TLSHelloTests {
    @Test("a hello is checked up to its limit")
    func limit() {
      func hello(_ size: Int) -> [UInt8] {
        let record = size + 4
        return [22, 3, 1, UInt8(record >> 8), UInt8(record & 255), 1, UInt8(size >> 16), UInt8(size >> 8 & 255)]
          + [UInt8(size & 255)] + [UInt8](repeating: 0, count: size)
      }
      let limit = TLSHello.sizeLimit
      #expect(TLSHello.look(at: hello(limit - 5)) == .whole)
      #expect(TLSHello.look(at: hello(limit - 4)) == .whole)
      #expect(TLSHello.look(at: hello(limit - 3)) == .refused)
      #expect(TLSHello.look(at: hello(limit - 4).dropLast()) == .incomplete)
      // The hello comes in several records.
      #expect(TLSHello.look(at: [22, 3, 1, 0, 4, 1, 0, 0x40, 0]) == .whole)
      #expect(TLSHello.look(at: [22, 3, 1, 0, 4, 1, 0, 0x40, 1]) == .refused)
      #expect(TLSHello.look(at: [22, 3, 1, 0, 3]) == .refused)
      #expect(TLSHello.look(at: []) == .incomplete)
    }
  }
}
