/// The effects of one commit's mutations beside the change of the document.
public final class Effects {
  public struct Outgoing: Sendable, Equatable {
    public let target: RoomID
    public let body: [UInt8]
    @usableFromInline init(target: RoomID, body: [UInt8]) {
      self.target = target
      self.body = body
    }
  }

  public struct Completion: Sendable {
    public let call: CallKey
    /// The members of the answer without braces, or the refusal.
    public let outcome: Result<[UInt8], Refusal>
    @usableFromInline init(call: CallKey, outcome: Result<[UInt8], Refusal>) {
      self.call = call
      self.outcome = outcome
    }
  }

  public struct Expulsion: Sendable, Equatable {
    public let person: ID<Person>
    public let reason: String
  }

  /// One property that no other module sees, so its uses need no checks for exclusive access.
  struct Lists {
    var history: [HistoryRecord] = []
    var messages: [Outgoing] = []
    var completions: [Completion] = []
    var secrets: [SecretChange] = []
    var deliveries: [Delivery] = []
    var expelled: [Expulsion] = []
    var ending: String?
    var draws = 0

    private var marks = (history: 0, messages: 0, completions: 0, secrets: 0, deliveries: 0, expelled: 0)
    private var endingBefore: String?

    /// Whether the running rule has caused an effect beside the change of the document.
    var hasAny: Bool {
      history.count > marks.history || messages.count > marks.messages || completions.count > marks.completions
        || secrets.count > marks.secrets || deliveries.count > marks.deliveries || expelled.count > marks.expelled
        || ending != endingBefore
    }

    mutating func begin() {
      marks = (
        history.count, messages.count, completions.count, secrets.count, deliveries.count, expelled.count
      )
      endingBefore = ending
      draws = 0
    }

    mutating func rollBack() {
      history.removeSubrange(marks.history...)
      messages.removeSubrange(marks.messages...)
      completions.removeSubrange(marks.completions...)
      secrets.removeSubrange(marks.secrets...)
      deliveries.removeSubrange(marks.deliveries...)
      expelled.removeSubrange(marks.expelled...)
      ending = endingBefore
    }

    /// Expulsions of the mutation that has just run.
    var newlyExpelled: ArraySlice<Expulsion> { expelled[marks.expelled...] }

    mutating func clear() { self = Self() }
  }

  var lists = Lists()

  @usableFromInline func add(_ record: HistoryRecord) { lists.history.append(record) }
  @usableFromInline func add(_ message: Outgoing) { lists.messages.append(message) }
  @usableFromInline func add(_ completion: Completion) { lists.completions.append(completion) }
}

/// A message to another room. Numbers are consecutive for each pair of source and target, starting at 1.
public struct OutgoingMessage: Sendable, Equatable {
  public var target: RoomID
  public var number: Int64
  public var body: [UInt8]

  public init(target: RoomID, number: Int64, body: [UInt8]) {
    self.target = target
    self.number = number
    self.body = body
  }
}

/// A record that the committing room has taken all messages of `source` up to `number`.
public struct TakenMessage: Sendable, Equatable {
  public var source: RoomID
  public var number: Int64

  public init(source: RoomID, number: Int64) {
    self.source = source
    self.number = number
  }
}

/// A secret that leads to the committing room from now on, or no longer does.
public struct SecretChange: Sendable, Equatable {
  /// SHA-256 of the secret, 32 bytes.
  public var hash: [UInt8]
  public var isValid: Bool

  public init(hash: [UInt8], isValid: Bool) {
    self.hash = hash
    self.isValid = isValid
  }
}
