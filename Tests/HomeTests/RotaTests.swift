import JSON
import Rooms
import Testing

@testable import Home

/// The rota of a household in Berlin, from Monday 2026-02-02 on: the sixth week of its year.
@Suite("Rota")
struct RotaTests {
  let id = ID<Household>(high: 0xB000, low: 1)
  let world = World()
  let monday = "2026-02-02"
  let next = "2026-02-09"
  /// Kitchen, bathroom, bins.
  let tasks = (1...3).map { ID<RotaTask>(high: 0xD000, low: $0) }

  var room: RoomID { .household(id) }

  @discardableResult
  func call(_ person: ID<Person>, _ method: String, _ parameters: JSON = [:]) throws -> JSON {
    try world.call(person, method, in: room, parameters)
  }

  func entries(_ count: Int) -> JSON {
    let names: [JSON] = ["Kitchen", "Bathroom", "Bins"]
    return .array((0..<count).map { ["id": .id(tasks[$0]), "name": names[$0]] })
  }

  /// People with a rota from this week on; in week 5 of the year, the resident i has the task (i + 5) mod n.
  func rota(_ count: Int = 3, of people: [ID<Person>]) throws {
    try call(people[0], "rota.set", ["tasks": entries(count), "residents": .array(people.map { .id($0) })])
  }

  func day(_ text: String) throws -> LocalDay { try #require(LocalDay(text)) }

  /// The person of each task in a week: the index among people, "open", or "–" if it is left out.
  func doers(_ week: String, _ people: [ID<Person>]) throws -> [String] {
    try world.home().turns(in: day(week)).map { turn in
      if turn.isOpen == true { return "open" }
      return turn.person.flatMap { people.firstIndex(of: $0) }.map { "\($0)" } ?? "–"
    }
  }

  func mark(_ task: Int, _ week: String, _ more: [String: JSON] = [:]) -> JSON {
    .object(["task": .id(tasks[task]), "week": .string(week)].merging(more) { $1 })
  }

  func advance(to time: String) throws { world.advance(try #require(Instant(time)) - world.now) }

  // MARK: versions

  @Test("ROT-1, ROT-5: the first version begins this week, the next one on Monday; no assignment is stored")
  func versions() throws {
    let people = try world.household(of: "Ana", "Ben", "Cem")
    let answer = try call(
      people[0], "rota.set", ["tasks": entries(3), "residents": .array(people.map { .id($0) })])
    #expect(answer["fromWeek"]?.string == monday && answer["tasks"] == .array(tasks.map { .id($0) }))
    #expect(try doers(monday, people) == ["1", "2", "0"])
    try call(people[0], "rota.set", ["tasks": entries(2)])
    #expect(try world.home().rota.versions.values.map(\.fromWeek.text).sorted() == [monday, next])
    #expect(try doers(monday, people) == ["1", "2", "0"], "the current week is untouched")
    #expect(try doers(next, people) == ["0", "1"])
    // A version that has not begun is replaced.
    let pending = try #require(try world.home().rota.newest?.id)
    try call(people[0], "rota.set", ["residents": [.id(people[1])]])
    #expect(try world.home().rota.versions.count == 2 && world.home().rota.newest?.id == pending)
    #expect(try doers(next, people) == ["1", "–"])
    #expect(try world.home().rota.weeks.isEmpty)
  }

  @Test("ROT-5: a call that changes nothing makes no version and tells nobody; a name changes at once")
  func nothing() throws {
    let people = try world.household(of: "Ana", "Ben")
    try rota(of: people)
    let before = try world.home().rota.newest
    try rota(of: people)
    try call(people[0], "rota.set")
    #expect(try world.home().rota.newest?.version == before?.version && world.home().rota.versions.count == 1)
    #expect(try world.me(people[1]).inbox.notifications.values.count { $0.kind == .rota } == 1)
    #expect(try world.home().feed.activity.values.count { $0.kind == .rotaChanged } == 1)
    try call(
      people[0], "rota.set",
      [
        "tasks": [
          ["id": .id(tasks[0]), "name": "Hall"], ["id": .id(tasks[1]), "name": "Bathroom"],
          ["id": .id(tasks[2]), "name": "Bins"],
        ]
      ])
    #expect(try world.home().rota.versions.count == 1 && world.home().turns(in: day(monday))[0].name == "Hall")
  }

  @Test("ROT-5: two who change different fields keep both changes, and the others are told of each")
  func both() throws {
    let people = try world.household(of: "Ana", "Ben", "Cem")
    try call(people[0], "households.update", ["policies": ["rota": "anyMember"]])
    try rota(of: people)
    try call(people[0], "rota.set", ["tasks": entries(1)])
    try call(people[1], "rota.set", ["residents": [.id(people[1]), .id(people[2])]])
    let version = try #require(try world.home().rota.newest?.version)
    #expect(version.tasks == [tasks[0]] && version.residents == [people[1], people[2]] && version.by == people[1])
    let told = try people.map { person in
      try world.me(person).inbox.notifications.values.filter { $0.kind == .rota }.map { $0.actorName ?? "" }.sorted()
    }
    #expect(told == [["Ben"], ["Ana", "Ana"], ["Ana", "Ana", "Ben"]])
    let unread = try world.me(people[2]).inbox.notifications.values.filter { $0.kind == .rota && $0.readAt == nil }
    #expect(unread.count == 2, "of the version that was changed again, the latest; and that of the first version")
  }

  @Test("HH-15: the host sets the rota, and others if a policy says so; guests and strangers see nothing of it")
  func rights() throws {
    let people = try world.household(of: "Ana", "Ben")
    #expect(reason { try call(people[1], "rota.set", ["tasks": entries(1)]) } == "forbidden/forbidden")
    #expect(try world.home().rota.versions.isEmpty)
    try call(people[0], "households.update", ["policies": ["rota": "anyMember"]])
    try call(people[1], "rota.set", ["tasks": entries(1), "residents": [.id(people[1])]])
    try call(people[0], "households.update", ["policies": ["rota": "host"]])
    #expect(reason { try call(people[1], "rota.set", ["tasks": []]) } == "forbidden/forbidden")
    let stranger = try world.signUp("Eve")
    #expect(reason { try call(stranger, "rota.weeks") } == "notFound/room")
    #expect(reason { try call(stranger, "rota.tick", mark(0, monday, ["done": true])) } == "notFound/room")
  }

  @Test("ROT-1, ACC-2: all bad fields are named at once, and a refused call changes nothing")
  func bad() throws {
    let people = try world.household(of: "Ana", "Ben")
    let stranger = try world.signUp("Eve")
    let twice: JSON = .id(tasks[0])
    let rows: [(JSON, Set<String>)] = [
      (
        [
          "tasks": [["id": twice, "name": "A"], ["id": twice, "name": "B"]],
          "residents": [.id(people[0]), .id(people[0]), .id(stranger)], "startWeek": "2026-02-03",
        ], ["tasks.1.id", "residents.1", "residents.2", "startWeek"]
      ),
      (["startWeek": "2026-02-02"], ["startWeek"]), (["restart": "never", "startWeek": "2026-02-04"], ["startWeek"]),
      (["tasks": [["name": ""]], "residents": [.id(stranger)]], ["tasks.0.name", "residents.0"]),
      (["restart": "month"], ["restart"]),
    ]
    for (parameters, wanted) in rows {
      let found = refusal { try call(people[0], "rota.set", parameters) }
      #expect(Set(found?.fields.map(\.path) ?? []) == wanted, "\(parameters.text)")
    }
    #expect(try world.home().rota.versions.isEmpty && world.home().rota.tasks.isEmpty)
    // Ids are used once.
    let note = try call(people[0], "notes.add", ["text": "x"])["id"] ?? .null
    #expect(reason { try call(people[0], "rota.set", ["tasks": [["id": note, "name": "A"]]]) } == "conflict/exists")
    #expect(try world.home().rota.tasks.isEmpty)
    try rota(1, of: people)
    let taken = reason { try call(people[0], "notes.add", ["id": .id(tasks[0]), "text": "x"]) }
    #expect(taken == "conflict/exists")
  }

  // MARK: weeks

  @Test("ROT-5: the first rota has all who live there, in the order in which they came, unless the call names them")
  func everybody() throws {
    let people = try world.household(of: "Ana")
    for name in ["Cem", "Ben"] {
      world.advance(.seconds(60))
      try world.join([try world.signUp(name)], id)
    }
    try call(people[0], "rota.set", ["tasks": entries(1)])
    let names = try world.home().rota.newest?.version.residents.map { try world.home().membership.members[$0]?.name }
    #expect(names == ["Ana", "Cem", "Ben"])
    try call(people[0], "rota.set", ["residents": []])
    try call(people[0], "rota.set", ["tasks": entries(2)])
    #expect(try world.home().rota.newest?.version.residents == [])
  }

  @Test("ROT-3: the cycle starts over with the year, or never, counted from a start week")
  func restart() throws {
    let people = try world.household(of: "Ana", "Ben", "Cem", "Dan")
    try advance(to: "2026-12-20T12:00:00Z")
    try rota(1, of: people)
    let weeks = ["2026-12-14", "2026-12-21", "2026-12-28", "2027-01-04", "2027-01-11"]
    #expect(try weeks.map { try doers($0, people)[0] } == ["2", "1", "0", "0", "3"])
    try call(people[0], "rota.set", ["restart": "never"])
    #expect(try world.home().rota.newest?.version.startWeek?.text == "2026-12-21")
    #expect(try weeks.map { try doers($0, people)[0] } == ["2", "0", "3", "2", "1"])
    try call(people[0], "rota.set", ["startWeek": "2026-12-14"])
    #expect(try weeks.map { try doers($0, people)[0] } == ["2", "3", "2", "1", "0"])
    try call(people[0], "rota.set", ["restart": "year"])
    #expect(try world.home().rota.newest?.version.startWeek == nil)
    #expect(try weeks.map { try doers($0, people)[0] } == ["2", "1", "0", "0", "3"])
  }

  @Test("ROT-4: the week turns on Monday at midnight in the household's zone, and nothing is written then")
  func turnOfWeek() throws {
    let people = try world.household(of: "Ana", "Ben")
    try rota(of: people)
    let room = try #require(world.rooms[self.room])
    // The clocks change in the night of Sunday 2026-03-29, eight weeks later.
    try advance(to: "2026-03-29T21:59:59.999Z")
    let before = (room.version, room.nextDue)
    func first() throws -> JSON? { try call(people[0], "rota.weeks")["items"]?[1]?["week"] }
    #expect(try first() == "2026-03-23")
    world.advance(.milliseconds(1))
    #expect(try first() == "2026-03-30")
    #expect(room.version == before.0 && before.1 == room.nextDue)
    try call(people[0], "households.update", ["timeZone": "America/New_York"])
    #expect(try first() == "2026-03-23")
  }

  @Test("ROT-4: the question answers with last week, this one and a cycle, or with the weeks that it is asked for")
  func question() throws {
    let people = try world.household(of: "Ana", "Ben", "Cem")
    #expect(try call(people[1], "rota.weeks")["items"]?.array?.count == 2)
    try rota(of: people)
    let items = try #require(try call(people[1], "rota.weeks")["items"]?.array)
    let weeks = ["2026-01-26", "2026-02-02", "2026-02-09", "2026-02-16", "2026-02-23"]
    #expect(items.map { $0["week"]?.string } == weeks && items[0]["turns"] == [])
    let wanted: JSON = ["task": .id(tasks[0]), "name": "Kitchen", "resident": .id(people[1]), "person": .id(people[1])]
    #expect(items[1]["turns"]?[0] == wanted)
    let later = try call(people[1], "rota.weeks", ["from": "2026-02-16", "count": 1])["items"]
    #expect(later?.array?.count == 1 && later?[0] == items[3])
    #expect(refusal { try call(people[1], "rota.weeks", ["from": "2026-02-17"]) }?.fields.map(\.path) == ["from"])
  }

  // MARK: ticks

  @Test("ROT-6, STA-1: a tick says who did it and when, is in the history, and can be taken back by anybody")
  func ticks() throws {
    let people = try world.household(of: "Ana", "Ben", "Cem")
    try rota(of: people)
    try call(people[1], "rota.tick", mark(0, monday, ["done": true]))
    var turn = try #require(try world.home().turn(of: tasks[0], in: day(monday)))
    #expect(turn.doneBy == people[1] && turn.doneAt == world.now)
    func history() throws -> [JSON] { try call(people[0], "rota.list")["items"]?.array ?? [] }
    let wanted: JSON = [
      "task": .id(tasks[0]), "name": "Kitchen", "week": .string(monday), "by": .id(people[1]), "at": .at(world.now),
    ]
    #expect(try history() == [wanted])
    #expect(world.history[room]?.first { $0.kind == "rota" }?.about == [people[1]], "statistics find it by the doer")
    func counted(_ person: Int) throws -> JSON? {
      try call(people[0], "chores.statistics", ["from": "2026-01-01", "to": "2027-01-01"])["people"]?[
        people[person].description]?["done"]
    }
    #expect(try counted(1) == 1)
    let event = try #require(try world.home().feed.activity.values.max { $0.n < $1.n })
    #expect(event.kind == .rotaDone && event.actor == people[1] && event.ref == tasks[0].cast())
    #expect(event.name == "Kitchen", "the feed has a name, also when the task is gone")
    // The same once more changes nothing; another who says that they did it learns who was first.
    let state = world.rooms[room].map(world.state)
    try call(people[1], "rota.tick", mark(0, monday, ["done": true]))
    #expect(world.rooms[room].map(world.state) == state)
    let late = refusal { try call(people[2], "rota.tick", mark(0, monday, ["done": true])) }
    #expect(late?.reason == "alreadyDone" && late?.details["by"] == .id(people[1]))
    #expect(late?.details["at"] == .at(world.now))
    for _ in 1...2 { try call(people[2], "rota.tick", mark(0, monday, ["done": false])) }
    turn = try #require(try world.home().turn(of: tasks[0], in: day(monday)))
    #expect(try turn.doneBy == nil && turn.doneAt == nil && history().isEmpty && counted(1) == nil)
    // A person may say that another one did it.
    try call(people[2], "rota.tick", mark(0, monday, ["done": true, "person": .id(people[0])]))
    #expect(try history().map { $0["by"] } == [.id(people[0])])
  }

  @Test("ROT-6: a tick is of this week or the last one, of a task that the rota has then, and by a member")
  func badTicks() throws {
    let people = try world.household(of: "Ana", "Ben")
    let stranger = try world.signUp("Eve")
    try rota(2, of: people)
    try advance(to: "2026-02-16T12:00:00Z")
    for (week, text) in [
      ("2026-02-02", "must be this week or the last one"), ("2026-02-23", "must be this week or the last one"),
      ("2026-02-17", "must be a Monday"),
    ] {
      let found = refusal { try call(people[0], "rota.tick", mark(0, week, ["done": true])) }
      #expect(found?.fields.map { "\($0.path) \($0.text)" } == ["week \(text)"])
    }
    let undone = mark(0, monday, ["done": false, "person": .id(people[1])])
    let found = refusal { try call(people[0], "rota.tick", undone) }
    #expect(Set(found?.fields.map(\.path) ?? []) == ["week", "person"])
    #expect(reason { try call(people[0], "rota.tick", mark(2, "2026-02-16", ["done": true])) } == "notFound/gone")
    let person: JSON = mark(0, "2026-02-16", ["done": true, "person": .id(stranger)])
    #expect(reason { try call(people[0], "rota.tick", person) } == "notFound/gone")
    for week in ["2026-02-09", "2026-02-16"] { try call(people[0], "rota.tick", mark(0, week, ["done": true])) }
    #expect(try Array(world.home().rota.weeks.keys) == ["2026-02-09", "2026-02-16"])
  }

  @Test("ROT-4: weeks, versions and tasks that are no longer shown go with the next change; the history stays")
  func pruning() throws {
    let people = try world.household(of: "Ana", "Ben")
    try rota(3, of: people)
    try call(people[0], "rota.tick", mark(2, monday, ["done": true]))
    try call(people[0], "rota.set", ["tasks": entries(2)])
    try advance(to: "2026-02-09T12:00:00Z")
    try call(people[0], "rota.tick", mark(0, next, ["done": true]))
    #expect(try world.home().rota.versions.count == 2 && world.home().rota.tasks.count == 3, "last week is shown")
    try advance(to: "2026-02-16T12:00:00Z")
    #expect(try world.home().rota.versions.count == 2)
    try call(people[0], "rota.tick", mark(0, "2026-02-16", ["done": true]))
    let home = try world.home()
    #expect(home.rota.versions.count == 1 && Array(home.rota.weeks.keys) == [next, "2026-02-16"])
    #expect(Set(home.rota.tasks.keys) == [tasks[0], tasks[1]])
    #expect(try call(people[0], "rota.list")["items"]?.array?.count == 3)
    #expect(reason { try rota(3, of: people) } == "conflict/exists", "the id of a task that is gone is not used again")
  }

  @Test("SYN-1: patches of ticks that are taken back and made again compose")
  func composition() throws {
    let people = try world.household(of: "Ana", "Ben")
    try rota(of: people)
    for person in people {
      try call(person, "rota.tick", mark(0, monday, ["done": true]))
      try call(person, "rota.tick", mark(0, monday, ["done": false]))
    }
    var sum: JSON = [:]
    for patch in try #require(world.patches[room]) { sum = try #require(MergePatch.compose(sum, patch)) }
  }
}
