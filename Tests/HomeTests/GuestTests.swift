import JSON
import Rooms
import Testing

@testable import Home

@Suite("Guests")
struct GuestTests {
  let id = ID<Household>(high: 0xB000, low: 1)
  let other = ID<Household>(high: 0xB000, low: 2)
  let world = World()

  func away(_ person: ID<Person>, until day: String = "2026-02-05") throws {
    try world.call(person, "members.away", in: .household(id), ["from": "2026-02-02", "to": .string(day)])
  }

  func invite(_ guest: String, by person: ID<Person>) throws -> JSON {
    let whom: JSON = ["household": .id(id), "email": .string("\(guest)@example.org"), "guest": true]
    return try world.call(person, "invitations.send", whom)["id"] ?? .null
  }

  /// Ana, who is away, Ben, and Ana's guest Gil.
  func household() throws -> (ana: ID<Person>, ben: ID<Person>, gil: ID<Person>) {
    let people = try world.household(of: "Ana", "Ben")
    let gil = try world.signUp("Gil")
    try away(people[0])
    try world.call(gil, "invitations.accept", ["id": try invite("gil", by: people[0])])
    return (people[0], people[1], gil)
  }

  func members() throws -> [ID<Person>] { try world.home().membership.members.keys.sorted() }

  @Test("HH-12: a guest comes for the absence of a member, is told when it is over, and is a former member then")
  func stay() throws {
    let (ana, ben, gil) = try household()
    let member = try #require(try world.home().membership.members[gil])
    #expect(member.role == .guest && member.guestOf == ana)
    #expect(try world.me(gil).memberships.households[id]?.role == .guest)
    try world.call(gil, "notes.add", in: .household(id), ["text": "Thanks for having me"])
    world.advance(try #require(Instant("2026-02-05T23:00:00Z")) - world.now)
    #expect(try members() == [ana, ben])
    #expect(try world.home().membership.former[gil]?.name == "Gil")
    #expect(try world.me(gil).memberships.households.isEmpty)
    #expect(try world.me(gil).inbox.notifications.values.map(\.kind).contains(.stayOver))
    #expect(world.closed.contains { $0.person == gil && $0.reason == "stayOver" })
    #expect(reason { try world.call(gil, "notes.add", in: .household(id), ["text": "?"]) } == "notFound/room")
  }

  @Test("HH-12: a guest stands in, and the turns to come are the member's again when they come back early")
  func turns() throws {
    let (ana, _, gil) = try household()
    let chore: JSON = ["name": "Plants", "date": "2026-02-05", "people": [.id(ana)]]
    let answer = try world.call(ana, "chores.add", in: .household(id), ["chore": chore])
    let occurrence = try #require(answer["occurrence"]?.string.flatMap { ID<Occurrence>($0) })
    #expect(try world.home().chores.occurrences[occurrence]?.people == [gil])
    try world.call(ana, "members.back", in: .household(id))
    #expect(try world.home().chores.occurrences[occurrence]?.people == [ana])
  }

  @Test(
    "HH-9, HH-12: a guest goes when their member is back, leaves or is removed, and when the household is dismissed",
    arguments: 0..<5)
  func ends(way: Int) throws {
    let (ana, ben, gil) = try household()
    let room = RoomID.household(id)
    switch way {
    case 0: try world.call(ana, "members.back", in: room)
    case 1: try world.call(ana, "members.leave", in: room)
    case 2:
      try world.call(ana, "members.makeHost", in: room, ["person": .id(ben)])
      try world.call(ben, "members.remove", in: room, ["person": .id(ana)])
    case 3:
      world.confirmation = .pin
      try world.call(ana, "households.dismiss", in: room)
    default:
      world.confirmation = .pin
      try world.call(ana, "auth.deleteAccount")
    }
    #expect(try !members().contains(gil) && world.me(gil).memberships.households.isEmpty)
    #expect(try world.me(gil).dismissed.households.isEmpty)
    if way != 3 { #expect(try world.home().info.facts.value.host == (way == 0 ? ana : ben)) }
  }

  @Test("HH-9, HH-12: with the last member who is no guest the household ends, whatever guests there are")
  func alone() throws {
    let ana = try world.household(of: "Ana")[0]
    let gil = try world.signUp("Gil")
    try away(ana)
    try world.call(gil, "invitations.accept", ["id": try invite("gil", by: ana)])
    try world.call(ana, "members.leave", in: .household(id))
    #expect(try world.home().dismissal.isDismissed && members() == [ana])
    #expect(try world.me(ana).dismissed.households[id]?.isRestorable == true)
  }

  @Test("HH-2, HH-12: a guest may be in another household that is its members' only one, before and after")
  func exclusive() throws {
    let people = try world.household(of: "Ana")
    _ = try world.household(of: "Gil", id: other)
    let gil = ID<Person>(high: 0xA000, low: 2)
    try world.call(gil, "households.update", in: .household(other), ["exclusive": true])
    try world.call(people[0], "households.update", in: .household(id), ["exclusive": true])
    try away(people[0])
    try world.call(gil, "invitations.accept", ["id": try invite("gil", by: people[0])])
    #expect(try members().contains(gil))
    // Eve is only a guest somewhere, and free to join an exclusive household.
    let eve = try world.signUp("Eve")
    try world.call(eve, "invitations.accept", ["id": try invite("eve", by: people[0])])
    try world.join([eve], other)
    #expect(try world.home(other).membership.members[eve]?.role == .member)
  }

  @Test("HH-12: only a member who is away has guests, and a guest is neither host nor away")
  func refused() throws {
    let (ana, ben, gil) = try household()
    #expect(reason { _ = try invite("fay", by: ben) } == "conflict/notAway")
    #expect(reason { _ = try invite("fay", by: gil) } == "conflict/notAway")
    #expect(reason { try away(gil) } == "forbidden/guest")
    let heir: JSON = ["person": .id(gil)]
    #expect(reason { try world.call(ana, "members.makeHost", in: .household(id), heir) } == "forbidden/guest")
    // An invitation that is open when its author is back leads nowhere.
    let fay = try world.signUp("Fay")
    let late = try invite("fay", by: ana)
    try world.call(ana, "members.back", in: .household(id))
    #expect(reason { try world.call(fay, "invitations.accept", ["id": late]) } == "notFound/gone")
  }

  @Test("HH-12: an absence that becomes longer or shorter takes the guest along; a guest may go before")
  func changes() throws {
    let (ana, _, gil) = try household()
    try away(ana, until: "2026-02-10")
    world.advance(.seconds(6 * 86_400))
    #expect(try members().contains(gil))
    try world.call(gil, "members.leave", in: .household(id))
    #expect(try !members().contains(gil) && world.home().membership.members[ana]?.away != nil)
  }
}
