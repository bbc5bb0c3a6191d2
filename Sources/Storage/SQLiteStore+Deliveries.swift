internal import GRDB
public import Platform
internal import Rooms

extension SQLiteStore: DeliveryStore {
  public func deliveries(
    in partitions: Partitions, limit: Int, reply: Reply<Result<[StoredDelivery], StoreError>>
  ) {
    readAlone(reply) { try DeliveryTable.page(in: partitions, limit: limit, $0) }
  }

  public func settle(_ row: Int64, _ settlement: Settlement, reply: Reply<Result<Void, StoreError>>) {
    submit(
      Job(
        scope: .directory,
        write: { _, database in
          try DeliveryTable.settle(row, settlement, database)
          return { reply(.success(())) }
        }, fail: { reply(.failure($0)) }))
  }
}
