import Dispatch
import JSON
import Platform
import Rooms
import TestSupport

/// A disk that a test controls: commits can be held, refused and inspected.
final class Gate: Sendable {
  private struct State {
    var isHolding = false
    var isHoldingLoads = false
    var isHoldingHistory = false
    var isHoldingErasures = false
    var historyReads = 0
    /// The only room whose commits are held; `nil` for all rooms.
    var heldRoom: String?
    /// The number of commits to pass before one fails; `nil` if none is to fail.
    var passesBeforeFailure: Int?
    /// The only room whose commits count for that; `nil` for all rooms.
    var failingRoom: String?
    var failure = StoreError.full
    var refusesSnapshots = false
    var isUnreadable = false
    var held: [@Sendable () -> Void] = []
    var waiting: [CheckedContinuation<Void, Never>] = []
    var commits: [RoomCommit] = []
    var loads: [String: Int] = [:]
    var missedReads = 0
  }

  private let state = Locked(State())

  func wrap(_ store: any RoomStore) -> any RoomStore { GatedStore(store, self) }

  /// Holds commits from now on: all of them, or those that involve one room.
  func hold(_ room: String? = nil) {
    state.withLock { state in
      state.isHolding = true
      state.heldRoom = room
    }
  }

  /// Holds loads of rooms from now on.
  func holdLoads() { state.withLock { $0.isHoldingLoads = true } }

  /// Holds reads of history from now on.
  func holdHistory() { state.withLock { $0.isHoldingHistory = true } }

  /// Holds questions whether a room existed once, from now on.
  func holdErasures() { state.withLock { $0.isHoldingErasures = true } }

  /// The number of reads of history.
  var historyReads: Int { state.withLock { $0.historyReads } }

  /// Releases everything that is held now, and goes on holding.
  func releaseHeld() {
    let held = state.withLock { state in
      defer { state.held = [] }
      return state.held
    }
    for pass in held { pass() }
  }

  /// Waits until something is held.
  func holdsOne() async {
    await withCheckedContinuation { continuation in
      let isThere = state.withLock { state in
        if state.held.isEmpty { state.waiting.append(continuation) }
        return !state.held.isEmpty
      }
      if isThere { continuation.resume() }
    }
  }

  /// Releases everything and stops holding.
  func release() {
    state.withLock { state in
      state.isHolding = false
      state.isHoldingLoads = false
      state.isHoldingHistory = false
      state.isHoldingErasures = false
    }
    releaseHeld()
  }

  /// Makes the next commit fail, or the one after `passes` further ones: of all commits, or of those that involve one
  /// room.
  func failOnce(in room: String? = nil, with failure: StoreError = .full, after passes: Int = 0) {
    state.withLock { state in
      state.passesBeforeFailure = passes
      state.failingRoom = room
      state.failure = failure
    }
  }

  /// While true, snapshots that are committed without a change fail.
  func refuseSnapshots(_ refuses: Bool) { state.withLock { $0.refusesSnapshots = refuses } }

  /// While true, no room can be loaded.
  func setUnreadable(_ isUnreadable: Bool) { state.withLock { $0.isUnreadable = isUnreadable } }
  var isUnreadable: Bool { state.withLock { $0.isUnreadable } }

  /// All commits so far.
  var commits: [RoomCommit] { state.withLock { $0.commits } }

  /// The number of loads of a room.
  func loads(of room: String) -> Int { state.withLock { $0.loads[room] ?? 0 } }

  /// Whether a read of history is held.
  fileprivate func holdsHistory(_ pass: @escaping @Sendable () -> Void) -> Bool {
    let (isHeld, waiting) = state.withLock { state -> (Bool, [CheckedContinuation<Void, Never>]) in
      state.historyReads += 1
      guard state.isHoldingHistory else { return (false, []) }
      state.held.append(pass)
      defer { state.waiting = [] }
      return (true, state.waiting)
    }
    for continuation in waiting { continuation.resume() }
    return isHeld
  }

  /// Whether the question whether a room existed once is held.
  fileprivate func holdsErasure(_ pass: @escaping @Sendable () -> Void) -> Bool {
    let (isHeld, waiting) = state.withLock { state -> (Bool, [CheckedContinuation<Void, Never>]) in
      guard state.isHoldingErasures else { return (false, []) }
      state.held.append(pass)
      defer { state.waiting = [] }
      return (true, state.waiting)
    }
    for continuation in waiting { continuation.resume() }
    return isHeld
  }

  /// Whether the load of a room is held.
  fileprivate func holdsLoad(of room: RoomID, _ pass: @escaping @Sendable () -> Void) -> Bool {
    let (isHeld, waiting) = state.withLock { state -> (Bool, [CheckedContinuation<Void, Never>]) in
      state.loads[room.name, default: 0] += 1
      guard state.isHoldingLoads else { return (false, []) }
      state.held.append(pass)
      defer { state.waiting = [] }
      return (true, state.waiting)
    }
    for continuation in waiting { continuation.resume() }
    return isHeld
  }

  /// The number of reads of changes older than those in memory.
  var missedReads: Int { state.withLock { $0.missedReads } }
  fileprivate func noteMissedRead() { state.withLock { $0.missedReads += 1 } }

  fileprivate enum Decision {
    case pass, held
    case fail(StoreError)
  }

  /// Whether a batch has a commit of the room; `nil` stands for every room.
  private static func involves(_ room: String?, _ batch: [RoomCommit]) -> Bool {
    room.map { name in batch.contains { $0.room.name == name } } ?? true
  }

  fileprivate func decide(_ batch: [RoomCommit], _ pass: @escaping @Sendable () -> Void) -> Decision {
    let (decision, waiting) = state.withLock { state -> (Decision, [CheckedContinuation<Void, Never>]) in
      state.commits += batch
      if Self.involves(state.failingRoom, batch) {
        if state.passesBeforeFailure == 0 {
          state.passesBeforeFailure = nil
          return (.fail(state.failure), [])
        }
        state.passesBeforeFailure? -= 1
      }
      if state.refusesSnapshots, batch.contains(where: { $0.entry == nil && $0.snapshot != nil }) {
        return (.fail(.full), [])
      }
      guard state.isHolding, Self.involves(state.heldRoom, batch) else { return (.pass, []) }
      state.held.append(pass)
      defer { state.waiting = [] }
      return (.held, state.waiting)
    }
    for continuation in waiting { continuation.resume() }
    return decision
  }
}

private final class GatedStore: StoreInFront, @unchecked Sendable {
  private let gate: Gate

  init(_ store: any RoomStore, _ gate: Gate) {
    self.gate = gate
    super.init(store)
  }

  override func commit(_ batch: [RoomCommit], reply: Reply<Result<Void, StoreError>>) {
    let pass: @Sendable () -> Void = { [store] in store.commit(batch, reply: reply) }
    switch gate.decide(batch, pass) {
    case .pass: pass()
    case .fail(let error): reply(.failure(error))
    case .held: break
    }
  }

  override func missed(
    of room: RoomID, since version: Int64, reply: Reply<Result<Ring.Entry?, StoreError>>
  ) {
    gate.noteMissedRead()
    store.missed(of: room, since: version, reply: reply)
  }

  override func history(
    of room: RoomID, _ query: HistoryQuery, reply: Reply<Result<[HistoryRecord], StoreError>>
  ) {
    let pass: @Sendable () -> Void = { [store] in store.history(of: room, query, reply: reply) }
    if !gate.holdsHistory(pass) { pass() }
  }

  override func wasErased(_ room: RoomID, reply: Reply<Result<Bool, StoreError>>) {
    let pass: @Sendable () -> Void = { [store] in store.wasErased(room, reply: reply) }
    if !gate.holdsErasure(pass) { pass() }
  }

  override func load(_ room: RoomID, reply: Reply<Result<StoredRoom?, StoreError>>) {
    let pass: @Sendable () -> Void = { [store] in store.load(room, reply: reply) }
    if gate.holdsLoad(of: room, pass) { return }
    if gate.isUnreadable { reply(.failure(.failed("a broken disk"))) } else { pass() }
  }
}

/// Makes time pass while the server is down: moves every stored instant back.
final class LaterStore: StoreInFront, @unchecked Sendable {
  private let passed: Duration

  init(_ store: any RoomStore, after passed: Duration) {
    self.passed = passed
    super.init(store)
  }

  override func load(_ room: RoomID, reply: Reply<Result<StoredRoom?, StoreError>>) {
    store.load(
      room,
      reply: Reply(on: reply.poster) { [passed] result in
        reply(
          result.map { stored in
            guard var stored else { return nil }
            stored.snapshot = stored.snapshot?.instants(earlierBy: passed)
            stored.entries = stored.entries.map { $0.instants(earlierBy: passed) }
            stored.live = stored.live?.instants(earlierBy: passed)
            stored.due = stored.due.map { $0 - passed }
            return stored
          })
      })
  }

  override func prune(
    history kind: String, before instant: Instant, limit: Int, reply: Reply<Result<Int, StoreError>>
  ) { store.prune(history: kind, before: instant + passed, limit: limit, reply: reply) }

  override func due(
    _ kind: DueKind, in partitions: Partitions, after cursor: DueRoom?, limit: Int,
    reply: Reply<Result<[DueRoom], StoreError>>
  ) {
    store.due(
      kind, in: partitions, after: cursor.map { DueRoom(room: $0.room, due: $0.due + passed) }, limit: limit,
      reply: Reply(on: reply.poster) { [passed] result in
        reply(result.map { $0.map { DueRoom(room: $0.room, due: $0.due - passed) } })
      })
  }
}

extension [UInt8] {
  /// The text with every instant moved back. All instants have three decimals, so nothing else matches.
  fileprivate func instants(earlierBy duration: Duration) -> [UInt8] {
    var text = self
    let quote = UInt8(ascii: "\"")
    var index = 0
    while index + 25 < text.count {
      if text[index] == quote, text[index + 25] == quote,
        let instant = Instant(String(decoding: text[index + 1..<index + 25], as: UTF8.self))
      {
        text.replaceSubrange(index + 1..<index + 25, with: (instant - duration).description.utf8)
        index += 25
      }
      index += 1
    }
    return text
  }
}

/// Stops the loop itself when it loads a room.
final class Brake: Sendable {
  private let isOn = Locked(false)
  private let stops = AsyncStream.makeStream(of: Void.self)
  private let isReleased = DispatchSemaphore(value: 0)

  func pull() { isOn.withLock { $0 = true } }

  /// Waits until the loop is stopped.
  func stopped() async { for await _ in stops.stream { return } }

  func release() { isReleased.signal() }

  func stop() {
    guard isOn.withLock({ exchange(&$0, with: false) }) else { return }
    stops.continuation.yield()
    isReleased.wait()
  }
}

/// `@unchecked`: it has no mutable state.
final class BrakingStore: StoreInFront, @unchecked Sendable {
  private let brake: Brake

  init(_ store: any RoomStore, _ brake: Brake) {
    self.brake = brake
    super.init(store)
  }

  override func load(_ room: RoomID, reply: Reply<Result<StoredRoom?, StoreError>>) {
    brake.stop()
    store.load(room, reply: reply)
  }
}

/// Stores no live values, as on a full disk.
///
/// `@unchecked`: it has no mutable state.
final class LifelessStore: StoreInFront, @unchecked Sendable {
  override func keepLive(_ values: [(room: RoomID, body: [UInt8])]) {}
}

/// Stores no older changes.
///
/// `@unchecked`: it has no mutable state.
final class ForgetfulStore: StoreInFront, @unchecked Sendable {
  override func missed(of room: RoomID, since version: Int64, reply: Reply<Result<Ring.Entry?, StoreError>>) {
    reply(.success(nil))
  }
}
