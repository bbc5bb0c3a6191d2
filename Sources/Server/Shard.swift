import Crypto
import Home
import JSON
public import Platform
import Rooms
import WebSocket

/// The rooms and connections of one event loop.
///
/// A plain class, driven by calls on its loop only: no lock, no task, no hop. Slow work leaves as a call with a
/// completion that comes back to this loop, so a run on a simulated loop is one deterministic order of calls.
public final class Shard: LoopHandler {
  let loop: any Loop
  let index: Int
  let shards: Shards
  private(set) lazy var reference = ShardReference(self)
  let configuration: Configuration
  let services: Services
  let methods: MethodTable
  /// As `hello` publishes them.
  let limits: [(String, Int)]
  /// As `rpc.discover` answers it. It says nothing of anybody, so that one is enough for all.
  lazy var discovery = Discovery.make(methods, configuration).bytes
  /// Used on the first shard only, so that guessing from many connections is seen.
  let loginThrottle = GuessThrottle()
  let codeThrottle = GuessThrottle()
  let addressGate: AddressGate

  var seats: [RoomID: Seat] = [:]
  /// Sessions by heartbeat slot, so that each second serves its share of them.
  var sessions: [[UInt64: Session]]
  var nextNumber: UInt64 = 0
  /// Sessions that stand for connections of other shards.
  var guests: [SessionKey: Session] = [:]
  /// What leaves for connections of other shards at the end of the batch.
  var relays: [Int: RelayBatch] = [:]
  /// Sessions that have ended lately: a hello may have found one just before.
  var endedSessions: [ID<Rooms.Session>: Duration] = [:]
  /// People whose devices are being looked up; `true` where that has to be done once more.
  var deviceLooks: [ID<Person>: Bool] = [:]
  /// The connections of each person whose id leads to this shard, on whichever shard they are. A few each, so that a
  /// list is the smallest and no slower.
  var crowds: [ID<Person>: [Seated]] = [:]

  // Commit and tell.
  var changed: [Seat] = []
  /// When the first of `changed` was.
  var changedSince = Duration.zero
  var flying: [Seat] = []
  /// The patches of all that is being committed, each behind room for a frame's header.
  var patches = Writer(capacity: 4096)
  var spareGroups = SpareGroups()
  var isCommitting = false
  var handedOverAt: Duration?
  var gatherTimer: (any LoopTimer)?
  var liveChanged: [Seat] = []
  /// Rooms that have held live frames, or had some, and when these are told.
  var holding: [Seat] = []
  var holdTimer: (any LoopTimer)?
  /// Messages on disk will be delivered again soon.
  var isRedeliveryPlanned = false
  /// Callers whose answer comes from another room.
  var waiters: [CallKey: [Caller]] = [:]
  /// Sessions that were full in this batch, and in the one before, with what the system had taken by then: if it has
  /// taken nothing since, it says later when it does.
  var full: [(session: Session, sentByteCount: Int)] = []
  private var fullBefore: [(session: Session, sentByteCount: Int)] = []

  // For `/metrics`.
  var counters = Counters()

  // Reused for every message.
  let tape = Tape(depthLimit: WireLimits.depth, nodeLimit: WireLimits.nodes)
  /// For calls that had to wait: their bytes are parsed again.
  let pendingTape = Tape(depthLimit: WireLimits.depth, nodeLimit: WireLimits.nodes)
  /// For messages between rooms, which are our own.
  let outboxTape = Tape(depthLimit: 64, nodeLimit: 100_000)
  /// An empty object, for calls without parameters.
  let noParametersTape = Tape()
  let problems = Lender(Problems())
  let scratch = Lender(Writer(capacity: 4096))
  /// For the message that is being sent.
  let frame = Lender(Writer(capacity: 4096))
  /// For the members of an object that another writer takes whole.
  let members = Lender(Writer(capacity: 4096))
  let states = StateCache()
  let codec = FrameCodec()

  /// What was on its way before has been taken up.
  var isStarted = false
  /// The server stops: nothing new is taken.
  var isLeaving = false
  /// When a commit failed last, for `/readyz`.
  var commitFailedAt: Duration?

  /// Rooms that are to be snapshotted because they have grown old.
  var aging: ArraySlice<Seat> = []

  /// Connections that have their heartbeat in this second and have not had it.
  var beating: ArraySlice<Session> = []
  var isBeatPlanned = false
  /// Seconds of the heartbeat so far.
  var second = 0
  /// Connections by number, in the order in which they were opened, until they have had the time to say hello.
  var young: ArraySlice<(number: UInt64, since: Nanoseconds)> = []
  /// Connections that have begun a message and not ended it.
  var unfinished: [Session] = []

  var noParameters: View? { try? noParametersTape.parse(Array("{}".utf8).span) }

  /// Makes the shard at `index` of `shards`. Called on its loop.
  public init(loop: any Loop, index: Int, shards: Shards, configuration: Configuration, services: Services) {
    self.loop = loop
    self.index = index
    self.shards = shards
    self.configuration = configuration
    self.services = services
    methods = MethodTable()
    limits = PublishedLimits.all(configuration)
    addressGate = AddressGate(
      AddressGate.Limits(
        perMinute: configuration.connectionsPerMinute, strangers: configuration.strangersPerAddress,
        allStrangers: configuration.strangers))
    sessions = Array(repeating: [:], count: Swift.max(1, Int(configuration.heartbeat.components.seconds)))
    loop.schedule(after: .seconds(1)) { [weak reference] in reference?.shard.everySecond() }
    shards.settle(self, at: index)
  }

  deinit {
    // Sessions and subscriptions hold each other.
    for session in sessions.flatMap(\.values) { session.subscriptions = [] }
  }

  // MARK: loop

  public func admits(_ peer: PeerAddress) -> Bool {
    guard configuration.limitsLoopback || !peer.isLoopback else { return true }
    switch addressGate.admit(peer.host, at: loop.uptime) {
    case .admitted: return true
    case .refused(let isNews):
      if isNews { services.log(.warning, "address.limited", ["address": "\(peer.host)"]) }
      return false
    }
  }

  public func opened(_ stream: any Stream) -> any StreamHandler {
    nextNumber += 1
    counters.connections += 1
    let session = Session(shard: self, now: loop.uptime, number: nextNumber)
    session.stream = stream
    session.isInClear = stream.peer.isInClear
    add(session)
    if isLeaving {
      stream.abort()
    } else {
      young.append((session.number, Nanoseconds(wrappedValue: loop.uptime)))
      session.isStranger = configuration.limitsLoopback || !stream.peer.isLoopback
      if session.isStranger { tell(Self.desk) { [host = stream.peer.host] in $0.arrived(host) } }
    }
    return session
  }

  func add(_ session: Session) { sessions[slot(of: session.number)][session.number] = session }

  func connection(_ number: UInt64) -> Session? { sessions[slot(of: number)][number] }

  /// The second of the heartbeat in which a session is served.
  private func slot(of number: UInt64) -> Int { Int(number % UInt64(sessions.count)) }

  public func batchEnded() {
    tellLive()
    handOver()
    lookAfterFull()
    flushRelays()
  }

  /// Streams are flushed behind the end of a batch, so whoever was full is looked at when the next one ends.
  private func lookAfterFull() {
    for (session, sentByteCount) in fullBefore {
      session.isNotedFull = false
      if !isFull(session) {
        session.writable()
      } else if session.stream?.sentByteCount != sentByteCount {
        // What was there before has gone, and this batch has filled it anew: nobody would say when that has gone, too.
        noteFull(session)
      }
    }
    fullBefore.removeAll(keepingCapacity: true)
    if full.isEmpty { return }
    swap(&full, &fullBefore)
    loop.wantBatchEnd()
  }

  private func arrived(_ host: String) { addressGate.arrived(host, at: loop.uptime) }

  /// A connection's owner is known, or it has ended.
  func noteKnown(_ session: Session, from host: String) {
    guard session.isStranger else { return }
    session.isStranger = false
    tell(Self.desk) { $0.addressGate.settled(host) }
  }

  func remove(_ session: Session) {
    leaveRooms(session)
    sessions[slot(of: session.number)][session.number] = nil
  }

  /// Ends every subscription of a connection, here and elsewhere, and its place among those signed in.
  func leaveRooms(_ session: Session) {
    for subscription in session.subscriptions {
      subscription.seat.subscriptions.removeAll { $0 === subscription }
      notePresence(of: session.person, in: subscription.seat)
    }
    session.subscriptions.removeAll()
    session.watchCount = 0
    let key = SessionKey(shard: index, number: session.number)
    if session.sessionID != nil {
      services.log(.debug, "session.ended", ["connection": "\(index).\(session.number)"])
      if let person = session.person { tell(shards.home(of: person)) { $0.unseat(person, key) } }
      session.sessionID = nil
    }
    for shard in session.abroad?.shards ?? [] { shards.post(to: shard) { $0.dismiss(key) } }
    session.abroad = nil
    session.person = nil
  }

  // MARK: rooms

  /// Calls `body` with the room's seat: at once if it is loaded, else once it is, in the order of the calls. Where
  /// there is no such room, `body` gets a seat without one.
  func withSeat(_ id: RoomID, _ body: @escaping (Seat) -> Void) {
    if let seat = loadedSeat(id) { return body(seat) }
    if let seat = seats[id] {
      seat.usedAt = loop.uptime
      return seat.waiting.append(body)
    }
    let seat = Seat(id, at: loop.uptime)
    seats[id] = seat
    seat.waiting.append(body)
    load(seat)
  }

  /// The room's seat, if the room is in memory.
  func loadedSeat(_ id: RoomID) -> Seat? {
    guard let seat = seats[id], seat.room != nil else { return nil }
    seat.usedAt = loop.uptime
    return seat
  }

  func load(_ seat: Seat) {
    services.store.load(seat.id, reply: Reply(on: loop.poster) { [unowned self] result in self.loaded(seat, result) })
  }

  private func loaded(_ seat: Seat, _ result: Result<StoredRoom?, StoreError>) {
    counters.loads += 1
    defer { seat.live = nil }
    switch result {
    case .success(let stored?):
      let room = methods.makeRoom(seat.id, configuration)
      do throws(RoomDamage) {
        try room.restore(
          snapshot: stored.snapshot, entries: stored.entries, segmentVersion: stored.segmentVersion,
          live: seat.live ?? stored.live, random: stored.random, due: stored.due)
        if room.isEnded { erase(seat.id) } else { place(room, in: seat) }
      } catch {
        seat.isUnreadable = true
        services.log(.error, "room.damaged", ["room": "\(seat.id.text)", "why": "\(error.what)"])
      }
    case .success(nil): break
    case .failure(let error):
      counters.failedLoads += 1
      seat.isUnreadable = true
      services.log(.error, "room.unreadable", ["room": "\(seat.id.text)", "why": "\(error)"])
    }
    let waiting = seat.waiting
    seat.waiting = []
    for body in waiting {
      // The first of them may have made the room.
      body(seat)
    }
    if seat.room == nil {
      for subscription in seat.subscriptions { interrupt(subscription.session) }
      seats[seat.id] = nil
    }
    // Loaded anew, it goes on leading those who are behind.
    for subscription in seat.subscriptions where subscription.session.isBehind { noteFull(subscription.session) }
  }

  /// Puts a room, found or made, into its seat.
  func place(_ room: Room, in seat: Seat) {
    seat.room = room
    seat.listsDevices = false
    seat.epoch = epoch(of: room)
    if room.entriesSinceSnapshot > 0 { seat.unsnapshottedSince = loop.uptime }
    scheduleDue(seat)
    comparePresence(in: seat, isLate: true)
  }

  /// Changes with the store's generation, so with every restore, and is never the same for two rooms (DESIGN §6).
  private func epoch(of room: Room) -> String {
    Base64.url.encode(Array(SHA256.hash(services.store.generation, room.random).prefix(12)))
  }

  /// Makes a room that does not exist yet; it comes to be with its first commit.
  func makeRoom(in seat: Seat) -> Room {
    let room = methods.makeRoom(seat.id, configuration)
    room.open(random: services.randomness.bytes(16), key: services.randomness.bytes(32))
    place(room, in: seat)
    return room
  }
}
