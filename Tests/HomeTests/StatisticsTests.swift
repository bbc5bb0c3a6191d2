import JSON
import Rooms
import TestSupport
import Testing

@testable import Home

@Suite("Statistics of chores")
struct StatisticsTests {
  let house: ChoreWorld
  init() throws { house = try ChoreWorld("Ana", "Ben", "Cem") }

  private func counts(_ from: String, _ to: String) throws -> JSON {
    try house.call(0, "chores.statistics", ["from": .string(from), "to": .string(to)])
  }

  @Test("STA-1, STA-2: counts by member and chore from a day on and before another one, former members included")
  func counts() throws {
    for _ in 0..<3 { try house.complete(try house.add(["name": "Dishes"]), by: 1) }
    try house.complete(try house.add(["name": "Trash"]), by: 1)
    try house.go(to: "2026-02-28", "23:30")
    try house.complete(try house.add(["name": "Dishes"]), by: 2)
    try house.call(2, "members.leave", [:])
    let all = try counts("2026-02-02", "2026-03-01")
    let (ben, cem) = (house.people[1].description, house.people[2].description)
    let names = all["tasks"]?.object?.mapValues { $0["name"] } ?? [:]
    func done(_ person: String, _ name: JSON, _ counts: JSON) -> JSON? {
      names.first { $0.value == name }.flatMap { counts["people"]?[person]?["tasks"]?[$0.key] }
    }
    #expect(done(ben, "Dishes", all) == 3 && done(ben, "Trash", all) == 1 && done(cem, "Dishes", all) == 1)
    #expect(all["people"]?[ben]?["done"] == 4)
    #expect(try counts("2026-02-02", "2026-02-28")["people"]?[cem] == nil)
    #expect(try counts("2026-02-28", "2026-03-01")["people"]?[cem]?["done"] == 1)
  }

  @Test("STA-2: a range is at most two years, and not empty")
  func range() {
    #expect(reason { try counts("2026-02-02", "2026-02-02") } == "invalidParams/invalidParams")
    #expect(reason { try counts("2024-02-02", "2026-02-03") } == nil)
    #expect(reason { try counts("2024-02-02", "2026-02-04") } == "invalidParams/invalidParams")
  }

  @Test("STA-4: points count as they were at the completion, and only where the household has them")
  func points() throws {
    let id = try house.add(["name": "Bath", "points": 7, "repeat": ["every": 1, "unit": "days"], "date": "2026-02-02"])
    var next = try #require(try house.complete(id, by: 1))
    #expect(house.records.last?.points == nil)
    try house.call(0, "households.update", ["points": true])
    next = try #require(try house.complete(next, by: 1))
    try house.call(0, "chores.edit", ["id": .id(try house.chore(of: next).id), "chore": ["points": 100]])
    #expect(house.records.compactMap(\.points) == [7])
    try house.complete(next, by: 1)
    #expect(try counts("2026-02-01", "2026-03-01")["people"]?[house.people[1].description]?["points"] == 107)
    #expect(try house.state.chores.stats[house.people[1]]?.points == 107)
  }

  @Test("STA-5: the score of a month is final 31 days after its end, when nothing can be dated back into it")
  func score() throws {
    try house.complete(try house.add(["name": "Bath"]), by: 0, ["doneAt": .at(try local("2026-01-31", "23:59"))])
    try house.complete(try house.add(["name": "Bath"]), by: 0)
    func isFinal(_ month: String) throws -> Bool? {
      try house.call(1, "chores.score", ["year": 2026])["months"]?[month]?["final"]?.bool
    }
    try house.go(to: "2026-03-03", "23:59")
    #expect(try isFinal("2026-01") == nil)
    try house.go(to: "2026-03-04", "00:00")
    #expect(try isFinal("2026-01") == true && isFinal("2026-02") == nil)
    #expect(
      house.refused {
        try house.complete(try house.add(["name": "Bath"]), by: 0, ["doneAt": .at(try local("2026-01-31", "23:59"))])
      } == "invalidParams/invalidParams")
  }

  @Test("STA-3: the history is paged, and found by member and by chore")
  func history() throws {
    for number in 0..<5 {
      try house.complete(try house.add(["name": number == 0 ? "Trash" : "Dishes"]), by: number % 2)
      house.world.advance(.seconds(1))
    }
    func page(_ more: [String: JSON]) throws -> JSON { try house.call(2, "chores.history", .object(more)) }
    func names(_ page: JSON) -> [String] { page["items"]?.array?.compactMap { $0["name"]?.string } ?? [] }
    let first = try page(["limit": 3])
    let second = try page(["limit": 3, "before": first["next"] ?? .null])
    #expect(
      names(first) == ["Dishes", "Dishes", "Dishes"] && names(second) == ["Dishes", "Trash"] && second["next"] == nil)
    let task = try #require(second["items"]?.array?.last?["task"])
    #expect(try names(page(["task": task])) == ["Trash"] && names(page(["person": house.person(1)])).count == 2)
    #expect(try names(page(["task": task, "person": house.person(1)])) == [])
  }

  @Test("CHO-28: what each member has done this week begins anew on Monday")
  func week() throws {
    try house.complete(try house.add(["name": "Bath"]), by: 1)
    try house.complete(try house.add(["name": "Bath"]), by: 1, ["doneAt": .at(try local("2026-02-01", "12:00"))])
    #expect(
      try house.state.chores.stats[house.people[1]] == WeekOfChores(week: LocalDay("2026-02-02") ?? LocalDay(), done: 1)
    )
    try house.go(to: "2026-02-09")
    try house.complete(try house.add(["name": "Bath"]), by: 1)
    #expect(try house.state.chores.stats[house.people[1]]?.done == 1)
  }

  @Test("STA-1: counts are those of the history after any completions, skips, undos and dates", arguments: 1...6)
  func exact(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    try house.call(0, "households.update", ["points": true])
    var (open, closed): ([ID<Occurrence>], [ID<Occurrence>]) = ([], [])
    func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &random) < percent }
    for step in 0..<120 {
      let person = Int.random(in: 0..<3, using: &random)
      if open.count < 3 {
        let chore: JSON = [
          "name": .string("Chore \(step % 4)"), "date": .string(try house.state.zone.day(at: house.world.now).text),
          "points": .number(.init(step % 3)), "repeat": ["every": 1, "unit": "days"], "strategy": "roundRobin",
        ]
        open.append(try house.add(chore, by: person))
      }
      let index = Int.random(in: 0..<open.count, using: &random)
      if chance(60) {
        let back = Duration.seconds(Int.random(in: 0...2_000_000, using: &random))
        closed.append(open[index])
        open[index] = try #require(try house.complete(open[index], by: person, ["doneAt": .at(house.world.now - back)]))
      } else if chance(30) {
        closed.append(open[index])
        let answer = try house.call(0, "chores.skip", ["id": .id(open[index])])
        open[index] = try #require(answer["next"]?.string.flatMap { ID($0) })
      } else if let id = closed.randomElement(using: &random),
        let next = try? house.call(0, "chores.undo", ["id": .id(id)])
      {
        let state = try house.state
        open = open.filter { state.chores.occurrences.contains($0) }
        open.append(try #require(next["occurrence"]?.string.flatMap { ID($0) }))
      }
      house.world.advance(.seconds(Int.random(in: 0...40_000, using: &random)))
    }
    for (task, tally) in try house.state.chores.tallies {
      for (person, own) in tally.people {
        let done = house.records.filter { $0.kind == .done && $0.by == person && $0.task == task }
        #expect(own.ever == done.count && own.everPoints == done.reduce(0) { $0 + ($1.points ?? 0) })
      }
    }
    let zone = try house.state.zone
    for (from, to) in [("2026-01-01", "2027-01-01"), ("2026-02-03", "2026-02-11"), ("2026-02-28", "2026-03-02")] {
      let range = (try #require(LocalDay(from)))..<(try #require(LocalDay(to)))
      let counts = try counts(from, to)
      for person in house.people {
        let done = house.records.filter { $0.kind == .done && $0.by == person && range.contains(zone.day(at: $0.at)) }
        let found = counts["people"]?[person.description]
        #expect(
          found?["done"]?.int ?? 0 == done.count
            && found?["points"]?.int ?? 0 == done.reduce(0) { $0 + ($1.points ?? 0) })
        for (task, count) in found?["tasks"]?.object ?? [:] {
          #expect(count.int == done.filter { $0.task.description == task }.count)
        }
      }
    }
  }
}
