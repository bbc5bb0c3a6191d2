import JSON
import Rooms
import Testing

@testable import Home

@Suite("Changing a household")
struct HouseholdChangeTests {
  let id = ID<Household>(high: 0xB000, low: 1)
  let other = ID<Household>(high: 0xB000, low: 2)
  let world = World()

  var room: RoomID { .household(id) }

  func facts(_ id: ID<Household>) -> JSON {
    ["id": .id(id), "name": "Other", "timeZone": "Europe/Berlin", "currency": "EUR"]
  }

  func activity() throws -> [ActivityKind] {
    try world.home().feed.activity.values.sorted { $0.n < $1.n }.map(\.kind)
  }

  // MARK: facts and policies

  @Test("HH-18: the host changes name, zone, currency and lifetime of notes, and members see it live")
  func update() throws {
    let people = try world.household(of: "Ana", "Ben")
    let change: JSON = [
      "name": " Attic ", "timeZone": "Asia/Kathmandu", "currency": "JPY", "noteLifetime": 60_000,
      "policies": ["notes": "any"],
    ]
    try world.call(people[0], "households.update", in: room, change)
    let changed = try world.home().info.facts.value
    #expect(changed.name == "Attic" && changed.timeZone == "Asia/Kathmandu" && changed.currency == "JPY")
    #expect(changed.noteLifetime == 60_000 && changed.policies.notes == .any && changed.host == people[0])
    for person in people { #expect(try world.me(person).memberships.households[id]?.name == "Attic") }
    let note = try world.call(people[1], "notes.add", in: room, ["text": "Hi"])
    #expect(note["expiresAt"] == .at(world.now + .seconds(60)))
    // A call that changes nothing makes no event.
    try world.call(people[0], "households.update", in: room, ["name": "Attic"])
    #expect(try activity() == [.founded, .joined, .changed, .noteAdded])
    #expect(try world.me(people[1]).inbox.notifications.values.allSatisfy { $0.kind != .host })
  }

  @Test("HH-18, ACC-2: a change names every bad field at once, and changes nothing")
  func badChange() throws {
    let ana = try world.household(of: "Ana")[0]
    let before = try world.home().info.facts.value
    let found = refusal {
      try world.call(
        ana, "households.update", in: room,
        [
          "name": "\u{202E}", "timeZone": "Mars/Base", "currency": "euro", "noteLifetime": 59_999,
          "policies": ["removal": "x"],
        ])
    }
    #expect(
      Set(found?.fields.map(\.path) ?? []) == ["name", "timeZone", "currency", "noteLifetime", "policies.removal"])
    #expect(try world.home().info.facts.value == before)
  }

  @Test("HH-15, HH-18: other members change facts only by the policy, and policies never")
  func settingsPolicy() throws {
    let people = try world.household(of: "Ana", "Ben")
    func change(_ what: JSON) -> String? {
      reason { try world.call(people[1], "households.update", in: room, what) }
    }
    #expect(change(["name": "Ben's"]) == "forbidden/forbidden")
    try world.call(people[0], "households.update", in: room, ["policies": ["settings": "anyMember"]])
    #expect(change(["name": "Ben's"]) == nil)
    #expect(change(["policies": ["removal": "host"]]) == "forbidden/forbidden")
    #expect(change(["exclusive": true]) == "forbidden/forbidden")
    try world.call(people[0], "households.update", in: room, ["policies": ["settings": "host"]])
    #expect(change(["name": "Ben's own"]) == "forbidden/forbidden")
    #expect(try world.home().info.facts.value.name == "Ben's")
  }

  // MARK: members

  @Test("HH-8: a removed member is told and out at once, and no code lets them in; the others are told, too")
  func removal() throws {
    let people = try world.household(of: "Ana", "Ben", "Cem")
    let (ana, ben, cem) = (people[0], people[1], people[2])
    try world.call(cem, "groceries.add", in: room, ["name": "Tea", "personal": true])
    let codes = try [ana, cem].map { try world.call($0, "joinCodes.create", in: room)["code"] ?? .null }
    try world.call(ben, "members.remove", in: room, ["person": .id(cem)])
    #expect(world.closed.contains { $0.room == room && $0.person == cem && $0.reason == "removed" })
    #expect(world.closed.contains { $0.room == .corner(id, cem) && $0.reason == "removed" })
    #expect(reason { try world.call(cem, "notes.add", in: room, ["text": "Still here"]) } == "notFound/room")
    let home = try world.home()
    #expect(home.membership.members[cem] == nil && home.membership.former[cem]?.name == "Cem")
    #expect(home.groceries.list.groceries.isEmpty && home.membership.joinCodes.isEmpty)
    for code in codes {
      #expect(reason { try world.call(cem, "households.join", ["code": code]) } == "notFound/gone")
    }
    #expect(try world.me(cem).memberships.households.isEmpty && world.me(ana).memberships.mates[cem] == nil)
    let told = try #require(try world.me(cem).inbox.notifications.values.first { $0.kind == .removed })
    #expect(told.ref == cem.cast() && told.actorName == "Ben" && told.name == "Home")
    let mates = try world.me(ana).inbox.notifications.values.filter { $0.kind == .removed }
    #expect(mates.count == 1 && mates[0].ref == cem.cast() && mates[0].actor == ben && mates[0].name == nil)
    #expect(try !world.me(ben).inbox.notifications.values.contains { $0.kind == .removed })
    #expect(try activity().last == .removed)
    // They may come back, as the same person.
    try world.join([cem], id)
    #expect(try world.home().membership.former[cem] == nil)
    #expect(world.rooms[.corner(id, cem)] != nil)
  }

  @Test("HH-8: nobody removes the host, themselves or a stranger, and by the policy only the host removes")
  func removalRefused() throws {
    let people = try world.household(of: "Ana", "Ben", "Cem")
    let stranger = try world.signUp("Dan")
    func remove(_ caller: ID<Person>, _ person: ID<Person>) -> String? {
      reason { try world.call(caller, "members.remove", in: room, ["person": .id(person)]) }
    }
    #expect(remove(people[1], people[0]) == "forbidden/host")
    #expect(remove(people[1], people[1]) == "conflict/yourself")
    #expect(remove(people[1], stranger) == "notFound/gone")
    #expect(remove(stranger, people[1]) == "notFound/room")
    try world.call(people[0], "households.update", in: room, ["policies": ["removal": "host"]])
    #expect(remove(people[1], people[2]) == "forbidden/forbidden")
    #expect(remove(people[0], people[2]) == nil)
    #expect(remove(people[0], people[2]) == "notFound/gone")
    #expect(try world.home().membership.members.count == 2)
  }

  @Test("HH-7, HH-8: an acceptance that was on its way when its inviter was removed is answered with gone")
  func removalRace() throws {
    let people = try world.household(of: "Ana", "Ben")
    let cem = try world.signUp("Cem")
    let sent = try world.call(
      people[1], "invitations.send", ["household": .id(id), "email": "cem@example.org"])
    world.deliversAtOnce = false
    let call = world.nextCall(of: cem)
    _ = try world.send(call, "invitations.accept", in: .person(cem), ["id": sent["id"] ?? .null])
    try world.call(people[0], "members.remove", in: room, ["person": .id(people[1])])
    world.deliverAll()
    #expect(world.answers[call]?["error"]?["data"]?["reason"] == "gone")
    #expect(try world.home().membership.members.count == 1)
    #expect(try world.me(cem).memberships.invitations.isEmpty)
  }

  @Test("HH-18: the host hands over, and both roles change everywhere")
  func makeHost() throws {
    let people = try world.household(of: "Ana", "Ben")
    func hand(_ caller: ID<Person>, _ person: ID<Person>) -> String? {
      reason { try world.call(caller, "members.makeHost", in: room, ["person": .id(person)]) }
    }
    #expect(hand(people[1], people[1]) == "forbidden/forbidden")
    #expect(hand(people[0], ID(high: 9, low: 9)) == "notFound/gone")
    #expect(hand(people[0], people[0]) == nil)
    #expect(try activity() == [.founded, .joined])
    #expect(hand(people[0], people[1]) == nil)
    let home = try world.home()
    #expect(home.info.facts.value.host == people[1])
    #expect(home.membership.members[people[0]]?.role == .member && home.membership.members[people[1]]?.role == .host)
    #expect(try world.me(people[0]).memberships.households[id]?.role == .member)
    #expect(try world.me(people[1]).memberships.households[id]?.role == .host)
    let told = try #require(try world.me(people[1]).inbox.notifications.values.first { $0.kind == .host })
    #expect(told.actor == people[0] && told.actorName == "Ana")
    let event = try #require(home.feed.activity.values.first { $0.kind == .hostChanged })
    #expect(event.actor == people[0] && event.ref == people[1].cast())
    #expect(hand(people[0], people[0]) == "forbidden/forbidden")
  }

  // MARK: exclusive households

  @Test("HH-2, HH-5: an exclusive household admits nobody who is elsewhere, and the inviter is told once")
  func exclusive() throws {
    let ana = try world.household(of: "Ana")[0]
    try world.call(ana, "households.update", in: room, ["exclusive": true])
    #expect(try world.me(ana).memberships.households[id]?.isExclusive == true)
    let ben = try world.signUp("Ben")
    try world.call(ben, "households.create", facts(other))
    let sent = try world.call(ana, "invitations.send", ["household": .id(id), "email": "ben@example.org"])
    func accept() -> String? { reason { try world.call(ben, "invitations.accept", ["id": sent["id"] ?? .null]) } }
    #expect(accept() == "conflict/inOtherHousehold")
    world.advance(.seconds(60))
    #expect(accept() == "conflict/inOtherHousehold")
    let told = try world.me(ana).inbox.notifications.values.filter { $0.kind == .unavailable }
    #expect(told.count == 1 && told[0].ref.map { JSON.string("\($0)") } == sent["id"] && told[0].actor == nil)
    try world.call(ben, "members.leave", in: .household(other))
    #expect(accept() == nil)
    #expect(try world.home().membership.members.contains(ben))
  }

  @Test("HH-2: an exclusive household counts the households that a newcomer is about to join")
  func exclusiveRace() throws {
    let ana = try world.household(of: "Ana")[0]
    try world.call(ana, "households.update", in: room, ["exclusive": true])
    let ben = try world.signUp("Ben")
    let code = try world.call(ana, "joinCodes.create", in: room)
    world.deliversAtOnce = false
    _ = try world.send(world.nextCall(of: ben), "households.create", in: .person(ben), facts(other))
    let joining = world.nextCall(of: ben)
    _ = try world.send(joining, "households.join", in: .person(ben), ["code": code["code"] ?? .null])
    world.deliverAll()
    #expect(world.answers[joining]?["error"]?["data"]?["reason"] == "inOtherHousehold")
    #expect(try world.me(ben).memberships.households.keys.map(\.self) == [other])
  }

  @Test("HH-2: a member of an exclusive household neither makes nor joins another one")
  func bound() throws {
    let people = try world.household(of: "Ana", "Ben")
    try world.call(people[0], "households.update", in: room, ["exclusive": true])
    #expect(reason { try world.call(people[1], "households.create", facts(other)) } == "conflict/inOtherHousehold")
    let cem = try world.signUp("Cem")
    try world.call(cem, "households.create", facts(other))
    #expect(reason { try world.join([people[1]], other) } == "conflict/inOtherHousehold")
    // A repetition of what was done already is no second household.
    #expect(reason { try world.join([people[1]], id) } == nil)
    try world.call(people[0], "households.update", in: room, ["exclusive": false])
    #expect(try world.me(people[1]).memberships.households[id]?.isExclusive == nil)
    #expect(reason { try world.join([people[1]], other) } == nil)
  }

  // MARK: profiles

  @Test("ACC-8: every household shows a changed profile live, and mates know the new name")
  func profile() throws {
    let people = try world.household(of: "Ana", "Ben")
    try world.call(people[0], "households.create", facts(other))
    try world.call(people[0], "profile.update", ["name": "Anna", "birthday": "1990-05-31"])
    for id in [id, other] {
      #expect(try world.home(id).membership.members[people[0]]?.name == "Anna")
      #expect(try world.home(id).membership.members[people[0]]?.birthday == "05-31")
    }
    #expect(try world.me(people[0]).identity.profile.value.birthday == "1990-05-31")
    #expect(try world.me(people[1]).memberships.mates[people[0]]?.name == "Anna")
    try world.call(people[0], "profile.update", ["birthday": .null])
    #expect(try world.home().membership.members[people[0]]?.birthday == nil)
    #expect(try world.home().membership.members[people[0]]?.name == "Anna")
  }

  @Test("ACC-8, ACC-2: an invalid profile is refused with all its fields")
  func badProfile() throws {
    let ana = try world.signUp("Ana")
    let found = refusal {
      try world.call(ana, "profile.update", ["name": "", "birthday": "2999-01-01", "email": "x"])
    }
    #expect(Set(found?.fields.map(\.path) ?? []) == ["name", "birthday", "email"])
  }

  @Test("ACC-8: a profile that changes while its person joins is the new one in the household")
  func profileRace() throws {
    _ = try world.household(of: "Ana")
    let ben = try world.signUp("Ben")
    world.deliversAtOnce = false
    let host = try world.home().info.facts.value.host
    let code = try world.call(host, "joinCodes.create", in: room)
    _ = try world.send(
      world.nextCall(of: ben), "households.join", in: .person(ben), ["code": code["code"] ?? .null])
    try world.call(ben, "profile.update", ["name": "Benno"])
    world.deliverAll()
    #expect(try world.home().membership.members[ben]?.name == "Benno")
    #expect(try world.me(host).memberships.mates[ben]?.name == "Benno")
  }
}
