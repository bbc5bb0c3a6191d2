import Platform
import Rooms

/// Stands before a store and passes everything on; what is wanted otherwise is overridden: crash points here, and in
/// tests disks that are slow or broken.
///
/// `@unchecked`: nothing in it changes, and subclasses keep what changes in a mutex.
class StoreInFront: RoomStore, @unchecked Sendable {
  let store: any RoomStore

  init(_ store: any RoomStore) { self.store = store }

  var generation: [UInt8] { store.generation }
  func load(_ room: RoomID, reply: Reply<Result<StoredRoom?, StoreError>>) { store.load(room, reply: reply) }
  func commit(_ batch: [RoomCommit], reply: Reply<Result<Void, StoreError>>) { store.commit(batch, reply: reply) }
  func missed(of room: RoomID, since version: Int64, reply: Reply<Result<Ring.Entry?, StoreError>>) {
    store.missed(of: room, since: version, reply: reply)
  }
  func keepLive(_ values: [(room: RoomID, body: [UInt8])]) { store.keepLive(values) }
  func history(of room: RoomID, _ query: HistoryQuery, reply: Reply<Result<[HistoryRecord], StoreError>>) {
    store.history(of: room, query, reply: reply)
  }
  func prune(history kind: String, before instant: Instant, limit: Int, reply: Reply<Result<Int, StoreError>>) {
    store.prune(history: kind, before: instant, limit: limit, reply: reply)
  }
  func due(
    _ kind: DueKind, in partitions: Partitions, after cursor: DueRoom?, limit: Int,
    reply: Reply<Result<[DueRoom], StoreError>>
  ) {
    store.due(kind, in: partitions, after: cursor, limit: limit, reply: reply)
  }
  func undelivered(
    in partitions: Partitions, after cursor: OutboxCursor?, limit: Int, reply: Reply<Result<OutboxPage, StoreError>>
  ) {
    store.undelivered(in: partitions, after: cursor, limit: limit, reply: reply)
  }
  func room(secret hash: [UInt8], reply: Reply<Result<RoomID?, StoreError>>) { store.room(secret: hash, reply: reply) }
  func discard(_ messages: [StoredMessage], reply: Reply<Result<Void, StoreError>>) {
    store.discard(messages, reply: reply)
  }
  func wasErased(_ room: RoomID, reply: Reply<Result<Bool, StoreError>>) { store.wasErased(room, reply: reply) }
  func erase(_ rooms: [RoomID], reply: Reply<Result<Void, StoreError>>) { store.erase(rooms, reply: reply) }
}
