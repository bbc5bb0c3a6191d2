import Glibc
import Platform
import Testing

@testable import Transport

extension Sockets {
  /// Where the system has none or keeps us off it, there is nothing to test: `SocketStream` sends by itself.
  @Suite("Sends of many streams at once", .enabled(if: SendRing() != nil, "io_uring is not to be had here"))
  struct SendRingTests {
    /// Descriptors of two sockets that are connected.
    private final class Pair {
      let near: Int32
      let far: Int32

      init() throws {
        var pair: [Int32] = [0, 0]
        try #require(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue), 0, &pair) == 0)
        near = pair[0]
        far = pair[1]
      }

      deinit { for descriptor in [near, far] { Glibc.close(descriptor) } }

      func received() -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: SendRing.capacity)
        return Array(bytes[..<max(0, recv(far, &bytes, bytes.count, 0))])
      }
    }

    @Test("tells of each send what it would have returned alone, and none holds up the next")
    func results() throws {
      let ring = try #require(SendRing())
      let pairs = try (0..<5).map { _ in try Pair() }
      shutdown(pairs[1].far, Int32(SHUT_RD))
      let much = [UInt8](repeating: 7, count: 1 << 20)
      while System.send(pairs[2].near, much.span) > 0 {}

      for round in 1...3 {
        let bytes = [UInt8](repeating: UInt8(round), count: round)
        for (place, pair) in pairs.enumerated() {
          ring.add(place == 3 ? -1 : pair.near, bytes.span, place: 10 + place)
        }
        var results: [Int: Int] = [:]
        let isWhole = ring.submit { results[$0] = $1 }
        #expect(isWhole)
        // SIGPIPE would have ended this process.
        #expect(
          results == [10: round, 11: Int(-EPIPE), 12: Int(-EAGAIN), 13: Int(-EBADF), 14: round])
        #expect(pairs[0].received() == bytes)
        #expect(pairs[4].received() == bytes)
      }
    }

    @Test("takes as many as it says, and says how much of much was taken")
    func capacity() throws {
      let ring = try #require(SendRing())
      let pair = try Pair()
      let numbers = (0..<SendRing.capacity).map { [UInt8($0)] }
      for (place, number) in numbers.enumerated() { ring.add(pair.near, number.span, place: place) }
      var places: [Int] = []
      let isWhole = ring.submit { place, _ in places.append(place) }
      #expect(isWhole && places == Array(numbers.indices))
      #expect(pair.received() == numbers.flatMap { $0 })

      let much = [UInt8](repeating: 7, count: 8 << 20)
      ring.add(pair.near, much.span, place: 0)
      var taken = 0
      #expect(ring.submit { taken = $1 })
      #expect(taken > 0 && taken < much.count)
      #expect(pair.received().allSatisfy { $0 == 7 })
    }

    @Test("a batch with slow and lost peers among many", arguments: [true, false])
    func mixedBatch(sendsTogether: Bool) async throws {
      var options = EventLoop.Options()
      options.sendsTogether = sendsTogether
      try await TestServer.serving(options: options) { server in
        let count = SendRing.capacity + SendRing.fewest
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

    @Test("goes on with a send at a time where the system refuses the ring later")
    func refusedLater() async throws {
      let before = try ringDescriptors()
      try await TestServer.serving { server in
        let peers = try (0..<SendRing.fewest).map { _ in try RawPeer(port: server.listener.port) }
        await server.log.until(count: peers.count)
        for round in 1...3 {
          await server.onLoop { _, streams in for stream in streams { stream.send([UInt8(round)].span) } }
          for peer in peers { #expect(peer.receive(1) == [UInt8(round)]) }
          let rings = try ringDescriptors().subtracting(before)
          try #require(rings.count == (round == 1 ? 1 : 0))
          let nothing = open("/dev/null", O_RDWR | O_CLOEXEC)
          defer { close(nothing) }
          for ring in rings { dup2(nothing, ring) }
        }
        #expect(await server.onLoop { core, _ in core.sendCount } == 3 * peers.count)
      }
    }

    private func ringDescriptors() throws -> Set<Int32> {
      let folder = try #require(opendir("/proc/self/fd"))
      defer { closedir(folder) }
      var found: Set<Int32> = []
      while let entry = readdir(folder) {
        let name = withUnsafePointer(to: &entry.pointee.d_name) {
          $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
        }
        var target = [UInt8](repeating: 0, count: 100)
        let count = target.withUnsafeMutableBytes {
          readlink("/proc/self/fd/\(name)", $0.bindMemory(to: CChar.self).baseAddress!, $0.count)
        }
        guard let descriptor = Int32(name), count > 0 else { continue }
        if String(decoding: target[..<count], as: UTF8.self).contains("io_uring") { found.insert(descriptor) }
      }
      return found
    }
  }
}
