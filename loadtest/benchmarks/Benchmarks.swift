import Home
import JSON
import Platform
import Rooms
import WebSocket

/// Measures single steps of the server: frames, JSON, rules, patches, a whole change without sockets and disk (DESIGN
/// expects under 2 µs, and 0.2 µs for rolling back a refused one), and its commit.
@main
struct Benchmarks {
  private let home: SampleHome
  private let addNote: Method
  private let editItem: Method
  private let sendChat: Method
  /// Calls as received: whole messages, with ids chosen by the client.
  private let notes: [[UInt8]]
  /// Changes of one item, enough for the ring to fold its patches repeatedly.
  private let edits: [[UInt8]]
  /// Messages of the chat, enough for most of them to leave the state for the history.
  private let messages: [[UInt8]]
  private let tape = Tape()
  private let problems = Problems()
  private let frame = Writer(capacity: 4096)
  private let members = Writer(capacity: 4096)
  private let answer = Array("\"result\":{\"version\":12345,\"id\":\"30000000-0000-8000-8000-000000000001\"}".utf8)

  static func main() throws { try Benchmarks().run() }

  private init() throws {
    home = try SampleHome()
    addNote = try home.method("notes.add")
    editItem = try home.method("groceries.edit")
    sendChat = try home.method("chat.send")
    let room = SampleHome.id
    let state = Writer()
    try home.room().writeState(to: state)
    let item = try JSON.parse(state.bytes())["groceries"]?.object?.keys.max() ?? ""
    notes = (1...100).map { number in
      let id = ID<Household>(high: 0x3000_0000_0000_8000, low: 0x8000_0000_0000_0000 | UInt64(number))
      return Array(
        """
        {"jsonrpc":"2.0","id":\(number),"method":"notes.add","params":{"room":"household/\(room)","seq":\(number),\
        "id":"\(id)","text":"The plumber comes on Thursday between nine and eleven, somebody has to be in."}}
        """.utf8)
    }
    edits = (1...2000).map { number in
      Array(
        """
        {"jsonrpc":"2.0","id":\(number),"method":"groceries.edit","params":{"room":"household/\(room)",\
        "seq":\(number),"id":"\(item)","note":"\(number) of the dark ones, if they have any left by then"}}
        """.utf8)
    }
    messages = (1...500).map { number in
      Array(
        """
        {"jsonrpc":"2.0","id":\(number),"method":"chat.send","params":{"room":"household/\(room)",\
        "seq":\(number),"text":"Number \(number): who of you has seen the key to the cellar?"}}
        """.utf8)
    }
  }

  private func run() throws {
    print("A household of 4 members, 40 notes and 60 items; median of 9 runs (quickest–slowest).\n")
    try mutations()
    try refusals()
    try chores()
    try history()
    try frames()
    try commits()
    try wholePath()
  }

  // MARK: steps

  private func parameters(_ message: [UInt8]) throws -> View {
    guard let view = try tape.parse(message.span)[key: "params"] else { throw Failure(what: "no parameters") }
    // The server reads these members for every method.
    for name in ["room", "seq"] as [StaticString] { _ = view[key: name] }
    return view
  }

  private func call(_ number: Int) -> CallKey {
    CallKey(person: SampleHome.people[0], client: SampleHome.client, number: Int64(number))
  }

  private func turn(_ number: Int) -> Turn {
    Turn(caller: SampleHome.people[0], now: SampleHome.now, call: call(number))
  }

  private func apply(_ method: Method, _ message: [UInt8], _ number: Int, _ room: Room) throws {
    members.clear()
    let outcome = method.run(room, try parameters(message), turn(number), problems, members)
    guard case .done = outcome else { throw Failure(what: "\(method.name): \(outcome), \(problems.list)") }
  }

  private func seal(_ room: Room) -> SealedRoom {
    frame.clear()
    return room.seal(at: SampleHome.now, by: SampleHome.people[0], to: frame)
  }

  private func remember(_ number: Int, _ room: Room) {
    room.remember(
      call(number), hash: 7, at: SampleHome.now, answer: .given(answer), answered: Int64(number - 1))
  }

  // MARK: benchmarks

  private func mutations() throws {
    try measure("parse a call of \(notes[0].count) bytes", count: 100, on: ()) {
      for message in notes { _ = try tape.parse(message.span) }
    }
    try measure("notes.add: parse, read, apply", count: 100, on: try home.room()) { room in
      for (index, message) in notes.enumerated() { try apply(addNote, message, index + 1, room) }
    }
    try measure("notes.add: parse, read, apply, seal", count: 100, on: try home.room()) { room in
      for (index, message) in notes.enumerated() {
        try apply(addNote, message, index + 1, room)
        _ = seal(room)
      }
    }
    try whole("notes.add: parse, read, apply, remember, seal", addNote, notes)
    try whole("groceries.edit: the same, 2,000 in a row", editItem, edits)
    try whole("chat.send: the same, 500 in a row", sendChat, messages)
    try measure("seal one note: patch, log entry, ring", count: 1, on: try roomWithNote()) { _ = seal($0) }
  }

  private func chores() throws {
    let occurrences = (1...100).map { ID<Thing>(high: 0x5000_0000_0000_8000, low: 1 << 63 | UInt64($0)) }
    let home = try SampleHome(chores: occurrences)
    let complete = try home.method("chores.complete")
    let calls = occurrences.enumerated().map { index, occurrence in
      Array(
        """
        {"jsonrpc":"2.0","id":\(index + 1),"method":"chores.complete","params":{"room":"household/\(SampleHome.id)",\
        "seq":\(index + 1),"id":"\(occurrence)"}}
        """.utf8)
    }
    try measure("chores.complete: the same, of 100 that come again", count: calls.count, on: try home.room()) { room in
      for (index, message) in calls.enumerated() {
        try apply(complete, message, index + 1, room)
        remember(index + 1, room)
        _ = seal(room)
      }
    }
    // STA-2: wanted within 50 ms.
    let statistics = try home.method("chores.statistics")
    let twoYears = Array("{\"params\":{\"from\":\"2024-11-19\",\"to\":\"2026-11-19\"}}".utf8)
    let room = try home.room(completions: 50_000)
    try measure("chores.statistics: two years with 50,000 completions", count: 1, on: room) { room in
      try apply(statistics, twoYears, 1, room)
    }
  }

  private func roomWithNote() throws -> Room {
    let room = try home.room()
    try apply(addNote, notes[0], 1, room)
    return room
  }

  private func whole(_ name: String, _ method: Method, _ messages: [[UInt8]]) throws {
    try measure(name, count: messages.count, on: try home.room()) { room in
      for (index, message) in messages.enumerated() {
        try apply(method, message, index + 1, room)
        remember(index + 1, room)
        _ = seal(room)
      }
    }
  }

  private func refusals() throws {
    // The id exists, so the rule refuses the call after reading it.
    let room = try roomWithNote()
    try measure("notes.add refused: read, apply, undo", count: 100, on: try parameters(notes[0])) { view in
      for _ in 0..<100 {
        guard case .refused = addNote.run(room, view, turn(2), problems, members) else {
          throw Failure(what: "it was not refused")
        }
      }
    }
    try measure("  of which: read", count: 100, on: try parameters(notes[0])) { view in
      for _ in 0..<100 { _ = addNote.read(view, problems) }
    }
  }

  private func frames() throws {
    let frames = notes.map { Frame.text(String(decoding: $0, as: UTF8.self), mask: 0x9E37_79B9) }
    try measure("frame: unmask and read a call of \(notes[0].count) bytes", count: 100, on: frames) { frames in
      var receiver = Receiver(role: .server)
      var size = 0
      for var frame in frames {
        var span = frame.mutableSpan
        try receiver.receive(&span) { size += $1.count }
      }
      guard size == notes.reduce(0, { $0 + $1.count }) else { throw Failure(what: "\(size) bytes") }
    }
  }

  private func commits() throws {
    try commits("commit: a change in a transaction of 64, and its flush", rooms: 64, rounds: 20)
    try commits("commit: a change by itself, and its flush", rooms: 1, rounds: 1_000)
    // A busy household. As many rounds, since Callgrind counts the first ones, too.
    try commits("commit: a change whose older ones go behind 2,000 others", rooms: 1, rounds: 2_000, older: 2_000)
  }

  private func commits(_ name: String, rooms: Int, rounds: Int, older: Int = 0) throws {
    // Opened only if it is measured, since Callgrind counts all work of a store's writer.
    var opened: StoredCommits?
    func prepared() throws -> (StoredCommits, [[RoomCommit]]) {
      // The size of a note's change in the log.
      let entry = [UInt8](repeating: UInt8(ascii: "x"), count: 600)
      let store = try opened ?? StoredCommits(rooms: rooms, entry: entry, older: older)
      opened = store
      return (store, (0..<rounds).map { _ in store.prepareRound() })
    }
    try measure(name, count: rounds * rooms, on: try prepared(), inAllThreads: true) { store, batches in
      for batch in batches { try store.runRound(batch) }
    }
  }

  private func wholePath() throws {
    for (name, inFlight) in [("one", 1), ("four", 4)] {
      let path = try WholePath(households: 15, inFlight: inFlight)
      measureRounds("whole path: \(name) in flight", path, 20, of: path.changesPerRound)
    }
    let live = try LivePath()
    measureRounds("whole path: a position, to three", live, 100, of: live.reportsPerRound)
  }

  private func measureRounds(_ name: String, _ path: some Path, _ rounds: Int, of count: Int) {
    measure(name, count: rounds * count, on: (0..<rounds).map { _ in path.prepareRound() }) { prepared in
      for var round in prepared { path.runRound(&round) }
    }
  }

  private func history() throws {
    let source = try home.room()
    let entries = try notes.enumerated().map { index, message in
      try apply(addNote, message, index + 1, source)
      return seal(source).entry
    }
    try measure("load: the snapshot", count: 1, on: ()) { _ = try home.room() }
    try measure("load: the snapshot and 100 entries of the log", count: 1, on: ()) {
      _ = try home.room(entries: entries)
    }
    let room = try home.room(entries: entries)
    let state = Writer(capacity: 64 * 1024)
    room.writeState(to: state)
    measure("write the whole state, \(state.count) bytes", count: 1, on: ()) {
      state.clear()
      room.writeState(to: state)
    }
    let reach = room.ring.reach ?? room.version
    measure("compose what was missed, as far back as the ring reaches", count: 1, on: ()) {
      _ = room.ring.patch(since: reach)
    }
    measure("the same, 1 patch back", count: 1, on: ()) { _ = room.ring.patch(since: room.version - 1) }
  }
}
