import Home
import JSON
import Platform
import Rooms
import WebSocket

/// The heartbeat of one connection: closes it if it is dead, and tells it the versions of its rooms.
extension ConnectionTable {
  /// Pings a connection and tells it its rooms, so that silence always means a dead line (SYN-6).
  func beat(_ session: Session) {
    guard session.isOpen else { return }
    if session.origin == nil {
      // While the server does not read, it hears nothing from a client that is alive.
      if session.stream?.isReadingPaused == true { session.heardAt = loop.uptime }
      if loop.uptime - session.heardAt > configuration.silenceLimit {
        log(.debug, "connection.silent", ["connection": "\(shard.index).\(session.number)"])
        // The peer may still hear: the stream ends by itself if it does not take the close frame in time.
        session.close(.noPong, "nothing heard for too long")
        return
      }
      closeIfStalled(session)
      session.stream?.send(Frame.encode(.ping, Span()).span)
      shard.accounts.lookAfterToken(of: session)
    }
    tick(session)
  }

  /// Tells a connection the versions of all its rooms, or does so as soon as the connection takes bytes again. A room
  /// that has just been told of would otherwise be silent for almost two heartbeats.
  func tick(_ session: Session) {
    session.owesTick = isFull(session)
    guard session.person != nil, !session.owesTick else { return }
    let rooms = session.subscriptions.filter { !$0.isBehind }
    guard !rooms.isEmpty else { return }
    shard.notify(session, "room.tick") { writer in
      writer.key("at")
      loop.now.write(to: writer)
      writer.key("rooms")
      writer.openObject()
      for subscription in rooms {
        writer.key(subscription.seat.name)
        writer.int(Int(subscription.position))
      }
      writer.closeObject()
      writeAges(of: rooms, to: writer)
    }
    for subscription in rooms { subscription.toldAt = loop.uptime }
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
    log(
      .info, "connection.stalled",
      ["connection": "\(shard.index).\(session.number)", "unsent": .number(stream.unsentByteCount)])
    stream.abort()
  }

  /// Writes when each live position was fixed, and when its phone was last heard of (LOC-7, LOC-8). A room whose newest
  /// position has not been sent yet is left out: a tick reports the age of the position that its client has.
  private func writeAges(of subscriptions: [Subscription], to writer: Writer) {
    let start = writer.mark
    writer.key("live")
    writer.openObject()
    let empty = writer.count
    for subscription in subscriptions {
      let seat = subscription.seat
      guard !seat.hasUnsentLive else { continue }
      guard let times = seat.room.map(HomeRooms.lastPositionTimes) ?? seat.positionTimes else { continue }
      writer.key(seat.name)
      writer.openObject()
      writer.key("at")
      times.at.write(to: writer)
      writer.key("link")
      times.link.write(to: writer)
      writer.key("state")
      writer.string(HomeRooms.freshness(ofPositionAt: times.at, now: shard.time(in: seat)))
      writer.closeObject()
    }
    if writer.count == empty { writer.rollback(to: start) } else { writer.closeObject() }
  }
}
