import JSON
import Rooms
import Testing

@testable import Home

/// LOC-24 and LOC-27: the way that a sharer has come, and since when they have not moved.
@Suite("Trails, and sharers who stand still")
struct TrailAndStillnessTests {
  let share = ShareEndTests()
  var world: World { share.world }
  let people: [ID<Person>]

  init() throws { people = try share.world.household(of: "Ana", "Ben") }

  private func start(trail: Bool? = true, for duration: Duration = .seconds(3600)) throws {
    var more: [String: JSON] = ["until": .at(world.now + duration)]
    if let trail { more["trail"] = .bool(trail) }
    try share.start(people, more)
  }

  private func room() throws -> TypedRoom<ShareState> {
    try #require(world.rooms[.share(share.id)] as? TypedRoom<ShareState>)
  }
  private func points() throws -> [TrailPoint] { try world.share(share.id).trail.values.map(\.self) }
  private func position() throws -> Position { try world.share(share.id).position.value }
  private func report(_ fixes: JSON..., by client: ID<Client>? = nil) throws {
    try share.report(people[0], fixes, by: client)
  }
  private func live(_ room: Room) -> JSON? {
    let writer = Writer()
    room.writeLive(to: writer)
    return try? JSON.parse(writer.bytes())
  }

  /// The latitude of a point so many metres north of the place.
  private func lat(_ metres: Double) -> Double { Geography.rounded(52 + metres / ShareEndTests.degree) }

  // MARK: trail

  @Test("LOC-24: a share has no trail unless the sharer switches it on at the start", arguments: [nil, false])
  func off(trail: Bool?) throws {
    try start(trail: trail)
    try report(share.fix(500, 20), share.fix(400, 10), share.fix(300))
    #expect(try points().isEmpty && share.facts().trail == nil && position().lat == lat(300))
    #expect(live(try room())?["trail"] ?? [:] == [:])
  }

  @Test(
    "LOC-24: a trail has at most 60 points of at most 10 minutes, in the order of time",
    arguments: [(5, 60), (10, 60), (11, 55), (30, 21)], [1, 6])
  func bounds(interval: (seconds: Int, points: Int), perReport: Int) throws {
    let (seconds, count) = interval
    try start()
    #expect(try share.facts().trail == true)
    let steps = 70 / perReport * perReport
    for _ in 1...steps / perReport {
      world.advance(.seconds(seconds * perReport))
      // The newest first, as a phone may send them.
      try share.report(people[0], (0..<perReport).map { share.fix(500 + Double($0), Double($0 * seconds)) })
    }
    let times = try points().map(\.at)
    #expect(times == (0..<count).reversed().map { world.now - .seconds($0 * seconds) })
    #expect(try points().last?.lat == lat(500) && points().last?.lon == 4 && points().last?.accuracy == 8)
  }

  @Test("LOC-24: neither suspect nor coarse fixes are points of a trail")
  func untrusted() throws {
    try start()
    try report(share.fix(500))
    world.advance(.seconds(30))
    try report(share.fix(510, accuracy: 1001))
    #expect(try position().coarse == true)
    world.advance(.seconds(30))
    // 8,990 m in 30 s.
    try report(share.fix(9500))
    #expect(try position().suspect == true && points().map(\.lat) == [lat(500)])
    world.advance(.seconds(30))
    try report(share.fix(9510, accuracy: 1000))
    #expect(try points().map(\.lat) == [lat(500), lat(9510)])
    #expect(try points().map(\.at) == [world.now - .seconds(90), world.now])
  }

  @Test("LOC-24, R-LOC: a better fix of the same time takes the place of a point, also if it is no point itself")
  func better() throws {
    try start()
    try report(share.fix(500))
    world.advance(.seconds(30))
    let at = world.now
    try report(share.fix(600, accuracy: 300))
    let fixes: [(Double, Double, Double)] = [(620, 200, 620), (610, 250, 620), (630, 20, 630)]
    for (metres, accuracy, expected) in fixes {
      world.advance(.seconds(1))
      try report(share.fix(metres, Double((world.now - at).milliseconds) / 1000, accuracy: accuracy))
      #expect(try points().map(\.lat) == [lat(500), lat(expected)] && points().last?.at == at)
    }
    // 9,500 m from the point before, in 30 s.
    try report(share.fix(10_000, Double((world.now - at).milliseconds) / 1000, accuracy: 8))
    #expect(try position().suspect == true && points().map(\.lat) == [lat(500)])
  }

  @Test("LOC-24: an older fix and one that is repeated add no point")
  func older() throws {
    try start()
    try report(share.fix(500))
    world.advance(.seconds(30))
    for _ in 1...3 { try report(share.fix(530, 10), share.fix(510, 20)) }
    try report(share.fix(520, 15))
    #expect(try points().map(\.lat) == [lat(500), lat(510), lat(530)])
  }

  @Test("LOC-24: a trail is gone 10 minutes after its last point, though no phone reports and the share goes on")
  func fades() throws {
    try start()
    try report(share.fix(500))
    world.advance(.seconds(30))
    try report(share.fix(530))
    let room = try room()
    world.advance(.milliseconds(599_999))
    #expect(try points().map(\.lat) == [lat(500), lat(530)], "as it was with the last report")
    _ = room.sealLive(to: Writer())
    world.advance(.milliseconds(1))
    #expect(try points().isEmpty && position().lat == lat(530))
    #expect(room.isLiveTouched, "everybody in the room is told")
    world.advance(.seconds(3600))
    #expect(share.isOver, "its end is still due")
  }

  @Test("LOC-24: a trail is gone with the end of the share")
  func ends() throws {
    try start()
    try report(share.fix(500, 10), share.fix(490))
    let room = try room()
    #expect(room.state.trail.count == 2)
    try share.call(people[1], "shares.leave")
    #expect(share.isOver)
    // Once the end is on disk.
    room.wipe()
    #expect(room.state.trail.isEmpty)
    #expect(live(room)?["trail"] ?? [:] == [:])
  }

  @Test("LOC-23, LOC-24: a trail is sent live, and is in no log, no snapshot and no file")
  func liveOnly() throws {
    try start()
    let room = try room()
    try report(share.fix(500))
    world.advance(.seconds(30))
    try report(share.fix(530))
    let text = "52.0045"
    #expect(text == String(lat(500).description.prefix(7)))
    let sent = Writer()
    #expect(room.sealLive(to: sent) && String(decoding: sent.bytes(), as: UTF8.self).contains(text))
    #expect(live(room)?["trail"]?.object?.count == 2, "and to all who come later")
    #expect(!world.snapshot(of: room).text.contains(text))
    #expect(world.entries[room.id]?.contains { String(decoding: $0, as: UTF8.self).contains(text) } == false)
    #expect(world.patches[room.id]?.contains { $0["trail"] != nil } == false)
    let kept = Writer()
    room.writeKept(to: kept)
    let stored = String(decoding: kept.bytes(), as: UTF8.self)
    #expect(!stored.contains("trail") && stored.contains(String(lat(530).description.prefix(7))))
    for person in people {
      let me = try #require(world.rooms[.person(person)])
      #expect(!world.snapshot(of: me).text.contains("52.00"))
    }
    #expect(try world.isRestorable(room.id))
  }

  // MARK: stillness

  @Test(
    "LOC-27: a sharer stands still who has stayed within 30 m for 5 minutes",
    arguments: [(0, 300_000, true), (29, 300_000, true), (29, 299_999, false), (31, 300_000, false)]
      as [(Double, Int64, Bool)])
  func still(metres: Double, milliseconds: Int64, isStill: Bool) throws {
    try start(trail: false)
    let since = world.now
    try report(share.fix(500))
    for _ in 1...4 {
      world.advance(.seconds(30))
      try report(share.fix(510))
      #expect(try position().stillSince == nil)
    }
    world.advance(since + .milliseconds(milliseconds) - world.now)
    try report(share.fix(500 + metres))
    #expect(try position().stillSince == (isStill ? since : nil))
    let kept = Writer()
    try room().writeKept(to: kept)
    let stored = try JSON.parse(kept.bytes())["position"]?["stillSince"]
    #expect(stored == (isStill ? .at(since) : nil))
  }

  @Test("LOC-27: a sharer who moves on stands still again 5 minutes after they have stopped")
  func movesOn() throws {
    try start(trail: false)
    func go(_ metres: Double, steps: Int = 1) throws {
      for _ in 1...steps {
        world.advance(.seconds(30))
        try report(share.fix(metres))
      }
    }
    try go(500)
    let first = world.now
    try go(510, steps: 10)
    #expect(try position().stillSince == first)
    // A slow walk is a walk: it is measured from where they stood.
    for metres in [520, 529] as [Double] {
      try go(metres)
      #expect(try position().stillSince == first)
    }
    try go(531)
    #expect(try position().stillSince == nil)
    let second = world.now
    try go(531, steps: 9)
    #expect(try position().stillSince == nil)
    try go(531)
    #expect(try position().stillSince == second)
  }

  @Test("LOC-27: coarse and suspect fixes say nothing about whether a sharer moves", arguments: [true, false])
  func undisturbed(isCoarse: Bool) throws {
    try start(trail: false)
    let since = world.now
    try report(share.fix(500))
    /// One that cannot be trusted, far away.
    func stray() throws {
      world.advance(.seconds(30))
      try report(isCoarse ? share.fix(900, accuracy: 1001) : share.fix(9000))
      #expect(try !position().isTrusted)
    }
    /// Back again: a jump back from one that is suspect is suspect, too.
    func back() throws {
      for _ in 1...2 {
        world.advance(.seconds(30))
        try report(share.fix(505))
      }
    }
    try stray()
    #expect(try position().stillSince == nil)
    try back()
    world.advance(.seconds(210))
    try report(share.fix(505))
    #expect(try position().stillSince == since)
    try stray()
    #expect(try position().stillSince == since)
    try back()
    #expect(try position().stillSince == since)
  }

  @Test("LOC-27, R-LOC: a better fix of the same time decides whether the sharer has moved")
  func betterDecides() throws {
    try start(trail: false)
    let since = world.now
    try report(share.fix(500))
    world.advance(.seconds(300))
    try report(share.fix(560, accuracy: 90))
    #expect(try position().stillSince == nil)
    try report(share.fix(510, accuracy: 20))
    #expect(try position().stillSince == since)
    try report(share.fix(540, accuracy: 5))
    #expect(try position().stillSince == nil)
    world.advance(.seconds(300))
    try report(share.fix(540))
    #expect(try position().stillSince == world.now - .seconds(300))
  }

  @Test("LOC-27, LOC-35: two devices together prove no standing still")
  func devices() throws {
    try start(trail: false)
    try report(share.fix(500))
    world.advance(.seconds(300))
    try report(share.fix(500))
    #expect(try position().stillSince == world.now - .seconds(300))
    let tablet = ID<Client>(high: 8, low: 8)
    world.advance(.seconds(30))
    let since = world.now
    try report(share.fix(500), by: tablet)
    #expect(try position().stillSince == nil)
    world.advance(.milliseconds(299_999))
    try report(share.fix(500), by: tablet)
    #expect(try position().stillSince == nil)
    world.advance(.milliseconds(1))
    try report(share.fix(500), by: tablet)
    #expect(try position().stillSince == since)
  }

  @Test("LOC-26, LOC-27: a sharer goes on standing still after a restart")
  func restart() throws {
    try start(trail: false)
    let since = world.now
    try report(share.fix(500))
    world.advance(.seconds(200))
    try report(share.fix(500))
    let kept = Writer()
    try room().writeKept(to: kept)
    let kind = try #require(HomeRooms.kinds.first { $0.name == .share })
    let copy = try #require(kind.make(.share(share.id)) as? TypedRoom<ShareState>)
    try copy.restore(
      snapshot: nil, entries: world.entries[.share(share.id)] ?? [], live: kept.bytes(), random: [], due: nil)
    let now = since + .seconds(300)
    let fix = Fix(lat: lat(500), lon: 4, accuracy: Accuracy(metres: 8), fixTime: now)
    try Report(sentAt: now, fixes: [fix]).run(
      in: copy, Turn(caller: people[0], client: world.client, session: world.client.cast(), now: now))
    #expect(copy.state.position.value.stillSince == since)
  }
}
