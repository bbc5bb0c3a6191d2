import JSON
import Platform
import Rooms

/// A room's place in a shard: the room itself, once loaded, who watches it, and what waits for the disk.
final class Seat {
  let id: RoomID
  let name: String
  var room: Room?
  /// The store could not say whether there is such a room.
  var isUnreadable = false
  var epoch = ""
  /// What is live in a room that is being loaded again: it never waited for the disk, which may have an older value.
  var live: [UInt8]?
  /// Work that came while the room was being loaded, in order.
  var waiting: [(Seat) -> Void] = []
  /// Messages that came when the room was over already: they are for one that will be made under this address.
  var heldMessages: [StoredMessage] = []
  var subscriptions: [Subscription] = []
  /// Subscriptions that are not answered yet.
  var resumes: [Resume] = []
  /// What has been applied since the last hand-over, and what is being committed now.
  var open: CommitGroup?
  var flying: CommitGroup?
  var isChanged = false
  var isLiveChanged = false
  var dueTimer: (any LoopTimer)?
  /// The due time that the timer was set for.
  var timedDue: Instant?
  /// Nothing falls due before: a commit has just failed, and would again.
  var dueNotBefore = Duration.zero
  lazy var presence = PresenceWatch()
  /// Of a person's own room: its list of devices has been compared with the directory.
  var listsDevices = false
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
  /// The room was loaded while rooms were due, for that or for a message, and no client has used it since.
  var isPassing = false

  init(_ id: RoomID, at now: Duration) {
    self.id = id
    usedAt = now
    name = id.name
  }

  /// Calls of one client that have not been answered yet.
  func waitingAnswers(of call: CallKey) -> Int {
    (open?.answerCount(of: call) ?? 0) + (flying?.answerCount(of: call) ?? 0)
  }

  /// Nobody watches the room, and nothing in it waits for anything.
  var isIdle: Bool {
    subscriptions.isEmpty && open == nil && flying == nil && !isChanged && !isLiveChanged && heldLive.isEmpty
      && !isKeepWaiting && waiting.isEmpty && resumes.isEmpty && heldMessages.isEmpty && room?.isEnded == false
  }

  /// The group that anything leaving the room now has to wait for, if any.
  var pendingGroup: CommitGroup? { open ?? flying }
}
