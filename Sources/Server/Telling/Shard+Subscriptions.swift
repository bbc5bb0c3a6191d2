import JSON
import Platform
import Rooms

/// Watching a room: the whole state or what was missed, then every change in order (SYN-1, SYN-2).
extension Shard {
  struct SubscribeParameters: Record {
    var room = ""
    var epoch: String?
    var version: Int?
    static func fields(_ field: inout some FieldVisitor<Self>) {
      field("room", \.room, 1...128)
      field("epoch", \.epoch, 1...64)
      field("version", \.version, 0...Int(WireLimits.clientNumber))
    }
  }

  func subscribe(_ parameters: SubscribeParameters, _ caller: Caller) {
    guard let person = caller.session.person else { return refuse(caller, .unauthorized) }
    guard let id = RoomID(name: parameters.room, caller: person) else {
      return refuse(caller, .invalid("room", "must be the name of a room"))
    }
    let session = caller.session
    if session.origin == nil {
      session.watchCount += 1
      session.watchesEnough = session.watchCount > WireLimits.subscriptions
    }
    guard !session.watchesEnough || session.subscription(to: id) != nil else {
      noteUnwatched(session)
      let text = "A connection watches at most \(WireLimits.subscriptions) rooms."
      return refuse(caller, Refusal(.tooLarge, "subscriptions", text))
    }
    let call = SubscribeCall(caller: caller, epoch: parameters.epoch, version: parameters.version.map(Int64.init))
    withSeat(id) { [unowned self] seat in
      guard let person = session.person, let room = seat.room, admits(person, to: room) else {
        noteUnwatched(session)
        return refuse(caller, .noRoom(seat))
      }
      // A second subscription replaces the first: the client has lost its place and says where it is.
      drop(session, from: seat)
      if let version = call.version, call.epoch == seat.epoch, room.isBeyondRing(version) {
        readMissed(by: call, since: version, in: seat)
      } else {
        enter(Subscriber(call: call), seat, room)
      }
    }
  }

  /// Answers a subscription now, or with the commit of what the room contains.
  func enter(_ subscriber: Subscriber, _ seat: Seat, _ room: Room) {
    if seat.pendingGroup != nil {
      openGroup(of: seat).subscribers.append(subscriber)
    } else {
      var subscriber = subscriber
      subscriber.answer = state(for: subscriber.call, room)
      admit(subscriber, to: seat, room)
    }
  }

  func unsubscribe(_ parameters: RoomParameters, _ caller: Caller) {
    guard let person = caller.session.person, let id = RoomID(name: parameters.room, caller: person) else {
      return refuse(caller, .invalid("room", "must be the name of a room"))
    }
    if let seat = seats[id] {
      drop(caller.session, from: seat)
      for read in seat.reads where read.session === caller.session { read.isWithdrawn = true }
      for group in [seat.open, seat.flying].compactMap(\.self) {
        for index in group.subscribers.indices where group.subscribers[index].call.caller.session === caller.session {
          group.subscribers[index].isWithdrawn = true
        }
      }
    }
    answer(caller) { _ in }
  }

  struct RoomParameters: Record {
    var room = ""
    static func fields(_ field: inout some FieldVisitor<Self>) { field("room", \.room, 1...128) }
  }

  private func drop(_ session: Session, from seat: Seat) {
    guard session.subscriptions.contains(where: { $0.seat === seat }) else { return }
    seat.subscriptions.removeAll { $0.session === session }
    session.subscriptions.removeAll { $0.seat === seat }
    noteUnwatched(session)
    notePresence(of: session.person, in: seat)
  }

  /// What a new subscription is answered, as of the room's sealed version: what was missed, or the whole state.
  func state(for call: SubscribeCall, _ room: Room) -> StateAnswer {
    let members = members.lend { writer in
      writeState(for: call, room, to: writer)
      return writer.bytes()
    }
    let person = call.caller.session.person ?? ID()
    let mark = room.mark(of: person, call.caller.session.client)
    return StateAnswer(version: room.sealedVersion, members: members, mark: mark)
  }

  private func writeState(for call: SubscribeCall, _ room: Room, to writer: Writer) {
    let epoch = seats[room.id]?.epoch ?? ""
    writer.key("room")
    writer.string(room.id.name)
    writer.key("epoch")
    writer.string(epoch)
    writer.key("version")
    writer.int(Int(room.sealedVersion))
    if let missed = missed(by: call, epoch, room) {
      counters.resumes["patch", default: 0] += 1
      writer.key("from")
      writer.int(Int(missed.from))
      writer.key("patch")
      writer.value(missed.patch)
    } else {
      writer.key("state")
      writer.value(states.state(of: room))
      let reason = reason(for: call, epoch, room)
      counters.resumes[reason, default: 0] += 1
      writer.key("reason")
      writer.string(reason)
    }
  }

  private func missed(by call: SubscribeCall, _ epoch: String, _ room: Room) -> (from: Int64, patch: [UInt8])? {
    guard call.epoch == epoch, let version = call.version, version <= room.sealedVersion else { return nil }
    return room.missed(since: version, behind: call.older).map { ($0.from, $0.patch) }
  }

  private func reason(for call: SubscribeCall, _ epoch: String, _ room: Room) -> String {
    guard let version = call.version, let known = call.epoch else { return "new" }
    if known != epoch { return "epoch" }
    return version > room.sealedVersion ? "ahead" : "tooOld"
  }

  /// Answers a subscription and begins to tell it of changes.
  func admit(_ subscriber: Subscriber, to seat: Seat, _ room: Room) {
    let caller = subscriber.call.caller
    let session = caller.session
    guard session.isOpen else { return }
    guard let person = session.person, admits(person, to: room), let state = subscriber.answer else {
      noteUnwatched(session)
      return refuse(caller, .noRoom)
    }
    drop(session, from: seat)
    tellHeld(of: seat)
    answer(caller) { writer in
      writer.value(state.members)
      writer.key("live")
      room.writeLive(to: writer)
      writer.key("seq")
      writer.int(Int(state.mark))
    }
    if subscriber.isWithdrawn { return noteUnwatched(session) }
    let subscription = Subscription(
      session: session, seat: seat, position: state.version, toldAt: loop.uptime)
    seat.subscriptions.append(subscription)
    session.subscriptions.append(subscription)
    notePresence(of: person, in: seat)
  }

  // MARK: slow clients

  func isFull(_ session: Session) -> Bool {
    (session.stream?.unsentByteCount ?? 0) > configuration.unsentLimit
  }

  /// Reads nothing more of somebody who does not take what he is sent, until it has left. Patches are merged for him,
  /// but each call has an answer of its own, and a flood of calls would fill the memory with them. Who is only slow may
  /// call on: as many bytes of answers as may be unsent are added to what there was.
  func chokeIfFull(_ session: Session) {
    guard session.origin == nil else { return }
    guard session.isOpen, isFull(session), let unsent = session.stream?.unsentByteCount else {
      session.toleratedBytes = 0
      session.isChoked = false
      return
    }
    if session.toleratedBytes == 0 {
      session.toleratedBytes = Int32(clamping: unsent + configuration.unsentLimit)
    }
    session.isChoked = unsent > Int(session.toleratedBytes)
    noteFull(session)
  }

  func fallBehind(_ subscription: Subscription) {
    if subscription.lag == nil { subscription.lag = Lag() }
    counters.fellBehind += 1
    noteFull(subscription.session)
    subscription.session.isBehind = true
  }

  /// Has `writable` called on a session once its stream has drained.
  func noteFull(_ session: Session) {
    guard !session.isNotedFull else { return }
    session.isNotedFull = true
    full.append((session, session.stream?.sentByteCount ?? 0))
    loop.wantBatchEnd()
  }

  /// Sends each room's missed changes as one merged patch, then the answers that waited for them.
  func catchUp(_ session: Session) {
    guard session.isBehind, session.isOpen else { return }
    for subscription in session.subscriptions where subscription.isBehind {
      guard let room = subscription.seat.room, subscription.seat.flying == nil else { continue }
      // The system may take all of it at the end of this batch, and would not say so.
      if isFull(session) { return noteFull(session) }
      sendMissed(subscription, room)
    }
    if session.subscriptions.contains(where: \.isBehind) { return }
    session.isBehind = false
    session.deliverHeld()
  }

  /// Sends one merged patch from where the client is; where the ring does not reach, the room is closed for it and
  /// it subscribes again.
  func sendMissed(_ subscription: Subscription, _ room: Room) {
    let seat = subscription.seat
    guard let lag = subscription.lag, !lag.isReading else { return }
    guard let missed = room.missed(since: subscription.position, behind: lag.older) else {
      if lag.older == nil, room.isBeyondRing(subscription.position) { return readMissed(by: subscription) }
      return close(seat, reason: "tooFarBehind") { $0 === subscription }
    }
    if lag.isOfLive { tellHeld(of: seat) }
    subscription.lag = nil
    if room.sealedVersion > subscription.position {
      counters.mergedPatches += 1
      notify(subscription.session, "room.patch") { writer in
        writer.key("room")
        writer.string(seat.name)
        writer.key("from")
        writer.int(Int(missed.from))
        writer.key("version")
        writer.int(Int(room.sealedVersion))
        writer.key("at")
        room.changedAt.write(to: writer)
        writer.key("patch")
        writer.value(missed.patch)
      }
      subscription.position = room.sealedVersion
    }
    subscription.toldAt = loop.uptime
    if lag.isOfLive {
      notify(subscription.session, "room.live") { writer in
        writer.key("room")
        writer.string(seat.name)
        writer.key("at")
        loop.now.write(to: writer)
        writer.key("patch")
        room.writeLive(to: writer)
      }
    }
  }
}
