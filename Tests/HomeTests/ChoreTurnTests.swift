import JSON
import Rooms
import TestSupport
import Testing

@testable import Home

@Suite("Turns of chores")
struct ChoreTurnTests {
  let house: ChoreWorld
  init() throws { house = try ChoreWorld("Ana", "Ben", "Cem") }

  private func daily(_ more: [String: JSON]) throws -> ID<Occurrence> {
    let chore: [String: JSON] = ["name": "Dishes", "date": "2026-02-02", "repeat": ["every": 1, "unit": "days"]]
    return try house.add(.object(chore.merging(more) { $1 }))
  }

  @Test("R-ASSIGN, R-037, CHO-14: turns go round by turn, not by doer; with `swap` two members exchange theirs")
  func roundRobin() throws {
    var id = try daily(["strategy": "roundRobin"])
    #expect(try house.turn(id) == [0])
    id = try #require(try house.complete(id, by: 1))
    #expect(try house.turn(id) == [1] && house.records.last?.by == house.people[1])
    id = try #require(try house.complete(id, by: 1))
    id = try #require(try house.complete(id, by: 2))
    #expect(try house.turn(id) == [0])
    // Ben does Ana's turn in exchange: next Ana, then Cem.
    id = try #require(try house.complete(id, by: 1, ["swap": true]))
    #expect(try house.turn(id) == [0])
    id = try #require(try house.complete(id, by: 0))
    #expect(try house.turn(id) == [2])
    // Cem's turn is done by Ana in exchange: her turn is his.
    id = try #require(try house.complete(id, by: 0, ["swap": true]))
    #expect(try house.turn(id) == [2])
    id = try #require(try house.complete(id, by: 2))
    #expect(try house.turn(id) == [1])
  }

  @Test("R-037: an exchange with a member whose turn is later waits until then, and impossible ones are refused")
  func swap() throws {
    var id = try daily(["strategy": "roundRobin", "people": [house.person(0), house.person(1)]])
    func swap(_ person: Int) -> String? { house.refused { try house.complete(id, by: person, ["swap": true]) } }
    #expect(swap(0) == "conflict/yourself" && swap(2) == "conflict/notInTurn")
    let fixed = try daily(["people": [house.person(0)]])
    #expect(house.refused { try house.complete(fixed, by: 1, ["swap": true]) } == "invalidParams/invalidParams")
    id = try daily(["strategy": "roundRobin"])
    id = try #require(try house.complete(id, by: 2, ["swap": true]))
    #expect(try house.turn(id) == [1])
    #expect(swap(2) == "conflict/swapped")
    id = try #require(try house.complete(id, by: 1))
    #expect(try house.turn(id) == [0])
    id = try #require(try house.complete(id, by: 0))
    #expect(try house.turn(id) == [0])
  }

  @Test("R-037, CHO-23: skipping goes round, is logged and gives no credit; a pool of one keeps its member")
  func skip() throws {
    var id = try daily(["strategy": "roundRobin"])
    var turns: [Int] = []
    for _ in 0..<6 {
      turns += try house.turn(id)
      try house.call(0, "chores.skip", ["id": .id(id)])
      id = try #require(try house.state.chores.occurrences.keys.first)
    }
    #expect(turns == [0, 1, 2, 0, 1, 2])
    #expect(try house.state.chores.stats.isEmpty && house.records.filter { $0.kind == .skipped }.count == 6)
    var alone = try daily(["strategy": "roundRobin", "people": [house.person(1)]])
    for _ in 0..<3 {
      #expect(try house.turn(alone) == [1])
      alone = try #require(try house.complete(alone, by: 1))
    }
  }

  @Test("R-ASSIGN: a turn may last a week or a month of a daily chore")
  func rotation() throws {
    var id = try daily(["strategy": "roundRobin", "rotation": "weeks"])
    var turns: [Int] = []
    for _ in 0..<15 {
      turns += try house.turn(id)
      id = try #require(try house.complete(id, by: 0))
    }
    #expect(turns == [0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 2])
    #expect(
      RotationPeriod.months.isSame(LocalDay(year: 2026, month: 2, day: 1), LocalDay(year: 2026, month: 2, day: 28)))
    #expect(
      !RotationPeriod.months.isSame(LocalDay(year: 2026, month: 2, day: 1), LocalDay(year: 2027, month: 2, day: 1)))
  }

  @Test("R-ASSIGN: each weekday may have its member, and a day without one is nobody's, which all are told")
  func weekdays() throws {
    var id = try daily([
      "strategy": "byWeekday", "weekdays": ["monday": house.person(1), "tuesday": house.person(2)],
    ])
    var turns: [[Int]] = []
    for _ in 0..<8 {
      turns.append(try house.turn(id))
      #expect(try house.unread(2).contains(.choreUnassigned) == (turns.last == []))
      id = try #require(try house.complete(id, by: 0))
    }
    #expect(turns == [[1], [2], [], [], [], [], [], [1]])
  }

  @Test("R-ASSIGN: those away on the due day get no turn; a stand-in takes theirs; without anybody all are told")
  func away() throws {
    func awayRule(_ person: Int, _ from: String, _ to: String, _ delegate: Int? = nil) throws {
      var parameters: [String: JSON] = ["from": .string(from), "to": .string(to)]
      if let delegate { parameters["delegate"] = house.person(delegate) }
      try house.call(person, "members.away", .object(parameters))
    }
    try awayRule(1, "2026-02-02", "2026-02-20")
    var id = try daily(["strategy": "roundRobin"])
    id = try #require(try house.complete(id, by: 0))
    #expect(try house.turn(id) == [2])
    try house.call(1, "members.back", [:])
    id = try #require(try house.complete(id, by: 2))
    #expect(try house.turn(id) == [0])
    // Ana goes away over her open turn: it passes on, and is not made up for.
    try awayRule(0, "2026-02-02", "2026-02-20")
    #expect(try house.turn(id) == [1])
    id = try #require(try house.complete(id, by: 1))
    #expect(try house.turn(id) == [2])
    try house.call(0, "members.back", [:])
    id = try #require(try house.complete(id, by: 2))
    #expect(try house.turn(id) == [0])
    // With a stand-in the turn is theirs, and the order goes on behind it.
    try awayRule(0, "2026-02-02", "2026-02-20", 2)
    #expect(try house.turn(id) == [2])
    id = try #require(try house.complete(id, by: 2))
    #expect(try house.turn(id) == [1])
    let own = try daily(["people": [house.person(1)]])
    try awayRule(1, "2026-02-02", "2026-02-20")
    #expect(try house.turn(own) == [] && house.unread(0).contains(.choreUnassigned))
  }

  @Test("HH-12: a member who comes back early has their turns of the days to come again, not those that are overdue")
  func backEarly() throws {
    let delegate = house.person(2)
    func goAway(until day: String) throws {
      try house.call(0, "members.away", ["from": "2026-02-02", "to": .string(day), "delegate": delegate])
    }
    let turns = try daily(["strategy": "roundRobin"])
    let own = try house.add(["name": "Plants", "date": "2026-02-05", "people": [house.person(0)]])
    let theirs = try house.add(["name": "Bins", "date": "2026-02-05", "people": [delegate]])
    try goAway(until: "2026-02-20")
    #expect(try [turns, own, theirs].map(house.turn) == [[2], [2], [2]])
    // A shorter absence gives back what is due after it.
    try goAway(until: "2026-02-03")
    #expect(try [turns, own, theirs].map(house.turn) == [[2], [0], [2]])
    try goAway(until: "2026-02-20")
    #expect(try house.turn(own) == [2])
    try house.call(0, "members.back", [:])
    #expect(try [turns, own, theirs].map(house.turn) == [[0], [0], [2]])
    try goAway(until: "2026-02-20")
    house.world.advance(.seconds(4 * 86_400))
    try house.call(0, "members.back", [:])
    #expect(try [turns, own, theirs].map(house.turn) == [[2], [2], [2]], "all of them are overdue")
  }

  @Test("HH-10: when the member leaves whose turn it is, the next one has it, and the order goes on from there")
  func leaving() throws {
    let dan = try house.world.signUp("Dan")
    try house.world.join([dan], ID(high: 0xB000, low: 1))
    var id = try daily([
      "strategy": "roundRobin", "people": .array([house.person(0), house.person(1), house.person(2), .id(dan)]),
    ])
    id = try #require(try house.complete(id, by: 0))
    #expect(try house.turn(id) == [1])
    try house.call(1, "members.leave", [:])
    #expect(try house.turn(id) == [2])
    id = try #require(try house.complete(id, by: 2))
    #expect(try house.occurrence(id).people == [dan])
    id = try #require(try house.complete(id, by: 0))
    #expect(try house.turn(id) == [0])
  }

  @Test("CHO-5: a random turn follows from the room's secret, not from the call, and reaches all")
  func random() throws {
    var counts: [Int: Int] = [:]
    for _ in 0..<90 {
      let id = try house.add(["name": "Lot", "strategy": "random"])
      for person in try house.turn(id) { counts[person, default: 0] += 1 }
      try house.call(0, "chores.remove", ["id": .id(try house.chore(of: id).id)])
    }
    #expect(counts.count == 3 && counts.values.allSatisfy { $0 >= 15 }, "\(counts)")
  }

  @Test(
    "R-ASSIGN: leastCompleted and leastPoints even out what was done before, by 90 days in which members were there")
  func least() throws {
    try house.call(0, "households.update", ["points": true])
    var id = try daily(["strategy": "leastCompleted", "name": "Bath"])
    for _ in 0..<6 { id = try #require(try house.complete(id, by: 0)) }
    #expect(try house.turn(id) == [1])
    for _ in 0..<3 { id = try #require(try house.complete(id, by: 1)) }
    #expect(try house.turn(id) == [2])
    var counts = [6, 3, 0]
    for _ in 0..<9 {
      let turn = try house.turn(id)[0]
      counts[turn] += 1
      id = try #require(try house.complete(id, by: turn))
    }
    #expect(counts == [6, 6, 6])
    let heavy = try house.add(["name": "Cellar", "points": 100])
    try house.complete(heavy, by: 2)
    let light = try house.add(["name": "Plants", "points": 1])
    try house.complete(light, by: 1)
    #expect(try house.turn(try daily(["strategy": "leastPoints"])) == [0])
    house.world.advance(.seconds(91 * 24 * 3600))
    // Of 90 days nobody has any: the fewest ever, then the order.
    #expect(try house.turn(try daily(["strategy": "leastPoints"])) == [0])
    #expect(try house.turn(try house.add(["name": "Bath", "strategy": "leastCompleted"])) == [0])
  }

  @Test("HH-12: the days of an absence do not count for who has done least")
  func frozen() {
    var past = PastAbsences()
    let today = LocalDay(year: 2026, month: 6, day: 30)
    #expect(past.start(of: 90, endingWith: today) == today.adding(-89))
    past.add(today.adding(-40), today.adding(-11), keptFrom: today.adding(-366))
    #expect(past.start(of: 90, endingWith: today) == today.adding(-119))
    past.add(today.adding(-9), today.adding(-10), keptFrom: today.adding(-366))
    #expect(past.days.count == 2, "an absence that was called off before it began")
  }

  @Test("R-ASSIGN: over any history of completions, skips and absences every member's turn comes", arguments: 1...12)
  func fairness(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let people = (1...UInt64.random(in: 1...6, using: &random)).map { ID<Person>(high: 1, low: $0) }
    for strategy in [ChoreStrategy.roundRobin, .leastCompleted, .random] {
      var chore = Chore(strategy: strategy, people: people.shuffled(using: &random))
      var (last, day): (ID<Person>?, LocalDay?) = (nil, nil)
      var done: [ID<Person>: Int] = [:]
      var turns: [ID<Person>: Int] = [:]
      for step in 0..<(60 * people.count) {
        let away = Set(people.filter { _ in Int.random(in: 0..<10, using: &random) == 0 })
        let due = LocalDay(number: 20_000 + step)
        let turn = ChoreAssignment(
          chore: chore, day: due, residents: [], present: { away.contains($0) ? nil : $0 },
          done: { (done[$0] ?? 0, done[$0] ?? 0) }, draw: { Int.random(in: 0..<$0, using: &random) }
        ).next(after: last, on: day)
        #expect(turn.people.count <= 1 && turn.people.allSatisfy { !away.contains($0) })
        #expect(away.count == people.count || turn.people.count == 1)
        if let settled = turn.settled { chore.swaps[settled] = nil }
        (last, day) = (turn.turn, due)
        guard let person = turn.people.first else { continue }
        turns[person, default: 0] += 1
        if strategy == .leastCompleted {
          let fewest = people.filter { !away.contains($0) }.map { done[$0] ?? 0 }.min()
          #expect(done[person] ?? 0 == fewest, "the turn is that of one who has done least")
        }
        // Now and then somebody else does it.
        done[Int.random(in: 0..<5, using: &random) == 0 ? people[step % people.count] : person, default: 0] += 1
      }
      let least = people.map { turns[$0] ?? 0 }.min() ?? 0
      #expect(least >= 30, "\(strategy) of \(people.count): \(turns.values.sorted())")
      let counts = people.map { done[$0] ?? 0 }
      if strategy == .leastCompleted { #expect((counts.max() ?? 0) - (counts.min() ?? 0) <= 6, "\(counts)") }
    }
  }
}
