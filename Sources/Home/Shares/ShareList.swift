import JSON
import Rooms

/// The shares in which a person takes part, in their own room, and the device that reports the person's position.
struct ShareList: Subject {
  typealias State = PersonState

  var entries = Table<ID<Share>, ShareEntry>()
  var reporter = Single<Reporter>()
  /// Shares that name the person as a former receiver.
  private(set) var past = Table<ID<Share>, PastShare>()

  mutating func parts(_ part: inout some PartVisitor) {
    part("shares", &entries)
    part("reporter", &reporter)
    part("pastShares", &past, .hidden)
  }

  /// Adds a share of another person; of too many, those that end first leave the list.
  mutating func receive(_ entry: ShareEntry, _ share: ID<Share>) {
    entries[share] = entry
    let received = entries.filter { $0.value.role == .receiver }
    guard received.count > Limits.receivedShares else { return }
    let first = received.min { ($0.value.until, $0.key) < ($1.value.until, $1.key) }
    if let first { entries[first.key] = nil }
  }

  /// Remembers a share that goes on to name the person, until it must be over.
  mutating func remember(_ share: ID<Share>, at now: Instant) {
    let longest = Limits.shareDuration.upperBound
    past.removeAll { now - $1.leftAt > longest }
    past[share] = PastShare(leftAt: now)
    past.keep(Limits.receivedShares) { $0.leftAt }
  }

  /// The shares that may name the person.
  var known: Set<ID<Share>> { Set(entries.keys).union(past.keys) }

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
  /// Whether the sharer needs a ride, who drives, and when they mean to be there.
  var pickup: PickupState?
  var driver: ID<Person>?
  var driverName: String?
  var arriveBy: Instant?
  var state = ShareStatus.active

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("role", \.role)
    field("sharer", \.sharer)
    field("name", \.name)
    field("until", \.until)
    field("place", \.place)
    field("pickup", \.pickup)
    field("driver", \.driver)
    field("driverName", \.driverName)
    field("arriveBy", \.arriveBy)
    field("state", \.state)
  }
}

extension ShareEntry {
  mutating func closePickup() { (pickup, driver, driverName, arriveBy) = (nil, nil, nil, nil) }
}

/// A share that the person no longer receives, and that goes on for others.
struct PastShare: Record {
  var leftAt = Instant()

  static func fields(_ field: inout some FieldVisitor<Self>) { field("leftAt", \.leftAt) }
}

enum ShareRole: String, Word {
  case sharer, receiver
}

enum ShareStatus: String, Word {
  case active, arrived
}
