public import JSON

/// A room in memory, whatever its kind: a document with versions, and what must be remembered with it.
///
/// Memory may run ahead of the disk: `version` counts what has been applied, `sealedVersion` what has been handed over
/// to be committed. Whoever runs the room tells nobody of a version before its commit is on disk.
open class Room {
  public let id: RoomID
  /// The room's name on the wire.
  public let name: String
  public var version: Int64 { progress.version }
  public var sealedVersion: Int64 { progress.sealedVersion }
  /// The latest `at` of any change: what falls due is compared with it, so that a clock set back undoes nothing.
  public var changedAt: Instant { progress.changedAt }
  /// The due time that the store knows.
  public var storedDue: Instant? { progress.storedDue }
  /// Log entries written since the last snapshot.
  public var entriesSinceSnapshot: Int { progress.entriesSinceSnapshot }
  // What no other module sees needs no checks for exclusive access, which cost a twelfth of a change.
  final var progress = Progress()
  /// Drawn when the room was made; a part of its epoch.
  public internal(set) var random: [UInt8] = []
  final var receipts = Receipts()
  public internal(set) final var ring = Ring()
  /// Messages to other rooms since the last seal, numbered; and the last of each source that was taken up.
  final var outgoing: [OutgoingMessage] = []
  final var takenSinceSeal: [TakenMessage] = []
  /// Patches that have left memory since the last seal.
  final var outgrown: [Segment] = []
  /// Effects of what has been applied since the last seal.
  @usableFromInline final let effects = Effects()
  /// Numbers of messages, and the room's key. Hidden.
  final var ledger = Ledger()
  /// People put out by changes that are not committed yet.
  final var expelled: Set<ID<Person>> = [] {
    didSet { progress.hasExpelled = !expelled.isEmpty }
  }
  /// The room is over: nobody may be in it, and what is kept of it is to be removed.
  public var isEnded: Bool { progress.isEnded }
  /// What is live has changed since it was last sent.
  public var isLiveTouched: Bool { false }
  /// Bytes of log behind which a room is snapshotted, unless it has so much to write itself: this much is replayed in
  /// a few milliseconds, for which a loop keeps everybody else waiting.
  static let replayedBytes = 192 * 1024
  /// Encoded bytes that a document may have (DESIGN §1, Ring).
  public static let documentLimit = 1_000_000

  /// Whether somebody was put out by changes that are not committed yet.
  public func hasExpelled(_ person: ID<Person>) -> Bool { progress.hasExpelled && expelled.contains(person) }

  init(_ id: RoomID) {
    self.id = id
    name = id.name
  }

  /// The number of the last message of `source` that was taken up, 0 if there was none.
  public func lastTaken(from source: RoomID) -> Int64 { Int64(ledger.taken[source]?.number ?? 0) }

  /// Something has been applied, remembered or sent that is not handed over yet.
  public var hasUnsealedChanges: Bool {
    version > sealedVersion || receipts.isTouched || ledger.isTouched || !effects.lists.completions.isEmpty
  }

  // What a kind of room must do; `TypedRoom` is the only subclass.
  open func admits(_ person: ID<Person>) -> Bool { false }
  open var nextDue: Instant? { nil }
  open func fallDue(_ turn: Turn) {}
  open func take(_ message: View, from source: RoomID, number: Int64, _ turn: Turn) -> Bool { false }
  open func writeState(to writer: Writer) {}
  open func writeLive(to writer: Writer) {}
  open func sealLive(to writer: Writer) -> Bool { false }
  open func writeKept(to writer: Writer) {}
  func sealParts(_ visibility: Visibility, to writer: Writer) {}
  func writeHidden(to writer: Writer) {}
  func mergeParts(_ patch: View, _ visibility: Visibility, _ problems: Problems) {}
}

/// How far a room has come, in memory and on disk.
struct Progress {
  var version: Int64 = 0
  var sealedVersion: Int64 = 0
  var changedAt = Instant()
  /// The due time that the store knows.
  var storedDue: Instant?
  /// Log entries written since the last snapshot, and how many bytes they have.
  var entriesSinceSnapshot = 0
  var bytesSinceSnapshot = 0
  /// Bytes of the last snapshot.
  var snapshotSize = 0
  /// Encoded bytes of the document, at least: exact at each measuring, growing with each patch.
  var size = 0
  /// Whether the ledger has a reason for the room's end.
  var isEnded = false
  /// Whether anybody is put out by changes that are not committed yet.
  var hasExpelled = false
}

/// Numbers of messages to and from other rooms, and the room's secret key (DESIGN "Effects between rooms").
struct Ledger {
  struct Count: Record {
    var number = 0
    /// Whoever sent it has ended: what follows comes from another life.
    var isLast: Bool?

    static func fields(_ field: inout some FieldVisitor<Self>) {
      field("n", \.number)
      field("last", \.isLast)
    }

    /// A life's messages have the number of the message that made it in their higher bits, so that numbers grow from
    /// life to life though the room remembers nothing. Rooms with one life begin at 1.
    static let bitsPerLife = 24

    /// Whether a message comes right after the one that was taken up last: as the next one of the same life, or as the
    /// first of a later one when that was the last of its life.
    static func isNext(_ number: Int, after last: Self?) -> Bool {
      let isFirstOfLife = number & (1 << bitsPerLife - 1) == 1
      guard let last else { return isFirstOfLife }
      if last.isLast == true { return isFirstOfLife && number > last.number }
      return number == last.number + 1
    }
  }

  struct Key: Record {
    /// Hexadecimal.
    var text = ""
    static func fields(_ field: inout some FieldVisitor<Self>) { field("key", \.text) }
  }

  struct Ending: Record {
    /// Why the room is over; empty while it is not.
    var reason = ""
    static func fields(_ field: inout some FieldVisitor<Self>) { field("reason", \.reason) }
  }

  var ending = Single<Ending>()
  var sent = Table<RoomID, Count>()
  var taken = Table<RoomID, Count>()
  var key = Single<Key>()
  /// The key's bytes, read once.
  var keyBytes: [UInt8] = []

  var isTouched: Bool { sent.isTouched || taken.isTouched || key.isTouched || ending.isTouched }

  mutating func seal(to writer: Writer) {
    sent.seal("_sent", to: writer)
    taken.seal("_taken", to: writer)
    key.seal("_key", to: writer)
    ending.seal("_ending", to: writer)
  }

  func writeState(to writer: Writer) {
    sent.writeState("_sent", to: writer)
    taken.writeState("_taken", to: writer)
    key.writeState("_key", to: writer)
    ending.writeState("_ending", to: writer)
  }

  mutating func merge(_ patch: View, _ problems: Problems) {
    if let change = patch[key: "_sent"] { sent.merge(change, problems) }
    if let change = patch[key: "_taken"] { taken.merge(change, problems) }
    if let change = patch[key: "_ending"] { ending.merge(change, problems) }
    if let change = patch[key: "_key"] {
      key.merge(change, problems)
      keyBytes = Array(key.value.text.utf8)
    }
  }
}
