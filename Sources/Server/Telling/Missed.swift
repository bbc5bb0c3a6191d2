import Platform
import Rooms

/// Changes that have left a room's memory are read from the store (SYN-9).
extension RoomTeller {
  /// How often the store is read again because the room has gone on meanwhile.
  private static let missedReads = 4

  /// Reads the changes of a room since `version`, up to where its memory begins.
  func findMissed(
    since version: Int64, of id: RoomID, behind older: Ring.Entry? = nil, reads: Int = missedReads,
    then done: @escaping (Ring.Entry?) -> Void
  ) {
    shard.services.store.missed(
      of: id, since: older?.version ?? version,
      reply: Reply(on: loop.poster) { [unowned self] result in
        if case .failure(let error) = result {
          shard.services.log(.error, "changes.unreadable", ["room": "\(id.text)", "why": "\(error)"])
        }
        guard case .success(let found?) = result else { return done(nil) }
        var composer = Ring.Composer(since: version)
        if let older { composer.add(older) }
        composer.add(found)
        guard let joined = composer.entry else { return done(nil) }
        guard let room = shard.rooms.seat(of: id)?.room, room.isBeyondRing(joined.version), reads > 1 else {
          return done(joined)
        }
        findMissed(since: version, of: id, behind: joined, reads: reads - 1, then: done)
      })
  }
}
