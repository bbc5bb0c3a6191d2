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

  /// Tells what has changed: at once while the loop has time to spare, else together with what follows within
  /// `liveGathering`, since a send costs more than all else that telling takes.
  func tellLive() {
    guard !liveChanged.isEmpty else { return }
    let wait = configuration.liveGathering(atLoad: loop.load)
    if wait == .zero { tellHeld() }
    for (index, seat) in liveChanged.enumerated() {
      if wait == .zero { prefetchWatchers(of: liveChanged, from: index) }
      seat.isLiveChanged = false
      guard let room = seat.room else { continue }
      scratch.lend { writer in
        guard let frame = sealLive(of: seat, room, in: writer) else { return }
        writer.withSpan(from: frame.lowerBound, to: frame.upperBound) {
          if wait == .zero { tell($0, seat, room) } else { hold($0, seat, for: wait) }
        }
      }
      loop.flushIfMany()
    }
    liveChanged.removeAll(keepingCapacity: true)
  }

  /// Tells what has changed, and what was held.
  func tellLiveNow() {
    tellLive()
    tellHeld()
  }

  /// Writes what has changed in a room as a frame; answers where the frame is, `nil` if nothing has changed.
  private func sealLive(of seat: Seat, _ room: Room, in frame: Writer) -> Range<Int>? {
    frame.skip(codec.headerSpace)
    frame.raw("{\"jsonrpc\":\"2.0\",\"method\":\"room.live\",\"params\":{\"room\":")
    frame.string(seat.name)
    frame.key("at")
    loop.now.write(to: frame)
    frame.key("patch")
    guard room.sealLive(to: frame) else { return nil }
    frame.raw("}}")
    return codec.finish(frame, codec.headerSpace..<frame.count)
  }

  private func hold(_ frame: Span<UInt8>, _ seat: Seat, for wait: Duration) {
    if seat.heldLive.isEmpty { holding.append(seat) }
    seat.heldLive.append(contentsOf: frame)
    if seat.heldLive.count > Self.heldByteLimit { return tellHeld(of: seat) }
    guard holdTimer == nil else { return }
    holdTimer = loop.schedule(after: wait) { [unowned self] in
      holdTimer = nil
      tellHeld()
      // For connections of other shards.
      loop.wantBatchEnd()
    }
  }

  /// Of one room.
  private static let heldByteLimit = 16 << 10

  private func tellHeld() {
    for (index, seat) in holding.enumerated() {
      prefetchWatchers(of: holding, from: index)
      tellHeld(of: seat)
      loop.flushIfMany()
    }
    holding.removeAll(keepingCapacity: true)
  }

  /// Tells what was held of a room. This comes before anything else of it is told, before somebody new is told what is
  /// true now, and before the room leaves memory.
  func tellHeld(of seat: Seat) {
    guard !seat.heldLive.isEmpty else { return }
    let frames = seat.heldLive
    seat.heldLive = []
    if let room = seat.room { tell(frames.span, seat, room) }
  }

  private func tell(_ frames: Span<UInt8>, _ seat: Seat, _ room: Room) {
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
      stream.send(frames)
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
    let live = kept(of: room)
    if live.count > 2 { services.store.keepLive([(seat.id, live)]) }
  }

  /// The kept values of a room, as they are stored.
  func kept(of room: Room) -> [UInt8] {
    members.lend { writer in
      room.writeKept(to: writer)
      return writer.bytes()
    }
  }
}
