import JSON
import Rooms

/// The calls of a person that change several rooms and await another room's answer.
struct PendingCalls: Subject {
  typealias State = PersonState
  /// By client and number.
  var calls = Table<String, PendingCall>()
  private(set) var due = DueTime()

  mutating func parts(_ part: inout some PartVisitor) { part("pending", &calls, .hidden) }

  mutating func planAll() { for call in calls.values { due.plan(call.end) } }

  mutating func add(_ call: PendingCall, _ reference: CallReference) {
    calls[reference.text] = call
    due.plan(call.end)
  }

  mutating func remove(_ reference: CallReference) { calls[reference.text] = nil }

  /// The calls of the person, whose own room this is.
  func references(of person: ID<Person>) -> [CallReference] {
    calls.keys.sorted().compactMap { CallReference(text: $0, of: person) }
  }

  /// Drops the reservations of calls whose other room has ended: the server has answered them.
  private mutating func expire(at now: Instant) {
    for key in calls.keys(where: { $0.end <= now }) { calls[key] = nil }
    due = DueTime()
    planAll()
  }

  static func fallDue(in me: inout PersonState, _ context: Context) { me.pending.expire(at: context.now) }
}

/// A call that awaits another room's answer.
struct PendingCall: Record {
  var at = Instant()
  /// The household or share that the call adds if it succeeds: it already counts towards the limits.
  var household: ID<Household>?
  var share: ID<Share>?

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("at", \.at)
    field("household", \.household)
    field("share", \.share)
  }

  var end: Instant { at + Limits.reservation }
}

extension CallReference {
  /// A key for a call, unique among the person's calls.
  fileprivate var text: String { "\(client) \(seq)" }

  fileprivate init?(text: String, of person: ID<Person>) {
    let parts = text.split(separator: " ")
    guard parts.count == 2, let client = ID<Client>(String(parts[0])), let number = Int64(parts[1]) else { return nil }
    self.init(CallKey(person: person, client: client, number: number))
  }
}
