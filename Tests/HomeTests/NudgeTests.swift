import JSON
import Rooms
import TestSupport
import Testing

@testable import Home

@Suite("Reminding others")
struct NudgeTests {
  let house: ChoreWorld
  init() throws { house = try ChoreWorld("Ana", "Ben", "Cem") }

  private let hour = Duration.seconds(3600)

  private func remind(_ id: ID<Occurrence>, by person: Int = 0, whom: Int? = nil) -> Refusal? {
    var parameters: [String: JSON] = ["id": .id(id)]
    if let whom { parameters["person"] = house.person(whom) }
    return refusal { try house.call(person, "chores.remind", .object(parameters)) }
  }

  @Test("CHO-18, REM-3: those who are to do a chore are reminded, once a day and three times a week by one member")
  func remind() throws {
    let id = try house.add(["name": "Bins", "people": [house.person(1), house.person(2)]])
    #expect(remind(id, whom: 1) == nil)
    #expect(try house.unread(1).contains(.choreReminder) && !house.unread(2).contains(.choreReminder))
    #expect(remind(id, whom: 1)?.reason == "reminded" && remind(id, whom: 1)?.retryAfter == hour * 24)
    #expect(remind(id)?.reason == "reminded", "nothing is sent to the one if the other has had theirs")
    #expect(try !house.unread(2).contains(.choreReminder))
    #expect(remind(id, by: 2, whom: 1) == nil, "another member has a count of their own")
    for _ in 0..<2 {
      house.world.advance(hour * 24)
      #expect(remind(id, whom: 1) == nil)
    }
    house.world.advance(hour * 24)
    #expect(remind(id, whom: 1)?.retryAfter == hour * (24 * 4))
    house.world.advance(hour * (24 * 4))
    #expect(remind(id, whom: 1) == nil)
  }

  @Test("CHO-18: nobody reminds themselves, and a chore of nobody reminds nobody")
  func nobody() throws {
    let own = try house.add(["name": "Bins", "people": [house.person(0)]])
    #expect(
      remind(own)?.reason == "nobody" && remind(own, by: 1) == nil && remind(own, by: 1, whom: 2)?.reason == "nobody")
    #expect(remind(try house.add(["name": "Bins"]))?.reason == "nobody")
    try house.complete(own, by: 2)
    #expect(try !house.unread(0).contains(.choreReminder), "REM-6: it is over")
  }

  @Test(
    "REM-3: a muted sender is not told; their reminders are read already, for 30 days or until they are heard again")
  func mute() throws {
    let id = try house.add(["name": "Bins", "people": [house.person(1)]])
    func mute(_ isMuted: Bool) throws {
      try house.world.call(house.people[1], "inbox.mute", ["person": house.person(0), "muted": .bool(isMuted)])
    }
    try mute(true)
    #expect(remind(id) == nil && remind(id, by: 2) == nil)
    let reminders = try house.world.me(house.people[1]).inbox.notifications.values.filter { $0.kind == .choreReminder }
    #expect(reminders.count == 2 && reminders.filter { $0.readAt == nil }.map(\.actor) == [house.people[2]])
    try mute(false)
    #expect(try house.world.me(house.people[1]).mutedSenders.mutedSenders.isEmpty)
    try mute(true)
    house.world.advance(hour * (24 * 30))
    #expect(try house.world.me(house.people[1]).mutedSenders.mutedSenders.isEmpty)
    let stranger = try house.world.signUp("Eve")
    #expect(
      reason { try house.world.call(house.people[1], "inbox.mute", ["person": .id(stranger), "muted": true]) }
        == "notFound/person")
  }

  @Test(
    "REM-3: whatever is sent, no window holds more than it may, and the wait is the least that helps", arguments: 1...20
  )
  func windows(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let people = (1...3).map { ID<Person>(high: 1, low: $0) }
    var (sent, now): ([NudgeLimits.Sent], Instant) = ([], Instant(milliseconds: 0))
    for _ in 0..<400 {
      now = now + .seconds(Int.random(in: 0...20_000, using: &random))
      let person = people[Int.random(in: 0..<3, using: &random)]
      let limits = NudgeLimits(sent: sent)
      guard let wait = limits.wait(toRemind: person, of: .chore, at: now) else {
        sent.append(.init(to: person, kind: .chore, at: now))
        continue
      }
      #expect(wait > .zero && limits.wait(toRemind: person, of: .chore, at: now + wait) == nil)
      #expect(limits.wait(toRemind: person, of: .chore, at: now + (wait - .milliseconds(1))) != nil)
    }
    for (index, last) in sent.enumerated() {
      let before = sent[...index].filter { $0.to == last.to }
      #expect(before.count { last.at - $0.at < Limits.nudgeDay } <= 1)
      #expect(before.count { last.at - $0.at < Limits.nudgeWeek } <= 3)
      #expect(sent[...index].count { last.at - $0.at < Limits.nudgeDay } <= Limits.nudgesPerDay)
    }
  }
}

@Suite("Birthdays")
struct BirthdayTests {
  let world = World()
  let home = ID<Household>(high: 0xB000, low: 1)

  private func birthdays(_ person: ID<Person>) throws -> [Instant] {
    try world.me(person).inbox.notifications.values.filter { $0.kind == .birthday }.map(\.at).sorted()
  }

  private func open() throws -> [(key: ID<Occurrence>, value: Occurrence)] {
    let chores = try world.home().chores
    return chores.occurrences.filter { chores.chores[$0.value.chore]?.birthdayOf != nil }
  }

  @Test(
    "CHO-21, S1.10: the others hear of a birthday a week and a day ahead and on the day, at their hour, never else"
  )
  func birthday() throws {
    let ana = try world.signUp("Ana", birthday: "1999-02-12")
    let people = try world.household(of: "Ana", "Ben", "Cem")
    try world.call(people[2], "settings.edit", ["hour": "20:00"])
    let occurrence = try #require(try open().first)
    #expect(try open().count == 1 && occurrence.value.date == LocalDay("2026-02-12"))
    #expect(Set(occurrence.value.people) == Set(people.dropFirst()))
    world.advance(try local("2027-02-13", "12:00") - world.now)
    let expected = ["2026-02-05", "2026-02-11", "2026-02-12", "2027-02-05", "2027-02-11", "2027-02-12"]
    // The inbox keeps a month.
    #expect(try birthdays(people[1]) == expected.suffix(3).map { try local($0, "09:00") })
    #expect(try birthdays(people[2]) == expected.suffix(3).map { try local($0, "20:00") })
    #expect(
      try birthdays(ana) == []
        && world.kinds(in: world.me(people[1]).inbox.notifications).filter { $0 != .birthday }.isEmpty)
  }

  @Test("CHO-21: a birthday can be ticked off by any of the others, is in the history and counts for nobody")
  func tick() throws {
    let ana = try world.signUp("Ana", birthday: "1999-02-12")
    let people = try world.household(of: "Ana", "Ben", "Cem")
    let (id, occurrence) = try #require(try open().first)
    try world.call(people[1], "chores.complete", in: .household(home), ["id": .id(id)])
    #expect(try open().map(\.value.date) == [LocalDay("2027-02-12")] && world.home().chores.tallies.isEmpty)
    let record = try #require(
      world.history[.household(home)]?.last { $0.kind == "chore" }?.body.flatMap { ChoreRecord(history: $0) })
    #expect(record.birthdayOf == ana && record.by == people[1] && record.name == "")
    for (method, more) in [("edit", ["chore": [:]] as [String: JSON]), ("remove", [:])] {
      let parameters = more.merging(["id": .id(occurrence.chore)]) { $1 }
      #expect(
        reason { try world.call(people[0], "chores.\(method)", in: .household(home), .object(parameters)) }
          == "forbidden/birthday")
    }
  }

  @Test("CHO-21: it follows the date and the membership; who joins hears of what is still to come")
  func follows() throws {
    try world.signUp("Ana", birthday: "2000-02-29")
    let people = try world.household(of: "Ana", "Ben")
    #expect(try open().map(\.value.date) == [LocalDay("2026-02-28")])
    try world.call(people[0], "profile.update", ["birthday": "1999-02-15"])
    #expect(try open().map(\.value.date) == [LocalDay("2026-02-15")])
    world.advance(try local("2026-02-10", "12:00") - world.now)
    #expect(try birthdays(people[1]) == [local("2026-02-08", "09:00")])
    let cem = try world.signUp("Cem", birthday: "1990-07-01")
    try world.join([cem], home)
    #expect(try open().count == 2 && birthdays(cem).isEmpty)
    world.advance(try local("2026-02-16", "12:00") - world.now)
    #expect(try birthdays(cem).count == 2 && birthdays(people[1]).count == 3)
    try world.call(people[0], "members.leave", in: .household(home))
    #expect(try open().map(\.value.people) == [[people[1]]] && world.home().membership.members.count == 2)
    try world.call(cem, "profile.update", ["birthday": .null])
    #expect(try open().isEmpty)
  }

  @Test("CHO-21: 29 February is the 28th, and the 29th again in a leap year")
  func leap() throws {
    try world.signUp("Ana", birthday: "2000-02-29")
    let people = try world.household(of: "Ana", "Ben")
    var days: [String] = []
    for _ in 0..<4 {
      let (id, occurrence) = try #require(try open().first)
      days.append(occurrence.date?.text ?? "")
      try world.call(people[1], "chores.complete", in: .household(home), ["id": .id(id)])
    }
    #expect(days == ["2026-02-28", "2027-02-28", "2028-02-29", "2029-02-28"])
  }
}

@Suite("Stock")
struct StockTests {
  @Test("CHO-25: what is out goes on everybody's list once, whoever says so, and not if it is there already")
  func out() throws {
    let house = try ChoreWorld("Ana", "Ben")
    func set(_ person: Int, _ name: String, _ level: String) throws -> JSON? {
      try house.call(person, "stock.set", ["name": .string(name), "level": .string(level)])["grocery"]
    }
    func lines() throws -> [String] { try house.state.groceries.list.groceries.values.map(\.name) }
    #expect(try set(0, "Salt", "low") == nil && lines() == [])
    #expect(try set(1, "salt", "out") != nil && set(0, "SALT", "out") == nil && lines() == ["salt"])
    #expect(try house.state.stock.stock.count == 1)
    try house.call(0, "groceries.add", ["name": "Rice"])
    #expect(try set(0, "rice", "out") == nil && lines().count == 2)
    // Bought and used up again.
    #expect(try set(0, "salt", "in") == nil)
    let line = try #require(try house.state.groceries.list.groceries.first { $0.value.name == "salt" }).key
    try house.call(0, "groceries.check", ["id": .id(line), "checked": true])
    #expect(try set(0, "salt", "out") != nil)
    try house.call(0, "stock.remove", ["name": "Salt"])
    #expect(house.refused { try house.call(0, "stock.remove", ["name": "Salt"]) } == "notFound/gone")
  }
}
