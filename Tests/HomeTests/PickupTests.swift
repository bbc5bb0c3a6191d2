import JSON
import Rooms
import Testing

@testable import Home

/// LOC-13 to LOC-17: the sharer is ready, a receiver comes, and both arrive.
@Suite("Pick-ups")
struct PickupTests {
  let share = ShareEndTests()
  var world: World { share.world }
  let minute = Duration.seconds(60)
  let hour = Duration.seconds(3600)

  /// A share of Ana's with Ben, Cem and, where named, Zebedee.
  private func started(
    ride: Bool = true, for duration: Duration = .seconds(4 * 3600), _ more: [String: JSON] = [:],
    _ name: String = "Ben"
  ) throws -> (ana: ID<Person>, ben: ID<Person>, cem: ID<Person>) {
    let people = try world.household(of: "Ana", name, "Cem")
    try share.start(people, ["until": .at(world.now + duration), "ride": .bool(ride)].merging(more) { $1 })
    return (people[0], people[1], people[2])
  }

  private func pickup() throws -> Pickup { try world.share(share.id).pickup.value }

  private func accept(_ person: ID<Person>, _ minutes: Int = 10) -> Refusal? { say("pickup.accept", person, minutes) }
  private func update(_ person: ID<Person>, _ minutes: Int = 10) -> Refusal? { say("pickup.update", person, minutes) }
  private func say(_ method: String, _ person: ID<Person>, _ minutes: Int) -> Refusal? {
    refusal { try share.call(person, method, ["minutes": .number(.init(minutes))]) }
  }

  /// Everybody's own room lists the pick-up as the share has it.
  private func expectListed(_ people: ID<Person>...) throws {
    let pickup = try pickup()
    for person in people {
      let entry = try #require(try share.entry(of: person))
      #expect(entry.pickup == pickup.state && entry.driver == pickup.by)
      #expect(entry.driverName == pickup.byName && entry.arriveBy == pickup.arriveBy)
    }
  }

  /// The last notification of a person about the pick-up, and the number of them.
  private func last(_ person: ID<Person>) throws -> Home.Notification? { try share.told(person, .pickup).last }
  private func count(_ person: ID<Person>) throws -> Int { try share.told(person, .pickup).count }

  // MARK: ready

  @Test("LOC-13: a sharer who is ready alerts all receivers, also if no ride was wanted", arguments: [true, false])
  func ready(ride: Bool) throws {
    let (ana, ben, cem) = try started(ride: ride)
    world.advance(minute)
    #expect(share.refused(ben, "pickup.ready") == "forbidden/forbidden")
    #expect(share.refused(try world.signUp("Dan"), "pickup.ready") == "notFound/room")
    #expect(try pickup() == Pickup(state: ride ? .wanted : nil) && count(ben) == 0)
    try share.call(ana, "pickup.ready")
    #expect(try pickup() == Pickup(state: .requested, requestedAt: world.now))
    for person in [ben, cem] {
      let told = try #require(try last(person))
      #expect(told.pickup == .requested && told.actor == ana && told.actorName == "Ana" && told.at == world.now)
      #expect(told.room == "share/\(share.id)" && told.arriveBy == nil)
      #expect(try count(person) == 1)
    }
    #expect(try count(ana) == 0)
    try expectListed(ana, ben, cem)
  }

  @Test("LOC-13: 60 seconds lie between two alerts, also if the sharer cancels in between", arguments: [true, false])
  func pause(cancels: Bool) throws {
    let (ana, ben, _) = try started()
    try share.call(ana, "pickup.ready")
    if cancels {
      world.advance(.seconds(1))
      try share.call(ana, "pickup.cancel")
    }
    let told = try count(ben)
    for (time, remaining) in [(10_000, 50_000), (59_999, 1)] as [(Int64, Int64)] {
      world.advance(World.start + .milliseconds(time) - world.now)
      let found = refusal { try share.call(ana, "pickup.ready") }
      #expect(found?.code == .rateLimited && found?.reason == "asked" && found?.isTemporary == false)
      #expect(found?.retryAfter == .milliseconds(remaining))
    }
    #expect(try count(ben) == told)
    world.advance(.milliseconds(1))
    try share.call(ana, "pickup.ready")
    #expect(try count(ben) == told + 1 && pickup().state == .requested)
  }

  @Test("LOC-13, LOC-14: the sharer cancels a ride that is wanted, asked for or accepted, and all receivers are told")
  func cancel() throws {
    let (ana, ben, cem) = try started(ride: false)
    #expect(share.refused(ana, "pickup.cancel") == nil)
    #expect(try pickup() == Pickup() && count(ben) == 0, "there is nothing to cancel")
    for (step, isAccepted) in [false, true].enumerated() {
      world.advance(minute)
      try share.call(ana, "pickup.ready")
      if isAccepted { #expect(accept(ben) == nil) }
      world.advance(minute)
      #expect(share.refused(ben, "pickup.cancel") == "forbidden/forbidden")
      try share.call(ana, "pickup.cancel")
      #expect(try pickup() == Pickup(requestedAt: world.now - minute))
      for person in [ben, cem] {
        let told = try #require(try last(person))
        #expect(told.pickup == PickupState.none && told.actor == ana && told.actorName == "Ana", "step \(step)")
      }
      try expectListed(ana, ben, cem)
      #expect(accept(cem)?.reason == "noPickup" && update(ben)?.reason == "noDriver")
    }
    #expect(try share.told(ana, .pickup).map(\.pickup) == [.accepted], "they know what they have done themselves")
  }

  // MARK: accepting

  @Test("LOC-14, LOC-15: the first receiver to accept drives: the sharer gets the name, the others only that one comes")
  func firstWins() throws {
    let (ana, ben, cem) = try started()
    world.advance(minute)
    #expect(accept(ana)?.code == .forbidden)
    #expect(accept(ben, 25) == nil)
    let arriveBy = world.now + .seconds(1500)
    #expect(try pickup() == Pickup(state: .accepted, by: ben, byName: "Ben", arriveBy: arriveBy))
    let mine = try #require(try last(ana))
    #expect(mine.pickup == .accepted && mine.actor == ben && mine.actorName == "Ben" && mine.arriveBy == arriveBy)
    let theirs = try #require(try last(cem))
    #expect(theirs.pickup == .accepted && theirs.actor == ben && theirs.arriveBy == arriveBy)
    #expect(theirs.actorName == nil)
    #expect(try count(ben) == 0 && count(ana) == 1 && count(cem) == 1)
    try expectListed(ana, ben, cem)
    world.advance(minute)
    for found in [accept(cem, 5), accept(ben, 5), refusal { try share.call(ana, "pickup.ready") }] {
      #expect(found?.code == .conflict && found?.reason == "alreadyAccepted" && found?.isTemporary == false)
      #expect(found?.details == ["by": .id(ben), "arriveBy": .at(arriveBy)])
    }
    #expect(try pickup().arriveBy == arriveBy && count(ana) == 1)
  }

  @Test("LOC-14: a ride is accepted while it is wanted or asked for, by a receiver, within 1 to 240 minutes")
  func acceptable() throws {
    let (ana, ben, cem) = try started(ride: false)
    #expect(accept(ben)?.code == .conflict && accept(ben)?.reason == "noPickup")
    try share.call(ana, "pickup.ready")
    for minutes in [0, 241, -1] { #expect(accept(ben, minutes)?.fields.map(\.path) == ["minutes"]) }
    #expect(refusal { try share.call(ben, "pickup.accept") }?.fields.map(\.path) == ["minutes"])
    for minutes in [1, 240] {
      #expect(accept(cem, minutes) == nil)
      #expect(try pickup().arriveBy == world.now + .seconds(60 * Int64(minutes)))
      for bad in [0, 241] { #expect(update(cem, bad)?.fields.map(\.path) == ["minutes"]) }
      #expect(update(cem, minutes) == nil)
      try share.call(cem, "pickup.release")
    }
    #expect(accept(try world.signUp("Dan"))?.reason == "room")
  }

  @Test("LOC-14: the driver, and nobody else, says anew when they will be there, and only the sharer is told")
  func updated() throws {
    let (ana, ben, cem) = try started()
    #expect(update(ben)?.reason == "noDriver", "nobody drives yet")
    #expect(accept(ben) == nil)
    world.advance(minute)
    #expect(update(cem)?.reason == "noDriver" && update(ana)?.code == .forbidden)
    #expect(update(ben, 30) == nil)
    let arriveBy = world.now + .seconds(1800)
    #expect(try pickup() == Pickup(state: .accepted, by: ben, byName: "Ben", arriveBy: arriveBy))
    let told = try #require(try last(ana))
    #expect(told.at == world.now && told.arriveBy == arriveBy && told.actorName == "Ben" && told.pickup == .accepted)
    #expect(try count(ana) == 2 && count(cem) == 1 && count(ben) == 0)
    try expectListed(ana, ben, cem)
  }

  @Test("LOC-14: the driver, and nobody else, releases the ride: it is asked for again, and everybody else is told")
  func released() throws {
    let (ana, ben, cem) = try started()
    #expect(accept(ben) == nil)
    world.advance(minute)
    #expect(share.refused(cem, "pickup.release") == "conflict/noDriver")
    #expect(share.refused(ana, "pickup.release") == "forbidden/forbidden")
    try share.call(ben, "pickup.release")
    #expect(try pickup() == Pickup(state: .requested))
    for (person, name) in [(ana, "Ben"), (cem, nil)] {
      let told = try #require(try last(person))
      #expect(told.pickup == .requested && told.actor == ben && told.actorName == name && told.arriveBy == nil)
      #expect(try count(person) == 2)
    }
    #expect(try count(ben) == 0)
    try expectListed(ana, ben, cem)
    #expect(share.refused(ben, "pickup.release") == "conflict/noDriver")
    #expect(accept(cem) == nil)
    #expect(try pickup().by == cem)
  }

  // MARK: the driver goes

  enum Going: CaseIterable { case leaves, blocks, isBlocked, confirms, isSilent, isDeleted }

  private func go(_ going: Going, _ ana: ID<Person>, _ driver: ID<Person>, _ cem: ID<Person>) throws {
    switch going {
    case .leaves: try share.call(driver, "shares.leave")
    case .blocks: try world.call(driver, "contacts.block", ["person": .id(ana)])
    case .isBlocked: try world.call(ana, "contacts.block", ["person": .id(driver)])
    case .confirms:
      try share.call(ana, "shares.stop")
      try share.call(driver, "shares.answerStop", ["confirm": true])
    case .isSilent:
      try share.call(ana, "shares.stop")
      try share.call(cem, "shares.answerStop", ["confirm": false])
      world.advance(.seconds(900))
    case .isDeleted: try world.delete(driver)
    }
  }

  @Test(
    "LOC-14, ACC-9: a driver who goes for any reason releases the ride, and another one can come",
    arguments: Going.allCases)
  func driverGoes(going: Going) throws {
    let (ana, zebedee, cem) = try started(["silence": "confirms"], "Zebedee")
    #expect(accept(zebedee, 60) == nil)
    world.advance(minute)
    try go(going, ana, zebedee, cem)
    #expect(try pickup() == Pickup(state: .requested) && world.share(share.id).receivers.keys.map(\.self) == [cem])
    for person in [ana, cem] {
      let told = try #require(try last(person))
      #expect(told.pickup == .requested && told.actor == zebedee && told.at == world.now)
      #expect(told.actorName == (going == .isDeleted || person == cem ? nil : "Zebedee"))
      #expect(try count(person) == 2)
    }
    if going == .isDeleted { #expect(!world.names("Zebedee")) }
    try expectListed(ana, cem)
    #expect(accept(cem) == nil)
    #expect(try pickup().by == cem)
  }

  @Test(
    "LOC-14, ACC-9: a sharer who was picked up stays so when the driver goes, and nobody is told of a ride",
    arguments: Going.allCases)
  func driverGoesAfterwards(going: Going) throws {
    let (ana, zebedee, cem) = try started(["silence": "confirms"], "Zebedee")
    #expect(accept(zebedee) == nil)
    try share.call(zebedee, "pickup.collected")
    world.advance(minute)
    let told = [try count(ana), try count(cem)]
    try go(going, ana, zebedee, cem)
    #expect(try pickup() == Pickup(state: .collected))
    #expect(try [count(ana), count(cem)] == told)
    if going == .isDeleted { #expect(!world.names("Zebedee")) }
    try expectListed(ana, cem)
    #expect(accept(cem)?.reason == "collected")
  }

  @Test("LOC-14: another receiver who goes changes nothing of the ride")
  func otherGoes() throws {
    let (ana, ben, cem) = try started()
    #expect(accept(ben) == nil)
    let before = try pickup()
    world.advance(minute)
    try share.call(cem, "shares.leave")
    #expect(try pickup() == before && count(ana) == 1)
    try expectListed(ana, ben)
  }

  // MARK: collected

  @Test(
    "LOC-14: the sharer or the driver says that they are together, once or twice, and nobody else",
    arguments: [true, false])
  func collected(bySharer: Bool) throws {
    let (ana, ben, cem) = try started()
    #expect(share.refused(ana, "pickup.collected") == "conflict/noDriver")
    #expect(share.refused(ben, "pickup.collected") == "conflict/noDriver")
    #expect(accept(ben) == nil)
    world.advance(minute)
    #expect(share.refused(cem, "pickup.collected") == "conflict/noDriver")
    let (actor, other) = bySharer ? (ana, ben) : (ben, ana)
    try share.call(actor, "pickup.collected")
    let counts = try [ana, ben, cem].map(count)
    #expect(counts == (bySharer ? [1, 1, 2] : [2, 0, 2]), "the other two are told")
    #expect(try pickup() == Pickup(state: .collected, by: ben, byName: "Ben"))
    let told = try #require(try last(cem))
    #expect(told.pickup == .collected && told.actor == actor && told.actorName == (bySharer ? "Ana" : nil))
    #expect(try last(other)?.actorName == (bySharer ? "Ana" : "Ben"))
    try expectListed(ana, ben, cem)
    world.advance(minute)
    for person in [ana, ben] { try share.call(person, "pickup.collected") }
    #expect(try [ana, ben, cem].map(count) == counts, "to say it again tells nobody")
    #expect(share.refused(cem, "pickup.collected") == "conflict/collected")
    for method in ["pickup.ready", "pickup.cancel"] { #expect(share.refused(ana, method) == "conflict/collected") }
    #expect(share.refused(ben, "pickup.release") == "conflict/collected")
    #expect(update(ben)?.reason == "collected" && accept(cem)?.reason == "collected")
  }

  @Test("LOC-13, LOC-14: a share whose time is over takes no word of a ride, even before its timer fires")
  func overdue() throws {
    let (ana, ben, _) = try started()
    #expect(accept(ben, 240) == nil)
    world.now = world.now + .seconds(4 * 3600)
    for method in ["pickup.ready", "pickup.cancel", "pickup.collected"] {
      #expect(share.refused(ana, method) == "notFound/gone", "\(method)")
    }
    for method in ["pickup.release", "pickup.collected"] {
      #expect(share.refused(ben, method) == "notFound/gone", "\(method)")
    }
    #expect(update(ben)?.reason == "gone" && accept(ben)?.reason == "gone")
  }

  // MARK: late

  @Test("LOC-16: a driver is late 10 minutes after the time they named, told to both once, and again after a new time")
  func late() throws {
    let (ana, ben, cem) = try started()
    #expect(accept(ben, 10) == nil)
    func lates() throws -> [Int] { try [ana, ben, cem].map { try share.told($0, .late).count } }
    for (round, wait) in [(1, 1200), (2, 900)] as [(Int, Int64)] {
      let arriveBy = try #require(try pickup().arriveBy)
      world.advance(.seconds(wait) - .milliseconds(1))
      #expect(try lates() == [round - 1, round - 1, 0] && pickup().late == nil)
      world.advance(.milliseconds(1))
      #expect(try lates() == [round, round, 0] && pickup().late == true)
      for person in [ana, ben] {
        let told = try #require(try share.told(person, .late).last)
        #expect(told.at == arriveBy + .seconds(600) && told.arriveBy == arriveBy && told.actor == ben)
        #expect(told.actorName == "Ben" && told.room == "share/\(share.id)")
      }
      world.advance(.seconds(1200))
      #expect(try lates() == [round, round, 0], "once")
      #expect(update(ben, 5) == nil)
      #expect(try pickup().late == nil)
    }
  }

  enum InTime: CaseIterable { case collected, released, cancelled, later, left }

  @Test(
    "LOC-16: nobody is late who has come, whose ride is off, or who has named a later time", arguments: InTime.allCases)
  func notLate(what: InTime) throws {
    let (ana, ben, cem) = try started()
    #expect(accept(ben, 10) == nil)
    world.advance(.milliseconds(1_199_999))
    switch what {
    case .collected: try share.call(ana, "pickup.collected")
    case .released: try share.call(ben, "pickup.release")
    case .cancelled: try share.call(ana, "pickup.cancel")
    case .later: #expect(update(ben, 1) == nil)
    case .left: try share.call(ben, "shares.leave")
    }
    world.advance(.seconds(659))
    for person in [ana, ben, cem] { #expect(try share.told(person, .late).isEmpty) }
  }

  // MARK: arrival

  enum Ride: CaseIterable { case none, wanted, requested, accepted, collected }

  /// Goes home: the last of the fixes proves the arrival.
  private func arrive(_ ana: ID<Person>) throws {
    try share.report(ana, share.fix(500))
    for _ in 1...2 {
      world.advance(.seconds(30))
      try share.report(ana, share.fix(9))
    }
  }

  @Test(
    "LOC-17: an arrival is told at once; the share ends 5 minutes later if a driver had accepted, and else at once",
    arguments: Ride.allCases)
  func arrival(ride: Ride) throws {
    let (ana, ben, cem) = try started(ride: ride != .none, ["place": ShareEndTests.home])
    let room = try #require(world.rooms[.share(share.id)] as? TypedRoom<ShareState>)
    if ride == .requested { try share.call(ana, "pickup.ready") }
    if ride == .accepted || ride == .collected { #expect(accept(ben, 1) == nil) }
    if ride == .collected { try share.call(ben, "pickup.collected") }
    let rides = try [ana, ben, cem].map(count)
    try arrive(ana)
    let hasDriver = ride == .accepted || ride == .collected
    #expect(share.isOver != hasDriver && room.state.pickup.value == Pickup())
    let until = world.now + .seconds(300)
    for person in [ana, ben, cem] {
      let told = try #require(try share.told(person).last)
      #expect(told.kind == .arrived && told.at == world.now && told.place == "home" && told.actorName == "Ana")
      #expect(told.reason == (hasDriver ? nil : .arrived) && told.until == (hasDriver ? until : nil))
      let entry = try share.entry(of: person)
      #expect(entry?.state == (hasDriver ? .arrived : nil) && entry?.until == (hasDriver ? until : nil))
      #expect(entry?.pickup == nil && entry?.driver == nil && entry?.driverName == nil && entry?.arriveBy == nil)
    }
    world.advance(.milliseconds(299_999))
    #expect(share.isOver != hasDriver)
    world.advance(.milliseconds(1))
    #expect(share.isOver && room.state.share.value.reason == .arrived)
    world.advance(hour)
    for person in [ana, ben, cem] {
      let told = try share.told(person).filter { $0.kind != .pickup && $0.kind != .share }
      #expect(told.map(\.kind) == (hasDriver ? [.arrived, .ended] : [.arrived]))
      #expect(told.compactMap(\.reason) == [.arrived])
      #expect(try share.entry(of: person) == nil)
    }
    #expect(try [ana, ben, cem].map(count) == rides, "the arrival says that the ride is over")
  }

  @Test(
    "LOC-17: after an arrival with a driver the share ends at its own time if that is sooner", arguments: [true, false])
  func arrivalBeforeTheEnd(isSooner: Bool) throws {
    // The way home takes one minute.
    let left: Int64 = isSooner ? 299_999 : 300_001
    let (ana, ben, cem) = try started(for: .seconds(960) + .milliseconds(left), ["place": ShareEndTests.home])
    #expect(accept(ben, 60) == nil)
    world.advance(.seconds(900))
    try arrive(ana)
    let wait = Duration.milliseconds(min(left, 300_000))
    #expect(try share.facts().until == world.now + wait)
    #expect(try share.entry(of: cem)?.until == world.now + wait)
    world.advance(wait - .milliseconds(1))
    #expect(!share.isOver)
    world.advance(.milliseconds(1))
    #expect(share.isOver)
    for person in [ana, ben, cem] { #expect(try share.told(person).compactMap(\.reason) == [.arrived]) }
  }

  @Test("LOC-17: after the arrival a share is not extended, nobody is alerted or comes, and nothing more is told")
  func afterArrival() throws {
    let (ana, ben, cem) = try started(["place": ShareEndTests.home])
    #expect(accept(ben) == nil)
    try share.call(ana, "shares.stop")
    try arrive(ana)
    #expect(share.refused(ana, "pickup.ready") == "conflict/arrived")
    #expect(accept(cem)?.reason == "arrived" && update(ben)?.reason == "noDriver")
    #expect(share.refused(ben, "pickup.release") == "conflict/noDriver")
    #expect(share.refused(ben, "pickup.collected") == "conflict/noDriver")
    #expect(share.refused(ana, "pickup.collected") == "conflict/noDriver")
    #expect(share.refused(ana, "pickup.cancel") == nil)
    #expect(share.refused(ben, "shares.answerStop", ["confirm": false]) == "conflict/notAsked")
    #expect(share.refused(ana, "shares.extend", ["until": .at(world.now + .seconds(5 * 3600))]) == "conflict/arrived")
    // Further reports are taken, and tell nothing new.
    for _ in 1...2 {
      world.advance(.seconds(30))
      try share.report(ana, share.fix(9))
    }
    world.advance(.seconds(239))
    #expect(!share.isOver)
    for person in [ana, ben, cem] {
      let kinds = try share.told(person).map(\.kind).filter { $0 != .share && $0 != .pickup && $0 != .stopAsked }
      #expect(kinds == [.arrived])
    }
  }

  @Test("LOC-14, LOC-34: the end of a share closes the ride for everybody, the driver included")
  func endCloses() throws {
    let (ana, ben, cem) = try started(for: hour)
    let room = try #require(world.rooms[.share(share.id)] as? TypedRoom<ShareState>)
    #expect(accept(ben, 240) == nil)
    world.advance(hour)
    #expect(share.isOver && room.state.pickup.value == Pickup())
    for person in [ana, ben, cem] {
      #expect(try share.entry(of: person) == nil && share.told(person, .ended).map(\.reason) == [.timeUp])
    }
  }

  // MARK: reports

  @Test("LOC-6: the sharer's phone reports every 10 s while a driver comes, and else every 30 s")
  func interval() throws {
    let (ana, ben, _) = try started()
    let room = try #require(world.rooms[.share(share.id)])
    func seconds() -> Duration { HomeRooms.reportInterval(of: room) }
    #expect(seconds() == .seconds(30), "wanted")
    try share.call(ana, "pickup.ready")
    #expect(seconds() == .seconds(30), "requested")
    for _ in 1...2 {
      #expect(accept(ben) == nil && seconds() == .seconds(10))
      try share.call(ben, "pickup.release")
      #expect(seconds() == .seconds(30))
    }
    #expect(accept(ben) == nil)
    try share.call(ana, "pickup.collected")
    #expect(seconds() == .seconds(30))
    #expect(HomeRooms.reportInterval(of: try #require(world.rooms[.person(ana)])) == .seconds(30))
  }
}
