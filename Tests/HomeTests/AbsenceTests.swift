import JSON
import Rooms
import Testing

@testable import Home

@Suite("Absences")
struct AbsenceTests {
  let id = ID<Household>(high: 0xB000, low: 1)
  /// It begins on 2026-02-02 in Berlin, where the household is.
  let world = World()

  func away(_ person: ID<Person>, _ from: String, _ to: String, _ more: [String: JSON] = [:]) throws {
    let days: [String: JSON] = ["from": .string(from), "to": .string(to)]
    try world.call(person, "members.away", in: .household(id), .object(days.merging(more) { $1 }))
  }

  func absence(of person: ID<Person>) throws -> Absence? { try world.home().membership.members[person]?.away }

  @Test("HH-12: a member is away from the first to the last day, and back by themselves when that is over")
  func lasts() throws {
    let people = try world.household(of: "Ana", "Ben")
    try away(people[0], "2026-02-03", "2026-02-05", ["delegate": .id(people[1])])
    let absence = try #require(try absence(of: people[0]))
    #expect(absence.from.text == "2026-02-03" && absence.to.text == "2026-02-05" && absence.delegate == people[1])
    let home = try world.home()
    let days = (2...6).map { home.isAway(people[0], on: LocalDay("2026-02-0\($0)") ?? LocalDay()) }
    #expect(days == [false, true, true, true, false])
    #expect(!home.isAway(people[1], on: absence.from), "the stand-in is there")
    #expect(world.state(of: try #require(world.rooms[.household(id)]))["absenceEnds"] == nil)
    let end = try #require(Instant("2026-02-05T23:00:00Z"))
    world.advance(end - world.now - .milliseconds(1))
    #expect(try self.absence(of: people[0]) == absence)
    world.advance(.milliseconds(1))
    #expect(try self.absence(of: people[0]) == nil && world.home().membership.absenceEnds.isEmpty)
  }

  @Test("HH-12: an absence may be changed, and ended before its time")
  func back() throws {
    let people = try world.household(of: "Ana", "Ben")
    try away(people[0], "2026-02-03", "2026-02-05", ["delegate": .id(people[1])])
    try away(people[0], "2026-02-02", "2026-02-20")
    #expect(try absence(of: people[0])?.to.text == "2026-02-20" && absence(of: people[0])?.delegate == nil)
    world.advance(.seconds(10 * 86_400))
    #expect(try absence(of: people[0]) != nil)
    for _ in 1...2 { try world.call(people[0], "members.back", in: .household(id)) }
    #expect(try absence(of: people[0]) == nil && world.home().membership.absenceEnds.isEmpty)
  }

  @Test("HH-12: a member is told that they stand in, and once more only after another one did")
  func standIn() throws {
    let people = try world.household(of: "Ana", "Ben", "Cem")
    /// When a member was told last.
    func told(_ person: ID<Person>) throws -> Instant? {
      try world.me(person).inbox.notifications.values.filter { $0.kind == .standIn && $0.actor == people[0] }
        .map(\.at).max()
    }
    func name(_ person: Int?, until day: String = "2026-02-09") throws {
      world.advance(.seconds(1))
      try away(people[0], "2026-02-03", day, person.map { ["delegate": .id(people[$0])] } ?? [:])
    }
    try name(1, until: "2026-02-05")
    let first = world.now
    try name(1)
    #expect(try told(people[1]) == first && told(people[2]) == nil && told(people[0]) == nil)
    try name(2)
    #expect(try told(people[2]) == world.now)
    try name(nil)
    try name(1)
    #expect(try told(people[1]) == world.now)
  }

  @Test("HH-12: the days are in the past, in order, and not too far away, and a member stands in")
  func refused() throws {
    let people = try world.household(of: "Ana", "Ben")
    let stranger = try world.signUp("Cem")
    for (from, to, field) in [
      ("2026-02-04", "2026-02-03", "to"), ("2026-01-30", "2026-02-01", "to"), ("2026-02-04", "2027-02-04", "to"),
      ("2026-02-29", "2026-03-03", "from"), ("2026-02-03", "tomorrow", "to"), ("2026-02-03", "2026-02-3", "to"),
    ] {
      let found = refusal { try away(people[0], from, to) }
      #expect(found?.fields.map(\.path) == [field], "\(from) to \(to)")
    }
    func standIn(_ person: ID<Person>) -> String? {
      reason { try away(people[0], "2026-02-03", "2026-02-05", ["delegate": .id(person)]) }
    }
    #expect(standIn(people[0]) == "conflict/yourself" && standIn(stranger) == "notFound/gone")
    #expect(try absence(of: people[0]) == nil)
    try away(people[0], "2026-01-30", "2027-02-03")
    #expect(reason { try away(stranger, "2026-02-03", "2026-02-05") } == "notFound/room")
  }

  @Test("HH-12, HH-18: a household that moves to another zone keeps the days")
  func zone() throws {
    let ana = try world.household(of: "Ana")[0]
    try away(ana, "2026-02-03", "2026-02-05")
    try world.call(ana, "households.update", in: .household(id), ["timeZone": "America/New_York"])
    let end = try #require(Instant("2026-02-06T05:00:00Z"))
    world.advance(end - world.now - .milliseconds(1))
    #expect(try absence(of: ana) != nil)
    world.advance(.milliseconds(1))
    #expect(try absence(of: ana) == nil)
  }

  @Test("HH-10, HH-12: a member who leaves is no longer away or a stand-in, also if they come back")
  func leaves() throws {
    let people = try world.household(of: "Ana", "Ben", "Cem")
    try away(people[0], "2026-02-03", "2026-02-05", ["delegate": .id(people[1])])
    try away(people[1], "2026-02-03", "2026-02-05")
    try world.call(people[1], "members.leave", in: .household(id))
    #expect(try absence(of: people[0])?.delegate == nil && absence(of: people[0])?.to.text == "2026-02-05")
    #expect(try Array(world.home().membership.absenceEnds.keys) == [people[0]])
    try world.join([people[1]], id)
    #expect(try absence(of: people[1]) == nil)
  }

  @Test(
    "HH-12: a day ends at midnight of the zone, whatever its clocks do then",
    arguments: [
      ("Europe/Berlin", "2026-03-28", "2026-03-28T23:00:00Z"),
      ("Europe/Berlin", "2026-03-29", "2026-03-29T22:00:00Z"),
      ("Europe/Berlin", "2026-10-25", "2026-10-25T23:00:00Z"),
      ("America/Santiago", "2026-09-05", "2026-09-06T04:00:00Z"),
      ("Pacific/Kiritimati", "2026-02-02", "2026-02-02T10:00:00Z"),
      ("UTC", "2026-12-31", "2027-01-01T00:00:00Z"),
      ("Asia/Kathmandu", "2024-02-29", "2024-02-29T18:15:00Z"),
      ("Pacific/Pago_Pago", "2026-02-02", "2026-02-03T11:00:00Z"),
    ])
  func days(zone: String, day: String, end: String) throws {
    let instant = try #require(Instant(end))
    let (local, clocks) = (try #require(LocalDay(day)), ZoneTime(zone))
    #expect(clocks.end(of: local) == instant)
    #expect(clocks.day(at: instant - .milliseconds(1)) == local)
    #expect(clocks.day(at: instant) == local.adding(1))
  }
}
