import JSON
import Rooms
import Testing

@testable import Home

/// ACC-9: an account is deleted, and nothing shows its owner's name any longer.
@Suite("Deleting an account")
struct AccountDeletionTests {
  let world = World()
  let id = ID<Household>(high: 0xB000, low: 1)
  let other = ID<Household>(high: 0xB000, low: 2)
  var room: RoomID { .household(id) }
  /// A name that no rule writes by itself.
  let name = "Zebedee"

  private func delete(_ person: ID<Person>) throws { try world.delete(person) }

  private func isNamed() -> Bool { world.names(name) }

  @Test("ACC-9: deleting an account needs a fresh PIN or password, and a refusal changes nothing")
  func confirmed() throws {
    let people = try world.household(of: "Ana", name)
    #expect(reason { try world.call(people[1], "auth.deleteAccount") } == "forbidden/confirm")
    #expect(try world.home().membership.members.count == 2)
    world.confirmation = .password
    try world.call(people[1], "auth.deleteAccount")
    #expect(world.rooms[.person(people[1])] == nil && world.rooms[.corner(id, people[1])] == nil)
    #expect(world.closed.contains { $0.room == .person(people[1]) && $0.reason == "accountDeleted" })
  }

  @Test("ACC-9: what a person wrote stays, as a former member's with a number in place of the name")
  func nameless() throws {
    let people = try world.household(of: "Ana", name, "Cem", "Dan")
    try world.call(people[1], "notes.add", in: room, ["text": "Milk is out"])
    try world.call(people[1], "chat.send", in: room, ["text": "Hello"])
    try world.call(people[1], "groceries.add", in: room, ["name": "Tea"])
    let gone = people[1]
    #expect(isNamed())
    try delete(gone)
    #expect(!isNamed())
    let home = try world.home()
    #expect(home.membership.former[gone] == FormerMember(name: nil, number: 1, leftAt: world.now))
    #expect(home.board.notes.values.map(\.author) == [gone] && home.chat.chat.values.map(\.author) == [gone])
    #expect(home.feed.activity.values.contains { $0.kind == .left && $0.actor == gone })
    for person in [people[0], people[2]] {
      let told = try #require(try world.me(person).inbox.notifications.values.first { $0.kind == .left })
      #expect(told.actor == gone && told.actorName == nil)
      #expect(try !world.me(person).memberships.mates.contains(gone))
    }
    // The next one is another.
    try delete(people[3])
    #expect(try world.home().membership.former[people[3]]?.number == 2)
    #expect(try world.home().membership.former[gone]?.number == 1)
    #expect(try world.isRestorable(room))
  }

  @Test("ACC-9, HH-10: a household that the person left before forgets their name, too")
  func formerMember() throws {
    let people = try world.household(of: "Ana", name)
    try world.call(people[1], "members.leave", in: room)
    #expect(try world.home().membership.former[people[1]]?.name == name)
    try delete(people[1])
    let former = try #require(try world.home().membership.former[people[1]])
    #expect(former.name == nil && former.number == 1)
    #expect(!isNamed())
  }

  @Test("ACC-9, HH-9: hosting passes on to the longest-standing member")
  func hosting() throws {
    let host = try world.household(of: name)[0]
    let (ben, cem) = (try world.signUp("Ben"), try world.signUp("Cem"))
    for person in [cem, ben] {
      world.advance(.seconds(60))
      try world.join([person], id)
    }
    try delete(host)
    #expect(try world.home().info.facts.value.host == cem)
    #expect(try world.home().membership.members[cem]?.role == .host)
    #expect(try world.me(cem).memberships.households[id]?.role == .host)
    #expect(!isNamed())
  }

  @Test("ACC-9, HH-11: the household of the last member is shredded at once: nobody could bring it back")
  func last() throws {
    let ana = try world.household(of: "Ana")[0]
    let ben = try world.signUp("Ben")
    try world.call(ana, "invitations.send", ["household": .id(id), "email": "ben@example.org"])
    try world.call(ana, "joinCodes.create", in: room)
    try delete(ana)
    #expect(world.rooms.keys.map(\.self) == [.person(ben)])
    #expect(world.secrets.isEmpty)
    #expect(try world.me(ben).memberships.invitations.isEmpty)
    #expect(try world.me(ben).inbox.notifications.isEmpty)
  }

  @Test("ACC-9: invitations to and from the person are gone, and nobody is told that they have an account")
  func invitations() throws {
    let people = try world.household(of: "Ana", name)
    let dan = try world.signUp("Dan")
    try world.call(people[1], "invitations.send", ["household": .id(id), "email": "dan@example.org"])
    try world.call(dan, "households.create", facts(other))
    try world.call(dan, "invitations.send", ["household": .id(other), "email": "zebedee@example.org"])
    #expect(try world.me(people[1]).memberships.invitations.count == 1)
    try delete(people[1])
    #expect(try world.me(dan).memberships.invitations.isEmpty)
    #expect(try world.home(other).membership.invitations.isEmpty)
    #expect(try world.me(dan).memberships.sentInvitations.isEmpty)
    #expect(!isNamed())
  }

  private func facts(_ id: ID<Household>) -> JSON {
    ["id": .id(id), "name": "Other", "timeZone": "Europe/Berlin", "currency": "EUR"]
  }

  @Test("ACC-9: the person's own shares end, and they no longer receive others'")
  func shares() throws {
    let people = try world.household(of: "Ana", name, "Cem")
    let (own, received, lonely) = (ID<Share>(high: 5, low: 1), ID<Share>(high: 5, low: 2), ID<Share>(high: 5, low: 3))
    func start(_ share: ID<Share>, by person: ID<Person>, with receivers: ID<Person>...) throws {
      try world.call(
        person, "shares.start",
        [
          "id": .id(share), "receivers": .array(receivers.map { .id($0) }), "until": .at(world.now + .seconds(3600)),
        ])
    }
    try start(own, by: people[1], with: people[0])
    try start(received, by: people[0], with: people[1], people[2])
    try start(lonely, by: people[0], with: people[1])
    try delete(people[1])
    #expect(world.rooms[.share(own)] == nil && world.rooms[.share(lonely)] == nil)
    #expect(try world.share(received).receivers.keys.map(\.self) == [people[2]])
    #expect(try world.me(people[0]).shares.entries.keys.map(\.self) == [received])
    let ends = try world.me(people[0]).inbox.notifications.values.compactMap(\.reason)
    #expect(Set(ends) == [.deleted, .noReceivers])
    #expect(!isNamed())
  }

  @Test("ACC-9: what is under way when an account is deleted leaves nothing of it behind")
  func underWay() throws {
    let ana = try world.household(of: "Ana")[0]
    let gone = try world.signUp(name)
    let code = try world.call(ana, "joinCodes.create", in: room)["code"] ?? .null
    world.deliversAtOnce = false
    let keys = (0..<2).map { _ in world.nextCall(of: gone) }
    _ = try world.send(keys[0], "households.join", in: .person(gone), ["code": code])
    _ = try world.send(keys[1], "households.create", in: .person(gone), facts(other))
    world.confirmation = .pin
    _ = try world.send(world.nextCall(of: gone), "auth.deleteAccount", in: .person(gone), [:])
    // Both calls have their one answer.
    for key in keys { #expect(world.answers[key]?["error"]?["data"]?["reason"] == "gone") }
    world.deliverAll()
    #expect(try world.home().membership.members.keys.map(\.self) == [ana])
    #expect(world.rooms[.household(other)] == nil && world.rooms[.person(gone)] == nil)
    #expect(world.rooms.keys.allSatisfy { RoomKindName($0) != .corner || $0 == .corner(id, ana) })
    #expect(!isNamed())
  }

  @Test("ACC-9: a call that outlives its reservation and its account leaves no member and no household behind")
  func outlived() throws {
    let ana = try world.household(of: "Ana")[0]
    let gone = try world.signUp(name)
    let code = try world.call(ana, "joinCodes.create", in: room)["code"] ?? .null
    world.deliversAtOnce = false
    _ = try world.send(world.nextCall(of: gone), "households.join", in: .person(gone), ["code": code])
    _ = try world.send(world.nextCall(of: gone), "households.create", in: .person(gone), facts(other))
    world.advance(Limits.reservation)
    #expect(try world.me(gone).pending.calls.isEmpty)
    world.confirmation = .pin
    _ = try world.send(world.nextCall(of: gone), "auth.deleteAccount", in: .person(gone), [:])
    world.deliverAll()
    #expect(try world.home().membership.members.keys.map(\.self) == [ana])
    #expect(world.rooms[.household(other)] == nil)
    #expect(!isNamed())
  }

  @Test("ACC-9: a share that begins while its only receiver's account is deleted is over")
  func receiverGone() throws {
    let people = try world.household(of: "Ana", name)
    let share = ID<Share>(high: 5, low: 4)
    world.deliversAtOnce = false
    _ = try world.send(
      world.nextCall(of: people[0]), "shares.start", in: .person(people[0]),
      ["id": .id(share), "receivers": [.id(people[1])], "until": .at(world.now + .seconds(3600))])
    world.confirmation = .pin
    _ = try world.send(world.nextCall(of: people[1]), "auth.deleteAccount", in: .person(people[1]), [:])
    world.deliverAll()
    #expect(try world.rooms[.share(share)] == nil && world.me(people[0]).shares.entries.isEmpty)
    #expect(try world.me(people[0]).inbox.notifications.values.compactMap(\.reason) == [.noReceivers])
    #expect(!isNamed())
  }

  @Test("ACC-9, HH-11: a dismissed household comes back without a person who is gone")
  func dismissed() throws {
    let people = try world.household(of: "Ana", name)
    world.confirmation = .pin
    try world.call(people[0], "households.dismiss", in: room)
    try delete(people[1])
    #expect(world.secrets.count == 1)
    try world.call(people[0], "households.restore", ["household": .id(id)])
    #expect(try world.home().membership.members.keys.map(\.self) == [people[0]])
    #expect(try world.home().membership.former[people[1]]?.number == 1)
    #expect(!isNamed())
    // The host's own end is the end of it.
    world.confirmation = .pin
    try world.call(people[0], "households.dismiss", in: room)
    try delete(people[0])
    #expect(world.rooms.isEmpty && world.secrets.isEmpty)
  }

  @Test("ACC-9, HH-11: a household that comes back while its member's account is deleted has no ghost")
  func restoredMeanwhile() throws {
    let people = try world.household(of: "Ana", name)
    world.confirmation = .pin
    try world.call(people[0], "households.dismiss", in: room)
    world.deliversAtOnce = false
    _ = try world.send(
      world.nextCall(of: people[0]), "households.restore", in: .person(people[0]), ["household": .id(id)])
    _ = try world.send(world.nextCall(of: people[1]), "auth.deleteAccount", in: .person(people[1]), [:])
    world.deliverAll()
    #expect(try world.home().membership.members.keys.map(\.self) == [people[0]])
    #expect(try world.me(people[0]).memberships.mates.isEmpty)
    #expect(!isNamed())
  }

  @Test("ACC-9: the inbox of a person who no longer knows the account's owner forgets their name, too")
  func keptNames() throws {
    let people = try world.household(of: "Ana", name, "Cem")
    let dan = try world.signUp("Dan")
    let gone = people[1]
    try world.call(gone, "contacts.invite", ["email": "dan@example.org"])
    let invitation = try #require(try world.me(dan).contacts.invitations.keys.first)
    try world.call(dan, "contacts.accept", ["id": .id(invitation)])
    try world.call(dan, "contacts.remove", ["person": .id(gone)])
    try world.call(gone, "notes.add", in: room, ["text": "Milk is out"])
    // One leaves the household, then the other.
    try world.call(people[2], "members.leave", in: room)
    try world.call(gone, "members.leave", in: room)
    for person in [people[0], people[2], dan] {
      #expect(try world.me(person).inbox.naming(gone) != nil)
      #expect(try world.me(gone).keptNames.keepers.contains(person))
    }
    try delete(gone)
    #expect(!isNamed())
  }

  @Test("ACC-9: a name is no longer remembered once the inbox has dropped it")
  func keptNamesExpire() throws {
    let people = try world.household(of: "Ana", name)
    try world.call(people[1], "members.leave", in: room)
    #expect(try world.me(people[1]).keptNames.keepers.keys.map(\.self) == [people[0]])
    world.advance(Limits.inboxAge)
    #expect(try world.me(people[0]).inbox.naming(people[1]) == nil)
    #expect(try world.me(people[1]).keptNames.keepers.isEmpty)
    #expect(try world.isRestorable(.person(people[1])))
  }

  @Test("ACC-9: a person who leaves while another's account is deleted learns of it from the room that is gone")
  func leavingMeanwhile() throws {
    let people = try world.household(of: "Ana", name, "Cem")
    try world.call(people[1], "notes.add", in: room, ["text": "Milk is out"])
    world.deliversAtOnce = false
    _ = try world.send(world.nextCall(of: people[2]), "members.leave", in: room, [:])
    world.confirmation = .pin
    _ = try world.send(world.nextCall(of: people[1]), "auth.deleteAccount", in: .person(people[1]), [:])
    world.deliverAll()
    #expect(try world.me(people[2]).inbox.notifications.values.contains { $0.kind == .note && $0.actorName == nil })
    #expect(!isNamed())
  }
}
