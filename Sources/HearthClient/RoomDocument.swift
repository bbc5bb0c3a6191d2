public import JSON

/// The state of a room on the client.
public struct RoomDocument: Sendable, Equatable {
  /// The server's state.
  public var confirmed: RoomSnapshot
  /// The server's state with unconfirmed changes applied: the state to show.
  public var state: JSON
  /// The unconfirmed changes, in order.
  public var pending: [QueuedChange]
  /// Whether the server is sending every change as it happens. Otherwise the state may be out of date.
  public var isCurrent: Bool

  public init(confirmed: RoomSnapshot, state: JSON, pending: [QueuedChange], isCurrent: Bool) {
    self.confirmed = confirmed
    self.state = state
    self.pending = pending
    self.isCurrent = isCurrent
  }

  /// The live document, which has no versions and is not stored.
  public var live: JSON { confirmed.live }
}
