import JSON
import Platform
import Rooms

/// A loop without a thread: posted work runs when the benchmark asks for it, and time stands still otherwise.
final class BareLoop: Loop {
  /// `@unchecked`: there is one thread.
  final class Posts: Poster, @unchecked Sendable {
    private var waiting: [@Sendable () -> Void] = []

    func post(_ work: @escaping @Sendable () -> Void) { waiting.append(work) }

    var isEmpty: Bool { waiting.isEmpty }

    /// Runs the work posted so far.
    func run() {
      let works = waiting
      waiting.removeAll(keepingCapacity: true)
      for work in works { work() }
    }
  }

  final class NoTimer: LoopTimer {
    func cancel() {}
  }

  var now = SampleHome.now
  var uptime = Duration.seconds(1)
  let posts = Posts()
  var poster: any Poster { posts }
  private let timer = NoTimer()

  func schedule(after delay: Duration, _ action: @escaping () -> Void) -> any LoopTimer { timer }
  let hasBacklog = false
  let load = 1.0
  private var wantsBatchEnd = false
  func wantBatchEnd() { wantsBatchEnd = true }
  func flushIfMany() {}
  func wipeBuffers() {}

  /// Runs batches until there is nothing left to do.
  func settle(_ handler: any LoopHandler) {
    repeat {
      wantsBatchEnd = false
      posts.run()
      handler.batchEnded()
    } while wantsBatchEnd || !posts.isEmpty
  }
}

/// A connection that accepts all bytes and collects the output of a batch like a socket's stream.
final class BareStream: Stream {
  private(set) var sentByteCount = 0
  private var bytes: [UInt8] = []
  let peer = PeerAddress(host: "127.0.0.1", port: 1, isLoopback: true, isEncrypted: false)
  var isReadingPaused = false
  var unsentByteCount: Int { 0 }
  let stalledSince: Duration? = nil

  func send(_ span: Span<UInt8>) { bytes.append(contentsOf: span) }
  func close(lingering: Bool) {}
  func abort() {}

  /// The output of the last batch.
  var unsent: String { String(decoding: bytes, as: UTF8.self) }

  /// Discards the output of the last batch and returns its size.
  func flush() -> Int {
    defer { bytes.removeAll(keepingCapacity: true) }
    sentByteCount += bytes.count
    return bytes.count
  }
}

/// A disk that answers at once; its own work is measured elsewhere.
struct BareStore: RoomStore, Directory, DeliveryStore {
  let household: StoredRoom
  let people: [ID<Person>: StoredRoom]
  let generation = [UInt8](repeating: 1, count: 16)

  func load(_ room: RoomID, reply: Reply<Result<StoredRoom?, StoreError>>) {
    switch room {
    case .household: reply(.success(household))
    case .person(let person): reply(.success(people[person]))
    default: reply(.success(nil))
    }
  }

  func commit(_ batch: [RoomCommit], reply: Reply<Result<Void, StoreError>>) { reply(.success(())) }
  func missed(of room: RoomID, since version: Int64, reply: Reply<Result<Ring.Entry?, StoreError>>) {
    reply(.success(nil))
  }
  func keepLive(_ values: [(room: RoomID, body: [UInt8])]) {}
  func history(of room: RoomID, _ query: HistoryQuery, reply: Reply<Result<[HistoryRecord], StoreError>>) {
    reply(.success([]))
  }
  func prune(history kind: String, before instant: Instant, limit: Int, reply: Reply<Result<Int, StoreError>>) {
    reply(.success(0))
  }
  func due(
    _ kind: DueKind, in partitions: Partitions, after cursor: DueRoom?, limit: Int,
    reply: Reply<Result<[DueRoom], StoreError>>
  ) { reply(.success([])) }
  func undelivered(
    in partitions: Partitions, after cursor: OutboxCursor?, limit: Int, reply: Reply<Result<OutboxPage, StoreError>>
  ) { reply(.success(OutboxPage(messages: [], next: nil))) }
  func rooms(secret hash: [UInt8], limit: Int, reply: Reply<Result<[RoomID], StoreError>>) { reply(.success([])) }
  func discard(_ messages: [StoredMessage], reply: Reply<Result<Void, StoreError>>) { reply(.success(())) }
  func wasErased(_ room: RoomID, reply: Reply<Result<Bool, StoreError>>) { reply(.success(false)) }
  func erase(_ rooms: [RoomID], reply: Reply<Result<Void, StoreError>>) { reply(.success(())) }
  func size(reply: Reply<Result<StoreSize, StoreError>>) { reply(.success(StoreSize(rooms: 0, bytes: 0))) }

  func deliveries(in partitions: Partitions, limit: Int, reply: Reply<Result<[StoredDelivery], StoreError>>) {
    reply(.success([]))
  }
  func settle(_ row: Int64, _ settlement: Settlement, reply: Reply<Result<Void, StoreError>>) { reply(.success(())) }

  // MARK: directory

  /// The token of each person is the hash of their number in the sample.
  func session(tokenHash: [UInt8], reply: Reply<Result<SessionRecord?, StoreError>>) {
    let person = SampleHome.people.first { SampleHome.tokenHash(of: $0) == tokenHash }
    reply(
      .success(
        person.map {
          SessionRecord(
            id: ID(high: $0.high, low: $0.low ^ 1 << 32), person: $0, tokenHash: tokenHash, name: "bench",
            createdAt: SampleHome.now, lastUsedAt: SampleHome.now)
        }))
  }
  func createAccount(
    _ account: Account, by proof: AccountProof, room: RoomCommit, session: SessionRecord,
    reply: Reply<Result<AccountCreation, StoreError>>
  ) { reply(.success(.created)) }
  func account(by key: AccountKey, reply: Reply<Result<Account?, StoreError>>) { reply(.success(nil)) }
  func change(
    _ person: ID<Person>, expecting revision: Revision?, _ changes: [AccountChange],
    reply: Reply<Result<AccountOutcome, StoreError>>
  ) { reply(.success(.outdated)) }
  func touchSession(_ session: ID<Session>, at instant: Instant) {}
  func sessions(of person: ID<Person>, reply: Reply<Result<[SessionRecord], StoreError>>) { reply(.success([])) }
  func secret(reply: Reply<Result<[UInt8], StoreError>>) { reply(.success([UInt8](repeating: 1, count: 32))) }
  func spend(
    puzzle challenge: [UInt8], by call: [UInt8], until end: Instant, at now: Instant,
    reply: Reply<Result<Bool, StoreError>>
  ) { reply(.success(true)) }
  func session(_ id: ID<Session>, reply: Reply<Result<SessionRecord?, StoreError>>) { reply(.success(nil)) }
  func accounts(after person: ID<Person>?, limit: Int, reply: Reply<Result<[ListedAccount], StoreError>>) {
    reply(.success([]))
  }
  func count(reply: Reply<Result<DirectoryCount, StoreError>>) {
    reply(.success(DirectoryCount(accounts: 0, sessions: 0)))
  }
}

struct NoWorkers: Workers {
  func run<Value: Sendable>(_ work: @escaping @Sendable () -> Value, in lane: WorkLane, reply: Reply<Value?>) {
    reply(nil)
  }
}

/// A generator of the same numbers in every run.
struct NoRandomness: Randomness {
  func bytes(_ count: Int) -> [UInt8] { [UInt8](repeating: 0x5A, count: count) }
}
