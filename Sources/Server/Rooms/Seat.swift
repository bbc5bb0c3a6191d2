import Home
import JSON
import Platform
import Rooms

/// A room's place in a shard: the room itself, once loaded, its subscriptions, and the groups that wait for the disk.
final class Seat {
  let id: RoomID
  let name: String
  var room: Room?
  /// The store could not say whether there is such a room.
  var isUnreadable = false
  var epoch = ""
  /// The live values of a room that is being reloaded. They never waited for the disk, which may have older ones.
  var live: [UInt8]?
  /// The times of the position of a share that is being reloaded: heartbeats tell them all the same.
  var positionTimes: HomeRooms.PositionTimes?
  /// Work that came while the room was being loaded, in order.
  var waiting: [(Seat) -> Void] = []
  /// Messages that arrived when the room had ended: they are for a room that will be made under this address.
  var heldMessages: [StoredMessage] = []
  var subscriptions: [Subscription] = []
  /// Subscriptions that are not answered yet.
  var resumes: [Resume] = []
  /// The group of changes applied since the last hand-over, and the group that is being committed.
  var open: CommitGroup?
  var flying: CommitGroup?
  var isChanged = false
  var isLiveChanged = false
  /// Of a share: its time, which follows elapsed time.
  var clock: SteadyClock?
  var dueTimer: (any LoopTimer)?
  /// The due time that the timer was set for.
  var timedDue: Instant?
  /// Due work waits until then: a commit has just failed, and would fail again.
  var dueNotBefore = Duration.zero
  lazy var presence = PresenceWatch()
  /// Of a person's own room: its devices and its account have been compared with the directory.
  var isMirrored = false
  /// When the oldest entry behind the last snapshot was written.
  var unsnapshottedSince: Duration?
  var keptAt: Duration?
  /// Live frames that are told a little later, together.
  var heldLive: [UInt8] = []
  /// When its live document was last told.
  var liveToldAt: Duration?
  var isKeepWaiting = false
  /// When the room was last used, by a client or the server itself.
  var usedAt: Duration
  /// The room has left the shard, and its next seat is another.
  var isGone = false
  /// The room was loaded while rooms were due, for that or for a message, and no client has used it since.
  var isPassing = false

  init(_ id: RoomID, at now: Duration) {
    self.id = id
    usedAt = now
    name = id.name
  }

  /// The live document has changed, and its watchers have not been told yet.
  var hasUnsentLive: Bool { isLiveChanged || !heldLive.isEmpty }

  /// Calls of one client that have not been answered yet.
  func waitingAnswers(of call: CallKey) -> Int {
    (open?.answerCount(of: call) ?? 0) + (flying?.answerCount(of: call) ?? 0)
  }

  /// No session watches the room, and nothing in it waits.
  var isIdle: Bool {
    subscriptions.isEmpty && open == nil && flying == nil && !isChanged && !hasUnsentLive
      && !isKeepWaiting && waiting.isEmpty && resumes.isEmpty && heldMessages.isEmpty && room?.isEnded == false
  }

  /// The group whose commit anything that leaves the room now has to wait for.
  var pendingGroup: CommitGroup? { open ?? flying }
}
