/// One turn of a room, with the inputs that its shard supplies.
public struct Turn {
  /// The caller; `nil` when the room itself acts.
  public var caller: ID<Person>?
  public var client: ID<Client>?
  /// The caller's log-in.
  public var session: ID<Session>?
  public var now: Instant
  /// The call, if it has a number.
  public var call: CallKey?
  /// The answers to the needs of the rule or question.
  public var fetched: [Need: Fetched] = [:]
  /// 32 unpredictable bytes for a method that makes a secret; empty for all others.
  public var secret: [UInt8] = []

  public init(
    caller: ID<Person>? = nil, client: ID<Client>? = nil, session: ID<Session>? = nil, now: Instant,
    call: CallKey? = nil
  ) {
    self.caller = caller
    self.client = client
    self.session = session
    self.now = now
    self.call = call
  }
}
