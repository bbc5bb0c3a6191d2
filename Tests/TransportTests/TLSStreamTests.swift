import COpenSSL
import Glibc
import Platform
import Testing

@testable import Transport

extension Sockets {
  @Suite("TLS stream")
  struct TLSStreamTests {
    private func serving(
      _ behaviour: Behaviour = .silent, options: EventLoop.Options = EventLoop.Options(),
      _ body: (TestServer) async throws -> Void
    ) async throws {
      try await TestServer.serving(behaviour, options: options, tls: Certificates.elliptic.server(), body)
    }

    private func connect(_ server: TestServer, receiveBuffer: Int32 = 0) async throws -> TLSPeer {
      let peer = try TLSPeer(port: server.listener.port, receiveBuffer: receiveBuffer)
      #expect(peer.shakeHands() == 0)
      await server.log.until { $0.contains { if case .opened = $0 { true } else { false } } }
      return peer
    }

    @Test("echoes bytes in order, and counts them as they are before encryption")
    func echo() async throws {
      try await serving(.echo) { server in
        let peer = try await connect(server)
        for length in [1, 2, 1000, 70_000, 300_000] {
          let bytes = (0..<length).map { UInt8(truncatingIfNeeded: $0) }
          peer.send(bytes)
          #expect(peer.receive(length) == bytes)
        }
        #expect(await server.onLoop { $1[0].sentByteCount } == 371_003)
        #expect(await server.onLoop { $1[0].unsentByteCount } == 0)
        #expect(await server.onLoop { $1[0].peer.isEncrypted })
      }
    }

    @Test("what comes with the end of the handshake is received too")
    func earlyBytes() async throws {
      try await serving(.echo) { server in
        let peer = try TLSPeer(port: server.listener.port)
        // The last flight of the handshake is held back until there are bytes behind it.
        while SSL_is_init_finished(peer.ssl) == 0 {
          SSL_do_handshake(peer.ssl)
          if SSL_is_init_finished(peer.ssl) == 1 { break }
          peer.flush()
          let bytes = try #require(peer.socket.receiveSome())
          BIO_write(SSL_get_rbio(peer.ssl), bytes, Int32(bytes.count))
        }
        SSL_write(peer.ssl, "abc", 3)
        peer.socket.send(peer.takeOutput())
        #expect(peer.receive(3) == Array("abc".utf8))
      }
    }

    @Test("all of a batch leaves with one send, in one record")
    func coalescing() async throws {
      try await serving { server in
        let peer = try await connect(server)
        // The ticket is behind the handshake.
        await server.onLoop { $1[0].send([9].span) }
        #expect(peer.receive(1) == [9])
        let before = await server.onLoop { core, streams in
          for number in 0..<100 { streams[0].send([UInt8](repeating: UInt8(number), count: 100).span) }
          return core.sendCount
        }
        let bytes = try #require(peer.socket.receiveSome())
        #expect(bytes.count == 10_000 + 22, "one record of TLS 1.3")
        BIO_write(SSL_get_rbio(peer.ssl), bytes, Int32(bytes.count))
        #expect(peer.receive(10_000) == (0..<100).flatMap { [UInt8](repeating: UInt8($0), count: 100) })
        #expect(await server.onLoop { core, _ in core.sendCount } - before == 1)
      }
    }

    @Test("keeps what a peer does not read, tells once when it has, and owns no memory then")
    func backPressure() async throws {
      try await serving { server in
        let peer = try await connect(server, receiveBuffer: 4096)
        let part = (0..<(1 << 20)).map { UInt8(truncatingIfNeeded: $0 &* 7) }
        for _ in 0..<16 { await server.onLoop { $1[0].send(part.span) } }
        let (unsent, sent) = await server.onLoop { ($1[0].unsentByteCount, $1[0].sentByteCount) }
        #expect(unsent > 0)
        #expect(unsent + sent == 16 << 20)
        #expect(server.log.elements.count == 1)
        for _ in 0..<16 {
          #expect(peer.receive(1 << 20) == part)
          // All but what is next waits as it is, and what has left is forgotten.
          let ready = await server.onLoop { ($1[0] as? SocketStream)?.output.bytes.capacity ?? 0 }
          #expect(ready <= 1 << 20)
        }
        await server.log.until { $0.contains(.writable) }
        await server.onLoop { _, _ in }
        #expect(server.log.elements.filter { $0 == .writable }.count == 1)
        #expect(await server.onLoop { $1[0].unsentByteCount } == 0)
        #expect(await server.onLoop { $1[0].sentByteCount } == 16 << 20)
        #expect(await server.onLoop { ($1[0] as? SocketStream)?.ownedCapacity } == 0)
      }
    }

    @Test("large transfers both ways at once, through tiny socket buffers and in odd pieces")
    func bothWays() async throws {
      try await serving(.echo) { server in
        let peer = try await connect(server, receiveBuffer: 4096)
        peer.pieceSize = 1357
        let part = (0..<50_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        for _ in 0..<40 {
          // The server echoes while more comes; whole only in the end.
          peer.send(part)
          peer.send(part)
          #expect(peer.receive(part.count) == part)
        }
        for _ in 0..<40 { #expect(peer.receive(part.count) == part) }
      }
    }

    @Test("reads nothing while paused, and everything afterwards")
    func pausing() async throws {
      try await serving(.paused) { server in
        let peer = try await connect(server)
        let bytes = (0..<2000).map { UInt8(truncatingIfNeeded: $0) }
        peer.send(bytes)
        try await Task.sleep(for: .milliseconds(50))
        #expect(server.log.elements.bytes == [])
        await server.onLoop { $1[0].isReadingPaused = false }
        await server.log.until { $0.bytes == bytes }
      }
    }

    @Test("closing sends what is unsent, even 8 MB to a peer that reads later, then says goodbye")
    func closeFlushes() async throws {
      try await serving { server in
        let peer = try await connect(server, receiveBuffer: 4096)
        let bytes = [UInt8](repeating: 7, count: 8 << 20)
        await server.onLoop { _, streams in
          streams[0].send(bytes.span)
          streams[0].close()
          streams[0].send([1].span)  // Too late.
        }
        peer.send([1, 2, 3])
        #expect(peer.receive(bytes.count + 1) == bytes)
        #expect(SSL_get_shutdown(peer.ssl) & SSL_RECEIVED_SHUTDOWN != 0)
        #expect(peer.socket.receiveSome() == [], "and then the end of the stream")
        #expect(server.log.elements.ends == [])
        peer.socket.close()
        await server.log.until { $0.ends == [.local] }
        #expect(server.log.elements.bytes == [])
      }
    }

    @Test("answers the last bytes of a peer that has said goodbye, and says it too")
    func halfClose() async throws {
      try await serving(.echo) { server in
        let peer = try await connect(server)
        SSL_write(peer.ssl, "abc", 3)
        SSL_shutdown(peer.ssl)
        peer.flush()
        #expect(peer.receive(4) == Array("abc".utf8))
        #expect(SSL_get_shutdown(peer.ssl) & SSL_RECEIVED_SHUTDOWN != 0)
        await server.log.until { $0.ends == [.peer] }
      }
    }

    @Test("a peer that ends without goodbye has closed; one that resets has failed")
    func ends() async throws {
      try await serving(.echo) { server in
        let peer = try await connect(server)
        peer.socket.finishSending()
        #expect(peer.receive(1) == [], "ours says goodbye")
        await server.log.until { $0.ends == [.peer] }
      }
      try await serving { server in
        let peer = try await connect(server)
        peer.socket.reset()
        await server.log.until { $0.ends == [.failed(ECONNRESET)] }
      }
    }

    @Test("a changed record ends the connection with an alert; nothing of it is believed")
    func forged() async throws {
      try await serving { server in
        let peer = try await connect(server)
        SSL_write(peer.ssl, "abc", 3)
        var bytes = peer.takeOutput()
        bytes[bytes.count - 1] ^= 1
        peer.socket.send(bytes)
        #expect(peer.receive(1) == nil)
        peer.socket.close()
        await server.log.until { $0.ends == [.failed(EPROTO)] }
        #expect(server.log.elements.bytes == [])
      }
    }

    @Test("the alert is sent though much waits before it")
    func forgedMeanwhile() async throws {
      try await serving { server in
        let peer = try await connect(server, receiveBuffer: 4096)
        let part = [UInt8](repeating: 7, count: 16 << 20)
        await server.onLoop { $1[0].send(part.span) }
        SSL_write(peer.ssl, "abc", 3)
        var bytes = peer.takeOutput()
        bytes[bytes.count - 1] ^= 1
        peer.socket.send(bytes)
        try await Task.sleep(for: .milliseconds(50))
        var buffer = [UInt8](repeating: 0, count: 1 << 14)
        var error: Int32 = 0
        while error == 0 { error = peer.repeatedly { SSL_read($0, &buffer, Int32(buffer.count)) } }
        #expect(error == SSL_ERROR_SSL, "an alert, not just the end")
      }
    }

    @Test("aborting resets at once")
    func abort() async throws {
      try await serving { server in
        let peer = try await connect(server)
        await server.onLoop { $1[0].abort() }
        #expect(peer.receive(1) == nil)
        await server.log.until { $0.ends == [.local] }
      }
    }

    @Test("new keys that the peer asks for are taken", arguments: [SSL_KEY_UPDATE_REQUESTED])
    func keyUpdate(kind: Int32) async throws {
      try await serving(.echo) { server in
        let peer = try await connect(server)
        for number in UInt8(0)..<5 {
          #expect(SSL_key_update(peer.ssl, kind) == 1)
          peer.send([number])
          #expect(peer.receive(1) == [number])
        }
      }
    }

    @Test("a peer that asks for new keys again and again without reading is given up, and costs no memory")
    func keyUpdateFlood() async throws {
      try await serving { server in
        let peer = try await connect(server, receiveBuffer: 4096)
        let part = [UInt8](repeating: 7, count: 8 << 20)
        await server.onLoop { $1[0].send(part.span) }
        let before = await server.onLoop { ($1[0] as? SocketStream)?.ownedCapacity ?? 0 }
        #expect(before >= part.count)
        var most = 0
        for _ in 0..<60_000 {
          #expect(SSL_key_update(peer.ssl, SSL_KEY_UPDATE_REQUESTED) == 1)
          SSL_do_handshake(peer.ssl)
        }
        peer.flush()
        let deadline = ContinuousClock.now + .seconds(30)
        while ContinuousClock.now < deadline {
          let owned = await server.onLoop { ($1[0] as? SocketStream)?.ownedCapacity ?? 0 }
          most = max(most, owned)
          // Given up, it keeps nothing of what it was to be sent.
          if owned < 1 << 20 { break }
          try await Task.sleep(for: .milliseconds(10))
        }
        #expect(ContinuousClock.now < deadline)
        #expect(most - before < 1 << 20, "\(most - before)")
      }
    }

    @Test("stopping the loop says goodbye to everybody, also in the middle of a handshake")
    func stopping() async throws {
      let server = try TestServer(.silent, EventLoop.Options(), tls: Certificates.elliptic.server())
      let peer = try await connect(server)
      let halfway = try RawPeer(port: server.listener.port)
      halfway.send([22, 3, 1])
      await server.onLoop { _, _ in }
      async let stopped: Void = server.stop()
      #expect(peer.receive(1) == [])
      peer.socket.close()
      #expect(halfway.receiveSome() == [])
      halfway.close()
      await stopped
      #expect(server.log.elements.ends == [.local])
    }
  }
}
