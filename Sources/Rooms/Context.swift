import Crypto
public import JSON

/// Who calls, when, and what a rule may know of the world: rules have no clock, no random and no I/O of their own.
public struct Context {
  /// Who asks; `nil` when the room itself acts: on a message, or because something fell due.
  public let caller: ID<Person>?
  /// The caller's installation, or the key of one call; `nil` when the room itself acts.
  public let client: ID<Client>?
  /// The caller's log-in, which is one device as far as people can tell; `nil` when the room itself acts.
  public let session: ID<Session>?
  public let now: Instant
  public let room: RoomID
  /// The call that is being carried out, where it has a number; an answer that comes later is completed by it.
  public let call: CallKey?
  /// What was fetched for the rule's `needs`.
  public let fetched: [Need: Fetched]
  /// 32 unpredictable bytes from the system, for a method that makes a secret; empty for all others.
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

  @usableFromInline init(_ turn: Turn, room: RoomID, seed: Seed, effects: Effects) {
    caller = turn.caller
    client = turn.client
    session = turn.session
    now = turn.now
    call = turn.call
    fetched = turn.fetched
    secret = turn.secret
    self.room = room
    self.seed = seed
    self.effects = effects
  }

  /// The caller of a method; nobody's id where the room itself acts.
  @inlinable public var person: ID<Person> { caller ?? ID() }

  /// `chosen`, or else an id drawn from the room's key and version: nobody can predict it, and a rule that runs again
  /// on the same version draws it again.
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

  /// 32 bytes, other ones on every call: HMAC-SHA-256 of the version and the count of draws under the room's key.
  func draw() -> [UInt8] {
    effects.lists.draws += 1
    return HMACSHA256.authenticate(key: seed.key, Array("\(seed.version) \(effects.lists.draws)".utf8))
  }

  /// Writes a record of the room's history; a later one with the same kind and id replaces it.
  ///
  /// - Parameter about: The persons by whom queries find the record.
  @inlinable public func record(_ kind: String, id: [UInt8], about: Set<ID<Person>> = [], _ body: some Record) {
    let writer = Writer(capacity: 256)
    body.write(to: writer)
    effects.add(HistoryRecord(kind: kind, id: id, at: now, about: about, body: writer.bytes()))
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

  /// Puts somebody out of the room: nothing is sent to them from now on, and at the commit they are told why.
  public func expel(_ person: ID<Person>, reason: String) {
    effects.lists.expelled.append(Effects.Expulsion(person: person, reason: reason))
  }

  /// Ends the room: at the commit everybody in it is told why, then all that is kept of it is removed.
  public func endRoom(reason: String) { effects.lists.ending = reason }
}
