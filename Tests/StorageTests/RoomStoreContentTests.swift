import Platform
import Rooms
import Testing

/// The contract of `RoomStore` for history, messages between rooms, and erasing.
@Suite("Room store contract: history and messages")
struct RoomStoreContentTests {
  static let room = RoomID.test(1)
  static let other = RoomID.test(2)
  static let third = RoomID.test(3)

  @Test("history is paged newest first, by time and then id", arguments: [1, 2, 3, 50], StoreKind.allCases)
  func paging(limit: Int, kind: StoreKind) async throws {
    // Several records have the same time, and they are committed in no order.
    let records = [(3, 20), (1, 10), (5, 30), (2, 20), (4, 20), (6, 5)].map { number, at in
      HistoryRecord.test(UInt8(number), at: Int64(at), body: "{\"n\":\(number)}")
    }
    let (store, caller) = try kind.open()
    try await caller.commit(
      [
        .making(Self.room).with { $0.history = records + [.test(9, at: 99, kind: "expenses")] },
        .making(Self.other).with { $0.history = [.test(8, at: 25)] },
      ], to: store)
    var read: [HistoryRecord] = []
    var cursor: HistoryCursor?
    while true {
      let page = try await caller.history(of: Self.room, before: cursor, limit: limit, in: store)
      #expect(page.count <= limit)
      guard let last = page.last else { break }
      read += page
      cursor = HistoryCursor(at: last.at, id: last.id)
    }
    #expect(read.map { $0.id[0] } == [5, 4, 3, 2, 1, 6])
    #expect(Set(read.map(\.id)).count == records.count)
    #expect(read.first?.body == Array("{\"n\":5}".utf8))
    #expect(try await caller.history(of: Self.room, limit: 0, in: store) == [])
  }

  @Test(
    "a record replaces the one with its kind and id, also at another time, and a record without a body removes it",
    arguments: StoreKind.allCases)
  func replacing(kind: StoreKind) async throws {
    let (store, caller) = try kind.open()
    try await caller.commit(
      [
        .making(Self.room).with { $0.history = [.test(1, at: 10), .test(2, at: 20), .test(1, at: 1, kind: "notes")] }
      ],
      to: store)
    try await caller.commit(
      [.raising(Self.room, from: 1).with { $0.history = [.test(1, at: 30, body: "new")] }], to: store)
    #expect(
      try await caller.history(of: Self.room, in: store) == [.test(1, at: 30, body: "new"), .test(2, at: 20)])
    try await caller.commit(
      [.raising(Self.room, from: 2).with { $0.history = [.test(1, at: 30, body: nil), .test(7, at: 1, body: nil)] }],
      to: store)
    #expect(try await caller.history(of: Self.room, in: store) == [.test(2, at: 20)])
    #expect(try await caller.history(of: Self.room, kind: "notes", in: store).count == 1)
  }

  @Test("history is found by person, by pair and by time, page by page", arguments: [1, 2, 50], StoreKind.allCases)
  func filters(limit: Int, kind: StoreKind) async throws {
    let (ana, bo, cleo) = (ID<Person>(low: 1), ID<Person>(low: 2), ID<Person>(low: 3))
    let (store, caller) = try kind.open()
    try await caller.commit(
      [
        .making(Self.room).with {
          $0.history = [
            .test(1, at: 10, about: [ana]), .test(2, at: 20, about: [ana, bo]), .test(3, at: 20, about: [bo, cleo]),
            .test(4, at: 30, about: [bo, ana, cleo]), .test(5, at: 40), .test(6, at: 25, kind: "bills", about: [ana]),
          ]
        },
        .making(Self.other).with { $0.history = [.test(7, at: 22, about: [ana, bo])] },
      ], to: store)
    func found(_ about: Set<ID<Person>>, _ time: Range<Int64>? = nil) async throws -> [UInt8] {
      var query = HistoryQuery(kind: "chat", about: about, limit: limit)
      query.from = time.map { Instant(milliseconds: $0.lowerBound) }
      query.until = time.map { Instant(milliseconds: $0.upperBound) }
      var numbers: [UInt8] = []
      while true {
        let page = try await caller.history(of: Self.room, query, in: store)
        guard let last = page.last else { return numbers }
        numbers += page.map { $0.id[0] }
        query.before = HistoryCursor(at: last.at, id: last.id)
      }
    }
    #expect(try await found([]) == [5, 4, 3, 2, 1])
    #expect(try await found([ana]) == [4, 2, 1])
    #expect(try await found([ana, bo]) == [4, 2])
    #expect(try await found([ana, bo, cleo]) == [4])
    #expect(try await found([ID(low: 9)]) == [])
    #expect(try await found([], 20..<40) == [4, 3, 2])
    #expect(try await found([ana], 20..<30) == [2])

    // A record that is replaced is found by what it is about now, and one that is gone by nobody.
    try await caller.commit(
      [
        .raising(Self.room, from: 1).with {
          $0.history = [.test(1, at: 50, about: [cleo]), .test(2, at: 20, body: nil), .test(3, at: 20)]
        }
      ], to: store)
    #expect(try await found([cleo]) == [1, 4])
    #expect(try await found([bo]) == [4])
    #expect(try await found([ana]) == [4])
    let first = HistoryQuery(kind: "chat", about: [cleo], limit: 1)
    #expect(try await caller.history(of: Self.room, first, in: store) == [.test(1, at: 50, about: [cleo])])
    _ = try await caller.wait {
      store.prune(history: "chat", before: Instant(milliseconds: 31), limit: 10, reply: $0)
    }.value()
    #expect(try await found([cleo]) == [1])
    #expect(try await found([ana]) == [])
  }

  @Test("messages wait in order until their target has taken them", arguments: StoreKind.allCases)
  func messages(kind: StoreKind) async throws {
    func message(_ number: Int64, to target: RoomID) -> OutgoingMessage {
      OutgoingMessage(target: target, number: number, body: Array("\(number)".utf8))
    }
    func waiting(_ all: [StoredMessage], from source: RoomID, to target: RoomID) -> [Int64] {
      all.filter { $0.source == source && $0.message.target == target }.map(\.message.number)
    }
    let (store, caller) = try kind.open()
    // The target need not exist yet.
    try await caller.commit(
      [
        .making(Self.room).with { $0.sent = [message(1, to: Self.other), message(2, to: Self.other)] },
        .making(Self.third).with { $0.sent = [message(1, to: Self.other)] },
      ], to: store)
    try await caller.commit(
      [.raising(Self.room, from: 1).with { $0.sent = [message(3, to: Self.other), message(1, to: Self.third)] }],
      to: store)
    var all = try await caller.undelivered(in: store)
    #expect(waiting(all, from: Self.room, to: Self.other) == [1, 2, 3])
    #expect(waiting(all, from: Self.room, to: Self.third) == [1])
    #expect(waiting(all, from: Self.third, to: Self.other) == [1])
    #expect(all.first?.message.body == [49])
    #expect(try await caller.undelivered(in: store, limit: 2).count == 2)

    // Taking names a source and the highest number; messages of other sources and targets stay.
    try await caller.commit(
      [.making(Self.other).with { $0.taken = [TakenMessage(source: Self.room, number: 2)] }], to: store)
    all = try await caller.undelivered(in: store)
    #expect(waiting(all, from: Self.room, to: Self.other) == [3])
    #expect(waiting(all, from: Self.room, to: Self.third) == [1])
    #expect(waiting(all, from: Self.third, to: Self.other) == [1])

    try await caller.commit(
      [
        .raising(Self.other, from: 1).with {
          $0.taken = [TakenMessage(source: Self.room, number: 3), TakenMessage(source: Self.third, number: 1)]
        },
        .raising(Self.third, from: 1).with { $0.taken = [TakenMessage(source: Self.room, number: 1)] },
      ], to: store)
    #expect(try await caller.undelivered(in: store) == [])
  }

  @Test("a message can be sent and taken in the same batch", arguments: StoreKind.allCases)
  func sentAndTaken(kind: StoreKind) async throws {
    let (store, caller) = try kind.open()
    try await caller.commit(
      [
        .making(Self.room).with { $0.sent = [OutgoingMessage(target: Self.other, number: 1, body: [])] },
        .making(Self.other).with { $0.taken = [TakenMessage(source: Self.room, number: 1)] },
      ], to: store)
    #expect(try await caller.undelivered(in: store) == [])
  }

  @Test(
    "an erased room is gone with all its data, other rooms are intact, and the room can be created again",
    arguments: StoreKind.allCases)
  func erasing(kind: StoreKind) async throws {
    let hash = [UInt8](repeating: 5, count: 32)
    func full(_ room: RoomID) -> RoomCommit {
      .making(room).with {
        $0.due = .set(Instant(milliseconds: 1))
        $0.history = [.test(1, at: 1)]
        $0.sent = [OutgoingMessage(target: Self.third, number: 1, body: [1])]
      }
    }
    let (store, caller) = try kind.open()
    try await caller.commit(
      [
        full(Self.room).with { $0.secrets = [SecretChange(hash: hash, isValid: true)] }, full(Self.other),
        .raising(Self.room, from: 1).with { $0.snapshot = .test("all") }, .raising(Self.room, from: 2),
      ], to: store)
    store.keepLive([(room: Self.room, body: [1]), (room: Self.other, body: [1])])
    try await caller.erase([Self.room, Self.third], in: store)

    #expect(try await caller.load(Self.room, from: store) == nil)
    #expect(try await caller.history(of: Self.room, in: store) == [])
    #expect(try await caller.due(in: store).map(\.room) == [Self.other])
    #expect(try await caller.wait { store.rooms(secret: hash, limit: 9, reply: $0) }.value() == [])
    #expect(try await caller.load(Self.other, from: store)?.live == [1])
    // Messages that the room sent are still delivered, or discarded by a server that finds no target for them.
    let undelivered = try await caller.undelivered(in: store)
    #expect(undelivered.map(\.source) == [Self.room, Self.other])
    try await caller.wait { store.discard(undelivered, reply: $0) }.value()
    #expect(try await caller.undelivered(in: store) == [])

    #expect(try await caller.wait { store.wasErased(Self.room, reply: $0) }.value())
    #expect(try await !caller.wait { store.wasErased(Self.other, reply: $0) }.value())

    await #expect(throws: StoreError.conflict([Self.room])) {
      try await caller.commit([.raising(Self.room, from: 3)], to: store)
    }
    try await caller.commit([.making(Self.room, entry: "again")], to: store)
    let again = try #require(try await caller.load(Self.room, from: store))
    #expect(again.version == 1)
    #expect(again.entries == [Array("again".utf8)])
    #expect(again.snapshot == nil)
    #expect(again.live == nil)
    #expect(again.due == nil)
    #expect(try await caller.history(of: Self.room, in: store) == [])
  }
}
