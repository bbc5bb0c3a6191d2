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
    var configuration = Configuration()
    var log: @Sendable (String) -> Void = { _ in }
    /// Stands between the server and its store; tests watch and break it here.
    var wrap: @Sendable (any RoomStore) -> any RoomStore = { $0 }
  }

  let listener: Listener
  private let store: SQLiteStore
  private let loop: EventLoop
  private let shard: ShardBox

  var port: UInt16 { listener.port }

  /// Opens the store, takes up what was on its way, then listens.
  static func start(_ options: Options) async throws -> Node {
    ProcessSignals.ignoreBrokenPipes()
    let store = try SQLiteStore(path: options.path)
    let loop = try EventLoop(name: "hearth.loop")
    let services = Services(
      store: options.wrap(store), directory: store, workers: WorkerQueues(name: "hearth.worker", count: 1),
      randomness: SystemRandomness(), log: options.log)
    let box = ShardBox()
    await withCheckedContinuation { continuation in
      loop.start { core in
        let shard = Shard(loop: core, configuration: options.configuration, services: services)
        box.shard = shard
        shard.start { continuation.resume() }
        return shard
      }
    }
    let listener = try Listener(address: options.address, port: options.port, loops: [loop]) { error in
      options.log("a connection could not be accepted: \(error)")
    }
    return Node(listener: listener, store: store, loop: loop, shard: box)
  }

  private init(listener: Listener, store: SQLiteStore, loop: EventLoop, shard: ShardBox) {
    self.listener = listener
    self.store = store
    self.loop = loop
    self.shard = shard
  }

  /// Tells clients to come back, puts everything on disk, and closes.
  func stop() async {
    listener.stop()
    await withCheckedContinuation { continuation in
      loop.run { [shard] _ in
        guard let shard = shard.shard else { return continuation.resume() }
        shard.leave { continuation.resume() }
      }
    }
    await withCheckedContinuation { continuation in
      loop.stop(within: .seconds(3)) { continuation.resume() }
    }
    store.close()
  }
}

/// `@unchecked`: set on the loop when it starts and used only in work run on it.
private final class ShardBox: @unchecked Sendable {
  var shard: Shard?
}
