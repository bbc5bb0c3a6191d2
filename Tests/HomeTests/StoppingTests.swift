import JSON
import Rooms
import Testing

@testable import Home

/// LOC-9 to LOC-12: receivers leave, and the sharer asks them to let the share end.
@Suite("Leaving and stopping a share")
struct StoppingTests {
  let share = ShareEndTests()
  var world: World { share.world }
  let hour = Duration.seconds(3600)
  let tablet = ID<Client>(high: 8, low: 8)

  private func start(_ people: [ID<Person>], _ more: [String: JSON] = [:]) throws {
    try share.start(people, ["until": .at(world.now + hour)].merging(more) { $1 })
  }

  /// A share of Ana's with all others.
  private func started(_ names: String..., more: [String: JSON] = [:]) throws -> [ID<Person>] {
    var people: [ID<Person>] = []
    for name in names { people.append(try world.signUp(name)) }
    _ = try world.household(of: names[0])
    try world.join(people.dropFirst(), ID(high: 0xB000, low: 1))
    try start(people, more)
    return people
  }

  private func state() throws -> ShareState { try world.share(share.id) }
  private func room() throws -> TypedRoom<ShareState> {
    try #require(world.rooms[.share(share.id)] as? TypedRoom<ShareState>)
  }

  private func answer(_ person: ID<Person>, confirm: Bool) throws {
    try share.call(person, "shares.answerStop", ["confirm": .bool(confirm)])
  }

  private func refusedAnswer(_ person: ID<Person>, confirm: Bool = true) -> String? {
    share.refused(person, "shares.answerStop", ["confirm": .bool(confirm)])
  }

  /// The reasons by which a person was told that the share is over.
  private func ends(_ person: ID<Person>) throws -> [ShareEndReason] { try share.told(person).compactMap(\.reason) }

  // MARK: leaving

  @Test("LOC-9: the only receiver who leaves ends the share with `noReceivers`, and the sharer's phone may stop")
  func lastLeaves() throws {
    let people = try started("Ana", "Ben")
    try share.report(people[0], share.fix(500))
    let room = try room()
    try share.call(people[1], "shares.leave")
    #expect(share.isOver && room.state.share.value.reason == .noReceivers)
    #expect(try share.told(people[0]).map(\.kind) == [.ended] && ends(people[0]) == [.noReceivers])
    #expect(try share.told(people[1]).map(\.kind) == [.share], "they know that they have left")
    for person in people { #expect(try share.entry(of: person) == nil) }
    #expect(HomeRooms.ownActiveShares(of: try #require(world.rooms[.person(people[0])])).isEmpty)
  }

  @Test("LOC-10, LOC-21: one of several receivers who leaves is out at once, and the sharer is told")
  func oneLeaves() throws {
    let people = try started("Ana", "Ben", "Cem")
    let room = try room()
    world.advance(.seconds(60))
    try share.call(people[1], "shares.leave")
    #expect(!share.isOver && people.map(room.admits) == [true, false, true])
    let closed = world.closed.filter { $0.room == .share(share.id) }
    #expect(closed.map(\.person) == [people[1]] && closed.map(\.reason) == ["ended"])
    #expect(Array(room.state.receivers.keys) == [people[2]])
    #expect(room.state.formerReceivers[people[1]] == FormerReceiver(name: "Ben", state: .left, at: world.now))
    #expect(room.state.formerReceivers.count == 1)
    #expect(try share.entry(of: people[1]) == nil && share.entry(of: people[2]) != nil)
    let told = try share.told(people[0])
    #expect(told.map(\.kind) == [.receiverLeft] && told.map(\.actor) == [people[1]])
    #expect(told.map(\.actorName) == ["Ben"] && told.map(\.room) == ["share/\(share.id)"])
    for person in people.dropFirst() { #expect(try share.told(person).map(\.kind) == [.share]) }
    try share.call(people[2], "shares.leave")
    #expect(try share.isOver && ends(people[0]) == [.noReceivers] && ends(people[1]).isEmpty)
    #expect(try share.told(people[0], .receiverLeft).count == 1, "the end says it of the last one")
  }

  @Test("LOC-9, LOC-23: only a receiver leaves, once, and not a share whose time is over")
  func leavingRefused() throws {
    let people = try started("Ana", "Ben", "Cem")
    let stranger = try world.signUp("Dan")
    #expect(share.refused(stranger, "shares.leave") == "notFound/room")
    #expect(share.refused(people[0], "shares.leave") == "forbidden/forbidden")
    #expect(share.refused(people[1], "shares.leave") == nil)
    #expect(share.refused(people[1], "shares.leave") == "notFound/room")
    world.now = world.now + hour
    #expect(share.refused(people[2], "shares.leave") == "notFound/gone")
  }

  @Test("LOC-10: the sharer is told of each of two receivers who leave in the same millisecond")
  func together() throws {
    let people = try started("Ana", "Ben", "Cem", "Dan")
    for person in people[1...2] { try share.call(person, "shares.leave") }
    #expect(try Set(share.told(people[0], .receiverLeft).map(\.actor)) == Set(people[1...2]))
  }

  // MARK: consent

  @Test("LOC-11: each receiver is asked; those who confirm are out, and the share ends when none is left")
  func consent() throws {
    let people = try started("Ana", "Ben", "Cem", "Dan")
    let room = try room()
    let askedAt = world.now
    try share.call(people[0], "shares.stop")
    #expect(room.state.stopRequest.value == StopRequest(askedAt: askedAt, until: askedAt + .seconds(900)))
    for person in people.dropFirst() {
      let told = try share.told(person, .stopAsked)
      #expect(told.map(\.until) == [askedAt + .seconds(900)] && told.map(\.actorName) == ["Ana"])
      #expect(told.map(\.actor) == [people[0]] && told.map(\.room) == ["share/\(share.id)"])
    }
    #expect(try share.told(people[0]).isEmpty)
    world.advance(.seconds(60))
    try answer(people[1], confirm: true)
    #expect(people.map(room.admits) == [true, false, true, true])
    #expect(room.state.formerReceivers[people[1]] == FormerReceiver(name: "Ben", state: .confirmed, at: world.now))
    #expect(try ends(people[1]) == [.stopped] && share.told(people[1], .ended).count == 1)
    #expect(try share.entry(of: people[1]) == nil)
    let told = try share.told(people[0])
    #expect(told.map(\.kind) == [.stopConfirmed] && told.map(\.actorName) == ["Ben"])
    for person in people[2...] { #expect(try share.told(person).count == 2, "nothing new for the others") }
    for _ in 1...2 { try answer(people[2], confirm: false) }
    #expect(try share.told(people[0], .stopDenied).map(\.actor) == [people[2]], "told once")
    #expect(room.state.receivers[people[2]]?.deniedAt == world.now && room.admits(people[2]))
    world.advance(.seconds(60))
    try answer(people[2], confirm: false)
    #expect(room.state.receivers[people[2]]?.deniedAt == world.now - .seconds(60))
    try answer(people[2], confirm: true)
    #expect(!share.isOver && room.state.receivers.count == 1 && room.state.formerReceivers.count == 2)
    try answer(people[3], confirm: true)
    #expect(share.isOver && room.state.share.value.reason == .stopped)
    for person in people { #expect(try ends(person) == [.stopped] && share.entry(of: person) == nil) }
    #expect(try share.told(people[0], .stopDenied).count == 1 && share.told(people[0], .stopConfirmed).count == 2)
  }

  @Test("LOC-11: the consent of one person counts for themselves only, and once")
  func ownConsent() throws {
    let people = try started("Ana", "Ben", "Cem")
    let stranger = try world.signUp("Dan")
    #expect(share.refused(people[1], "shares.stop") == "forbidden/forbidden")
    #expect(share.refused(stranger, "shares.stop") == "notFound/room")
    try share.call(people[0], "shares.stop")
    #expect(refusedAnswer(people[0]) == "forbidden/forbidden" && refusedAnswer(stranger) == "notFound/room")
    let forAnother = refusal { try share.call(people[1], "shares.answerStop", ["person": .id(people[2])]) }
    #expect(forAnother?.fields.map(\.path).sorted() == ["confirm", "person"])
    try answer(people[1], confirm: true)
    #expect(refusedAnswer(people[1]) == "notFound/room" && refusedAnswer(people[1], confirm: false) == "notFound/room")
    #expect(try state().receivers.keys.map(\.self) == [people[2]])
  }

  @Test(
    "LOC-11: a request stands for 15 minutes: an answer after it is refused",
    arguments: [(0, true), (899_999, true), (900_000, false)], [true, false])
  func stands(answer: (milliseconds: Int, isTaken: Bool), confirm: Bool) throws {
    let isTaken = answer.isTaken
    let people = try started("Ana", "Ben", "Cem")
    #expect(refusedAnswer(people[1], confirm: confirm) == "conflict/notAsked")
    try share.call(people[0], "shares.stop")
    // Before the timer fires, and after it.
    world.now = world.now + .milliseconds(answer.milliseconds)
    #expect(refusedAnswer(people[1], confirm: confirm) == (isTaken ? nil : "conflict/notAsked"))
    world.advance(.zero)
    #expect(refusedAnswer(people[2], confirm: confirm) == (isTaken ? nil : "conflict/notAsked"))
    #expect(try share.told(people[0], confirm ? .stopConfirmed : .stopDenied).isEmpty != isTaken)
  }

  @Test("LOC-11: a request is repeated after 5 minutes at the earliest, and then everybody who denied is asked again")
  func repeated() throws {
    let people = try started("Ana", "Ben", "Cem")
    try share.call(people[0], "shares.stop")
    try answer(people[1], confirm: false)
    for (wait, remaining) in [(0, 300_000), (100_000, 200_000), (199_999, 1)] as [(Int64, Int64)] {
      world.advance(.milliseconds(wait))
      let found = refusal { try share.call(people[0], "shares.stop") }
      #expect(found?.code == .rateLimited && found?.reason == "asked" && found?.isTemporary == false)
      #expect(found?.retryAfter == .milliseconds(remaining))
    }
    world.advance(.milliseconds(1))
    #expect(try state().receivers[people[1]]?.deniedAt != nil)
    try share.call(people[0], "shares.stop")
    #expect(try state().receivers[people[1]]?.deniedAt == nil)
    #expect(try state().stopRequest.value.until == world.now + .seconds(900), "it stands 15 minutes from now on")
    for person in people.dropFirst() { #expect(try share.told(person, .stopAsked).count == 2) }
    try answer(people[1], confirm: false)
    #expect(try share.told(people[0], .stopDenied).count == 2)
    world.advance(.milliseconds(899_999))
    #expect(refusedAnswer(people[2]) == nil)
  }

  // MARK: silence

  @Test(
    "LOC-12: after 15 minutes silence keeps or confirms, as chosen at the start; a receiver who denied stays",
    arguments: [(nil, false), ("keeps", false), ("confirms", true)] as [(JSON?, Bool)])
  func silence(choice: JSON?, confirms: Bool) throws {
    let people = try started("Ana", "Ben", "Cem", "Dan", more: choice.map { ["silence": $0] } ?? [:])
    #expect(try state().share.value.silence == (confirms ? .confirms : nil))
    try share.call(people[0], "shares.stop")
    try answer(people[2], confirm: false)
    world.advance(.milliseconds(899_999))
    #expect(try state().receivers.count == 3 && state().receivers[people[2]]?.deniedAt != nil)
    world.advance(.milliseconds(1))
    #expect(try state().stopRequest.value == StopRequest())
    #expect(try state().receivers[people[2]] == Receiver(name: "Cem", invitedAt: World.start), "no answer is left")
    #expect(try state().receivers.count == (confirms ? 1 : 3))
    for person in [people[1], people[3]] {
      #expect(try ends(person) == (confirms ? [.stopped] : []))
      #expect(try state().formerReceivers[person]?.state == (confirms ? .confirmed : nil))
      #expect(try state().formerReceivers[person]?.at == (confirms ? world.now : nil))
    }
    #expect(try ends(people[0]).isEmpty && ends(people[2]).isEmpty)
    let confirmations = try share.told(people[0], .stopConfirmed).compactMap(\.actor)
    #expect(Set(confirmations) == (confirms ? [people[1], people[3]] : []), "the sharer is told whose silence counts")
    #expect(share.refused(people[0], "shares.stop") == nil, "a request that is over delays no other")
  }

  @Test("LOC-12: where silence confirms and nobody answers, the share is stopped after 15 minutes, told once")
  func allSilent() throws {
    let people = try started("Ana", "Ben", "Cem", more: ["silence": "confirms"])
    let room = try room()
    try share.call(people[0], "shares.stop")
    world.advance(.milliseconds(899_999))
    #expect(!share.isOver)
    world.advance(.milliseconds(1))
    #expect(share.isOver && room.state.share.value.reason == .stopped)
    world.advance(hour)
    for person in people { #expect(try ends(person) == [.stopped] && share.entry(of: person) == nil) }
  }

  @Test("LOC-12: a share that notifies stops at once, and everybody is told once")
  func notifies() throws {
    let people = try started("Ana", "Ben", "Cem", more: ["stop": "notify"])
    let room = try room()
    #expect(room.state.share.value.stop == .notify)
    #expect(share.refused(people[1], "shares.stop") == "forbidden/forbidden")
    try share.call(people[0], "shares.stop")
    #expect(share.isOver && room.state.share.value.reason == .stopped)
    world.advance(hour)
    for person in people {
      #expect(try ends(person) == [.stopped] && share.told(person, .stopAsked).isEmpty)
    }
  }

  @Test(
    "LOC-12: how a share stops is chosen at its start, and silence has a meaning only where receivers are asked",
    arguments: [
      (["stop": "notify", "silence": "keeps"], ["silence"]), (["stop": "notify", "silence": "confirms"], ["silence"]),
      (["stop": "consent", "silence": "confirms"], []), (["stop": "consent"], []), (["stop": "notify"], []),
      (["stop": "never", "silence": "ends", "trail": 1], ["silence", "stop", "trail"]),
    ] as [([String: JSON], [String])])
  func choices(more: [String: JSON], bad: [String]) throws {
    let people = try world.household(of: "Ana", "Ben")
    #expect(refusal { try start(people, more) }.map { $0.fields.map(\.path).sorted() } ?? [] == bad)
    guard bad.isEmpty else { return #expect(share.isOver) }
    // Only what is not usual is said.
    #expect(try state().share.value.stop == (more["stop"] == "notify" ? .notify : nil))
    #expect(try state().share.value.silence == (more["silence"] == "confirms" ? .confirms : nil))
  }

  // MARK: ends in any case

  enum End: CaseIterable { case time, arrival, block, blockedBySharer, sharersAccount, receiversAccount }

  @Test(
    "LOC-12: the time, an arrival, a block and a deleted account end a share while a request stands",
    arguments: End.allCases)
  func inAnyCase(end: End) throws {
    let more: [String: JSON] = end == .arrival ? ["place": ShareEndTests.home] : [:]
    let people = try started("Ana", "Ben", more: more.merging(["until": .at(world.now + .seconds(1000))]) { $1 })
    let room = try room()
    try share.report(people[0], share.fix(500))
    world.advance(.seconds(200))
    try share.call(people[0], "shares.stop")
    try answer(people[1], confirm: false)
    let reason: ShareEndReason
    switch end {
    case .time:
      world.advance(.milliseconds(799_999))
      #expect(!share.isOver)
      world.advance(.milliseconds(1))
      reason = .timeUp
    case .arrival:
      for _ in 1...2 {
        world.advance(.seconds(60))
        try share.report(people[0], share.fix(9))
      }
      reason = .arrived
    case .block, .blockedBySharer:
      let blocker = end == .block ? 1 : 0
      try world.call(people[blocker], "contacts.block", ["person": .id(people[1 - blocker])])
      reason = .blocked
    case .sharersAccount:
      try world.delete(people[0])
      reason = .deleted
    case .receiversAccount:
      try world.delete(people[1])
      reason = .noReceivers
    }
    #expect(share.isOver && room.state.share.value.reason == reason)
    world.advance(hour)
    for person in people where world.rooms[.person(person)] != nil {
      #expect(try ends(person) == [reason] && share.entry(of: person) == nil)
    }
  }

  @Test("LOC-12, LOC-33: a block takes out one of several receivers while a request stands, and the others go on")
  func blockedMeanwhile() throws {
    let people = try started("Ana", "Ben", "Cem")
    try share.call(people[0], "shares.stop")
    try world.call(people[1], "contacts.block", ["person": .id(people[0])])
    #expect(try state().receivers.keys.map(\.self) == [people[2]] && ends(people[1]) == [.blocked])
    #expect(try state().formerReceivers.isEmpty, "nobody is told of a block")
    #expect(try ends(people[2]).isEmpty && state().stopRequest.value.until != nil)
  }

  // MARK: a lost phone

  /// Ends the share from a device.
  private func end(
    _ person: ID<Person>, from client: ID<Client>? = nil, share id: ID<Share>? = nil,
    by confirmation: Rooms.Confirmation? = .pin
  ) -> String? {
    world.confirmation = confirmation
    defer { world.confirmation = nil }
    return reason {
      var key = world.nextCall(of: person)
      if let client { key.client = client }
      _ = try world.send(key, "shares.end", in: .person(person), ["share": .id(id ?? share.id)])
      world.deliverAll()
    }
  }

  private func reportFromPhone(_ person: ID<Person>) throws {
    let report: JSON = ["sentAt": .at(world.now), "fixes": [share.fix(500)]]
    _ = try world.send(world.nextCall(of: person), "positions.report", in: .person(person), report)
  }

  @Test(
    "LOC-11: the sharer ends a share at once from another device after a confirmation, and everybody is told once",
    arguments: [Rooms.Confirmation.pin, .password])
  func phoneLost(way: Rooms.Confirmation) throws {
    let people = try started("Ana", "Ben", "Cem")
    let room = try room()
    try reportFromPhone(people[0])
    #expect(end(people[0], from: tablet, by: way) == nil)
    #expect(share.isOver && room.state.share.value.reason == .phoneLost)
    world.advance(hour)
    for person in people {
      #expect(try ends(person) == [.phoneLost] && share.told(person, .ended).count == 1)
      #expect(try share.entry(of: person) == nil)
    }
    #expect(end(people[0], from: tablet) == "notFound/share")
  }

  @Test("LOC-11: a share is ended so only after a confirmation, by its sharer, and not from the reporting device")
  func phoneLostRefused() throws {
    let people = try started("Ana", "Ben")
    #expect(end(people[0], from: tablet, by: nil) == "forbidden/confirm")
    #expect(end(people[1], from: tablet) == "notFound/share", "a receiver's share is not theirs to end")
    #expect(end(people[0], from: tablet, share: ID(high: 1, low: 1)) == "notFound/share")
    try reportFromPhone(people[0])
    #expect(end(people[0]) == "conflict/sameDevice")
    #expect(!share.isOver)
    #expect(end(people[0], from: tablet) == nil && share.isOver)
  }

  @Test("LOC-11: before any device reports, each of the sharer's may end the share")
  func noPhone() throws {
    let people = try started("Ana", "Ben")
    #expect(end(people[0]) == nil && share.isOver)
  }

  @Test("LOC-11, LOC-23: nobody but the sharer says that the phone is lost")
  func forged() throws {
    let people = try started("Ana", "Ben")
    let room = try room()
    try? room.performLive(Turn(now: world.now)) { state, context in
      for source in [RoomID.person(people[1]), .household(ID(high: 0xB000, low: 1))] {
        PhoneLost().apply(to: &state, from: source, in: context)
      }
    }
    world.sealAll()
    #expect(!share.isOver)
  }

  // MARK: names

  @Test(
    "ACC-9, LOC-21: a former receiver's account takes their name out of the share, also after it was extended",
    arguments: [true, false])
  func formerDeleted(confirms: Bool) throws {
    let people = try started("Ana", "Zebedee", "Cem")
    if confirms {
      try share.call(people[0], "shares.stop")
      try answer(people[1], confirm: true)
    } else {
      try share.call(people[1], "shares.leave")
    }
    #expect(try world.me(people[1]).shares.past[share.id]?.leftAt == world.now)
    try share.call(people[0], "shares.extend", ["until": .at(world.now + .seconds(24 * 3600))])
    world.advance(.seconds(24 * 3600 - 1))
    #expect(try state().formerReceivers[people[1]]?.name == "Zebedee")
    try world.delete(people[1])
    #expect(try state().formerReceivers.isEmpty && !world.names("Zebedee"))
    #expect(try state().receivers.keys.map(\.self) == [people[2]])
  }

  @Test("ACC-9: a person's own room remembers shares that name them for as long as a share may run")
  func pastShares() throws {
    var list = ShareList()
    let day = Duration.seconds(24 * 3600)
    list.remember(ID(high: 1, low: 1), at: world.now)
    list.remember(ID(high: 1, low: 2), at: world.now + day)
    #expect(list.past.count == 2 && list.known.count == 2)
    list.remember(ID(high: 1, low: 3), at: world.now + day + .milliseconds(1))
    #expect(list.past.keys.map(\.low) == [2, 3])
    for number in 4...Limits.receivedShares + 4 {
      list.remember(ID(high: 1, low: UInt64(number)), at: world.now + day + .milliseconds(Int64(number)))
    }
    #expect(list.past.count == Limits.receivedShares && !list.past.contains(ID(high: 1, low: 2)))
  }
}
