import JSON
import Rooms
import TestSupport
import Testing

@testable import Home

/// Shares until a place: how they begin, go on, and end.
@Suite("Shares until a place")
struct ShareEndTests {
  let id = ID<Share>(high: 0xE000, low: 1)
  let world: World
  let hour = Duration.seconds(3600)
  /// Metres of latitude in a degree, on the sphere that distances are measured on.
  static let degree = 111_195.0797

  init() { self.init(in: World()) }
  init(in world: World) { self.world = world }

  static let home: JSON = ["lat": 52, "lon": 4, "r": 100, "label": "home"]

  @discardableResult
  func start(_ people: [ID<Person>], _ more: [String: JSON] = ["place": home], id: ID<Share>? = nil) throws -> JSON {
    let receivers = JSON.array(people.dropFirst().map { .id($0) })
    return try world.call(
      people[0], "shares.start", .object(["id": .id(id ?? self.id), "receivers": receivers].merging(more) { $1 }))
  }

  func number(_ value: Double) -> JSON { JSON.Number(value).map(JSON.number) ?? .null }

  /// A fix so many metres north of the place.
  func fix(_ metres: Double, _ ago: Double = 0, accuracy: Double = 8) -> JSON {
    [
      "lat": number(52 + metres / Self.degree), "lon": 4, "accuracy": number(accuracy),
      "fixTime": .at(world.now - .milliseconds(Int64(ago * 1000))),
    ]
  }

  func report(_ person: ID<Person>, _ fixes: JSON..., sentAt: Instant? = nil, by client: ID<Client>? = nil) throws {
    try report(person, fixes, sentAt: sentAt, by: client)
  }

  func report(_ person: ID<Person>, _ fixes: [JSON], sentAt: Instant? = nil, by client: ID<Client>? = nil) throws {
    var key = world.nextCall(of: person)
    if let client { key.client = client }
    _ = try world.send(
      key, "positions.report", in: .share(id), ["sentAt": .at(sentAt ?? world.now), "fixes": .array(fixes)])
    if world.deliversAtOnce { world.deliverAll() }
  }

  @discardableResult
  func call(_ person: ID<Person>, _ method: String, _ parameters: JSON = [:]) throws -> JSON {
    try world.call(person, method, in: .share(id), parameters)
  }

  /// The code and the reason with which a call in the share is refused.
  func refused(_ person: ID<Person>, _ method: String, _ parameters: JSON = [:]) -> String? {
    reason { try call(person, method, parameters) }
  }

  func facts() throws -> ShareFacts { try world.share(id).share.value }
  var isOver: Bool { world.rooms[.share(id)] == nil }

  /// The share as a person's own room lists it.
  func entry(of person: ID<Person>) throws -> ShareEntry? { try world.me(person).shares.entries[id] }

  func told(_ person: ID<Person>) throws -> [Home.Notification] {
    try world.me(person).inbox.notifications.values.filter { $0.kind != .joined && $0.kind != .host }.sorted {
      $0.at < $1.at
    }
  }

  func told(_ person: ID<Person>, _ kind: NotificationKind) throws -> [Home.Notification] {
    try told(person).filter { $0.kind == kind }
  }

  @Test(
    "LOC-3, LOC-4: receivers are notified of the time or place and of a wanted ride, without coordinates",
    arguments: [(false, false), (false, true), (true, false), (true, true)])
  func facts(hasPlace: Bool, ride: Bool) throws {
    let people = try world.household(of: "Ana", "Ben")
    var more: [String: JSON] = ["ride": .bool(ride)]
    if hasPlace { more["place"] = Self.home } else { more["until"] = .at(world.now + hour) }
    try start(people, more)
    let told = try #require(try told(people[1]).first)
    #expect(told.kind == .share && told.actorName == "Ana")
    #expect(told.until == (hasPlace ? nil : world.now + hour) && told.place == (hasPlace ? "home" : nil))
    #expect(told.pickup == (ride ? .wanted : nil))
    let entry = try #require(try world.me(people[1]).shares.entries[id])
    #expect(entry.place == told.place && entry.pickup == told.pickup)
    #expect(entry.until == world.now + (hasPlace ? .seconds(12 * 3600) : hour))
    #expect(try world.share(id).pickup.value.state == (ride ? .wanted : nil))
    for person in people {
      let room = try #require(world.rooms[.person(person)])
      #expect(!world.snapshot(of: room).text.contains("\"lat\""))
    }
  }

  @Test("LOC-2: a share until a place lasts at most 12 hours, and a share has a place, a time or both")
  func cap() throws {
    let people = try world.household(of: "Ana", "Ben")
    let most = Duration.seconds(12 * 3600)
    for (duration, isAllowed) in [(most, true), (most + .milliseconds(1), false), (.seconds(899), false)] {
      let found = refusal {
        try start(
          people, ["place": Self.home, "until": .at(world.now + duration)],
          id: ID(high: 3, low: UInt64(duration.milliseconds)))
      }
      #expect(found?.fields.map(\.path) == (isAllowed ? nil : ["until"]))
    }
    #expect(refusal { try start(people, [:]) }?.fields.map(\.path) == ["until"])
    #expect(refusal { try start(people, ["until": .null]) }?.fields.map(\.path) == ["until"])
    let all = refusal { try world.call(people[0], "shares.start", ["ride": 1]) }
    #expect(all?.fields.map(\.path).sorted() == ["receivers", "ride", "until"])
    let position: JSON = ["lat": 52, "lon": 4, "accuracy": 8]
    let lone = refusal { try start(people, ["until": .at(world.now + hour), "position": position]) }
    #expect(lone?.fields.map(\.path) == ["position"])
    let broken = refusal { try start(people, ["place": Self.home, "position": ["lat": 1]]) }
    #expect(broken?.fields.map(\.path) == ["position.lon"])
    let nowhere = refusal { try start(people, ["place": ["lat": 91, "lon": 181, "r": 29]]) }
    #expect(Set(nowhere?.fields.map(\.path) ?? []) == ["place.label", "place.lat", "place.lon", "place.r"])
    try start(people)
    let latest = world.now + most
    try start(people, ["place": Self.home, "until": .at(world.now + hour)], id: ID(high: 3, low: 1))
    func extend(_ share: ID<Share>, to instant: Instant) -> Refusal? {
      refusal { try world.call(people[0], "shares.extend", in: .share(share), ["until": .at(instant)]) }
    }
    let other = ID<Share>(high: 3, low: 1)
    for step in 1...3 {
      world.advance(.seconds(1800))
      let found = extend(other, to: latest + .milliseconds(1))
      #expect(found?.fields.map(\.path) == ["until"] && found?.message.contains("\(latest)") == true)
      #expect(extend(other, to: world.now + hour + .seconds(Int64(step))) == nil)
    }
    #expect(extend(other, to: latest) == nil)
    #expect(try world.share(other).share.value.until == latest)
    #expect(extend(other, to: latest)?.fields.map(\.path) == ["until"], "not later than before")
    // Without a time of its own a share runs as long as it may.
    #expect(extend(id, to: latest + .milliseconds(1))?.fields.map(\.path) == ["until"])
    world.advance(latest - world.now)
    #expect(world.rooms[.share(id)] == nil && world.rooms[.share(other)] == nil)
  }

  @Test(
    "R-ARRIVE: a place has coordinates, a radius of 30 to 2,000 m, 100 by default, and a label of 1 to 64 characters",
    arguments: [
      (["r": 30], nil), (["r": 29], "r"), (["r": 2000], nil), (["r": 2001], "r"), (["r": 50.5], "r"), ([:], nil),
      (["lat": 90.1], "lat"), (["lon": -180.1], "lon"), (["label": ""], "label"), (["label": "a\nb"], "label"),
      (["label": .string(String(repeating: "x", count: 64))], nil),
      (["label": .string(String(repeating: "x", count: 65))], "label"), (["name": "home"], "name"),
    ] as [([String: JSON], String?)])
  func place(more: [String: JSON], bad: String?) throws {
    let people = try world.household(of: "Ana", "Ben")
    let place: [String: JSON] = ["lat": 52.1234567, "lon": -180, "label": " home "]
    let found = refusal { try start(people, ["place": .object(place.merging(more) { $1 })]) }
    #expect(found?.fields.map(\.path) == bad.map { ["place.\($0)"] })
    guard bad == nil else { return }
    let kept = try #require(try facts().place)
    #expect(kept.lat == 52.12346 && kept.r == more["r"]?.int ?? 100)
    if more["label"] == nil { #expect(kept.label.text == "home") }
  }

  @Test("LOC-17: an arrival ends the share, and all its members are notified once")
  func arrival() throws {
    let people = try world.household(of: "Ana", "Ben", "Cem")
    try start(people)
    try report(people[0], fix(500))
    world.advance(.seconds(30))
    try report(people[0], fix(90))
    #expect(try facts().arrival == .underWay)
    world.advance(.seconds(30))
    try report(people[0], fix(95))
    #expect(world.rooms[.share(id)] == nil)
    #expect(world.closed.contains { $0.room == .share(id) && $0.reason == "ended" })
    for person in people {
      let last = try told(person).filter { $0.kind != .share }
      #expect(last.map(\.kind) == [.arrived] && last.first?.reason == .arrived && last.first?.place == "home")
      #expect(try world.me(person).shares.entries.isEmpty)
    }
    world.advance(.seconds(24 * 3600))
    for person in people { #expect(try told(person).filter { $0.kind != .share }.count == 1) }
  }

  @Test("LOC-14 LOC-17 an arrival ends the share at once and closes the pick-up that was wanted")
  func pickupCloses() throws {
    let people = try world.household(of: "Ana", "Ben")
    try start(people, ["place": Self.home, "ride": true])
    let room = try #require(world.rooms[.share(id)] as? TypedRoom<ShareState>)
    world.advance(.seconds(60))
    try report(people[0], fix(500, 60), fix(9, 20), fix(7))
    #expect(room.state.share.value.reason == .arrived && room.state.pickup.value == Pickup())
    #expect(world.patches[.share(id)]?.last?["pickup"] == ["state": .null])
    #expect(world.rooms[.share(id)] == nil)
    for person in people {
      #expect(try told(person).filter { $0.kind != .share }.map(\.kind) == [.arrived])
      #expect(try world.me(person).shares.entries.isEmpty)
    }
  }

  @Test("LOC-14 LOC-34 the end of a share closes the pick-up that was wanted")
  func pickupClosesAtTheEnd() throws {
    let people = try world.household(of: "Ana", "Ben")
    try start(people, ["ride": true, "until": .at(world.now + hour)])
    let room = try #require(world.rooms[.share(id)] as? TypedRoom<ShareState>)
    world.advance(hour)
    #expect(room.state.share.value.reason == .timeUp && room.state.pickup.value == Pickup())
  }

  @Test("LOC-34 a share that ends before the arrival is `notArrived`, urgent, for everybody, once")
  func notArrived() throws {
    let people = try world.household(of: "Ana", "Ben")
    try start(people, ["place": Self.home, "until": .at(world.now + .seconds(1800))])
    world.advance(.seconds(1700))
    try report(people[0], fix(5000, accuracy: 20))
    let fixedAt = world.now
    world.advance(.seconds(100))
    for person in people {
      let last = try #require(try told(person).last)
      #expect(last.kind == .urgent && last.reason == .notArrived && last.place == "home" && last.fixedAt == fixedAt)
      #expect(try told(person).count { $0.reason != nil } == 1)
    }
  }

  @Test("LOC-34 nobody is alarmed about somebody who never left their place", arguments: [true, false])
  func neverLeft(saysPosition: Bool) throws {
    let people = try world.household(of: "Ana", "Ben")
    var more = ["place": Self.home, "until": .at(world.now + .seconds(1800))]
    if saysPosition { more["position"] = ["lat": 52, "lon": 4.0001, "accuracy": 20] }
    try start(people, more)
    for _ in 1...59 {
      world.advance(.seconds(30))
      try report(people[0], fix(5, accuracy: 20))
    }
    world.advance(.seconds(30))
    for person in people {
      let end = try told(person).filter { $0.reason != nil }
      #expect(end.map(\.kind) == [.ended] && end.first?.reason == .neverLeft)
      #expect(end.first?.fixedAt == nil && end.first?.battery == nil && end.first?.place == "home")
    }
    #expect(try told(people[1]).map(\.kind) == [.share, .ended])
  }

  @Test("LOC-34 somebody who left and did not come back has not arrived")
  func leftAndGone() throws {
    let people = try world.household(of: "Ana", "Ben")
    try start(people, ["place": Self.home, "until": .at(world.now + .seconds(1800))])
    for metres in [5, 5, 300, 300] as [Double] {
      world.advance(.seconds(400))
      try report(people[0], fix(metres))
    }
    world.advance(.seconds(200))
    #expect(try told(people[1]).last?.kind == .urgent && told(people[1]).last?.reason == .notArrived)
  }

  @Test("LOC-34 the sharer, and nobody else, is warned ten minutes before the end, once for each end")
  func warning() throws {
    let people = try world.household(of: "Ana", "Ben")
    try start(people, ["until": .at(world.now + hour)])
    world.advance(hour - .seconds(600) - .milliseconds(1))
    #expect(try told(people[0]).isEmpty)
    world.advance(.milliseconds(1))
    #expect(try told(people[0]).map(\.kind) == [.ending])
    #expect(try told(people[0]).first?.until == world.now + .seconds(600))
    world.advance(.seconds(60))
    try world.call(people[0], "shares.extend", in: .share(id), ["until": .at(world.now + hour)])
    world.advance(hour)
    #expect(try told(people[0]).map(\.kind) == [.ending, .ending, .ended])
    #expect(try told(people[0]).last?.reason == .timeUp)
    #expect(try told(people[1]).map(\.kind) == [.share, .lost, .ended], "no phone ever reported")
  }

  @Test(
    "R-ARRIVE: a share that starts inside its place reports that, and arrives only after the sharer has left",
    arguments: [true, false])
  func alreadyInside(saysPosition: Bool) throws {
    let people = try world.household(of: "Ana", "Ben")
    var more = ["place": Self.home]
    if saysPosition { more["position"] = ["lat": 52, "lon": 4.0001, "accuracy": 20] }
    let answer = try start(people, more)
    #expect(answer["alreadyInside"] == (saysPosition ? true : nil))
    try report(people[0], fix(5))
    let room = try #require(world.rooms[.share(id)])
    #expect(HomeRooms.isAlreadyInside(room))
    for metres in [5, 8, 300, 300] as [Double] {
      world.advance(.seconds(30))
      try report(people[0], fix(metres))
    }
    #expect(try facts().arrival == .underWay && !HomeRooms.isAlreadyInside(room))
    for _ in 1...2 {
      world.advance(.seconds(30))
      try report(people[0], fix(9))
    }
    #expect(world.rooms[.share(id)] == nil)
  }

  @Test(
    "R-ARRIVE: a share that starts outside is under way, and one with a coarse position is undecided",
    arguments: [(53, 20, ArrivalState.underWay), (52, 1001, nil)])
  func startedElsewhere(lat: Int, accuracy: Int, state: ArrivalState?) throws {
    let people = try world.household(of: "Ana", "Ben")
    let position: JSON = ["lat": .number(.init(lat)), "lon": 4, "accuracy": .number(.init(accuracy))]
    #expect(try start(people, ["place": Self.home, "position": position])["alreadyInside"] == nil)
    #expect(try facts().arrival == state)
    // A share ignores fixes from before its start.
    try report(people[0], fix(9, 60), fix(9, 30))
    #expect(try facts().arrival == state)
  }

  @Test("R-ARRIVE: suspect and coarse fixes cause no arrival, and do not prevent one")
  func untrusted() throws {
    let people = try world.household(of: "Ana", "Ben")
    try start(people, ["place": ["lat": 52, "lon": 4, "r": 2000, "label": "home"]])
    try report(people[0], fix(9000))
    world.advance(.seconds(10))
    // 8,990 m in 10 s.
    try report(people[0], fix(10))
    #expect(try world.share(id).position.value.suspect == true && facts().arrival == .underWay)
    world.advance(.seconds(10))
    try report(people[0], fix(10))
    for _ in 1...3 {
      world.advance(.seconds(10))
      try report(people[0], fix(10, accuracy: 1001))
    }
    #expect(try world.share(id).position.value.coarse == true && facts().arrival == .underWay)
    world.advance(.seconds(10))
    try report(people[0], fix(10, accuracy: 1000))
    #expect(world.rooms[.share(id)] == nil)
  }

  @Test("LOC-32: a repeated fix is acknowledged and does not count, in any report and however late")
  func replay() throws {
    let people = try world.household(of: "Ana", "Ben")
    try start(people)
    world.advance(.seconds(100))
    try report(people[0], fix(500))
    world.advance(.seconds(30))
    let (sentAt, fixes) = (world.now, [fix(400, 20), fix(9, 15), fix(9, 12), fix(9)])
    // Nine seconds lie between the last two of them that count.
    try report(people[0], [fixes[0], fixes[3]], sentAt: sentAt)
    let position = try world.share(id).position.value
    for wait in [0, 1, 12, 25] {
      world.advance(.seconds(wait))
      try report(people[0], [fixes[0], fixes[3]], sentAt: sentAt)
      try report(people[0], [fixes[3]], sentAt: sentAt)
      #expect(try world.share(id).position.value == position)
      #expect(try world.share(id).link.value.at == world.now, "acknowledged")
      #expect(try facts().arrival == .underWay)
    }
    // Sent again at a time of its own, it is as old as it is.
    try report(people[0], fixes[3])
    #expect(try world.share(id).position.value == position && facts().arrival == .underWay)
    try report(people[0], fix(9))
    #expect(world.rooms[.share(id)] == nil)
  }

  @Test(
    "LOC-6: a batch has the same effect in any order and with repeated fixes", arguments: 1...30 as ClosedRange<UInt64>)
  func anyOrder(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    world.advance(.seconds(600))
    var metres = 300.0
    let fixes = (0..<15).map { index -> JSON in
      metres = abs(metres + Double.random(in: -120...60, using: &random))
      let ago = Double((15 - index) * Int.random(in: 20...39, using: &random))
      return fix(metres, ago, accuracy: Double.random(in: 1...60, using: &random))
    }
    var outcomes: [ShareFacts] = []
    var positions: [Position] = []
    for round in 0..<3 {
      let copy = World()
      let again = ShareEndTests(in: copy)
      let members = try copy.household(of: "Ana", "Ben")
      try again.start(members)
      let room = try #require(copy.rooms[.share(id)] as? TypedRoom<ShareState>)
      copy.advance(.seconds(600))
      var batch = fixes
      if round > 0 { batch = (fixes + fixes.shuffled(using: &random).prefix(9)).shuffled(using: &random) }
      try again.report(members[0], batch)
      outcomes.append(room.state.share.value)
      positions.append(room.state.position.value)
    }
    #expect(outcomes[1] == outcomes[0] && outcomes[2] == outcomes[0])
    #expect(positions[1] == positions[0] && positions[2] == positions[0])
  }

  @Test("LOC-35: the first device to report is the only one, until another takes over or all shares have ended")
  func devices() throws {
    let people = try world.household(of: "Ana", "Ben")
    let tablet = ID<Client>(high: 8, low: 8)
    func says(_ client: ID<Client>?, _ method: String = "positions.report") -> String? {
      reason {
        var key = world.nextCall(of: people[0])
        if let client { key.client = client }
        let parameters: JSON = method == "positions.report" ? ["sentAt": .at(world.now)] : [:]
        _ = try world.send(key, method, in: .person(people[0]), parameters)
      }
    }
    func reporter(_ client: ID<Client>) -> Reporter {
      var reporter = Reporter()
      (reporter.session, reporter.client, reporter.since) = (client.cast(), client, world.now)
      return reporter
    }
    #expect(says(tablet) == nil && says(tablet, "shares.takeOver") == "notFound/share")
    #expect(try world.me(people[0]).shares.reporter.value == Reporter(), "nobody reports without a share")
    try start(people)
    #expect(says(nil) == nil && says(nil) == nil)
    #expect(try world.me(people[0]).shares.reporter.value == reporter(world.client))
    #expect(says(tablet) == "conflict/otherDevice")
    world.advance(.seconds(60))
    #expect(says(tablet, "shares.takeOver") == nil && says(tablet) == nil)
    #expect(try world.me(people[0]).shares.reporter.value == reporter(tablet))
    #expect(says(nil) == "conflict/otherDevice")
    #expect(says(tablet, "shares.takeOver") == nil)
    try start(people, id: ID(high: 0xE000, low: 2))
    world.advance(.seconds(12 * 3600 - 60))
    #expect(says(nil) == "conflict/otherDevice", "another share goes on")
    world.advance(.seconds(60))
    #expect(try world.me(people[0]).shares.reporter.value == Reporter())
  }

  @Test("LOC-35 a device is the log-in, whatever client, key or nothing its calls name")
  func logins() throws {
    let people = try world.household(of: "Ana", "Ben")
    try start(people)
    let me = try #require(world.rooms[.person(people[0])])
    let (phone, tablet) = (ID<Session>(high: 5, low: 1), ID<Session>(high: 5, low: 2))
    let clients: [ID<Client>?] = [
      nil, ID(), ID(idempotencyKey: "a"), ID(idempotencyKey: "b"), world.client, ID(high: 8, low: 8),
    ]
    func says(_ session: ID<Session>, _ client: ID<Client>?, to room: Room, _ metres: Double) -> String? {
      reason {
        let fix = Fix(lat: 52 + metres / Self.degree, lon: 4, accuracy: Accuracy(metres: 8), fixTime: world.now)
        try Report(sentAt: world.now, fixes: [fix]).run(
          in: room, Turn(caller: people[0], client: client, session: session, now: world.now))
      }
    }
    for client in clients.dropFirst() {
      #expect(says(phone, client, to: me, 500) == nil)
      #expect(says(tablet, client, to: me, 9) == "conflict/otherDevice")
    }
    #expect(try world.me(people[0]).shares.reporter.value.session == phone)
    #expect(try world.me(people[0]).shares.reporter.value.client == nil, "the first call named none")
    // Two fixes of one log-in add up, by whatever its calls come.
    let share = try #require(world.rooms[.share(id)])
    for (client, metres) in zip(clients, [500, 400, 9] as [Double]) {
      world.advance(.seconds(30))
      #expect(says(phone, client, to: share, metres) == nil)
    }
    world.advance(.seconds(30))
    #expect(says(tablet, world.client, to: share, 9) == nil)
    #expect(try facts().arrival == .underWay)
    world.sealAll()
    world.advance(.seconds(30))
    #expect(says(tablet, nil, to: share, 9) == nil)
    #expect(try facts().arrival == .arrived)
    world.sealAll()
  }

  @Test("LOC-35 a fix of each of two devices is no arrival")
  func twoDevices() throws {
    let people = try world.household(of: "Ana", "Ben")
    let tablet = ID<Client>(high: 8, low: 8)
    try start(people)
    try report(people[0], fix(500))
    for client in [world.client, tablet, world.client] {
      world.advance(.seconds(30))
      try report(people[0], fix(9), by: client)
      #expect(try facts().arrival == .underWay)
    }
    world.advance(.seconds(30))
    try report(people[0], fix(9))
    #expect(world.rooms[.share(id)] == nil)
  }

  @Test("LOC-21: the sharer sees when each receiver was invited and when they have looked")
  func seen() throws {
    let people = try world.household(of: "Ana", "Ben", "Cem")
    let startedAt = world.now
    try start(people)
    world.advance(.seconds(60))
    for _ in 1...2 {
      try world.call(people[1], "shares.see", in: .share(id))
      let receiver = try world.share(id).receivers[people[1]]
      #expect(
        receiver?.state == .seen && receiver?.invitedAt == startedAt && receiver?.seenAt == startedAt + .seconds(60))
      world.advance(.seconds(60))
    }
    #expect(try world.share(id).receivers[people[2]]?.state == .invited)
    #expect(reason { try world.call(people[0], "shares.see", in: .share(id)) } == "forbidden/forbidden")
    world.now = world.now + .seconds(12 * 3600)
    #expect(reason { try world.call(people[2], "shares.see", in: .share(id)) } == "notFound/gone")
  }

  @Test("LOC-18: a distance is measured from a given point, and nothing of the call is kept")
  func distance() throws {
    let people = try world.household(of: "Ana", "Ben")
    try start(people)
    let room = try #require(world.rooms[.share(id)])
    let point: JSON = ["lat": 52, "lon": 4]
    func ask() throws -> JSON { try world.call(people[1], "shares.distance", in: .share(id), point) }
    #expect(reason { try ask() } == "notFound/position")
    try report(people[0], fix(1000))
    let before = world.snapshot(of: room)
    #expect(try ask() == ["metres": 1000, "at": .at(world.now)])
    #expect(world.snapshot(of: room) == before && !room.hasUnsealedChanges)
  }

  @Test(
    "LOC-8 R-LOC a position is fresh up to 60 s, stale before 180 s, and lost from then on",
    arguments: [(0, "fresh"), (60_000, "fresh"), (60_001, "stale"), (179_999, "stale"), (180_000, "lost")])
  func freshness(age: Int, state: String) {
    #expect(HomeRooms.freshness(ofPositionAt: world.now - .milliseconds(age), now: world.now) == state)
  }

  @Test("LOC-26: a share's record of earlier fixes is stored, but is in no log and sent to nobody")
  func tracking() throws {
    let people = try world.household(of: "Ana", "Ben")
    try start(people)
    try report(people[0], fix(500))
    world.advance(.seconds(30))
    try report(people[0], fix(9))
    let room = try #require(world.rooms[.share(id)])
    let live = Writer()
    room.writeLive(to: live)
    #expect(room.sealLive(to: live))
    let kept = Writer()
    room.writeKept(to: kept)
    #expect(try JSON.parse(kept.bytes())["tracking"]?["since"] == .at(world.now))
    #expect(!String(decoding: live.bytes(), as: UTF8.self).contains("tracking"))
    #expect(!world.snapshot(of: room).text.contains("tracking"))
    #expect(try world.isRestorable(.share(id)))
    let copy = try #require(HomeRooms.kinds.first { $0.name == .share }).make(.share(id))
    try copy.restore(snapshot: nil, entries: world.entries[.share(id)] ?? [], live: kept.bytes(), random: [], due: nil)
    #expect((copy as? TypedRoom<ShareState>)?.state.tracking.value == (try world.share(id).tracking.value))
  }

  @Test("LOC-26, R-ARRIVE: fixes from before the sharer left the place cause no arrival after a crash")
  func keptBehind() throws {
    let people = try world.household(of: "Ana", "Ben")
    try start(people)
    try report(people[0], fix(5))
    world.advance(.seconds(30))
    try report(people[0], fix(500))
    let kept = Writer()
    try #require(world.rooms[.share(id)]).writeKept(to: kept)
    world.advance(.seconds(30))
    try report(people[0], fix(500))
    #expect(try facts().arrival == .underWay)
    let kind = try #require(HomeRooms.kinds.first { $0.name == .share })
    let copy = try #require(kind.make(.share(id)) as? TypedRoom<ShareState>)
    try copy.restore(snapshot: nil, entries: world.entries[.share(id)] ?? [], live: kept.bytes(), random: [], due: nil)
    let turn = Turn(
      caller: people[0], client: world.client, session: world.client.cast(), now: world.now + .seconds(30))
    let inside = Fix(lat: 52, lon: 4, accuracy: Accuracy(metres: 8), fixTime: turn.now)
    try Report(sentAt: turn.now, fixes: [inside]).run(in: copy, turn)
    #expect(copy.state.position.value.suspect == nil && copy.state.share.value.arrival == .underWay)
  }
}
