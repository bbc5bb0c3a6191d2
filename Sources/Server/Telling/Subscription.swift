import Platform
import Rooms

/// One session's watch of one room: a position, no queue (DESIGN "Patches compose").
final class Subscription {
  /// Ends with the connection, which lets go of its subscriptions then.
  let session: Session
  let seat: Seat
  /// The version that the client has, once all that was given to its stream arrives.
  var position: Int64
  /// When something of this room was last sent.
  @Nanoseconds var toldAt: Duration
  /// The stream was full: what came after `position` is sent merged when it has drained.
  var lag: Lag?

  var isBehind: Bool { lag != nil }

  init(session: Session, seat: Seat, position: Int64, toldAt: Duration) {
    self.session = session
    self.seat = seat
    self.position = position
    self.toldAt = toldAt
  }
}

/// How far behind a subscription is whose client is slow.
final class Lag {
  /// Changes after the position are being read from the store, or have been.
  var isReading = false
  var older: Ring.Entry?
  /// Live parts have changed, too.
  var isOfLive = false
}
