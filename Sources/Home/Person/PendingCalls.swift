import JSON
import Rooms

/// A call that changes several rooms and waits for the answer of another one.
struct PendingCall: Record {
  var at = Instant()
  /// What the call will add, if it succeeds: it counts towards the limits already.
  var household: ID<Household>?
  var share: ID<Share>?

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("at", \.at)
    field("household", \.household)
    field("share", \.share)
  }
}

extension CallReference {
  /// A key for a call, different for any two of a person.
  fileprivate var text: String { "\(client) \(seq)" }
}

extension PersonState {
  /// Lets the running call wait. The answer names the returned reference.
  mutating func wait(household: ID<Household>? = nil, share: ID<Share>? = nil, in context: Context) -> CallReference {
    let call = CallReference(context.call)
    pending[call.text] = PendingCall(at: context.now, household: household, share: share)
    upkeep.plan(context.now + Limits.reservation)
    return call
  }

  mutating func answer(_ call: CallReference?, _ answer: some Record, in context: Context) {
    guard let call else { return }
    pending[call.text] = nil
    context.complete(call.key, answer)
  }

  mutating func refuse(_ call: CallReference?, _ refusal: Refusal, in context: Context) {
    guard let call else { return }
    pending[call.text] = nil
    context.complete(call.key, refused: refusal)
  }

  /// Lets go of what calls have reserved whose other room is gone: the server has answered them.
  mutating func dropWaiting(at now: Instant) {
    for (key, waiting) in pending {
      let end = waiting.at + Limits.reservation
      if end <= now { pending[key] = nil } else { upkeep.plan(end) }
    }
  }
}
