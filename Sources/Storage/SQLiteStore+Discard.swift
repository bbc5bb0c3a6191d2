public import Platform
internal import Rooms

extension SQLiteStore {
  public func discard(_ messages: [StoredMessage], reply: Reply<Result<Void, StoreError>>) {
    submit(
      Job(
        scope: .rooms(messages.map(\.source)),
        write: { writer, database in
          try writer.discard(messages, database)
          return { reply(.success(())) }
        }, fail: { reply(.failure($0)) }))
  }
}
