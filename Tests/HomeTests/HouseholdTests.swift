import JSON
import Rooms
import Testing

@testable import Home

@Suite("Households and their members")
struct HouseholdTests {
  let id = ID<Household>(high: 0xB000, low: 1)
  let facts: JSON = ["name": "Home", "timeZone": "Europe/Berlin", "currency": "EUR"]

  func facts(_ id: ID<Household>) -> JSON {
    ["id": .id(id), "name": "Home", "timeZone": "Europe/Berlin", "currency": "EUR"]
  }

  @Test("HH-1: creating a household makes its creator the host, at version 1")
  func create() throws {
    let world = World()
    let ana = try world.signUp("Ana", birthday: "1990-05-31")
    let answer = try world.call(ana, "households.create", facts(id))
    #expect(answer["household"] == .id(id))
    #expect(world.rooms[.household(id)]?.version == 1)
    let home = try world.home()
    #expect(home.info.facts.value.host == ana)
    #expect(home.info.facts.value.timeZone == "Europe/Berlin")
    #expect(home.info.facts.value.currency == "EUR")
    #expect(home.membership.members[ana] == Member(name: "Ana", role: .host, joinedAt: world.now, birthday: "05-31"))
    #expect(try world.me(ana).memberships.households[id] == HouseholdEntry(name: "Home", role: .host, at: world.now))
    #expect(world.rooms[.corner(id, ana)] != nil)
  }

  @Test("HH-1, ACC-2: all invalid fields of a new household are named at once")
  func badFields() throws {
    let world = World()
    let ana = try world.signUp("Ana")
    let found = refusal {
      try world.call(
        ana, "households.create",
        ["id": "7", "name": " ", "timeZone": "GMT+3", "currency": "eur", "colour": "red"])
    }
    #expect(found?.code == .invalidParams)
    #expect(Set(found?.fields.map(\.path) ?? []) == ["id", "name", "timeZone", "currency", "colour"])
    #expect(world.mail.isEmpty)
  }

  @Test("HH-1: a household's name has 1 to 64 characters", arguments: [(0, false), (1, true), (64, true), (65, false)])
  func nameLimit(count: Int, isAllowed: Bool) throws {
    let world = World()
    let ana = try world.signUp("Ana")
    let name = String(repeating: "é", count: count)
    let found = reason {
      try world.call(ana, "households.create", ["name": .string(name), "timeZone": "UTC", "currency": "EUR"])
    }
    #expect((found == nil) == isAllowed)
  }

  @Test("HH-1: a household's id can be used once, by any caller")
  func idTaken() throws {
    let world = World()
    let ana = try world.signUp("Ana")
    let ben = try world.signUp("Ben")
    try world.call(ana, "households.create", facts(id))
    #expect(reason { try world.call(ana, "households.create", facts(id)) } == "conflict/exists")
    #expect(reason { try world.call(ben, "households.create", facts(id)) } == "conflict/exists")
    #expect(try world.me(ben).memberships.households.isEmpty)
    #expect(try world.me(ben).pending.calls.isEmpty)
    #expect(try world.home().membership.members.count == 1)
  }

  @Test("HH-2, S1.13: a person may be in 16 households, including those that they are joining")
  func householdLimit() throws {
    let world = World()
    let ana = try world.signUp("Ana")
    for low in 1...15 { try world.call(ana, "households.create", facts(ID(high: 1, low: UInt64(low)))) }
    world.deliversAtOnce = false
    try world.call(ana, "households.create", facts(ID(high: 1, low: 16)))
    #expect(
      reason { try world.call(ana, "households.create", facts(ID(high: 1, low: 17))) } == "tooLarge/households")
    world.deliverAll()
    world.deliversAtOnce = true
    #expect(try world.me(ana).memberships.households.count == 16)
    #expect(
      reason { try world.call(ana, "households.create", facts(ID(high: 1, low: 17))) } == "tooLarge/households")
    try world.call(ana, "members.leave", in: .household(ID(high: 1, low: 3)))
    try world.call(ana, "households.create", facts(ID(high: 1, low: 17)))
  }

  @Test("HH-6: joining shows housemates to each other, opens a corner and notifies the members")
  func joining() throws {
    let world = World()
    let people = try world.household(of: "Ana", "Ben", "Cem")
    let (ana, ben, cem) = (people[0], people[1], people[2])
    for person in people {
      let mates = try world.me(person).memberships.mates
      #expect(Set(mates.keys) == Set(people).subtracting([person]))
      #expect(world.rooms[.corner(id, person)] != nil)
    }
    #expect(try world.me(ana).memberships.mates[cem]?.name == "Cem")
    let home = try world.home()
    #expect(home.feed.activity.values.sorted { $0.n < $1.n }.map(\.kind) == [.founded, .joined, .joined])
    #expect(world.kinds(in: try world.me(ana).inbox.notifications) == [.joined, .joined])
    #expect(world.kinds(in: try world.me(ben).inbox.notifications) == [.joined])
    #expect(try world.me(cem).inbox.notifications.isEmpty)
  }

  @Test("HH-9: leaving closes the rooms at once and notifies the other members")
  func leaving() throws {
    let world = World()
    let people = try world.household(of: "Ana", "Ben", "Cem")
    let ben = people[1]
    try world.call(ben, "groceries.add", in: .household(id), ["name": "Tea", "personal": true])
    try world.call(ben, "members.leave", in: .household(id))
    #expect(world.closed.contains { $0.room == .household(id) && $0.person == ben && $0.reason == "left" })
    #expect(world.rooms[.corner(id, ben)] == nil)
    #expect(try world.me(ben).memberships.households.isEmpty)
    #expect(try world.me(ben).memberships.mates.isEmpty)
    #expect(Set(try world.me(people[0]).memberships.mates.keys) == [people[2]])
    #expect(world.kinds(in: try world.me(people[2]).inbox.notifications) == [.left])
    #expect(try world.home().list.groceries.isEmpty)
    #expect(HomeRooms.rooms(of: try #require(world.rooms[.person(ben)])).isEmpty)
  }

  @Test("HH-9: two people remain housemates while they share another household")
  func twoHouseholds() throws {
    let world = World()
    let people = try world.household(of: "Ana", "Ben")
    _ = try world.household(of: "Ana", "Ben", id: ID(high: 0xB000, low: 2))
    try world.call(people[1], "members.leave", in: .household(id))
    #expect(Set(try world.me(people[0]).memberships.mates.keys) == [people[1]])
    try world.call(people[1], "members.leave", in: .household(ID(high: 0xB000, low: 2)))
    #expect(try world.me(people[0]).memberships.mates.isEmpty)
  }

  @Test("HH-3, HH-10: a member who leaves stays known by name, and their codes and invitations end")
  func former() throws {
    let world = World()
    let people = try world.household(of: "Ana", "Ben", "Cem")
    let dan = try world.signUp("Dan")
    let room = RoomID.household(id)
    let code = try world.call(people[1], "joinCodes.create", in: room)["code"] ?? .null
    try world.call(people[1], "invitations.send", ["household": .id(id), "email": "dan@example.org"])
    try world.call(people[0], "invitations.send", ["household": .id(id), "email": "eve@example.org"])
    #expect(try world.me(dan).memberships.invitations.count == 1)
    try world.call(people[1], "members.leave", in: room)
    let left = try #require(try world.home().membership.former[people[1]])
    #expect(left.name == "Ben" && left.leftAt == world.now)
    #expect(try world.home().membership.joinCodes.values.allSatisfy { $0.by == people[0] })
    #expect(try world.home().membership.targets.values.map(\.email) == ["eve@example.org"])
    #expect(try world.me(dan).memberships.invitations.isEmpty)
    #expect(refusal { try world.call(dan, "households.join", ["code": code]) } != nil)
    // A person who comes back is a member only.
    try world.join([people[1]], id)
    #expect(try world.home().membership.former.isEmpty)
  }

  @Test("HH-9: when the host leaves, the longest-standing member becomes host")
  func hostLeaves() throws {
    let world = World()
    let ana = try world.household(of: "Ana")[0]
    let (ben, cem) = (try world.signUp("Ben"), try world.signUp("Cem"))
    world.advance(.seconds(60))
    try world.join([cem], id)
    world.advance(.seconds(60))
    try world.join([ben], id)
    try world.call(ana, "members.leave", in: .household(id))
    let home = try world.home()
    #expect(home.info.facts.value.host == cem)
    #expect(home.membership.members[cem]?.role == .host)
    #expect(home.membership.members[ben]?.role == .member)
    #expect(try world.me(cem).memberships.households[id]?.role == .host)
    #expect(world.kinds(in: try world.me(cem).inbox.notifications).contains(.host))
    #expect(home.feed.activity.values.contains { $0.kind == .hostChanged && $0.actor == cem })
  }

  @Test("HH-9: when the last member leaves, the household closes with its corner, codes and invitations")
  func lastLeaves() throws {
    let world = World()
    let ana = try world.household(of: "Ana")[0]
    let ben = try world.signUp("Ben")
    let code = try world.call(ana, "joinCodes.create", in: .household(id))
    try world.call(ana, "invitations.send", ["household": .id(id), "email": "ben@example.org"])
    #expect(try world.me(ben).memberships.invitations.count == 1)
    try world.call(ana, "members.leave", in: .household(id))
    for room in [RoomID.household(id), .corner(id, ana)] {
      #expect(world.rooms[room]?.admits(ana) == false)
      #expect(world.closed.contains { $0.room == room && $0.person == ana && $0.reason == "dismissed" })
    }
    // The only secret is that of the link to what it held.
    #expect(world.secrets.count == 1)
    #expect(try world.me(ben).memberships.invitations.isEmpty)
    #expect(try world.me(ben).inbox.notifications.isEmpty)
    let found = reason { try world.call(ben, "households.join", ["code": code["code"] ?? .null]) }
    #expect(found == "notFound/gone")
  }

  @Test("HH-14: outsiders and former members can neither read nor write")
  func outsiders() throws {
    let world = World()
    let people = try world.household(of: "Ana", "Ben")
    let cem = try world.signUp("Cem")
    let room = try #require(world.rooms[.household(id)])
    #expect(!room.admits(cem))
    #expect(reason { try world.call(cem, "notes.add", in: .household(id), ["text": "Hi"]) } == "notFound/room")
    try world.call(people[1], "members.leave", in: .household(id))
    #expect(!room.admits(people[1]))
    let corner = try #require(world.rooms[.corner(id, people[0])])
    #expect(corner.admits(people[0]))
    #expect(!corner.admits(people[1]))
    #expect(world.rooms[.person(people[0])]?.admits(people[1]) == false)
  }

  @Test("HH-6: a former member may join again, and gets a new corner")
  func comeBack() throws {
    let world = World()
    let people = try world.household(of: "Ana", "Ben")
    try world.call(people[1], "groceries.add", in: .corner(id, people[1]), ["name": "Tea"])
    try world.call(people[1], "members.leave", in: .household(id))
    try world.join([people[1]], id)
    #expect(try world.home().membership.members.contains(people[1]))
    #expect(try world.corner(id, people[1]).list.groceries.isEmpty)
    #expect(Set(try world.me(people[0]).memberships.mates.keys) == [people[1]])
  }

  @Test("ACC-5: the rooms of a person are their households, their corners and the shares that they take part in")
  func rooms() throws {
    let world = World()
    let people = try world.household(of: "Ana", "Ben")
    let share = ID<Share>(high: 5, low: 5)
    let until = world.now + .seconds(3600)
    try world.call(
      people[0], "shares.start", ["id": .id(share), "receivers": [.id(people[1])], "until": .at(until)])
    for person in people {
      let me = try #require(world.rooms[.person(person)])
      #expect(HomeRooms.rooms(of: me) == [.household(id), .corner(id, person), .share(share)])
    }
  }

  @Test("ACC-1: signing up checks name and birthday, and names all that are invalid")
  func signUpChecks() throws {
    let problems = Problems()
    HomeRooms.check(name: " ", birthday: "2026-02-30", at: World.start, problems)
    #expect(problems.list.map(\.path) == ["name", "birthday"])
    for (name, birthday, count) in [
      ("Ana", nil, 0), ("Ana", "1899-12-31", 1), ("Ana", "1900-01-01", 0), ("Ana", "2999-01-01", 1), ("A\nB", nil, 1),
      (String(repeating: "a", count: 64), nil, 0), (String(repeating: "a", count: 65), nil, 1),
    ] as [(String, String?, Int)] {
      let problems = Problems()
      HomeRooms.check(name: name, birthday: birthday, at: World.start, problems)
      #expect(problems.count == count, "\(name) \(birthday ?? "")")
    }
  }

  @Test("ACC-1, ACC-7: a household sees the day and month of a member's birthday, not the year")
  func openPerson() throws {
    let world = World()
    let people = try world.household(of: "Ana")
    let ben = try world.signUp("  Ben ", birthday: "1990-05-31")
    try world.join([ben], id)
    #expect(try world.me(ben).identity.profile.value == Profile(name: "Ben", birthday: "1990-05-31"))
    let text = world.state(of: try #require(world.rooms[.household(id)])).text
    #expect(!text.contains("1990"))
    #expect(text.contains("05-31"))
    #expect(!world.snapshot(of: try #require(world.rooms[.person(people[0])])).text.contains("1990"))
  }
}
