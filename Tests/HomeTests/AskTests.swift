import JSON
import Rooms
import Testing

@testable import Home

/// LOC-30: a person asks another one to share their position.
@Suite("Requests for a position")
struct AskTests {
  let share = ShareEndTests()
  var world: World { share.world }
  let quarter = Duration.seconds(900)

  /// Ana and Ben, who are housemates or contacts.
  private func acquainted(areMates: Bool = true, _ first: String = "Ana", _ second: String = "Ben") throws -> (
    ana: ID<Person>, ben: ID<Person>
  ) {
    if areMates {
      let people = try world.household(of: first, second)
      return (people[0], people[1])
    }
    let (ana, ben) = (try world.signUp(first), try world.signUp(second))
    let email: JSON = .string("\(second.lowercased())@example.org")
    let invitation = try world.call(ana, "contacts.invite", ["email": email])
    try world.call(ben, "contacts.accept", ["id": invitation["id"] ?? .null])
    return (ana, ben)
  }

  private func ask(_ asker: ID<Person>, _ person: ID<Person>) -> Refusal? {
    refusal { try world.call(asker, "shares.ask", ["person": .id(person)]) }
  }
  private func decline(_ person: ID<Person>, _ asker: ID<Person>) -> String? {
    reason { try world.call(person, "shares.declineAsk", ["person": .id(asker)]) }
  }
  private func start(_ sharer: ID<Person>, _ receivers: ID<Person>...) throws {
    try share.start([sharer] + receivers, ["until": .at(world.now + .seconds(3600))])
  }
  private func received(_ person: ID<Person>) throws -> [ID<Person>] { try world.me(person).asks.asks.keys.map(\.self) }
  private func sent(_ person: ID<Person>) throws -> [ID<Person>] { try world.me(person).asks.asked.keys.map(\.self) }
  private func told(_ person: ID<Person>) throws -> [Home.Notification] { try share.told(person, .ask) }

  @Test("LOC-30: a housemate or contact is asked and told, and nothing is shared by that", arguments: [true, false])
  func asked(areMates: Bool) throws {
    let (ana, ben) = try acquainted(areMates: areMates)
    world.advance(.seconds(60))
    #expect(ask(ana, ben) == nil)
    let until = world.now + .seconds(3600)
    #expect(try world.me(ben).asks.asks[ana] == ReceivedAsk(name: "Ana", at: world.now, until: until))
    #expect(try world.me(ana).asks.asked[ben] == SentAsk(at: world.now, until: until))
    #expect(try received(ana).isEmpty && sent(ben).isEmpty && told(ana).isEmpty)
    let told = try told(ben)
    #expect(told.map(\.actor) == [ana] && told.map(\.actorName) == ["Ana"] && told.map(\.ref) == [ana.cast()])
    #expect(told.map(\.until) == [until] && told.map(\.readAt) == [nil])
    world.advance(.seconds(7200))
    for person in [ana, ben] { #expect(try world.me(person).shares.entries.isEmpty, "nobody shares by being asked") }
    #expect(world.rooms.keys.allSatisfy { RoomKindName($0) != .share })
  }

  @Test("LOC-23, LOC-30: a stranger is refused like a person who does not exist, and nothing reaches them")
  func strangers() throws {
    let (ana, ben) = try acquainted()
    let stranger = try world.signUp("Cem")
    let unknown = ask(ana, ID(high: 9, low: 9))
    #expect(unknown?.code == .notFound && unknown?.reason == "person")
    #expect(ask(ana, stranger) == unknown && ask(stranger, ana) == unknown)
    #expect(ask(ana, ana)?.reason == "yourself")
    try world.call(ben, "members.leave", in: .household(ID(high: 0xB000, low: 1)))
    #expect(ask(ana, ben) == unknown)
    for person in [ana, ben, stranger] { #expect(try received(person).isEmpty && sent(person).isEmpty) }
  }

  @Test("LOC-30: a contact who was removed while they were asked does not get the request")
  func removedMeanwhile() throws {
    let (ana, ben) = try acquainted(areMates: false)
    world.deliversAtOnce = false
    #expect(ask(ana, ben) == nil)
    try world.call(ben, "contacts.remove", ["person": .id(ana)])
    world.deliverAll()
    #expect(try received(ben).isEmpty && told(ben).isEmpty)
  }

  @Test("LOC-30, LOC-33: nobody asks a person whom they block; a person who is blocked is answered as ever, in vain")
  func blocked() throws {
    let (ana, ben) = try acquainted()
    try world.call(ben, "contacts.block", ["person": .id(ana)])
    #expect(ask(ben, ana)?.reason == "blocked")
    #expect(ask(ana, ben) == nil, "answered as before")
    #expect(try received(ben).isEmpty && told(ben).isEmpty && received(ana).isEmpty)
    #expect(try sent(ana) == [ben], "and listed as before")
    try world.call(ben, "contacts.unblock", ["person": .id(ana)])
    world.advance(quarter)
    #expect(try received(ben).isEmpty)
    #expect(ask(ana, ben) == nil)
    #expect(try received(ben) == [ana])
  }

  @Test("LOC-30, LOC-33: a block takes away what the blocked person has asked")
  func blockedAfterwards() throws {
    let (ana, ben) = try acquainted()
    #expect(ask(ana, ben) == nil)
    try world.call(ben, "contacts.block", ["person": .id(ana)])
    #expect(try received(ben).isEmpty && told(ben).isEmpty)
    #expect(decline(ben, ana) == "notFound/ask")
  }

  @Test("LOC-30: 15 minutes lie between two requests to one person; requests to others do not count")
  func pause() throws {
    let people = try world.household(of: "Ana", "Ben", "Cem")
    let (ana, ben, cem) = (people[0], people[1], people[2])
    #expect(ask(ana, ben) == nil)
    for (wait, remaining) in [(0, 900_000), (300_000, 600_000), (599_999, 1)] as [(Int64, Int64)] {
      world.advance(.milliseconds(wait))
      let found = ask(ana, ben)
      #expect(found?.code == .rateLimited && found?.reason == "asked" && found?.isTemporary == false)
      #expect(found?.retryAfter == .milliseconds(remaining))
    }
    #expect(ask(ana, cem) == nil && ask(cem, ben) == nil && ask(ben, ana) == nil)
    #expect(try told(ben).count == 2)
    world.advance(.milliseconds(1))
    #expect(ask(ana, ben) == nil)
    // The new request takes the place of the one that still stood.
    let mine = try told(ben).filter { $0.actor == ana }
    #expect(mine.map(\.readAt) == [world.now, nil])
    #expect(try world.me(ben).asks.asks[ana]?.until == world.now + .seconds(3600) && received(ben).count == 2)
  }

  @Test("LOC-30: a request expires after an hour on both sides, and its notification is read then")
  func expires() throws {
    let (ana, ben) = try acquainted()
    #expect(ask(ana, ben) == nil)
    world.advance(.milliseconds(3_599_999))
    #expect(try received(ben) == [ana] && sent(ana) == [ben] && told(ben).map(\.readAt) == [nil])
    world.advance(.milliseconds(1))
    #expect(try received(ben).isEmpty && sent(ana).isEmpty && told(ben).map(\.readAt) == [world.now])
    #expect(decline(ben, ana) == "notFound/ask")
    #expect(ask(ana, ben) == nil)
  }

  @Test("LOC-30: a request that arrives an hour late does not arrive")
  func delayed() throws {
    let (ana, ben) = try acquainted()
    world.deliversAtOnce = false
    #expect(ask(ana, ben) == nil)
    world.now = world.now + .seconds(3600)
    world.deliverAll()
    #expect(try received(ben).isEmpty && told(ben).isEmpty)
  }

  @Test("LOC-30: each of several requests has its own time, sent or received, also after a restart")
  func times() throws {
    let people = try world.household(of: "Ana", "Ben", "Cem")
    let (ana, ben, cem) = (people[0], people[1], people[2])
    for (asker, person) in [(ana, ben), (ben, ana), (ana, cem), (cem, ana)] {
      #expect(ask(asker, person) == nil)
      world.advance(.seconds(60))
    }
    world.advance(.seconds(3600 - 240 - 1))
    for gone in 0...4 {
      #expect(try sent(ana) == [ben, cem].suffix((4 - gone) / 2), "\(gone) have expired")
      #expect(try received(ana) == [ben, cem].suffix((5 - gone) / 2), "\(gone) have expired")
      // A room that is read back is due no later.
      #expect(try world.isRestorable(.person(ana)))
      world.advance(.seconds(gone == 0 ? 1 : 60))
    }
  }

  @Test("LOC-30: a share with the person who asks closes the request on both sides, and no other one")
  func answered() throws {
    let people = try world.household(of: "Ana", "Ben", "Cem")
    let (ana, ben, cem) = (people[0], people[1], people[2])
    #expect(ask(ana, ben) == nil && ask(cem, ben) == nil && ask(ana, cem) == nil)
    world.advance(.seconds(60))
    try start(ben, ana)
    #expect(try received(ben) == [cem] && sent(ana) == [ben, cem] && sent(cem) == [ben])
    #expect(try world.me(ana).asks.asked[ben]?.sharedAt == world.now)
    #expect(try world.me(ana).asks.asked[cem]?.sharedAt == nil)
    #expect(try told(ben).filter { $0.actor == ana }.map(\.readAt) == [world.now])
    #expect(try told(ben).filter { $0.actor == cem }.map(\.readAt) == [nil])
    #expect(try world.me(ana).shares.entries[share.id]?.role == .receiver)
  }

  @Test(
    "LOC-30: 15 minutes lie between two requests also where a share came between, and the first one is met until then")
  func askedAfterShare() throws {
    let (ana, ben) = try acquainted()
    #expect(ask(ana, ben) == nil)
    world.advance(.seconds(60))
    try start(ben, ana)
    try share.call(ana, "shares.leave")
    let found = ask(ana, ben)
    #expect(found?.reason == "asked" && found?.retryAfter == quarter - .seconds(60))
    world.advance(quarter - .seconds(61))
    #expect(try sent(ana) == [ben])
    world.advance(.seconds(1))
    #expect(try sent(ana).isEmpty)
    #expect(ask(ana, ben) == nil)
    #expect(try world.me(ana).asks.asked[ben]?.sharedAt == nil && received(ben) == [ana])
  }

  @Test("LOC-30: a share that comes after 15 minutes closes the request on both sides at once")
  func sharedLate() throws {
    let (ana, ben) = try acquainted()
    #expect(ask(ana, ben) == nil)
    world.advance(quarter + .seconds(1))
    try start(ben, ana)
    world.advance(.milliseconds(1))
    #expect(try received(ben).isEmpty && sent(ana).isEmpty)
  }

  @Test("LOC-30: a share that is refused, since its id is taken, leaves the request as it was")
  func refusedShare() throws {
    let people = try world.household(of: "Ana", "Ben", "Cem")
    let (ana, ben, cem) = (people[0], people[1], people[2])
    try start(cem, ana)
    #expect(ask(ana, ben) == nil)
    #expect(reason { try start(ben, ana) } == "conflict/exists")
    #expect(try received(ben) == [ana] && sent(ana) == [ben] && told(ben).map(\.readAt) == [nil])
  }

  @Test("LOC-30: a share with the person who was asked answers no request of theirs")
  func otherWay() throws {
    let (ana, ben) = try acquainted()
    #expect(ask(ana, ben) == nil)
    try start(ana, ben)
    #expect(try received(ben) == [ana] && sent(ana) == [ben])
  }

  @Test("LOC-30: the person who is asked declines, once, and the one who asks is not told")
  func declined() throws {
    let (ana, ben) = try acquainted()
    #expect(ask(ana, ben) == nil)
    world.advance(.seconds(60))
    let before = world.snapshot(of: try #require(world.rooms[.person(ana)]))
    #expect(decline(ana, ben) == "notFound/ask")
    #expect(decline(ben, ana) == nil && decline(ben, ana) == "notFound/ask")
    #expect(try received(ben).isEmpty && told(ben).map(\.readAt) == [world.now])
    #expect(world.snapshot(of: try #require(world.rooms[.person(ana)])) == before)
    #expect(ask(ana, ben)?.reason == "asked")
    world.advance(quarter - .seconds(60))
    #expect(ask(ana, ben) == nil)
    #expect(try received(ben) == [ana] && told(ben).count == 2)
  }

  @Test("LOC-30 REM-4 a person who has muted requests finds them as read")
  func muted() throws {
    let (ana, ben) = try acquainted()
    try world.call(ben, "settings.edit", ["muted": ["ask": true]])
    #expect(ask(ana, ben) == nil)
    #expect(try received(ben) == [ana] && told(ben).map(\.readAt) == [world.now])
  }

  @Test(
    "ACC-9, LOC-30: the account of either side takes the request and the name along, in a household or not",
    arguments: [true, false], [true, false])
  func deleted(areMates: Bool, isAsker: Bool) throws {
    let (zoe, ben) = try acquainted(areMates: areMates, "Zebedee", "Xaver")
    #expect(ask(zoe, ben) == nil)
    let (gone, other) = isAsker ? (zoe, ben) : (ben, zoe)
    try world.delete(gone)
    #expect(!world.names(isAsker ? "Zebedee" : "Xaver"))
    #expect(try received(other).isEmpty && sent(other).isEmpty)
    world.advance(.seconds(3600))
    #expect(try received(other).isEmpty && sent(other).isEmpty)
  }

  @Test(
    "ACC-9, LOC-30: a person who is no longer a housemate is forgotten, too, while their request stands",
    arguments: [true, false])
  func removedThenDeleted(askerLeaves: Bool) throws {
    let (ana, zebedee) = try acquainted("Ana", "Zebedee")
    #expect(ask(zebedee, ana) == nil)
    try world.call(askerLeaves ? zebedee : ana, "members.leave", in: .household(ID(high: 0xB000, low: 1)))
    #expect(try world.me(ana).asks.asks[zebedee]?.name == "Zebedee")
    try world.delete(zebedee)
    #expect(try received(ana).isEmpty)
    #expect(try told(ana).allSatisfy { $0.actorName == nil } && !world.names("Zebedee"))
  }
}
