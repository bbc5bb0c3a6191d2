import JSON
import Rooms
import Testing

@testable import Home

@Suite("Chat and reactions")
struct ChatTests {
  let id = ID<Household>(high: 0xB000, low: 1)
  let world = World()

  var room: RoomID { .household(id) }

  @discardableResult
  func send(_ person: ID<Person>, _ text: String = "Hi") throws -> ID<ChatMessage> {
    let answer = try world.call(person, "chat.send", in: room, ["text": .string(text)])
    return try #require(answer["id"]?.string.flatMap { ID<ChatMessage>($0) })
  }

  func mark(_ person: ID<Person>) throws -> ChatMark? { try world.me(person).chats.chats[id] }

  func page(_ person: ID<Person>, before: JSON? = nil, limit: Int = 100) throws -> JSON {
    var parameters: [String: JSON] = ["limit": .number(JSON.Number(limit))]
    if let before { parameters["before"] = before }
    return try world.call(person, "chat.list", in: room, .object(parameters))
  }

  // MARK: messages

  @Test("NTE-6: a message is in the state with its author, its time and its number")
  func sending() throws {
    let people = try world.household(of: "Ana", "Ben")
    let chosen = ID<ChatMessage>(high: 5, low: 5)
    let answer = try world.call(people[1], "chat.send", in: room, ["id": .id(chosen), "text": "Who has\nmy key?"])
    #expect(answer["id"] == .id(chosen) && answer["n"] == 1)
    let message = try #require(try world.home().chat.chat[chosen])
    #expect(message == ChatMessage(text: "Who has\nmy key?", author: people[1], at: world.now, n: 1))
    #expect(try world.call(people[0], "chat.send", in: room, ["text": "Me"])["n"] == 2)
    #expect(
      reason { try world.call(people[0], "chat.send", in: room, ["id": .id(chosen), "text": "x"]) } == "conflict/exists"
    )
    let blank = refusal { try world.call(people[0], "chat.send", in: room, ["text": " \n "]) }
    #expect(blank?.fields.map(\.path) == ["text"])
    // Chat makes no events and fills no inbox.
    #expect(try world.home().feed.activity.values.allSatisfy { $0.kind == .founded || $0.kind == .joined })
    #expect(try world.me(people[1]).inbox.notifications.isEmpty)
  }

  @Test("NTE-6: the newest 50 messages are in the state, the others come in pages, in order, none twice")
  func paging() throws {
    let people = try world.household(of: "Ana", "Ben")
    for number in 1...175 {
      try send(people[number % 2], "\(number)")
      // Several messages of one millisecond keep their order.
      if number.isMultiple(of: 7) { world.advance(.milliseconds(1)) }
    }
    let home = try world.home()
    #expect(home.chat.chat.values.map(\.n).sorted() == Array(126...175))
    var texts: [String] = []
    var before: JSON?
    repeat {
      let answer = try page(people[0], before: before, limit: 40)
      texts += (answer["items"]?.array ?? []).compactMap { $0["message"]?["text"]?.string }
      before = answer["next"]
    } while before != nil
    #expect(texts == (1...125).reversed().map(String.init))
    let oldest = try page(people[1])["items"]?[0]
    let used = try #require(oldest?["id"])
    #expect(
      reason { try world.call(people[1], "chat.send", in: room, ["id": used, "text": "x"]) } == "conflict/exists")
  }

  @Test("NTE-6: of all messages the newest 1,000 are kept")
  func kept() throws {
    world.checksStates = false
    let ana = try world.household(of: "Ana")[0]
    for number in 1...1003 { try send(ana, "\(number)") }
    var numbers: [Int] = []
    var before: JSON?
    repeat {
      let answer = try page(ana, before: before)
      numbers += (answer["items"]?.array ?? []).compactMap { $0["message"]?["n"]?.int }
      before = answer["next"]
    } while before != nil
    #expect(numbers == Array((4...953).reversed()))
    #expect(numbers.count + (try world.home().chat.chat.count) == Limits.chatHistory)
  }

  @Test("NTE-6, HH-15: its author and the host remove a message, for good")
  func removing() throws {
    let people = try world.household(of: "Ana", "Ben", "Cem")
    let (first, second) = (try send(people[1]), try send(people[1]))
    func remove(_ person: ID<Person>, _ message: ID<ChatMessage>) -> String? {
      reason { try world.call(person, "chat.remove", in: room, ["id": .id(message)]) }
    }
    #expect(remove(people[2], first) == "forbidden/forbidden")
    #expect(remove(people[1], first) == nil && remove(people[0], second) == nil)
    #expect(remove(people[1], first) == "notFound/gone")
    #expect(try world.home().chat.chat.isEmpty)
    #expect(
      reason { try world.call(people[1], "chat.send", in: room, ["id": .id(first), "text": "x"]) } == "conflict/exists")
    // Numbers go on.
    try send(people[1])
    #expect(try world.home().chat.chat.values.map(\.n) == [3])
  }

  // MARK: unread messages

  @Test("NTE-6: each member's own room counts what they have not read, on all devices")
  func unread() throws {
    let people = try world.household(of: "Ana", "Ben")
    try send(people[0])
    try send(people[0])
    #expect(try mark(people[0]) == ChatMark(n: 2, read: 2))
    #expect(try mark(people[1]) == ChatMark(n: 2, read: 0))
    try send(people[0])
    func read(_ n: Int?) throws {
      var parameters: [String: JSON] = ["household": .id(id)]
      if let n { parameters["n"] = .number(JSON.Number(n)) }
      try world.call(people[1], "chat.read", .object(parameters))
    }
    try read(2)
    #expect(try mark(people[1]) == ChatMark(n: 3, read: 2))
    // Reading never goes back, nor beyond the newest.
    try read(1)
    try read(9)
    #expect(try mark(people[1]) == ChatMark(n: 3, read: 3))
    try send(people[0])
    try read(nil)
    #expect(try mark(people[1]) == ChatMark(n: 4, read: 4))
    try send(people[0])
    // An answer shows that all before it was seen.
    try send(people[1])
    #expect(try mark(people[1]) == ChatMark(n: 6, read: 6) && mark(people[0]) == ChatMark(n: 6, read: 5))
  }

  @Test("NTE-6: a newcomer has nothing to catch up with, and who leaves keeps no count")
  func newcomers() throws {
    let ana = try world.household(of: "Ana")[0]
    for _ in 1...3 { try send(ana) }
    let ben = try world.signUp("Ben")
    #expect(reason { try world.call(ben, "chat.read", ["household": .id(id)]) } == "notFound/room")
    try world.join([ben], id)
    #expect(try mark(ben) == nil)
    try world.call(ben, "chat.read", ["household": .id(id)])
    try send(ana)
    #expect(try mark(ben) == ChatMark(n: 4, read: 3))
    try world.call(ben, "members.leave", in: room)
    #expect(try mark(ben) == nil)
  }

  // MARK: reactions

  @Test("NTE-6: members add emoji to messages and notes, and take them back")
  func reactions() throws {
    let people = try world.household(of: "Ana", "Ben")
    let message = try send(people[0])
    let note = try #require(try world.call(people[0], "notes.add", in: room, ["text": "Hi"])["id"])
    let thumb = try #require(Emoji("👍🏽"))
    for (method, thing) in [("chat.react", JSON.id(message)), ("notes.react", note)] {
      func react(_ person: ID<Person>, _ emoji: JSON, _ isOn: Bool) -> String? {
        reason { try world.call(person, method, in: room, ["id": thing, "emoji": emoji, "on": .bool(isOn)]) }
      }
      func now() throws -> Reactions {
        let home = try world.home()
        if method == "chat.react" { return try #require(home.chat.chat[message]).reactions }
        return try #require(home.board.notes.values.first).reactions
      }
      for person in people { #expect(react(person, "👍🏽", true) == nil) }
      #expect(try now() == [thumb: [people[0]: true, people[1]: true]])
      // On, off and on again composes (DESIGN, "When composition is exact"); `World` folds every patch.
      #expect(react(people[0], "👍🏽", false) == nil && react(people[1], "👍🏽", false) == nil)
      #expect(try now()[thumb]?.isEmpty == true)
      #expect(react(people[0], "❤️", false) == nil)
      #expect(react(people[0], "👍🏽", true) == nil)
      var sum: JSON = [:]
      for patch in try #require(world.patches[room]) { sum = try #require(MergePatch.compose(sum, patch)) }
      let table = method == "chat.react" ? "chat" : "notes"
      let folded = sum[table]?[thing.string ?? ""]?["reactions"]?["👍🏽"]
      #expect(folded?["\(people[0])"] == true && folded?["\(people[1])"] == .null, "\(String(describing: folded))")
      #expect(react(people[0], "x", true) == "invalidParams/invalidParams")
    }
    let gone = reason {
      try world.call(
        people[0], "chat.react", in: room, ["id": .id(ID<ChatMessage>(high: 1, low: 1)), "emoji": "👍", "on": true])
    }
    #expect(gone == "notFound/gone")
  }

  @Test(
    "NTE-6: an emoji is one character that shows a picture",
    arguments: [
      ("👍", true), ("👍🏽", true), ("❤️", true), ("👨‍👩‍👧‍👦", true), ("🇩🇪", true), ("1️⃣", true), ("", false),
      ("a", false), ("1", false),
      ("#", false), ("👍👍", false), (" 👍", false), ("❤", false), ("\u{FE0F}", false), ("€", false),
      (
        "👍\u{301}\u{301}\u{301}\u{301}\u{301}\u{301}\u{301}\u{301}\u{301}\u{301}\u{301}\u{301}\u{301}\u{301}\u{301}",
        false
      ),
    ])
  func emoji(text: String, isOne: Bool) {
    #expect((Emoji(text) != nil) == isOne)
  }
}
