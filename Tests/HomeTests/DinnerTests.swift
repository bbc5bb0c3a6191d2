import JSON
import Rooms
import TestSupport
import Testing

@testable import Home

@Suite("Dinner")
struct DinnerTests {
  let id = ID<Household>(high: 0xB000, low: 1)
  let world = World()

  var room: RoomID { .household(id) }

  /// Moves the clock to an instant in UTC.
  func go(to instant: String) throws { world.advance(try #require(Instant(instant)) - world.now) }

  @discardableResult
  func set(_ person: ID<Person>, _ parameters: JSON) throws -> JSON {
    try world.call(person, "dinner.set", in: room, parameters)
  }

  func pattern(_ person: ID<Person>, _ days: JSON) throws {
    try world.call(person, "dinner.pattern", in: room, ["days": days])
  }

  func counts(_ person: ID<Person>, _ parameters: JSON = [:]) throws -> JSON {
    try world.call(person, "dinner.counts", in: room, parameters)
  }

  /// A member's part in the evenings that are over.
  func count(of person: ID<Person>) throws -> JSON? { try counts(person)["members"]?[person.description] }

  func answer(of person: ID<Person>, on day: String) throws -> Attendance? {
    try world.home().dinner.days[try #require(LocalDay(day))]?.answers[person]
  }

  /// How often a person was told of a late change.
  func told(_ person: ID<Person>) throws -> Int {
    try world.me(person).inbox.notifications.values.count { $0.kind == .dinner }
  }

  static let everyDay: JSON = .object(
    Dictionary(uniqueKeysWithValues: Weekday.allCases.map { ($0.rawValue, JSON.string("in")) }))

  // MARK: answers

  @Test("DIN-1, DIN-4: who eats, who cooks and who has not said is in the state, and adds up with the guests")
  func tonight() throws {
    let people = try world.household(of: "Ana", "Ben", "Cem", "Dan")
    try go(to: "2026-02-02T11:00:00Z")
    try set(people[0], ["eats": "in", "guests": 2])
    try set(people[1], ["eats": "out"])
    let answer = try set(people[2], ["person": .id(people[3]), "eats": "in", "cook": true])
    #expect(answer == ["date": "2026-02-02", "eating": 4])
    let found = try counts(people[1])
    #expect(found["eating"] == 4 && found["unknown"] == [.id(people[2])] && found["cooks"] == [.id(people[3])])
    let state = world.state(of: try #require(world.rooms[room]))["dinner"]?["2026-02-02"]?["answers"]
    let at: JSON = .at(world.now)
    #expect(state?[people[0].description] == ["eats": "in", "guests": 2, "at": at])
    #expect(state?[people[1].description] == ["eats": "out", "at": at])
    #expect(state?[people[3].description] == ["eats": "in", "cook": true, "at": at, "by": .id(people[2])])
  }

  @Test("DIN-1: what a call leaves out stays, guests come to one who eats, and one who is out neither cooks nor hosts")
  func changes() throws {
    let ana = try world.household(of: "Ana")[0]
    try go(to: "2026-02-02T11:00:00Z")
    let steps: [(JSON, JSON)] = [
      (["cook": true], ["cook": true]), (["guests": 3], ["eats": "in", "guests": 3, "cook": true]),
      (["cook": false], ["eats": "in", "guests": 3]), (["guests": 0, "cook": true], ["eats": "in", "cook": true]),
      (["guests": 1, "eats": "in"], ["eats": "in", "guests": 1, "cook": true]), (["eats": "out"], ["eats": "out"]),
      (["eats": "out", "cook": true], ["eats": "out", "cook": true]),
      (["eats": "unknown"], ["eats": "unknown", "cook": true]),
      (["guests": 4], ["eats": "in", "guests": 4, "cook": true]),
      (["eats": .null], ["cook": true]),
    ]
    for (call, expected) in steps {
      try set(ana, call)
      let answers = world.state(of: try #require(world.rooms[room]))["dinner"]?["2026-02-02"]?["answers"]
      #expect(answers?[ana.description] == expected.adding(["at": .at(world.now)]), "\(call.text)")
    }
    try set(ana, ["cook": false])
    #expect(try world.home().dinner.days.isEmpty, "an answer that says nothing is none")
  }

  @Test("DIN-1: two people at once change different things of one answer, and the same call again changes nothing")
  func atOnce() throws {
    let people = try world.household(of: "Ana", "Ben", "Cem")
    try go(to: "2026-02-02T11:00:00Z")
    try set(people[0], ["person": .id(people[2]), "guests": 1])
    let first = try #require(try answer(of: people[2], on: "2026-02-02"))
    world.advance(.seconds(60))
    try set(people[1], ["person": .id(people[2]), "guests": 1])
    #expect(try answer(of: people[2], on: "2026-02-02") == first, "nobody has changed it since")
    try set(people[1], ["person": .id(people[2]), "cook": true])
    let second = try #require(try answer(of: people[2], on: "2026-02-02"))
    #expect(second.guests == 1 && second.cook == true && second.by == people[1] && second.at == world.now)
    // Several may cook.
    try set(people[0], ["cook": true])
    #expect(try counts(people[0])["cooks"] == [.id(people[0]), .id(people[2])])
  }

  @Test("DIN-1, HH-15: everybody in the household may answer, also for another member, and nobody else may")
  func persons() throws {
    let people = try world.household(of: "Ana", "Ben")
    let stranger = try world.signUp("Cem")
    #expect(reason { try set(people[0], ["person": .id(stranger), "eats": "in"]) } == "notFound/gone")
    #expect(reason { try set(stranger, ["eats": "in"]) } == "notFound/room")
    #expect(reason { try pattern(stranger, Self.everyDay) } == "notFound/room")
    #expect(reason { try counts(stranger) } == "notFound/room")
  }

  @Test("DIN-1: one error names every bad field")
  func badFields() throws {
    let ana = try world.household(of: "Ana")[0]
    func fields(_ call: JSON) -> [String]? { refusal { try set(ana, call) }?.fields.map(\.path).sorted() }
    #expect(fields(["date": "2027-01-01", "eats": "out", "guests": 1]) == ["date", "guests"])
    let bad: JSON = ["date": "tomorrow", "eats": "maybe", "guests": 10, "cook": 1]
    #expect(fields(bad) == ["cook", "date", "eats", "guests"])
    #expect(fields(["eats": .null, "guests": 1]) == ["guests"])
    #expect(fields(["guests": -1]) == ["guests"])
    #expect(refusal { try pattern(ana, ["monday": "in", "someday": "in"]) }?.fields.map(\.path) == ["days.someday"])
    #expect(refusal { try counts(ana, ["date": "2025-01-01"]) }?.fields.map(\.path) == ["date"])
    #expect(try world.home().dinner.days.isEmpty && world.home().dinner.patterns.isEmpty)
  }

  // MARK: the cut-off

  @Test("DIN-2, R-044: an answer after 17:00 is late, and the cook is told once if it alters how many eat")
  func cutOff() throws {
    let people = try world.household(of: "Ana", "Ben", "Cem")
    try go(to: "2026-02-02T15:59:59Z")
    try set(people[0], ["eats": "in", "cook": true])
    #expect(try set(people[1], ["eats": "in"])["late"] == nil)
    try go(to: "2026-02-02T16:00:00Z")
    #expect(try set(people[1], ["guests": 1])["late"] == nil)
    #expect(try told(people[0]) == 0)
    try go(to: "2026-02-02T16:00:01Z")
    let answer = try set(people[1], ["guests": 2])
    #expect(answer == ["date": "2026-02-02", "late": true, "eating": 4])
    #expect(try self.answer(of: people[1], on: "2026-02-02")?.isLate == true)
    #expect(try told(people[0]) == 1 && told(people[1]) == 0 && told(people[2]) == 0)
    let notification = try #require(try world.me(people[0]).inbox.notifications.values.first { $0.kind == .dinner })
    #expect(notification.ref == people[1].cast() && notification.actor == people[1] && notification.actorName == "Ben")
    // The same again, and what alters nothing, tell nobody.
    try set(people[1], ["guests": 2])
    try set(people[2], ["eats": "out"])
    try set(people[2], ["cook": true])
    #expect(try told(people[0]) == 1)
    // An answer taken back is late, too.
    world.advance(.seconds(60))
    try set(people[1], ["eats": .null])
    #expect(try told(people[0]) == 2 && self.answer(of: people[1], on: "2026-02-02")?.isLate == true)
    // Tomorrow's dinner is not late.
    #expect(try set(people[1], ["date": "2026-02-03", "eats": "in"])["late"] == nil)
  }

  @Test("DIN-2: cooks are not told of what they do themselves, and each of several is told of the rest")
  func cooks() throws {
    let people = try world.household(of: "Ana", "Ben", "Cem")
    try go(to: "2026-02-02T11:00:00Z")
    for person in people.prefix(2) { try set(person, ["eats": "in", "cook": true]) }
    try go(to: "2026-02-02T20:00:00Z")
    try set(people[0], ["person": .id(people[2]), "eats": "in"])
    #expect(try told(people[0]) == 0 && told(people[1]) == 1)
    // A cook who is signed off by another hears of it.
    try set(people[2], ["person": .id(people[1]), "eats": "out"])
    #expect(try told(people[0]) == 1 && told(people[1]) == 2)
    try world.call(people[0], "settings.edit", ["muted": ["dinner": true]])
    try set(people[2], ["guests": 9])
    let muted = try world.me(people[0]).inbox.notifications.values.filter { $0.kind == .dinner && $0.readAt != nil }
    #expect(muted.count == 1)
  }

  @Test("DIN-2, HH-18: the cut-off is a setting of the household, from 04:00 on, for those who may change settings")
  func setting() throws {
    let people = try world.household(of: "Ana", "Ben")
    func setCutoff(_ person: ID<Person>, _ time: JSON) throws {
      try world.call(person, "households.update", in: room, ["dinnerCutoff": time])
    }
    #expect(reason { try setCutoff(people[1], "12:30") } == "forbidden/forbidden")
    for time in ["03:59", "24:00", "noon"] as [JSON] {
      #expect(refusal { try setCutoff(people[0], time) }?.fields.map(\.path) == ["dinnerCutoff"])
    }
    try setCutoff(people[0], "04:00")
    try setCutoff(people[0], "12:30")
    try go(to: "2026-02-02T11:30:00Z")
    #expect(try set(people[1], ["eats": "in"])["late"] == nil)
    try go(to: "2026-02-02T11:30:01Z")
    #expect(try set(people[1], ["eats": "out"])["late"] == true)
  }

  // MARK: days

  @Test(
    "DIN-3, R-044: the dinner day is the household's wall-clock date four hours back, also in the nights of a change",
    arguments: [
      ("Australia/Sydney", "2026-02-10T09:00:00Z", "2026-02-10"),
      ("Australia/Sydney", "2026-02-10T16:59:59Z", "2026-02-10"),
      ("Australia/Sydney", "2026-02-10T17:00:00Z", "2026-02-11"),
      ("America/Los_Angeles", "2026-02-11T04:00:00Z", "2026-02-10"),
      ("America/Los_Angeles", "2026-02-11T11:59:59Z", "2026-02-10"),
      ("America/Los_Angeles", "2026-02-11T12:00:00Z", "2026-02-11"),
      // Clocks go forward at 02:00 to 03:00, and back at 03:00 to 02:00.
      ("America/Los_Angeles", "2026-03-08T10:59:59Z", "2026-03-07"),
      ("America/Los_Angeles", "2026-03-08T11:00:00Z", "2026-03-08"),
      ("Australia/Sydney", "2026-04-04T17:59:59Z", "2026-04-04"),
      ("Australia/Sydney", "2026-04-04T18:00:00Z", "2026-04-05"),
      ("Europe/Berlin", "2026-03-29T01:59:59Z", "2026-03-28"),
      ("Europe/Berlin", "2026-03-29T02:00:00Z", "2026-03-29"),
    ])
  func dayBoundary(zone: String, instant: String, day: String) throws {
    let people = try world.household(of: "Ana", "Ben")
    try world.call(people[0], "households.update", in: room, ["timeZone": .string(zone)])
    // The member's own zone does not matter.
    try world.call(people[1], "settings.edit", ["timeZone": "Asia/Tokyo"])
    try go(to: instant)
    #expect(try set(people[1], ["eats": "in"])["date"] == .string(day))
    let tonight = try #require(LocalDay(day))
    for (offset, isTaken) in [(-1, false), (0, true), (14, true), (15, false)] {
      let date: JSON = .string(tonight.adding(offset).text)
      let found = refusal { try set(people[1], ["date": date, "eats": "out"]) }
      #expect(found?.fields.map(\.path) == (isTaken ? nil : ["date"]), "\(offset)")
    }
  }

  @Test(
    "DIN-2, R-044: the cut-off is on the date of the dinner, whatever clocks did in the night before",
    arguments: [
      ("Australia/Sydney", "2026-04-05T07:00:00Z"), ("America/Los_Angeles", "2026-03-09T00:00:00Z"),
      ("Europe/Berlin", "2026-10-25T16:00:00Z"),
    ])
  func cutOffInZones(zone: String, instant: String) throws {
    let people = try world.household(of: "Ana", "Ben")
    try world.call(people[0], "households.update", in: room, ["timeZone": .string(zone)])
    try go(to: instant)
    #expect(try set(people[0], ["eats": "in"])["late"] == nil)
    world.advance(.milliseconds(1))
    #expect(try set(people[0], ["eats": "out"])["late"] == true)
    // After midnight it is still late for the evening before.
    world.advance(.seconds(9 * 3600))
    #expect(try set(people[0], ["eats": "in"])["late"] == true)
  }

  @Test("DIN-3: nothing is written when the day changes, and old days are dropped into the counts after 60 days")
  func oldDays() throws {
    let people = try world.household(of: "Ana", "Ben")
    try go(to: "2026-02-02T11:00:00Z")
    try set(people[0], ["eats": "in", "guests": 2, "cook": true])
    try set(people[1], ["eats": "out"])
    func changes() -> Int { (world.patches[room] ?? []).count { $0["dinner"] != nil } }
    let before = changes()
    try go(to: "2026-04-03T11:00:00Z")
    #expect(changes() == before)
    let counted: JSON = ["ate": 1, "guests": 2, "cooked": 1]
    #expect(try world.home().dinner.days.count == 1 && count(of: people[0]) == counted)
    try go(to: "2026-04-04T16:00:00Z")
    #expect(try world.home().dinner.days.isEmpty && count(of: people[0]) == counted)
    #expect(try count(of: people[1]) == ["ate": 0, "guests": 0, "cooked": 0])
    #expect(world.state(of: try #require(world.rooms[room]))["dinnerCounts"] == nil)
    #expect(try world.isRestorable(room))
  }

  @Test("DIN-3: days that fell due while the server was down are counted once")
  func downtime() throws {
    let ana = try world.household(of: "Ana")[0]
    try go(to: "2026-02-02T11:00:00Z")
    try pattern(ana, Self.everyDay)
    try set(ana, ["eats": "out", "date": "2026-02-04"])
    // Nothing runs for 200 days.
    world.now = world.now + .seconds(200 * 86_400)
    #expect(try count(of: ana)?["ate"] == 199)
    world.advance(.zero)
    #expect(try count(of: ana)?["ate"] == 199 && world.home().dinner.days.isEmpty)
    world.advance(.seconds(86_400))
    #expect(try count(of: ana)?["ate"] == 200)
  }

  // MARK: patterns

  @Test("DIN-1: an evening without an answer is as the member's pattern says, and an answer counts more")
  func patterns() throws {
    let ana = try world.household(of: "Ana")[0]
    try go(to: "2026-02-02T11:00:00Z")
    try pattern(ana, ["monday": "in", "tuesday": "out", "friday": "in", "sunday": "unknown"])
    let kept = try #require(try world.home().dinner.patterns[ana])
    #expect(kept.days == [.monday: .in, .tuesday: .out, .friday: .in] && kept.from.text == "2026-02-02")
    func eating(_ date: String) throws -> (JSON?, JSON?) {
      let found = try counts(ana, ["date": .string(date)])
      return (found["eating"], found["unknown"])
    }
    #expect(try eating("2026-02-02") == (1, []) && eating("2026-02-03") == (0, []))
    #expect(try eating("2026-02-04") == (0, [.id(ana)]) && eating("2026-02-06") == (1, []))
    try set(ana, ["date": "2026-02-06", "eats": "unknown"])
    #expect(try eating("2026-02-06") == (0, [.id(ana)]) && eating("2026-02-13") == (1, []))
    // It says nothing of the evenings before it.
    #expect(try eating("2026-01-26") == (0, [.id(ana)]))
    try pattern(ana, [:])
    #expect(try world.home().dinner.patterns.isEmpty && eating("2026-02-09") == (0, [.id(ana)]))
  }

  @Test("DIN-1, DIN-4: another pattern leaves the evenings that are over as they were")
  func newPattern() throws {
    let ana = try world.household(of: "Ana")[0]
    try go(to: "2026-02-02T11:00:00Z")
    try pattern(ana, Self.everyDay)
    try set(ana, ["date": "2026-02-04", "eats": "out"])
    try go(to: "2026-02-06T11:00:00Z")
    try pattern(ana, ["friday": "in"])
    #expect(try count(of: ana)?["ate"] == 3)
    #expect(try answer(of: ana, on: "2026-02-05")?.eats == .in && answer(of: ana, on: "2026-02-06") == nil)
    try go(to: "2026-02-20T11:00:00Z")
    #expect(try count(of: ana)?["ate"] == 5)
    // After the cut-off a pattern begins tomorrow.
    try go(to: "2026-02-20T17:00:00Z")
    try pattern(ana, [:])
    #expect(try counts(ana)["eating"] == 1)
    try go(to: "2026-03-20T11:00:00Z")
    #expect(try count(of: ana)?["ate"] == 6 && counts(ana)["eating"] == 0)
  }

  // MARK: absences and leaving

  @Test("DIN-4, HH-12: a member who is away is out, whatever they have said, and stays so in the counts")
  func away() throws {
    let people = try world.household(of: "Ana", "Ben")
    try go(to: "2026-02-02T11:00:00Z")
    try pattern(people[0], Self.everyDay)
    try set(people[0], ["date": "2026-02-04", "guests": 2, "cook": true])
    try world.call(people[0], "members.away", in: room, ["from": "2026-02-03", "to": "2026-02-05"])
    let found = try counts(people[1], ["date": "2026-02-04"])
    #expect(found["eating"] == 0 && found["cooks"] == [] && found["unknown"] == [.id(people[1])])
    for call in [["eats": "in"], ["cook": true]] as [JSON] {
      let refused = reason { try set(people[1], call.adding(["date": "2026-02-05", "person": .id(people[0])])) }
      #expect(refused == "conflict/away")
    }
    try set(people[0], ["date": "2026-02-06", "eats": "out"])
    // Before 04:00 it is still the evening of the absence's last day.
    try go(to: "2026-02-06T00:30:00Z")
    #expect(try world.home().membership.members[people[0]]?.away == nil && counts(people[1])["eating"] == 0)
    try go(to: "2026-02-08T11:00:00Z")
    #expect(try count(of: people[0]) == ["ate": 2, "guests": 0, "cooked": 0], "the 2nd and the 7th")
  }

  @Test("DIN-4, HH-12: one who comes back early has missed the evenings until then, and eats again")
  func backEarly() throws {
    let people = try world.household(of: "Ana", "Ben")
    try go(to: "2026-02-02T11:00:00Z")
    try pattern(people[0], Self.everyDay)
    try world.call(people[0], "members.away", in: room, ["from": "2026-02-03", "to": "2026-02-20"])
    try go(to: "2026-02-05T11:00:00Z")
    // A longer absence in place of the first, from a later day on.
    try world.call(people[0], "members.away", in: room, ["from": "2026-02-05", "to": "2026-02-25"])
    #expect(try count(of: people[0])?["ate"] == 1)
    try go(to: "2026-02-06T11:00:00Z")
    try world.call(people[0], "members.back", in: room)
    #expect(try count(of: people[0])?["ate"] == 1 && counts(people[1])["eating"] == 1)
    try go(to: "2026-02-07T11:00:00Z")
    #expect(try count(of: people[0])?["ate"] == 2)
  }

  @Test("DIN-2, HH-12: the cook is told of one who says after the cut-off that they are away, or back")
  func lateAbsence() throws {
    let people = try world.household(of: "Ana", "Ben")
    try go(to: "2026-02-02T11:00:00Z")
    try set(people[0], ["eats": "in", "cook": true])
    try set(people[1], ["eats": "in"])
    try go(to: "2026-02-02T17:00:00Z")
    try world.call(people[1], "members.away", in: room, ["from": "2026-02-03", "to": "2026-02-05"])
    #expect(try told(people[0]) == 0)
    try world.call(people[1], "members.away", in: room, ["from": "2026-02-02", "to": "2026-02-05"])
    #expect(try told(people[0]) == 1)
    world.advance(.seconds(60))
    try world.call(people[1], "members.back", in: room)
    #expect(try told(people[0]) == 2 && told(people[1]) == 0)
  }

  @Test("DIN-4, HH-10: a member who leaves no longer counts from tonight on; the evenings before stay")
  func leaves() throws {
    let people = try world.household(of: "Ana", "Ben")
    try go(to: "2026-02-02T11:00:00Z")
    try set(people[1], ["eats": "in"])
    try pattern(people[1], Self.everyDay)
    try go(to: "2026-02-03T11:00:00Z")
    try set(people[1], ["eats": "in", "cook": true])
    try set(people[1], ["date": "2026-02-10", "eats": "in"])
    try world.call(people[1], "members.leave", in: room)
    let dinner = try world.home().dinner
    #expect(Array(dinner.days.keys).map(\.text) == ["2026-02-02"] && dinner.patterns.isEmpty)
    #expect(try counts(people[0])["eating"] == 0)
    try world.join([people[1]], id)
    #expect(try counts(people[0])["unknown"] == [.id(people[0]), .id(people[1])])
  }

  // MARK: together

  @Test(
    "DIN-4: whatever is said, an evening has as many eaters as a simple model counts",
    arguments: 1...6 as ClosedRange<UInt64>)
  func model(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let people = try world.household(of: "Ana", "Ben", "Cem")
    try go(to: "2026-02-02T11:00:00Z")
    // By person and day, each from the first day on; what is over is counted as it stood then.
    var answers: [ID<Person>: [LocalDay: (eats: Eats, guests: Int)]] = [:]
    var patterns: [ID<Person>: [Weekday: Eats]] = [:]
    var ate: [ID<Person>: Int] = [:]
    func eats(_ person: ID<Person>, _ day: LocalDay) -> Eats {
      answers[person]?[day]?.eats ?? patterns[person]?[day.weekday] ?? .unknown
    }
    for _ in 0..<150 {
      let person = people.randomElement(using: &random) ?? people[0]
      let tonight = try world.home().tonight(at: world.now)
      switch Int.random(in: 0...9, using: &random) {
      case 0:
        let days = Weekday.allCases.filter { _ in Bool.random(using: &random) }
        patterns[person] = Dictionary(uniqueKeysWithValues: days.map { ($0, .in) })
        try pattern(person, .object(Dictionary(uniqueKeysWithValues: days.map { ($0.rawValue, "in") })))
      case 1...3:
        let days = Int.random(in: 1...30, using: &random)
        for day in 0..<days {
          for person in people where eats(person, tonight.adding(day)) == .in { ate[person, default: 0] += 1 }
        }
        world.advance(.seconds(86_400 * days))
      default:
        let day = tonight.adding(Int.random(in: 0...14, using: &random))
        let said = [Eats.in, .out, .unknown].randomElement(using: &random) ?? .in
        let guests = said == .in ? Int.random(in: 0...9, using: &random) : 0
        answers[person, default: [:]][day] = (said, guests)
        try set(person, ["date": .string(day.text), "eats": .string(said.rawValue), "guests": .number(.init(guests))])
      }
      let day = try world.home().tonight(at: world.now).adding(Int.random(in: 0...14, using: &random))
      let eating = people.filter { eats($0, day) == .in }.reduce(0) { $0 + 1 + (answers[$1]?[day]?.guests ?? 0) }
      let found = try counts(person, ["date": .string(day.text)])
      #expect(found["eating"]?.int == eating, "seed \(seed)")
      #expect(found["members"]?[person.description]?["ate"]?.int == ate[person] ?? 0, "seed \(seed)")
    }
    #expect(try world.isRestorable(room))
  }
}
