import Platform
import Server
import Storage
import Transport

/// A whole server in this process: store, loop, workers and listener, put together.
final class Node: Sendable {
  struct Options: Sendable {
    /// The database file; it is made if there is none.
    var path: String
    /// 0 lets the system choose.
    var port: UInt16
    var address = Listener.Address.loopback
    /// Each serves its share of connections and rooms, on a thread of its own while there is work.
    var loopCount = EventLoop.processorCount
    var configuration = Configuration()
    var log: @Sendable (String) -> Void = { _ in }
    /// Hears once that nothing can be written any more, and why: it is time to stop.
    var storeFailed: @Sendable (String) -> Void = { _ in }
    /// Stands between the server and its store; tests watch and break it here.
    var wrap: @Sendable (any RoomStore) -> any RoomStore = { $0 }
  }

  let listener: Listener
  private let store: SQLiteStore
  private let loops: [EventLoop]
  private let shards: Shards

  var port: UInt16 { listener.port }

  /// Opens the store, takes up what was on its way, then listens.
  static func start(_ options: Options) async throws -> Node {
    ProcessSignals.ignoreBrokenPipes()
    let store = try SQLiteStore(path: options.path, failed: options.storeFailed)
    let loops = try (0..<options.loopCount).map { try EventLoop(name: "hearth.loop\($0)") }
    let services = Services(
      store: options.wrap(store), directory: store, workers: WorkerQueues(name: "hearth.worker", count: 1),
      randomness: SystemRandomness(), log: options.log)
    let shards = Shards(posters: loops.map(\.poster))
    for (index, loop) in loops.enumerated() {
      loop.start { core in
        Shard(loop: core, index: index, shards: shards, configuration: options.configuration, services: services)
      }
    }
    // One hears of another only when that has started: a message that was on its way may lead from each to any.
    for loop in loops {
      await withCheckedContinuation { continuation in loop.run { _ in continuation.resume() } }
    }
    for index in loops.indices {
      await withCheckedContinuation { continuation in
        shards.post(to: index) { $0.start { continuation.resume() } }
      }
    }
    let listener = try Listener(address: options.address, port: options.port, loops: loops) { error in
      options.log("a connection could not be accepted: \(error)")
    }
    return Node(listener: listener, store: store, loops: loops, shards: shards)
  }

  private init(listener: Listener, store: SQLiteStore, loops: [EventLoop], shards: Shards) {
    self.listener = listener
    self.store = store
    self.loops = loops
    self.shards = shards
  }

  /// Tells clients to come back, puts everything on disk, and closes.
  func stop() async {
    listener.stop()
    for index in loops.indices {
      await withCheckedContinuation { continuation in
        shards.post(to: index) { $0.leave { continuation.resume() } }
      }
    }
    for loop in loops {
      await withCheckedContinuation { continuation in
        loop.stop(within: .seconds(3)) { continuation.resume() }
      }
    }
    store.close()
  }
}
