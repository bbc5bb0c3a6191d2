import Home
import Platform
import Rooms
import Server
import Storage
import Transport

/// A complete server in this process: store, loops, workers and listener.
final class Node: Sendable {
  struct Options: Sendable {
    /// The database file; created if missing.
    var path: String
    /// 0 selects a free port.
    var port: UInt16
    var address = Listener.Address.loopback
    /// `nil` for plain text.
    var tls: TLSServer?
    /// The local socket for administration; `nil` for none.
    var adminPath: String?
    /// Called when the server's owner asks it to stop.
    var stopRequested: @Sendable () -> Void = {}
    /// Event loops; each serves its share of connections and rooms, on its own thread while there is work.
    var loopCount = EventLoop.processorCount
    var loop = loopDefaults
    var configuration = Configuration()
    /// Fetches documents over HTTPS; `nil` where nothing can be fetched.
    var https: (any HTTPSGateway)?
    var log = Logger.none
    /// The page for browsers, as it is now; `nil` if none is served.
    var web: (@Sendable () -> WebApp)?
    /// Links that log a person in once; `nil` for none.
    var loginLinks: LoginLinks?
    /// The endpoints over HTTP, by path; tests add routes of their own.
    var routes = Routes.standard
    /// Called once, with the reason, when the store can no longer write: the server must stop.
    var storeFailed: @Sendable (String) -> Void = { _ in }
    /// `nil` if no mail server is configured.
    var mail: (any MailGateway)?
    /// The kinds of room; tests add methods of their own.
    var kinds = HomeRooms.kinds
    /// Stands between the server and its store; tests watch and break it here.
    var wrap: @Sendable (any RoomStore) -> any RoomStore = { $0 }
  }

  let listener: Listener
  private let admin: Listener?
  private let store: SQLiteStore
  private let loops: [EventLoop]
  private let shards: Shards
  private let log: Logger

  var port: UInt16 { listener.port }

  private static var loopDefaults: EventLoop.Options {
    var options = EventLoop.Options()
    // Bounds how many calls of one client run before others have their turn, and before the server notices that the
    // client does not read.
    options.readBufferSize = 4 << 10
    return options
  }

  /// Opens the store, resumes messages that were in flight, then listens.
  static func start(_ options: Options) async throws -> Node {
    ProcessSignals.ignoreBrokenPipes()
    let store = try SQLiteStore(path: options.path, failed: options.storeFailed)
    if store.wasOpenedFull {
      options.log(.warning, "store.full", ["why": "the disk is full: changes are refused until there is space"])
    }
    do {
      try store.heed(zoneData: HomeRooms.zoneDataVersion)
    } catch {
      options.log(.error, "zoneData.notHeeded", ["why": "\(error)"])
    }
    let loops = try (0..<options.loopCount).map { try EventLoop(name: "hearth.loop\($0)", options: options.loop) }
    var offered = Services(
      store: options.wrap(store), directory: store, deliveries: store, mail: options.mail,
      documents: DocumentGateway(https: options.https), workers: WorkerQueues(name: "hearth.worker", count: 1),
      randomness: SystemRandomness(), log: options.log, kinds: options.kinds, web: options.web,
      loginLinks: options.loginLinks, ownsName: { [tls = options.tls] in tls?.names($0) ?? false },
      usage: { ProcessUsage.now() }, stop: options.stopRequested)
    offered.routes = options.routes
    let services = offered
    let shards = Shards(posters: loops.map(\.poster))
    for (index, loop) in loops.enumerated() {
      loop.start { core in
        Shard(loop: core, index: index, shards: shards, configuration: options.configuration, services: services)
      }
    }
    // All loops run before any shard starts: a message that was in flight may lead from each to any.
    for loop in loops {
      await withCheckedContinuation { continuation in loop.run { _ in continuation.resume() } }
    }
    for index in loops.indices {
      await withCheckedContinuation { continuation in
        shards.run(on: index) { $0.start { continuation.resume() } }
      }
    }
    let acceptFailed: @Sendable (SystemError) -> Void = { [failures = FailureReport()] error in
      if failures.isDue() { options.log(.error, "accept.failed", ["why": "\(error)"]) }
    }
    let listener = try Listener(
      address: options.address, port: options.port, tls: options.tls, loops: loops, acceptFailed: acceptFailed)
    let admin = try options.adminPath.flatMap { try listenForOwner(at: $0, loops, options.log, acceptFailed) }
    options.log(
      .info, "server.started",
      ["version": "\(Hearth.version)", "port": .number(Int(listener.port)), "loops": .number(loops.count)])
    if options.mail == nil { options.log(.info, "mail.missing", ["why": "\(MailSettings.withoutMail)"]) }
    return Node(
      listener: listener, admin: admin, store: store, loops: loops, shards: shards, log: options.log)
  }

  /// The server's owner has another server at this socket. The lock on the store makes that unlikely.
  struct AdminSocketInUse: Error, CustomStringConvertible {
    let path: String
    var description: String { "Another process listens at \(path): stop it, or choose another folder with --data." }
  }

  /// Listens for administration (OPS-4). A file system that takes no sockets does not keep the server from its work.
  private static func listenForOwner(
    at path: String, _ loops: [EventLoop], _ log: Logger, _ acceptFailed: @escaping @Sendable (SystemError) -> Void
  ) throws(AdminSocketInUse) -> Listener? {
    do throws(SystemError) {
      return try Listener(address: .socket(path: path), port: 0, loops: loops, acceptFailed: acceptFailed)
    } catch {
      if error.isInUse { throw AdminSocketInUse(path: path) }
      log(.error, "admin.unavailable", ["path": "\(path)", "why": "\(error)"])
      return nil
    }
  }

  private init(
    listener: Listener, admin: Listener?, store: SQLiteStore, loops: [EventLoop], shards: Shards, log: Logger
  ) {
    self.listener = listener
    self.admin = admin
    self.store = store
    self.loops = loops
    self.shards = shards
    self.log = log
  }

  /// Time for the disk to take accepted changes, and for clients to take the last messages.
  private static let settleLimit = Duration.seconds(2)
  private static let farewellLimit = Duration.seconds(2)

  /// Stops accepting, puts everything on disk, tells clients when to reconnect, and closes (SYN-10). Takes at most five
  /// seconds, whatever clients do.
  func stop() async {
    listener.stop()
    admin?.stop()
    var census = Shard.Census()
    for index in loops.indices {
      let part = await onShard(index) { shard, done in done(shard.stopTaking()) }
      census.connections += part.connections
      census.rooms += part.rooms
    }
    log(
      .info, "server.stopping", ["connections": .number(census.connections), "rooms": .number(census.rooms)])
    await onEach { index in
      await self.onShard(index) { shard, done in shard.settle(within: Self.settleLimit) { done(()) } }
    }
    await onEach { index in
      await self.onShard(index) { shard, done in done(shard.leave()) }
      await withCheckedContinuation { continuation in
        self.loops[index].stop(within: Self.farewellLimit) { continuation.resume() }
      }
    }
    store.close()
    log(.info, "server.stopped")
  }

  /// Runs `work` for all loops at the same time.
  private func onEach(_ work: @escaping @Sendable (Int) async -> Void) async {
    await withTaskGroup(of: Void.self) { group in
      for index in loops.indices { group.addTask { await work(index) } }
    }
  }

  /// Runs `work` on a shard's loop and waits for its answer.
  private func onShard<Answer: Sendable>(
    _ index: Int, _ work: @escaping @Sendable (Shard, @escaping (Answer) -> Void) -> Void
  ) async -> Answer {
    await withCheckedContinuation { continuation in
      shards.run(on: index) { shard in work(shard) { continuation.resume(returning: $0) } }
    }
  }
}
