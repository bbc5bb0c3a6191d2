import JSON

/// A room's memory of the calls that it has answered, so that each takes effect once (SYN-3, DESIGN "Exactly once").
///
/// Numbers grow per client; a room sees an increasing subsequence of them. The *mark* is the highest number with a
/// receipt. Hidden: receipts go to log and snapshot, never to a client.
public struct Receipts: Sendable {
  /// Receipts kept per client; so also the calls that a client may have unanswered in one room.
  public static let perClient = 64
  /// Clients of one person whose receipts a room keeps at least. If there are more, the room evicts the receipts of the
  /// client that has been unused longest.
  public static let leastClientsPerPerson = 16
  /// Clients of one person whose marks a room keeps, so that it carries out none of their calls twice.
  public static let knownClientsPerPerson = 256
  /// Idempotency keys of one person that a room remembers, beside the person's clients.
  public static let keysPerPerson = 256
  public static let age = Duration.seconds(30 * 24 * 3600)

  public struct Receipt: Sendable, Equatable {
    public var number: Int64
    /// A hash of method and parameters, to detect a number that is used for another call.
    public var hash: UInt64
    public var at: Instant
    public var answer: Answer
  }

  public enum Answer: Sendable, Equatable {
    /// Another room has not answered yet.
    case pending
    /// The member `"result":{…}` or `"error":{…}`, as it was sent.
    case given([UInt8])
  }

  public enum Finding: Equatable, Sendable {
    case new
    case repeated([UInt8])
    case pending
    /// The number was used for another call.
    case reused
    /// The number lies below the mark and has no receipt: it had no effect here, and can no longer have one.
    case skipped
    /// The number lies below the mark, but its receipt may have been evicted: the call may have had an effect.
    case forgotten
  }

  struct Caller: Hashable, Sendable {
    var person: ID<Person>
    var client: ID<Client>

    func _rawHashValue(seed: Int) -> Int { client._rawHashValue(seed: person._rawHashValue(seed: seed)) }
  }

  struct Record: Sendable {
    var mark: Int64 = 0
    /// The highest number whose receipt was dropped, or 0: nobody knows whether a lower one took effect.
    var forgotten: Int64 = 0
    var usedAt = Instant()
    var list: [Receipt] = []

    mutating func insert(_ receipt: Receipt, answered: Int64) {
      list.removeAll { $0.number <= answered }
      forgotten = max(forgotten, answered)
      // A call that is answered late keeps its place: the list is in the order of numbers.
      if receipt.number <= mark, let index = list.lastIndex(where: { $0.number == receipt.number }) {
        list[index] = receipt
      } else {
        list.append(receipt)
      }
      if list.count > Receipts.perClient { forget(list.count - Receipts.perClient) }
      mark = max(mark, receipt.number)
      usedAt = max(usedAt, receipt.at)
    }

    /// Drops the oldest receipts.
    mutating func forget(_ count: Int) {
      guard count > 0 else { return }
      forgotten = max(forgotten, list[count - 1].number)
      list.removeFirst(count)
    }
  }

  var clientsPerPerson = Self.leastClientsPerPerson
  private var callers: [Caller: Record] = [:]
  /// Rows for the log since the last seal.
  private var unlogged: [(caller: Caller, receipt: Receipt, answered: Int64)] = []

  public init() {}

  public var isTouched: Bool { !unlogged.isEmpty }

  /// The room's knowledge of a call.
  public func find(_ call: CallKey, hash: UInt64) -> Finding {
    guard let record = callers[Caller(person: call.person, client: call.client)] else { return .new }
    if let receipt = record.list.last(where: { $0.number == call.number }) {
      if receipt.hash != hash { return .reused }
      if case .given(let answer) = receipt.answer { return .repeated(answer) }
      return .pending
    }
    if call.number > record.mark { return .new }
    return call.number <= record.forgotten ? .forgotten : .skipped
  }

  /// The highest number of a client that has a receipt, 0 if there is none.
  public func mark(person: ID<Person>, client: ID<Client>) -> Int64 {
    callers[Caller(person: person, client: client)]?.mark ?? 0
  }

  /// Keeps an answer. `answered` is the number up to which the client has all answers: their receipts are forgotten.
  public mutating func add(_ call: CallKey, hash: UInt64, at now: Instant, answer: Answer, answered: Int64) {
    let receipt = Receipt(number: call.number, hash: hash, at: now, answer: answer)
    let caller = Caller(person: call.person, client: call.client)
    unlogged.append((caller, receipt, answered))
    insert(receipt, of: caller, answered: answered)
  }

  /// Gives a pending call its answer; `false` if no client waits for it any longer.
  public mutating func complete(_ call: CallKey, with answer: [UInt8]) -> Bool {
    let caller = Caller(person: call.person, client: call.client)
    guard let index = callers[caller]?.list.lastIndex(where: { $0.number == call.number }),
      var receipt = callers[caller]?.list[index], receipt.answer == .pending
    else { return false }
    receipt.answer = .given(answer)
    callers[caller]?.list[index] = receipt
    unlogged.append((caller, receipt, 0))
    return true
  }

  /// Forgets receipts older than 30 days.
  public mutating func expire(at now: Instant) {
    for (caller, record) in callers {
      let old = record.list.prefix { now - $0.at >= Self.age }.count
      if now - record.usedAt >= Self.age {
        callers[caller] = nil
      } else if old > 0 {
        callers[caller]?.forget(old)
      }
    }
  }

  private mutating func insert(_ receipt: Receipt, of caller: Caller, answered: Int64) {
    if let index = callers.index(forKey: caller), !callers.values[index].list.isEmpty {
      return callers.values[index].insert(receipt, answered: answered)
    }
    makeRoom(for: caller)
    callers[caller, default: Record()].insert(receipt, answered: answered)
  }

  private mutating func makeRoom(for caller: Caller) {
    // Keys and clients do not evict each other.
    let isKey = caller.client.isIdempotencyKey
    let others = callers.filter { $0.key.person == caller.person && $0.key.client.isIdempotencyKey == isKey }
    let limit = isKey ? Self.keysPerPerson : Self.knownClientsPerPerson
    if others[caller] == nil, others.count >= limit, let oldest = Self.oldest(others) { callers[oldest] = nil }
    let full = others.filter { !$0.value.list.isEmpty }
    if !isKey, full.count >= clientsPerPerson, let oldest = Self.oldest(full) {
      callers[oldest]?.forget(full[oldest]?.list.count ?? 0)
    }
  }

  /// The caller that has been unused longest.
  private static func oldest(_ records: [Caller: Record]) -> Caller? {
    records.min { $0.value.usedAt < $1.value.usedAt }?.key
  }

  // MARK: log and snapshot

  // An array of callers: `[person, client, row…]`. A row is `[number, at, hash, answer, answered]` with the time in
  // milliseconds, or `[number, at]` if receipts up to that number are forgotten.

  /// Writes the rows since the last seal, and clears their list.
  mutating func seal(to writer: Writer) {
    writer.openArray()
    var last: Caller?
    for (caller, receipt, answered) in unlogged {
      if caller != last {
        if last != nil { writer.closeArray() }
        open(caller, writer)
        last = caller
      }
      write(receipt, answered: answered, to: writer)
    }
    if last != nil { writer.closeArray() }
    writer.closeArray()
    unlogged.removeAll(keepingCapacity: unlogged.capacity <= 64)
  }

  /// Writes all receipts, oldest first per client.
  func writeState(to writer: Writer) {
    writer.openArray()
    for (caller, record) in callers {
      open(caller, writer)
      for receipt in record.list { write(receipt, answered: 0, to: writer) }
      if record.forgotten > 0 {
        writer.openArray()
        writer.int(Int(record.forgotten))
        writer.int(Int(record.usedAt.milliseconds))
        writer.closeArray()
      }
      writer.closeArray()
    }
    writer.closeArray()
  }

  private func open(_ caller: Caller, _ writer: Writer) {
    writer.openArray()
    caller.person.write(to: writer)
    caller.client.write(to: writer)
  }

  private func write(_ receipt: Receipt, answered: Int64, to writer: Writer) {
    writer.openArray()
    writer.int(Int(receipt.number))
    writer.int(Int(receipt.at.milliseconds))
    writer.int(Int(truncatingIfNeeded: receipt.hash))
    if case .given(let answer) = receipt.answer {
      writer.openObject()
      writer.value(answer)
      writer.closeObject()
    } else {
      writer.null()
    }
    if answered > 0 { writer.int(Int(answered)) }
    writer.closeArray()
  }

  /// Reads the receipts of a log entry or a snapshot.
  mutating func merge(_ groups: View, _ problems: Problems) {
    groups.forEachItem { group in
      var items: [View] = []
      group.forEachItem { items.append($0) }
      guard items.count >= 2, let person = ID<Person>.read(items[0], problems),
        let client = ID<Client>.read(items[1], problems)
      else { return problems.note("receipts", "malformed") }
      for row in items.dropFirst(2) { merge(row, of: Caller(person: person, client: client), problems) }
    }
  }

  private mutating func merge(_ row: View, of caller: Caller, _ problems: Problems) {
    var items: [View] = []
    row.forEachItem { items.append($0) }
    guard items.count >= 2, let number = items[0].int, let milliseconds = items[1].int else {
      return problems.note("receipts", "malformed")
    }
    let at = Instant(milliseconds: Int64(milliseconds))
    if items.count < 4 {
      var record = callers[caller] ?? Record()
      record.mark = max(record.mark, Int64(number))
      record.forgotten = max(record.forgotten, Int64(number))
      record.usedAt = max(record.usedAt, at)
      callers[caller] = record
      return
    }
    guard items[3].isNull || items[3].kind == .object else { return problems.note("receipts", "malformed") }
    let answer: Answer = items[3].isNull ? .pending : .given(items[3].withBytes { Self.member(of: $0) })
    let receipt = Receipt(
      number: Int64(number), hash: UInt64(truncatingIfNeeded: items[2].int ?? 0), at: at, answer: answer)
    insert(receipt, of: caller, answered: items.count > 4 ? Int64(items[4].int ?? 0) : 0)
  }

  /// The text between the braces of an object.
  private static func member(of object: Span<UInt8>) -> [UInt8] {
    var bytes: [UInt8] = []
    for index in 1..<max(1, object.count - 1) { bytes.append(object[index]) }
    return bytes
  }
}
