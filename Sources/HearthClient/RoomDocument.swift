public import JSON

/// A room as a client knows it.
public struct RoomDocument: Sendable, Equatable {
  /// What the server has said.
  public var confirmed: RoomSnapshot
  /// The same with our own changes in it that the server has not confirmed: what is to be shown.
  public var state: JSON
  /// These changes, in order.
  public var pending: [QueuedChange]
  /// The server tells of every change as it happens. Otherwise this is what the room was when last heard of.
  public var isCurrent: Bool

  public init(confirmed: RoomSnapshot, state: JSON, pending: [QueuedChange], isCurrent: Bool) {
    self.confirmed = confirmed
    self.state = state
    self.pending = pending
    self.isCurrent = isCurrent
  }

  /// What is only true now.
  public var live: JSON { confirmed.live }
}
