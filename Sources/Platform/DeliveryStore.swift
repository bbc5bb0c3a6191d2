public import Rooms

/// Keeps what is to be delivered outside. It comes in with the commit of its cause, and stays until it is settled.
public protocol DeliveryStore: Sendable {
  /// The deliveries of rooms of some partitions that are due first, at most `limit`.
  func deliveries(
    in partitions: Partitions, limit: Int, reply: Reply<Result<[StoredDelivery], StoreError>>)
  /// Removes a delivery, or puts it off.
  func settle(_ row: Int64, _ settlement: Settlement, reply: Reply<Result<Void, StoreError>>)
}

/// A delivery as found in the store.
public struct StoredDelivery: Sendable, Equatable {
  /// Its place in the store; none is used twice.
  public var row: Int64
  /// The room whose partition owns it.
  public var room: RoomID
  /// How often it was tried in vain.
  public var attempts: Int
  /// When it is to be tried next.
  public var due: Instant
  public var delivery: Delivery

  public init(row: Int64, room: RoomID, attempts: Int, due: Instant, delivery: Delivery) {
    self.row = row
    self.room = room
    self.attempts = attempts
    self.due = due
    self.delivery = delivery
  }
}

/// How an attempt to deliver ended, for the store.
public enum Settlement: Sendable, Equatable {
  /// It has arrived, or is given up.
  case done
  /// It failed, and is tried again.
  case retry(at: Instant)
}
