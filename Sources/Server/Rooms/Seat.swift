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
  /// Subscriptions for which the store is being read.
  var reads: [MissedRead] = []
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
  /// When somebody last asked for the room.
  var usedAt: Duration

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
      && !isKeepWaiting && waiting.isEmpty && reads.isEmpty && heldMessages.isEmpty && room?.isEnded == false
  }

  /// The group that anything leaving the room now has to wait for, if any.
  var pendingGroup: CommitGroup? { open ?? flying }
}

/// One session's watch of one room: a position, no queue (DESIGN "Patches compose").
final class Subscription {
  /// Ends with the connection, which lets go of its subscriptions then.
  let session: Session
  let seat: Seat
  /// The version that the client has, once all that was given to its stream arrives.
  var position: Int64
  /// When something of this room was last sent.
  @Nanoseconds var toldAt: Duration
  /// The stream was full: what came after `position` is sent merged when it has drained.
  var lag: Lag?

  var isBehind: Bool { lag != nil }

  init(session: Session, seat: Seat, position: Int64, toldAt: Duration) {
    self.session = session
    self.seat = seat
    self.position = position
    self.toldAt = toldAt
  }
}

/// How far behind a subscription is whose client is slow.
final class Lag {
  /// What came after the position is being read from the store, or has been.
  var isReading = false
  var older: Ring.Entry?
  /// Live parts have changed, too.
  var isOfLive = false
}

/// Who waits for an answer.
struct Caller {
  let session: Session
  /// The request's id as it was written; `nil` for a notification, which gets no answer.
  let id: RequestID?
  /// The batch that the request came in.
  let batch: CallBatch?
  var counter: CallCounter?
}

/// A JSON-RPC batch that is being worked on: answered together when the last answer is there.
final class CallBatch {
  private var remaining: Int
  /// The shard of the calls that have begun and are not answered, and how many they are.
  private var running: (shard: Int, count: Int) = (0, 0)
  /// Called once all that has begun is answered.
  private var paused: (() -> Void)?
  private var answers: [[UInt8]] = []
  private var isSecret = false
  private let finish: (_ answers: [[UInt8]], _ isSecret: Bool) -> Void

  init(count: Int, finish: @escaping (_ answers: [[UInt8]], _ isSecret: Bool) -> Void) {
    remaining = count
    self.finish = finish
  }

  /// Begins a call on a shard. Calls of a batch run in order, so where others run elsewhere it answers `false`, and
  /// calls `resume` once they are done.
  func begin(on shard: Int, orElse resume: @escaping () -> Void) -> Bool {
    guard running.count == 0 || running.shard == shard else {
      paused = resume
      return false
    }
    running = (shard, running.count + 1)
    return true
  }

  /// Begins what is answered on the spot.
  func begin() { running.count += 1 }

  /// Takes the answer of one call, empty for a notification.
  func add(_ answer: [UInt8], isSecret: Bool = false) {
    if !answer.isEmpty { answers.append(answer) }
    self.isSecret = self.isSecret || isSecret
    remaining -= 1
    running.count -= 1
    if remaining == 0 { finish(answers, self.isSecret) }
    if running.count == 0, let resume = paused {
      paused = nil
      resume()
    }
  }
}

/// A request to watch a room, and where its client stands.
struct SubscribeCall {
  let caller: Caller
  let epoch: String?
  let version: Int64?
  /// What was missed, where that is not in the room's memory any more.
  var older: Ring.Entry?
}

/// Somebody who will watch a room once the commit is on disk that his first answer contains.
struct Subscriber {
  let call: SubscribeCall
  /// He does not want to watch the room any more; his call is answered all the same.
  var isWithdrawn = false
  var answer: StateAnswer?
}

/// The first answer to a subscription, as of a sealed version.
struct StateAnswer {
  var version: Int64
  /// Members of the result up to the live document, which is added when the answer leaves.
  var members: [UInt8]
  var mark: Int64
}
