import JSON
import Rooms
import Testing

@testable import Home

@Suite("Due times of chores")
struct ChoreDueTests {
  let house: ChoreWorld
  init() throws { house = try ChoreWorld("Ana", "Ben", "Cem") }

  private func reminders(_ person: Int) throws -> [Instant] {
    try house.world.me(house.people[person]).inbox.notifications.values.filter { $0.kind == .choreDue }.map(\.at)
      .sorted()
  }

  @Test(
    "CHO-16: on its day a chore's assignee is reminded at nine, or at their own hour in their own zone, and nobody else"
  )
  func remind() throws {
    try house.world.call(house.people[2], "settings.edit", ["hour": "07:30", "timeZone": "America/New_York"])
    try house.add(["name": "Bins", "date": "2026-02-05", "people": [house.person(1), house.person(2)], "urgent": true])
    try house.go(to: "2026-02-05", "08:59")
    #expect(try reminders(1).isEmpty)
    try house.go(to: "2026-02-06", "00:00")
    #expect(try reminders(1) == [local("2026-02-05", "09:00")])
    #expect(try reminders(2) == [local("2026-02-05", "07:30", in: "America/New_York")] && reminders(0).isEmpty)
    let told = try #require(
      try house.world.me(house.people[1]).inbox.notifications.values.first { $0.kind == .choreDue })
    #expect(try told.until == local("2026-02-06", "00:00") && told.name == "Bins" && told.isUrgent == true)
  }

  @Test("CHO-16: a chore assigned after the hour, or due before it, comes at once as long as its time is ahead")
  func late() throws {
    try house.go(to: "2026-02-05", "12:00")
    let now = house.world.now
    try house.add(["name": "Today", "date": "2026-02-05", "people": [house.person(1)]])
    try house.add(["name": "Over", "date": "2026-02-05", "time": "11:00", "people": [house.person(1)]])
    house.world.advance(.seconds(0))
    #expect(try reminders(1) == [now])
    try house.add(["name": "Early", "date": "2026-02-07", "time": "06:00", "people": [house.person(1)]])
    try house.go(to: "2026-02-08")
    #expect(try reminders(1) == [now, local("2026-02-07", "00:00")])
  }

  @Test("CHO-16: the hour chosen later counts for what is still to come; after a downtime the reminder comes once")
  func hour() throws {
    try house.add(["name": "Bins", "date": "2026-02-05", "people": [house.person(1)]])
    try house.world.call(house.people[1], "settings.edit", ["hour": "20:00"])
    try house.go(to: "2026-02-05", "19:59")
    #expect(try reminders(1).isEmpty)
    house.world.now = try local("2026-02-09", "10:00")
    house.world.advance(.seconds(1))
    #expect(try reminders(1) == [local("2026-02-05", "20:00")])
    house.world.advance(.seconds(3600))
    #expect(try reminders(1).count == 1)
  }

  @Test("CHO-16, REM-6: a completion by anyone closes the reminder, and takes away one that is still to come")
  func resolve() throws {
    let first = try house.add(["name": "Bins", "date": "2026-02-05", "people": [house.person(1)]])
    let second = try house.add(["name": "Mop", "date": "2026-02-09", "people": [house.person(1)]])
    try house.go(to: "2026-02-05", "10:00")
    #expect(try house.unread(1).contains(.choreDue))
    try house.complete(first, by: 2)
    try house.complete(second, by: 0)
    #expect(try !house.unread(1).contains(.choreDue) && house.world.me(house.people[1]).reminders.reminders.isEmpty)
    try house.go(to: "2026-02-10")
    #expect(try reminders(1).count == 1)
  }

  @Test("CHO-17: a reminder is put off up to three times, and comes back at its time")
  func snooze() throws {
    try house.add(["name": "Bins", "date": "2026-02-05", "people": [house.person(1)]])
    try house.go(to: "2026-02-05", "09:00")
    func snooze(_ minutes: Int) throws -> JSON {
      let inbox = try house.world.me(house.people[1]).inbox.notifications
      let id = try #require(inbox.filter { $0.value.kind == .choreDue }.max { $0.value.at < $1.value.at }).key
      return try house.world.call(
        house.people[1], "inbox.snooze", ["id": .id(id), "minutes": .number(.init(minutes))])
    }
    #expect(reason { try snooze(14) } == "invalidParams/invalidParams")
    for count in 1...3 {
      #expect(try snooze(15)["at"] == .at(house.world.now + .seconds(900)) && !house.unread(1).contains(.choreDue))
      house.world.advance(.seconds(900))
      #expect(try reminders(1).count == count + 1 && house.unread(1).contains(.choreDue))
    }
    #expect(reason { try snooze(15) } == "conflict/snoozed")
    let added = try #require(
      try house.world.me(house.people[1]).inbox.notifications.first { $0.value.kind == .choreAdded }
    ).key
    #expect(
      reason { try house.world.call(house.people[1], "inbox.snooze", ["id": .id(added), "minutes": 15]) }
        == "notFound/gone")
  }

  @Test("CHO-13, CHO-23: past its grace a chore is overdue; if nobody has claimed it all are told, once")
  func overdue() throws {
    let id = try house.add(["name": "Bins", "date": "2026-02-05", "time": "18:00", "graceHours": 2, "strategy": "open"])
    let mine = try house.add(["name": "Mop", "date": "2026-02-05", "people": [house.person(1)]])
    try house.go(to: "2026-02-05", "19:59")
    #expect(try house.occurrence(id).isOverdue == nil)
    try house.go(to: "2026-02-05", "20:00")
    #expect(try house.occurrence(id).isOverdue == true && house.unread(0).contains(.choreUnclaimed))
    try house.go(to: "2026-02-09")
    #expect(try house.unread(2).filter { $0 == .choreUnclaimed }.count == 1 && house.occurrence(mine).isOverdue == true)
    try house.complete(id, by: 2)
    #expect(try !house.unread(0).contains(.choreUnclaimed) && house.records.last?.isLate == true)
  }

  @Test("CHO-23: a chore that skips itself goes on to its next turn, also after a downtime, and counts what was missed")
  func skipsItself() throws {
    let id = try house.add(
      [
        "name": "Bins", "date": "2026-02-05", "repeat": ["every": 1, "unit": "days"], "strategy": "roundRobin",
        "skipsItself": true, "graceHours": 1,
      ])
    let chore = try house.chore(of: id).id
    house.world.now = try local("2026-02-10", "12:00")
    house.world.advance(.seconds(1))
    let open = try #require(try house.state.chores.occurrence(of: chore))
    #expect(open.value.date == LocalDay("2026-02-10") && house.records.map(\.kind) == [.missed])
    #expect(try house.state.chores.chores[chore]?.missed == 5 && house.records.first?.missed == 4)
    #expect(try house.turn(open.key) == [1])
    #expect(house.refused { try house.complete(id, by: 0) } == "conflict/alreadyDone")
  }

  @Test("R-034: a daily 02:30 comes once on each day of a change of clocks, and reminders keep their hour")
  func clocks() throws {
    var id = try house.add(
      [
        "name": "Boiler", "date": "2026-03-28", "time": "02:30", "repeat": ["every": 1, "unit": "days"],
        "people": [house.person(1)],
      ])
    var times: [String] = []
    for _ in 0..<3 {
      times.append(try #require(try house.occurrence(id).dueAt).description)
      id = try #require(try house.complete(id, by: 1))
    }
    #expect(times == ["2026-03-28T01:30:00.000Z", "2026-03-29T01:00:00.000Z", "2026-03-30T00:30:00.000Z"])
    try house.add(["name": "Nine", "date": "2026-03-29", "people": [house.person(2)]])
    try house.go(to: "2026-03-30", "12:00")
    #expect(try reminders(2) == [local("2026-03-29", "09:00")])
  }

  @Test("HH-18: in another zone of the household a chore keeps its wall time")
  func zone() throws {
    let id = try house.add(["name": "Bins", "date": "2026-02-05", "time": "18:00", "people": [house.person(1)]])
    try house.call(0, "households.update", ["timeZone": "America/New_York"])
    #expect(try house.occurrence(id).dueAt == local("2026-02-05", "18:00", in: "America/New_York"))
    // Overdue in Tokyo, it is not in New York.
    try house.call(0, "households.update", ["timeZone": "Asia/Tokyo"])
    try house.go(to: "2026-02-05", "18:01", in: "Asia/Tokyo")
    #expect(try house.occurrence(id).isOverdue == true)
    try house.call(0, "households.update", ["timeZone": "America/New_York"])
    #expect(try house.occurrence(id).isOverdue == nil)
    try house.go(to: "2026-02-07")
    #expect(try reminders(1).last == local("2026-02-05", "09:00", in: "America/New_York"))
  }

  @Test("R-REC: after new zone data all open due times are worked out again")
  func zoneData() throws {
    let id = try house.add(["name": "Bins", "date": "2026-02-05", "time": "18:00"])
    var home = try house.state
    #expect(home.chores.upkeep.value.zoneData == ZoneTime.dataVersion)
    home.chores.upkeep.value.zoneData = "1999a"
    home.chores.occurrences[id]?.dueAt = try local("2026-02-05", "17:00")
    home.chores.planAgain()
    #expect(home.chores.due.at == Instant(milliseconds: 0), "it is due as soon as the room is loaded")
  }

  @Test("CHO-16: a household with 500 chores has nothing to do until the first is due, and then only that")
  func many() throws {
    house.world.checksStates = false
    for number in 0..<500 {
      try house.add(["name": .string("Chore \(number)"), "date": "2026-05-01", "people": [house.person(number % 3)]])
    }
    #expect(try house.state.chores.due.at == local("2026-05-02", "00:00"))
    // The join codes of the beginning expire.
    try house.go(to: "2026-02-20")
    let count = try #require(house.world.patches[house.home]).count
    try house.go(to: "2026-04-30")
    // Each day the room forgets old ids, of which nobody hears.
    #expect(house.world.patches[house.home]?.dropFirst(count).allSatisfy { $0 == [:] } == true)
  }
}
