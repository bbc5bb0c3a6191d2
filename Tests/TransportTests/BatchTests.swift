import Glibc
import Platform
import Testing

@testable import Transport

extension Sockets {
  @Suite("Many streams in one batch")
  struct BatchTests {
    @Test("a slow and a lost peer hold up none of the many streams of a batch")
    func mixedBatch() async throws {
      try await TestServer.serving { server in
        let count = BufferPool.bufferLimit + 8
        let peers = try (0..<count).map { _ in try RawPeer(port: server.listener.port, receiveBuffer: 4096) }
        await server.log.until(count: count)
        let (slow, lost) = (3, count - 1)
        let much = (0..<(1 << 20)).map { UInt8(truncatingIfNeeded: $0 &* 7) }
        peers[lost].close()
        await server.onLoop { _, streams in
          for (number, stream) in streams.enumerated() { stream.send([UInt8(truncatingIfNeeded: number)].span) }
          streams[slow].send(much.span)
        }
        for (number, peer) in peers.enumerated() where number != lost {
          #expect(peer.receive(1) == [UInt8(truncatingIfNeeded: number)])
        }
        #expect(await server.onLoop { $1[slow].unsentByteCount } > 0)
        await server.onLoop { _, streams in for stream in streams { stream.send([9].span) } }
        #expect(peers[slow].receive(1 << 20) == much)
        for (number, peer) in peers.enumerated() where number != lost { #expect(peer.receive(1) == [9]) }
        await server.log.until { $0.contains(.writable) && $0.ends.count == 1 }
        // Every stream but the lost one was sent to twice, the slow one again and again.
        #expect(await server.onLoop { core, _ in core.sendCount } >= 2 * count - 1)
      }
    }
  }
}
