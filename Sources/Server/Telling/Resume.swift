import JSON
import Platform
import Rooms

/// One `room.subscribe` on its way to its answer, which is the whole state or what the client has missed.
///
/// The room's seat holds it until it is answered.
final class Resume {
  private enum Phase {
    /// The store is being read for changes that have left the room's memory.
    case reading
    /// The answer waits for the commit of what the room contains. `older` is one patch from the client's version on,
    /// of changes that may have left the room's memory.
    case waiting(older: Ring.Entry?)
    /// The answer is written as of a sealed version, and leaves behind the commit of that.
    case frozen(FirstAnswer)
    case answered
  }

  /// The first answer to a subscription, as of a sealed version.
  private struct FirstAnswer {
    var version: Int64
    /// Members of the result up to the live document, which is added when the answer leaves.
    var members: [UInt8]
    var mark: Int64
  }

  private unowned let shard: Shard
  private let caller: Caller
  private let epoch: String?
  private let version: Int64?
  private var phase = Phase.waiting(older: nil)
  /// The client has unsubscribed meanwhile; its call is answered all the same.
  private var isWithdrawn = false

  init(_ caller: Caller, epoch: String?, version: Int64?, _ shard: Shard) {
    self.caller = caller
    self.epoch = epoch
    self.version = version
    self.shard = shard
  }

  var session: Session { caller.session }

  func withdraw() { isWithdrawn = true }

  // MARK: reading

  /// Answers now, or behind the commit of what the room contains, or after reading what has left the room's memory.
  func begin(in seat: Seat, _ room: Room) {
    guard let version, epoch == shard.teller.epoch(of: seat, for: session) else { return enter(seat, room, older: nil) }
    guard room.isBeyondRing(version) else {
      // The commit that the answer waits for may evict from memory what has been missed so far.
      return enter(seat, room, older: seat.pendingGroup == nil ? nil : room.ring.patch(since: version))
    }
    phase = .reading
    seat.resumes.append(self)
    shard.teller.findMissed(since: version, of: seat.id) { [self, seat] older in
      seat.resumes.removeAll { $0 === self }
      shard.rooms.withSeat(seat.id) { [self] in take(older, since: version, in: $0) }
    }
  }

  private func take(_ older: Ring.Entry?, since version: Int64, in seat: Seat) {
    guard let person = session.person, let room = seat.room, room.isOpen(to: person) else {
      return refuse(.noRoom(seat))
    }
    // Up to the room's present version: until the answer leaves, no more than one commit follows.
    enter(seat, room, older: older.flatMap { room.ring.patch(since: version, behind: $0) })
  }

  // MARK: waiting

  private func enter(_ seat: Seat, _ room: Room, older: Ring.Entry?) {
    phase = .waiting(older: older)
    if seat.pendingGroup != nil {
      seat.resumes.append(self)
      shard.commits.openGroup(of: seat).resumes.append(self)
    } else {
      freeze(room, of: seat)
      admit(to: seat, room)
    }
  }

  /// Writes the answer as of the room's sealed version.
  func freeze(_ room: Room, of seat: Seat) {
    guard case .waiting(let older) = phase else { return }
    let members = shard.work.members.lend { writer in
      write(room, of: seat, behind: older, to: writer)
      return writer.bytes()
    }
    let mark = room.mark(of: session.person ?? ID(), session.client)
    phase = .frozen(FirstAnswer(version: room.sealedVersion, members: members, mark: mark))
  }

  private func write(_ room: Room, of seat: Seat, behind older: Ring.Entry?, to writer: Writer) {
    writer.key("room")
    writer.string(seat.name)
    let current = shard.teller.epoch(of: seat, for: session)
    writer.key("epoch")
    writer.string(current)
    writer.key("version")
    writer.int(Int(room.sealedVersion))
    let outcome: String
    if let missed = missed(of: room, current, behind: older) {
      outcome = "patch"
      writer.key("from")
      writer.int(Int(missed.from))
      writer.key("patch")
      writer.value(shard.teller.visible(missed.patch, of: seat, to: session))
    } else {
      outcome = reason(room, current)
      writer.key("state")
      writer.value(shard.teller.visible(shard.teller.states.state(of: room), of: seat, to: session))
      writer.key("reason")
      writer.string(outcome)
    }
    shard.counters.resumes[outcome, default: 0] += 1
  }

  private func missed(of room: Room, _ current: String, behind older: Ring.Entry?) -> Ring.Entry? {
    guard epoch == current, let version, version <= room.sealedVersion else { return nil }
    // Composed already.
    if let older, older.from == version, older.version == room.sealedVersion { return older }
    return room.missed(since: version, behind: older)
  }

  /// Why the answer is the whole state.
  private func reason(_ room: Room, _ current: String) -> String {
    guard let version, let epoch else { return "new" }
    if epoch != current { return "epoch" }
    return version > room.sealedVersion ? "ahead" : "tooOld"
  }

  // MARK: answer

  /// Answers the subscription and begins to tell the client of changes.
  func admit(to seat: Seat, _ room: Room) {
    seat.resumes.removeAll { $0 === self }
    guard session.isOpen else { return }
    guard let person = session.person, room.isOpen(to: person), case .frozen(let first) = phase else {
      return refuse(.noRoom)
    }
    phase = .answered
    shard.unwatch(session, seat)
    shard.teller.live.tellHeld(of: seat)
    shard.answer(caller) { writer in
      writer.value(first.members)
      writer.key("live")
      room.writeLive(to: writer)
      writer.key("seq")
      writer.int(Int(first.mark))
    }
    if isWithdrawn { return shard.neighbours.noteUnwatched(session) }
    let subscription = Subscription(
      session: session, seat: seat, position: first.version, toldAt: shard.loop.uptime)
    seat.subscriptions.append(subscription)
    session.subscriptions.append(subscription)
    shard.notePresence(of: person, in: seat)
  }

  /// The commit that the answer waited for has failed.
  func fail(_ refusal: [UInt8], of seat: Seat) {
    seat.resumes.removeAll { $0 === self }
    phase = .answered
    shard.neighbours.noteUnwatched(session)
    shard.deliver(caller, member: refusal)
  }

  private func refuse(_ refusal: Refusal) {
    phase = .answered
    shard.neighbours.noteUnwatched(session)
    shard.refuse(caller, refusal)
  }
}
