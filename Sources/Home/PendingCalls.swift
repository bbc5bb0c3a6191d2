import JSON
import Rooms

/// A call that changes several rooms and waits for the answer of another one.
struct PendingCall: Record {
  var call = CallReference()
  var at = Instant()
  /// What the call will add, if it succeeds: it counts towards the limits already.
  var household: ID<Household>?
  var share: ID<Share>?

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("call", \.call)
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
    pending[call.text] = PendingCall(call: call, at: context.now, household: household, share: share)
    upkeep.plan(context.now + Limits.answer)
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

  /// Answers calls whose other room has not answered: it is gone, or what it says will come too late.
  mutating func giveUpWaiting(in context: Context) {
    for (key, waiting) in pending {
      let end = waiting.at + Limits.answer
      if end <= context.now {
        pending[key] = nil
        context.complete(waiting.call.key, refused: .gone("What this was about"))
      } else {
        upkeep.plan(end)
      }
    }
  }
}
