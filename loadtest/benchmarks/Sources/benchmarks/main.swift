import Home
import JSON
import Rooms

// What one mutation costs, without sockets, frames and disk: DESIGN expects a whole one under 2 µs, and a refused one to
// be undone in 0.2 µs.

let home = try SampleHome()
let addNote = try home.method("notes.add")
let editItem = try home.method("groceries.edit")
let tape = Tape()
let problems = Problems()
let frame = Writer(capacity: 4096)
let members = Writer(capacity: 4096)
let room = SampleHome.id
let author = SampleHome.people[0]

/// Calls as they come: the whole message, with ids chosen by the client.
let messages: [[UInt8]] = (1...100).map { number in
  let id = ID<Note>(high: 0x3000_0000_0000_8000, low: 0x8000_0000_0000_0000 | UInt64(number))
  return Array(
    """
    {"jsonrpc":"2.0","id":\(number),"method":"notes.add","params":{"room":"household/\(room)","seq":\(number),\
    "id":"\(id)","text":"The plumber comes on Thursday between nine and eleven, somebody has to be in."}}
    """.utf8)
}

func parameters(_ message: [UInt8]) throws -> View {
  guard let view = try tape.parse(message.span)[key: "params"] else { throw Failure(what: "no parameters") }
  for name in ["room", "seq"] { _ = view[key: name] }
  return view
}

func turn(_ number: Int) -> Turn {
  Turn(
    caller: author, now: SampleHome.now,
    call: CallKey(person: author, client: SampleHome.client, number: Int64(number)))
}

func run(_ method: Method, _ message: [UInt8], _ number: Int, _ room: Room) throws {
  members.clear()
  guard case .done = method.run(room, try parameters(message), turn(number), problems, members) else {
    throw Failure(what: "\(method.name) was refused: \(problems.list)")
  }
}

func seal(_ room: Room) -> SealedRoom {
  frame.clear()
  return room.seal(at: SampleHome.now, by: author, to: frame)
}

let answer = Array("\"result\":{\"version\":12345,\"id\":\"30000000-0000-8000-8000-000000000001\"}".utf8)

print("A household of 4 members, 40 notes and 60 items; median of 9 runs (quickest–slowest)\n")

measure("parse a call of \(messages[0].count) bytes", count: 100, prepare: {}) {
  for message in messages { _ = try tape.parse(message.span) }
}
try measure("notes.add: parse, read, apply", count: 100, prepare: { try home.room() }) { room in
  for (index, message) in messages.enumerated() { try run(addNote, message, index + 1, room) }
}
try measure("notes.add: parse, read, apply, seal", count: 100, prepare: { try home.room() }) { room in
  for (index, message) in messages.enumerated() {
    try run(addNote, message, index + 1, room)
    _ = seal(room)
  }
}
try measure("notes.add: parse, read, apply, remember, seal", count: 100, prepare: { try home.room() }) { room in
  for (index, message) in messages.enumerated() {
    try run(addNote, message, index + 1, room)
    let call = CallKey(person: author, client: SampleHome.client, number: Int64(index + 1))
    room.remember(call, hash: 7, at: SampleHome.now, answer: .given(answer), answered: Int64(index))
    _ = seal(room)
  }
}

/// One after the other, so many that the ring folds its patches again and again.
let edits: [[UInt8]] = try {
  var item = ""
  let writer = Writer()
  try home.room().writeState(to: writer)
  for (id, _) in try JSON.parse(writer.bytes())["groceries"]?.object ?? [:] { item = max(item, id) }
  return (1...2000).map { number in
    Array(
      """
      {"jsonrpc":"2.0","id":\(number),"method":"groceries.edit","params":{"room":"household/\(room)",\
      "seq":\(number),"id":"\(item)","note":"\(number) of the dark ones, if they have any left by then"}}
      """.utf8)
  }
}()
try measure("groceries.edit, the same, 2,000 in a row", count: edits.count, prepare: { try home.room() }) { room in
  for (index, message) in edits.enumerated() {
    try run(editItem, message, index + 1, room)
    let call = CallKey(person: author, client: SampleHome.client, number: Int64(index + 1))
    room.remember(call, hash: 7, at: SampleHome.now, answer: .given(answer), answered: Int64(index))
    _ = seal(room)
  }
}

// The id exists, so the rule refuses what it has read.
let taken = try home.room()
try run(addNote, messages[0], 1, taken)
try measure("notes.add refused: read, apply, undo", count: 100, prepare: { try parameters(messages[0]) }) { view in
  for _ in 0..<100 {
    guard case .refused = addNote.run(taken, view, turn(2), problems, members) else {
      throw Failure(what: "it was not refused")
    }
  }
}
try measure("  of which: read", count: 100, prepare: { try parameters(messages[0]) }) { view in
  for _ in 0..<100 { _ = addNote.read(view, problems) }
}

measure(
  "seal one note: encode patch, log entry, ring", count: 1,
  prepare: {
    guard let room = try? home.room() else { preconditionFailure("the household was restored before") }
    try? run(addNote, messages[0], 1, room)
    return room
  }
) { _ = seal($0) }

let entries: [[UInt8]] = try {
  let room = try home.room()
  return try messages.enumerated().map { index, message in
    try run(addNote, message, index + 1, room)
    return seal(room).entry
  }
}()
try measure("load: the snapshot", count: 1, prepare: {}) { _ = try home.room() }
try measure("load: the snapshot and 100 entries of the log", count: 1, prepare: {}) {
  _ = try home.room(entries: entries)
}

let whole = try home.room(entries: entries)
let state = Writer(capacity: 64 * 1024)
whole.writeState(to: state)
measure("write the whole state of \(state.count) bytes", count: 1, prepare: {}) {
  state.clear()
  whole.writeState(to: state)
}
measure("compose what was missed, 64 patches back", count: 1, prepare: {}) {
  _ = whole.ring.patch(since: whole.version - 64)
}
measure("the same, 1 patch back", count: 1, prepare: {}) { _ = whole.ring.patch(since: whole.version - 1) }
