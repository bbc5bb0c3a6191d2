import JSON
import Rooms
import Testing

@testable import Home

@Suite("Trips to the shops")
struct TripTests {
  let id = ID<Household>(high: 0xB000, low: 1)
  let world = World()

  func trip(_ low: UInt64) -> ID<Trip> { ID(high: 0xD200, low: low) }
  func list(_ low: UInt64) -> ID<GroceryList> { ID(high: 0xD100, low: low) }
  func item(_ low: UInt64) -> ID<Grocery> { ID(high: 0xD000, low: low) }

  @discardableResult
  func call(_ person: ID<Person>, _ method: String, _ parameters: JSON = [:]) throws -> JSON {
    try world.call(person, method, in: .household(id), parameters)
  }

  /// The notifications of a person about trips, and whether each is unread.
  func told(_ person: ID<Person>) throws -> [String] {
    try world.me(person).inbox.notifications.values.filter { [.shopping, .shoppingCancelled].contains($0.kind) }
      .map { ($0.at, $0.kind.rawValue + ($0.readAt == nil ? "" : " read")) }.sorted { $0 < $1 }.map(\.1)
  }

  func trips() throws -> Table<ID<Trip>, Trip> { try world.home().trips.trips }
  func isLate(_ low: UInt64) throws -> Bool? { try world.home().list.groceries[item(low)]?.isLate }

  @Test("GRO-7: the others are told once that a member goes shopping, and a member has one open trip")
  func start() throws {
    let people = try world.household(of: "Ana", "Ben", "Cem")
    try call(people[0], "lists.create", ["id": .id(list(1)), "name": "Market"])
    #expect(try call(people[0], "trips.start", ["id": .id(trip(1)), "list": .id(list(1))])["id"] == .id(trip(1)))
    #expect(try trips()[trip(1)] == Trip(by: people[0], at: world.now, list: list(1), isAnnounced: true))
    #expect(try people.map(told) == [[], ["shopping"], ["shopping"]])
    let notification = try #require(
      try world.me(people[1]).inbox.notifications.values.first { $0.kind == .shopping })
    #expect(notification.actor == people[0] && notification.actorName == "Ana" && notification.name == "Market")
    #expect(notification.ref == trip(1).cast() && notification.room == RoomID.household(id).name)
    let second = refusal { try call(people[0], "trips.start") }
    #expect(second?.code == .conflict && second?.reason == "alreadyShopping")
    #expect(second?.details["trip"] == .id(trip(1)))
    #expect(reason { try call(people[1], "trips.start", ["id": .id(trip(1))]) } == "conflict/exists")
    #expect(reason { try call(people[1], "trips.start", ["list": .id(list(2))]) } == "notFound/gone")
    try call(people[1], "trips.start", ["id": .id(trip(2))])
    #expect(try trips()[trip(2)]?.list == nil && people.map { try told($0).count } == [1, 1, 2])
  }

  @Test("GRO-7: a buyer's trips are announced at most once in ten minutes, and a silent one is discarded silently")
  func pause() throws {
    let people = try world.household(of: "Ana", "Ben")
    try call(people[0], "trips.start", ["id": .id(trip(1))])
    try call(people[0], "trips.discard", ["id": .id(trip(1))])
    #expect(try told(people[1]) == ["shopping read", "shoppingCancelled"])
    world.advance(.seconds(599))
    try call(people[0], "trips.start", ["id": .id(trip(2))])
    #expect(try trips()[trip(2)]?.isAnnounced == nil)
    try call(people[0], "trips.discard", ["id": .id(trip(2))])
    #expect(try told(people[1]).count == 2)
    // A silent trip does not begin the pause again.
    world.advance(.seconds(1))
    try call(people[0], "trips.start", ["id": .id(trip(3))])
    #expect(try told(people[1]).count == 3 && trips()[trip(3)]?.isAnnounced == true)
    #expect(try told(people[0]).isEmpty)
  }

  @Test("GRO-7: a clock that is set back does not keep a trip from being announced")
  func clock() throws {
    let people = try world.household(of: "Ana", "Ben")
    try call(people[0], "trips.start", ["id": .id(trip(1))])
    try call(people[0], "trips.discard", ["id": .id(trip(1))])
    world.now = world.now - .seconds(86_400)
    try call(people[0], "trips.start")
    #expect(try told(people[1]).count == 3)
  }

  @Test("GRO-7, R-MERGE: what others add while somebody shops is late; it merges only into what is not checked")
  func late() throws {
    let people = try world.household(of: "Ana", "Ben")
    try call(people[1], "groceries.add", ["id": .id(item(1)), "name": "Milk"])
    try call(people[1], "groceries.add", ["id": .id(item(2)), "name": "Eggs"])
    try call(people[1], "groceries.add", ["id": .id(item(8)), "name": "Ham", "personal": true])
    try call(people[0], "trips.start", ["id": .id(trip(1))])
    try call(people[0], "groceries.check", ["id": .id(item(1)), "checked": true])
    #expect(try call(people[1], "groceries.add", ["id": .id(item(3)), "name": "milk"])["line"] == nil)
    #expect(try isLate(3) == true && isLate(1) == nil)
    #expect(try call(people[1], "groceries.add", ["id": .id(item(4)), "name": "eggs"])["line"] == .id(item(2)))
    #expect(try isLate(2) == true, "there is more of it than the buyer knows")
    try call(people[0], "groceries.add", ["id": .id(item(5)), "name": "Crisps"])
    try call(people[1], "groceries.edit", ["id": .id(item(8)), "note": "the good one"])
    #expect(try isLate(5) == nil && isLate(8) == nil)
    // Shown to the household, or noted as out, it comes late as well.
    let own = try world.call(people[1], "groceries.add", in: .corner(id, people[1]), ["name": "Ring"])["id"] ?? .null
    try world.call(people[1], "groceries.show", in: .corner(id, people[1]), ["id": own, "newId": .id(item(6))])
    let salt = try call(people[1], "stock.set", ["name": "Salt", "level": "out"])["grocery"]?.string
    #expect(try isLate(6) == true && world.home().list.groceries[#require(salt.flatMap { ID($0) })]?.isLate == true)
    try call(people[1], "groceries.hide", ["id": .id(item(6))])
    #expect(try world.corner(id, people[1]).list.groceries.values.allSatisfy { $0.isLate == nil })
    try call(people[0], "trips.discard", ["id": .id(trip(1))])
    #expect(try world.home().list.groceries.values.allSatisfy { $0.isLate == nil })
    try call(people[1], "groceries.add", ["id": .id(item(7)), "name": "Tea"])
    #expect(try isLate(7) == nil)
  }

  @Test("GRO-7: a trip for one list makes late what comes on that list, and a mark stays while anybody shops for it")
  func lists() throws {
    let people = try world.household(of: "Ana", "Ben", "Cem")
    for low: UInt64 in 1...2 { try call(people[0], "lists.create", ["id": .id(list(low)), "name": "List"]) }
    try call(people[0], "trips.start", ["id": .id(trip(1)), "list": .id(list(1))])
    try call(people[1], "trips.start", ["id": .id(trip(2)), "list": .id(list(1))])
    try call(people[2], "groceries.add", ["id": .id(item(1)), "name": "Tea"])
    try call(people[2], "groceries.add", ["id": .id(item(2)), "name": "Tea", "list": .id(list(1))])
    try call(people[0], "groceries.add", ["id": .id(item(3)), "name": "Rice", "list": .id(list(1))])
    #expect(try isLate(1) == nil && isLate(2) == true && isLate(3) == true)
    // An item that moves to the list comes late, and is in time again on another one.
    try call(people[2], "groceries.edit", ["id": .id(item(1)), "name": "Coffee", "list": .id(list(1))])
    #expect(try isLate(1) == true)
    try call(people[2], "groceries.edit", ["id": .id(item(1)), "list": .id(list(2))])
    #expect(try isLate(1) == nil)
    try call(people[0], "trips.discard", ["id": .id(trip(1))])
    #expect(try isLate(2) == true)
    // A trip whose list is removed goes on for all.
    try call(people[0], "lists.remove", ["id": .id(list(1))])
    #expect(try trips()[trip(2)]?.list == nil && isLate(2) == true)
    try call(people[1], "trips.discard", ["id": .id(trip(2))])
    #expect(try isLate(2) == nil)
  }

  @Test("GRO-7, GRO-12: after six hours a trip is unsettled, and stays until its buyer discards it")
  func unsettled() throws {
    let people = try world.household(of: "Ana", "Ben")
    try call(people[0], "trips.start", ["id": .id(trip(1))])
    try call(people[1], "groceries.add", ["id": .id(item(1)), "name": "Tea"])
    try call(people[0], "groceries.check", ["id": .id(item(1)), "checked": true])
    world.advance(Limits.tripAge - .milliseconds(1))
    #expect(try trips()[trip(1)]?.state == .open && isLate(1) == true)
    world.advance(.milliseconds(1))
    #expect(try trips()[trip(1)]?.state == .unsettled && isLate(1) == nil)
    #expect(try told(people[1]) == ["shopping read"])
    world.advance(.seconds(40 * 24 * 3600))
    let kept = try #require(try trips()[trip(1)])
    let line = try #require(try world.home().list.groceries[item(1)])
    #expect(kept.state == .unsettled && line.checkedBy == kept.by && (line.checkedAt ?? kept.end) >= kept.at)
    #expect(try world.isRestorable(.household(id)))
    // The buyer may go again meanwhile; nobody else may discard the trip.
    try call(people[0], "trips.start", ["id": .id(trip(2))])
    #expect(reason { try call(people[1], "trips.discard", ["id": .id(trip(1))]) } == "forbidden/forbidden")
    let before = try told(people[1])
    try call(people[0], "trips.discard", ["id": .id(trip(1))])
    #expect(try told(people[1]) == before && trips().keys.map(\.self) == [trip(2)], "nobody waits for it any longer")
    #expect(reason { try call(people[0], "trips.discard", ["id": .id(trip(1))]) } == "notFound/gone")
    #expect(reason { try call(people[0], "trips.start", ["id": .id(trip(1))]) } == "conflict/exists")
  }

  @Test("GRO-7: a trip whose six hours end while the server is down is unsettled afterwards")
  func downtime() throws {
    let people = try world.household(of: "Ana", "Ben")
    try call(people[0], "trips.start", ["id": .id(trip(1))])
    world.now = world.now + .seconds(3 * 24 * 3600)
    world.advance(.milliseconds(1))
    #expect(try trips()[trip(1)]?.state == .unsettled && world.home().trips.due.at == nil)
  }

  @Test("GRO-12, HH-10: the trips of a member who leaves are dropped, whether by themselves or removed")
  func leaving() throws {
    let people = try world.household(of: "Ana", "Ben", "Cem")
    try call(people[1], "trips.start", ["id": .id(trip(1))])
    world.advance(Limits.tripAge)
    try call(people[1], "trips.start", ["id": .id(trip(2))])
    try call(people[2], "trips.start", ["id": .id(trip(3))])
    try call(people[0], "groceries.add", ["id": .id(item(1)), "name": "Tea"])
    try call(people[1], "members.leave")
    #expect(try trips().keys.map(\.self) == [trip(3)] && world.home().trips.announcements.count == 1)
    #expect(try told(people[0]) == ["shopping read", "shopping", "shopping read"] && isLate(1) == true)
    try call(people[0], "members.remove", ["person": .id(people[2])])
    #expect(try trips().isEmpty && isLate(1) == nil)
    #expect(try told(people[0]) == ["shopping read", "shopping read", "shopping read"])
    try world.join([people[1]], id)
    try call(people[1], "trips.start")
  }

  @Test("GRO-7, HH-12: a guest goes shopping like a member, and their trip ends with their stay")
  func guest() throws {
    let people = try world.household(of: "Ana", "Ben")
    let gil = try world.signUp("Gil")
    try call(people[0], "members.away", ["from": "2026-02-02", "to": "2026-02-05"])
    let invitation: JSON = ["household": .id(id), "email": "gil@example.org", "guest": true]
    let sent = try world.call(people[0], "invitations.send", invitation)["id"] ?? .null
    try world.call(gil, "invitations.accept", ["id": sent])
    try call(gil, "trips.start", ["id": .id(trip(1))])
    #expect(try told(people[0]) == ["shopping"] && told(people[1]) == ["shopping"])
    try call(people[0], "members.back")
    #expect(try trips().isEmpty && told(people[1]) == ["shopping read"])
  }

  @Test("HH-11: a dismissed household keeps its trips, and their time is over when it comes back")
  func dismissal() throws {
    let people = try world.household(of: "Ana", "Ben")
    try call(people[1], "trips.start", ["id": .id(trip(1))])
    world.confirmation = .pin
    try call(people[0], "households.dismiss")
    world.advance(.seconds(24 * 3600))
    #expect(try trips()[trip(1)]?.state == .open)
    try world.call(people[0], "households.restore", ["household": .id(id)])
    world.advance(.milliseconds(1))
    #expect(try trips()[trip(1)]?.state == .unsettled)
  }
}
