import Crypto
import JSON
import Platform
import Rooms

/// The rooms of a shard: loads them on demand, makes them, and evicts them when they are idle.
final class RoomKeeper {
  private let link: ShardLink
  private var shard: Shard { link.shard }
  private let loop: any Loop
  private let configuration: Configuration
  private let services: Services
  let outbox: Outbox
  private let dueRooms: DueRooms
  private let pruner: HistoryPruner

  private var seats: [RoomID: Seat] = [:]
  /// Rooms that were loaded while rooms were due, for that or for a message, and that no client has used since; the
  /// oldest first.
  private var passing: ArraySlice<Seat> = []

  /// Passing rooms above which the oldest are evicted early, and above which no more are loaded because they are due.
  private static let passingLimits = 1000...2000

  init(_ link: ShardLink) {
    self.link = link
    loop = link.loop
    configuration = link.configuration
    services = link.services
    outbox = Outbox(link)
    dueRooms = DueRooms(link)
    pruner = HistoryPruner(link)
  }

  var count: Int { seats.count }
  var all: some Collection<Seat> { seats.values }

  /// The seat of a room, if there is one, loaded or not. The room does not count as used.
  func seat(of id: RoomID) -> Seat? { seats[id] }

  /// Whether a seat is still its room's: a room that was dropped gets another one.
  func holds(_ seat: Seat) -> Bool { !seat.isGone }

  private func remove(_ seat: Seat) {
    if seats[seat.id] === seat { seats[seat.id] = nil }
    seat.isGone = true
  }

  // MARK: loading

  /// Calls `body` with the room's seat: at once if it is loaded, else once it is, in the order of the calls. If there
  /// is no such room, `body` gets a seat without one.
  ///
  /// - Parameter isPassing: no client asks for the room.
  func withSeat(_ id: RoomID, isPassing: Bool = false, _ body: @escaping (Seat) -> Void) {
    if let seat = seats[id] {
      seat.usedAt = loop.uptime
      if !isPassing { seat.isPassing = false }
      if seat.room == nil { return seat.waiting.append(body) }
      return body(seat)
    }
    let seat = Seat(id, at: loop.uptime)
    seats[id] = seat
    if isPassing, dueRooms.isBusy {
      seat.isPassing = true
      passing.append(seat)
    }
    seat.waiting.append(body)
    load(seat)
  }

  /// The room's seat, if the room is in memory.
  func loadedSeat(_ id: RoomID) -> Seat? {
    guard let seat = seats[id], seat.room != nil else { return nil }
    seat.usedAt = loop.uptime
    if seat.isPassing { seat.isPassing = false }
    return seat
  }

  func load(_ seat: Seat) {
    services.store.load(seat.id, reply: Reply(on: loop.poster) { [unowned self] result in self.loaded(seat, result) })
  }

  private func loaded(_ seat: Seat, _ result: Result<StoredRoom?, StoreError>) {
    shard.counters.loads += 1
    defer {
      seat.live = nil
      seat.positionTimes = nil
    }
    switch result {
    case .success(let stored?):
      let room = shard.methods.makeRoom(seat.id, configuration)
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
      shard.counters.failedLoads += 1
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
      for subscription in seat.subscriptions { subscription.session.interrupt() }
      remove(seat)
    }
    // After a reload, clients that are behind catch up.
    for subscription in seat.subscriptions where subscription.session.isBehind {
      shard.connections.noteFull(subscription.session)
    }
  }

  /// Puts a room, found or made, into its seat.
  private func place(_ room: Room, in seat: Seat) {
    seat.room = room
    seat.isMirrored = false
    seat.epoch = epoch(of: room)
    if room.entriesSinceSnapshot > 0 { seat.unsnapshottedSince = loop.uptime }
    shard.startClock(of: seat, room)
    scheduleDue(seat)
    shard.awaitPresence(in: seat)
  }

  /// Changes with the store's generation, so with every restore, and is never the same for two rooms (DESIGN §6).
  private func epoch(of room: Room) -> String {
    Base64.url.encode(Array(SHA256.hash(services.store.generation, room.random).prefix(12)))
  }

  /// Makes a room; the store learns of it with its first commit.
  func makeRoom(in seat: Seat) {
    let room = shard.methods.makeRoom(seat.id, configuration)
    room.open(random: services.randomness.bytes(16), key: services.randomness.bytes(32))
    place(room, in: seat)
  }

  // MARK: leaving memory

  /// Drops a room whose changes in memory are void.
  func forget(_ seat: Seat) {
    remove(seat)
    // Its due time on disk is unknown.
    dueRooms.note(seat.id, due: loop.now + .seconds(1))
  }

  /// Removes a room that has ended, once its watchers have been told.
  func end(_ seat: Seat) {
    seat.dueTimer?.cancel()
    remove(seat)
    erase(seat.id)
    seat.room?.wipe()
    // Loaded again behind the erasing, the room is not there.
    for message in seat.heldMessages { outbox.deliver(message) }
  }

  /// Removes all that is stored of a room that has ended. Messages that it has sent still arrive.
  private func erase(_ room: RoomID) {
    services.store.erase(
      [room],
      reply: Reply(on: loop.poster) { [unowned self] result in
        guard case .failure(let error) = result else { return }
        services.log(.error, "erasing.failed", ["room": "\(room.text)", "why": "\(error)"])
      })
  }

  private var evictionInterval: Int { max(1, Int(configuration.roomIdleLimit.components.seconds) / 4) }

  /// Evicts a room that has not been used for a while; it is reloaded on demand (SYN-8).
  private func evictIfIdle(_ seat: Seat) {
    guard seat.isIdle, loop.uptime - seat.usedAt >= configuration.roomIdleLimit, let room = seat.room else { return }
    // It would soon be reloaded to do what is due.
    if let due = room.nextDue, due - loop.now < .seconds(120) { return }
    // Its clock follows elapsed time only while it is in memory.
    if seat.clock != nil { return }
    // Presence is still to tell who has gone, and when.
    guard seat.presence.due.isEmpty else { return }
    evict(seat, room)
  }

  /// Evicts a room once it has a snapshot of all of its entries; answers whether it has left.
  @discardableResult
  private func evict(_ seat: Seat, _ room: Room) -> Bool {
    if room.entriesSinceSnapshot > 0 {
      shard.commits.snapshots.snapshot(seat)
      return false
    }
    services.log(.debug, "room.evicted", ["room": "\(seat.id.text)"])
    seat.dueTimer?.cancel()
    remove(seat)
    dueRooms.note(seat.id, due: room.nextDue)
    shard.counters.evictions += 1
    return true
  }

  // MARK: passing rooms

  /// Whether another room may be loaded because it is due.
  var hasSpace: Bool { passing.count < Self.passingLimits.upperBound }

  /// Whether passing rooms leave memory early, so that each is snapshotted with its next commit.
  var isCrowded: Bool { dueRooms.isBlocked && passing.count > Self.passingLimits.lowerBound }

  /// Makes room for rooms that are due: thousands may be due together, each for a moment.
  func batchEnded() {
    if isCrowded { evictPassing() }
    dueRooms.batchEnded()
  }

  private func evictPassing() {
    for _ in 0..<min(passing.count - Self.passingLimits.lowerBound, 256) {
      guard let seat = passing.popFirst() else { break }
      guard holds(seat), seat.isPassing else { continue }
      let isDue = seat.room?.nextDue.map { $0 <= loop.now } ?? false
      if seat.isIdle, !isDue, let room = seat.room, evict(seat, room) { continue }
      passing.append(seat)
    }
  }

  // MARK: every second

  func everySecond(_ second: Int) {
    pruner.everySecond(second)
    if second % 10 == 0 { shard.commits.snapshots.snapshotOldRooms() }
    if second % evictionInterval == 0 {
      for seat in Array(seats.values) { evictIfIdle(seat) }
      passing.removeAll { !$0.isPassing || !holds($0) }
    }
  }

  // MARK: due times

  /// Begins to wake rooms that are not in memory when they are due, and to prune history.
  func start() {
    dueRooms.serve()
    pruner.start()
  }

  /// Sets the timer of a room's next due time.
  func scheduleDue(_ seat: Seat) {
    seat.dueTimer?.cancel()
    seat.dueTimer = nil
    seat.timedDue = seat.room?.nextDue
    guard let due = seat.timedDue else { return }
    // A distant due time is checked in between: timers follow the monotonic clock, due times the wall clock.
    let wait = max(min(due - shard.time(in: seat), .seconds(60)), seat.dueNotBefore - loop.uptime, .zero)
    seat.dueTimer = loop.schedule(after: wait) { [unowned self, unowned seat] in
      seat.dueTimer = nil
      fallDue(seat)
    }
  }

  private func fallDue(_ seat: Seat) {
    guard let room = seat.room, holds(seat), !room.isEnded, !shard.isLeaving else { return }
    // If the clock was set back, work that was due already stays due.
    let now = max(shard.time(in: seat), room.changedAt)
    if let due = room.nextDue, due <= now {
      shard.counters.dueRooms += 1
      shard.counters.dueDelays.observe(now - due)
      room.fallDue(Turn(now: now))
      shard.commits.noteChange(of: seat, by: nil)
    } else {
      scheduleDue(seat)
    }
  }
}

extension Room {
  /// Whether a person may read and call now; a member whom a change in memory has removed may not.
  func isOpen(to person: ID<Person>) -> Bool { admits(person) && !hasExpelled(person) }
}
