import JSON
import Rooms
import TestSupport
import Testing

@testable import Home

@Suite("Shares of a position")
struct ShareTests {
  let id = ID<Share>(high: 0xE000, low: 1)
  let world = World()
  let hour = Duration.seconds(3600)

  @discardableResult
  func start(
    _ sharer: ID<Person>, _ receivers: [ID<Person>], for duration: Duration = .seconds(3600), id: ID<Share>? = nil
  ) throws -> JSON {
    try world.call(
      sharer, "shares.start",
      ["id": .id(id ?? self.id), "receivers": .array(receivers.map { .id($0) }), "until": .at(world.now + duration)])
  }

  func fix(
    _ lat: Double = 52.1, _ lon: Double = 4.3, accuracy: Double = 10, at: Instant, battery: Int? = nil
  ) -> JSON {
    func number(_ value: Double) -> JSON { JSON.Number(value).map(JSON.number) ?? .null }
    var members: [String: JSON] = [
      "lat": number(lat), "lon": number(lon), "accuracy": number(accuracy), "fixTime": .at(at),
    ]
    if let battery { members["battery"] = .number(.init(battery)) }
    return .object(members)
  }

  func report(_ person: ID<Person>, _ fixes: [JSON], sentAt: Instant? = nil) throws {
    _ = try world.send(
      world.nextCall(of: person), "positions.report", in: .share(id),
      ["sentAt": .at(sentAt ?? world.now), "fixes": .array(fixes)])
  }

  func position() throws -> Position { try world.share(id).position.value }

  @Test("LOC-1, LOC-22: a share is a room, which the sharer and the receivers have in their lists")
  func start() throws {
    let people = try world.household(of: "Ana", "Ben", "Cem")
    #expect(try start(people[0], [people[1]])["id"] == .id(id))
    let share = try world.share(id)
    #expect(share.share.value.sharer == people[0] && share.share.value.name == "Ana")
    #expect(share.share.value.until == world.now + hour)
    #expect(share.receivers[people[1]] == Receiver(name: "Ben", invitedAt: world.now))
    let entry = try #require(try world.me(people[1]).shares.entries[id])
    #expect(entry.role == .receiver && entry.name == "Ana" && entry.until == world.now + hour)
    #expect(try world.me(people[0]).shares.entries[id]?.role == .sharer)
    #expect(HomeRooms.ownActiveShares(of: try #require(world.rooms[.person(people[0])])) == [id])
    #expect(HomeRooms.ownActiveShares(of: try #require(world.rooms[.person(people[1])])).isEmpty)
    #expect(try world.me(people[2]).shares.entries.isEmpty)
  }

  @Test("LOC-22: the 200 received shares that run longest are listed, and each of one's own")
  func received() throws {
    var list = ShareList()
    for number in 1...5 {
      var own = ShareEntry()
      own.role = .sharer
      list.entries[ID(high: 2, low: UInt64(number))] = own
    }
    for number in 1...202 {
      var entry = ShareEntry()
      entry.until = world.now + .seconds(Int64(number))
      list.receive(entry, ID(high: 1, low: UInt64(500 - number)))
      #expect(list.entries.count == min(number, 200) + 5)
    }
    let first = list.entries.filter { $0.value.role == .receiver }.map(\.value.until).min()
    #expect(first == world.now + .seconds(3) && list.hasOwn)
  }

  @Test("LOC-4: a receiver is notified who shares and until when")
  func told() throws {
    let people = try world.household(of: "Ana", "Ben")
    try start(people[0], [people[1]])
    let told = try #require(try world.me(people[1]).inbox.notifications.values.first { $0.kind == .share })
    #expect(told.actorName == "Ana" && told.until == world.now + hour && told.room == "share/\(id)")
    #expect(told.ref == id.cast())
    #expect(try world.me(people[0]).inbox.notifications.values.allSatisfy { $0.kind == .joined })
  }

  @Test("LOC-1, LOC-23: receivers are housemates, and strangers look like unknown people")
  func strangers() throws {
    let people = try world.household(of: "Ana", "Ben")
    let cem = try world.signUp("Cem")
    let nobody = ID<Person>(high: 9, low: 9)
    for receiver in [cem, nobody, people[0]] {
      #expect(reason { try start(people[0], [people[1], receiver]) } == "notFound/person")
    }
    try world.call(people[1], "members.leave", in: .household(ID(high: 0xB000, low: 1)))
    #expect(reason { try start(people[0], [people[1]]) } == "notFound/person")
    #expect(world.rooms[.share(id)] == nil)
  }

  @Test("LOC-1: a share has 1 to 50 receivers, each once")
  func receiverLimit() throws {
    let ana = try world.household(of: "Ana")[0]
    world.checksStates = false
    let first = try (1...31).map { try world.signUp("First\($0)") }
    let second = try (1...20).map { try world.signUp("Second\($0)") }
    try world.join(first, ID(high: 0xB000, low: 1))
    _ = try world.household(of: "Ana", id: ID(high: 0xB000, low: 2))
    try world.join(second, ID(high: 0xB000, low: 2))
    let all = first + second
    #expect(refusal { try start(ana, []) }?.fields.map(\.path) == ["receivers"])
    #expect(refusal { try start(ana, all) }?.fields.map(\.path) == ["receivers"])
    #expect(refusal { try start(ana, [all[0], all[0]]) }?.fields.map(\.path) == ["receivers"])
    try start(ana, Array(all.prefix(50)))
    #expect(try world.share(id).receivers.count == 50)
  }

  @Test("LOC-2: only the sharer extends a share, to a later time within 24 hours")
  func extend() throws {
    let people = try world.household(of: "Ana", "Ben")
    try start(people[0], [people[1]])
    func extend(_ person: ID<Person>, to instant: Instant) -> String? {
      reason { try world.call(person, "shares.extend", in: .share(id), ["until": .at(instant)]) }
    }
    #expect(extend(people[1], to: world.now + hour + hour) == "forbidden/forbidden")
    #expect(extend(people[0], to: world.now + hour) == "invalidParams/invalidParams")
    #expect(extend(people[0], to: world.now + .seconds(24 * 3600) + .milliseconds(1)) == "invalidParams/invalidParams")
    #expect(extend(people[0], to: world.now + .seconds(24 * 3600)) == nil)
    #expect(try world.share(id).share.value.until == world.now + .seconds(24 * 3600))
    for person in people { #expect(try world.me(person).shares.entries[id]?.until == world.now + .seconds(24 * 3600)) }
    world.advance(hour)
    #expect(world.rooms[.share(id)] != nil)
  }

  @Test("LOC-1: a person has at most five own shares, including those that are being started")
  func ownLimit() throws {
    let people = try world.household(of: "Ana", "Ben")
    for low: UInt64 in 1...4 { try start(people[0], [people[1]], id: ID(high: 3, low: low)) }
    world.deliversAtOnce = false
    try start(people[0], [people[1]], id: ID(high: 3, low: 5))
    #expect(reason { try start(people[0], [people[1]], id: ID(high: 3, low: 6)) } == "tooLarge/shares")
    world.deliverAll()
    world.deliversAtOnce = true
    #expect(reason { try start(people[0], [people[1]], id: ID(high: 3, low: 6)) } == "tooLarge/shares")
    try start(people[1], [people[0]], id: ID(high: 3, low: 6))
    world.advance(hour)
    try start(people[0], [people[1]], id: ID(high: 3, low: 7))
  }

  @Test("LOC-1: a share's id can be used once, by any caller")
  func idTaken() throws {
    let people = try world.household(of: "Ana", "Ben", "Cem")
    try start(people[0], [people[1]])
    #expect(reason { try start(people[0], [people[1]]) } == "conflict/exists")
    #expect(reason { try start(people[1], [people[0]]) } == "conflict/exists")
    #expect(reason { try start(people[2], [people[0]]) } == "conflict/exists")
    #expect(try world.share(id).share.value.sharer == people[0])
    #expect(try world.me(people[2]).pending.calls.isEmpty)
    world.advance(hour)
    #expect(reason { try start(people[0], [people[1]]) } == "conflict/exists")
  }

  @Test("LOC-2, LOC-8: at its time a share ends for all members, and no position remains")
  func end() throws {
    let people = try world.household(of: "Ana", "Ben")
    try start(people[0], [people[1]])
    try report(people[0], [fix(at: world.now)])
    let room = try #require(world.rooms[.share(id)])
    world.advance(hour - .milliseconds(1))
    #expect(world.rooms[.share(id)] != nil)
    world.advance(.milliseconds(1))
    #expect(world.rooms[.share(id)] == nil)
    #expect(world.closed.contains { $0.room == .share(id) && $0.reason == "ended" })
    for person in people {
      #expect(try world.me(person).shares.entries.isEmpty)
      #expect(world.kinds(in: try world.me(person).inbox.notifications).contains(.ended))
      #expect(!room.admits(person))
    }
    #expect((room as? TypedRoom<ShareState>)?.state.share.value.reason == .timeUp)
    // Once the end is on disk.
    room.wipe()
    #expect(HomeRooms.lastPositionTimes(of: room) == nil)
    let writer = Writer()
    room.writeKept(to: writer)
    #expect(writer.bytes() == Array("{}".utf8))
  }

  @Test(
    "LOC-25: a position is lost 180 s after the last fix, and receivers are notified once of the loss and of the end")
  func lost() throws {
    let people = try world.household(of: "Ana", "Ben", "Cem")
    try start(people[0], [people[1]])
    try report(people[0], [fix(at: world.now, battery: 7)])
    let fixedAt = world.now
    world.advance(.seconds(100))
    try report(people[0], [fix(at: world.now, battery: 6)])
    world.advance(.seconds(179))
    #expect(try world.share(id).share.value.lost == nil)
    world.advance(.seconds(1))
    let share = try world.share(id).share.value
    #expect(share.lost == .noContact && share.lostAt == world.now && share.endedAt == nil)
    let told = try #require(try world.me(people[1]).inbox.notifications.values.first { $0.kind == .lost })
    #expect(told.cause == .noContact && told.battery == 6 && told.fixedAt == fixedAt + .seconds(100))
    #expect(told.actorName == "Ana" && told.room == "share/\(id)")
    world.advance(.seconds(1000))
    #expect(try world.kinds(in: world.me(people[1]).inbox.notifications).count { $0 == .lost } == 1)
    for person in [people[0], people[2]] {
      #expect(try !world.kinds(in: world.me(person).inbox.notifications).contains(.lost), "for receivers only")
    }
    // A late batch of old fixes finds nobody.
    try report(people[0], [fix(at: world.now - .seconds(300))])
    #expect(try world.share(id).share.value.lost == .noContact)
    try report(people[0], [fix(at: world.now - .seconds(179))])
    #expect(try world.share(id).share.value.lost == nil)
    world.deliverAll()
    #expect(try world.kinds(in: world.me(people[1]).inbox.notifications).count { $0 == .back } == 1)
  }

  @Test("LOC-25 a phone that never reports is lost 180 s after the start, once, and back with its first fix")
  func neverThere() throws {
    let people = try world.household(of: "Ana", "Ben")
    try start(people[0], [people[1]])
    world.advance(.milliseconds(179_999))
    #expect(try world.share(id).share.value.lost == nil)
    world.advance(.milliseconds(1))
    #expect(try world.share(id).share.value.lost == .noContact)
    world.advance(.seconds(1800))
    let told = try #require(try world.me(people[1]).inbox.notifications.values.first { $0.kind == .lost })
    #expect(told.cause == .noContact && told.fixedAt == nil && told.battery == nil)
    try report(people[0], [])
    #expect(try world.share(id).share.value.lost == .noContact, "there is still no position")
    try report(people[0], [fix(at: world.now)])
    world.deliverAll()
    #expect(try world.share(id).share.value.lost == nil)
    let kinds = try world.kinds(in: world.me(people[1]).inbox.notifications)
    #expect(kinds.filter { [.lost, .back].contains($0) }.count == 2)
  }

  @Test("R-LOC LOC-8 LOC-25 the state says lost from the same millisecond on as the heartbeat")
  func lostTogether() throws {
    let people = try world.household(of: "Ana", "Ben")
    try start(people[0], [people[1]])
    try report(people[0], [fix(at: world.now)])
    world.advance(.milliseconds(179_998))
    for _ in 1...3 {
      world.advance(.milliseconds(1))
      let at = try #require(try position().at)
      let isLost = HomeRooms.freshness(ofPositionAt: at, now: world.now) == "lost"
      #expect(try (world.share(id).share.value.lost != nil) == isLost)
    }
  }

  @Test(
    "LOC-25: the position of a phone that reports without a fix is lost, with the cause `noFix`",
    arguments: [true, false])
  func noFix(hadFix: Bool) throws {
    let people = try world.household(of: "Ana", "Ben")
    try start(people[0], [people[1]])
    try report(people[0], hadFix ? [fix(at: world.now)] : [])
    for _ in 1...6 {
      world.advance(.seconds(30))
      try report(people[0], [])
    }
    #expect(try world.share(id).share.value.lost == .noFix)
    #expect(try world.me(people[1]).inbox.notifications.values.first { $0.kind == .lost }?.cause == .noFix)
  }

  @Test(
    "LOC-25: a phone counts as in contact up to 120 s after its last report, with or without a fix",
    arguments: [
      (0.001, nil, .noContact), (59.999, nil, .noContact), (60, nil, .noFix),
      (0, 59.999, .noContact), (0, 60, .noFix),
    ] as [(Double, Double?, LossCause)])
  func silence(fixBefore: Double, emptyAfter: Double?, cause: LossCause) throws {
    let people = try world.household(of: "Ana", "Ben")
    try start(people[0], [people[1]])
    let fixedAt = world.now - .milliseconds(Int64((fixBefore * 1000).rounded()))
    try report(people[0], [fix(at: fixedAt)])
    if let emptyAfter {
      world.advance(.milliseconds(Int64((emptyAfter * 1000).rounded())))
      try report(people[0], [])
    }
    world.advance(fixedAt + .seconds(180) - world.now)
    #expect(try world.share(id).share.value.lost == cause)
  }

  @Test("LOC-25: a share whose position is lost ends at its time")
  func lostToTheEnd() throws {
    let people = try world.household(of: "Ana", "Ben")
    try start(people[0], [people[1]], for: .seconds(900))
    try report(people[0], [fix(at: world.now)])
    world.advance(.seconds(901))
    #expect(
      try world.kinds(in: world.me(people[1]).inbox.notifications).filter { [.lost, .ended].contains($0) }.count == 2)
    #expect(try world.me(people[1]).shares.entries.isEmpty)
  }

  @Test("LOC-23: only the sharer and the receivers are in a share's room, not even the host")
  func access() throws {
    let people = try world.household(of: "Ana", "Ben", "Cem")
    try start(people[1], [people[2]])
    let room = try #require(world.rooms[.share(id)])
    #expect(people.map(room.admits) == [false, true, true])
    #expect(reason { try report(people[0], []) } == "notFound/room")
    #expect(reason { try report(people[2], []) } == "forbidden/forbidden")
    // Membership of a household does not matter to a share that runs.
    try world.call(people[2], "members.leave", in: .household(ID(high: 0xB000, low: 1)))
    #expect(room.admits(people[2]))
  }

  @Test("LOC-5, LOC-19, LOC-23: a position is sent live with five decimals, and is in no log and in no other room")
  func live() throws {
    let people = try world.household(of: "Ana", "Ben")
    try start(people[0], [people[1]])
    let room = try #require(world.rooms[.share(id)])
    try report(people[0], [])
    #expect(try world.share(id).share.value.trackedAt == world.now, "the first one is told")
    let version = room.version
    try report(people[0], [fix(52.123456, -4.999994, at: world.now, battery: 80)])
    #expect(room.isLiveTouched)
    #expect(room.version == version)
    #expect(!room.hasUnsealedChanges)
    let writer = Writer()
    #expect(room.sealLive(to: writer))
    let live = try JSON.parse(writer.bytes())
    #expect(live["position"]?["lat"] == 52.12346)
    #expect(live["position"]?["lon"] == -4.99999)
    #expect(live["position"]?["battery"] == 80)
    #expect(live["position"]?["at"] == .at(world.now))
    #expect(live["link"]?["at"] == .at(world.now))
    #expect(!room.sealLive(to: Writer()))
    #expect(!world.snapshot(of: room).text.contains("52.12346"))
    let kept = Writer()
    room.writeKept(to: kept)
    #expect(String(decoding: kept.bytes(), as: UTF8.self).contains("52.12346"))
    #expect(world.mail.isEmpty)
    let times = try #require(HomeRooms.lastPositionTimes(of: room))
    #expect(times.at == world.now && times.link == world.now)
  }

  @Test("LOC-6: only the newest fix of a late batch is kept, whatever their order")
  func batch() throws {
    let people = try world.household(of: "Ana", "Ben")
    try start(people[0], [people[1]])
    world.advance(.seconds(300))
    let times = [200, 60, 10, 120].map { world.now - .seconds($0) }
    try report(people[0], times.enumerated().map { fix(52 + Double($0.offset) / 10_000, 4, at: $0.element) })
    #expect(try position().at == world.now - .seconds(10))
    #expect(try position().lat == 52.0002)
    #expect(try position().suspect == nil)
  }

  @Test("LOC-6: a report has at most 60 fixes", arguments: [(60, true), (61, false)])
  func batchLimit(count: Int, isAllowed: Bool) throws {
    let people = try world.household(of: "Ana", "Ben")
    try start(people[0], [people[1]])
    let fixes = [JSON](repeating: fix(at: world.now), count: count)
    #expect(refusal { try report(people[0], fixes) }?.fields.map(\.path) == (isAllowed ? nil : ["fixes"]))
  }

  @Test("R-LOC: coordinates, accuracy and battery have bounds, and all invalid fields are named")
  func bounds() throws {
    let people = try world.household(of: "Ana", "Ben")
    try start(people[0], [people[1]])
    for (lat, lon, accuracy, battery, path) in [
      (90.0, 180.0, 50_000.0, 100, nil), (-90.0, -180.0, 0.001, 0, nil), (90.00001, 0, 1, 0, "lat"),
      (-90.00001, 0, 1, 0, "lat"), (0, 180.00001, 1, 0, "lon"), (0, -180.00001, 1, 0, "lon"), (0, 0, 0, 0, nil),
      (0, 0, -0.001, 0, "accuracy"), (0, 0, 50_000.001, 0, "accuracy"), (0, 0, 1, -1, "battery"),
      (0, 0, 1, 101, "battery"),
    ] as [(Double, Double, Double, Int, String?)] {
      let found = refusal {
        try report(people[0], [fix(lat, lon, accuracy: accuracy, at: world.now, battery: battery)])
      }
      #expect(found?.fields.map(\.path) == path.map { ["fixes.0.\($0)"] })
    }
    let found = refusal {
      try report(people[0], [fix(91, 181, accuracy: -1, at: world.now, battery: 101), fix(91, at: world.now)])
    }
    #expect(
      found?.fields.map(\.path)
        == ["fixes.0.lat", "fixes.0.lon", "fixes.0.accuracy", "fixes.0.battery", "fixes.1.lat"])
    let form = refusal {
      try world.send(
        world.nextCall(of: people[0]), "positions.report", in: .share(id),
        ["fixes": [["lat": 1, "lon": 1, "accuracy": 1, "fixTime": "now", "speed": 3]]])
    }
    #expect(Set(form?.fields.map(\.path) ?? []) == ["fixes.0.fixTime", "fixes.0.speed", "sentAt"])
  }

  @Test(
    "R-LOC: the times of fixes are corrected by the error of the phone's clock, and none is in the future",
    arguments: [
      // The phone's clock against the server's, the fix before sending, what comes out before now; in seconds.
      (0, 5, 5), (3600, 5, 5), (-86_400 * 400, 5, 5), (86_400 * 4000, 5, 5), (3600, -30, 0), (-10, 0, 0),
    ])
  func clocks(offset: Int, age: Int, expected: Int) throws {
    let people = try world.household(of: "Ana", "Ben")
    try start(people[0], [people[1]])
    let sentAt = world.now + .seconds(offset)
    try report(people[0], [fix(at: sentAt - .seconds(age))], sentAt: sentAt)
    #expect(try position().at == world.now - .seconds(expected))
    #expect(try position().receivedAt == world.now)
  }

  @Test("R-LOC, LOC-8: a fix older than the last one is dropped, and still shows a living phone")
  func older() throws {
    let people = try world.household(of: "Ana", "Ben")
    try start(people[0], [people[1]])
    let at = world.now
    try report(people[0], [fix(52, 4, at: at)])
    world.advance(.seconds(30))
    try report(people[0], [fix(53, 4, at: at - .milliseconds(1))])
    #expect(try position().lat == 52)
    #expect(try world.share(id).link.value.at == world.now)
    world.advance(.seconds(30))
    try report(people[0], [])
    #expect(try position().at == at)
    #expect(try world.share(id).link.value.at == world.now)
    let room = try #require(world.rooms[.share(id)])
    let times = try #require(HomeRooms.lastPositionTimes(of: room))
    #expect(times.at == at && times.link == world.now)
  }

  @Test(
    "R-LOC accuracy above 1,000 m, or 0, is coarse",
    arguments: [(999.9, false), (1000, false), (1000.1, true), (0.001, false), (0, true)])
  func coarse(accuracy: Double, isCoarse: Bool) throws {
    let people = try world.household(of: "Ana", "Ben")
    try start(people[0], [people[1]])
    try report(people[0], [fix(accuracy: accuracy, at: world.now)])
    #expect(try position().coarse == (isCoarse ? true : nil))
    #expect(try position().accuracy == (accuracy == 0 ? nil : accuracy))
  }

  @Test(
    "R-LOC a fix more than a day older than its report has lost weeks in multiples of 1,024, or else its time",
    arguments: [
      // Seconds before the report, what comes out before now, and whether the fix may tell an arrival.
      (86_400, 86_400, true), (86_400.001, 0, false), (3 * 86_400, 0, false),
      (1024 * 604_800 + 20, 20, true), (3 * 1024 * 604_800 + 3600, 3600, true), (1024 * 604_800 - 3600, 0, true),
      (1024 * 604_800 + 3600.001, 0, false), (1024 * 604_800 - 3600.001, 0, false), (512 * 604_800, 0, false),
    ] as [(Double, Double, Bool)])
  func weeks(age: Double, expected: Double, isDated: Bool) throws {
    let people = try world.household(of: "Ana", "Ben")
    try world.call(
      people[0], "shares.start",
      [
        "id": .id(id), "receivers": [.id(people[1])],
        "place": ["lat": 53, "lon": 4.3, "label": "home"],
      ])
    world.advance(.seconds(7200))
    // The phone's clock is a year ahead of the server's.
    let sentAt = world.now + .seconds(365 * 86_400)
    try report(people[0], [fix(at: sentAt - .milliseconds(Int64((age * 1000).rounded())))], sentAt: sentAt)
    #expect(try position().at == world.now - .milliseconds(Int64((expected * 1000).rounded())))
    let isUsed = isDated && expected <= 7200
    #expect(try world.share(id).share.value.arrival == (isUsed ? .underWay : nil))
  }

  @Test("R-LOC a phone whose time of the fix stands still is shown where it is")
  func frozenTime() throws {
    let people = try world.household(of: "Ana", "Ben")
    try start(people[0], [people[1]])
    let fixTime = world.now - .seconds(3 * 86_400)
    for step in 1...3 {
      world.advance(.seconds(30))
      let lat = 52.1 + Double(step) / 10_000
      for _ in 1...2 { try report(people[0], [fix(lat, at: fixTime)]) }
      #expect(try position().lat == Geography.rounded(lat) && position().at == world.now)
    }
  }

  @Test("R-LOC: a jump faster than 100 m/s beyond both accuracies is suspect, and the next fix is compared with it")
  func suspect() throws {
    let people = try world.household(of: "Ana", "Ben")
    try start(people[0], [people[1]])
    // One degree of latitude is 111,195 m on a sphere of the mean radius.
    try report(people[0], [fix(52, 4, accuracy: 10, at: world.now)])
    #expect(try position().suspect == nil)
    world.advance(.seconds(10))
    // 1,019 m in 10 s less 20 m of accuracy: just believed.
    try report(people[0], [fix(52 + 1019 / 111_195.08, 4, accuracy: 10, at: world.now)])
    #expect(try position().suspect == nil)
    world.advance(.seconds(10))
    try report(people[0], [fix(52 + 2042 / 111_195.08, 4, accuracy: 10, at: world.now)])
    #expect(try position().suspect == true)
    // Shown all the same, and the measure of the next.
    world.advance(.seconds(10))
    try report(people[0], [fix(52 + 2043 / 111_195.08, 4, accuracy: 10, at: world.now)])
    #expect(try position().suspect == nil)
    // After so little time any distance beyond the accuracies is too far.
    world.advance(.milliseconds(1))
    try report(people[0], [fix(52 + 2070 / 111_195.08, 4, accuracy: 10, at: world.now)])
    #expect(try position().suspect == true)
  }

  @Test("LOC-8: an overdue share takes no report and no extension, even before its timer fires")
  func overdue() throws {
    let people = try world.household(of: "Ana", "Ben")
    try start(people[0], [people[1]])
    world.now = world.now + hour
    #expect(reason { try report(people[0], []) } == "notFound/gone")
    let found = reason {
      try world.call(people[0], "shares.extend", in: .share(id), ["until": .at(world.now + hour)])
    }
    #expect(found == "notFound/gone")
  }

  @Test(
    "R-LOC: distances agree with known ones to a ten-thousandth",
    arguments: [
      // Great-circle distances on the sphere of mean radius, in metres.
      (52.5200, 13.4050, 48.8566, 2.3522, 877_464.0), (0, 0, 0, 180, 20_015_114.4), (0, 0, 0, 1, 111_195.1),
      (90, 0, -90, 0, 20_015_114.4), (35.6895, 139.6917, -33.8688, 151.2093, 7_825_849.0),
      (0, 179.9, 0, -179.9, 22_239.0),
      (60, 10, 60, 10, 0),
    ] as [(Double, Double, Double, Double, Double)])
  func distances(lat1: Double, lon1: Double, lat2: Double, lon2: Double, expected: Double) {
    let distance = Geography.distance(from: (lat1, lon1), to: (lat2, lon2))
    #expect(abs(distance - expected) <= expected * 1e-4 + 0.01)
  }

  @Test("R-LOC: the upper bound of a distance is never less than the distance")
  func distancesAtMost() {
    var random = SeededGenerator(seed: 7)
    for reach in [180, 1, 1e-4] {
      for _ in 0..<1000 {
        let from = (Double.random(in: -90...90, using: &random), Double.random(in: -180...180, using: &random))
        let to = (
          max(-90, min(90, from.0 + .random(in: -reach...reach, using: &random))),
          from.1 + .random(in: -reach...reach, using: &random)
        )
        let most = Geography.distanceAtMost(from: from, to: to)
        let distance = Geography.distance(from: from, to: to)
        #expect(distance <= most * (1 + 1e-9) + 1e-6)
      }
    }
  }
}
