public import JSON

/// What happens to a client as a whole.
public enum ClientEvent: Sendable, Equatable {
  /// The server knows who we are; rooms follow, and what was queued is on its way.
  case connected(Greeting)
  /// There is no connection; the next try is in this time. Nothing has to be done about it.
  case disconnected(ClientError, retryAfter: Duration)
  /// The client does not come back by itself. `isWiped`: the session is over, and documents and queued changes have
  /// been removed from the disk; `use(token:)` begins anew with another one. Otherwise all is still there, and
  /// `reconnect` or `use(token:)` goes on.
  case stopped(ClientError, isWiped: Bool)
  /// A queued change was carried out: of this run, or of an earlier one.
  case answered(QueuedChange, JSON)
  /// A queued change will not be carried out. It is not shown any more.
  case refused(QueuedChange, ClientError)
  /// The server cannot carry out a queued change now; it is sent again in this time.
  case delayed(QueuedChange, ServerError, Duration)
  /// Something could not be written. Documents and numbers of answers are tried again; a change that could not be
  /// written has thrown.
  case storageFailed(FileError)
}
