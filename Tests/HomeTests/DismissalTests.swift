import Crypto
import JSON
import Rooms
import Testing

@testable import Home

/// HH-9, HH-11: a household is dismissed, and brought back or shredded.
@Suite("Dismissed households")
struct DismissalTests {
  let world = World()
  let id = ID<Household>(high: 0xB000, low: 1)
  let other = ID<Household>(high: 0xB000, low: 2)
  var room: RoomID { .household(id) }

  private func dismiss(by person: ID<Person>) throws {
    world.confirmation = .pin
    try world.call(person, "households.dismiss", in: room)
    world.confirmation = nil
  }

  private func restore(by person: ID<Person>) throws {
    try world.call(person, "households.restore", ["household": .id(id)])
  }

  private func link(of person: ID<Person>) throws -> String? {
    try world.me(person).inbox.notifications.values.first { $0.kind == .dismissed }?.link
  }

  private func export(_ link: String?) throws -> JSON? {
    let secret = try #require(link).dropFirst(HomeRooms.exportPath.count)
    let hash = SHA256.hash(Array(secret.utf8))
    guard world.secrets[hash] == room, let home = world.rooms[room] else { return nil }
    return try HomeRooms.export(secretHash: hash, of: home, at: world.now).map { try JSON.parse($0, depthLimit: 64) }
  }

  @Test("HH-11: the host alone dismisses a household, with a fresh PIN or password; a refusal changes nothing")
  func mayDismiss() throws {
    let people = try world.household(of: "Ana", "Ben")
    #expect(reason { try world.call(people[0], "households.dismiss", in: room) } == "forbidden/confirm")
    #expect(reason { try dismiss(by: people[1]) } == "forbidden/forbidden")
    #expect(try world.me(people[1]).memberships.households.contains(id))
    #expect(try world.me(people[0]).dismissed.households.isEmpty)
    world.confirmation = .password
    try world.call(people[0], "households.dismiss", in: room)
    #expect(try world.me(people[0]).dismissed.households[id]?.until == world.now + Limits.dismissalAge)
  }

  @Test("HH-11: a dismissal closes household and corners to all at once, and tells everybody")
  func closed() throws {
    let people = try world.household(of: "Ana", "Ben")
    let cem = try world.signUp("Cem")
    try world.call(people[0], "invitations.send", ["household": .id(id), "email": "cem@example.org"])
    let code = try world.call(people[1], "joinCodes.create", in: room)["code"] ?? .null
    try dismiss(by: people[0])
    for person in people {
      for place in [room, .corner(id, person)] {
        #expect(world.closed.contains { $0.room == place && $0.person == person && $0.reason == "dismissed" })
        #expect(try #require(world.rooms[place]).admits(person) == false)
      }
      #expect(reason { try world.call(person, "notes.add", in: room, ["text": "Hi"]) } == "notFound/room")
      let me = try world.me(person)
      #expect(me.memberships.households.isEmpty && me.memberships.mates.isEmpty && me.chats.chats.isEmpty)
      let told = try #require(me.inbox.notifications.values.first { $0.kind == .dismissed })
      #expect(told.actor == people[0] && told.actorName == "Ana" && told.name == "Home" && told.until != nil)
    }
    #expect(try world.me(people[0]).dismissed.households[id]?.isRestorable == true)
    #expect(try world.me(people[1]).dismissed.households[id]?.isRestorable == nil)
    // The ways in are dead.
    #expect(try world.me(cem).memberships.invitations.isEmpty)
    #expect(reason { try world.call(cem, "households.join", ["code": code]) } == "notFound/gone")
    #expect(reason { try world.call(people[0], "households.create", facts(id)) } == "conflict/exists")
  }

  private func facts(_ id: ID<Household>) -> JSON {
    ["id": .id(id), "name": "Other", "timeZone": "Europe/Berlin", "currency": "EUR"]
  }

  @Test("HH-11: the host brings a household back with its members, their roles, their order and what they had")
  func restored() throws {
    let ana = try world.household(of: "Ana")[0]
    let (ben, cem) = (try world.signUp("Ben"), try world.signUp("Cem"))
    for person in [cem, ben] {
      world.advance(.seconds(60))
      try world.join([person], id)
    }
    try world.call(ben, "notes.add", in: room, ["text": "Milk is out", "keep": true])
    try world.call(cem, "groceries.add", in: .corner(id, cem), ["name": "Tea"])
    let before = try world.home().membership.members
    try dismiss(by: ana)
    world.advance(Limits.dismissalAge - .seconds(1))
    #expect(reason { try restore(by: ben) } == "forbidden/forbidden")
    try restore(by: ana)
    let home = try world.home()
    #expect(home.membership.members.keys.sorted() == before.keys.sorted())
    for (person, member) in before { #expect(home.membership.members[person] == member) }
    #expect(home.membership.eldest?.key == ana && home.board.notes.count == 1)
    #expect(home.feed.activity.values.contains { $0.kind == .restored && $0.actor == ana })
    #expect(try world.corner(id, cem).list.groceries.count == 1)
    for person in [ana, ben, cem] {
      #expect(try #require(world.rooms[room]).admits(person))
      #expect(try #require(world.rooms[.corner(id, person)]).admits(person))
      let me = try world.me(person)
      #expect(me.memberships.households[id]?.role == before[person]?.role && me.dismissed.households.isEmpty)
      #expect(me.memberships.mates.count == 2)
      #expect(world.kinds(in: me.inbox.notifications).contains(.restored) == (person != ana))
      #expect(!world.kinds(in: me.inbox.notifications).contains(.dismissed))
    }
    #expect(world.secrets.isEmpty)
    try world.call(ben, "notes.add", in: room, ["text": "I am back"])
    // All that fell due meanwhile is done, and nothing shreds it.
    world.advance(Limits.dismissalAge + .seconds(60))
    #expect(world.rooms[room] != nil)
    try dismiss(by: ana)
    try restore(by: ana)
  }

  @Test("HH-11: nothing falls due in a dismissed household, and it goes on when it is back")
  func quiet() throws {
    let people = try world.household(of: "Ana", "Ben")
    let expiresAt = world.now + .seconds(3600)
    try world.call(people[0], "notes.add", in: room, ["text": "Soon over", "expiresAt": .at(expiresAt)])
    try dismiss(by: people[0])
    let version = try #require(world.rooms[room]).version
    world.advance(.seconds(7200))
    #expect(world.rooms[room]?.version == version)
    try restore(by: people[0])
    world.advance(.seconds(1))
    #expect(try world.home().board.notes.isEmpty)
  }

  @Test("HH-2, HH-11: a member who has no place for it any more does not come back, and the others are told")
  func noPlace() throws {
    let people = try world.household(of: "Ana", "Ben", "Cem")
    try dismiss(by: people[0])
    for number in 1...16 {
      try world.call(people[1], "households.create", facts(ID(high: 0xB000, low: UInt64(100 + number))))
    }
    try restore(by: people[0])
    let home = try world.home()
    #expect(Set(home.membership.members.keys) == [people[0], people[2]])
    #expect(home.membership.former[people[1]]?.name == "Ben")
    let me = try world.me(people[1])
    #expect(me.memberships.households.count == 16 && me.dismissed.households.isEmpty)
    #expect(world.rooms[.corner(id, people[1])] == nil)
    #expect(Set(try world.me(people[2]).memberships.mates.keys) == [people[0]])
    #expect(world.kinds(in: try world.me(people[2]).inbox.notifications).contains(.left))
  }

  @Test("HH-2, HH-11: an exclusive household comes back with those only who are nowhere else, and its host is one")
  func exclusive() throws {
    let people = try world.household(of: "Ana", "Ben", "Cem")
    try world.call(people[0], "households.update", in: room, ["exclusive": true])
    try dismiss(by: people[0])
    try world.call(people[1], "households.create", facts(other))
    let third = ID<Household>(high: 0xB000, low: 3)
    try world.call(people[0], "households.create", facts(third))
    #expect(reason { try restore(by: people[0]) } == "conflict/inOtherHousehold")
    #expect(try world.me(people[0]).dismissed.households.contains(id))
    try world.call(people[0], "members.leave", in: .household(third))
    try restore(by: people[0])
    #expect(Set(try world.home().membership.members.keys) == [people[0], people[2]])
    #expect(try world.me(people[1]).memberships.households.keys.map(\.self) == [other])
  }

  @Test("HH-11: after seven days the household is shredded with its corners, and nobody brings it back")
  func shredded() throws {
    let people = try world.household(of: "Ana", "Ben")
    try dismiss(by: people[0])
    let link = try link(of: people[1])
    world.advance(Limits.dismissalAge - .milliseconds(1))
    #expect(try export(link) != nil)
    world.advance(.milliseconds(1))
    #expect(world.rooms[room] == nil && world.secrets.isEmpty)
    for person in people {
      #expect(world.rooms[.corner(id, person)] == nil)
      #expect(try world.me(person).dismissed.households.isEmpty)
    }
    #expect(reason { try restore(by: people[0]) } == "notFound/gone")
    #expect(reason { try world.call(people[0], "households.create", facts(id)) } == "conflict/exists")
  }

  @Test("HH-9: the last one's leaving dismisses the household, and this person may come back")
  func lastLeaves() throws {
    let people = try world.household(of: "Ana", "Ben")
    try world.call(people[0], "members.leave", in: room)
    try world.call(people[1], "members.leave", in: room)
    #expect(try world.me(people[0]).dismissed.households.isEmpty)
    #expect(try link(of: people[1]) != nil)
    #expect(reason { try restore(by: people[0]) } == "notFound/gone")
    try restore(by: people[1])
    #expect(try world.home().membership.members[people[1]]?.role == .host)
    #expect(try world.home().info.facts.value.host == people[1])
  }

  @Test("HH-11: every member gets a link of their own to what the household held, without hidden parts")
  func exports() throws {
    let people = try world.household(of: "Ana", "Ben")
    try world.call(people[0], "notes.add", in: room, ["text": "Milk is out"])
    try world.call(people[1], "chat.send", in: room, ["text": "Bye"])
    try world.call(people[1], "groceries.add", in: room, ["name": "Tea"])
    try dismiss(by: people[0])
    #expect(try Set(people.map { try #require(try link(of: $0)) }).count == 2)
    for person in people {
      let document = try #require(try export(try link(of: person)))
      #expect(document["person"] == .id(person) && document["household"] == .id(id))
      let state = try #require(document["state"])
      #expect(state["household"]?["name"] == "Home" && state["members"]?.object?.count == 2)
      for text in ["Milk is out", "Bye", "Tea"] { #expect(state.text.contains(text)) }
      for part in ["exports", "dismissal", "codeHashes", "targets"] { #expect(state[part] == nil) }
      // The room keeps only the hash.
      let secret = try #require(try link(of: person)).dropFirst(HomeRooms.exportPath.count)
      #expect(!world.snapshot(of: try #require(world.rooms[room])).text.contains(String(secret)))
    }
    let old = try link(of: people[1])
    try restore(by: people[0])
    #expect(try export(old) == nil)
  }

  @Test("HH-7, HH-11: what is under way to a household when it is dismissed gets one clear answer")
  func underWay() throws {
    let people = try world.household(of: "Ana", "Ben")
    let (cem, dan) = (try world.signUp("Cem"), try world.signUp("Dan"))
    let sent = try world.call(people[0], "invitations.send", ["household": .id(id), "email": "cem@example.org"])
    let code = try world.call(people[0], "joinCodes.create", in: room)["code"] ?? .null
    let tea = try world.call(people[1], "groceries.add", in: .corner(id, people[1]), ["name": "Tea"])
    world.deliversAtOnce = false
    var keys: [String: CallKey] = [:]
    func send(_ person: ID<Person>, _ name: String, in room: RoomID? = nil, _ parameters: JSON) throws {
      keys[name] = world.nextCall(of: person)
      _ = try world.send(try #require(keys[name]), name, in: room ?? .person(person), parameters)
    }
    try send(cem, "invitations.accept", ["id": sent["id"] ?? .null])
    try send(dan, "households.join", ["code": code])
    try send(people[1], "invitations.send", ["household": .id(id), "email": "eve@example.org"])
    try send(people[1], "groceries.show", in: .corner(id, people[1]), ["id": tea["id"] ?? .null])
    try send(people[1], "profile.update", ["name": "Benjamin"])
    world.confirmation = .pin
    _ = try world.send(world.nextCall(of: people[0]), "households.dismiss", in: room, [:])
    world.deliverAll()
    world.deliversAtOnce = true
    func reason(_ name: String) -> String? {
      keys[name].flatMap { world.answers[$0]?["error"]?["data"]?["reason"]?.string }
    }
    #expect(reason("invitations.accept") == "gone" && reason("households.join") == "gone")
    #expect(reason("invitations.send") == "room")
    // An item that moves arrives once.
    #expect(keys["groceries.show"].flatMap { world.answers[$0]?["result"] } != nil)
    #expect(try world.home().list.groceries.count == 1 && world.corner(id, people[1]).list.groceries.isEmpty)
    #expect(try world.me(people[0]).memberships.mates.isEmpty)
    try restore(by: people[0])
    #expect(try world.me(people[0]).memberships.mates[people[1]]?.name == "Benjamin")
    #expect(try world.home().membership.members[people[1]]?.name == "Benjamin")
    #expect(Set(try world.home().membership.members.keys) == Set(people))
  }

  @Test("HH-11: a member who comes back changed their profile or hid meanwhile, and is shown so")
  func changedMeanwhile() throws {
    let people = try world.household(of: "Ana", "Ben")
    try dismiss(by: people[0])
    try world.call(people[1], "profile.update", ["name": "Benjamin"])
    try world.call(people[1], "settings.edit", ["presence": "hidden"])
    try restore(by: people[0])
    #expect(try world.home().membership.members[people[1]]?.name == "Benjamin")
    #expect(try world.home().presence.hiddenPresence.contains(people[1]))
    #expect(try world.me(people[0]).memberships.mates[people[1]]?.name == "Benjamin")
  }
}
