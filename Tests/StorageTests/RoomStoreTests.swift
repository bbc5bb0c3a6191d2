import Platform
import Rooms
import Testing

/// The contract of `RoomStore`, tested only through the protocol.
@Suite("Room store contract")
struct RoomStoreTests {
  static let room = RoomID.test(1)
  static let other = RoomID.test(2)

  @Test("a hundred concurrent loads each return their own room", arguments: StoreKind.allCases)
  func loadsAtOnce(kind: StoreKind) async throws {
    let (store, caller) = try kind.open()
    let rooms = (1...100).map { RoomID.test($0) }
    try await caller.commit(rooms.enumerated().map { .making($1, entry: "entry \($0)") }, to: store)
    let loaded = try await withThrowingTaskGroup(of: (Int, StoredRoom?).self) { group in
      for (index, room) in rooms.enumerated() {
        group.addTask { (index, try await caller.load(room, from: store)) }
      }
      return try await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
    }
    for index in rooms.indices { #expect(loaded[index]?.entries == [Array("entry \(index)".utf8)]) }
  }

  @Test("a room that was never created is not found", arguments: StoreKind.allCases)
  func unknownRoom(kind: StoreKind) async throws {
    let (store, caller) = try kind.open()
    #expect(try await caller.load(Self.room, from: store) == nil)
    #expect(try await caller.history(of: Self.room, in: store) == [])
    #expect(try await caller.undelivered(in: store) == [])
    #expect(try await caller.due(in: store) == [])
    let found = await caller.wait { store.rooms(secret: [UInt8](repeating: 1, count: 32), limit: 9, reply: $0) }
    #expect(try found.value() == [])
    #expect(store.generation.count == 16)
  }

  @Test("a committed room is loaded, and rooms of all kinds are separate", arguments: StoreKind.allCases)
  func committed(kind: StoreKind) async throws {
    let person = ID<Person>(high: 1, low: 1)
    let household = ID<Household>(high: 1, low: 1)
    let rooms: [RoomID] = [
      .person(person), .household(household), .corner(household, person), .share(ID(high: 1, low: 1)),
    ]
    let (store, caller) = try kind.open()
    try await caller.commit(
      rooms.enumerated().map { .making($1, entry: "{\"\($0)\":1}") }, to: store)
    for (index, room) in rooms.enumerated() {
      let expected = StoredRoom(
        version: 1, random: [UInt8](repeating: 7, count: 16), snapshot: nil,
        entries: [Array("{\"\(index)\":1}".utf8)], segmentVersion: 0, live: nil, due: nil)
      #expect(try await caller.load(room, from: store) == expected)
    }
  }

  @Test("OPS-4: a store knows how many rooms it keeps, and how much space it takes", arguments: StoreKind.allCases)
  func size(kind: StoreKind) async throws {
    let (store, caller) = try kind.open()
    let before = try await caller.wait { store.size(reply: $0) }.value()
    #expect(before.rooms == 0 && before.bytes > 0)
    try await caller.commit([.making(Self.room, entry: String(repeating: "x", count: 500_000))], to: store)
    let after = try await caller.wait { store.size(reply: $0) }.value()
    #expect(after.rooms == 1 && after.bytes > before.bytes + 400_000)
    try await caller.erase([Self.room], in: store)
    #expect(try await caller.wait { store.size(reply: $0) }.value().rooms == 0)
  }

  @Test("the entries of a room keep their order between those of other rooms", arguments: StoreKind.allCases)
  func order(kind: StoreKind) async throws {
    let (store, caller) = try kind.open()
    try await caller.commit([.making(Self.room, entry: "a1"), .making(Self.other, entry: "b1")], to: store)
    for version in 1..<20 {
      try await caller.commit(
        [
          .raising(Self.room, from: Int64(version), entry: "a\(version + 1)"),
          .raising(Self.other, from: Int64(version), entry: "b\(version + 1)"),
        ], to: store)
    }
    let loaded = try #require(try await caller.load(Self.room, from: store))
    #expect(loaded.version == 20)
    #expect(loaded.entries == (1...20).map { Array("a\($0)".utf8) })
  }

  @Test("one batch may have several commits of a room", arguments: StoreKind.allCases)
  func severalInABatch(kind: StoreKind) async throws {
    let (store, caller) = try kind.open()
    try await caller.commit(
      [.making(Self.room, entry: "1"), .raising(Self.room, from: 1, entry: "2")], to: store)
    #expect(try await caller.load(Self.room, from: store)?.entries == [[49], [50]])
    await #expect(throws: StoreError.conflict([Self.room])) {
      try await caller.commit([.raising(Self.room, from: 2), .raising(Self.room, from: 2)], to: store)
    }
    #expect(try await caller.load(Self.room, from: store)?.version == 2)
    try await caller.commit([.raising(Self.room, from: 2)], to: store)
  }

  @Test("an entry that does not raise the version, such as a refusal, is kept", arguments: StoreKind.allCases)
  func refusal(kind: StoreKind) async throws {
    let (store, caller) = try kind.open()
    try await caller.commit([.making(Self.room, entry: "made")], to: store)
    var refusal = RoomCommit(room: Self.room, expectedVersion: 1, version: 1)
    refusal.entry = Array("refused".utf8)
    try await caller.commit([refusal], to: store)
    try await caller.commit([.raising(Self.room, from: 1, entry: "raised")], to: store)
    let loaded = try #require(try await caller.load(Self.room, from: store))
    #expect(loaded.version == 2)
    #expect(loaded.entries.map { String(decoding: $0, as: UTF8.self) } == ["made", "refused", "raised"])
  }

  @Test(
    "a commit that expects another version is refused, and nothing of it is kept",
    arguments: [0, 1, 3, 4, -1, .max] as [Int64], StoreKind.allCases)
  func conflict(expected: Int64, kind: StoreKind) async throws {
    let (store, caller) = try kind.open()
    try await caller.commit([.making(Self.room), .raising(Self.room, from: 1)], to: store)
    var commit = RoomCommit(room: Self.room, expectedVersion: expected, version: max(expected, 5))
    commit.entry = [1]
    commit.snapshot = .test("lost")
    commit.due = .set(Instant(milliseconds: 1))
    commit.history = [.test(1, at: 1)]
    commit.sent = [OutgoingMessage(target: Self.other, number: 1, body: [1])]
    commit.secrets = [SecretChange(hash: [UInt8](repeating: 1, count: 32), isValid: true)]
    await #expect(throws: StoreError.conflict([Self.room])) { try await caller.commit([commit], to: store) }

    let loaded = try #require(try await caller.load(Self.room, from: store))
    #expect(loaded.version == 2)
    #expect(loaded.entries.count == 2)
    #expect(loaded.snapshot == nil)
    #expect(loaded.due == nil)
    #expect(try await caller.history(of: Self.room, in: store) == [])
    #expect(try await caller.undelivered(in: store) == [])
    let found = await caller.wait { store.rooms(secret: [UInt8](repeating: 1, count: 32), limit: 9, reply: $0) }
    #expect(try found.value() == [])
  }

  @Test("a conflict names every room of the batch that is at another version, each once", arguments: StoreKind.allCases)
  func allConflicts(kind: StoreKind) async throws {
    let (store, caller) = try kind.open()
    try await caller.commit((1...4).map { .making(.test($0)) }, to: store)
    let batch: [RoomCommit] = [
      .raising(.test(1), from: 1), .raising(.test(2), from: 5), .making(.test(3)), .raising(.test(2), from: 6),
      .raising(.test(9), from: 1), .raising(.test(4), from: 1),
    ]
    await #expect(throws: StoreError.conflict([.test(2), .test(3), .test(9)])) {
      try await caller.commit(batch, to: store)
    }
    // The others can be handed over again.
    try await caller.commit([batch[0], batch[5]], to: store)
    for (number, version) in [(1, 2), (2, 1), (3, 1), (4, 2)] as [(UInt64, Int64)] {
      #expect(try await caller.load(.test(number), from: store)?.version == version)
    }
  }

  @Test("creating a room twice and changing an unknown room are refused", arguments: StoreKind.allCases)
  func makingTwice(kind: StoreKind) async throws {
    let (store, caller) = try kind.open()
    await #expect(throws: StoreError.conflict([Self.other])) {
      try await caller.commit([.raising(Self.other, from: 0)], to: store)
    }
    // A room may be at version 0: created, but not changed yet.
    var made = RoomCommit(room: Self.room, expectedVersion: 0, version: 0)
    made.random = [UInt8](repeating: 1, count: 16)
    try await caller.commit([made], to: store)
    await #expect(throws: StoreError.conflict([Self.room])) { try await caller.commit([made], to: store) }
    #expect(try await caller.load(Self.room, from: store)?.version == 0)
    try await caller.commit([.raising(Self.room, from: 0)], to: store)
    #expect(try await caller.load(Self.room, from: store)?.version == 1)
  }

  @Test("a batch is committed as a whole or not at all, independently of other batches", arguments: StoreKind.allCases)
  func isolation(kind: StoreKind) async throws {
    let (store, caller) = try kind.open()
    async let first: Result<Void, StoreError> = caller.wait { store.commit([.making(.test(10))], reply: $0) }
    async let second: Result<Void, StoreError> = caller.wait {
      store.commit([.making(.test(11)), .raising(.test(12), from: 3), .making(.test(13))], reply: $0)
    }
    async let third: Result<Void, StoreError> = caller.wait { store.commit([.making(.test(14))], reply: $0) }
    let answers = await (first, second, third)
    #expect(throws: Never.self) { try answers.0.value() }
    #expect(throws: StoreError.conflict([.test(12)])) { try answers.1.value() }
    #expect(throws: Never.self) { try answers.2.value() }
    for (number, isThere) in [(10, true), (11, false), (12, false), (13, false), (14, true)] as [(UInt64, Bool)] {
      #expect(try await (caller.load(.test(number), from: store) != nil) == isThere)
    }
    try await caller.commit([.making(.test(11)), .making(.test(13))], to: store)
  }

  @Test("a load sees an earlier commit from the same loop that is not answered yet", arguments: StoreKind.allCases)
  func readsOwnWrites(kind: StoreKind) async throws {
    let (store, caller) = try kind.open()
    try await caller.commit([.making(Self.room)], to: store)
    for version in 1...200 as ClosedRange<Int64> {
      store.commit([.raising(Self.room, from: version)], reply: Reply(on: caller) { _ in })
      #expect(try await caller.load(Self.room, from: store)?.version == version + 1)
    }
  }

  @Test("a snapshot replaces all entries before it, and later entries follow it", arguments: StoreKind.allCases)
  func snapshot(kind: StoreKind) async throws {
    let (store, caller) = try kind.open()
    try await caller.commit([.making(Self.room, entry: "1"), .raising(Self.room, from: 1, entry: "2")], to: store)
    var commit = RoomCommit(room: Self.room, expectedVersion: 2, version: 2)
    commit.snapshot = .test("at 2")
    try await caller.commit([commit], to: store)
    var loaded = try #require(try await caller.load(Self.room, from: store))
    #expect(loaded.version == 2)
    #expect(loaded.snapshot == .test("at 2"))
    #expect(loaded.entries == [])

    try await caller.commit([.raising(Self.room, from: 2, entry: "3")], to: store)
    loaded = try #require(try await caller.load(Self.room, from: store))
    #expect(loaded.version == 3)
    #expect(loaded.snapshot == .test("at 2"))
    #expect(loaded.entries == [[51]])

    // A snapshot may be in the same commit as a change that it contains.
    try await caller.commit(
      [.raising(Self.room, from: 3, entry: "4").with { $0.snapshot = .test("at 4") }], to: store)
    loaded = try #require(try await caller.load(Self.room, from: store))
    #expect(loaded.version == 4)
    #expect(loaded.snapshot == .test("at 4"))
    #expect(loaded.entries == [])
  }

  @Test("due rooms are returned in order up to the given time, on every query", arguments: StoreKind.allCases)
  func due(kind: StoreKind) async throws {
    func setting(_ number: UInt64, _ due: Int64?, from version: Int64) -> RoomCommit {
      let commit: RoomCommit = version == 0 ? .making(.test(number)) : .raising(.test(number), from: version)
      return commit.with { $0.due = .set(due.map(Instant.init(milliseconds:))) }
    }
    func found(_ pairs: [(UInt64, Int64)]) -> [DueRoom] {
      pairs.map { DueRoom(room: .test($0.0), due: Instant(milliseconds: $0.1)) }
    }
    let (store, caller) = try kind.open()
    try await caller.commit(
      [setting(1, 300, from: 0), setting(2, 100, from: 0), setting(3, nil, from: 0), setting(4, 200, from: 0)],
      to: store)
    #expect(try await caller.due(in: store) == found([(2, 100), (4, 200), (1, 300)]))
    #expect(try await caller.due(in: store, limit: 2) == found([(2, 100), (4, 200)]))
    #expect(try await caller.due(in: store, after: found([(2, 100)])[0]) == found([(4, 200), (1, 300)]))
    #expect(try await caller.due(in: store, after: found([(1, 300)])[0]) == [])
    #expect(try await caller.due(.shares, in: store) == [])
    #expect(try await caller.load(.test(4), from: store)?.due == Instant(milliseconds: 200))

    // A commit without a due time keeps the previous one.
    try await caller.commit(
      [setting(2, nil, from: 1), setting(3, 50, from: 1), .raising(.test(4), from: 1)], to: store)
    #expect(try await caller.due(in: store) == found([(3, 50), (4, 200), (1, 300)]))
    #expect(try await caller.load(.test(2), from: store)?.due == nil)

    // Shares apart from all others; rooms with the same due time one behind the other, none twice.
    let share = RoomID.share(ID(high: 9, low: 9))
    let pages = RoomCommit.making(share).with { $0.due = .set(Instant(milliseconds: 200)) }
    try await caller.commit([pages, setting(5, 200, from: 0), setting(6, 200, from: 0)], to: store)
    #expect(try await caller.due(.shares, in: store) == [DueRoom(room: share, due: Instant(milliseconds: 200))])
    var paged: [DueRoom] = []
    while let next = try await caller.due(in: store, after: paged.last, limit: 1).first { paged.append(next) }
    #expect(paged == found([(3, 50), (4, 200), (5, 200), (6, 200), (1, 300)]))
  }

  @Test("the newest live value is kept after the room has left memory", arguments: StoreKind.allCases)
  func live(kind: StoreKind) async throws {
    let (store, caller) = try kind.open()
    try await caller.commit([.making(Self.room)], to: store)
    store.keepLive([(room: Self.room, body: [1]), (room: Self.other, body: [9])])
    store.keepLive([(room: Self.room, body: [2])])
    #expect(try await caller.load(Self.room, from: store)?.live == [2])
    #expect(try await caller.load(Self.other, from: store) == nil)
    store.keepLive([(room: Self.room, body: [3])])
    try await caller.commit([.raising(Self.room, from: 1)], to: store)
    #expect(try await caller.load(Self.room, from: store)?.live == [3])
  }

  @Test("a secret leads to the rooms that made it valid, until they revoke it", arguments: StoreKind.allCases)
  func secrets(kind: StoreKind) async throws {
    let hash = [UInt8](0..<32)
    let (store, caller) = try kind.open()
    func found(_ limit: Int = 9) async throws -> [RoomID] {
      try await caller.wait { store.rooms(secret: hash, limit: limit, reply: $0) }.value()
    }
    let making = SecretChange(hash: hash, isValid: true)
    try await caller.commit(
      [.making(Self.room).with { $0.secrets = [making, making] }, .making(Self.other)], to: store)
    #expect(try await found() == [Self.room])
    let taking = SecretChange(hash: hash, isValid: false)
    try await caller.commit([.raising(Self.other, from: 1).with { $0.secrets = [taking] }], to: store)
    #expect(try await found() == [Self.room])
    try await caller.commit([.raising(Self.other, from: 2).with { $0.secrets = [making] }], to: store)
    #expect(try await found() == [Self.room, Self.other])
    #expect(try await found(1) == [Self.room])
    try await caller.commit([.raising(Self.room, from: 1).with { $0.secrets = [taking] }], to: store)
    #expect(try await found() == [Self.other])
  }
}
