import Platform
import Rooms

/// Changes that are older than what a room has in memory are read from the store (SYN-9).
extension Shard {
  /// How often the store is asked again because the room has gone on meanwhile.
  private static let missedReads = 4

  /// Reads what a client has missed, then lets it watch the room.
  func readMissed(by call: SubscribeCall, since version: Int64, in seat: Seat) {
    let read = MissedRead(call.caller.session)
    seat.reads.append(read)
    findMissed(since: version, of: seat.id) { [unowned self, seat] older in
      seat.reads.removeAll { $0 === read }
      withSeat(seat.id) { [unowned self] seat in
        guard let person = read.session.person, let room = seat.room, admits(person, to: room) else {
          noteUnwatched(read.session)
          return refuse(call.caller, .noRoom(seat))
        }
        var call = call
        // As far as the room has come by now: until it is told, no more than one commit follows.
        call.older = older.flatMap { room.ring.patch(since: version, behind: $0) }
        enter(Subscriber(call: call, isWithdrawn: read.isWithdrawn), seat, room)
      }
    }
  }

  /// Reads what a slow client has missed, then leads it on.
  func readMissed(by subscription: Subscription) {
    subscription.lag?.isReading = true
    findMissed(since: subscription.position, of: subscription.seat.id) { [unowned self, weak subscription] older in
      guard let subscription else { return }
      subscription.lag?.isReading = false
      let seat = subscription.seat
      guard seat.subscriptions.contains(where: { $0 === subscription }) else { return }
      guard let older else { return close(seat, reason: "tooFarBehind") { $0 === subscription } }
      // Not kept for somebody who is in no haste: it is read again.
      if isFull(subscription.session) { return }
      subscription.lag?.older = older
      catchUp(subscription.session)
    }
  }

  /// What the store has of a room's changes since `version`, up to where memory begins.
  private func findMissed(
    since version: Int64, of id: RoomID, behind older: Ring.Entry? = nil, reads: Int = missedReads,
    then done: @escaping (Ring.Entry?) -> Void
  ) {
    services.store.missed(
      of: id, since: older?.version ?? version,
      reply: Reply(on: loop.poster) { [unowned self] result in
        if case .failure(let error) = result {
          services.log(.error, "changes.unreadable", ["room": "\(id.text)", "why": "\(error)"])
        }
        guard case .success(let found?) = result else { return done(nil) }
        var composer = Ring.Composer(since: version)
        if let older { composer.add(older) }
        composer.add(found)
        guard let joined = composer.entry else { return done(nil) }
        guard let room = seats[id]?.room, room.isBeyondRing(joined.version), reads > 1 else { return done(joined) }
        findMissed(since: version, of: id, behind: joined, reads: reads - 1, then: done)
      })
  }
}

/// A subscription that waits for what it has missed.
final class MissedRead {
  let session: Session
  /// The client does not want to watch the room any more; the call is answered all the same.
  var isWithdrawn = false

  init(_ session: Session) { self.session = session }
}
