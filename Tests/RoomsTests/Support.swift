import JSON

@testable import Rooms

/// A small kind of room, to test rooms without a domain: pinned papers, a hidden count, a live light.
struct Board: RoomState {
  static let kind = RoomKindName.household
  static let methods: [Method] = []
  static let messages: [MessageHandler<Board>] = [.of(Post.self)]

  var papers = Table<ID<Paper>, Paper>()
  var title = Single<Title>()
  var readers = Table<ID<Person>, Reader>()
  var count = Single<Tally>()
  var light = Single<Light>()
  var switching = Single<Tally>()

  mutating func parts(_ part: inout some PartVisitor) {
    part("papers", &papers)
    part("title", &title)
    part("readers", &readers)
    part("count", &count, .hidden)
    part("light", &light, .kept)
    part("switching", &switching, .unseen)
  }

  func admits(_ person: ID<Person>, to room: RoomID) -> Bool { readers.isEmpty || readers.contains(person) }
  var nextDue: Instant? { papers.values.compactMap(\.until).min() }

  mutating func fallDue(in context: Context) {
    for (id, paper) in papers where paper.until.map({ $0 <= context.now }) ?? false { papers[id] = nil }
  }
}

struct Paper: Record {
  var text = ""
  var until: Instant?
  var size: Int?
  var marks: SmallMap<String, Bool> = [:]
  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("text", \.text, 1...20)
    field("until", \.until)
    field("size", \.size, 1...9)
    field("marks", \.marks, 0...3)
  }
}

struct Title: Record {
  var text = ""
  static func fields(_ field: inout some FieldVisitor<Self>) { field("text", \.text) }
}

struct Reader: Record {
  var name = ""
  static func fields(_ field: inout some FieldVisitor<Self>) { field("name", \.name) }
}

struct Tally: Record {
  var pinned = 0
  static func fields(_ field: inout some FieldVisitor<Self>) { field("pinned", \.pinned) }
}

struct Light: Record {
  var isOn = false
  static func fields(_ field: inout some FieldVisitor<Self>) { field("isOn", \.isOn) }
}

struct PaperAnswer: Record {
  var id = ID<Paper>()
  static func fields(_ field: inout some FieldVisitor<Self>) { field("id", \.id) }
}

/// Pins a paper.
struct Pin: Mutation {
  static let method: StaticString = "papers.pin"
  static let summary: StaticString = "Pins a paper."
  var id: ID<Paper>?
  var text = ""
  var until: Instant?
  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("id", \.id)
    field("text", \.text, 1...20)
    field("until", \.until)
  }
  func apply(to board: inout Board, in context: Context) throws(Refusal) -> PaperAnswer {
    let id = context.newID(id)
    board.count.value.pinned += 1
    if board.papers.contains(id) { throw Refusal(.conflict, "exists", "There is such a paper.") }
    board.papers[id] = Paper(text: text, until: until)
    if text == "tell" { context.send(Post(text: text), to: .household(ID(high: 9, low: 9))) }
    if text == "out" { context.expel(context.person, reason: "out") }
    if text == "over" { context.endRoom(reason: "over") }
    return PaperAnswer(id: id)
  }
}

/// Changes a paper.
struct Edit: Mutation {
  static let method: StaticString = "papers.edit"
  static let summary: StaticString = "Changes a paper."
  var id = ID<Paper>()
  var text: String?
  var size = Change<Int>.unchanged
  var mark: String?
  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("id", \.id)
    field("text", \.text, 1...20)
    field("size", \.size, 1...9)
    field("mark", \.mark)
  }
  func apply(to board: inout Board, in context: Context) throws(Refusal) -> NoAnswer {
    guard var paper = board.papers[id] else { throw Refusal(.notFound, "gone", "No such paper.") }
    if let text { paper.text = text }
    size.apply(to: &paper.size)
    if let mark { paper.marks[mark] = paper.marks[mark] == nil ? true : nil }
    board.papers[id] = paper
    return NoAnswer()
  }
}

/// Takes a paper off.
struct Unpin: Mutation {
  static let method: StaticString = "papers.unpin"
  static let summary: StaticString = "Takes a paper off."
  var id = ID<Paper>()
  static func fields(_ field: inout some FieldVisitor<Self>) { field("id", \.id) }
  func apply(to board: inout Board, in context: Context) throws(Refusal) -> NoAnswer {
    guard board.papers.contains(id) else { throw Refusal(.notFound, "gone", "No such paper.") }
    board.papers[id] = nil
    return NoAnswer()
  }
}

/// Does all that a rule can do beside changing the document, and is refused.
struct Regret: Mutation {
  static let method: StaticString = "papers.regret"
  static let summary: StaticString = "Does everything, and is refused."
  static func fields(_ field: inout some FieldVisitor<Self>) {}
  func apply(to board: inout Board, in context: Context) throws(Refusal) -> NoAnswer {
    board.papers[context.newID(nil as ID<Paper>?)] = Paper(text: "a")
    context.record("note", id: Array(repeating: 3, count: 16), Title())
    context.send(Post(text: "a"), to: .household(ID(high: 9, low: 9)))
    context.admit(secretHash: [4])
    context.forget(secretHash: [5])
    if let call = context.call { context.complete(call, Title()) }
    context.expel(context.person, reason: "out")
    context.endRoom(reason: "over")
    throw Refusal(.conflict, "regret", "It is not so.")
  }
}

extension TypedRoom<Board> {
  /// Switches the light on.
  func switchOn(_ turn: Turn) throws(Refusal) {
    try performLive(turn) { board, _ in
      board.light.value.isOn = true
      board.switching.value.pinned += 1
    }
  }

  /// Switches the light, counts that, and refuses.
  func flicker(_ turn: Turn) throws(Refusal) {
    try performLive(turn) { board, _ throws(Refusal) in
      board.light.value.isOn.toggle()
      board.switching.value.pinned += 1
      board.count.value.pinned += 1
      throw Refusal(.conflict, "regret", "It is not so.")
    }
  }
}

struct Post: Message {
  static let name = "post"
  static let opensRoom = true
  var text = ""
  static func fields(_ field: inout some FieldVisitor<Self>) { field("text", \.text) }
  func apply(to board: inout Board, from source: RoomID, in context: Context) {
    board.papers[context.newID(nil as ID<Paper>?)] = Paper(text: text)
  }
}

let ana = ID<Person>(high: 1, low: 1)
let time = Instant("2026-05-01T09:00:00Z") ?? Instant()

func makeBoard() -> TypedRoom<Board> {
  let room = TypedRoom<Board>(.household(ID(high: 7, low: 7)))
  room.open(random: Array(repeating: 1, count: 16), key: Array(repeating: 2, count: 32))
  return room
}

extension Room {
  /// Seals, and answers the patch, the entry and the rest.
  func sealed(by person: ID<Person>? = nil, at now: Instant = time) -> (patch: JSON?, entry: JSON, rest: SealedRoom) {
    let writer = Writer(capacity: 256)
    let sealed = seal(at: now, by: person, to: writer)
    let parameters = try? JSON.parse(Array(writer.bytes()[sealed.parameters]))
    let entry = (try? JSON.parse(sealed.entry)) ?? .null
    return (parameters?["patch"], entry, sealed)
  }

  var stateJSON: JSON {
    let writer = Writer(capacity: 256)
    writeState(to: writer)
    return (try? JSON.parse(writer.bytes())) ?? .null
  }
}
