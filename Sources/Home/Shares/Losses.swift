import JSON
import Rooms

/// The reason why a sharer's position is no longer known (LOC-25).
enum LossCause: String, Word {
  /// The phone has not reported for `Limits.contactAge`.
  case noContact
  /// The phone reports, but has no position.
  case noFix
}

/// A position that is too old is lost: the receivers are notified once, and again when it is back (LOC-25).
extension ShareState {
  /// When the position will be lost if no newer fix comes; nothing is lost after the sharer has arrived. A phone that
  /// never reports is lost like one that stops.
  var lossDue: Instant? {
    guard share.value.lost == nil, !hasArrived else { return nil }
    return (position.value.at ?? share.value.startedAt) + Limits.lossAge
  }

  mutating func lose(in context: Context) {
    // Not `lossAge`: the last fix is older than its report, so a phone that has been silent since would count as
    // reachable.
    let isThere = link.value.at.map { context.now - $0 <= Limits.contactAge } ?? false
    share.value.lost = isThere ? .noFix : .noContact
    share.value.lostAt = context.now
    tellReceivers(.lost, in: context)
  }

  /// Handles a report: tracking begins with the first one, and a recent fix ends a loss.
  mutating func noteReport(in context: Context) {
    if share.value.trackedAt == nil { share.value.trackedAt = context.now }
    guard share.value.lost != nil, let at = position.value.at, context.now - at < Limits.lossAge else { return }
    share.value.lost = nil
    share.value.lostAt = nil
    tellReceivers(.back, in: context)
  }
}
