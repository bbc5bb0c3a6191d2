import Platform
import Rooms
import Testing

/// Large results are read and removed in pages.
@Suite("Every store in pages")
struct PagingTests {
  static func share(_ number: UInt64) -> RoomID { .share(ID(high: 0x77, low: number)) }

  private static func making(_ room: RoomID, due: Int64) -> RoomCommit {
    .making(room).with { $0.due = .set(Instant(milliseconds: due)) }
  }

  @Test("due rooms come page by page in their order, each once", arguments: [1, 3, 100], StoreKind.allCases)
  func due(limit: Int, kind: StoreKind) async throws {
    let (store, caller) = try kind.open()
    let rooms = (0..<20).map { number in
      // Four rooms are due at the same instant.
      Self.making(number % 3 == 0 ? Self.share(number) : .test(number), due: 1_000 - Int64(number / 4))
    }
    try await caller.commit(rooms, to: store)
    for kind in [DueKind.shares, .others] {
      var found: [DueRoom] = []
      while true {
        let page = try await caller.due(kind, in: store, after: found.last, limit: limit)
        found += page
        #expect(page.count <= limit)
        if page.count < limit { break }
      }
      #expect(Set(found.map(\.room)) == Set(rooms.map(\.room).filter { DueKind($0) == kind }))
      #expect(found.count == (kind == .shares ? 7 : 13))
      #expect(zip(found, found.dropFirst()).allSatisfy { $0.precedes($1) })
    }
  }

  @Test("a page goes on though its last room has gone", arguments: StoreKind.allCases)
  func goneRoom(kind: StoreKind) async throws {
    let (store, caller) = try kind.open()
    try await caller.commit((1...5).map { Self.making(.test($0), due: 7) }, to: store)
    let first = try await caller.due(in: store, limit: 2)
    try await caller.erase(first.map(\.room), in: store)
    let rest = try await caller.due(in: store, after: first.last, limit: 9)
    #expect(Set(rest.map(\.room)) == Set((1...5).map { RoomID.test($0) }).subtracting(first.map(\.room)))
  }

  @Test("rooms and messages are found by the shard that runs their partition", arguments: StoreKind.allCases)
  func partitions(kind: StoreKind) async throws {
    let (store, caller) = try kind.open()
    let rooms = (0..<60).map { RoomID.test($0) }
    try await caller.commit(
      rooms.map { room in
        Self.making(room, due: 5).with { $0.sent = [OutgoingMessage(target: room, number: 1, body: [1])] }
      }, to: store)
    var due: [RoomID] = []
    var targets: [RoomID] = []
    for shard in 0..<3 {
      let partitions = Partitions(ofShard: shard, of: 3)
      let found = try await caller.due(in: store, partitions).map(\.room)
      let messages = try await caller.messages(in: store, partitions, limit: 7).map(\.message.target)
      #expect(!found.isEmpty && found.allSatisfy { partitions.contains(Partition(of: $0)) })
      #expect(Set(messages) == Set(found))
      due += found
      targets += messages
    }
    #expect(due.count == 60 && Set(due) == Set(rooms))
    #expect(targets.count == 60)
  }

  @Test("messages come page by page in their order, each once", arguments: [1, 2, 7, 100], StoreKind.allCases)
  func messages(limit: Int, kind: StoreKind) async throws {
    let (store, caller) = try kind.open()
    try await caller.commit([.making(.test(1)), .making(.test(2))], to: store)
    for number in 1...7 as ClosedRange<Int64> {
      try await caller.commit(
        [
          .raising(.test(1), from: number).with {
            $0.sent = [OutgoingMessage(target: .test(9), number: number, body: [1])]
          },
          .raising(.test(2), from: number).with {
            $0.sent = [OutgoingMessage(target: .test(9), number: number, body: [2])]
          },
        ], to: store)
    }
    let all = try await caller.messages(in: store, .all, limit: limit)
    #expect(all.count == 14)
    for source in [RoomID.test(1), .test(2)] {
      #expect(all.filter { $0.source == source }.map(\.message.number) == Array(1...7))
    }
  }

  @Test("history is pruned by kind and age, the oldest first, so many at a time", arguments: StoreKind.allCases)
  func pruning(kind: StoreKind) async throws {
    let (store, caller) = try kind.open()
    try await caller.commit(
      [
        .making(.test(1)).with { commit in
          commit.history = (1...6).map { .test($0, at: Int64($0) * 10) } + [.test(1, at: 10, kind: "rota")]
        },
        .making(.test(2)).with { $0.history = [.test(1, at: 15)] },
      ], to: store)
    func prune(before: Int64, _ limit: Int) async throws -> Int {
      try await caller.wait {
        store.prune(history: "chat", before: Instant(milliseconds: before), limit: limit, reply: $0)
      }.value()
    }
    #expect(try await prune(before: 10, 100) == 0)
    #expect(try await prune(before: 40, 3) == 3)
    #expect(try await caller.history(of: .test(1), in: store).map(\.at.milliseconds) == [60, 50, 40, 30])
    #expect(try await caller.history(of: .test(2), in: store) == [])
    #expect(try await prune(before: 40, 3) == 1)
    #expect(try await prune(before: 40, 3) == 0)
    #expect(try await caller.history(of: .test(1), in: store).map(\.at.milliseconds) == [60, 50, 40])
    #expect(try await caller.history(of: .test(1), kind: "rota", in: store).count == 1)
  }
}

extension Caller {
  /// All messages, read in pages.
  fileprivate func messages(
    in store: any RoomStore, _ partitions: Partitions, limit: Int
  ) async throws -> [StoredMessage] {
    var messages: [StoredMessage] = []
    var cursor: OutboxCursor?
    repeat {
      let start = cursor
      let page = try await wait {
        store.undelivered(in: partitions, after: start, limit: limit, reply: $0)
      }.value()
      #expect(page.messages.count <= limit)
      messages += page.messages
      cursor = page.next
    } while cursor != nil
    return messages
  }
}
