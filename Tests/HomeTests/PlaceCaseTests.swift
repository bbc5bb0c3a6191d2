import JSON
import Rooms
import TestSupport
import Testing

@testable import Home

/// Cases that other projects met with positions, by their numbers.
@Suite("Cases of positions")
struct PlaceCaseTests {
  /// A share until a place of 100 m at 52° N 4° E, from Ana to Ben and Cem.
  private struct Walk {
    let world: World
    let people: [ID<Person>]
    let share: ShareEndTests
    let room: TypedRoom<ShareState>

    /// - Parameter startsAt: Metres north of the place; `nil` where the phone does not say it.
    init(radius: Int = 100, startsAt: Double? = 2000, accuracy: Double = 10) throws {
      world = World()
      people = try world.household(of: "Ana", "Ben", "Cem")
      share = ShareEndTests(in: world)
      var more: [String: JSON] = ["place": ["lat": 52, "lon": 4, "r": .number(.init(radius)), "label": "home"]]
      if let startsAt {
        more["position"] = [
          "lat": share.number(52 + startsAt / ShareEndTests.degree), "lon": 4, "accuracy": share.number(accuracy),
        ]
      }
      try share.start(people, more)
      room = try #require(world.rooms[.share(share.id)] as? TypedRoom<ShareState>)
    }

    var facts: ShareFacts { room.state.share.value }
    var position: Position { room.state.position.value }
    var isOver: Bool { world.rooms[.share(share.id)] == nil }

    func fix(_ metres: Double, _ ago: Double = 0, accuracy: Double = 10) -> JSON {
      share.fix(metres, ago, accuracy: accuracy)
    }
    func report(_ fixes: JSON..., sentAt: Instant? = nil) throws { try report(fixes, sentAt: sentAt) }
    func report(_ fixes: [JSON], sentAt: Instant? = nil) throws {
      try share.report(people[0], fixes, sentAt: sentAt)
    }

    func isAt(_ metres: Double) -> Bool {
      position.lat == Geography.rounded(52 + metres / ShareEndTests.degree)
    }

    /// How often every receiver was told; both are told the same.
    func count(_ kind: NotificationKind) throws -> Int {
      let counts = try people.dropFirst().map { try share.told($0).count { $0.kind == kind } }
      #expect(Set(counts).count == 1)
      return counts[0]
    }
  }

  @Test("R-018 R-LOC LOC-5 LOC-32 a fix from the future freezes no marker, and no clock hides a sharer")
  func future() throws {
    let walk = try Walk()
    let (ahead, behind) = (2 * 86_400.0, -3 * 3600.0)
    var metres = 2000.0
    // The phone's clock at the time of sending, and at the time of the fix.
    for (sent, fixed) in [(ahead, ahead), (0, 0), (behind, behind), (0, ahead), (0, 0)] {
      walk.world.advance(.seconds(30))
      metres -= 30
      try walk.report(walk.fix(metres, -fixed), sentAt: walk.world.now + .seconds(sent))
      #expect(walk.isAt(metres) && walk.position.suspect == nil)
      let age = try walk.world.now - #require(walk.position.at)
      #expect(age >= .zero && age <= .seconds(1) && Freshness(age: age) == .fresh)
    }
    walk.world.advance(.seconds(170))
    #expect(try walk.facts.lost == nil && walk.count(.lost) == 0)
  }

  @Test("R-019 LOC-6 LOC-32 (i) fixes that come after a later one move no marker and tell no arrival")
  func olderAfterwards() throws {
    let walk = try Walk()
    walk.world.advance(.seconds(600))
    try walk.report(walk.fix(3000))
    let position = walk.position
    walk.world.advance(.seconds(30))
    try walk.report((1...10).map { walk.fix($0 < 5 ? 20 : 800, 30 + Double($0) * 20) })
    #expect(walk.position == position && walk.facts.arrival == .underWay)
    #expect(walk.room.state.link.value.at == walk.world.now, "acknowledged")
    #expect(try walk.count(.arrived) == 0)
  }

  @Test("R-019 LOC-32 a report that a later one has overtaken moves no marker, up to a minute after its sending")
  func overtaken() throws {
    let walk = try Walk()
    walk.world.advance(.seconds(600))
    let sent: [(JSON, Instant)] = [
      (walk.fix(2900), walk.world.now), (walk.fix(2870, -30), walk.world.now + .seconds(30)),
    ]
    walk.world.advance(.seconds(40))
    try walk.report(sent[1].0, sentAt: sent[1].1)
    let position = walk.position
    for wait in [1, 15] {
      walk.world.advance(.seconds(wait))
      try walk.report(sent[0].0, sentAt: sent[0].1)
      #expect(walk.position == position && walk.room.state.link.value.at == walk.world.now)
    }
    walk.world.advance(.seconds(4))
    try walk.report(walk.fix(2840))
    #expect(walk.isAt(2840))
  }

  @Test(
    "R-018 LOC-32 a clock that is set back hides a sharer for no longer than it was set back, and a minute at most",
    arguments: [5, 30, 60, 61, 3600])
  func setBack(seconds: Double) throws {
    let walk = try Walk()
    walk.world.advance(.seconds(600))
    try walk.report(walk.fix(2900))
    let lossCount = try walk.count(.lost)
    var hidden = 0.0
    for step in 1...20 {
      walk.world.advance(.seconds(10))
      try walk.report(walk.fix(2900 - 10 * Double(step), seconds), sentAt: walk.world.now - .seconds(seconds))
      if !walk.isAt(2900 - 10 * Double(step)) { hidden = 10 * Double(step) }
    }
    #expect(hidden <= min(seconds, 60))
    #expect(try walk.facts.lost == nil && walk.count(.lost) == lossCount)
  }

  @Test(
    "R-019 LOC-6 LOC-17 (ii) (iii) a shuffled report is judged in the order of its fixes, and once",
    arguments: 1...10 as ClosedRange<UInt64>)
  func shuffled(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let walk = try Walk(startsAt: nil)
    walk.world.advance(.seconds(600))
    let sentAt = walk.world.now
    let metres: [Double] = [1000, 800, 600, 400, 300, 200, 90, 50, 20, 10]
    let fixes = metres.enumerated().map { walk.fix($0.element, Double(10 - $0.offset) * 30) }
    try walk.report(fixes.shuffled(using: &random))
    #expect(walk.facts.arrivedAt == sentAt - .seconds(90) && walk.isOver)
    #expect(reason { try walk.report(fixes, sentAt: sentAt) } == "notFound/room")
    #expect(try walk.count(.arrived) == 1)
  }

  @Test("R-019 LOC-6 (iv) older fixes in reports of 60 are judged before the live one")
  func sixties() throws {
    let walk = try Walk()
    walk.world.advance(.seconds(1300))
    let sentAt = walk.world.now
    let fixes = (0..<120).map { walk.fix(max(5000 - 42 * Double($0), 5), Double(120 - $0) * 10) }
    try walk.report(Array(fixes[..<60]), sentAt: sentAt)
    #expect(walk.isAt(5000 - 42 * 59) && walk.position.at == sentAt - .seconds(610))
    #expect(walk.facts.arrival == .underWay)
    try walk.report(Array(fixes[60...]), sentAt: sentAt)
    // The 117th is the first within 100 m.
    #expect(walk.facts.arrivedAt == sentAt - .seconds(20) && walk.isOver)
    #expect(try walk.count(.arrived) == 1)
  }

  @Test(
    "R-020 R-LOC a bad fix is refused by its index and reason, and the good ones beside it are taken",
    arguments: [
      (["accuracy": -1], ["accuracy"]), (["accuracy": 50_001], ["accuracy"]), (["accuracy": "8"], ["accuracy"]),
      (["lat": 90.0000001], ["lat"]), (["battery": 101], ["battery"]), (["lon": .null], ["lon"]),
      (["speed": 3], ["speed"]), (["lat": 91, "battery": 101], ["lat", "battery"]),
      (["accuracy": 0], []), (["accuracy": .null], []), ([:], []),
    ] as [([String: JSON], [String])])
  func oneByOne(change: [String: JSON], paths: [String]) throws {
    let walk = try Walk()
    walk.world.advance(.seconds(100))
    guard case .object(let good) = walk.fix(1000, 20) else { return }
    let middle = JSON.object(good.merging(change) { $1 })
    let parameters: JSON = [
      "sentAt": .at(walk.world.now), "fixes": [walk.fix(1100, 40), middle, walk.fix(900)],
    ]
    let (tape, problems) = (Tape(), Problems())
    let read = Report(try tape.parse(parameters.bytes.span), problems)
    let report = try #require(read)
    #expect(problems.isEmpty && report.fixes.count == (paths.isEmpty ? 3 : 2))
    #expect(report.refused.map(\.index) == (paths.isEmpty ? [] : [1]))
    for path in paths { #expect(report.refused.first?.reason.contains("\(path) ") == true) }
    try walk.report(walk.fix(1100, 40), middle, walk.fix(900))
    #expect(walk.isAt(900) && walk.position.at == walk.world.now)
    guard !paths.isEmpty else { return }
    // With no good one the call fails, and every bad field is named by its path.
    let alone = refusal { try walk.report(middle, middle) }
    #expect(alone?.fields.map(\.path) == (0...1).flatMap { index in paths.map { "fixes.\(index).\($0)" } })
    let late: JSON = ["sentAt": "now", "fixes": [middle, walk.fix(900)]]
    _ = Report(try tape.parse(late.bytes.span), problems)
    #expect(problems.list.map(\.path) == ["sentAt"] + paths.map { "fixes.0.\($0)" })
  }

  @Test("R-020 R-LOC LOC-8 a phone that never knows its accuracy is there, shown and not lost", arguments: [0, nil])
  func accuracyZero(accuracy: Int?) throws {
    let walk = try Walk()
    for step in 1...10 {
      walk.world.advance(.seconds(30))
      guard case .object(var fix) = walk.fix(50 + Double(step)) else { return }
      fix["accuracy"] = accuracy.map { .number(.init($0)) }
      try walk.report(.object(fix))
      #expect(walk.isAt(50 + Double(step)) && walk.position.coarse == true && walk.position.accuracy == nil)
    }
    #expect(try walk.facts.lost == nil && walk.count(.lost) == 0)
    #expect(walk.facts.arrival == .underWay, "shown, and not used for an arrival")
  }

  @Test(
    "R-021 R-ARRIVE LOC-17 arrivals of phones that go in and out",
    arguments: [(100, 10, true), (30, 50, true), (30, 51, false)] as [(Int, Double, Bool)])
  func inAndOut(radius: Int, accuracy: Double, isUsable: Bool) throws {
    let r = Double(radius)
    let (near, far) = (r / 2, 2 * r + 100)
    func arrivals(
      from start: Double = 2000, _ steps: (at: Double, metres: Double)..., vague: Double? = nil
    ) throws -> Int {
      let walk = try Walk(radius: radius, startsAt: start, accuracy: accuracy)
      let begin = walk.world.now
      walk.world.advance(.seconds(60))
      for (at, metres) in steps where !walk.isOver {
        walk.world.advance(begin + .milliseconds(Int64((60 + at) * 1000)) - walk.world.now)
        try walk.report(walk.fix(metres, accuracy: at == vague ? max(r, 50) + 1 : accuracy))
      }
      return try walk.count(.arrived)
    }
    let one = isUsable ? 1 : 0
    #expect(try arrivals((0, far), (30, near), (60, far), (90, near), (120, far)) == 0, "(i)")
    #expect(try arrivals((0, far), (30, near), (39.9, near), (60, far)) == 0, "(ii)")
    #expect(try arrivals((0, far), (30, near), (40, near)) == one, "(iii)")
    #expect(try arrivals((0, far), (30, near), (45, near), (60, near), vague: 45) == 0, "(iv) too vague: breaks a run")
    #expect(try arrivals((0, far), (30, near), (40, 6000), (120, near)) == one, "(v) suspect: is left out")
    #expect(
      try arrivals(from: 0.9 * r, (0, 0.95 * r), (30, 1.25 * r), (60, 0.95 * r), (90, 1.25 * r), (120, 0.95 * r)) == 0,
      "(vii) never left")
    #expect(
      try arrivals((0, far), (30, near), (60, near), (90, far), (120, far), (150, near), (180, near)) == one,
      "(viii) once")
    var arrival = Arrival(state: .underWay)
    for time in [0, 10] as [Int64] {
      arrival.take(distance: r, accuracy: accuracy, radius: r, at: World.start + .seconds(time))
    }
    #expect((arrival.state == .arrived) == isUsable, "(vi) exactly at the edge")
  }

  @Test("R-022 LOC-25 R-LOC a sharer who comes back far away is back, and arrives by the fixes after that")
  func flight() throws {
    let walk = try Walk(startsAt: nil)
    for step in 1...10 {
      walk.world.advance(.seconds(30))
      try walk.report(walk.fix(-5_000_600 + Double(step) * 30))
    }
    walk.world.advance(.seconds(6 * 3600))
    #expect(try walk.facts.lost == .noContact && walk.count(.lost) == 1 && walk.count(.back) == 0)
    try walk.report(walk.fix(-600))
    #expect(walk.isAt(-600) && walk.position.suspect == true)
    #expect(try walk.facts.lost == nil && walk.count(.back) == 1)
    for metres in [-560, -520, -90] as [Double] {
      walk.world.advance(.seconds(30))
      try walk.report(walk.fix(metres))
      #expect(walk.isAt(metres) && walk.position.suspect == nil && walk.facts.arrival == .underWay)
    }
    walk.world.advance(.seconds(30))
    try walk.report(walk.fix(-50))
    #expect(walk.isOver)
    #expect(try [NotificationKind.lost, .back, .arrived].map(walk.count) == [1, 1, 1])
  }

  @Test(
    "R-022 R-LOC a train is never suspect, a helicopter always, a jump by what the accuracies leave of it",
    arguments: [
      (89 * 30, 30, 5, false), (101 * 30, 30, 5, true), (900, 10, 5, false), (900, 10, 40, false),
      (1050, 10, 5, true), (1050, 10, 40, false),
    ] as [(Double, Int, Double, Bool)])
  func speeds(metres: Double, seconds: Int, accuracy: Double, isSuspect: Bool) throws {
    let walk = try Walk()
    for step in 0...5 {
      walk.world.advance(.seconds(seconds))
      try walk.report(walk.fix(3000 + metres * Double(step), accuracy: accuracy))
      #expect(walk.position.suspect == (isSuspect && step > 0 ? true : nil))
    }
  }

  /// How a vague fix and an exact one of the same time come.
  enum Pairing: CaseIterable {
    case together, togetherExactFirst, vagueFirst, exactFirst
  }

  private func report(_ walk: Walk, vague: JSON, exact: JSON, _ pairing: Pairing) throws {
    switch pairing {
    case .together: try walk.report(vague, exact)
    case .togetherExactFirst: try walk.report(exact, vague)
    case .vagueFirst, .exactFirst:
      try walk.report(pairing == .vagueFirst ? vague : exact)
      guard !walk.isOver else { return }
      // The second report takes a little longer.
      let sentAt = walk.world.now
      walk.world.advance(.milliseconds(70))
      try walk.report(pairing == .vagueFirst ? exact : vague, sentAt: sentAt)
    }
  }

  @Test("R-023 R-LOC LOC-32 of two fixes of one time the exact one stands, and an equal one changes nothing")
  func pairs() throws {
    for pairing in Pairing.allCases {
      let walk = try Walk(startsAt: nil)
      walk.world.advance(.seconds(60))
      try walk.report(walk.fix(2020))
      walk.world.advance(.seconds(30))
      let (at, exact) = (walk.world.now, walk.fix(2000, accuracy: 8))
      try report(walk, vague: walk.fix(2300, accuracy: 800), exact: exact, pairing)
      #expect(walk.isAt(2000) && walk.position.accuracy == 8 && walk.position.at == at, "\(pairing)")
      #expect(walk.position.suspect == nil)
      let position = walk.position
      for sentAt in [at, walk.world.now] { try walk.report(exact, sentAt: sentAt) }
      #expect(walk.position == position)
      // One whose accuracy is not known is the vaguest.
      try walk.report(walk.fix(2300, (walk.world.now - at) / .seconds(1), accuracy: 0))
      #expect(walk.position == position)
    }
  }

  @Test("R-023 R-ARRIVE two fixes of one time count as the exact one")
  func pairAtTheBorder() throws {
    for pairing in Pairing.allCases {
      // A vague one outside breaks no run.
      let walk = try Walk()
      walk.world.advance(.seconds(60))
      try walk.report(walk.fix(60))
      walk.world.advance(.seconds(10))
      let at = walk.world.now
      try report(walk, vague: walk.fix(350, accuracy: 800), exact: walk.fix(50, accuracy: 8), pairing)
      #expect(walk.isOver && walk.facts.arrivedAt == at, "\(pairing)")
      #expect(try walk.count(.arrived) == 1)

      // Two of one time are not two that span anything, and the exact one outside ends what the vague one began.
      let other = try Walk()
      other.world.advance(.seconds(60))
      try report(other, vague: other.fix(60, accuracy: 40), exact: other.fix(130, accuracy: 8), pairing)
      other.world.advance(.seconds(10))
      try other.report(other.fix(50))
      #expect(other.facts.arrival == .underWay && !other.isOver, "\(pairing)")

      // The first ones say where the sharer starts.
      let third = try Walk(startsAt: nil)
      third.world.advance(.seconds(60))
      try report(third, vague: third.fix(350, accuracy: 800), exact: third.fix(50, accuracy: 8), pairing)
      #expect(third.facts.arrival == .alreadyInside, "\(pairing)")
    }
  }

  @Test("R-023 LOC-26 what stood before the newest fix is kept, so that a crash leaves the pair one fix")
  func pairOverACrash() throws {
    let walk = try Walk()
    walk.world.advance(.seconds(60))
    try walk.report(walk.fix(60))
    walk.world.advance(.seconds(10))
    try walk.report(walk.fix(350, accuracy: 800))
    let kept = Writer()
    walk.room.writeKept(to: kept)
    let kind = try #require(HomeRooms.kinds.first { $0.name == .share })
    let copy = try #require(kind.make(.share(walk.share.id)) as? TypedRoom<ShareState>)
    try copy.restore(
      snapshot: nil, entries: walk.world.entries[.share(walk.share.id)] ?? [], live: kept.bytes(), random: [], due: nil)
    let turn = Turn(
      caller: walk.people[0], client: walk.world.client, session: walk.world.client.cast(), now: walk.world.now)
    let exact = Fix(lat: 52, lon: 4, accuracy: Accuracy(metres: 8), fixTime: turn.now)
    try Report(sentAt: turn.now, fixes: [exact]).run(in: copy, turn)
    #expect(copy.state.share.value.arrival == .arrived)
  }
}
