import Crypto
import Rooms

/// What is remembered of something that is gone: its id is not used again (R-DEL).
struct Removed: Record {
  var at = Instant()

  static func fields(_ field: inout some FieldVisitor<Self>) { field("at", \.at) }
}

/// When a room must look again whether something falls due: never later than that is so.
///
/// It is only ever moved forward in time by `fallDue`, which looks at everything; whatever is added moves it back if
/// need be. So the next due time of a room costs nothing to know, and a look too many does no harm.
struct Upkeep: Record {
  var due: Instant?
  /// Events so far: the `n` of the newest activity.
  var activity = 0

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("due", \.due)
    field("activity", \.activity)
  }
}

extension Single<Upkeep> {
  /// Something falls due at `instant`.
  mutating func plan(_ instant: Instant?) {
    guard let instant, instant < value.due ?? Instant(milliseconds: .max) else { return }
    value.due = instant
  }
}

extension Table<ID<Removed>, Removed> {
  func contains<Of>(_ id: ID<Of>) -> Bool { contains(id.cast(to: Removed.self)) }

  mutating func remember<Of>(_ id: ID<Of>, at now: Instant) { self[id.cast()] = Removed(at: now) }

  /// Forgets what has been gone for long enough, and tells when to look again.
  mutating func sweep(at now: Instant) -> Instant? {
    removeAll { _, removed in now - removed.at >= Limits.removedAge }
    let oldest = values.map(\.at).min()
    // At most once a day: a few hours more do not matter to what is 30 days old.
    return oldest.map { Swift.max($0 + Limits.removedAge, now + .seconds(24 * 3600)) }
  }
}

extension ID {
  /// The first 16 bytes of SHA-256(kind ‖ cause) as a UUID of version 8 (DESIGN "Random, ids, secrets"): the same
  /// cause has the same id, however often it is told.
  static func derived(_ kind: String, _ cause: [UInt8]) -> ID {
    let hash = SHA256.hash(Array(kind.utf8) + [0], cause)
    let id = ID(bytes: hash.prefix(16)) ?? ID()
    return ID(high: id.high & ~0xF000 | 0x8000, low: id.low & ~(3 << 62) | 2 << 62)
  }
}
