public import JSON

/// An event that concerns the client as a whole.
public enum ClientEvent: Sendable, Equatable {
  /// The server accepted the token. Followed rooms are being subscribed to, and queued changes are being sent.
  case connected(Greeting)
  /// There is no connection. The client retries by itself after this time.
  case disconnected(ClientError, retryAfter: Duration)
  /// The client does not reconnect by itself.
  ///
  /// `isWiped`: the session is over, and documents and queued changes were removed from disk; `use(token:)` starts with
  /// a new token. Otherwise all data is kept, and `reconnect` or `use(token:)` continues.
  case stopped(ClientError, isWiped: Bool)
  /// A queued change was carried out, of this run or of an earlier one.
  case answered(QueuedChange, JSON)
  /// A queued change will not be carried out and is no longer shown.
  case refused(QueuedChange, ClientError)
  /// The server cannot carry out a queued change now; the client sends it again after this time.
  case delayed(QueuedChange, ServerError, Duration)
  /// Writing failed. The client retries documents and records of answers. `HearthClient.change` has thrown for a change
  /// that could not be written.
  case storageFailed(FileError)
}
