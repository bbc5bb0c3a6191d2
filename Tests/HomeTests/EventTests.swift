import JSON
import Rooms
import TestSupport
import Testing

@testable import Home

/// The calendar of a household in Berlin, from Monday 2026-02-02 on.
@Suite("Events")
struct EventTests {
  let id = ID<Household>(high: 0xB000, low: 1)
  let event = ID<Event>(high: 0xE7E0, low: 1)
  let world = World()

  var room: RoomID { .household(id) }

  @discardableResult
  func call(_ person: ID<Person>, _ method: String, _ parameters: JSON = [:]) throws -> JSON {
    try world.call(person, method, in: room, parameters)
  }

  /// Adds the event of this suite.
  func add(_ person: ID<Person>, _ more: [String: JSON] = [:]) throws {
    let party: [String: JSON] = ["id": .id(event), "title": "Party", "start": "2026-02-07T20:00"]
    try call(person, "events.add", .object(party.merging(more) { $1 }))
  }

  func edit(_ person: ID<Person>, _ changes: [String: JSON]) throws {
    try call(person, "events.edit", .object(changes.merging(["id": .id(event)]) { $1 }))
  }

  func found() throws -> Event? { try world.home().events.events[event] }

  func told(_ person: ID<Person>) throws -> [NotificationKind] {
    let kinds: Set<NotificationKind> = [.event, .eventChanged, .eventRemoved]
    return world.kinds(in: try world.me(person).inbox.notifications).filter(kinds.contains)
  }

  func unread(_ person: ID<Person>) throws -> [NotificationKind] {
    try world.me(person).inbox.notifications.values.filter { $0.ref == event.cast() && $0.readAt == nil }.map(\.kind)
  }

  func days(_ person: ID<Person>, _ from: String, _ to: String) throws -> [String] {
    let items = try call(person, "events.days", ["from": .string(from), "to": .string(to)])["items"]
    return items?[0]?["days"]?.array?.compactMap(\.string) ?? []
  }

  // MARK: adding

  @Test("CHO-27: an event is a time or a day, for all or for some members; those whom it concerns are told once")
  func adding() throws {
    let people = try world.household(of: "Ana", "Ben", "Cem")
    try add(people[0], ["end": "2026-02-08T02:00", "note": "Bring chairs", "who": [.id(people[0]), .id(people[2])]])
    let made = try #require(try found())
    #expect(made.title == "Party" && made.start.text == "2026-02-07T20:00" && made.end?.text == "2026-02-08T02:00")
    #expect(made.note == "Bring chairs" && Array(made.who) == [people[0], people[2]] && made.author == people[0])
    #expect(made.lastDay?.text == "2026-02-08")
    #expect(try people.map(told) == [[], [], [.event]])
    let news = try #require(try world.me(people[2]).inbox.notifications.values.first { $0.kind == .event })
    #expect(news.name == "Party" && news.actorName == "Ana" && news.ref == event.cast() && news.room == room.name)
    let activity = try #require(try world.home().feed.activity.values.max { $0.n < $1.n })
    #expect(activity.kind == .eventAdded && activity.actor == people[0] && activity.ref == event.cast())
    try call(people[1], "events.add", ["title": "Holiday", "start": "2026-07-01", "end": "2026-07-14"])
    #expect(try people.map { try told($0).count } == [1, 0, 2], "all but the author")
  }

  @Test(
    "CHO-27, ACC-2: all bad fields of an event are named at once",
    arguments: [
      (["title": "", "start": "soon", "end": "2026-02-07"], ["title", "start"]),
      (["end": "2026-02-08"], ["end"]), (["start": "2026-02-07", "end": "2026-02-07T10:00"], ["end"]),
      (["end": "2026-02-07T19:59"], ["end"]), (["start": "2026-02-07", "end": "2026-02-06"], ["end"]),
      (["start": "2026-02-30"], ["start"]), (["start": "2026-02-07T24:00"], ["start"]),
      (["start": "2026-02-07T20:00:00Z"], ["start"]), (["start": "2026-02-07 20:00"], ["start"]),
      (["who": []], ["who"]), (["who": ["00000000-0000-a000-0000-0000000000ff"]], ["who.0"]),
      (["start": "2026-01-25"], ["start"]), (["start": "2026-01-20", "end": "2026-01-25"], ["end"]),
      (["start": "2026-01-20", "repeats": ["every": 1, "unit": "days", "until": "2026-01-25"]], ["repeats"]),
      (["repeats": ["every": 0, "unit": "days"]], ["repeats.every"]),
      (
        ["start": "x", "repeats": ["every": 1, "unit": "days", "weekdays": ["monday"]]], ["start", "repeats.weekdays"]
      ),
      (["repeats": ["every": 1, "unit": "days", "basis": "completion"]], ["repeats.basis"]),
      (["repeats": ["every": 1, "unit": "days", "until": "2026-02-06"]], ["repeats.until"]),
      (["repeats": ["every": 1, "unit": "days", "until": "9999-12-31"]], ["repeats.until"]),
    ] as [([String: JSON], [String])])
  func bad(more: [String: JSON], wanted: [String]) throws {
    let ana = try world.household(of: "Ana")[0]
    #expect(Set(refusal { try add(ana, more) }?.fields.map(\.path) ?? []) == Set(wanted))
    #expect(try found() == nil)
  }

  @Test("CHO-27, SYN-11: an event that was added offline for a day that is over by now is taken for a week")
  func late() throws {
    let ana = try world.household(of: "Ana")[0]
    try add(ana, ["start": "2026-01-26"])
    #expect(try found() != nil)
    #expect(reason { try add(ana) } == "conflict/exists")
  }

  // MARK: changing

  @Test("CHO-27, HH-15: the author and the host change and remove an event, others do not")
  func rights() throws {
    let people = try world.household(of: "Ana", "Ben", "Cem")
    try add(people[1])
    #expect(reason { try edit(people[2], ["title": "Mine"]) } == "forbidden/forbidden")
    #expect(reason { try call(people[2], "events.remove", ["id": .id(event)]) } == "forbidden/forbidden")
    try edit(people[1], ["title": "Tea"])
    try edit(people[0], ["title": "Dinner"])
    #expect(try found()?.title == "Dinner" && found()?.editedBy == people[0] && found()?.author == people[1])
    try call(people[0], "events.remove", ["id": .id(event)])
    let restore: JSON = ["id": .id(event), "newId": .id(ID<Event>(high: 0xE7E0, low: 2))]
    #expect(reason { try call(people[2], "events.restore", restore) } == "forbidden/forbidden")
    try call(people[1], "events.restore", restore)
    let stranger = try world.signUp("Eve")
    #expect(reason { try add(stranger) } == "notFound/room")
  }

  @Test("CHO-27: an edit changes what it names and clears what is null; a new time is told, a remark is not")
  func editing() throws {
    let people = try world.household(of: "Ana", "Ben", "Cem")
    try add(people[0], ["end": "2026-02-07T23:00", "who": [.id(people[1])], "note": "x"])
    try edit(people[0], ["note": "Bring chairs"])
    #expect(try found()?.note == "Bring chairs" && told(people[1]) == [.event])
    world.advance(.seconds(1))
    try edit(people[0], ["start": "2026-02-08T20:00", "end": "2026-02-08T23:30"])
    world.advance(.seconds(1))
    // A member whom it no longer concerns is told, too.
    try edit(people[0], ["who": [.id(people[2])], "end": .null, "note": .null])
    let changed = try #require(try found())
    #expect(changed.end == nil && changed.note == nil && changed.start.text == "2026-02-08T20:00")
    #expect(changed.lastDay?.text == "2026-02-08")
    #expect(try people.map(told) == [[], [.event, .eventChanged, .eventChanged], [.eventChanged]])
    try edit(people[0], ["who": .null])
    #expect(try found()?.who.isEmpty == true)
    let state = world.rooms[room].map(world.state)
    try edit(people[0], ["title": "Party"])
    #expect(world.rooms[room].map(world.state) == state, "nothing has changed")
    let found = refusal { try edit(people[0], ["title": .null, "start": .null, "end": "2026-02-07"]) }
    #expect(Set(found?.fields.map(\.path) ?? []) == ["title", "start", "end"])
  }

  @Test("CHO-27: two who edit different fields at once keep both; an edit of what is removed meanwhile is refused")
  func both() throws {
    let people = try world.household(of: "Ana", "Ben")
    try add(people[1])
    try edit(people[0], ["title": "Dinner"])
    try edit(people[1], ["note": "At eight"])
    #expect(try found()?.title == "Dinner" && found()?.note == "At eight")
    try call(people[0], "events.remove", ["id": .id(event)])
    #expect(reason { try edit(people[1], ["note": "At nine"]) } == "notFound/gone")
    #expect(reason { try call(people[1], "events.remove", ["id": .id(event)]) } == "notFound/gone")
    #expect(reason { try add(people[1]) } == "conflict/exists")
  }

  // MARK: removing

  @Test("R-DEL, REM-6: a removed event can be restored for ten minutes; earlier notifications of it are read then")
  func undo() throws {
    let people = try world.household(of: "Ana", "Ben")
    try add(people[0])
    #expect(try unread(people[1]) == [.event])
    world.advance(.seconds(1))
    try call(people[0], "events.remove", ["id": .id(event)])
    #expect(try found() == nil && unread(people[1]) == [.eventRemoved])
    world.advance(.seconds(600) - .milliseconds(1))
    let answer = try call(people[0], "events.restore", ["id": .id(event)])
    let new = try #require(answer["id"]?.string.flatMap { ID<Event>($0) })
    #expect(try world.home().events.events[new]?.was == event && unread(people[1]) == [])
    #expect(reason { try call(people[0], "events.restore", ["id": .id(event)]) } == "notFound/gone")
    try call(people[0], "events.remove", ["id": .id(new)])
    world.advance(.seconds(600))
    #expect(reason { try call(people[0], "events.restore", ["id": .id(new)]) } == "notFound/gone")
    #expect(try world.home().events.removedEvents.isEmpty)
  }

  @Test("CHO-27: an event leaves the calendar a week after its last day is over everywhere, also after downtime")
  func past() throws {
    let people = try world.household(of: "Ana", "Ben")
    try add(people[0], ["end": "2026-02-08T02:00"])
    let end = try #require(Instant("2026-02-16T12:00:00Z"))
    world.advance(end - world.now - .milliseconds(1))
    #expect(try found() != nil && unread(people[1]) == [.event])
    world.advance(.milliseconds(1))
    #expect(try found() == nil && unread(people[1]).isEmpty)
    // The timer fires late: the server was down.
    let other = ID<Event>(high: 0xE7E0, low: 3)
    try add(people[0], ["id": .id(other), "start": "2026-02-20"])
    world.now = world.now + .seconds(90 * 86_400)
    world.advance(.zero)
    #expect(try world.home().events.events.isEmpty && world.isRestorable(room))
    #expect(reason { try add(people[0], ["id": .id(other), "start": "2026-05-30"]) } == "conflict/exists")
  }

  @Test("HH-10, HH-18: an event stays when its author leaves, and keeps its time of day in a new zone")
  func leaving() throws {
    let people = try world.household(of: "Ana", "Ben")
    try add(people[1], ["who": [.id(people[1])]])
    try call(people[1], "members.leave")
    try call(people[0], "households.update", ["timeZone": "Asia/Tokyo"])
    #expect(try found()?.start.text == "2026-02-07T20:00" && Array(found()?.who ?? []) == [people[1]])
    try edit(people[0], ["who": .null])
  }

  // MARK: repeating

  @Test("CHO-27, R-REC: repeats are counted out by the server: weekdays, the end of months, an end by day or count")
  func repeating() throws {
    let ana = try world.household(of: "Ana")[0]
    func set(_ start: JSON, _ repeats: JSON, _ end: JSON = .null) throws {
      if try found() == nil { try add(ana) }
      try edit(ana, ["start": start, "repeats": repeats, "end": end])
    }
    try set("2026-02-03", ["every": 2, "unit": "weeks", "weekdays": ["tuesday", "friday"]])
    #expect(try days(ana, "2026-02-01", "2026-02-22") == ["2026-02-03", "2026-02-06", "2026-02-17", "2026-02-20"])
    #expect(try found()?.lastDay == nil, "it never ends")
    try set("2026-03-31T21:00", ["every": 1, "unit": "months", "until": "2026-06-01"], "2026-04-01T01:00")
    #expect(try days(ana, "2026-04-01", "2026-05-01") == ["2026-03-31", "2026-04-30"], "one lasts into the range")
    #expect(try days(ana, "2026-05-31", "2026-07-11") == ["2026-05-31"] && found()?.lastDay?.text == "2026-06-02")
    try set("2026-02-05", ["every": 1, "unit": "days", "count": 3])
    #expect(try days(ana, "2026-02-06", "2026-03-01") == ["2026-02-06", "2026-02-07"])
    #expect(try found()?.lastDay?.text == "2026-02-07")
    // The first date counts even if it is off the rule.
    try set("2026-02-05", ["every": 1, "unit": "weeks", "weekdays": ["monday"], "count": 2])
    #expect(try days(ana, "2026-02-01", "2026-03-01") == ["2026-02-05", "2026-02-09"])
    try set("2026-02-05", ["every": 366, "unit": "years", "count": 10_000])
    #expect(try found()?.lastDay == nil)
    try set("2026-02-05", .null)
    #expect(try days(ana, "2026-02-01", "2026-03-01") == ["2026-02-05"] && found()?.lastDay?.text == "2026-02-05")
  }

  @Test("CHO-27: the days of a range are those that counting day by day finds")
  func sameDays() throws {
    var random = SeededGenerator(seed: 5)
    let first = try #require(LocalDay("2026-02-01"))
    for _ in 0..<2000 {
      let start = first.adding(Int.random(in: -3...60, using: &random))
      let length = Int.random(in: 0...5, using: &random)
      var event = Event(
        start: EventTime(day: start), end: length > 0 ? EventTime(day: start.adding(length)) : nil)
      if Bool.random(using: &random) {
        var repeats = Recurrence(every: Int.random(in: 1...4, using: &random))
        repeats.unit = RecurrenceUnit.allCases.randomElement(using: &random) ?? .days
        if repeats.unit == .weeks, Bool.random(using: &random) { repeats.weekdays = [.monday, .saturday] }
        if Bool.random(using: &random) {
          repeats.count = Int.random(in: 1...9, using: &random)
        } else if Bool.random(using: &random) {
          repeats.until = start.adding(Int.random(in: 0...50, using: &random))
        }
        event.repeats = repeats
      }
      event.lastDay = event.computedLastDay
      let from = first.adding(Int.random(in: -9...70, using: &random))
      let to = from.adding(Int.random(in: 0...41, using: &random))
      // By counting: each day on which it begins, and whether it is still going on in the range.
      var wanted: [LocalDay] = []
      var (day, number) = (start, 1)
      while day <= to, number <= event.repeats?.count ?? (event.repeats == nil ? 1 : .max),
        event.repeats?.until.map({ day <= $0 }) ?? true
      {
        if day.adding(length) >= from { wanted.append(day) }
        guard let repeats = event.repeats else { break }
        day = repeats.day(after: day, from: start)
        number += 1
      }
      #expect(event.days(from: from, to: to) == wanted, "\(event) \(from) \(to)")
    }
  }

  @Test("CHO-27: a range of days is in order, at most 42 days long and within ten years")
  func ranges() throws {
    let ana = try world.household(of: "Ana")[0]
    for (from, to, field) in [
      ("2026-02-02", "2026-02-01", "to"), ("2026-02-02", "2026-03-16", "to"), ("2037-01-01", "2037-01-02", "from"),
      ("today", "2026-02-01", "from"),
    ] { #expect(refusal { try days(ana, from, to) }?.fields.map(\.path) == [field]) }
    #expect(try days(ana, "2026-02-02", "2026-03-15").isEmpty)
  }
}
