import JSON
import Rooms
import Testing

@testable import Home

@Suite("Completing chores")
struct CompletionTests {
  let house: ChoreWorld
  init() throws { house = try ChoreWorld("Ana", "Ben", "Cem") }

  func alreadyDone(_ id: ID<Occurrence>, by person: Int) -> (by: ID<Person>?, at: Instant?)? {
    guard let found = refusal({ try house.call(person, "chores.complete", ["id": .id(id)]) }) else { return nil }
    return found.reason == "alreadyDone"
      ? (found.details["by"]?.string.flatMap { ID($0) }, found.details["at"]?.string.flatMap { Instant($0) }) : nil
  }

  @Test("CHO-8: a chore done leaves the list for the history, and the others are told")
  func complete() throws {
    let id = try house.add(["name": "Oven", "date": "2026-02-02", "people": [house.person(1)]])
    let chore = try house.chore(of: id).id
    try house.complete(id, by: 1, ["note": "shines", "minutes": 25])
    #expect(try house.state.chores.chores.isEmpty && house.state.chores.occurrences.isEmpty)
    let record = try #require(house.records.first)
    #expect(record.id == id && record.chore == chore && record.by == house.people[1] && record.note == "shines")
    #expect(record.minutes == 25 && record.isLate == nil && record.people == [house.people[1]])
    #expect(try house.unread(0) == [.choreDone] && house.unread(1) == [] && house.unread(2) == [.choreDone])
    #expect(try house.state.chores.stats[house.people[1]]?.done == 1)
    let anybodys = try house.add(["name": "Oven"])
    try house.complete(anybodys, by: 1)
    #expect(try house.unread(0).filter { $0 == .choreDone }.count == 2)
    #expect(try house.state.feed.activity.values.first { $0.kind == .choreDone }?.name == "Oven")
  }

  @Test("CHO-9, R-037: of two who complete one occurrence the second is told who was first; nothing counts twice")
  func twice() throws {
    let id = try house.add(["name": "Oven", "date": "2026-02-05", "repeat": ["every": 1, "unit": "days"]])
    try house.complete(id, by: 1)
    let at = house.world.now
    house.world.advance(.seconds(3 * 24 * 3600))
    let first = try #require(alreadyDone(id, by: 2))
    #expect(first.by == house.people[1] && first.at == at)
    #expect(try house.state.chores.stats[house.people[2]] == nil && house.records.count == 1)
    #expect(house.refused { try house.call(2, "chores.skip", ["id": .id(id)]) } == "conflict/alreadyDone")
    #expect(house.refused { try house.complete(ID(high: 9, low: 9), by: 2) } == "notFound/gone")
  }

  @Test("CHO-4: where all must do it, it stays open until the last one has; each gets credit once")
  func all() throws {
    let id = try house.add(["name": "Clear out", "people": [house.person(0), house.person(1)], "all": true])
    #expect(try house.complete(id, by: 0) == nil && house.occurrence(id).doneBy[house.people[0]] != nil)
    #expect(alreadyDone(id, by: 0)?.by == house.people[0])
    try house.complete(id, by: 1)
    #expect(try house.state.chores.occurrences.isEmpty && Set(house.records.map(\.by)) == Set(house.people.prefix(2)))
    let other = try house.add(["name": "Clear out", "people": [house.person(0), house.person(1)], "all": true])
    try house.complete(other, by: 2)
    #expect(try house.state.chores.occurrences.isEmpty, "one who does it for all does it whole")
  }

  @Test("CHO-12: a completion can be dated back 30 days, and not forth")
  func backdate() throws {
    let (now, day) = (house.world.now, Duration.seconds(24 * 3600))
    let id = try house.add(["name": "Oven", "date": "2026-01-20"])
    func complete(_ at: Instant) -> String? { house.refused { try house.complete(id, by: 0, ["doneAt": .at(at)]) } }
    #expect(complete(now + .seconds(301)) == "invalidParams/invalidParams")
    #expect(complete(now - (day * 30 + .milliseconds(1))) == "invalidParams/invalidParams")
    #expect(complete(now - day * 14) == nil)
    #expect(house.records.first?.at == now - day * 14 && house.records.first?.isLate == nil)
    let fast = try house.add(["name": "Fast clock"])
    try house.complete(fast, by: 0, ["doneAt": .at(now + .seconds(300))])
    #expect(house.records.last?.at == now)
  }

  @Test(
    "R-035, CHO-23: after missed turns the next is ahead; they are recorded, and dating back changes only history"
  )
  func missed() throws {
    try house.go(to: "2026-09-01")
    func run(_ more: [String: JSON], _ every: JSON = ["every": 1, "unit": "weeks"]) throws -> Occurrence {
      let chore: [String: JSON] = ["name": "Plants", "date": "2026-09-14", "time": "08:00", "repeat": every]
      let id = try house.add(.object(chore))
      return try house.occurrence(try #require(try house.complete(id, by: 0, more)))
    }
    try house.go(to: "2026-09-30", "10:00")
    #expect(try run([:]).dueAt == local("2026-10-05", "08:00"))
    #expect(house.records.last?.missed == 2 && house.records.count == 1 && house.records.last?.isLate == true)
    #expect(try run(["basis": "completion"]).dueAt == local("2026-10-07", "08:00"))
    let back = try run(["doneAt": .at(local("2026-09-15", "10:00"))])
    #expect(
      try back.dueAt == local("2026-10-05", "08:00")
        && house.records.contains { try $0.at == local("2026-09-15", "10:00") })
    #expect(try run([:], ["every": 2, "unit": "days"]).dueAt == local("2026-10-02", "08:00"))
    let skipped = try house.add(
      ["name": "Plants", "date": "2026-09-14", "time": "08:00", "repeat": ["every": 1, "unit": "weeks"]])
    try house.call(0, "chores.skip", ["id": .id(skipped)])
    #expect(
      try house.state.chores.occurrences[house.state.chores.occurrences.keys.max() ?? ID()]?.dueAt
        == local("2026-10-05", "08:00"))
    #expect(house.records.last?.kind == .skipped && house.records.last?.missed == 2)
  }

  @Test("R-033: a chore of every month's 31st remembers its day over edits, skips and late completions")
  func monthEnd() throws {
    var id = try house.add(
      ["name": "Rent", "date": "2026-03-31", "repeat": ["every": 1, "unit": "months"], "people": [house.person(0)]])
    var days = [try house.occurrence(id).date?.text]
    for step in 0..<4 {
      try house.go(to: try #require(days[step]))
      if step == 1 {
        try house.call(0, "chores.edit", ["id": .id(try house.chore(of: id).id), "chore": ["name": "Rent!"]])
        try house.call(0, "chores.skip", ["id": .id(id)])
        id = try #require(try house.state.chores.occurrences.keys.first)
      } else {
        id = try #require(try house.complete(id, by: 0))
      }
      days.append(try house.occurrence(id).date?.text)
    }
    #expect(days == ["2026-03-31", "2026-04-30", "2026-05-31", "2026-06-30", "2026-07-31"])
  }

  @Test("R-REC: a chore ends with its count or its last day, and goes off the list")
  func ends() throws {
    var id = try house.add(["name": "Pills", "date": "2026-02-02", "repeat": ["every": 1, "unit": "days", "count": 3]])
    for _ in 0..<2 { id = try #require(try house.complete(id, by: 0)) }
    #expect(try house.complete(id, by: 0) == nil && house.state.chores.chores.isEmpty)
    id = try house.add([
      "name": "Pills", "date": "2026-02-02", "repeat": ["every": 1, "unit": "weeks", "until": "2026-02-09"],
    ])
    id = try #require(try house.complete(id, by: 0))
    #expect(try house.complete(id, by: 0) == nil && house.state.chores.chores.isEmpty)
  }

  @Test("R-036: the household's zone decides on which day a chore was done, also for those elsewhere")
  func zone() throws {
    try house.call(0, "households.update", ["timeZone": "America/Los_Angeles"])
    try house.go(to: "2026-02-25", "16:56", in: "America/Los_Angeles")
    try house.world.call(house.people[1], "settings.edit", ["timeZone": "Asia/Tokyo"])
    let id = try house.add(["name": "Bins", "date": "2026-02-25"])
    try house.complete(id, by: 1)
    #expect(house.records.last?.isLate == nil && house.records.last?.date == LocalDay("2026-02-25"))
    let counts = try house.call(0, "chores.statistics", ["from": "2026-02-25", "to": "2026-02-26"])
    #expect(counts["people"]?[house.people[1].description]?["done"] == 1)
    try house.go(to: "2026-02-28", "23:30", in: "America/Los_Angeles")
    try house.complete(try house.add(["name": "Bins"]), by: 1)
    let score = try house.call(0, "chores.score", ["year": 2026])
    #expect(score["months"]?["2026-02"]?["people"]?[house.people[1].description]?["done"] == 2)
  }

  @Test("CHO-24: doer or host undo a completion under a new id: pointer, points, due date and history are as before")
  func undo() throws {
    try house.call(0, "households.update", ["points": true])
    let id = try house.add(
      [
        "name": "Bath", "date": "2026-02-05", "repeat": ["every": 1, "unit": "weeks"], "strategy": "roundRobin",
        "points": 5,
      ])
    let next = try #require(try house.complete(id, by: 1, ["swap": true]))
    #expect(try house.turn(next) == [0] && house.state.chores.stats[house.people[1]]?.points == 5)
    #expect(house.refused { try house.call(2, "chores.undo", ["id": .id(id)]) } == "forbidden/forbidden")
    let back = try house.call(1, "chores.undo", ["id": .id(id)])
    let again = try #require(back["occurrence"]?.string.flatMap { ID<Occurrence>($0) })
    #expect(try house.turn(again) == [0] && house.occurrence(again).date == LocalDay("2026-02-05"))
    #expect(try house.occurrence(again).was == id && house.state.chores.occurrences.count == 1)
    let chore = try house.chore(of: again).chore
    #expect(chore.swaps.isEmpty && chore.turn == house.people[0] && chore.number == 1)
    #expect(try house.records.isEmpty && house.state.chores.stats[house.people[1]]?.points == 0)
    #expect(house.refused { try house.call(1, "chores.undo", ["id": .id(id)]) } == "notFound/gone")
    let second = try #require(try house.complete(again, by: 0))
    try house.complete(second, by: 1)
    #expect(house.refused { try house.call(0, "chores.undo", ["id": .id(again)]) } == "conflict/nextDone")
  }

  @Test("CHO-24: a chore that is over for good comes back by undoing, under new ids")
  func undoLast() throws {
    let id = try house.add(["name": "Oven", "people": [house.person(1)]], by: 1)
    let chore = try house.chore(of: id).id
    try house.complete(id, by: 1)
    let back = try house.call(1, "chores.undo", ["id": .id(id)])
    let again = try #require(back["occurrence"]?.string.flatMap { ID<Occurrence>($0) })
    #expect(try house.chore(of: again).chore.was == chore && house.turn(again) == [1])
    let counts = try house.call(0, "chores.statistics", ["from": "2026-01-01", "to": "2026-03-01"])
    #expect(counts["people"] == nil)
  }

  @Test(
    "CHO-24: what still waits for others can be taken back by its doer, to approve or of a chore that all must do"
  )
  func takeBack() throws {
    let id = try house.add(["name": "Oven", "needsApproval": true, "people": [house.person(1)]])
    func undo(_ id: ID<Occurrence>, _ person: Int) -> String? {
      house.refused { try house.call(person, "chores.undo", ["id": .id(id)]) }
    }
    #expect(undo(id, 1) == "conflict/notDone")
    try house.complete(id, by: 1)
    #expect(undo(id, 2) == "forbidden/forbidden" && undo(id, 1) == nil)
    #expect(try house.occurrence(id).completion == nil && !house.unread(0).contains(.choreToApprove))
    let both = try house.add(["name": "Cellar", "people": [house.person(0), house.person(1)], "all": true])
    try house.complete(both, by: 0)
    #expect(undo(both, 1) == "conflict/notDone" && undo(both, 0) == nil && house.records.isEmpty)
    #expect(try house.occurrence(both).doneBy.isEmpty && house.state.chores.stats[house.people[0]]?.done == 0)
  }

  @Test("CHO-19: others rate what was done, once each, for seven days")
  func rate() throws {
    let id = try house.add(["name": "Oven"])
    try house.complete(id, by: 1)
    func rate(_ person: Int, _ stars: JSON) -> String? {
      house.refused { try house.call(person, "chores.rate", ["id": .id(id), "stars": stars]) }
    }
    #expect(rate(1, 5) == "forbidden/yourself" && rate(0, 6) == "invalidParams/invalidParams")
    #expect(rate(0, 2) == nil && rate(0, 4) == nil && rate(2, 5) == nil)
    #expect(house.records.map(\.ratings.count) == [2] && house.records.first?.ratings[house.people[0]] == 4)
    let at = house.records.first?.at
    house.world.advance(.seconds(7 * 24 * 3600))
    #expect(rate(2, .null) == nil && house.records.first?.ratings.count == 1 && house.records.first?.at == at)
    house.world.advance(.milliseconds(1))
    #expect(rate(2, 5) == "conflict/tooLate")
    #expect(
      house.refused { try house.call(0, "chores.rate", ["id": .id(ID<Occurrence>(high: 9, low: 1)), "stars": 1]) }
        == "notFound/gone")
  }

  /// The newest notification of a kind.
  private func told(
    _ person: Int, _ kind: NotificationKind
  ) throws -> (key: ID<Home.Notification>, value: Home.Notification) {
    let inbox = try house.world.me(house.people[person]).inbox.notifications
    return try #require(inbox.filter { $0.value.kind == kind }.max { $0.value.at < $1.value.at })
  }

  @Test("CHO-19: a member thanks the doer from the notification, who is told once")
  func thank() throws {
    let id = try house.add(["name": "Oven"])
    try house.complete(id, by: 1)
    func thank(_ person: Int, _ notification: ID<Notification>) -> String? {
      house.refused { try house.world.call(house.people[person], "inbox.thank", ["id": .id(notification)]) }
    }
    let done = try told(0, .choreDone).key
    #expect(try thank(2, told(2, .choreAdded).key) == "notFound/gone")
    #expect(thank(2, ID(high: 9, low: 1)) == "notFound/gone")
    #expect(thank(0, done) == nil && thank(0, done) == nil)
    let thanked = try told(0, .choreDone).value
    #expect(thanked.thankedAt != nil && thanked.readAt != nil)
    #expect(try house.unread(1).filter { $0 == .thanks }.count == 1 && !house.unread(2).contains(.thanks))
    let thanks = try told(1, .thanks).value
    #expect(thanks.actor == house.people[0] && thanks.name == "Oven" && thanks.ref == id.cast())
  }

  @Test("CHO-20: a completion waits for another member's approval; a rejected one opens the chore again with a note")
  func approve() throws {
    let id = try house.add(["name": "Oven", "needsApproval": true, "people": [house.person(1)]])
    #expect(try house.call(1, "chores.complete", ["id": .id(id)])["waiting"] == true && house.records.isEmpty)
    #expect(try house.unread(0).contains(.choreToApprove) && house.unread(2).contains(.choreToApprove))
    #expect(alreadyDone(id, by: 2)?.by == house.people[1])
    func approve(_ person: Int, _ isApproved: Bool) -> String? {
      house.refused {
        try house.call(person, "chores.approve", ["id": .id(id), "approved": .bool(isApproved), "note": "still dirty"])
      }
    }
    #expect(approve(1, true) == "forbidden/yourself" && approve(0, false) == nil)
    #expect(try house.occurrence(id).rejection == "still dirty" && house.unread(1).contains(.choreRejected))
    #expect(try !house.unread(2).contains(.choreToApprove) && approve(0, true) == "conflict/notDone")
    house.world.advance(.seconds(60))
    let done = house.world.now
    try house.complete(id, by: 1)
    house.world.advance(.seconds(60))
    #expect(approve(2, true) == nil && house.records.first?.approvedBy == house.people[2])
    #expect(house.records.first?.at == done && house.records.first?.by == house.people[1])
  }

  @Test("CHO-13: of two who claim a chore the first has it; it can be taken over from who has it, and released")
  func claim() throws {
    let id = try house.add(["name": "Oven", "strategy": "open"])
    func claim(_ person: Int, from other: Int? = nil) -> Refusal? {
      var parameters: [String: JSON] = ["id": .id(id)]
      if let other { parameters["from"] = house.person(other) }
      return refusal { try house.call(person, "chores.claim", .object(parameters)) }
    }
    #expect(claim(1) == nil && claim(1) == nil)
    #expect(claim(2)?.reason == "alreadyClaimed" && claim(2)?.details["by"] == house.person(1))
    #expect(claim(2, from: 0)?.reason == "alreadyClaimed" && claim(2, from: 1) == nil)
    #expect(
      try house.turn(id) == [2]
        && house.refused { try house.call(1, "chores.release", ["id": .id(id)]) } == "conflict/notClaimed")
    try house.call(2, "chores.release", ["id": .id(id)])
    #expect(try house.turn(id) == [])
  }
}
