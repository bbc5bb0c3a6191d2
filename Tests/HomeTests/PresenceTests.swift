import JSON
import Rooms
import Testing

@testable import Home

@Suite("Presence")
struct PresenceTests {
  let id = ID<Household>(high: 0xB000, low: 1)
  let world = World()

  /// Notes people as there, or as gone for a while: `nil` if nobody knows for how long.
  func note(_ people: [ID<Person>: Bool], ago: Duration? = .zero) throws {
    let room = try #require(world.rooms[.household(id)])
    let version = room.version
    for (person, isOnline) in people {
      let seenAt = ago.map { world.now - $0 }
      HomeRooms.note(person, isOnline: isOnline, seenAt: seenAt, in: room, turn: Turn(now: world.now))
    }
    #expect(room.version == version && !room.hasUnsealedChanges, "what is true now is in no log")
  }

  func presence(_ person: ID<Person>) throws -> Presence? { try world.home().presence.presence[person] }

  @Test("HH-17: a household records to the minute when members come and go")
  func minutes() throws {
    let people = try world.household(of: "Ana", "Ben")
    world.advance(.seconds(59))
    try note([people[0]: true])
    let come = try #require(try presence(people[0]))
    #expect(come.online == true && come.lastSeen.milliseconds % 60_000 == 0)
    #expect((0..<60_000).contains((world.now - come.lastSeen).milliseconds))
    world.advance(.seconds(600))
    try note([people[0]: false], ago: .seconds(60))
    let gone = try #require(try presence(people[0]))
    #expect(gone.online == nil && gone.lastSeen == come.lastSeen + .seconds(540))
    // After a restart nobody knows when somebody went.
    try note([people[0]: true])
    world.advance(.seconds(600))
    try note([people[0]: false], ago: nil)
    #expect(try presence(people[0])?.lastSeen == gone.lastSeen + .seconds(60) && presence(people[0])?.online == nil)
    #expect(try presence(people[1]) == nil)
  }

  @Test("HH-17: a person who opts out is shown in none of their households, nor in one that they join later")
  func hidden() throws {
    let people = try world.household(of: "Ana", "Ben")
    let second = ID<Household>(high: 0xB000, low: 2)
    _ = try world.household(of: "Ana", id: second)
    try note([people[0]: true, people[1]: true])
    try world.call(people[1], "settings.edit", ["presence": "hidden"])
    #expect(try world.me(people[1]).settings.settings.value.presence == .hidden)
    #expect(try presence(people[0]) != nil && presence(people[1]) == nil)
    try note([people[1]: true])
    #expect(try presence(people[1]) == nil)
    try world.join([people[1]], second)
    #expect(try world.home(second).presence.hiddenPresence.contains(people[1]))
    try world.call(people[1], "settings.edit", ["presence": "shown"])
    #expect(try world.me(people[1]).settings.settings.value.presence == nil)
    #expect(try world.home().presence.hiddenPresence.isEmpty && world.home(second).presence.hiddenPresence.isEmpty)
    try note([people[1]: true])
    #expect(try presence(people[1])?.online == true)
    try world.call(people[1], "members.leave", in: .household(id))
    #expect(try presence(people[1]) == nil)
    try note([people[1]: true])
    #expect(try presence(people[1]) == nil, "a stranger is not seen")
  }

  @Test("HH-17: a person who opts out or in while joining is hidden or shown accordingly", arguments: [true, false])
  func joining(isHidden: Bool) throws {
    let ana = try world.household(of: "Ana")[0]
    let ben = try world.signUp("Ben")
    try world.call(ben, "settings.edit", ["presence": isHidden ? "shown" : "hidden"])
    let code = try world.call(ana, "joinCodes.create", in: .household(id))["code"] ?? .null
    world.deliversAtOnce = false
    try world.call(ben, "households.join", ["code": code])
    try world.call(ben, "settings.edit", ["presence": isHidden ? "hidden" : "shown"])
    world.deliverAll()
    #expect(try world.home().membership.members.contains(ben))
    #expect(try world.home().presence.hiddenPresence.contains(ben) == isHidden)
  }
}
