import JSON
public import Platform
import Rooms

/// The rooms and connections of one event loop.
///
/// A plain class, driven by calls on its loop only: no lock, no task, no hop. Slow work leaves as a call with a
/// completion that comes back to this loop, so a run on a simulated loop is one deterministic order of calls.
///
/// Its parts own their state; each knows its shard, and through it the others.
public final class Shard: LoopHandler {
  enum Stage { case starting, serving, leaving }

  let loop: any Loop
  let index: Int
  let shards: Shards
  private(set) lazy var reference = ShardReference(self)
  let configuration: Configuration
  let services: Services
  let methods: MethodTable
  /// The methods of the local socket, where there are no others (OPS-4).
  let adminMethods = MethodTable([], server: ServerMethod.admin)

  let connections: ConnectionTable
  let neighbours: Neighbours
  let accounts: AccountDesk
  let rooms: RoomKeeper
  let deliveries: Deliveries
  let commits: CommitPipeline
  let teller: RoomTeller
  let work = Workspace()
  let waiters = Waiters()

  /// The answer to `rpc.discover`, the same for all callers.
  private(set) lazy var discovery = Discovery.make(methods, configuration).bytes
  var counters = Counters()
  var stage = Stage.starting
  private var isWipePlanned = false

  /// Makes the shard at `index` of `shards`. Called on its loop.
  public init(loop: any Loop, index: Int, shards: Shards, configuration: Configuration, services: Services) {
    self.loop = loop
    self.index = index
    self.shards = shards
    self.configuration = configuration
    self.services = services
    methods = MethodTable(services.kinds)
    let link = ShardLink(loop, index, shards, configuration, services)
    connections = ConnectionTable(link)
    neighbours = Neighbours(link)
    accounts = AccountDesk(link)
    rooms = RoomKeeper(link)
    deliveries = Deliveries(link)
    teller = RoomTeller(link, connections)
    commits = CommitPipeline(link, teller)
    link.set(self)
    beat()
    shards.settle(self, at: index)
  }

  /// The server stops: no connection and no call is taken.
  var isLeaving: Bool { stage == .leaving }

  // MARK: loop

  public func admits(_ peer: PeerAddress) -> Bool { accounts.admits(peer) }

  public func opened(_ stream: any Stream) -> any StreamHandler {
    counters.connections += 1
    let session = connections.add { Session(shard: self, now: loop.uptime, number: $0) }
    session.stream = stream
    session.isInClear = stream.peer.isInClear
    session.isAdmin = stream.peer.isOwner
    if isLeaving {
      stream.abort()
    } else {
      connections.expectHello(from: session)
      accounts.arrived(session)
    }
    return session
  }

  public func batchEnded() {
    teller.live.tellChanged()
    commits.handOver()
    rooms.batchEnded()
    connections.lookAfterFull()
    neighbours.flushRelays()
  }

  // MARK: memory

  /// Overwrites working memory in a moment: positions of a share that is over can still be found there (LOC-24).
  func wipeSoon() {
    guard !isWipePlanned else { return }
    isWipePlanned = true
    loop.schedule(after: Self.wipeDelay) { [weak reference] in reference?.shard.wipe() }
  }

  private func wipe() {
    isWipePlanned = false
    work.wipe()
    teller.wipe()
    commits.wipe()
    rooms.outbox.wipe()
    loop.wipeBuffers()
  }

  /// Many shares end together, at the full hour.
  private static let wipeDelay = Duration.seconds(5)

  /// Does what is due every second, from now on.
  private func beat() {
    loop.schedule(after: .seconds(1)) { [weak reference] in
      guard let shard = reference?.shard else { return }
      shard.beat()
      shard.teller.states.clear()
      let second = shard.connections.everySecond()
      shard.rooms.everySecond(second)
      shard.accounts.everySecond(second)
    }
  }
}

/// The parts of a shard hold this: it is there before the shard is whole, and does not keep the shard alive.
final class ShardLink {
  let loop: any Loop
  let index: Int
  let shards: Shards
  let configuration: Configuration
  let services: Services
  private unowned var owner: Shard?

  init(_ loop: any Loop, _ index: Int, _ shards: Shards, _ configuration: Configuration, _ services: Services) {
    self.loop = loop
    self.index = index
    self.shards = shards
    self.configuration = configuration
    self.services = services
  }

  func set(_ shard: Shard) { owner = shard }

  var shard: Shard {
    guard let owner else { preconditionFailure("a part is used before its shard is whole") }
    return owner
  }
}
