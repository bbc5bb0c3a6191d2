import JSON
import Rooms

/// The trips of members who have gone shopping, until they are completed or discarded (GRO-7, GRO-12).
///
/// The lines of a trip are those that its buyer has checked since it began: a check mark says by whom and when.
struct Trips: Subject {
  typealias State = HouseholdState

  var trips = Table<ID<Trip>, Trip>()
  /// The newest announcement of each member's trips.
  var announcements = Table<ID<Person>, TripAnnouncement>()
  private(set) var due = DueTime()

  mutating func parts(_ part: inout some PartVisitor) {
    part("trips", &trips)
    part("tripAnnouncements", &announcements, .hidden)
  }

  mutating func planAll() {
    for trip in trips.values where trip.state == .open { due.plan(trip.end) }
  }

  func trip(_ id: ID<Trip>) throws(Refusal) -> Trip {
    guard let trip = trips[id] else { throw .gone("This trip") }
    return trip
  }

  /// Refuses a member who is shopping already, or has left too many trips unfinished.
  func check(newTripOf person: ID<Person>) throws(Refusal) {
    let own = trips.filter { $0.value.by == person }
    if let open = own.first(where: { $0.value.state == .open })?.key {
      var refusal = Refusal(.conflict, "alreadyShopping", "You are shopping already.")
      refusal.details["trip"] = .string(open.description)
      throw refusal
    }
    if own.count >= Limits.trips {
      throw .full("trips", "At most \(Limits.trips) trips of a member may be unfinished: complete or discard one.")
    }
  }

  /// Whether a member's trip may be announced: not again within ten minutes.
  mutating func mayAnnounce(by person: ID<Person>, at now: Instant) -> Bool {
    if let last = announcements[person], now - last.at < Limits.announcementPause, now >= last.at { return false }
    announcements[person] = TripAnnouncement(at: now)
    return true
  }

  mutating func begin(_ trip: Trip, as id: ID<Trip>) {
    trips[id] = trip
    due.plan(trip.end)
  }

  /// A trip for a list that is gone goes on for all of them.
  mutating func listRemoved(_ list: ID<GroceryList>) {
    for id in trips.keys(where: { $0.list == list }) { trips[id]?.list = nil }
  }

  /// Ends the time of trips that were begun long ago. Returns their ids.
  private mutating func unsettle(at now: Instant) -> [ID<Trip>] {
    let over = trips.keys { $0.state == .open && $0.end <= now }
    for id in over { trips[id]?.state = .unsettled }
    due = DueTime()
    planAll()
    return over
  }

  static func fallDue(in home: inout HouseholdState, _ context: Context) {
    for id in home.trips.unsettle(at: context.now) { home.resolve(id.cast(), in: context) }
    home.dropLateMarks(in: context)
  }
}

/// A member's trip to the shops.
struct Trip: Record {
  var by = ID<Person>()
  var at = Instant()
  /// The list that it is for; all of them if it is absent.
  var list: ID<GroceryList>?
  var state = TripState.open
  /// `true` if the others were told of it.
  var isAnnounced: Bool?

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("by", \.by)
    field("at", \.at)
    field("list", \.list)
    field("state", \.state)
    field("announced", \.isAnnounced)
  }

  /// The time from which on it is no longer announced.
  var end: Instant { at + Limits.tripAge }

  func covers(_ list: ID<GroceryList>?) -> Bool { self.list == nil || self.list == list }
}

/// Open while the buyer is shopping; then unsettled, until it is completed or discarded.
enum TripState: String, Word {
  case open, unsettled
}

/// The time at which the others were told last that a member goes shopping.
struct TripAnnouncement: Record {
  var at = Instant()

  static func fields(_ field: inout some FieldVisitor<Self>) { field("at", \.at) }
}
