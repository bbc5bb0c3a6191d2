import JSON
import Rooms

/// The reason why a share is over (LOC-34).
enum ShareEndReason: String, Word {
  /// The time that the sharer chose has passed.
  case timeUp
  /// The sharer is at the destination.
  case arrived
  /// The time passed before the sharer was at the destination.
  case notArrived
  /// The time passed while the sharer was at their place, where they were from the beginning.
  case neverLeft
  /// The sharer has deleted their account (ACC-9).
  case deleted
  /// All receivers have deleted theirs.
  case noReceivers
  /// The sharer or the receiver has blocked the other.
  case blocked
  /// The sharer has stopped, as the share allows (LOC-11, LOC-12).
  case stopped
  /// The sharer has ended it from another device (LOC-11).
  case phoneLost
  /// For a receiver who has left: the share may go on (LOC-10).
  case left
}

/// The end of which the sharer has been warned.
struct EndWarning: Record {
  var until: Instant?

  static func fields(_ field: inout some FieldVisitor<Self>) { field("until", \.until) }
}

/// The end of a share: sharer and receivers are notified once, with the reason (LOC-17, LOC-34).
extension ShareState {
  func isRunning(at now: Instant) -> Bool {
    // The end may have passed before the timer fires.
    share.value.endedAt == nil && share.value.until.map { $0 > now } ?? false
  }

  var hasArrived: Bool { share.value.arrival == .arrived }

  /// The reason for the end if the time is up.
  var reasonAtEnd: ShareEndReason {
    if hasArrived { return .arrived }
    if share.value.place == nil { return .timeUp }
    return share.value.arrival == .alreadyInside ? .neverLeft : .notArrived
  }

  /// The time to warn the sharer of the end: once for each end, and not after an arrival.
  var warningDue: Instant? {
    guard let until = share.value.until, warning.value.until != until, !hasArrived else { return nil }
    return until - Limits.endWarning
  }

  mutating func warn(in context: Context) {
    guard case .share(let id) = context.room else { return }
    warning.value.until = share.value.until
    let notification = Notification(
      kind: .ending, room: context.room.name, ref: id.cast(), at: context.now, until: share.value.until,
      place: share.value.place?.label.text)
    context.send(Notify(notification: notification), to: .person(share.value.sharer))
  }

  /// The sharer is at their place, which ends the share: at once, or a little later if a driver had accepted to come
  /// (LOC-17).
  mutating func arrive(at instant: Instant?, in context: Context) {
    share.value.arrivedAt = instant
    guard pickup.value.hasDriver, let until = share.value.until, case .share(let id) = context.room else {
      return end(.arrived, in: context)
    }
    let soon = min(until, context.now + Limits.arrivedAge)
    share.value.until = soon
    pickup.value = Pickup()
    stopRequest.value = StopRequest()
    clearDenials()
    for person in everybody { context.send(ShareArrived(share: id, until: soon), to: .person(person)) }
  }

  /// Ends the share, and closes the pick-up (LOC-14). The position goes with the room (LOC-24): if the end cannot be
  /// committed, the share goes on with the position that the receivers have.
  mutating func end(_ reason: ShareEndReason, in context: Context) {
    guard case .share(let id) = context.room else { return }
    pickup.value = Pickup()
    stopRequest.value = StopRequest()
    let isMissing = reason == .notArrived
    let message = ShareEnded(
      share: id, reason: reason, fixedAt: isMissing ? position.value.at : nil,
      battery: isMissing ? position.value.battery : nil)
    share.value.endedAt = context.now
    share.value.reason = reason
    for person in everybody { context.send(message, to: .person(person)) }
    context.endRoom(reason: "ended")
  }
}
