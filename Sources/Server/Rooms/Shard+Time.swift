import Home
import JSON
import Platform
import Rooms
import WebSocket

/// What happens by itself: rooms in which something falls due, heartbeats, connections that say nothing.
extension Shard {
  // MARK: due times

  /// Sets the timer of a room's next due time.
  func scheduleDue(_ seat: Seat) {
    seat.dueTimer?.cancel()
    seat.dueTimer = nil
    seat.timedDue = seat.room?.nextDue
    guard let due = seat.timedDue else { return }
    // A due time far away is looked at again in between: timers follow the monotonic clock, due times the wall.
    let wait = max(min(due - loop.now, .seconds(60)), seat.dueNotBefore - loop.uptime, .zero)
    seat.dueTimer = loop.schedule(after: wait) { [unowned self, unowned seat] in
      seat.dueTimer = nil
      fallDue(seat)
    }
  }

  private func fallDue(_ seat: Seat) {
    guard let room = seat.room, seats[seat.id] === seat, !room.isEnded, !isLeaving else { return }
    // A clock that was set back does not bring back what was due already.
    let now = max(loop.now, room.changedAt)
    if let due = room.nextDue, due <= now {
      room.fallDue(Turn(now: now))
      noteChange(of: seat, by: nil)
    } else {
      scheduleDue(seat)
    }
  }

  /// Loads rooms that are not in memory and in which something falls due soon.
  func wakeDueRooms() {
    services.store.due(
      before: loop.now + .seconds(60), limit: 1000,
      reply: Reply(on: loop.poster) { [unowned self] result in
        guard case .success(let rooms) = result else { return }
        for due in rooms where seats[due.room] == nil && shards.home(of: due.room) == index {
          withSeat(due.room) { _ in }
        }
      })
  }

  // MARK: idle rooms

  private var evictionInterval: Int { max(1, Int(configuration.roomIdleLimit.components.seconds) / 4) }

  /// Lets go of a room that nobody has asked for in a while; it is loaded again on demand (SYN-8).
  private func evictIfIdle(_ seat: Seat) {
    guard seat.isIdle, loop.uptime - seat.usedAt >= configuration.roomIdleLimit, let room = seat.room else { return }
    // It would be loaded for that again in a moment.
    if let due = room.nextDue, due - loop.now < .seconds(120) { return }
    if room.entriesSinceSnapshot > 0 { return snapshot(seat) }
    services.log(.debug, "room.evicted", ["room": "\(seat.id.text)"])
    seat.dueTimer?.cancel()
    seats[seat.id] = nil
    counters.evictions += 1
  }

  // MARK: every second

  func everySecond() {
    loop.schedule(after: .seconds(1)) { [weak reference] in reference?.shard.everySecond() }
    second += 1
    states.clear()
    closeYoungSessions()
    closeUnfinished()
    beating += sessions[second % sessions.count].values
    beatSome()
    if second % 30 == 0 { wakeDueRooms() }
    if second % 10 == 0 { snapshotOldRooms() }
    if second % evictionInterval == 0 { for seat in Array(seats.values) { evictIfIdle(seat) } }
    if second % 60 == 0 {
      loginThrottle.forget(before: loop.uptime)
      codeThrottle.forget(before: loop.uptime)
      addressGate.forget(at: loop.uptime)
    }
  }

  /// A few at a time: hundreds may have their heartbeat in the same second, and everybody would wait for them.
  private func beatSome() {
    // A tick tells how old a position is that its watchers have.
    if !beating.isEmpty { tellLiveNow() }
    // However many they are, this second is enough for them.
    let count = max(configuration.beatsPerTurn, sessions[second % sessions.count].count / 50)
    for session in beating.prefix(count) { beat(session) }
    beating = beating.dropFirst(count)
    guard !beating.isEmpty else {
      beating = []
      return
    }
    guard !isBeatPlanned else { return }
    isBeatPlanned = true
    loop.schedule(after: .milliseconds(10)) { [weak reference] in
      reference?.shard.isBeatPlanned = false
      reference?.shard.beatSome()
    }
  }

  /// Closes connections that have not said hello in time, in the order in which they were opened.
  private func closeYoungSessions() {
    defer { if young.isEmpty { young = [] } }
    while let (number, since) = young.first, loop.uptime - since.wrappedValue >= configuration.helloTimeout {
      young.removeFirst()
      guard let session = connection(number) else { continue }
      // Those have deadlines of their own.
      if case .http = session.phase { continue }
      guard session.person == nil, session.stream != nil else { continue }
      services.log(.debug, "connection.refused", ["why": "no hello in time"])
      if session.isOpen { session.close(.noHello, "no hello in time") } else { session.stream?.abort() }
    }
  }

  /// Closes connections whose message is not complete in time.
  private func closeUnfinished() {
    unfinished.removeAll { session in
      guard session.isOpen, let since = session.messageSince else {
        session.isNotedUnfinished = false
        return true
      }
      // The rest may be there, and we do not look: that is not the client's doing.
      if session.stream?.isReadingPaused == true {
        session.messageSince = loop.uptime
        return false
      }
      guard loop.uptime - since >= configuration.messageTimeout else { return false }
      session.close(.policyViolation, "a message was not complete in time")
      return true
    }
  }

  /// Tells a connection the versions of its rooms, so that silence always means a dead line (SYN-6).
  private func beat(_ session: Session) {
    guard session.isOpen else { return }
    if session.origin == nil {
      // What we do not read is no silence of the client.
      if session.stream?.isReadingPaused == true { session.heardAt = loop.uptime }
      if loop.uptime - session.heardAt > configuration.silenceLimit {
        services.log(.debug, "connection.silent", ["connection": "\(index).\(session.number)"])
        session.close(.noPong, "nothing heard for too long")
        session.stream?.abort()
        return
      }
      closeIfStalled(session)
      session.stream?.send(Frame.encode(.ping, Span()).span)
      lookAfterToken(of: session)
    }
    guard session.person != nil, !session.subscriptions.isEmpty, !isFull(session) else { return }
    let quiet = session.subscriptions.filter {
      !$0.isBehind && (loop.uptime - $0.toldAt >= configuration.heartbeat || HomeRooms.hasPosition($0.seat.room))
    }
    guard !quiet.isEmpty else { return }
    notify(session, "room.tick") { writer in
      writer.key("at")
      loop.now.write(to: writer)
      writer.key("rooms")
      writer.openObject()
      for subscription in quiet {
        writer.key(subscription.seat.name)
        writer.int(Int(subscription.position))
      }
      writer.closeObject()
      writeAges(of: quiet, to: writer)
    }
    for subscription in quiet { subscription.toldAt = loop.uptime }
  }

  /// Closes a connection whose peer takes nothing, on time: looks again when that would be before the next heartbeat.
  private func closeIfStalled(_ session: Session) {
    guard let stream = session.stream, let since = stream.stalledSince else { return }
    let left = since + configuration.stallLimit - loop.uptime
    guard left <= .zero else {
      guard left < configuration.heartbeat else { return }
      loop.schedule(after: left) { [unowned self, weak session] in session.map(closeIfStalled) }
      return
    }
    services.log(
      .info, "connection.stalled",
      ["connection": "\(index).\(session.number)", "unsent": .number(stream.unsentByteCount)])
    stream.abort()
  }

  /// When each live position was fixed, and when its phone was last heard of (LOC-7, LOC-8).
  private func writeAges(of subscriptions: [Subscription], to writer: Writer) {
    let start = writer.mark
    writer.key("live")
    writer.openObject()
    let empty = writer.count
    for subscription in subscriptions {
      guard let room = subscription.seat.room, let times = HomeRooms.lastPositionTimes(of: room) else { continue }
      writer.key(subscription.seat.name)
      writer.openObject()
      writer.key("at")
      times.at.write(to: writer)
      writer.key("link")
      times.link.write(to: writer)
      writer.key("state")
      writer.string(HomeRooms.freshness(ofPositionAt: times.at, now: loop.now))
      writer.closeObject()
    }
    if writer.count == empty { writer.rollback(to: start) } else { writer.closeObject() }
  }
}
