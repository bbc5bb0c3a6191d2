import JSON
import Rooms
import TestSupport
import Testing

@testable import Home

@Suite("Notes and activity")
struct NoteTests {
  let id = ID<Household>(high: 0xB000, low: 1)
  let note = ID<Note>(high: 0xC000, low: 1)
  let world = World()

  @discardableResult func add(_ person: ID<Person>, _ parameters: JSON) throws -> JSON {
    try world.call(person, "notes.add", in: .household(id), parameters)
  }

  func edit(_ person: ID<Person>, _ parameters: JSON) throws {
    try world.call(person, "notes.edit", in: .household(id), parameters)
  }

  @Test("NTE-1: all members see a note, and all but its author are notified")
  func add() throws {
    let people = try world.household(of: "Ana", "Ben", "Cem")
    let answer = try add(
      people[1], ["id": .id(note), "text": "Milk is out\n", "colour": "pink", "place": ["x": 0.25, "y": 1]])
    #expect(answer["id"] == .id(note))
    let kept = try #require(try world.home().board.notes[note])
    #expect(kept.text == "Milk is out\n" && kept.colour == .pink && kept.place == Place(x: 0.25, y: 1))
    #expect(kept.author == people[1] && kept.at == world.now)
    #expect(kept.expiresAt == world.now + .seconds(7 * 24 * 3600))
    #expect(world.kinds(in: try world.me(people[0]).inbox.notifications).contains(.note))
    #expect(world.kinds(in: try world.me(people[2]).inbox.notifications) == [.note])
    #expect(try !world.me(people[1]).inbox.notifications.values.contains { $0.kind == .note })
    let told = try #require(try world.me(people[2]).inbox.notifications.values.first)
    #expect(told.ref == note.cast() && told.room == "household/\(id)" && told.actorName == "Ben")
  }

  @Test("NTE-1, REM-4: a muted notification is in the inbox, read, and urgent ones cannot be muted")
  func mute() throws {
    let people = try world.household(of: "Ana", "Ben")
    try world.call(people[1], "settings.edit", ["muted": ["note": true]])
    try add(people[0], ["text": "One"])
    func unread() throws -> [Bool] { try world.me(people[1]).inbox.notifications.values.map { $0.readAt == nil } }
    #expect(try unread() == [false])
    try world.call(people[1], "settings.edit", ["muted": ["note": false]])
    try add(people[0], ["text": "Two"])
    #expect(try unread().count == 2 && unread().contains(true))
    try world.call(people[1], "settings.edit", ["muted": ["note": true]])
    let found = refusal { try world.call(people[1], "settings.edit", ["muted": ["share": true, "ended": true]]) }
    #expect(Set(found?.fields.map(\.path) ?? []) == ["muted.share", "muted.ended"])
    // Off, on, off again: the patches of that compose (DESIGN "When composition is exact").
    var sum: JSON = [:]
    for patch in try #require(world.patches[.person(people[1])]) {
      sum = try #require(MergePatch.compose(sum, patch))
    }
    #expect(sum["settings"]?["muted"]?["note"] == true)
  }

  @Test("REM-7: a message that comes twice, as after a crash, leaves one notification; who was away finds each once")
  func onceEach() throws {
    let people = try world.household(of: "Ana", "Ben")
    let me = RoomID.person(people[1])
    world.deliversAtOnce = false
    for text in ["One", "Two"] { try world.call(people[0], "notes.add", in: .household(id), ["text": .string(text)]) }
    let mail = world.mail.filter { $0.message.target == me }
    while !world.mail.isEmpty { world.deliver(0) }
    let room = try #require(world.rooms[me])
    let tape = Tape()
    try withExtendedLifetime(tape) {
      for (source, message) in mail + mail {
        let body = try tape.parse(message.body.span)
        _ = room.take(body, from: source, number: message.number, Turn(now: world.now))
      }
    }
    let notes = try world.me(people[1]).inbox.notifications.values.filter { $0.kind == .note }
    #expect(mail.count == 2 && notes.count == 2 && Set(notes.map(\.ref)).count == 2)
  }

  @Test("REM-6: the notification of a note is read everywhere once the note is removed, or is over")
  func resolving() throws {
    let people = try world.household(of: "Ana", "Ben", "Cem")
    let first = try #require(try add(people[0], ["text": "One"])["id"])
    try add(people[0], ["text": "Two", "lifetime": 60_000])
    func unread(_ person: ID<Person>) throws -> Int {
      try world.me(person).inbox.notifications.values.count { $0.kind == .note && $0.readAt == nil }
    }
    #expect(try unread(people[1]) == 2 && unread(people[2]) == 2)
    world.advance(.seconds(1))
    try world.call(people[0], "notes.remove", in: .household(id), ["id": first])
    #expect(try unread(people[1]) == 1 && unread(people[2]) == 1)
    let read = try world.me(people[1]).inbox.notifications.values.compactMap(\.readAt)
    #expect(read == [world.now])
    world.advance(.seconds(60))
    #expect(try unread(people[1]) == 0 && unread(people[2]) == 0)
  }

  @Test("NTE-1: a note's text has 1 to 2,000 characters, not only white space")
  func textLimit() throws {
    let ana = try world.household(of: "Ana")[0]
    for (text, isAllowed) in [
      ("", false), (" \n", false), ("a", true), (String(repeating: "é", count: 2000), true),
      (String(repeating: "é", count: 2001), false), ("a\u{7}", false),
    ] {
      #expect((reason { try add(ana, ["text": .string(text)]) } == nil) == isAllowed)
    }
  }

  @Test("NTE-1: all invalid fields of a note are named")
  func badFields() throws {
    let ana = try world.household(of: "Ana")[0]
    let rows: [(parameters: JSON, bad: Set<String>)] = [
      ([:], ["text"]), (["text": "a", "author": .id(ana)], ["author"]),
      (["text": "a", "colour": "mauve", "place": ["x": 1.01, "y": -0.1]], ["colour", "place.x", "place.y"]),
      (["text": "a", "place": ["x": 1]], ["place.y"]), (["text": "a", "expiresAt": "tomorrow"], ["expiresAt"]),
    ]
    for row in rows {
      let found = refusal { try add(ana, row.parameters) }
      #expect(Set(found?.fields.map(\.path) ?? []) == row.bad)
    }
    #expect(try world.home().board.notes.isEmpty)
  }

  @Test(
    "NTE-1: the place of a note is on the board", arguments: [(-0.001, false), (0, true), (1, true), (1.001, false)])
  func placeLimit(x: Double, isAllowed: Bool) throws {
    let ana = try world.household(of: "Ana")[0]
    let found = refusal {
      try add(ana, ["text": "a", "place": ["x": JSON.Number(x).map(JSON.number) ?? .null, "y": 0]])
    }
    #expect(found?.fields.map(\.path) == (isAllowed ? nil : ["place.x"]))
  }

  @Test("NTE-1: a board holds at most 200 notes")
  func countLimit() throws {
    let ana = try world.household(of: "Ana")[0]
    world.checksStates = false
    for number in 1...200 { try add(ana, ["text": .string("\(number)")]) }
    #expect(reason { try add(ana, ["id": .id(note), "text": "more"]) } == "tooLarge/notes")
    let any = try #require(try world.home().board.notes.keys.first)
    try world.call(ana, "notes.remove", in: .household(id), ["id": .id(any)])
    try add(ana, ["id": .id(note), "text": "more"])
    #expect(reason { try world.call(ana, "notes.restore", in: .household(id), ["id": .id(any)]) } == "tooLarge/notes")
  }

  @Test("NTE-3: a note lives 1 minute to 365 days, or without end")
  func lifetime() throws {
    let ana = try world.household(of: "Ana")[0]
    let (minute, year) = (Duration.seconds(60), Duration.seconds(365 * 24 * 3600))
    for (lifetime, isAllowed) in [
      (minute - .milliseconds(1), false), (minute, true), (year, true), (year + .milliseconds(1), false),
    ] {
      let found = refusal { try add(ana, ["text": "a", "expiresAt": .at(world.now + lifetime)]) }
      #expect(found?.fields.map(\.path) == (isAllowed ? nil : ["expiresAt"]))
    }
    let both = refusal { try add(ana, ["text": "a", "expiresAt": .at(world.now + minute), "keep": true]) }
    #expect(both?.fields.map(\.path) == ["keep"])
    let kept = try add(ana, ["text": "a", "keep": true])
    #expect(kept["expiresAt"] == nil)
  }

  @Test("R-029: a note is there until its time and not longer, however far away that is")
  func far() throws {
    let ana = try world.household(of: "Ana")[0]
    // Around the 2^31 and 2^32 milliseconds that some timers can count.
    let lives = [24.8, 24.9, 49.7, 49.8, 365].map { Duration.milliseconds(Int64($0 * 86_400_000)) }
    let start = world.now
    for life in lives { try add(ana, ["text": "\(life)", "expiresAt": .at(start + life)]) }
    try add(ana, ["text": "kept", "keep": true])
    for (index, life) in lives.enumerated() {
      world.advance(start + life - .milliseconds(1) - world.now)
      #expect(try world.home().board.notes.count == lives.count - index + 1)
      world.advance(.milliseconds(1))
      #expect(try world.home().board.notes.count == lives.count - index)
    }
    #expect(try world.home().board.notes.values.map(\.text) == ["kept"])
  }

  @Test("NTE-3: a note disappears when it expires, and cannot be edited or restored then")
  func expiry() throws {
    let ana = try world.household(of: "Ana")[0]
    try add(ana, ["id": .id(note), "text": "a", "expiresAt": .at(world.now + .seconds(60))])
    world.advance(.seconds(60) - .milliseconds(1))
    #expect(try world.home().board.notes.contains(note))
    // The moment has come, the timer has not fired.
    world.now = world.now + .milliseconds(1)
    let late: JSON = ["id": .id(note), "text": "b", "expiresAt": .at(world.now + .seconds(3600))]
    #expect(reason { try edit(ana, late) } == "notFound/gone")
    world.advance(.zero)
    #expect(try !world.home().board.notes.contains(note))
    #expect(reason { try edit(ana, late) } == "notFound/gone")
    #expect(reason { try add(ana, ["id": .id(note), "text": "again"]) } == "conflict/exists")
    let restored = reason { try world.call(ana, "notes.restore", in: .household(id), ["id": .id(note)]) }
    #expect(restored == "notFound/gone")
  }

  @Test("NTE-3: an edit may prolong a note or keep it without end")
  func prolong() throws {
    let ana = try world.household(of: "Ana")[0]
    try add(ana, ["id": .id(note), "text": "a", "expiresAt": .at(world.now + .seconds(60))])
    try edit(ana, ["id": .id(note), "expiresAt": .at(world.now + .seconds(120))])
    world.advance(.seconds(100))
    #expect(try world.home().board.notes.contains(note))
    try edit(ana, ["id": .id(note), "expiresAt": .null])
    world.advance(.seconds(30 * 24 * 3600))
    #expect(try world.home().board.notes[note]?.expiresAt == nil)
    #expect(try world.home().board.notes.contains(note))
  }

  @Test("NTE-4, HH-15: only its author and the host remove a note")
  func remove() throws {
    let people = try world.household(of: "Ana", "Ben", "Cem")
    func remove(_ person: ID<Person>, _ note: ID<Note>) -> String? {
      reason { try world.call(person, "notes.remove", in: .household(id), ["id": .id(note)]) }
    }
    let other = ID<Note>(high: 0xC000, low: 2)
    try add(people[1], ["id": .id(note), "text": "secret"])
    try add(people[1], ["id": .id(other), "text": "secret"])
    #expect(remove(people[2], note) == "forbidden/forbidden")
    #expect(remove(people[1], note) == nil)
    #expect(remove(people[0], other) == nil)
    #expect(remove(people[0], other) == "notFound/gone")
    #expect(remove(people[0], ID(high: 0xC000, low: 3)) == "notFound/gone")
    #expect(!world.state(of: try #require(world.rooms[.household(id)])).text.contains("secret"))
  }

  @Test("NTE-4, HH-16, R-DEL: a removed note can be restored for ten minutes, with a new id that refers to the old one")
  func restore() throws {
    let people = try world.household(of: "Ana", "Ben", "Cem")
    let back = ID<Note>(high: 0xC000, low: 2)
    try add(people[1], ["id": .id(note), "text": "a", "place": ["x": 0, "y": 0]])
    try world.call(people[1], "notes.remove", in: .household(id), ["id": .id(note)])
    world.advance(.seconds(600) - .milliseconds(1))
    let request: JSON = ["id": .id(note), "newId": .id(back)]
    let stranger = reason { try world.call(people[2], "notes.restore", in: .household(id), request) }
    #expect(stranger == "forbidden/forbidden")
    let same = reason {
      try world.call(people[1], "notes.restore", in: .household(id), ["id": .id(note), "newId": .id(note)])
    }
    #expect(same == "conflict/exists")
    #expect(try world.call(people[1], "notes.restore", in: .household(id), request)["id"] == .id(back))
    #expect(try world.home().board.notes[back]?.was == note)
    #expect(try world.home().board.notes[back]?.text == "a")
    #expect(reason { try world.call(people[1], "notes.restore", in: .household(id), request) } == "notFound/gone")

    try world.call(people[1], "notes.remove", in: .household(id), ["id": .id(back)])
    world.advance(.seconds(600))
    let late = reason { try world.call(people[1], "notes.restore", in: .household(id), ["id": .id(back)]) }
    #expect(late == "notFound/gone")
    #expect(try world.home().board.removedNotes.isEmpty)
  }

  @Test("R-DEL: the id of a removed note is remembered for 30 days")
  func remembered() throws {
    let ana = try world.household(of: "Ana")[0]
    try add(ana, ["id": .id(note), "text": "a"])
    try world.call(ana, "notes.remove", in: .household(id), ["id": .id(note)])
    world.advance(.seconds(30 * 24 * 3600) - .milliseconds(1))
    #expect(reason { try add(ana, ["id": .id(note), "text": "b"]) } == "conflict/exists")
    world.advance(.seconds(2 * 24 * 3600))
    #expect(try world.home().ids.removed.isEmpty)
    #expect(world.rooms[.household(id)]?.nextDue == nil)
  }

  @Test("R-DEL: of 20,000 removed ids one more makes the oldest tenth leave, and nobody is refused anything new")
  func manyRemoved() {
    var home = HouseholdState()
    func id(_ number: Int) -> ID<Thing> { ID(high: 7, low: UInt64(number)) }
    for number in 1...20_000 { home.forget(id(number), at: Instant(milliseconds: Int64(number))) }
    #expect(home.ids.removed.count == 20_000)
    home.forget(id(20_001), at: Instant(milliseconds: 20_001))
    #expect(home.ids.removed.count == 18_000)
    #expect(throws: Refusal.self) { try home.checkNew(id(2_002)) }
    #expect(throws: Never.self) { try home.checkNew(id(2_001)) }
    #expect(throws: Never.self) { try home.checkNew(id(30_000)) }
  }

  @Test("NTE-5: an edit changes only the given fields, and records its author and time")
  func edits() throws {
    let people = try world.household(of: "Ana", "Ben", "Cem")
    try add(people[1], ["id": .id(note), "text": "a", "colour": "red"])
    world.advance(.seconds(1))
    #expect(reason { try edit(people[2], ["id": .id(note), "text": "b"]) } == "forbidden/forbidden")
    try edit(people[0], ["id": .id(note), "place": ["x": 0.5, "y": 0.5]])
    try edit(people[1], ["id": .id(note), "place": ["x": 0.5, "y": 0.75], "colour": .null])
    let kept = try #require(try world.home().board.notes[note])
    #expect(kept.text == "a" && kept.colour == nil && kept.place == Place(x: 0.5, y: 0.75))
    #expect(kept.author == people[1] && kept.editedBy == people[1] && kept.editedAt == world.now)
    #expect(world.patches[.household(id)]?.last?["notes"]?[note.description]?["place"] == ["y": 0.75])
    let found = refusal { try edit(people[1], ["id": .id(note), "text": .null, "place": .null]) }
    #expect(found?.fields.map(\.path) == ["text", "place"])
  }

  @Test("ACC-2: one error names the bad fields of the form and those of the rule")
  func badFieldsTogether() throws {
    let ana = try world.household(of: "Ana")[0]
    let soon = JSON.at(world.now + .seconds(30))
    let bad: [(String, RoomID, JSON, Set<String>)] = [
      ("notes.add", .household(id), ["text": "", "expiresAt": soon], ["text", "expiresAt"]),
      ("notes.add", .household(id), ["text": "", "keep": true, "expiresAt": soon], ["text", "keep", "expiresAt"]),
      ("notes.add", .household(id), ["text": "a", "lifetime": 59_999, "colour": "red!"], ["lifetime", "colour"]),
      ("joinCodes.create", .household(id), ["uses": 0, "expiresAt": .at(world.now)], ["uses", "expiresAt"]),
      (
        "shares.start", .person(ana), ["note": "", "until": .at(world.now), "receivers": [.id(ana)]],
        ["note", "until"]
      ),
    ]
    for number in 1...2 {
      let item: JSON = ["id": .id(ID<Grocery>(low: UInt64(number))), "name": "Milk"]
      try world.call(ana, "groceries.add", in: .household(id), item)
    }
    let edit: JSON = ["id": .id(ID<Grocery>(low: 1)), "name": .null, "quantity": 2]
    for (method, room, parameters, fields) in bad + [("groceries.edit", .household(id), edit, ["name", "source"])] {
      let found = refusal { try world.call(ana, method, in: room, parameters) }
      #expect(Set(found?.fields.map(\.path) ?? []) == fields, "\(method) \(parameters.text)")
    }
  }

  @Test("ACT-1: the state has the newest 30 events, and the history has all of them")
  func activity() throws {
    let ana = try world.household(of: "Ana")[0]
    for number in 1...29 { try add(ana, ["text": .string("\(number)")]) }
    // With those of founding it are thirty.
    #expect(try world.home().feed.activity.count == 30)
    #expect(try world.home().feed.activity.values.contains { $0.kind == .founded })
    try add(ana, ["id": .id(note), "text": "31"])
    let events = try world.home().feed.activity.values.sorted { $0.n < $1.n }
    #expect(events.map(\.n) == Array(2...31))
    let last = try #require(events.last)
    #expect(last.kind == .noteAdded && last.actor == ana && last.ref == note.cast() && last.at == world.now)
    #expect(world.history[.household(id)]?.count == 31)
    #expect(world.history[.household(id)]?.allSatisfy { $0.kind == "activity" && $0.id.count == 16 } == true)
  }

  @Test(
    "ACT-1, R-032: pages are in the order of `n`, also within a millisecond and after the clock was set back",
    arguments: [1, 7, 30, 100])
  func activityPages(limit: Int) throws {
    let ana = try world.household(of: "Ana")[0]
    for number in 1...40 {
      if number == 20 { world.now = world.now - .seconds(3600) }
      try add(ana, ["text": .string("\(number)")])
    }
    var numbers: [Int] = []
    var cursor: JSON = .null
    while true {
      let page = try world.call(
        ana, "activity.list", in: .household(id), ["limit": .number(JSON.Number(limit)), "before": cursor])
      numbers += page["items"]?.array?.compactMap { $0["n"]?.int } ?? []
      // An event that is added meanwhile moves no older page.
      if numbers.count == limit { try add(ana, ["text": "more"]) }
      guard let next = page["next"] else { break }
      cursor = next
    }
    #expect(numbers == Array((1...41).reversed()))
    for bad: JSON in [["limit": 0], ["limit": 101], ["before": "nonsense"], ["page": 1]] {
      let found = refusal { try world.call(ana, "activity.list", in: .household(id), bad) }
      #expect(Set(found?.fields.map(\.path) ?? []).count == 1, "\(bad.text)")
    }
  }

  @Test("ACT-2: a client that missed many changes gets the newest 30 events from one composed patch")
  func activityConflated() throws {
    let ana = try world.household(of: "Ana")[0]
    for number in 1...50 { try add(ana, ["text": .string("\(number)")]) }
    let patches = try #require(world.patches[.household(id)])
    var sum = patches[0]
    for patch in patches.dropFirst() { sum = try #require(MergePatch.compose(sum, patch)) }
    let state = MergePatch.apply(sum, to: [:])
    #expect(state["activity"]?.object?.count == 30)
    #expect(state["activity"]?.object?.values.compactMap { $0["n"]?.int }.min() == 22)
  }

  @Test("ACT-3: changes to a corner, a person's room, a share or an invitation cause no activity")
  func privacy() throws {
    let people = try world.household(of: "Ana", "Ben")
    let before = try world.home().feed.activity.count
    let version = world.rooms[.household(id)]?.version
    try world.call(people[0], "groceries.add", in: .corner(id, people[0]), ["name": "Ring"])
    try world.call(people[0], "inbox.read", ["all": true])
    let until = world.now + .seconds(3600)
    try world.call(people[0], "shares.start", ["receivers": [.id(people[1])], "until": .at(until)])
    #expect(try world.home().feed.activity.count == before)
    #expect(world.rooms[.household(id)]?.version == version)
    try world.call(people[0], "invitations.send", ["household": .id(id), "email": "cem@example.org"])
    try world.call(people[0], "joinCodes.create", in: .household(id))
    #expect(try world.home().feed.activity.count == before)
    #expect(!world.state(of: try #require(world.rooms[.household(id)])).text.contains("Ring"))
  }

  @Test("R-NOTIFY: notifications are marked as read by id or all together, and keep the first time")
  func read() throws {
    let people = try world.household(of: "Ana", "Ben")
    try add(people[0], ["text": "One"])
    try add(people[0], ["text": "Two"])
    let ids = try world.me(people[1]).inbox.notifications.keys.sorted()
    try world.call(people[1], "inbox.read", ["ids": [.id(ids[0]), .id(ID<Notification>(high: 1, low: 1))]])
    let readAt = world.now
    world.advance(.seconds(1))
    try world.call(people[1], "inbox.read", ["all": true])
    #expect(try world.me(people[1]).inbox.notifications[ids[0]]?.readAt == readAt)
    #expect(try world.me(people[1]).inbox.notifications[ids[1]]?.readAt == world.now)
    for bad: JSON in [[:], ["all": false], ["ids": [.id(ids[0])], "all": true], ["ids": []]] {
      #expect(refusal { try world.call(people[1], "inbox.read", bad) }?.code == .invalidParams)
    }
  }

  @Test("R-NOTIFY: the newest 200 notifications are kept for 30 days")
  func inboxLimits() throws {
    let people = try world.household(of: "Ana", "Ben")
    world.checksStates = false
    for number in 1...201 {
      world.advance(.milliseconds(1))
      let added = try add(people[0], ["text": .string("\(number)")])
      if number > 100 {
        try world.call(people[0], "notes.remove", in: .household(id), ["id": added["id"] ?? .null])
      }
      #expect(try world.me(people[1]).inbox.notifications.count == min(number, 200))
    }
    let times = try world.me(people[1]).inbox.notifications.values.map(\.at)
    #expect(times.min() == world.now - .milliseconds(199))
    world.advance(.seconds(30 * 24 * 3600) - .milliseconds(199))
    #expect(try world.me(people[1]).inbox.notifications.count == 199)
    world.advance(.seconds(1))
    #expect(try world.me(people[1]).inbox.notifications.isEmpty)
  }
}
