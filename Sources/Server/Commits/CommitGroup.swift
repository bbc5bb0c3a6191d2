import JSON
import Platform
import Rooms

/// All that is sent once one commit of a room is on disk.
final class CommitGroup {
  /// The patch's place among those of the batch, as the payload of a frame; empty if nothing has changed that clients
  /// see.
  var patch: Range<Int> = 0..<0
  /// In one property, since each use of a property of a class is checked for exclusive access.
  private var pending = PendingAnswers()
  /// Subscriptions whose first answer is written as of this commit.
  var resumes: [Resume] = []
  /// Work that continues once the commit has succeeded or failed.
  var followers: [(_ isCommitted: Bool) -> Void] = []
  /// Calls that another room will answer.
  var pendingCalls: [CallKey] = []
  var sealed: SealedRoom?
  /// The person who made all changes, if there is one.
  var person: ID<Person>?
  var isMixed = false
  var mutationCount = 0

  func note(_ caller: ID<Person>?) {
    if mutationCount == 0 { person = caller } else if person != caller { isMixed = true }
    mutationCount += 1
  }

  /// Answers a call once this is on disk.
  func answer(_ caller: Caller, _ member: [UInt8]) { pending.add(caller, member) }

  var answers: [(to: Caller, member: [UInt8])] { pending.list }

  func answerCount(of call: CallKey) -> Int { pending.count(of: call) }

  var author: ID<Person>? { isMixed ? nil : person }

  /// Forgets everything, to be used for another commit.
  func clear() {
    patch = 0..<0
    pending.clear()
    resumes.removeAll()
    followers.removeAll()
    pendingCalls.removeAll()
    sealed = nil
    person = nil
    isMixed = false
    mutationCount = 0
  }
}

/// Commit groups that have been told, to be used again: a busy server needs some hundreds of them each time.
struct SpareGroups {
  private var groups: [CommitGroup] = []
  private static let limit = 1024

  mutating func take() -> CommitGroup { groups.popLast() ?? CommitGroup() }

  mutating func give(_ group: CommitGroup) {
    guard groups.count < Self.limit else { return }
    group.clear()
    groups.append(group)
  }
}

/// Answers that wait for one commit.
private struct PendingAnswers {
  private(set) var list: [(to: Caller, member: [UInt8])] = []
  /// How many of them each client gets.
  private var counts: [(person: ID<Person>?, client: ID<Client>, count: Int)] = []

  mutating func add(_ caller: Caller, _ member: [UInt8]) {
    // A busy household has a few at once; to grow one by one takes longer.
    if list.isEmpty {
      list.reserveCapacity(4)
      counts.reserveCapacity(4)
    }
    list.append((caller, member))
    let (person, client) = (caller.session.person, caller.session.client)
    if let index = counts.firstIndex(where: { $0.client == client && $0.person == person }) {
      counts[index].count += 1
    } else {
      counts.append((person, client, 1))
    }
  }

  mutating func clear() {
    list.removeAll(keepingCapacity: list.capacity <= 64)
    counts.removeAll(keepingCapacity: counts.capacity <= 64)
  }

  func count(of call: CallKey) -> Int {
    counts.first { $0.client == call.client && $0.person == call.person }?.count ?? 0
  }
}
