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

    @Test("a TLS stream receives and sends bytes in order, and counts plain bytes")
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

    @Test("bytes that come with the end of the handshake are received")
    func earlyBytes() async throws {
      try await serving(.echo) { server in
        let peer = try TLSPeer(port: server.listener.port)
        // The client holds the last flight of the handshake until there are bytes behind it.
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

    @Test("the bytes of a batch leave with one send, in one record")
    func coalescing() async throws {
      try await serving { server in
        let peer = try await connect(server)
        // The ticket comes behind the handshake.
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

    @Test("a TLS stream keeps the bytes that a peer does not read, and reports once when all have left")
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
          // All but the next bytes wait unencrypted, and sent bytes are freed.
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

    @Test("large transfers in both directions succeed through tiny socket buffers and in odd pieces")
    func bothWays() async throws {
      try await serving(.echo) { server in
        let peer = try await connect(server, receiveBuffer: 4096)
        peer.pieceSize = 1357
        let part = (0..<50_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        for _ in 0..<40 {
          // The server echoes while more bytes come; they are complete only at the end.
          peer.send(part)
          peer.send(part)
          #expect(peer.receive(part.count) == part)
        }
        for _ in 0..<40 { #expect(peer.receive(part.count) == part) }
      }
    }

    @Test("a paused TLS stream reads nothing, and reads everything afterwards")
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

    @Test("closing sends the unsent bytes, even 8 MB to a slow peer, and then close_notify")
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
        #expect(peer.socket.receiveSome() == [], "the end of the stream follows")
        #expect(server.log.elements.ends == [])
        peer.socket.close()
        await server.log.until { $0.ends == [.local] }
        #expect(server.log.elements.bytes == [])
      }
    }

    @Test("a TLS stream answers the last bytes of a peer that has sent close_notify, and sends its own")
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

    @Test("a peer that ends without close_notify has closed, and one that resets has failed")
    func ends() async throws {
      try await serving(.echo) { server in
        let peer = try await connect(server)
        peer.socket.finishSending()
        #expect(peer.receive(1) == [], "the server sends close_notify")
        await server.log.until { $0.ends == [.peer] }
      }
      try await serving { server in
        let peer = try await connect(server)
        peer.socket.reset()
        await server.log.until { $0.ends == [.failed(ECONNRESET)] }
      }
    }

    @Test("a forged record ends the connection with an alert, and none of its bytes are received")
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

    @Test("an alert is sent even if many bytes wait before it")
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
        #expect(error == SSL_ERROR_SSL, "the peer gets an alert")
      }
    }

    @Test("aborting a TLS stream resets the connection at once")
    func abort() async throws {
      try await serving { server in
        let peer = try await connect(server)
        await server.onLoop { $1[0].abort() }
        #expect(peer.receive(1) == nil)
        await server.log.until { $0.ends == [.local] }
      }
    }

    @Test("a key update that the peer requests succeeds", arguments: [SSL_KEY_UPDATE_REQUESTED])
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

    @Test("a peer that requests key updates again and again without reading is given up, and costs no memory")
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
          // A stream that was given up keeps no bytes.
          if owned < 1 << 20 { break }
          try await Task.sleep(for: .milliseconds(10))
        }
        #expect(ContinuousClock.now < deadline)
        #expect(most - before < 1 << 20, "\(most - before)")
      }
    }

    @Test("stopping the loop closes every TLS stream, also in the middle of a handshake")
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
