public import Platform
public import Rooms

/// Passes every call on to a store. Subclasses override single calls: they crash the server, or behave as a slow or
/// broken disk does.
///
/// `@unchecked`: it has no mutable state, and subclasses keep theirs behind a lock.
open class StoreInFront: RoomStore, @unchecked Sendable {
  public let store: any RoomStore

  public init(_ store: any RoomStore) { self.store = store }

  public var generation: [UInt8] { store.generation }
  open func load(_ room: RoomID, reply: Reply<Result<StoredRoom?, StoreError>>) { store.load(room, reply: reply) }
  open func commit(_ batch: [RoomCommit], reply: Reply<Result<Void, StoreError>>) { store.commit(batch, reply: reply) }
  open func missed(of room: RoomID, since version: Int64, reply: Reply<Result<Ring.Entry?, StoreError>>) {
    store.missed(of: room, since: version, reply: reply)
  }
  open func keepLive(_ values: [(room: RoomID, body: [UInt8])]) { store.keepLive(values) }
  open func history(of room: RoomID, _ query: HistoryQuery, reply: Reply<Result<[HistoryRecord], StoreError>>) {
    store.history(of: room, query, reply: reply)
  }
  open func prune(history kind: String, before instant: Instant, limit: Int, reply: Reply<Result<Int, StoreError>>) {
    store.prune(history: kind, before: instant, limit: limit, reply: reply)
  }
  open func due(
    _ kind: DueKind, in partitions: Partitions, after cursor: DueRoom?, limit: Int,
    reply: Reply<Result<[DueRoom], StoreError>>
  ) {
    store.due(kind, in: partitions, after: cursor, limit: limit, reply: reply)
  }
  open func undelivered(
    in partitions: Partitions, after cursor: OutboxCursor?, limit: Int, reply: Reply<Result<OutboxPage, StoreError>>
  ) {
    store.undelivered(in: partitions, after: cursor, limit: limit, reply: reply)
  }
  open func rooms(secret hash: [UInt8], limit: Int, reply: Reply<Result<[RoomID], StoreError>>) {
    store.rooms(secret: hash, limit: limit, reply: reply)
  }
  open func discard(_ messages: [StoredMessage], reply: Reply<Result<Void, StoreError>>) {
    store.discard(messages, reply: reply)
  }
  open func wasErased(_ room: RoomID, reply: Reply<Result<Bool, StoreError>>) { store.wasErased(room, reply: reply) }
  open func erase(_ rooms: [RoomID], reply: Reply<Result<Void, StoreError>>) { store.erase(rooms, reply: reply) }
  open func size(reply: Reply<Result<StoreSize, StoreError>>) { store.size(reply: reply) }
}
