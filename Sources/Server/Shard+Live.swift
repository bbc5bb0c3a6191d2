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
    for seat in liveChanged {
      seat.isLiveChanged = false
      if let room = seat.room { tellLive(seat, room) }
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
    let start = codec.finish(frame)
    for subscription in seat.subscriptions {
      let session = subscription.session
      // Only to those who are in the room at the last commit, as subscribers are, and still are in memory.
      guard let person = session.person, admits(person, to: room), let stream = session.stream else { continue }
      if isFull(session) {
        subscription.isLiveBehind = true
        fallBehind(subscription)
        continue
      }
      frame.withSpan { stream.send($0.extracting(start..<$0.count)) }
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

  // MARK: positions

  /// `positions.report`: one report feeds every share of the caller that is running (LOC-20).
  func report(_ parameters: View, _ caller: Caller) {
    guard let person = caller.session.person, let method = Self.reportMethod(of: methods) else { return }
    problems.clear()
    guard method.read(parameters, problems) != nil else { return refuseInvalid(caller) }
    let copy = parameters.copied
    withSeat(.person(person)) { [unowned self] seat in
      guard let me = seat.room else { return refuse(caller, .noRoom(seat)) }
      let shares = HomeRooms.ownActiveShares(of: me)
      for share in shares {
        tell(shards.home(of: share)) { $0.report(copy, of: person, to: .share(share)) }
      }
      answer(caller) { writer in
        writer.key("shares")
        writer.int(shares.count)
        writer.key("interval")
        writer.int(Int(Limits.reportInterval.milliseconds))
      }
    }
  }

  private func report(_ parameters: [UInt8], of person: ID<Person>, to share: RoomID) {
    withSeat(share) { [unowned self] seat in
      // The person's own room learns a little later that a share is over.
      guard let room = seat.room, admits(person, to: room), let method = Self.reportMethod(of: methods),
        let view = try? pendingTape.parse(parameters.span)
      else { return }
      problems.clear()
      members.clear()
      let version = room.version
      _ = method.run(room, view, Turn(caller: person, now: loop.now), problems, members)
      if room.version > version { noteChange(of: seat, by: nil) }
      if room.isLiveTouched { noteLiveChange(of: seat) }
      // What is live moves due times without a commit. Later ones are noticed when the timer fires.
      if let due = room.nextDue, seat.timedDue.map({ due < $0 }) ?? true { scheduleDue(seat) }
    }
  }

  private static func reportMethod(of methods: MethodTable) -> Method? { methods["positions.report"]?[.share] }
}
