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
  final var numbers = MessageNumbers()
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
  public func lastTaken(from source: RoomID) -> Int64 { Int64(numbers.taken[source]?.number ?? 0) }

  /// Something has been applied, remembered or sent that is not handed over yet.
  public var hasUnsealedChanges: Bool {
    version > sealedVersion || receipts.isTouched || numbers.isTouched || !effects.lists.completions.isEmpty
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
  func restored() {}
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
  /// Whether the numbers has a reason for the room's end.
  var isEnded = false
  /// Whether anybody is put out by changes that are not committed yet.
  var hasExpelled = false
}
