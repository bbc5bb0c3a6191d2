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
    if HomeRooms.hasPosition(room) {
      if let told = seat.liveToldAt { counters.positionGaps.observe(loop.uptime - told) }
      seat.liveToldAt = loop.uptime
    }
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

  /// `positions.report`: one report feeds every share of the caller that is running (LOC-20). His own room decides
  /// whether this device may tell (LOC-35).
  func report(_ parameters: View, _ caller: Caller) {
    guard let person = caller.session.person, let method = reportMethod(.me) else { return }
    let copy = parameters.copied
    let client = caller.session.client
    withSeat(.person(person)) { [unowned self] seat in
      guard let me = seat.room else { return refuse(caller, .noRoom(seat)) }
      guard let view = try? pendingTape.parse(copy.span) else { return refuse(caller, .unavailable) }
      problems.clear()
      members.clear()
      let version = me.version
      switch method.run(me, view, Turn(caller: person, client: client, now: loop.now), problems, members) {
      case .invalid: return refuseInvalid(caller)
      case .refused(let refusal): return say(refusal, in: seat, caller)
      case .done: if me.version > version { noteChange(of: seat, by: person) }
      }
      spread(copy, of: person, client, over: HomeRooms.ownActiveShares(of: me)) { [unowned self] taken in
        answerReport(taken, in: seat, caller)
      }
    }
  }

  /// What became of a report in one share.
  private struct Taken: Sendable {
    let share: ID<Share>
    let isAlreadyInside: Bool
  }

  /// Takes a report to several shares, wherever they live, and goes on when all have answered.
  private func spread(
    _ parameters: [UInt8], of person: ID<Person>, _ client: ID<Client>, over shares: [ID<Share>],
    then done: @escaping ([Taken]) -> Void
  ) {
    var waiting = shares.count
    var taken: [Taken] = []
    if shares.isEmpty { return done([]) }
    for share in shares {
      let note: (Taken?) -> Void = { answer in
        if let answer { taken.append(answer) }
        waiting -= 1
        if waiting == 0 { done(taken) }
      }
      let home = self.shards.home(of: .share(share))
      if home == index {
        report(parameters, of: person, client, to: share, done: note)
      } else {
        let reply = Reply(on: loop.poster, note)
        self.shards.post(to: home) { $0.report(parameters, of: person, client, to: share) { reply($0) } }
      }
    }
  }

  private func answerReport(_ taken: [Taken], in seat: Seat, _ caller: Caller) {
    scratch.clear()
    scratch.key("result")
    scratch.openObject()
    scratch.key("shares")
    scratch.int(taken.count)
    scratch.key("intervalSeconds")
    scratch.int(Int(Limits.reportInterval.components.seconds))
    let inside = taken.filter(\.isAlreadyInside).map(\.share).sorted()
    if !inside.isEmpty {
      scratch.key("alreadyInside")
      scratch.openArray()
      for share in inside { share.write(to: scratch) }
      scratch.closeArray()
    }
    scratch.closeObject()
    let member = scratch.bytes()
    if let group = seat.pendingGroup { group.answers.append((caller, member)) } else { deliver(caller, member: member) }
  }

  /// Reports to one share. Who asked goes on when all that it has caused is on disk; with `nil` if it was not taken.
  private func report(
    _ parameters: [UInt8], of person: ID<Person>, _ client: ID<Client>, to share: ID<Share>,
    done: @escaping (Taken?) -> Void
  ) {
    withSeat(.share(share)) { [unowned self] seat in
      // The person's own room learns a little later that a share is over.
      guard let room = seat.room, admits(person, to: room), let method = reportMethod(.share),
        let view = try? pendingTape.parse(parameters.span)
      else { return done(nil) }
      problems.clear()
      members.clear()
      let version = room.version
      guard
        case .done = method.run(room, view, Turn(caller: person, client: client, now: loop.now), problems, members)
      else { return done(nil) }
      if room.version > version { noteChange(of: seat, by: nil) }
      if room.isLiveTouched { noteLiveChange(of: seat) }
      // What is live moves due times without a commit. Later ones are noticed when the timer fires.
      if let due = room.nextDue, seat.timedDue.map({ due < $0 }) ?? true { scheduleDue(seat) }
      let taken = Taken(share: share, isAlreadyInside: HomeRooms.isAlreadyInside(room))
      if let group = seat.pendingGroup {
        group.followers.append { done($0 ? taken : nil) }
      } else {
        done(taken)
      }
    }
  }

  private func reportMethod(_ kind: RoomKindName) -> Method? { methods["positions.report"]?[kind] }

  // MARK: distances

  struct DistanceParameters: Record {
    var room = ""
    var lat = 0.0
    var lon = 0.0
    static func fields(_ field: inout some FieldVisitor<Self>) {
      field("room", \.room, 1...128)
      field("lat", \.lat, -90...90)
      field("lon", \.lon, -180...180)
    }
  }

  /// `shares.distance`: how far a point is from a sharer. Nothing is kept of it (LOC-18).
  func tellDistance(_ parameters: DistanceParameters, _ caller: Caller) {
    guard let person = caller.session.person, let id = RoomID(name: parameters.room, caller: person),
      case .share = id
    else { return refuse(caller, .invalid("room", "must be the name of a share")) }
    withSeat(id) { [unowned self] seat in
      guard let room = seat.room, admits(person, to: room) else { return refuse(caller, .noRoom(seat)) }
      guard let metres = HomeRooms.distance(from: (parameters.lat, parameters.lon), to: room),
        let times = HomeRooms.lastPositionTimes(of: room)
      else { return refuse(caller, Refusal(.notFound, "position", "There is no position yet.")) }
      answer(caller) { writer in
        writer.key("metres")
        writer.int(Int(metres.rounded()))
        writer.key("at")
        times.at.write(to: writer)
      }
    }
  }
}
