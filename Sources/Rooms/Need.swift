/// A value outside a room's document that a rule or a question needs. The server fetches it before they run.
public enum Need: Hashable, Sendable {
  /// The person whose account has this address, normalised.
  case account(email: String)
  /// The room to which the secret with this SHA-256 leads.
  case room(secretHash: [UInt8])
  /// Records of the room's history, newest first.
  case history(HistoryQuery)
  /// Whether the caller's session has confirmed in the last minutes, and in which way.
  case confirmation
  /// The solution of a puzzle (SEC-10). Without one that counts, the server refuses the call before the rule runs.
  case puzzle(String?)
}

/// A way in which a session confirms that the owner of its account is there (BIL-8).
public enum Confirmation: String, Sendable, Equatable {
  case pin, password
}

/// The answer to a need.
public enum Fetched: Equatable, Sendable {
  case person(ID<Person>?)
  case room(RoomID?)
  case history([HistoryRecord])
  /// `nil` if the session has not confirmed in the last minutes.
  case confirmation(Confirmation?)
  /// A solution that counts, or none is needed.
  case puzzle
}

extension [Need: Fetched] {
  /// The records that a query found; none if the query was not among the needs.
  public func records(of query: HistoryQuery) -> [HistoryRecord] {
    if case .history(let records)? = self[.history(query)] { records } else { [] }
  }
}
