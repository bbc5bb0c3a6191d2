import Platform
import Rooms
import Server
import TestSupport

/// A process of the server, from its start to its end.
final class SimulatedServer {
  /// Computes with a delay on the world's clock, and sometimes refuses.
  ///
  /// `@unchecked`: a simulated world has one thread.
  private struct SimulatedWorkers: Workers, @unchecked Sendable {
    unowned let world: World
    func run<Value: Sendable>(_ work: @escaping @Sendable () -> Value, in _: WorkLane, reply: Reply<Value?>) {
      let isBusy = !world.computesHashes || world.random.chance(5)
      world.timeline.after(world.random.time(upTo: .milliseconds(300))) { reply(isBusy ? nil : work()) }
    }
  }

  /// `@unchecked`: a simulated world has one thread.
  private final class SeededRandomness: Randomness, @unchecked Sendable {
    private var random: SeededGenerator
    init(seed: UInt64) { random = SeededGenerator(seed: seed) }
    func bytes(_ count: Int) -> [UInt8] { random.bytes(count) }
  }

  private unowned let world: World
  private let loops: [SimulatedLoop]
  private var shards: [Shard] = []
  private var readyCount = 0
  private var next = 0
  private var links: [SimulatedLink] = []
  private var isLeaving = false

  init(_ world: World, loopCount: Int) {
    self.world = world
    var configuration = Configuration()
    // Limits that usually need thousands of changes or hours must be reached within half an hour.
    configuration.entriesPerSnapshot = world.random.pick([4, 20, 256]) ?? 256
    configuration.roomIdleLimit = .seconds(world.random.pick([10, 120]) ?? 120)
    configuration.gather = .milliseconds(world.random.pick([0, 2]) ?? 2)
    let gatherLive = Duration.milliseconds(world.random.pick([0, 25, 100]) ?? 25)
    configuration.gatherLive = world.gatherLive ?? gatherLive
    configuration.unsentLimit = world.random.pick([2_000, 65_536]) ?? 65_536
    configuration.beatsPerTurn = 1
    // In some worlds calls are throttled. The seed decides, since a draw would change all later draws.
    configuration.callsPerSecond = world.seed % 4 == 0 ? 3 : 200
    // Phones are beyond loopback, and their calls are about other things than proof of work.
    configuration.puzzle = .never
    configuration.snapshotAge = .seconds(world.random.pick([5, 60]) ?? 60)
    // Each loop adds notifications of its own rooms up to the limit, and the last one may exceed it.
    let noticeLimit = loopCount * (configuration.unsentLimit + 4096)
    loops = (0..<loopCount).map { _ in SimulatedLoop(world, noticeLimit: noticeLimit) }
    let all = Shards(posters: loops.map(\.poster))
    let randomness = SeededRandomness(seed: world.random.next())
    let services = Services(
      store: world.disk, directory: world.disk, deliveries: world.disk, mail: SimulatedMailServer(world),
      workers: SimulatedWorkers(world: world), randomness: randomness, log: .none)
    for (index, loop) in loops.enumerated() {
      let shard = Shard(loop: loop, index: index, shards: all, configuration: configuration, services: services)
      shards.append(shard)
      loop.handler = shard
    }
    for (loop, shard) in zip(loops, shards) {
      loop.enqueue { [weak self] in
        shard.start { self?.readyCount += 1 }
      }
    }
  }

  /// The loop for the next connection; `nil` while the server accepts none.
  func nextLoop() -> SimulatedLoop? {
    guard readyCount == loops.count, !isLeaving else { return nil }
    next += 1
    return loops[next % loops.count]
  }

  func accept(_ link: SimulatedLink, on loop: SimulatedLoop) {
    links.removeAll { $0.isCut }
    links.append(link)
    loop.enqueue {
      guard let handler = loop.handler, handler.admits(link.stream.peer) else { return link.stream.abort() }
      link.stream.open(handler.opened(link.stream))
    }
  }

  func pause(for time: Duration) {
    for loop in loops { loop.pausedUntil = world.timeline.now + time }
  }

  /// Stops in order, as after SIGTERM.
  func leave(_ done: @escaping () -> Void) {
    guard !isLeaving, readyCount == loops.count else { return done() }
    isLeaving = true
    var waiting = shards.count
    for (loop, shard) in zip(loops, shards) { loop.enqueue { _ = shard.stopTaking() } }
    world.timeline.after(.milliseconds(100)) { [weak self] in
      guard let self else { return }
      for (loop, shard) in zip(loops, shards) {
        loop.enqueue { [weak self] in
          shard.settle(within: .seconds(3)) {
            shard.leave()
            waiting -= 1
            if waiting == 0 { self?.world.timeline.after(.milliseconds(500), done) }
          }
        }
      }
    }
  }

  /// Ends the process at once.
  func die() {
    for loop in loops { loop.die() }
    for link in links {
      link.stream.die()
      link.cut(clientNotices: world.random.chance(90), serverNotices: false)
    }
    links = []
    shards = []
  }
}
