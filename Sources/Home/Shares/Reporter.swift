import JSON
import Rooms

/// The device that reports a person's position while they share it: the first to report, until another takes over
/// (LOC-35). Otherwise a tablet at home could report an arrival.
struct Reporter: Record {
  var client: ID<Client>?
  var since: Instant?

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("client", \.client)
    field("since", \.since)
  }
}

extension PersonState {
  /// Accepts a report only from the reporting device; if there is none yet, the sender becomes it.
  mutating func take(_ report: Report, in context: Context) throws(Refusal) {
    guard shares.hasOwn, let client = context.client else { return }
    guard let reporting = shares.reporter.value.client else {
      shares.reporter.value = Reporter(client: client, since: context.now)
      return
    }
    if reporting != client { throw .otherDevice }
  }
}

/// Makes the calling device the one that reports the caller's position (LOC-35).
struct TakeOverShares: Mutation {
  static let method: StaticString = "shares.takeOver"
  static let summary: StaticString = "Makes the calling device the one that reports the caller's position (LOC-35)."
  static let needsEncryption = true

  static func fields(_ field: inout some FieldVisitor<Self>) {}

  func apply(to me: inout PersonState, in context: Context) throws(Refusal) -> NoAnswer {
    guard me.shares.hasOwn else {
      throw Refusal(.notFound, "share", "You share your position with nobody at the moment.")
    }
    if let client = context.client, me.shares.reporter.value.client != client {
      me.shares.reporter.value = Reporter(client: client, since: context.now)
    }
    return NoAnswer()
  }
}

extension Refusal {
  static var otherDevice: Refusal {
    Refusal(.conflict, "otherDevice", "Another device of yours reports your position: take over first.")
  }
}
