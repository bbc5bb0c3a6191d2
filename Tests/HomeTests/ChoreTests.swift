import JSON
import Rooms
import Testing

@testable import Home

@Suite("Chores")
struct ChoreTests {
  let house: ChoreWorld
  init() throws { house = try ChoreWorld("Ana", "Ben", "Cem") }

  @Test("CHO-1, CHO-4, CHO-7, CHO-26: a chore is on the list with its date and people, and all but its author are told")
  func add() throws {
    let id = try house.add(
      ["name": "Vacuum", "date": "2026-02-05", "time": "18:00", "people": [house.person(1)], "urgent": true])
    let (_, chore) = try house.chore(of: id)
    #expect(chore.name == "Vacuum" && chore.author == house.people[0] && chore.isUrgent == true)
    #expect(try house.occurrence(id).dueAt == local("2026-02-05", "18:00") && house.turn(id) == [1])
    #expect(try house.unread(0) == [] && house.unread(1) == [.choreAdded] && house.unread(2) == [.choreAdded])
    let told = try #require(
      try house.world.me(house.people[1]).inbox.notifications.values.first { $0.kind == .choreAdded })
    #expect(told.name == "Vacuum" && told.isUrgent == true && told.actorName == "Ana")
    #expect(try house.state.feed.activity.values.first { $0.kind == .choreAdded }?.name == "Vacuum")
  }

  /// The bad fields that a call is refused for.
  private func paths(_ body: () throws -> some Any) -> Set<String> { Set(refusal(body)?.fields.map(\.path) ?? []) }

  @Test("CHO-4: one answer names every bad field of a chore, and nothing is added")
  func badFields() throws {
    let stranger = ID<Person>(high: 1, low: 1)
    let found = paths {
      try house.call(
        0, "chores.add",
        [
          "chore": [
            "name": "", "time": "18:00", "repeat": ["every": 0, "unit": "days"], "people": [.id(stranger)],
            "rotation": "weeks", "points": 1001, "graceHours": 169, "all": true, "strategy": "random",
          ]
        ])
    }
    #expect(
      found.isSuperset(of: ["chore.name", "chore.repeat.every", "chore.points", "chore.graceHours"]), "\(found)")
    let rules = paths {
      try house.call(
        0, "chores.add",
        [
          "chore": [
            "name": "X", "time": "18:00", "people": [.id(stranger)], "rotation": "weeks", "all": true,
            "strategy": "random", "weekdays": ["monday": house.person(0)], "skipsItself": true,
            "repeat": ["every": 1, "unit": "days", "nth": 1],
          ]
        ])
    }
    #expect(
      rules == [
        "chore.time", "chore.repeat", "chore.repeat.nth", "chore.repeat.weekday", "chore.people.0", "chore.all",
        "chore.weekdays", "chore.rotation", "chore.skipsItself",
      ], "\(rules)")
    #expect(try house.state.chores.chores.isEmpty && house.unread(1) == [])
  }

  @Test("CHO-2, CHO-3: names and built-in chores stand in the catalogue once, whatever their spelling or language")
  func catalogue() throws {
    let first = try house.add(["name": "Clean the  oven"])
    let second = try house.add(["name": "CLEAN THE OVEN"])
    #expect(try house.chore(of: first).chore.task == house.chore(of: second).chore.task)
    try house.add(["name": "Dishes", "essential": "dishes"])
    try house.add(["name": "Abwasch", "essential": "dishes"])
    try house.add(["name": "Dishes"])
    let entries = try house.state.chores.catalogue.values.map {
      "\($0.essential?.rawValue ?? "-") \($0.name) \($0.count)"
    }
    #expect(entries.sorted() == ["- CLEAN THE OVEN 2", "- Dishes 1", "dishes Abwasch 2"])
    #expect(Essential.allCases.count == 20)
  }

  @Test("CHO-3: an entry of the catalogue can be forgotten if nothing needs it; its counts only by the host")
  func forget() throws {
    let id = try house.add(["name": "Oven"], by: 1)
    let task = try house.chore(of: id).chore.task
    func forget(_ person: Int) -> String? {
      house.refused { try house.call(person, "chores.forget", ["task": .id(task)]) }
    }
    #expect(forget(0) == "conflict/inUse")
    try house.complete(id, by: 1)
    #expect(forget(1) == "forbidden/forbidden" && forget(0) == nil && forget(0) == "notFound/gone")
    #expect(try house.state.chores.catalogue.isEmpty && house.state.chores.tallies.isEmpty)
  }

  @Test("CHO-11: any field can be changed by the author or the host; the open occurrence follows unless fromNext")
  func edit() throws {
    let id = try house.add(
      ["name": "Mop", "date": "2026-02-05", "repeat": ["every": 1, "unit": "weeks"], "people": [house.person(1)]], by: 1
    )
    let chore = try house.chore(of: id).id
    #expect(
      house.refused { try house.call(2, "chores.edit", ["id": .id(chore), "chore": ["name": "No"]]) }
        == "forbidden/forbidden")
    try house.call(
      0, "chores.edit", ["id": .id(chore), "chore": ["name": "Mop floors", "date": "2026-02-07", "time": "10:00"]])
    #expect(
      try house.occurrence(id).dueAt == local("2026-02-07", "10:00") && house.chore(of: id).chore.name == "Mop floors")
    try house.call(
      1, "chores.edit", ["id": .id(chore), "fromNext": true, "chore": ["people": [house.person(2)], "time": .null]])
    #expect(try house.turn(id) == [1] && house.occurrence(id).dueAt == local("2026-02-07", "10:00"))
    let next = try #require(try house.complete(id, by: 1))
    #expect(try house.turn(next) == [2] && house.occurrence(next).dueAt == local("2026-02-15", "00:00"))
    // Statistics follow a chore under its better name.
    #expect(try house.state.chores.catalogue.values.map(\.name) == ["Mop floors"])
  }

  @Test("CHO-10, R-DEL: a removed chore is gone for all, who are told, and comes back for ten minutes under a new id")
  func remove() throws {
    let id = try house.add(["name": "Bins", "date": "2026-02-05", "people": [house.person(1)]], by: 1)
    let chore = try house.chore(of: id).id
    #expect(house.refused { try house.call(2, "chores.remove", ["id": .id(chore)]) } == "forbidden/forbidden")
    try house.call(1, "chores.remove", ["id": .id(chore)])
    #expect(try house.state.chores.chores.isEmpty && house.state.chores.occurrences.isEmpty)
    #expect(try house.unread(0).contains(.choreRemoved) && !house.unread(1).contains(.choreRemoved))
    #expect(house.refused { try house.call(0, "chores.edit", ["id": .id(chore), "chore": [:]]) } == "notFound/gone")
    #expect(house.refused { try house.call(2, "chores.restore", ["id": .id(chore)]) } == "forbidden/forbidden")
    let back = try house.call(1, "chores.restore", ["id": .id(chore)])
    let restored = try #require(back["occurrence"]?.string.flatMap { ID<Occurrence>($0) })
    #expect(try house.turn(restored) == [1] && house.chore(of: restored).chore.was == chore)
    #expect(
      house.refused {
        try house.add(["name": "x"])
        return try house.call(1, "chores.restore", ["id": .id(chore)])
      } == "notFound/gone")
    try house.call(1, "chores.remove", ["id": .id(try house.chore(of: restored).id)])
    house.world.advance(.seconds(600))
    #expect(house.refused { try house.call(1, "chores.restore", ["id": back["id"] ?? .null]) } == "notFound/gone")
  }

  @Test(
    "CHO-10: one occurrence can be removed; the next takes its place, the history says nothing, and it can be undone")
  func removeOccurrence() throws {
    let id = try house.add(["name": "Bins", "date": "2026-02-05", "repeat": ["every": 1, "unit": "weeks"]])
    let chore = try house.chore(of: id).id
    try house.call(0, "chores.remove", ["id": .id(chore), "occurrence": .id(id)])
    #expect(try house.state.chores.occurrence(of: chore)?.value.date == LocalDay("2026-02-12") && house.records.isEmpty)
    try house.call(0, "chores.undo", ["id": .id(id)])
    let back = try #require(try house.state.chores.occurrence(of: chore))
    #expect(back.value.date == LocalDay("2026-02-05") && back.value.was == id)
    #expect(try house.state.chores.occurrences.count == 1)
    try house.call(0, "chores.remove", ["id": .id(chore), "occurrence": .id(back.key)])
    house.world.advance(.seconds(600))
    #expect(house.refused { try house.call(0, "chores.undo", ["id": .id(back.key)]) } == "notFound/gone")
  }

  @Test("CHO-3: a chore that shares its name with another one gets an entry of its own under a new name")
  func renameShared() throws {
    let ids = try (0..<2).map { _ in try house.add(["name": "Oven"]) }
    try house.call(0, "chores.edit", ["id": .id(try house.chore(of: ids[0]).id), "chore": ["name": "Hob"]])
    #expect(Set(try house.state.chores.catalogue.values.map(\.name)) == ["Oven", "Hob"])
    // A name that is there already is that entry, whatever its spelling.
    try house.call(0, "chores.edit", ["id": .id(try house.chore(of: ids[1]).id), "chore": ["name": "HOB"]])
    #expect(try house.chore(of: ids[0]).chore.task == house.chore(of: ids[1]).chore.task)
  }

  @Test("CHO-11, R-REC: with another rule the count of a chore begins anew")
  func editCount() throws {
    var id = try house.add(["name": "Pills", "date": "2026-02-02", "repeat": ["every": 1, "unit": "days", "count": 2]])
    id = try #require(try house.complete(id, by: 0))
    let chore = try house.chore(of: id).id
    try house.call(
      0, "chores.edit", ["id": .id(chore), "chore": ["repeat": ["every": 2, "unit": "days", "count": 2]]])
    id = try #require(try house.complete(id, by: 0))
    #expect(try house.complete(id, by: 0) == nil)
  }

  @Test("CHO-9: of the newest occurrences that are over a room knows who was first")
  func closings() {
    var chores = Chores()
    for number in 1...UInt64(Limits.choreClosings) + 1 {
      chores.close(ID(low: number), Closing(chore: ID(low: number), at: Instant(milliseconds: Int64(number))))
    }
    #expect(chores.closings.count == Limits.choreClosings && !chores.closings.contains(ID(low: 1)))
  }

  @Test("HH-11: in a dismissed household nobody is reminded, also of a turn whose owner deletes their account")
  func dismissed() throws {
    let order: JSON = .array([1, 2].map { house.person($0) })
    try house.add(["name": "Bins", "date": "2026-02-09", "strategy": "roundRobin", "people": order])
    func reminders(_ person: Int) throws -> Int { try house.world.me(house.people[person]).reminders.reminders.count }
    #expect(try reminders(1) == 1)
    house.world.confirmation = .pin
    try house.call(0, "households.dismiss", [:])
    #expect(try reminders(1) == 0)
    try house.world.delete(house.people[1])
    #expect(try reminders(0) == 0 && reminders(2) == 0)
    let household = ID<Household>(high: 0xB000, low: 1)
    try house.world.call(house.people[0], "households.restore", ["household": .id(household)])
    #expect(try reminders(2) == 1, "it is back, and so is the reminder")
  }

  @Test("CHO-12: one occurrence moves to another day, and the later ones stay where they were")
  func move() throws {
    let id = try house.add(
      ["name": "Bins", "date": "2026-02-05", "repeat": ["every": 1, "unit": "weeks"], "people": [house.person(1)]])
    #expect(
      house.refused { try house.call(2, "chores.move", ["id": .id(id), "date": "2026-02-06"]) } == "forbidden/forbidden"
    )
    try house.call(1, "chores.move", ["id": .id(id), "date": "2026-02-06"])
    #expect(try house.occurrence(id).dueAt == local("2026-02-07", "00:00"))
    #expect(
      house.refused { try house.call(1, "chores.move", ["id": .id(id), "date": "2026-02-01"]) }
        == "invalidParams/invalidParams")
    let next = try #require(try house.complete(id, by: 1))
    #expect(try house.occurrence(next).date == LocalDay("2026-02-12"))
  }

  @Test("S1.15, HH-15: only the assignee, the author and the host skip a chore; anybody completes it")
  func rights() throws {
    let id = try house.add(["name": "Bins", "people": [house.person(1)]], by: 1)
    #expect(house.refused { try house.call(2, "chores.skip", ["id": .id(id)]) } == "forbidden/forbidden")
    try house.complete(id, by: 2)
    #expect(house.records.map(\.by) == [house.people[2]])
  }

  @Test("HH-10: what a leaver was to do goes to others, and no chore names them any longer")
  func leave() throws {
    let round = try house.add(["name": "A", "strategy": "roundRobin", "date": "2026-02-05"])
    let own = try house.add(["name": "B", "people": [house.person(0)], "date": "2026-02-05"])
    let both = try house.add(["name": "C", "people": [house.person(0), house.person(2)], "all": true])
    let claimed = try house.add(["name": "D", "strategy": "open"])
    try house.call(0, "chores.claim", ["id": .id(claimed)])
    try house.complete(both, by: 2)
    #expect(try house.turn(round) == [0])
    try house.call(0, "members.leave", [:])
    #expect(try house.turn(round) == [1] && house.turn(own) == [] && house.turn(claimed) == [])
    #expect(try house.unread(1).contains(.choreUnassigned))
    #expect(try house.state.chores.occurrences[both] == nil, "the one who was left has done it")
    #expect(try !house.state.chores.chores.values.contains { $0.people.contains(house.people[0]) })
    #expect(try house.world.me(house.people[0]).reminders.reminders.isEmpty)
  }
}
