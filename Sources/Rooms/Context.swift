import Crypto
public import JSON

/// The caller, the time and the inputs of a rule: rules have no clock, no randomness and no I/O of their own.
public struct Context {
  /// The caller; `nil` when the room itself acts: on a message, or at a due time.
  public let caller: ID<Person>?
  /// The caller's installation, or the key of one call; `nil` when the room itself acts.
  public let client: ID<Client>?
  /// The caller's log-in, which is one device as far as people can tell; `nil` when the room itself acts.
  public let session: ID<Session>?
  public let now: Instant
  /// The time of history records: `now`, or that of the room's last change if the clock has been set back since.
  public let recordedAt: Instant
  public let room: RoomID
  /// The running call, if it has a number; a later answer completes it.
  public let call: CallKey?
  /// The answers to the rule's `needs`.
  public let fetched: [Need: Fetched]
  /// 32 unpredictable bytes from the kernel, for a method that makes a secret; empty for all others.
  public let secret: [UInt8]
  @usableFromInline let seed: Seed
  @usableFromInline let effects: Effects

  @usableFromInline struct Seed {
    @usableFromInline let key: [UInt8]
    @usableFromInline let version: Int64
    @usableFromInline init(key: [UInt8], version: Int64) {
      self.key = key
      self.version = version
    }
  }

  @usableFromInline init(_ turn: Turn, room: RoomID, changedAt: Instant, seed: Seed, effects: Effects) {
    caller = turn.caller
    client = turn.client
    session = turn.session
    now = turn.now
    recordedAt = max(changedAt, turn.now)
    call = turn.call
    fetched = turn.fetched
    secret = turn.secret
    self.room = room
    self.seed = seed
    self.effects = effects
  }

  /// The caller of a method; an all-zero id when the room itself acts.
  @inlinable public var person: ID<Person> { caller ?? ID() }

  /// `chosen`, or else an id drawn from the room's key and version. No client can predict it, and a rule that runs
  /// again on the same version draws it again.
  @inlinable public func newID<Of>(_ chosen: ID<Of>? = nil) -> ID<Of> { chosen ?? drawID() }

  @usableFromInline func drawID<Of>() -> ID<Of> {
    let bytes = draw()
    var high: UInt64 = 0
    var low: UInt64 = 0
    for index in 0..<8 {
      high = high << 8 | UInt64(bytes[index])
      low = low << 8 | UInt64(bytes[index + 8])
    }
    // RFC 9562 §5.8: version 8, variant 10.
    return ID(high: high & ~0xF000 | 0x8000, low: low & ~(3 << 62) | 2 << 62)
  }

  /// 32 bytes, different for each draw: HMAC-SHA-256 of the version and the count of draws under the room's key.
  func draw() -> [UInt8] {
    effects.lists.draws += 1
    return HMACSHA256.authenticate(key: seed.key, Array("\(seed.version) \(effects.lists.draws)".utf8))
  }

  /// Writes a record of the room's history; a later one with the same kind and id replaces it.
  ///
  /// - Parameters:
  ///   - at: The time of the record, if it is not that of the change.
  ///   - about: The persons by whom queries find the record.
  @inlinable public func record(
    _ kind: String, id: [UInt8], at: Instant? = nil, about: Set<ID<Person>> = [], _ body: some Record
  ) {
    let writer = Writer(capacity: 256)
    body.write(to: writer)
    effects.add(HistoryRecord(kind: kind, id: id, at: at ?? recordedAt, about: about, body: writer.bytes()))
  }

  /// Removes a record of the room's history, if there is one.
  @inlinable public func erase(_ kind: String, id: [UInt8]) {
    effects.add(HistoryRecord(kind: kind, id: id, at: recordedAt, body: nil))
  }

  /// Sends a message to another room, in the same commit as its cause.
  @inlinable public func send<M: Message>(_ message: M, to target: RoomID) {
    let writer = Writer(capacity: 256)
    writer.openObject()
    writer.key("message")
    writer.string(M.name)
    message.writeMembers(to: writer)
    writer.closeObject()
    effects.add(Effects.Outgoing(target: target, body: writer.bytes()))
  }

  /// Delivers something outside, not before a time, in the same commit as its cause.
  public func deliver(_ delivery: Delivery) { effects.lists.deliveries.append(delivery) }

  /// Makes a secret lead to this room.
  public func admit(secretHash: [UInt8]) { effects.lists.secrets.append(SecretChange(hash: secretHash, isValid: true)) }
  public func forget(secretHash: [UInt8]) {
    effects.lists.secrets.append(SecretChange(hash: secretHash, isValid: false))
  }

  /// Answers a call that had to wait for another room.
  @inlinable public func complete(_ call: CallKey, _ answer: some Record) {
    let writer = Writer(capacity: 128)
    answer.writeMembers(to: writer)
    effects.add(Effects.Completion(call: call, outcome: .success(writer.bytes())))
  }

  public func complete(_ call: CallKey, refused refusal: Refusal) {
    effects.lists.completions.append(Effects.Completion(call: call, outcome: .failure(refusal)))
  }

  /// Expels a person: from now on the room sends them nothing, and at the commit they are told why.
  public func expel(_ person: ID<Person>, reason: String) {
    effects.lists.expelled.append(Effects.Expulsion(person: person, reason: reason))
  }

  /// Ends the room: at the commit everybody in it is told why, then the store removes the room.
  public func endRoom(reason: String) { effects.lists.ending = reason }
}
