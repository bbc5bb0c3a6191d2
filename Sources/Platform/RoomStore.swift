public import Rooms

/// Where rooms are kept. One implementation is embedded (SQLite); a distributed one fits behind the same calls.
///
/// Calls may be made from any loop; each completes on the loop that asked. Commits of one caller take effect in the
/// order of the calls.
public protocol RoomStore: Sendable {
  /// Drawn when the store was made and again by every restore: a part of each room's epoch.
  var generation: [UInt8] { get }
  /// Everything that is kept of a room, or `nil` if there is no such room.
  func load(_ room: RoomID, reply: Reply<Result<StoredRoom?, StoreError>>)
  /// Puts a batch on disk, whole or not at all: `success` means flushed. `conflict` names the rooms that kept it from
  /// being written; the caller may hand over the others again.
  func commit(_ batch: [RoomCommit], reply: Reply<Result<Void, StoreError>>)
  /// The older changes of a room since `version`, as one patch (SYN-9); `nil` where those kept do not reach back that
  /// far, lead nowhere, or come to more than a document may be. The newest changes are not in it: the room has them.
  func missed(of room: RoomID, since version: Int64, reply: Reply<Result<Ring.Entry?, StoreError>>)
  /// Writes the newest live values of rooms, nobody waiting: a crash may lose the last of them.
  func keepLive(_ values: [(room: RoomID, body: [UInt8])])
  /// The records of a room's history that a query asks for, newest first.
  func history(of room: RoomID, _ query: HistoryQuery, reply: Reply<Result<[HistoryRecord], StoreError>>)
  /// Removes the oldest records of a kind that are older than `instant`, in all rooms, at most `limit`. Replies with
  /// their number: fewer than `limit` if none is left.
  func prune(history kind: String, before instant: Instant, limit: Int, reply: Reply<Result<Int, StoreError>>)
  /// A page of the rooms of some partitions that have a due time, in the order of `DueRoom.precedes`: those behind
  /// `cursor`, at most `limit`. A page of fewer rooms is the last.
  func due(
    _ kind: DueKind, in partitions: Partitions, after cursor: DueRoom?, limit: Int,
    reply: Reply<Result<[DueRoom], StoreError>>)
  /// A page of messages to rooms of some partitions that were written with their cause and not yet taken, in order for
  /// each source and target.
  func undelivered(
    in partitions: Partitions, after cursor: OutboxCursor?, limit: Int,
    reply: Reply<Result<OutboxPage, StoreError>>)
  /// The rooms that a secret's SHA-256 leads to, such as a join code's household, in the order of their making; at most
  /// `limit`.
  func rooms(secret hash: [UInt8], limit: Int, reply: Reply<Result<[RoomID], StoreError>>)
  /// Forgets messages whose target room is gone.
  func discard(_ messages: [StoredMessage], reply: Reply<Result<Void, StoreError>>)
  /// Whether a room was erased under this address: an id is never used again, except for a corner, which its owner may
  /// come back to.
  func wasErased(_ room: RoomID, reply: Reply<Result<Bool, StoreError>>)
  /// Removes rooms and all that is kept of them but their addresses.
  func erase(_ rooms: [RoomID], reply: Reply<Result<Void, StoreError>>)
  /// The number of rooms that are kept, and the space that the store takes.
  func size(reply: Reply<Result<StoreSize, StoreError>>)
}

/// The size of a store.
public struct StoreSize: Sendable, Equatable {
  public var rooms: Int
  /// Bytes on disk.
  public var bytes: Int

  public init(rooms: Int, bytes: Int) {
    self.rooms = rooms
    self.bytes = bytes
  }
}

public enum StoreError: Error, Sendable, Equatable {
  /// These rooms are not at the versions that the batch expects. Nothing of the batch was written.
  case conflict([RoomID])
  /// No space on the device.
  case full
  /// The kernel could not read or write. The outcome is unknown: a batch may be on disk or not. The text is for logs.
  case failed(String)
}

/// A change of one room that the store keeps as a whole or not at all.
public struct RoomCommit: Sendable {
  public var room: RoomID
  /// The version that the store must hold for this commit to be allowed; 0 makes the room.
  public var expectedVersion: Int64
  /// Not lower than `expectedVersion`; equal to it when only a refusal, a message or a snapshot is kept.
  public var version: Int64
  /// Drawn when the room is made, 16 bytes; `nil` afterwards.
  public var random: [UInt8]?
  /// The log entry, a JSON object; `nil` when there is nothing to log.
  public var entry: [UInt8]?
  /// The room's whole state at `version`: what the log holds of this room up to here is not needed any more.
  public var snapshot: [UInt8]?
  /// The room's next due time, if it has changed.
  public var due: DueChange = .unchanged
  public var history: [HistoryRecord] = []
  /// Messages to other rooms, caused by this commit.
  public var sent: [OutgoingMessage] = []
  /// Messages from other rooms that this commit has taken up: they need not be kept any longer.
  public var taken: [TakenMessage] = []
  public var secrets: [SecretChange] = []
  public var deliveries: [Delivery] = []
  /// Patches that the log will not have any more, or the room's memory. The store keeps them for as long as `Segment`
  /// says.
  public var segments: [Segment] = []
  /// The room is a person's own and ends: the person's account and sessions go with this commit (ACC-9).
  public var endsAccount = false

  public init(room: RoomID, expectedVersion: Int64, version: Int64) {
    self.room = room
    self.expectedVersion = expectedVersion
    self.version = version
  }

  /// The commit of a sealed room.
  public init(of sealed: SealedRoom, _ room: Room, isNew: Bool) {
    self.init(room: room.id, expectedVersion: sealed.from, version: sealed.version)
    if isNew { random = room.random }
    entry = sealed.entry
    if let due = sealed.due { self.due = .set(due) }
    history = sealed.history
    sent = sealed.messages
    taken = sealed.taken
    secrets = sealed.secrets
    deliveries = sealed.deliveries
    segments = sealed.segments
    if case .person = room.id { endsAccount = sealed.ending != nil }
  }

  /// Adds a room's snapshot, and the changes that come with it.
  public mutating func add(_ snapshot: (body: [UInt8], segment: Segment?)) {
    self.snapshot = snapshot.body
    if let segment = snapshot.segment { segments.append(segment) }
  }

  public enum DueChange: Sendable, Equatable {
    case unchanged
    case set(Instant?)
  }
}

/// The stored content of a room.
public struct StoredRoom: Sendable, Equatable {
  public var version: Int64
  public var random: [UInt8]
  /// The room's whole state at some version.
  public var snapshot: [UInt8]?
  /// Log entries behind the snapshot, oldest first.
  public var entries: [[UInt8]]
  /// The version that the room's segments lead to, 0 if there are none.
  public var segmentVersion: Int64
  public var live: [UInt8]?
  public var due: Instant?

  public init(
    version: Int64, random: [UInt8], snapshot: [UInt8]?, entries: [[UInt8]], segmentVersion: Int64,
    live: [UInt8]?, due: Instant?
  ) {
    self.version = version
    self.random = random
    self.snapshot = snapshot
    self.entries = entries
    self.segmentVersion = segmentVersion
    self.live = live
    self.due = due
  }
}

/// A message on its way, as found in the store.
public struct StoredMessage: Sendable, Equatable {
  public var source: RoomID
  public var message: OutgoingMessage

  public init(source: RoomID, message: OutgoingMessage) {
    self.source = source
    self.message = message
  }
}

/// Where a page of messages ends.
public struct OutboxCursor: Sendable, Equatable {
  public var row: Int64

  public init(row: Int64) { self.row = row }
}

public struct OutboxPage: Sendable, Equatable {
  public var messages: [StoredMessage]
  /// Where the next page begins; `nil` if this is the last one.
  public var next: OutboxCursor?

  public init(messages: [StoredMessage], next: OutboxCursor?) {
    self.messages = messages
    self.next = next
  }
}

/// A room and its due time.
public struct DueRoom: Sendable, Equatable {
  public var room: RoomID
  public var due: Instant

  public init(room: RoomID, due: Instant) {
    self.room = room
    self.due = due
  }

  /// Earlier due times first, then in the order of the rooms' keys.
  public func precedes(_ other: DueRoom) -> Bool { due != other.due ? due < other.due : room < other.room }
}

/// Rooms whose due times are read together. Shares are served before all others.
public enum DueKind: Sendable {
  case shares, others

  public init(_ room: RoomID) { if case .share = room { self = .shares } else { self = .others } }
}
