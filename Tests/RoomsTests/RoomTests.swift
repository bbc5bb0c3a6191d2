import JSON
import Testing

@testable import Rooms

@Suite("Room")
struct RoomTests {
  @Test("a mutation raises the version by one and makes an exact patch")
  func patch() throws {
    let room = makeBoard()
    let id = try room.perform(Pin(text: "milk"), Turn(caller: ana, now: time)).id
    let first = room.sealed(by: ana)
    #expect(first.rest.from == 0 && first.rest.version == 1)
    #expect(first.patch == .object(["papers": .object([id.description: .object(["text": "milk"])])]))

    _ = try room.perform(Edit(id: id, text: "oat milk", size: .set(2)), Turn(caller: ana, now: time))
    _ = try room.perform(Edit(id: id, size: .set(3)), Turn(caller: ana, now: time))
    let second = room.sealed(by: ana)
    #expect(second.rest.from == 1 && second.rest.version == 3)
    let change: JSON = .object(["text": "oat milk", "size": 3])
    #expect(second.patch == .object(["papers": .object([id.description: change])]))
  }

  @Test("a row that is added and removed within one commit is not in the patch")
  func cancelled() throws {
    let room = makeBoard()
    let id = try room.perform(Pin(text: "a"), Turn(caller: ana, now: time)).id
    _ = try room.perform(Unpin(id: id), Turn(caller: ana, now: time))
    #expect(room.sealed().patch == .object([:]))
  }

  @Test("a refused mutation leaves no trace in the shown and hidden state")
  func rollBack() throws {
    let room = makeBoard()
    let id = try room.perform(Pin(text: "a"), Turn(caller: ana, now: time)).id
    _ = room.sealed()
    #expect(throws: Refusal.self) { try room.perform(Pin(id: id, text: "b"), Turn(caller: ana, now: time)) }
    #expect(room.version == 1)
    #expect(room.state.count.value.pinned == 1)
    #expect(!room.hasUnsealedChanges)
  }

  @Test(
    "a refused mutation neither undoes nor repeats earlier changes, versioned or live, sealed or not",
    arguments: [false, true], [false, true])
  func rollBackBehind(isSealed: Bool, isTold: Bool) throws {
    let room = makeBoard()
    let turn = Turn(caller: ana, now: time)
    let writer = Writer(capacity: 64)
    let id = try room.perform(Pin(text: "a"), turn).id
    if isSealed { _ = room.sealed() }
    try room.switchOn(turn)
    if isTold { #expect(room.sealLive(to: writer)) }
    for _ in 1...2 {
      #expect(throws: Refusal.self) { try room.perform(Pin(id: id, text: "b"), turn) }
      #expect(throws: Refusal.self) { try room.flicker(turn) }
    }
    #expect(room.state.papers[id]?.text == "a" && room.state.count.value.pinned == 1)
    #expect(room.state.light.value.isOn && room.state.switching.value.pinned == 1)
    #expect(room.hasUnsealedChanges == !isSealed)
    #expect(room.sealLive(to: writer) == !isTold)
    #expect(String(decoding: writer.bytes(), as: UTF8.self) == #"{"light":{"isOn":true}}"#)
    _ = try room.perform(Pin(text: "c"), turn)
    let sealed = room.sealed()
    #expect(sealed.patch?["papers"]?.object?.count == (isSealed ? 1 : 2))
    #expect(sealed.entry["hidden"]?["count"] == .object(["pinned": 2]))
  }

  @Test("a refused mutation has no effects on other rooms, and those of earlier mutations remain")
  func rollBackEffects() throws {
    let room = makeBoard()
    let call = CallKey(person: ana, client: ID(high: 1, low: 2), number: 1)
    room.receipts.add(call, hash: 1, at: time, answer: .pending, answered: 0)
    _ = try room.perform(Pin(text: "tell"), Turn(caller: ana, now: time, call: call))
    #expect(throws: Refusal.self) { try room.perform(Regret(), Turn(caller: ana, now: time, call: call)) }
    let sealed = room.sealed().rest
    #expect(sealed.version == 1 && sealed.messages.count == 1)
    #expect(sealed.history.isEmpty && sealed.secrets.isEmpty && sealed.completions.isEmpty)
    #expect(sealed.expelled.isEmpty && sealed.ending == nil && room.expelled.isEmpty)
  }

  @Test("hidden changes are logged and absent from the patch")
  func hidden() throws {
    let room = makeBoard()
    _ = try room.perform(Pin(text: "a"), Turn(caller: ana, now: time))
    let sealed = room.sealed()
    #expect(sealed.entry["hidden"]?["count"] == .object(["pinned": 1]))
    #expect(sealed.patch?["count"] == nil)
  }

  @Test("live changes are sent separately and make no version")
  func live() throws {
    let room = makeBoard()
    _ = room.sealed()
    try room.switchOn(Turn(caller: ana, now: time))
    #expect(room.version == 0)
    #expect(room.isLiveTouched)
    let writer = Writer(capacity: 64)
    #expect(room.sealLive(to: writer))
    #expect(String(decoding: writer.bytes(), as: UTF8.self) == #"{"light":{"isOn":true}}"#)
    #expect(!room.sealLive(to: writer))
    let kept = Writer(capacity: 64)
    room.writeKept(to: kept)
    #expect(String(decoding: kept.bytes(), as: UTF8.self) == #"{"light":{"isOn":true},"switching":{"pinned":1}}"#)
    #expect(!room.hasUnsealedChanges)
  }

  @Test("unseen values are kept and restored with the live ones, and never sent")
  func unseen() throws {
    let room = makeBoard()
    for _ in 1...3 { try room.switchOn(Turn(caller: ana, now: time)) }
    let live = Writer(capacity: 64)
    room.writeLive(to: live)
    #expect(room.sealLive(to: live) && !String(decoding: live.bytes(), as: UTF8.self).contains("switching"))
    try room.switchOn(Turn(caller: ana, now: time))
    #expect(!room.sealLive(to: Writer(capacity: 64)), "nothing to tell")
    #expect(!room.state.switching.isTouched, "and nothing to remember for that")
    #expect(room.version == 0 && room.stateJSON["switching"] == nil)
    let kept = Writer(capacity: 64)
    room.writeKept(to: kept)
    let copy = makeBoard()
    try copy.restore(snapshot: nil, entries: [], live: kept.bytes(), random: [], due: nil)
    #expect(copy.state.switching.value.pinned == 4 && copy.state.light.value.isOn)
  }

  @Test("messages are numbered without gaps for each target, and taken once and in order")
  func messages() throws {
    let source = makeBoard()
    _ = try source.perform(Pin(text: "tell"), Turn(caller: ana, now: time))
    _ = try source.perform(Pin(text: "tell"), Turn(caller: ana, now: time))
    let sent = source.sealed().rest.messages
    #expect(sent.map(\.number) == [1, 2])

    let target = makeBoard()
    let tape = Tape()
    let body = sent[0].body
    let view = try tape.parse(body.span)
    let taken = [1, 1, 3, 2].map { target.take(view, from: source.id, number: $0, Turn(now: time)) }
    #expect(taken == [true, false, false, true])
    let sealed = target.sealed()
    #expect(target.state.papers.count == 2)
    #expect(sealed.rest.taken == [TakenMessage(source: source.id, number: 2)])
  }

  @Test("a room is restored from snapshot and entries with its receipts and kept values")
  func restore() throws {
    let room = makeBoard()
    var entries: [[UInt8]] = []
    _ = try room.perform(Pin(text: "one", until: time + .seconds(60)), Turn(caller: ana, now: time))
    let call = CallKey(person: ana, client: ID(high: 3, low: 3), number: 5)
    room.remember(call, hash: 77, at: time, answer: .given(Array(#""result":{"version":1}"#.utf8)), answered: 0)
    entries.append(room.sealed().rest.entry)
    _ = try room.perform(Pin(text: "two"), Turn(caller: ana, now: time))
    try room.switchOn(Turn(caller: ana, now: time))
    entries.append(room.sealed().rest.entry)
    let kept = Writer(capacity: 64)
    room.writeKept(to: kept)

    let twin = makeBoard()
    try twin.restore(snapshot: nil, entries: entries, live: nil, random: [], due: nil)
    let expected = try twin.perform(Pin(text: "x"), Turn(caller: ana, now: time)).id

    for cut in 0...2 {
      let copy = makeBoard()
      try copy.restore(
        snapshot: nil, entries: Array(entries.prefix(cut)), live: nil, random: [], due: nil)
      #expect(copy.version == Int64(cut))
      let snapshot = cut == 0 ? nil : copy.snapshot(at: time).body
      let again = TypedRoom<Board>(room.id)
      try again.restore(
        snapshot: snapshot, entries: Array(entries.dropFirst(cut)), live: kept.bytes(), random: [1], due: nil)
      #expect(again.version == 2)
      #expect(again.stateJSON == room.stateJSON)
      #expect(again.state.count.value == room.state.count.value)
      #expect(again.state.light.value.isOn)
      #expect(again.find(call, hash: 77) == .repeated(Array(#""result":{"version":1}"#.utf8)))
      #expect(again.find(call, hash: 78) == .reused)
      #expect(again.nextDue == time + .seconds(60))
      #expect(again.missed(since: Int64(cut))?.from == Int64(cut), "as far back as the log says")
      let drawn = try again.perform(Pin(text: "x"), Turn(caller: ana, now: time)).id
      #expect(expected == drawn, "the room's key is found again")
    }
  }

  @Test("an ended room is restored as ended: it admits nobody and is due at once")
  func over() throws {
    let room = makeBoard()
    _ = try room.perform(Pin(text: "over"), Turn(caller: ana, now: time))
    let sealed = room.sealed().rest
    #expect(room.isEnded && sealed.ending == "over")
    let replayed = makeBoard()
    #expect(!replayed.isEnded && replayed.admits(ana))
    try replayed.restore(snapshot: nil, entries: [sealed.entry], live: nil, random: [], due: nil)
    let read = makeBoard()
    try read.restore(snapshot: room.snapshot(at: time).body, entries: [], live: nil, random: [], due: nil)
    for found in [replayed, read] {
      #expect(found.isEnded && !found.admits(ana))
      #expect(found.nextDue == time)
    }
  }

  @Test("a snapshot is due after a number of entries or bytes, whether written or replayed")
  func snapshotDue() throws {
    let room = makeBoard()
    let long = String(repeating: "x", count: Room.replayedBytes / 4)
    var entries: [[UInt8]] = []
    while !room.isSnapshotDue(afterEntries: 100) {
      _ = try room.perform(Pin(text: long), Turn(caller: ana, now: time))
      entries.append(room.sealed().rest.entry)
    }
    #expect(entries.count == 4 && room.isSnapshotDue(afterEntries: 4))
    let again = makeBoard()
    try again.restore(snapshot: nil, entries: Array(entries.dropLast()), live: nil, random: [], due: nil)
    #expect(!again.isSnapshotDue(afterEntries: 4) && again.isSnapshotDue(afterEntries: 3))
    _ = try again.perform(Pin(text: long), Turn(caller: ana, now: time))
    _ = again.sealed()
    #expect(again.isSnapshotDue(afterEntries: 100))

    // A room that takes as long to write is written as seldom.
    let snapshot = room.snapshot(at: time)
    let large = makeBoard()
    try large.restore(snapshot: snapshot.body, entries: [], live: nil, random: [], due: nil)
    for copy in [room, large] {
      var count = 0
      while !copy.isSnapshotDue(afterEntries: 100) {
        _ = try copy.perform(Pin(text: long), Turn(caller: ana, now: time))
        _ = copy.sealed()
        count += 1
      }
      #expect(2 * snapshot.body.count / long.utf8.count == count)
    }
  }

  @Test("an entry that does not follow the version before it is refused")
  func gap() throws {
    let room = makeBoard()
    _ = try room.perform(Pin(text: "one"), Turn(caller: ana, now: time))
    _ = room.sealed()
    _ = try room.perform(Pin(text: "two"), Turn(caller: ana, now: time))
    let second = room.sealed().rest.entry
    let copy = makeBoard()
    #expect(throws: RoomDamage.self) {
      try copy.restore(snapshot: nil, entries: [second], live: nil, random: [], due: nil)
    }
    #expect(throws: RoomDamage.self) {
      try copy.restore(snapshot: nil, entries: [Array("{".utf8)], live: nil, random: [], due: nil)
    }
  }

  @Test("a change at a due time is made by the room itself")
  func due() throws {
    let room = makeBoard()
    _ = try room.perform(Pin(text: "a", until: time + .seconds(5)), Turn(caller: ana, now: time))
    #expect(room.sealed().rest.due == .some(time + .seconds(5)))
    room.fallDue(Turn(now: time + .seconds(5)))
    let sealed = room.sealed(at: time + .seconds(5))
    #expect(sealed.rest.due == .some(nil))
    #expect(room.state.papers.isEmpty)
    #expect(sealed.rest.version == 2)
  }

  @Test("a person who is expelled is out as soon as the mutation is applied")
  func expulsion() throws {
    let room = makeBoard()
    _ = try room.perform(Pin(text: "out"), Turn(caller: ana, now: time))
    #expect(room.expelled == [ana] && room.hasExpelled(ana))
    #expect(room.sealed().rest.expelled.map(\.reason) == ["out"])
    room.readmit(ana)
    #expect(room.expelled.isEmpty && !room.hasExpelled(ana))
  }

  @Test("a document whose estimated size is too large is measured before a mutation is refused")
  func size() throws {
    let room = makeBoard()
    room.progress.size = Room.documentLimit + 1
    _ = try room.perform(Pin(text: "measured"), Turn(caller: ana, now: time))
    #expect(room.progress.size < 200, "the estimate was measured")
  }

  @Test("a document has at most 1,000,000 bytes as it is sent, whenever it is sealed", arguments: [1, 7, .max])
  func documentLimit(changesPerSeal: Int) throws {
    let room = makeBoard()
    func size() -> Int {
      let writer = Writer()
      room.writeState(to: writer)
      return writer.count
    }
    func pin(_ length: Int) throws -> ID<Paper> {
      try room.perform(Pin(text: String(repeating: "x", count: length)), Turn(caller: ana, now: time)).id
    }
    var first: ID<Paper>?
    var count = 0
    while size() < Room.documentLimit - 20_000 {
      let id = try pin(9_000)
      first = first ?? id
      count += 1
      if count % changesPerSeal == 0 { _ = room.sealed() }
    }
    let before = size()
    let row = try pin(1)
    let overhead = size() - before - 1
    _ = try room.perform(Unpin(id: row), Turn(caller: ana, now: time))
    let left = Room.documentLimit - before - overhead
    for length in [left / 2, left - left / 2 - overhead - 1] { _ = try pin(length) }
    #expect(size() == Room.documentLimit - 1)
    let last = try #require(first)
    func edit(_ length: Int) throws {
      let text = String(repeating: "y", count: length)
      _ = try room.perform(Edit(id: last, text: text), Turn(caller: ana, now: time))
    }
    try edit(9_001)
    #expect(size() == Room.documentLimit)
    let refusal = #expect(throws: Refusal.self) { try edit(9_002) }
    #expect(refusal?.code == .tooLarge && refusal?.reason == "document" && size() == Room.documentLimit)
    #expect(throws: Refusal.self) { try pin(1) }
    // The same size is no growth, and less is always taken.
    #expect(throws: Refusal.self) { try edit(9_003) }
    try edit(8_000)
    _ = try pin(1)
    #expect(size() <= Room.documentLimit)
  }
}
