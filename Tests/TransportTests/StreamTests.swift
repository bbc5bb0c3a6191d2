import Dispatch
import Glibc
import Platform
import Testing

@testable import Transport

extension Sockets {
  @Suite("Stream")
  struct StreamTests {
    @Test("a stream receives and sends bytes in order")
    func echo() async throws {
      try await TestServer.serving(.echo) { server in
        let peer = try RawPeer(port: server.listener.port)
        for length in [1, 2, 1000, 70_000] {
          let bytes = (0..<length).map { UInt8(truncatingIfNeeded: $0) }
          peer.send(bytes)
          #expect(peer.receive(length) == bytes)
        }
        #expect(await server.onLoop { $1[0].sentByteCount } == 71_003)
        #expect(await server.onLoop { $1[0].peer.isLoopback })
      }
    }

    @Test("a loop sends once for each stream and batch, whatever the number of messages")
    func coalescing() async throws {
      try await TestServer.serving { server in
        let peers = try (0..<3).map { _ in try RawPeer(port: server.listener.port) }
        await server.log.until(count: 3)
        let before = await server.onLoop { core, streams in
          for number in 0..<100 { for stream in streams { stream.send([UInt8(number)].span) } }
          return core.sendCount
        }
        for peer in peers { #expect(peer.receive(100) == (0..<100).map { UInt8($0) }) }
        #expect(await server.onLoop { core, _ in core.sendCount } - before == 3)
      }
    }

    @Test("flushIfMany sends before the end of the batch, but not for a few streams")
    func flushingEarly() async throws {
      try await TestServer.serving { server in
        let peers = try (0...LoopCore.flushCount).map { _ in try RawPeer(port: server.listener.port) }
        await server.log.until(count: peers.count)
        let much = [UInt8](repeating: 3, count: LoopCore.flushByteCount - 2)
        let sent = await server.onLoop { core, streams in
          let before = core.sendCount
          for stream in streams.dropFirst(2) { stream.send([1].span) }
          core.flushIfMany()
          let few = core.sendCount - before
          streams[1].send([1].span)
          core.flushIfMany()
          let many = core.sendCount - before
          // Later bytes of the batch leave at its end.
          for stream in streams.prefix(2) { stream.send([2].span) }
          core.flushIfMany()
          let late = core.sendCount - before
          // Many bytes for one stream count as few bytes for many.
          streams[0].send(much.span)
          core.flushIfMany()
          let muchForOne = core.sendCount - before
          // Sent bytes no longer count.
          streams[0].send([4].span)
          core.flushIfMany()
          return (few, many, late, muchForOne, core.sendCount - before)
        }
        let count = LoopCore.flushCount
        #expect(sent == (0, count, count, count + 2, count + 2))
        #expect(peers[0].receive(much.count + 2) == [2] + much + [4])
        #expect(peers[1].receive(2) == [1, 2])
        for peer in peers.dropFirst(2) { #expect(peer.receive(1) == [1]) }
      }
    }

    @Test("a loop with many unsent bytes sends before the end of the batch, between events and between posted work")
    func flushingMuch() async throws {
      let much = [UInt8](repeating: 5, count: LoopCore.heldByteCount)
      // The numbers of batches and sends that each event finds.
      let found = Log<[Int]>()
      let generous = Behaviour { core, stream, handler in
        handler.received = { bytes in
          found.add([core.batchCount, core.sendCount])
          stream.send(bytes.count == 1 ? much.span : bytes.span)
        }
      }
      try await TestServer.serving(generous) { server in
        // One more for each part: the kernel may take no more bytes of a stream that was given many.
        let peers = try (0..<4).map { _ in try RawPeer(port: server.listener.port) }
        await server.log.until(count: peers.count)
        // Both events are ready when the loop polls.
        let gate = DispatchSemaphore(value: 0)
        await withCheckedContinuation { entered in
          server.loop.run { _ in
            entered.resume()
            gate.wait()
          }
        }
        for peer in peers.prefix(2) { peer.send([1]) }
        gate.signal()
        for peer in peers.prefix(2) { #expect(peer.receive(much.count) == much) }
        let events = found.elements
        #expect(events.map { $0[0] - events[0][0] } == [0, 0])
        #expect(events[1][1] > events[0][1])

        for (index, isEarly) in [(2, true), (3, false)] {
          let bytes = isEarly ? much : Array(much.dropLast())
          let unsent = await server.onLoop { _, streams in
            streams[index].send(bytes.span)
          } atBatchEnd: { _, streams in
            streams[index].unsentByteCount
          }
          #expect((unsent < bytes.count) == isEarly)
          #expect(peers[index].receive(bytes.count) == bytes)
        }
      }
    }

    @Test("at the end of a batch, flushIfMany sends only to streams that had no unsent bytes before")
    func flushingAtBatchEnd() async throws {
      try await TestServer.serving { server in
        let peers = try (0...LoopCore.flushCount).map { _ in try RawPeer(port: server.listener.port) }
        await server.log.until(count: peers.count)
        let before = await server.onLoop { core, _ in core.sendCount }
        let early = await server.onLoop { _, streams in
          streams[0].send([1].span)
        } atBatchEnd: { core, streams in
          for stream in streams.dropFirst() { stream.send([1].span) }
          core.flushIfMany()
          streams[0].send([2].span)
          return core.sendCount
        }
        #expect(early - before == LoopCore.flushCount)
        #expect(peers[0].receive(2) == [1, 2])
        for peer in peers.dropFirst() { #expect(peer.receive(1) == [1]) }
        #expect(await server.onLoop { core, _ in core.sendCount } == early + 1)
      }
    }

    @Test("at the end of a batch, flushIfMany does not count bytes that were given before it")
    func bytesBeforeBatchEnd() async throws {
      try await TestServer.serving { server in
        let peers = try (0..<2).map { _ in try RawPeer(port: server.listener.port) }
        await server.log.until(count: peers.count)
        let much = [UInt8](repeating: 1, count: LoopCore.flushByteCount)
        let early = await server.onLoop { _, streams in
          streams[0].send(much.span)
        } atBatchEnd: { core, streams in
          streams[1].send([1].span)
          core.flushIfMany()
          return core.sendCount
        }
        #expect(early == 0)
        #expect(peers[0].receive(much.count) == much)
        #expect(peers[1].receive(1) == [1])
      }
    }

    @Test("a stream knows whether its last answer was late")
    func lateAnswers() async throws {
      try await TestServer.serving { server in
        let peer = try RawPeer(port: server.listener.port)
        var count = 1
        func isLate(after delay: Duration) async throws -> Bool? {
          peer.send([1])
          count += 1
          await server.log.until(count: count)
          try await Task.sleep(for: delay)
          await server.onLoop { _, streams in streams[0].send([2].span) }
          #expect(peer.receive(1) == [2])
          return await server.onLoop { ($1[0] as? SocketStream)?.isAnsweredLate }
        }
        #expect(try await isLate(after: .milliseconds(40)) == true)
        // The test retries, since a machine may stop for a moment.
        try await eventually { try await isLate(after: .zero) == false }
        // A send without a read before it is no answer.
        try await Task.sleep(for: .milliseconds(40))
        await server.onLoop { _, streams in streams[0].send([3].span) }
        #expect(peer.receive(1) == [3])
        #expect(await server.onLoop { ($1[0] as? SocketStream)?.isAnsweredLate } == false)
      }
    }

    @Test("a stream keeps the bytes that a peer does not read, and reports once when all have left")
    func backPressure() async throws {
      try await TestServer.serving { server in
        let peer = try RawPeer(port: server.listener.port, receiveBuffer: 4096)
        await server.log.until(count: 1)
        let part = (0..<(1 << 20)).map { UInt8(truncatingIfNeeded: $0 &* 7) }
        for _ in 0..<16 { await server.onLoop { $1[0].send(part.span) } }
        let (unsent, sent) = await server.onLoop { ($1[0].unsentByteCount, $1[0].sentByteCount) }
        #expect(unsent > 0)
        #expect(unsent + sent == 16 << 20)
        // Nearly all bytes wait in the stream: without a limit, the kernel would take megabytes for a peer that does
        // not read.
        #expect(sent < 1 << 18)
        #expect(server.log.elements.count == 1)
        let since = await server.onLoop { $1[0].stalledSince }
        try await Task.sleep(for: .milliseconds(30))
        await server.onLoop { $1[0].send([1].span) }
        #expect(await server.onLoop { $1[0].stalledSince } == since && since != nil)

        for _ in 0..<16 { #expect(peer.receive(1 << 20) == part) }
        #expect(peer.receive(1) == [1])
        await server.log.until { $0.contains(.writable) }
        #expect(await server.onLoop { $1[0].stalledSince } == nil)
        await server.onLoop { _, _ in }
        #expect(server.log.elements.filter { $0 == .writable }.count == 1)
        #expect(await server.onLoop { $1[0].unsentByteCount } == 0)
        #expect(await server.onLoop { ($1[0] as? SocketStream)?.ownedCapacity } == 0)
      }
    }

    @Test("a paused stream reads nothing, and reads everything afterwards")
    func pausing() async throws {
      try await TestServer.serving(.paused) { server in
        let peer = try RawPeer(port: server.listener.port)
        peer.send([1, 2, 3])
        await server.log.until(count: 1)
        // The bytes have arrived: those of a second connection, sent later, have been read.
        let other = try RawPeer(port: server.listener.port)
        await server.log.until(count: 2)
        await server.onLoop { $1[1].isReadingPaused = false }
        other.send([9])
        await server.log.until { $0.bytes == [9] }
        await server.onLoop { $1[0].isReadingPaused = false }
        await server.log.until { $0.bytes == [9, 1, 2, 3] }
      }
    }

    @Test("a stream can be paused in the middle of a batch")
    func pausingOthers() async throws {
      try await TestServer.serving { server in
        let peers = try (0..<2).map { _ in try RawPeer(port: server.listener.port) }
        await server.log.until(count: 2)
        await server.onLoop { for stream in $1 { stream.isReadingPaused = true } }
        for peer in peers { peer.send([1]) }
        await server.onLoop { for stream in $1 { stream.isReadingPaused = false } }
        await server.log.until { $0.bytes == [1, 1] }
      }
    }

    @Test("a paused stream notices a reset")
    func resetWhilePaused() async throws {
      try await TestServer.serving(.paused) { server in
        let peer = try RawPeer(port: server.listener.port)
        await server.log.until(count: 1)
        await server.onLoop { _, _ in }
        peer.reset()
        await server.log.until(count: 2)
        #expect(server.log.elements.ends == [.failed(ECONNRESET)])
      }
    }

    @Test("closing sends the unsent bytes, even 8 MB to a slow peer, and then the end of the stream")
    func closeFlushes() async throws {
      try await TestServer.serving { server in
        let peer = try RawPeer(port: server.listener.port, receiveBuffer: 4096)
        await server.log.until(count: 1)
        let bytes = [UInt8](repeating: 7, count: 8 << 20)
        await server.onLoop { _, streams in
          streams[0].send(bytes.span)
          streams[0].close()
          streams[0].send([1].span)  // Too late.
        }
        peer.send([1, 2, 3])  // Unread input must not make our end a reset.
        #expect(peer.receive(bytes.count + 1) == bytes)
        #expect(server.log.elements.ends == [])
        peer.close()
        await server.log.until { !$0.ends.isEmpty }
        #expect(server.log.elements.ends == [.local])
        #expect(server.log.elements.bytes == [])
      }
    }

    @Test("a closing stream ends after a while, even if the peer does not close")
    func closeIsBounded() async throws {
      var options = EventLoop.Options()
      options.farewellLimit = .milliseconds(50)
      try await TestServer.serving(options: options) { server in
        let peer = try RawPeer(port: server.listener.port)
        await server.log.until(count: 1)
        await server.onLoop { $1[0].close() }
        #expect(peer.receive(1) == [])
        await server.log.until { $0.ends == [.local] }
      }
    }

    @Test("a closing stream gives up a peer that does not read, even if the peer sends")
    func flushIsBounded() async throws {
      var options = EventLoop.Options()
      options.flushLimit = .milliseconds(100)
      try await TestServer.serving(options: options) { server in
        let peer = try RawPeer(port: server.listener.port, receiveBuffer: 4096)
        await server.log.until(count: 1)
        let bytes = [UInt8](repeating: 7, count: 16 << 20)
        let start = ContinuousClock.now
        await server.onLoop { _, streams in
          streams[0].send(bytes.span)
          streams[0].close()
        }
        while server.log.elements.ends.isEmpty, peer.receive(1) != nil {}
        await server.log.until { $0.ends == [.local] }
        #expect(ContinuousClock.now - start < .seconds(5))
      }
    }

    @Test("a stream that does not linger sends what the kernel takes, and discards the rest", arguments: [false, true])
    func withoutLingering(isClosing: Bool) async throws {
      var options = EventLoop.Options()
      options.flushLimit = .seconds(3600)
      try await TestServer.serving(options: options) { server in
        let peer = try RawPeer(port: server.listener.port, receiveBuffer: 4096)
        await server.log.until(count: 1)
        let bytes = [UInt8](repeating: 7, count: isClosing ? 16 << 20 : 1)
        await server.onLoop { _, streams in
          streams[0].send(bytes.span)
          streams[0].close(lingering: isClosing)
        }
        if isClosing {
          await server.onLoop { $1[0].close(lingering: false) }
          await server.log.until { $0.ends == [.local] }
          #expect(peer.receive(bytes.count) == nil)
        } else {
          #expect(peer.receive(2) == bytes)
        }
      }
    }

    @Test("aborting resets the connection at once, and calls closed after the call has returned")
    func abort() async throws {
      try await TestServer.serving { server in
        let peer = try RawPeer(port: server.listener.port)
        await server.log.until(count: 1)
        await server.onLoop { [log = server.log] _, streams in
          streams[0].send([1].span)
          streams[0].abort()
          streams[0].abort()
          streams[0].close()
          #expect(log.elements.ends == [])
        }
        #expect(peer.receive(1) == nil)
        await server.log.until { !$0.ends.isEmpty }
        #expect(server.log.elements.ends == [.local])
      }
    }

    @Test("a stream can be closed or aborted while it is being opened", arguments: [false, true])
    func closedWhileOpened(aborts: Bool) async throws {
      let behaviour = Behaviour { _, stream, _ in
        if aborts { stream.abort() } else { stream.close() }
      }
      try await TestServer.serving(behaviour) { server in
        let peer = try RawPeer(port: server.listener.port)
        #expect(peer.receive(1) == (aborts ? nil : []))
        peer.close()
        await server.log.until { $0.ends == [.local] }
      }
    }

    enum Ending: CaseIterable { case finish, close, reset }

    @Test("a stream reports once how its peer has ended the connection", arguments: Ending.allCases)
    func peerEnds(ending: Ending) async throws {
      try await TestServer.serving { server in
        let peer = try RawPeer(port: server.listener.port)
        await server.log.until(count: 1)
        peer.send([5])
        await server.log.until { $0.bytes == [5] }
        switch ending {
        case .finish: peer.finishSending()
        case .close: peer.close()
        case .reset: peer.reset()
        }
        await server.log.until { !$0.ends.isEmpty }
        await server.onLoop { _, streams in
          for stream in streams {
            stream.send([1].span)
            stream.close()
            stream.abort()
          }
        }
        await server.onLoop { _, _ in }
        #expect(server.log.elements.ends == [ending == .reset ? .failed(ECONNRESET) : .peer])
        #expect(await server.onLoop { core, _ in core.sourceCount } == server.listener.hosts.count)
      }
    }

    @Test("a stream answers the last bytes of a peer that has finished sending")
    func answersAfterEnd() async throws {
      try await TestServer.serving(.echo) { server in
        let peer = try RawPeer(port: server.listener.port)
        peer.send([1, 2, 3])
        peer.finishSending()
        #expect(peer.receive(4) == [1, 2, 3])
        await server.log.until { $0.ends == [.peer] }
      }
    }

    @Test("sending to a closed peer ends the stream once")
    func brokenPipe() async throws {
      try await TestServer.serving(.paused) { server in
        let peer = try RawPeer(port: server.listener.port)
        await server.log.until(count: 1)
        await server.onLoop { _, _ in }
        peer.close()  // The stream reads nothing.
        await server.onLoop { $1[0].send([1].span) }  // The peer's kernel answers with a reset.
        await server.log.until { !$0.ends.isEmpty }
        await server.onLoop { $1[0].send([2].span) }
        await server.onLoop { _, _ in }
        let ends = server.log.elements.ends
        #expect(ends == [.failed(EPIPE)] || ends == [.failed(ECONNRESET)])
      }
    }

    @Test("after 2,000 connections, a loop has as many descriptors and sources as before")
    func descriptorsReturn() async throws {
      // This runs in a process of its own: other tests open descriptors at the same time.
      await #expect(processExitsWith: .success) { try await Self.connectAndDisconnect() }
    }

    static func connectAndDisconnect() async throws {
      // Dispatch opens descriptors on first use and keeps them, for timers, too.
      await withCheckedContinuation { continuation in
        DispatchQueue.global().asyncAfter(deadline: .now() + 0.01) { continuation.resume() }
      }
      try await TestServer.serving(.echo) { server in
        let peer = try RawPeer(port: server.listener.port)
        peer.send([3])
        #expect(peer.receive(1) == [3])
        peer.close()
        await server.log.until { !$0.ends.isEmpty }
      }
      let outside = try openDescriptorCount()
      try await TestServer.serving(.echo) { server in
        await server.onLoop { _, _ in }
        let before = try openDescriptorCount()
        for round in 0..<40 {
          let peers = try (0..<50).map { _ in try RawPeer(port: server.listener.port) }
          for peer in peers { peer.send([3]) }
          for peer in peers { #expect(peer.receive(1) == [3]) }
          for (number, peer) in peers.enumerated() { number % 3 == 0 ? peer.reset() : peer.close() }
          await server.log.until { $0.ends.count == (round + 1) * 50 }
        }
        await server.onLoop { _, _ in }
        // Dispatch opens a descriptor now and then and keeps it. A leak of one connection in a hundred would be twenty.
        #expect(try openDescriptorCount() - before < 10)
        #expect(await server.onLoop { core, _ in core.sourceCount } == server.listener.hosts.count)
      }
      try await eventually { try openDescriptorCount() - outside < 10 }
    }
  }
}
