import JSON
import Rooms

/// The device that reports a person's position while they share it: the first to report, until another takes over
/// (LOC-35). A tablet at home must not arrive safely.
///
/// A device is a log-in, whatever its calls come by: sockets of several tabs, or requests that each have a key.
struct Reporter: Record {
  var session: ID<Session>?
  /// The client that became it, if its call named one.
  var client: ID<Client>?
  var since: Instant?

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("session", \.session)
    field("client", \.client)
    field("since", \.since)
  }

  init() {}

  init(_ session: ID<Session>, in context: Context) {
    self.session = session
    client = context.client.flatMap { $0 == ID() || $0.isIdempotencyKey ? nil : $0 }
    since = context.now
  }
}

extension PersonState {
  /// Accepts a report only from the reporting device; if there is none yet, the sender becomes it.
  mutating func take(_ report: Report, in context: Context) throws(Refusal) {
    guard shares.hasOwn, let session = context.session else { return }
    guard let reporting = shares.reporter.value.session else {
      shares.reporter.value = Reporter(session, in: context)
      return
    }
    if reporting != session { throw .otherDevice }
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
    if let session = context.session, me.shares.reporter.value.session != session {
      me.shares.reporter.value = Reporter(session, in: context)
    }
    return NoAnswer()
  }
}

extension Refusal {
  static var otherDevice: Refusal {
    Refusal(.conflict, "otherDevice", "Another device of yours reports your position: take over first.")
  }
}
