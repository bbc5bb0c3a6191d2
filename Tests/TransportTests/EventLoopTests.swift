import Dispatch
import Glibc
import Platform
import Testing

@testable import Transport

extension Sockets {
  @Suite("Event loop")
  struct EventLoopTests {
    @Test("a loop runs the work of many threads, in order for each thread, with few wake-ups")
    func posting() async throws {
      try await TestServer.serving { server in
        let log = Log<Int>()
        let poster = server.loop.poster
        DispatchQueue.concurrentPerform(iterations: 8) { thread in
          for number in 0..<1000 { poster.post { log.add(thread << 16 | number) } }
        }
        await log.until(count: 8000)
        for thread in 0..<8 {
          #expect(log.elements.filter { $0 >> 16 == thread }.map { $0 & 0xFFFF } == Array(0..<1000))
        }
      }
    }

    @Test("work posted from the loop itself runs in a later batch")
    func postingFromTheLoop() async throws {
      try await TestServer.serving { server in
        let log = Log<Int>()
        await server.onLoop { core, _ in
          core.poster.post { log.add(2) }
          log.add(1)
        }
        await log.until(count: 2)
        #expect(log.elements == [1, 2])
      }
    }

    @Test("a loop that works for longer than the gauge looks back is busy")
    func load() async throws {
      try await TestServer.serving { server in
        await server.onLoop { _, _ in _ = usleep(300_000) }
        #expect(await server.onLoop { core, _ in core.load } > 0.2)
      }
    }

    @Test("timers fire in order, none early, and at most 10 ms late on an idle machine")
    func timers() async throws {
      try await TestServer.serving { server in
        // A busy machine runs the loop late, but not in each of many attempts.
        for attempt in 1...50 {
          let log = Log<(asked: Duration, took: Duration)>()
          await server.onLoop { core, _ in
            let start = core.uptime
            for milliseconds in [40, 5, 0, 120, 1] {
              let asked = Duration.milliseconds(milliseconds)
              core.schedule(after: asked) { log.add((asked, core.uptime - start)) }
            }
            core.schedule(after: .milliseconds(60)) { log.add((.zero, .zero)) }.cancel()
          }
          await log.until(count: 5)
          try #require(log.elements.map(\.asked) == [0, 1, 5, 40, 120].map { .milliseconds($0) })
          for (asked, took) in log.elements { #expect(took >= asked) }
          if log.elements.allSatisfy({ $0.took - $0.asked <= .milliseconds(10) }) { return }
          #expect(attempt < 50, "always late")
        }
      }
    }

    @Test("a loop fires tens of thousands of timers, of which half are cancelled")
    func manyTimers() async throws {
      try await TestServer.serving { server in
        let log = Log<Int>()
        await server.onLoop { core, _ in
          var left = 10_000
          for number in 0..<20_000 {
            let timer = core.schedule(after: .microseconds(number % 997 * 50)) {
              left -= 1
              if left == 0 { log.add(number) }
              if left < 0 { log.add(-1) }
            }
            if number % 2 == 1 { timer.cancel() }
          }
        }
        await log.until(count: 1)
        await server.onLoop { _, _ in }
        #expect(log.elements.count == 1)
      }
    }

    @Test("a timer that a timer adds fires, even if no event comes")
    func chainedTimers() async throws {
      try await TestServer.serving { server in
        let log = Log<Int>()
        @Sendable func step(_ core: LoopCore, _ number: Int) {
          log.add(number)
          if number < 20 { core.schedule(after: .milliseconds(3)) { step(core, number + 1) } }
        }
        await server.onLoop { core, _ in step(core, 0) }
        await log.until(count: 21)
        #expect(log.elements == Array(0...20))
      }
    }

    @Test("a loop reads its clocks once for each batch")
    func clocks() async throws {
      try await TestServer.serving { server in
        let (before, after) = await server.onLoop { core, _ in
          let before = (core.now, core.uptime)
          let start = ContinuousClock.now
          while ContinuousClock.now - start < .milliseconds(3) {}
          return (before, (core.now, core.uptime))
        }
        #expect(before == after)
        #expect(await server.onLoop { core, _ in core.uptime } > before.1)
      }
    }

    /// Counts batch ends and asks for three more of them.
    private final class Counting: LoopHandler {
      let core: LoopCore
      let log: Log<Int>
      init(_ core: LoopCore, _ log: Log<Int>) {
        self.core = core
        self.log = log
      }
      func opened(_ stream: any Stream) -> any StreamHandler { TestStream(log: Log()) }
      func batchEnded() {
        log.add(core.batchCount)
        if log.elements.count < 4 { core.wantBatchEnd() }
      }
    }

    @Test("wantBatchEnd makes a loop run one more batch, even if no event comes")
    func batchEnds() async throws {
      let loop = try EventLoop(name: "test")
      let log = Log<Int>()
      loop.start { Counting($0, log) }
      loop.run { _ in }
      await log.until(count: 4)
      #expect(log.elements == [1, 2, 3, 4])
      await withCheckedContinuation { done in loop.stop { done.resume() } }
    }

    @Test("stopping a loop closes its streams in order within the limit, and drops later work")
    func stopping() async throws {
      let server = try TestServer(.silent, EventLoop.Options())
      let peers = try (0..<2).map { _ in try RawPeer(port: server.listener.port) }
      await server.log.until(count: 2)
      await server.onLoop { for stream in $1 { stream.send([1, 2].span) } }
      let start = ContinuousClock.now
      let stopped = Log<Bool>()
      server.loop.stop(within: .milliseconds(200)) { stopped.add(true) }
      #expect(peers[0].receive(3) == [1, 2])
      peers[0].close()
      await stopped.until(count: 1)  // The second peer never closes.
      #expect(ContinuousClock.now - start >= .milliseconds(200))
      #expect(ContinuousClock.now - start < .seconds(30), "the second peer is not waited for")
      #expect(server.log.elements.ends == [.local, .local])
      server.loop.run { _ in stopped.add(false) }
      #expect(throws: (any Error).self) { try RawPeer(port: server.listener.port) }
      #expect(stopped.elements == [true])
      await server.stop()
    }
  }
}
