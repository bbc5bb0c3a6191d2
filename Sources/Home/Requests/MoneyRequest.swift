import JSON
import Rooms

/// A wish to get money from others, each of whom accepts or declines their part (BIL-17).
struct MoneyRequest: Record {
  var title = ""
  /// ISO 4217.
  var currency = ""
  /// By person, what they are asked for.
  var parts: SmallMap<ID<Person>, RequestPart> = [:]
  /// The platform on which the author likes to be paid.
  var platform: PaymentPlatform?
  var note: String?
  var author = ID<Person>()
  var at = Instant()
  /// Until when it can be accepted.
  var until = Instant()
  /// The id of the request before it was cancelled and brought back.
  var was: ID<MoneyRequest>?
  /// When it was over: only in the history.
  var closedAt: Instant?

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("title", \.title)
    field("currency", \.currency)
    field("parts", \.parts)
    field("platform", \.platform)
    field("note", \.note)
    field("author", \.author)
    field("at", \.at)
    field("until", \.until)
    field("was", \.was)
    field("closedAt", \.closedAt)
  }

  /// The persons whose parts are in a state.
  func people(_ state: RequestState) -> [ID<Person>] { parts.filter { $0.value.state == state }.map(\.key).sorted() }

  /// Whether nobody is to answer or to pay any longer.
  var isOver: Bool { parts.values.allSatisfy { $0.state != .pending && $0.state != .accepted } }

  mutating func move(_ person: ID<Person>, to state: RequestState, at now: Instant) {
    parts[person]?.state = state
    parts[person]?.at = now
  }
}

/// The part of one person, who is asked for it.
struct RequestPart: Record {
  /// In minor units, above 0.
  var amount = 0
  var state = RequestState.pending
  /// Since when it is in this state.
  var at = Instant()
  /// The bill that was posted when it was accepted.
  var bill: ID<Bill>?
  /// Why it was declined.
  var reason: String?

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("amount", \.amount)
    field("state", \.state)
    field("at", \.at)
    field("bill", \.bill)
    field("reason", \.reason)
  }
}

enum RequestState: String, Word {
  /// The person has not answered yet.
  case pending
  /// They owe it: a bill is posted.
  case accepted
  /// That bill is paid.
  case paid
  case declined
  /// The author has cancelled it, or one of both has left; or the bill was removed.
  case cancelled
  /// They have not answered in time.
  case expired
}
