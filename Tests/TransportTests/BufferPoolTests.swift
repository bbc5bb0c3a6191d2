import Testing

@testable import Transport

extension Sockets {
  @Suite("Buffer pool")
  struct BufferPoolTests {
    @Test("the pool keeps buffers up to a limit, no large ones, and fewer at rest")
    func limits() {
      var pool = BufferPool()
      let buffers = (0..<BufferPool.bufferLimit + 10).map { _ in pool.take() }
      #expect(buffers.allSatisfy { $0.isEmpty && $0.capacity >= BufferPool.firstCapacity } && pool.count == 0)
      pool.give([UInt8](repeating: 1, count: BufferPool.capacityLimit + 1))
      #expect(pool.count == 0)
      for buffer in buffers.prefix(BufferPool.restingLimit) { pool.give(buffer + [1]) }
      // The pool keeps fewer of the larger buffers.
      pool.give([UInt8](repeating: 1, count: BufferPool.smallCapacity + 1))
      #expect(pool.count == BufferPool.restingLimit)
      for buffer in buffers { pool.give(buffer + [1]) }
      #expect(pool.count == BufferPool.bufferLimit)
      #expect(pool.take().isEmpty)
      pool.shrink()
      #expect(pool.count == BufferPool.restingLimit)
      for _ in 0..<10 { _ = pool.take() }
      pool.shrink()
      #expect(pool.count == BufferPool.restingLimit - 10)
    }

    @Test("an idle loop has freed most of its buffers")
    func rest() async throws {
      try await TestServer.serving { server in
        let peers = try (0..<2 * BufferPool.restingLimit).map { _ in try RawPeer(port: server.listener.port) }
        await server.log.until(count: peers.count)
        await server.onLoop { _, streams in for stream in streams { stream.send([1].span) } }
        for peer in peers { #expect(peer.receive(1) == [1]) }
        await eventually { await server.onLoop { core, _ in core.buffers.count } == BufferPool.restingLimit }
      }
    }
  }
}
