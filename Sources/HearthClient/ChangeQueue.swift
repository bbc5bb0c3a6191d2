internal import JSON
internal import Rooms

/// The changes that were asked for and are not answered for good, in the order of their numbers (SYN-3, SYN-11).
///
/// Each is on disk before it is shown or sent, keeps its number however often it is sent, and gets another one only
/// when the server has said that it had no effect. What a crash may lose of the file is only what costs nothing:
/// that an answer has come. So `answered`, upon which the server forgets its receipts, counts what is on disk as
/// answered, and no more.
struct ChangeQueue: Sendable {
  struct Limits: Sendable {
    var changes = 1000
    var bytes = 4 << 20
    /// Numbers that are used in one room from the oldest unanswered one on: as many answers the server remembers.
    var unanswered = 64
  }

  enum State: Equatable {
    /// Its record is being written: of the change itself, or of its new number.
    case storing(isNew: Bool)
    case ready
    /// The answer will come under this number of the connection's.
    case sent(call: Int)
    /// Refused for the time being: it had no effect, and its number is void.
    case delayed(until: Duration)
    case answered
    /// The record that it is answered is being written.
    case finishing
    /// That is on disk.
    case done
  }

  struct Entry {
    var change: QueuedChange
    var number: Int64
    /// The number under which the file knows it.
    var writtenNumber: Int64
    var at: Instant
    var size: Int
    var state: State
    /// It has been sent under its number, or may have been.
    var wasSent: Bool
    var isShown: Bool
    /// Its effect is in the room's document from this version on.
    var settlesAt: Int64?
    var delays = 0

    /// No answer that counts has come.
    var isOpen: Bool {
      switch state {
      case .storing, .ready, .sent, .delayed: true
      case .answered, .finishing, .done: false
      }
    }
  }

  /// What an answer of the server means for a change.
  enum Outcome: Equatable {
    case answered(QueuedChange, JSON)
    case refused(QueuedChange, ServerError)
    case delayed(QueuedChange, ServerError, Duration)
    /// It had no effect and gets another number.
    case renumbered
    /// The server does not know who we are.
    case unauthorized(ServerError)
  }

  /// A shorter delay keeps what comes later in the same room waiting, so that the order stays.
  static let shortDelay = Duration.seconds(10)
  /// The server remembers answers for 30 days: what is older may not be sent again.
  static let age = Duration.seconds(29 * 24 * 3600)

  let limits: Limits
  private(set) var owner: QueueOwner
  private(set) var next: Int64 = 1
  private(set) var entries: [Entry] = []
  /// Changes whenever what is shown does.
  private(set) var revision = 0
  private var records: [QueueRecord] = []
  /// The highest number of each room below which all is answered, and that is on disk; and what the server was told.
  private var answeredUpTo: [String: Int64] = [:]
  private var reportedUpTo: [String: Int64] = [:]

  /// A queue as its file says. A new file begins with the owner.
  init(_ found: [QueueRecord], new owner: QueueOwner, limits: Limits = Limits()) {
    self.limits = limits
    self.owner = owner
    for record in found { read(record) }
    if found.isEmpty { records = [.owner(owner, next: next)] }
  }

  private mutating func read(_ record: QueueRecord) {
    switch record {
    case .owner(let owner, let next):
      self.owner = owner
      self.next = max(self.next, next)
    case .asked(let change, let number, let at):
      next = max(next, number + 1)
      entries.append(
        Entry(
          change: change, number: number, writtenNumber: number, at: at, size: Self.size(of: change), state: .ready,
          wasSent: true, isShown: change.patch != nil))
    case .renumbered(let old, let new):
      next = max(next, new + 1)
      guard let index = entries.firstIndex(where: { $0.number == old }) else { return }
      var entry = entries.remove(at: index)
      entry.number = new
      entry.writtenNumber = new
      entries.append(entry)
    case .done(let number):
      next = max(next, number + 1)
      entries.removeAll { $0.number == number }
    }
  }

  private static func size(of change: QueuedChange) -> Int {
    change.parameters.bytes.count + (change.patch?.bytes.count ?? 0) + change.method.utf8.count + 100
  }

  // MARK: disk

  /// The whole queue as it is on disk, for a file that takes the place of another.
  var wholeFile: [UInt8] {
    QueueLog.line(
      [.owner(owner, next: next)]
        + entries.filter { $0.state != .done && $0.state != .storing(isNew: true) }
        .sorted { $0.writtenNumber < $1.writtenNumber }
        .map { .asked($0.change, number: $0.writtenNumber, at: $0.at) })
  }

  /// Bytes of what is in the queue.
  var size: Int { entries.reduce(0) { $0 + ($1.isOpen ? $1.size : 0) } }

  var hasRecords: Bool { !records.isEmpty }

  /// What is to be written and flushed now; afterwards say `stored` or `notStored`.
  mutating func takeRecords() -> [QueueRecord] { exchange(&records, with: []) }

  /// The records that were taken are on disk. Answers the changes that are new.
  mutating func stored() -> [QueuedChange] {
    var new: [QueuedChange] = []
    for index in entries.indices {
      switch entries[index].state {
      case .storing(let isNew):
        entries[index].state = .ready
        entries[index].writtenNumber = entries[index].number
        guard isNew else { continue }
        new.append(entries[index].change)
        entries[index].isShown = entries[index].change.patch != nil
        revision += 1
      case .finishing: entries[index].state = .done
      case .ready, .sent, .delayed, .answered, .done: break
      }
    }
    prune()
    return new
  }

  /// They are not. Answers the new changes, which are forgotten; all else will be tried again.
  mutating func notStored(at now: Duration) -> [QueuedChange] {
    var lost: [QueuedChange] = []
    for index in entries.indices {
      switch entries[index].state {
      case .storing(true): lost.append(entries[index].change)
      case .storing(false):
        entries[index].state = .delayed(until: now + .seconds(1))
        entries[index].number = entries[index].writtenNumber
      case .finishing: entries[index].state = .answered
      case .ready, .sent, .delayed, .answered, .done: break
      }
    }
    entries.removeAll { $0.state == .storing(isNew: true) }
    // It may have been among what was lost.
    records = [.owner(owner, next: next)]
    return lost
  }

  mutating func set(_ owner: QueueOwner) {
    guard owner != self.owner else { return }
    self.owner = owner
    records.append(.owner(owner, next: next))
  }

  /// Has it written that answered changes are.
  mutating func finishAnswered() {
    for index in entries.indices where entries[index].state == .answered {
      entries[index].state = .finishing
      records.append(.done(entries[index].number))
    }
  }

  var hasAnswered: Bool { entries.contains { $0.state == .answered } }

  /// Forgets everything but who we are and which numbers were used. Answers what was open.
  mutating func wipe() -> [QueuedChange] {
    let lost = entries.filter(\.isOpen).map(\.change)
    entries = []
    records = []
    answeredUpTo = [:]
    reportedUpTo = [:]
    owner.person = nil
    owner.tokenHash = nil
    revision += 1
    return lost
  }

  // MARK: changes

  /// Takes a change in. It is nothing yet: first its record must be on disk.
  mutating func add(
    _ method: String, _ parameters: JSON, room: String?, patch: JSON?, at: Instant
  ) throws(ClientError) -> Int64 {
    let change = QueuedChange(id: next, method: method, parameters: parameters, room: room, patch: patch)
    let size = Self.size(of: change)
    guard entries.count(where: \.isOpen) < limits.changes else { throw .tooMuch("queuedChanges") }
    guard self.size + size <= limits.bytes else { throw .tooMuch("queuedBytes") }
    entries.append(
      Entry(
        change: change, number: next, writtenNumber: next, at: at, size: size, state: .storing(isNew: true),
        wasSent: false, isShown: false))
    records.append(.asked(change, number: next, at: at))
    next += 1
    return change.id
  }

  /// Gives up what may have been carried out so long ago that the server has forgotten the answer.
  mutating func expire(at now: Instant) -> [QueuedChange] {
    var lost: [QueuedChange] = []
    for index in entries.indices where entries[index].wasSent && entries[index].isOpen {
      guard now - entries[index].at > Self.age else { continue }
      lost.append(entries[index].change)
      hide(index)
      entries[index].state = .answered
    }
    return lost
  }

  /// Sends what may be sent, in order, as long as `send` answers the number of a call. `true` if what has been answered
  /// must be on disk before more can be sent.
  ///
  /// Rooms go side by side, but for `me`: what is done there may make the room that comes next.
  mutating func sendReady(
    at now: Duration, _ send: (QueuedChange, _ number: Int64, _ answered: Int64?) -> Int?
  ) -> Bool {
    var used: [String: Int] = [:]
    var blocked: Set<String> = []
    var isPendingInMe = false
    var isPendingElsewhere = false
    var isStalled = false
    for index in entries.indices {
      let room = entries[index].change.roomKey
      var isVoid = false
      if case .delayed(let until) = entries[index].state {
        if until - now > Self.shortDelay { continue }
        isVoid = true
      }
      if !isVoid { used[room, default: 0] += 1 }
      guard entries[index].isOpen else { continue }
      if case .sent = entries[index].state {
      } else if entries[index].state == .ready, !blocked.contains(room),
        !(room == "me" ? isPendingElsewhere : isPendingInMe)
      {
        if used[room, default: 0] > limits.unanswered {
          blocked.insert(room)
          isStalled = true
        } else if let call = send(entries[index].change, entries[index].number, takeAnswered(in: room)) {
          entries[index].state = .sent(call: call)
          entries[index].wasSent = true
        } else {
          return false
        }
      } else {
        blocked.insert(room)
      }
      if room == "me" { isPendingInMe = true } else { isPendingElsewhere = true }
    }
    return isStalled && hasAnswered
  }

  /// The number up to which the server may forget its answers in a room, if it does not know yet.
  private mutating func takeAnswered(in room: String) -> Int64? {
    var mark = answeredUpTo[room] ?? 0
    guard mark > reportedUpTo[room] ?? 0 else { return nil }
    for entry in entries where entry.change.roomKey == room && entry.state != .done {
      if case .delayed = entry.state { continue }
      mark = min(mark, entry.number - 1)
    }
    guard mark > reportedUpTo[room] ?? 0 else { return nil }
    reportedUpTo[room] = mark
    return mark
  }

  /// Takes the answer to a call; `nil` if it is none of ours.
  mutating func take(_ result: Result<JSON, ServerError>, of call: Int, at now: Duration) -> Outcome? {
    guard let index = entries.firstIndex(where: { $0.state == .sent(call: call) }) else { return nil }
    let change = entries[index].change
    switch result {
    case .success(let answer):
      entries[index].state = .answered
      entries[index].settlesAt = answer["version"]?.int.map(Int64.init)
      return .answered(change, answer)
    case .failure(let error) where error.code == 4 && error.reason == "skipped":
      renumber(from: index, at: now)
      return .renumbered
    case .failure(let error) where error.isTemporary:
      let growing = Duration.seconds(1 << min(entries[index].delays, 6))
      let delay = max(error.retryAfter ?? growing, .milliseconds(10))
      entries[index].delays += 1
      entries[index].state = .delayed(until: now + delay)
      return .delayed(change, error, delay)
    case .failure(let error) where error.code == 1 && error.reason == "unauthorized":
      entries[index].state = .ready
      return .unauthorized(error)
    case .failure(let error):
      hide(index)
      entries[index].state = .answered
      return .refused(change, error)
    }
  }

  /// Numbers what has waited long enough anew.
  mutating func tick(_ now: Duration) {
    while let index = entries.firstIndex(where: { $0.isDelayed(before: now) }) { renumber(from: index, at: now) }
  }

  var deadline: Duration? {
    entries.compactMap { if case .delayed(let until) = $0.state { until } else { nil } }.min()
  }

  /// Gives a change another number, and with it those of its room that come later and surely had no effect: so they
  /// stay in their order.
  private mutating func renumber(from first: Int, at now: Duration) {
    let room = entries[first].change.roomKey
    var moved: [Entry] = []
    var kept = Array(entries[..<first])
    for index in first..<entries.count {
      var entry = entries[index]
      let hasNoEffect = entry.isDelayed(before: now + Self.shortDelay) || entry.state == .ready && !entry.wasSent
      guard index == first || entry.change.roomKey == room && hasNoEffect else {
        kept.append(entry)
        continue
      }
      records.append(.renumbered(from: entry.writtenNumber, to: next))
      entry.number = next
      entry.state = .storing(isNew: false)
      entry.wasSent = false
      if entry.change.patch != nil { entry.isShown = true }
      next += 1
      moved.append(entry)
    }
    entries = kept + moved
    revision += 1
  }

  /// What is on its way may arrive or not; it is sent again under the same number.
  mutating func disconnected() {
    for index in entries.indices {
      if case .sent = entries[index].state { entries[index].state = .ready }
    }
    reportedUpTo = [:]
  }

  // MARK: what is shown

  /// The patches that are shown on top of a room's document, in order.
  func patches(of room: String) -> [(change: QueuedChange, patch: JSON)] {
    entries.compactMap { entry in
      guard entry.isShown, entry.change.roomKey == room, let patch = entry.change.patch else { return nil }
      return (entry.change, patch)
    }
  }

  /// The changes that are shown, by room and in order.
  var shown: [String: [Int64]] {
    var shown: [String: [Int64]] = [:]
    for entry in entries where entry.isShown && entry.change.patch != nil {
      shown[entry.change.roomKey, default: []].append(entry.change.id)
    }
    return shown
  }

  /// A room's document has reached a version; `nil` where there is none, or it was given whole.
  mutating func reached(_ version: Int64?, in room: String) {
    for index in entries.indices where entries[index].change.roomKey == room {
      guard let needed = entries[index].settlesAt, version.map({ $0 >= needed }) ?? true else { continue }
      hide(index)
    }
    prune()
  }

  /// A room's document contains all calls of ours up to this number that had an effect.
  mutating func confirmed(upTo mark: Int64, in room: String) {
    next = max(next, mark + 1)
    for index in entries.indices where entries[index].change.roomKey == room && entries[index].number <= mark {
      if case .delayed = entries[index].state { continue }
      if entries[index].wasSent { hide(index) }
    }
  }

  private mutating func hide(_ index: Int) {
    if entries[index].isShown { revision += 1 }
    entries[index].isShown = false
    entries[index].settlesAt = nil
  }

  /// Lets go of what is done, unless the window of its room still counts it.
  private mutating func prune() {
    var isBehind: Set<String> = []
    entries.removeAll { entry in
      let room = entry.change.roomKey
      if entry.state == .done, entry.settlesAt == nil, !isBehind.contains(room) {
        answeredUpTo[room] = max(answeredUpTo[room] ?? 0, entry.number)
        return true
      }
      if case .delayed = entry.state { return false }
      isBehind.insert(room)
      return false
    }
  }
}

extension ChangeQueue.Entry {
  func isDelayed(before time: Duration) -> Bool {
    if case .delayed(let until) = state { until <= time } else { false }
  }
}
