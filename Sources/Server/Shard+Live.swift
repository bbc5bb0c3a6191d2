import Home
import JSON
import Platform
import Rooms
import WebSocket

/// What is only true now: told at the end of the batch, never logged; the newest kept value goes to disk at leisure.
extension Shard {
  func noteLiveChange(of seat: Seat) {
    guard !seat.isLiveChanged else { return }
    seat.isLiveChanged = true
    liveChanged.append(seat)
    loop.wantBatchEnd()
  }

  func tellLive() {
    guard !liveChanged.isEmpty else { return }
    for (index, seat) in liveChanged.enumerated() {
      prefetchWatchers(of: liveChanged, from: index)
      seat.isLiveChanged = false
      if let room = seat.room { tellLive(seat, room) }
      loop.flushIfMany()
    }
    liveChanged.removeAll(keepingCapacity: true)
  }

  private func tellLive(_ seat: Seat, _ room: Room) {
    let frame = scratch
    frame.clear()
    frame.skip(codec.headerSpace)
    frame.raw("{\"jsonrpc\":\"2.0\",\"method\":\"room.live\",\"params\":{\"room\":")
    frame.string(seat.name)
    frame.key("at")
    loop.now.write(to: frame)
    frame.key("patch")
    guard room.sealLive(to: frame) else { return }
    frame.raw("}}")
    let whole = codec.finish(frame, codec.headerSpace..<frame.count)
    if HomeRooms.hasPosition(room) {
      if let told = seat.liveToldAt { counters.positionGaps.observe(loop.uptime - told) }
      seat.liveToldAt = loop.uptime
    }
    for subscription in seat.subscriptions {
      let session = subscription.session
      // Only to those who are in the room at the last commit, as subscribers are, and still are in memory.
      guard let person = session.person, admits(person, to: room), let stream = session.stream else { continue }
      if isFull(session) {
        fallBehind(subscription)
        subscription.lag?.isOfLive = true
        continue
      }
      codec.send(frame, whole, to: stream)
      subscription.toldAt = loop.uptime
    }
    keep(seat)
  }

  /// Writes kept values at most once a second per room.
  private func keep(_ seat: Seat) {
    guard !seat.isKeepWaiting else { return }
    let wait = seat.keptAt.map { .seconds(1) - (loop.uptime - $0) } ?? .zero
    if wait <= .zero { return keepNow(seat) }
    seat.isKeepWaiting = true
    loop.schedule(after: wait) { [unowned self] in
      seat.isKeepWaiting = false
      keepNow(seat)
    }
  }

  private func keepNow(_ seat: Seat) {
    guard let room = seat.room, seats[seat.id] === seat else { return }
    seat.keptAt = loop.uptime
    members.clear()
    room.writeKept(to: members)
    if members.count > 2 { services.store.keepLive([(seat.id, members.bytes())]) }
  }
}
