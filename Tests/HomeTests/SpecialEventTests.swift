import JSON
import Rooms
import Testing

@testable import Home

/// Special events of a household in Berlin, from Monday 2026-02-02, 03:40 on.
@Suite("Special events")
struct SpecialEventTests {
  let id = ID<Household>(high: 0xB000, low: 1)
  let special = ID<SpecialEvent>(high: 0x59EC, low: 1)
  let world = World()

  var room: RoomID { .household(id) }

  @discardableResult
  func call(_ person: ID<Person>, _ method: String, _ parameters: [String: JSON] = [:]) throws -> JSON {
    let all = parameters.merging(["id": .id(special)]) { own, _ in own }
    return try world.call(person, "specialEvents.\(method)", in: room, .object(all))
  }

  func minutes(_ people: [ID<Person>], _ numbers: [Int]) -> JSON {
    .object(Dictionary(uniqueKeysWithValues: zip(people, numbers).map { ($0.description, .number(.init($1))) }))
  }

  static func span(_ from: String, _ to: String) -> JSON {
    ["from": .string("2026-02-\(from):00Z"), "to": .string("2026-02-\(to):00Z")]
  }

  /// Announces the cleaning; Wednesday and Thursday, if the call does not say otherwise.
  func create(_ person: ID<Person>, _ minutes: JSON, _ more: [String: JSON] = [:]) throws {
    let cleaning: [String: JSON] = [
      "title": "Cleaning", "minutes": minutes, "window": Self.span("04T00:00", "06T00:00"),
    ]
    try call(person, "create", cleaning.merging(more) { $1 })
  }

  func found() throws -> SpecialEvent? { try world.home().specialEvents.special[special] }

  func slots(_ person: ID<Person>, _ limit: Int = 2) throws -> [JSON] {
    try call(person, "slots", ["limit": .number(.init(limit))])["items"]?.array ?? []
  }

  func starts(_ person: ID<Person>) throws -> [String] {
    try slots(person).compactMap { $0["start"]?.string.map { String($0.dropFirst(8).prefix(8)) } }
  }

  func unread(_ person: ID<Person>) throws -> [NotificationKind] {
    try world.me(person).inbox.notifications.values.filter { $0.name == "Cleaning" && $0.readAt == nil }.map(\.kind)
  }

  @Test("S1.11, CHO-22: people are asked, say when they cannot come, and the best time is found")
  func story() throws {
    let people = try world.household(of: "Ana", "Ben", "Cem", "Dan")
    try create(people[0], minutes(Array(people[..<3]), [90, 60, 30]), ["description": "Kitchen and hall"])
    #expect(try people.map(unread) == [[], [.specialEvent], [.specialEvent], []])
    let activity = try #require(try world.home().feed.activity.values.max { $0.n < $1.n })
    #expect(activity.kind == .specialEventAdded && activity.ref == special.cast())
    // Nobody has said anything: the first quarter is free for all.
    #expect(try starts(people[3]) == ["04T00:00", "04T00:15"])
    try call(people[1], "busy", ["intervals": [Self.span("03T12:00", "04T17:00")]])
    #expect(try unread(people[1]).isEmpty && unread(people[2]) == [.specialEvent], "who has answered has read it")
    try call(people[2], "busy", ["intervals": [Self.span("04T17:10", "04T18:00"), Self.span("04T16:00", "04T17:30")]])
    try call(people[0], "busy", ["intervals": []])
    let best = try slots(people[0])
    let everybody = JSON.array(people[..<3].sorted().map { .id($0) })
    #expect(
      best[0] == ["start": "2026-02-04T18:00:00.000Z", "end": "2026-02-04T19:30:00.000Z", "people": everybody])
    let event = ID<Event>(high: 0xE7E0, low: 9)
    let answer = try call(people[0], "confirm", ["start": "2026-02-04T18:00:00Z", "event": .id(event)])
    #expect(answer["id"] == .id(event))
    let made = try #require(try world.home().events.events[event])
    #expect(made.title == "Cleaning" && made.note == "Kitchen and hall" && Array(made.who) == people[..<3].sorted())
    #expect(made.start.text == "2026-02-04T19:00" && made.end?.text == "2026-02-04T20:30" && made.author == people[0])
    #expect(try found() == nil)
    #expect(try people.map(unread) == [[], [.event], [.event], []])
  }

  @Test("CHO-22: busy times are kept in order, joined, and within the window; a later answer replaces them")
  func busy() throws {
    let people = try world.household(of: "Ana", "Ben")
    try create(people[0], minutes(people, [60, 60]))
    let times: JSON = [
      Self.span("04T10:00", "04T12:00"), Self.span("01T00:00", "04T01:00"), Self.span("04T12:00", "04T13:00"),
      Self.span("04T10:30", "04T11:00"), Self.span("08T00:00", "09T00:00"),
    ]
    try call(people[1], "busy", ["intervals": times])
    let kept = try #require(try found()?.busy[people[1]])
    let texts = kept.map { [$0.from, $0.to].map { String($0.description.dropFirst(8).prefix(8)) } }
    #expect(texts == [["04T00:00", "04T01:00"], ["04T10:00", "04T13:00"]])
    #expect(try starts(people[0]) == ["04T01:00", "04T01:15"])
    for _ in 1...2 { try call(people[1], "busy", ["intervals": []]) }
    #expect(try found()?.busy[people[1]] == [] && starts(people[0]) == ["04T00:00", "04T00:15"])
    let found = refusal {
      try call(
        people[1], "busy", ["intervals": [Self.span("04T10:00", "04T10:00"), Self.span("04T10:00", "04T09:00")]])
    }
    #expect(found?.fields.map(\.path) == ["intervals.0.to", "intervals.1.to"])
  }

  @Test("CHO-22: it is within hours of the day, by the household's clocks, and never before now")
  func hours() throws {
    let people = try world.household(of: "Ana", "Ben")
    let window = ["window": Self.span("01T00:00", "06T00:00")]
    try create(people[0], minutes(people, [60, 30]), window)
    // It is 02:40 in UTC.
    #expect(try starts(people[0]) == ["02T02:45", "02T03:00"])
    try call(people[0], "cancel")
    let other: [String: JSON] = [
      "id": .id(ID<SpecialEvent>(high: 0x59EC, low: 2)), "hours": ["from": "18:00", "to": "19:15"],
    ]
    try create(people[0], minutes(people, [60, 30]), window.merging(other) { $1 })
    let items = try world.call(people[1], "specialEvents.slots", in: room, ["id": other["id"] ?? .null, "limit": 3])
    let found = items["items"]?.array?.compactMap { $0["start"]?.string }
    #expect(found == ["2026-02-02T17:00:00.000Z", "2026-02-02T17:15:00.000Z", "2026-02-03T17:00:00.000Z"])
  }

  @Test("CHO-22: in the night in which the clocks go back it is not in the hour that comes twice")
  func clocks() throws {
    let ana = try world.household(of: "Ana")[0]
    world.advance(try #require(Instant("2026-10-24T12:00:00Z")) - world.now)
    let window: JSON = ["from": "2026-10-25T00:00:00Z", "to": "2026-10-25T03:00:00Z"]
    try create(ana, minutes([ana], [15]), ["window": window])
    // 02:00 to 03:00 in summer time is 00:00 to 01:00 in UTC; the same hour in winter time follows.
    let starts = try slots(ana, 20).compactMap { $0["start"]?.string?.dropFirst(11).prefix(5) }
    #expect(starts == ["00:00", "00:15", "00:30", "02:00", "02:15", "02:30", "02:45"])
    #expect(
      refusal { try call(ana, "confirm", ["start": "2026-10-25T01:15:00Z"]) }?.fields.map(\.path) == ["start"])
    try call(ana, "confirm", ["start": "2026-10-25T02:00:00Z"])
    #expect(try world.home().events.events.values.first?.start.text == "2026-10-25T03:00")
  }

  @Test("HH-12: somebody who is away cannot come, and a time with nobody is none")
  func away() throws {
    let people = try world.household(of: "Ana", "Ben")
    try create(people[0], minutes(people, [60, 60]))
    try world.call(people[1], "members.away", in: room, ["from": "2026-02-02", "to": "2026-02-04"])
    // Thursday begins at 23:00 in UTC.
    #expect(try starts(people[0]) == ["04T23:00", "04T23:15"])
    try call(people[0], "busy", ["intervals": [Self.span("04T00:00", "06T00:00")]])
    #expect(try slots(people[0]).allSatisfy { $0["people"] == [.id(people[1])] })
    try world.call(people[1], "members.away", in: room, ["from": "2026-02-02", "to": "2026-02-09"])
    #expect(try slots(people[0]).isEmpty)
  }

  @Test("CHO-22, ACC-2: all bad fields are named at once, and nothing is announced")
  func bad() throws {
    let people = try world.household(of: "Ana", "Ben")
    let stranger = try world.signUp("Eve")
    let both = minutes(people, [60, 30])
    let rows: [(JSON, [String: JSON], Set<String>)] = [
      (
        minutes([people[0], stranger], [0, 30]), ["title": ""],
        ["title", "minutes.\(people[0])", "minutes.\(stranger)"]
      ),
      ([:], ["window": Self.span("04T00:00", "04T00:00")], ["minutes"]),
      (minutes([people[0]], [.max]), [:], ["minutes.\(people[0])"]),
      (both, ["window": Self.span("04T00:00", "04T00:59")], ["window"]),
      (both, ["window": Self.span("04T10:00", "04T00:00")], ["window"]),
      (both, ["window": Self.span("01T00:00", "02T02:40")], ["window.to"]),
      (both, ["window": ["from": "2026-02-04T00:00:00Z", "to": "2026-04-03T03:00:00Z"]], ["window.to"]),
      (both, ["window": ["from": "2026-02-04T00:00:00Z"]], ["window.to"]),
      (both, ["hours": ["from": "18:00", "to": "18:59"]], ["hours"]),
      (both, ["hours": ["from": "18:00", "to": "18:00"]], ["hours.to"]),
      (both, ["hours": ["from": "22:00", "to": "04:00"]], ["hours.to"]),
      (both, ["hours": ["from": "8", "to": "24:00"]], ["hours.from", "hours.to"]),
    ]
    for (minutes, more, wanted) in rows {
      let found = refusal { try create(people[0], minutes, more) }
      #expect(Set(found?.fields.map(\.path) ?? []) == wanted, "\(minutes.text) \(more)")
    }
    #expect(try world.home().specialEvents.special.isEmpty)
    try create(people[0], both, ["hours": ["from": "18:00", "to": "19:00"]])
    #expect(reason { try create(people[1], both) } == "conflict/exists")
  }

  @Test("HH-15: people whom it concerns say when they are busy; its author and the host choose the time or cancel")
  func rights() throws {
    let people = try world.household(of: "Ana", "Ben", "Cem", "Dan")
    try create(people[1], minutes([people[1], people[2]], [60, 30]))
    #expect(reason { try call(people[0], "busy", ["intervals": []]) } == "forbidden/forbidden")
    let start: [String: JSON] = ["start": "2026-02-04T18:00:00Z"]
    for method in ["confirm", "cancel"] {
      #expect(reason { try call(people[2], method, method == "confirm" ? start : [:]) } == "forbidden/forbidden")
    }
    let stranger = try world.signUp("Eve")
    #expect(reason { try call(stranger, "slots") } == "notFound/room")
    #expect(reason { try create(stranger, [:]) } != nil)
    try call(people[0], "cancel")
    #expect(try people.map(unread) == [[], [.specialEventCancelled], [.specialEventCancelled], []])
    for method in ["busy", "slots", "cancel"] {
      let found = reason { try call(people[1], method, method == "busy" ? ["intervals": []] : [:]) }
      #expect(found == "notFound/gone")
    }
    #expect(reason { try create(people[1], minutes([people[1]], [60])) } == "conflict/exists")
  }

  @Test("CHO-22: of two who choose a time at once the first has; it is a quarter of an hour within window and hours")
  func confirming() throws {
    let people = try world.household(of: "Ana", "Ben")
    try create(people[1], minutes(people, [60, 30]), ["hours": ["from": "10:00", "to": "22:00"]])
    for start in [
      "2026-02-04T18:05:00Z", "2026-02-04T18:00:00.001Z", "2026-02-03T18:00:00Z", "2026-02-05T20:15:00Z",
      "2026-02-04T08:45:00Z", "2026-02-05T23:15:00Z",
    ] {
      let found = refusal { try call(people[1], "confirm", ["start": .string(start)]) }
      #expect(found?.fields.map(\.path) == ["start"], "\(start)")
    }
    // A time at which somebody is busy may be chosen all the same: the author knows better.
    try call(people[0], "busy", ["intervals": [Self.span("04T00:00", "06T00:00")]])
    try call(people[1], "confirm", ["start": "2026-02-05T20:00:00Z"])
    #expect(reason { try call(people[0], "confirm", ["start": "2026-02-05T20:00:00Z"]) } == "notFound/gone")
    #expect(try world.home().events.events.count == 1 && world.home().events.events.values.first?.author == people[1])
  }

  @Test("CHO-22: a calendar that is full refuses the confirmation, and the special event is still there")
  func full() throws {
    let ana = try world.household(of: "Ana")[0]
    world.checksStates = false
    try create(ana, minutes([ana], [60]))
    for number in 1...Limits.events {
      try world.call(ana, "events.add", in: room, ["title": .string("\(number)"), "start": "2026-03-01"])
    }
    #expect(reason { try call(ana, "confirm", ["start": "2026-02-04T18:00:00Z"]) } == "tooLarge/events")
    #expect(try found() != nil)
  }

  @Test("CHO-22: when its window is over it is gone, also after downtime, and once; nothing asks for an answer then")
  func over() throws {
    let people = try world.household(of: "Ana", "Ben")
    try create(people[0], minutes(people, [60, 30]))
    let end = try #require(Instant("2026-02-06T00:00:00Z"))
    world.advance(end - world.now - .milliseconds(1))
    #expect(try found() != nil)
    world.now = world.now + .milliseconds(1)
    #expect(reason { try call(people[0], "slots") } == "notFound/gone", "also if the timer has not fired yet")
    world.now = world.now + .seconds(86_400)
    world.advance(.zero)
    #expect(try found() == nil && unread(people[1]).isEmpty && world.isRestorable(room))
  }

  @Test("HH-10: a member who leaves is no longer waited for; with the last one the special event goes")
  func leaving() throws {
    let people = try world.household(of: "Ana", "Ben", "Cem")
    try create(people[0], minutes([people[1], people[2]], [120, 60]))
    try call(people[1], "busy", ["intervals": [Self.span("04T00:00", "05T00:00")]])
    try world.call(people[1], "members.leave", in: room)
    #expect(try found()?.minutes.count == 1 && found()?.busy.isEmpty == true)
    #expect(try slots(people[0])[0]["end"] == "2026-02-04T01:00:00.000Z")
    try world.call(people[2], "members.leave", in: room)
    #expect(try found() == nil)
  }
}
