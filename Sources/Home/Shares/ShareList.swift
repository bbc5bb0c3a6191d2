import JSON
import Rooms

/// The shares in which a person takes part, in their own room, and the device that reports the person's position.
struct ShareList: Subject {
  typealias State = PersonState

  var entries = Table<ID<Share>, ShareEntry>()
  var reporter = Single<Reporter>()

  mutating func parts(_ part: inout some PartVisitor) {
    part("shares", &entries)
    part("reporter", &reporter)
  }

  /// Adds a share of another person; of too many, those that end first leave the list.
  mutating func receive(_ entry: ShareEntry, _ share: ID<Share>) {
    entries[share] = entry
    let received = entries.filter { $0.value.role == .receiver }
    guard received.count > Limits.receivedShares else { return }
    let first = received.min { ($0.value.until, $0.key) < ($1.value.until, $1.key) }
    if let first { entries[first.key] = nil }
  }

  var hasOwn: Bool { !entries.keys { $0.role == .sharer }.isEmpty }
}

/// A share of which the person is the sharer or a receiver, as listed in their own room (LOC-22).
struct ShareEntry: Record {
  var role = ShareRole.receiver
  var sharer = ID<Person>()
  /// The sharer's name.
  var name = ""
  var until = Instant()
  /// The sharer's name for the destination.
  var place: String?
  /// Whether the sharer needs a ride.
  var pickup: PickupState?
  var state = ShareStatus.active

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("role", \.role)
    field("sharer", \.sharer)
    field("name", \.name)
    field("until", \.until)
    field("place", \.place)
    field("pickup", \.pickup)
    field("state", \.state)
  }
}

enum ShareRole: String, Word {
  case sharer, receiver
}

enum ShareStatus: String, Word {
  case active, arrived
}
