public import JSON

/// A room in memory, of any kind: a document with versions, receipts and effects.
///
/// Memory may run ahead of the disk: `version` counts the applied changes, `sealedVersion` those handed over to be
/// committed. The shard tells no client of a version before its commit is on disk.
open class Room {
  public let id: RoomID
  /// The room's name on the wire.
  public let name: String
  public var version: Int64 { progress.version }
  public var sealedVersion: Int64 { progress.sealedVersion }
  /// The latest `at` of any change. Due times are compared with it, so that a clock set back undoes nothing.
  public var changedAt: Instant { progress.changedAt }
  /// The due time that the store knows.
  public var storedDue: Instant? { progress.storedDue }
  /// Log entries written since the last snapshot.
  public var entriesSinceSnapshot: Int { progress.entriesSinceSnapshot }
  // No other module sees it: checks for exclusive access would take a twelfth of a change's time.
  final var progress = Progress()
  /// Random bytes from the room's creation; a part of its epoch.
  public internal(set) var random: [UInt8] = []
  final var receipts = Receipts()
  public internal(set) final var ring = Ring()
  /// Messages to other rooms since the last seal, numbered; and the last message taken from each source.
  final var outgoing: [OutgoingMessage] = []
  final var takenSinceSeal: [TakenMessage] = []
  /// Patches evicted from memory since the last seal.
  final var outgrown: [Segment] = []
  /// Effects of the changes since the last seal.
  @usableFromInline final let effects = Effects()
  /// Numbers of messages, and the room's key. Hidden.
  final var numbers = MessageNumbers()
  /// Persons expelled by changes that are not committed yet.
  final var expelled: Set<ID<Person>> = [] {
    didSet { progress.hasExpelled = !expelled.isEmpty }
  }
  /// Whether the room has ended: no person may be in it, and the store must remove it.
  public var isEnded: Bool { progress.isEnded }
  /// The document's encoded bytes at the most: exact after each measurement, growing with each change.
  public var documentBytes: Int { progress.size }
  /// Whether live values have changed since they were last sent.
  public var isLiveTouched: Bool { false }
  /// Bytes of log after which a snapshot is due, unless twice the last snapshot is more. Replaying them takes a few
  /// milliseconds, during which the loop does nothing else.
  static let replayedBytes = 192 * 1024
  /// Encoded bytes that a document may have (DESIGN §1, Ring).
  public static let documentLimit = 1_000_000
  /// Encoded bytes by which one change makes a document longer, at the most: the longest text, with 4 bytes a
  /// character, and everything else that is written with it.
  static let changeLimit = 16 * 1024

  /// Whether changes that are not committed yet expelled a person.
  public func hasExpelled(_ person: ID<Person>) -> Bool { progress.hasExpelled && expelled.contains(person) }

  init(_ id: RoomID) {
    self.id = id
    name = id.name
  }

  /// The number of the last message taken from `source`, 0 if there was none.
  public func lastTaken(from source: RoomID) -> Int64 { Int64(numbers.taken[source]?.number ?? 0) }

  /// Whether a change, receipt or message is not sealed yet.
  public var hasUnsealedChanges: Bool {
    version > sealedVersion || receipts.isTouched || numbers.isTouched || !effects.lists.completions.isEmpty
  }

  // Operations of a kind of room; `TypedRoom` is the only subclass.
  open func admits(_ person: ID<Person>) -> Bool { false }
  open var nextDue: Instant? { nil }
  open func fallDue(_ turn: Turn) {}
  open func take(_ message: View, from source: RoomID, number: Int64, _ turn: Turn) -> Bool { false }
  /// Learns that another room, to which this one has sent a message, is over; `false` if that changes nothing here.
  open func learn(endOf room: RoomID, _ turn: Turn) -> Bool { false }
  /// Forgets the document of a room that has ended, and its past.
  open func wipe() {}
  open func writeState(to writer: Writer) {}
  open func writeLive(to writer: Writer) {}
  open func sealLive(to writer: Writer) -> Bool { false }
  open func writeKept(to writer: Writer) {}
  func sealParts(_ visibility: Visibility, to writer: Writer) {}
  func writeHidden(to writer: Writer) {}
  func mergeParts(_ patch: View, _ visibility: Visibility, _ problems: Problems) {}
  func restored() {}
}

/// The progress of a room in memory and on disk.
struct Progress {
  var version: Int64 = 0
  var sealedVersion: Int64 = 0
  var changedAt = Instant()
  /// The due time that the store knows.
  var storedDue: Instant?
  /// Log entries since the last snapshot, and their bytes.
  var entriesSinceSnapshot = 0
  var bytesSinceSnapshot = 0
  /// Bytes of the last snapshot.
  var snapshotSize = 0
  /// The document's encoded bytes at the most, without the changes that are not sealed: exact after each measurement,
  /// growing with each patch.
  var size = 0
  /// Changes since the last measurement that are not sealed.
  var unmeasured = 0
  /// The document's encoded bytes after one more change, at the most.
  var sizeAfterNext: Int { size + (unmeasured + 1) * Room.changeLimit }
  /// Whether `numbers` holds a reason for the room's end.
  var isEnded = false
  /// Whether changes that are not committed yet expelled any person.
  var hasExpelled = false
}
