import JSON
import Rooms

extension Trips {
  static let methods: [Method] = [.of(StartTrip.self), .of(DiscardTrip.self)]
}

struct TripAnswer: Record {
  var id = ID<Trip>()

  static func fields(_ field: inout some FieldVisitor<Self>) { field("id", \.id) }
}

/// Says that the caller goes shopping, so that the others can change the lists in time (GRO-7).
struct StartTrip: Mutation {
  static let method: StaticString = "trips.start"
  static let summary: StaticString =
    "Says that the caller goes shopping, so that the others can change the lists in time (GRO-7)."
  var id: ID<Trip>?
  /// The list that they shop for; all of them if it is absent.
  var list: ID<GroceryList>?

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("id", \.id)
    field("list", \.list)
  }

  func apply(to home: inout HouseholdState, in context: Context) throws(Refusal) -> TripAnswer {
    let buyer = try home.caller(context)
    let id = context.newID(id)
    try home.checkNew(id)
    let list = try list.map { id throws(Refusal) in try home.groceryLists.list(id) }
    try home.trips.check(newTripOf: context.person)
    var trip = Trip(by: context.person, at: context.now, list: self.list)
    if home.trips.mayAnnounce(by: context.person, at: context.now) {
      trip.isAnnounced = true
      home.notifyOthers(of: id, .shopping, by: context.person, named: buyer.name, list?.name, in: context)
    }
    home.trips.begin(trip, as: id)
    return TripAnswer(id: id)
  }
}

/// Ends a trip of the caller's without a purchase; the others are told while they think that it takes place (GRO-12).
struct DiscardTrip: Mutation {
  static let method: StaticString = "trips.discard"
  static let summary: StaticString =
    "Ends a trip of the caller's without a purchase; the others are told while they think that it takes place (GRO-12)."
  var id = ID<Trip>()

  static func fields(_ field: inout some FieldVisitor<Self>) { field("id", \.id) }

  func apply(to home: inout HouseholdState, in context: Context) throws(Refusal) -> NoAnswer {
    let buyer = try home.caller(context)
    let trip = try home.trips.trip(id)
    guard trip.by == context.person else {
      throw Refusal(.forbidden, "forbidden", "Only the buyer may discard a trip.")
    }
    home.end(id, in: context)
    if trip.state == .open, trip.isAnnounced == true {
      let list = trip.list.flatMap { home.groceryLists.lists[$0]?.name }
      home.notifyOthers(of: id, .shoppingCancelled, by: trip.by, named: buyer.name, list, in: context)
    }
    return NoAnswer()
  }
}

extension HouseholdState {
  fileprivate func notifyOthers(
    of trip: ID<Trip>, _ kind: NotificationKind, by buyer: ID<Person>, named name: String, _ list: String?,
    in context: Context
  ) {
    let notification = Notification(
      kind: kind, room: context.room.name, ref: trip.cast(), actor: buyer, actorName: name, at: context.now, name: list)
    for person in membership.members.keys where person != buyer { notify(person, notification, in: context) }
  }

  /// Ends a trip: nobody needs to hurry any longer.
  mutating func end(_ id: ID<Trip>, in context: Context) {
    trips.trips[id] = nil
    forget(id, at: context.now)
    resolve(id.cast(), in: context)
    dropLateMarks(in: context)
  }

  /// Drops the trips of a member who leaves: nobody else can complete them (HH-10).
  mutating func leaveTrips(_ person: ID<Person>, in context: Context) {
    for id in trips.trips.keys(where: { $0.by == person }) { end(id, in: context) }
    trips.announcements[person] = nil
    groceryLists.forget(person)
  }

  /// Takes the marks of late additions away where nobody is shopping any longer.
  mutating func dropLateMarks(in context: Context) {
    let open = trips.trips.values.filter { $0.state == .open }
    for id in list.groceries.keys(where: { line in
      line.isLate == true && !open.contains { $0.covers(line.list) }
    }) {
      guard var line = list.groceries[id] else { continue }
      line.isLate = nil
      put(line, at: id, in: context)
    }
  }
}
