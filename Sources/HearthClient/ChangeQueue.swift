internal import JSON
internal import Rooms

/// The changes without a final answer, in order of their numbers (SYN-3, SYN-11).
///
/// A change is on disk before it is shown or sent. It keeps its number over all retries and gets a new one only when
/// the server reports that the change had no effect. A crash may lose only the record that an answer arrived, which is
/// harmless: the change is sent again. The server forgets receipts up to `answered`, so that counts only answers whose
/// records are on disk.
struct ChangeQueue: Sendable {
  struct Limits: Sendable {
    var changes = 1000
    var bytes = 4 << 20
    /// The most numbers in use per room from the oldest unanswered one on: the server remembers this many answers.
    var unanswered = 64
  }

  enum State: Equatable {
    /// A record of the change or of its new number is being written.
    case storing(isNew: Bool)
    case ready
    /// Sent; the connection's call of this number awaits the answer.
    case sent(call: Int)
    /// Refused for now: it had no effect, and its number is void.
    case delayed(until: Duration)
    case answered
    /// The record that it is answered is being written.
    case finishing
    /// The record that it is answered is on disk.
    case done
  }

  struct Entry {
    var change: QueuedChange
    var number: Int64
    /// The number in the file.
    var writtenNumber: Int64
    var at: Instant
    var size: Int
    var state: State
    /// Whether it was or may have been sent under its number.
    var wasSent: Bool
    var isShown: Bool
    /// The version of the room's document that contains its effect.
    var settlesAt: Int64?
    var delays = 0

    /// Whether the final answer is still missing.
    var isOpen: Bool {
      switch state {
      case .storing, .ready, .sent, .delayed: true
      case .answered, .finishing, .done: false
      }
    }
  }

  /// The meaning of a server's answer for a change.
  enum Outcome: Equatable {
    case answered(QueuedChange, JSON)
    case refused(QueuedChange, ServerError)
    case delayed(QueuedChange, ServerError, Duration)
    /// The change had no effect and gets a new number.
    case renumbered
    /// The server no longer knows the session of this connection.
    case unauthorized(ServerError)
  }

  /// A delay up to this long also holds back later changes of the same room, which keeps their order.
  static let shortDelay = Duration.seconds(10)
  /// Changes older than this must not be sent again: the server remembers answers for 30 days.
  static let age = Duration.seconds(29 * 24 * 3600)

  let limits: Limits
  private(set) var owner: QueueOwner
  private(set) var next: Int64 = 1
  private(set) var entries: [Entry] = []
  /// Increases with every change to the shown state.
  private(set) var revision = 0
  private var records: [QueueRecord] = []
  /// Per room, the highest number up to which all answers are recorded on disk.
  private var answeredUpTo: [String: Int64] = [:]
  /// Per room, the highest such number that the server has received on this connection.
  private var reportedUpTo: [String: Int64] = [:]

  /// Restores a queue from its file, or starts a new one with `owner`.
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

  /// The content of the queue on disk, for replacing the file.
  var wholeFile: [UInt8] {
    QueueLog.line(
      [.owner(owner, next: next)]
        + entries.filter { $0.state != .done && $0.state != .storing(isNew: true) }
        .sorted { $0.writtenNumber < $1.writtenNumber }
        .map { .asked($0.change, number: $0.writtenNumber, at: $0.at) })
  }

  /// The size of the open changes in bytes.
  var size: Int { entries.reduce(0) { $0 + ($1.isOpen ? $1.size : 0) } }

  var hasRecords: Bool { !records.isEmpty }

  /// Takes the records to write and flush. Afterwards call `stored` or `notStored`.
  mutating func takeRecords() -> [QueueRecord] { exchange(&records, with: []) }

  /// Reports that the taken records are on disk. Returns the changes that are new.
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

  /// Reports that writing failed. Returns the new changes, which are dropped; everything else is retried.
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
    // The owner's record may be among the lost ones.
    records = [.owner(owner, next: next)]
    return lost
  }

  mutating func set(_ owner: QueueOwner) {
    guard owner != self.owner else { return }
    self.owner = owner
    records.append(.owner(owner, next: next))
  }

  /// Makes records that answered changes are done.
  mutating func finishAnswered() {
    for index in entries.indices where entries[index].state == .answered {
      entries[index].state = .finishing
      records.append(.done(entries[index].number))
    }
  }

  var hasAnswered: Bool { entries.contains { $0.state == .answered } }

  /// Forgets everything except the client's id and the used numbers. Returns the open changes.
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

  /// Adds a change. It takes effect only when its record is on disk.
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

  /// Drops changes that may have been carried out so long ago that the server has forgotten the answer. Returns them.
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

  /// Sends the changes that are due, in order, until `send` returns no call number.
  ///
  /// Returns `true` if answers must be on disk before more can be sent. Rooms are independent, except `me`: a change
  /// there may create the room of a later change.
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

  /// The number up to which the server may forget its answers in a room; `nil` if it already knows.
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

  /// Takes the answer to a call; `nil` if the call is not in the queue.
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

  /// Renumbers changes whose delay is over.
  mutating func tick(_ now: Duration) {
    while let index = entries.firstIndex(where: { due($0).map { $0 <= now } ?? false }) {
      renumber(from: index, at: now)
    }
  }

  var deadline: Duration? { entries.compactMap(due).min() }

  /// When a delayed change gets a new number. While a later one of its room is being written, that one could not be
  /// moved behind it.
  private func due(_ entry: Entry) -> Duration? {
    guard case .delayed(let until) = entry.state else { return nil }
    let isWriting = entries.contains { $0.state == .storing(isNew: true) && $0.change.roomKey == entry.change.roomKey }
    return isWriting ? nil : until
  }

  /// Gives a change a new number, and with it all later changes of its room that certainly had no effect.
  ///
  /// Renumbering them too keeps their order.
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

  /// Marks changes in flight for sending again under the same number.
  mutating func disconnected() {
    for index in entries.indices {
      if case .sent = entries[index].state { entries[index].state = .ready }
    }
    reportedUpTo = [:]
  }

  // MARK: shown state

  /// The patches shown on top of a room's document, in order.
  func patches(of room: String) -> [(change: QueuedChange, patch: JSON)] {
    entries.compactMap { entry in
      guard entry.isShown, entry.change.roomKey == room, let patch = entry.change.patch else { return nil }
      return (entry.change, patch)
    }
  }

  /// The ids of the shown changes by room, in order.
  var shown: [String: [Int64]] {
    var shown: [String: [Int64]] = [:]
    for entry in entries where entry.isShown && entry.change.patch != nil {
      shown[entry.change.roomKey, default: []].append(entry.change.id)
    }
    return shown
  }

  /// Reports that a room's document has reached a version; `nil` if it was replaced as a whole or does not exist.
  mutating func reached(_ version: Int64?, in room: String) {
    for index in entries.indices where entries[index].change.roomKey == room {
      guard let needed = entries[index].settlesAt, version.map({ $0 >= needed }) ?? true else { continue }
      hide(index)
    }
    prune()
  }

  /// Reports that a room's document contains every call of this client up to `mark` that had an effect.
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

  /// Removes changes that are done, from the front of each room: later ones still count in its window of numbers.
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
