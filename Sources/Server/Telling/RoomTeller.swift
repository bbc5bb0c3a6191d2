import Home
import JSON
import Platform
import Rooms

/// Tells the watchers of rooms what is on disk: patches, answers, and what follows from a commit.
final class RoomTeller {
  private let link: ShardLink
  var shard: Shard { link.shard }
  let loop: any Loop
  private let configuration: Configuration
  private let connections: ConnectionTable
  let live: LiveTeller
  let codec = FrameCodec()
  let states = StateCache()

  init(_ link: ShardLink, _ connections: ConnectionTable) {
    self.link = link
    self.connections = connections
    loop = link.loop
    configuration = link.configuration
    live = LiveTeller(link, connections)
  }

  /// Overwrites the working memory.
  func wipe() {
    codec.wipe()
    live.wipe()
    states.wipe()
  }

  // MARK: commits

  /// Tells all that a group has to say: its patch first, then the answers that belong to it.
  func tell(_ group: CommitGroup, of seat: Seat, _ room: Room, _ patches: Writer) {
    let shard = shard
    live.tellHeld(of: seat)
    seat.flying = nil
    // Moved out: a copy retains a dozen lists.
    let sealed = group.sealed.take()
    if let sealed, !group.patch.isEmpty { tell(patches, group.patch, sealed, seat, room) }
    for (caller, member) in group.answers { deliver(caller, member: member, behind: seat) }
    for resume in group.resumes { resume.admit(to: seat, room) }
    for follower in group.followers { follower(true) }
    // A client whose stream drained while the commit was on its way could not catch up then.
    for subscription in seat.subscriptions where subscription.session.isBehind {
      connections.noteFull(subscription.session)
    }
    guard let sealed else { return }
    for completion in sealed.completions {
      for caller in shard.waiters.take(completion.call) { shard.deliver(caller, member: completion.answer) }
    }
    if !sealed.deliveries.isEmpty { shard.deliveries.serve() }
    for message in sealed.messages { shard.rooms.outbox.send(StoredMessage(source: seat.id, message: message)) }
    for (person, reason) in sealed.expelled {
      room.readmit(person)
      close(seat, reason: reason) { $0.session.person == person }
    }
    if let reason = sealed.ending {
      close(seat, reason: reason) { _ in true }
      shard.rooms.end(seat)
      if HomeRooms.hasPosition(room) { shard.neighbours.broadcast(.shareEnded) }
      if case .person(let person) = seat.id { shard.accounts.ended(person) }
    } else if sealed.due != nil {
      shard.rooms.scheduleDue(seat)
    }
  }

  private func tell(_ patches: Writer, _ patch: Range<Int>, _ sealed: SealedRoom, _ seat: Seat, _ room: Room) {
    let shard = shard
    let frame = codec.finish(patches, patch)
    var compressed: [UInt8]?
    var told = 0
    for subscription in seat.subscriptions where subscription.position < sealed.version {
      let session = subscription.session
      guard let person = session.person, !room.hasExpelled(person) else { continue }
      if subscription.isBehind {
        if !connections.isFull(session) { sendMissed(subscription, room) }
        continue
      }
      guard !connections.isFull(session), let stream = session.stream else {
        fallBehind(subscription)
        continue
      }
      if hidesShares(of: seat, from: session) {
        sendMissed(subscription, room)
        continue
      }
      if session.isDeflating, frame.count >= configuration.deflateThreshold {
        if compressed == nil { compressed = codec.compress(patches, patch) }
        if let compressed { stream.send(compressed.span) }
      } else {
        codec.send(patches, frame, to: stream)
      }
      shard.counters.patches += 1
      shard.counters.patchBytes += frame.count
      subscription.position = sealed.version
      subscription.toldAt = loop.uptime
      told += 1
      if told.isMultiple(of: Self.toldAtOnce) { loop.flushIfMany() }
    }
  }

  /// Watchers of one room who are told before the loop is asked to send. In smaller rooms answers leave with patches.
  static let toldAtOnce = 64

  /// Delivers an answer after the patch that it belongs to: at once, or with the merged patch of a client that is
  /// behind (SYN-5).
  private func deliver(_ caller: Caller, member: [UInt8], behind seat: Seat) {
    let session = caller.session
    if session.isBehind, let subscription = session.subscription(to: seat.id), subscription.isBehind {
      session.hold { [unowned shard] in shard.deliver(caller, member: member) }
    } else {
      shard.deliver(caller, member: member)
    }
  }

  /// Ends subscriptions of a room and tells their clients why.
  func close(_ seat: Seat, reason: String, where isOut: (Subscription) -> Bool) {
    for subscription in seat.subscriptions where isOut(subscription) {
      shard.notify(subscription.session, "room.closed") { writer in
        writer.key("room")
        writer.string(seat.name)
        writer.key("reason")
        writer.string(reason)
      }
      subscription.session.subscriptions.removeAll { $0 === subscription }
      shard.neighbours.noteUnwatched(subscription.session)
    }
    let gone = seat.subscriptions.filter(isOut)
    seat.subscriptions.removeAll(where: isOut)
    for subscription in gone { shard.notePresence(of: subscription.session.person, in: seat) }
  }

  // MARK: clear text

  /// Whether a session's `me` leaves shares out, because its connection is in clear text (LOC-31).
  private func hidesShares(of seat: Seat, from session: Session) -> Bool {
    guard session.isInClear, case .person = seat.id else { return false }
    return true
  }

  /// The part of a room's document, or of its patch, that a session may see.
  func visible(_ document: [UInt8], of seat: Seat, to session: Session) -> [UInt8] {
    hidesShares(of: seat, from: session) ? HomeRooms.withoutShares(document) : document
  }

  /// The epoch of a room for a session. It differs where shares are left out, so that a client that resumes over an
  /// encrypted connection gets the whole state.
  func epoch(of seat: Seat, for session: Session) -> String {
    hidesShares(of: seat, from: session) ? "\(seat.epoch).clear" : seat.epoch
  }

  // MARK: slow clients

  /// - Parameter isOfLive: whether its client misses changes of the live document.
  func fallBehind(_ subscription: Subscription, ofLive isOfLive: Bool = false) {
    let lag = subscription.lag ?? Lag()
    if isOfLive { lag.isOfLive = true }
    subscription.lag = lag
    shard.counters.fellBehind += 1
    connections.noteFull(subscription.session)
    subscription.session.isBehind = true
  }

  /// Sends each room's missed changes as one merged patch, then the answers that waited for them.
  func catchUp(_ session: Session) {
    guard session.isBehind, session.isOpen else { return }
    for subscription in session.subscriptions where subscription.isBehind {
      guard let room = subscription.seat.room, subscription.seat.flying == nil else { continue }
      // The kernel may take all of it at the end of this batch, and would not report it.
      if connections.isFull(session) { return connections.noteFull(session) }
      sendMissed(subscription, room)
    }
    if session.subscriptions.contains(where: \.isBehind) { return }
    session.isBehind = false
    session.deliverHeld()
  }

  /// Sends one merged patch from the client's version; if neither memory nor the store reach back that far, the room is
  /// closed for the client, which subscribes again.
  private func sendMissed(_ subscription: Subscription, _ room: Room) {
    let seat = subscription.seat
    let lag = subscription.lag
    if lag?.isReading == true { return }
    guard let missed = room.missed(since: subscription.position, behind: lag?.older) else {
      if lag != nil, lag?.older == nil, room.isBeyondRing(subscription.position) { return readMissed(by: subscription) }
      return close(seat, reason: "tooFarBehind") { $0 === subscription }
    }
    let isOfLive = lag?.isOfLive == true
    if isOfLive { live.tellHeld(of: seat) }
    subscription.lag = nil
    if room.sealedVersion > subscription.position {
      shard.counters.mergedPatches += 1
      shard.notify(subscription.session, "room.patch") { writer in
        writer.key("room")
        writer.string(seat.name)
        writer.key("from")
        writer.int(Int(missed.from))
        writer.key("version")
        writer.int(Int(room.sealedVersion))
        writer.key("at")
        room.changedAt.write(to: writer)
        writer.key("patch")
        writer.value(visible(missed.patch, of: seat, to: subscription.session))
      }
      subscription.position = room.sealedVersion
    }
    subscription.toldAt = loop.uptime
    if isOfLive {
      // The patch may have filled the connection.
      if connections.isFull(subscription.session) {
        return fallBehind(subscription, ofLive: true)
      }
      shard.notify(subscription.session, "room.live") { writer in
        writer.key("room")
        writer.string(seat.name)
        writer.key("at")
        shard.time(in: seat).write(to: writer)
        writer.key("patch")
        room.writeLive(to: writer)
      }
    }
  }

  /// Reads what a slow client has missed, then sends it.
  private func readMissed(by subscription: Subscription) {
    subscription.lag?.isReading = true
    findMissed(since: subscription.position, of: subscription.seat.id) {
      [unowned self, weak subscription] older in
      guard let subscription else { return }
      subscription.lag?.isReading = false
      let seat = subscription.seat
      guard seat.subscriptions.contains(where: { $0 === subscription }) else { return }
      guard let older else { return close(seat, reason: "tooFarBehind") { $0 === subscription } }
      // Not kept for a client that is still slow: it is read again.
      if connections.isFull(subscription.session) { return }
      subscription.lag?.older = older
      catchUp(subscription.session)
    }
  }
}
