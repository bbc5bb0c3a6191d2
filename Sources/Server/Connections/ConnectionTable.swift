import Platform
import WebSocket

/// The sessions of a shard: those of its own connections, and those that stand for something else, such as guests.
///
/// Sees to what happens to them by time: heartbeats, deadlines, and another look at those that were full.
final class ConnectionTable {
  private let link: ShardLink
  var shard: Shard { link.shard }
  let loop: any Loop
  let configuration: Configuration
  let log: Logger

  /// By heartbeat slot, so that each second serves its share of them.
  private var sessions: [[UInt64: Session]]
  private var lastNumber: UInt64 = 0

  /// Sessions that were full in this batch, and in the one before, with what the kernel had taken by then: if it has
  /// taken nothing since, the stream reports later that it can be written.
  private var full: [(session: Session, sentByteCount: Int)] = []
  private var fullBefore: [(session: Session, sentByteCount: Int)] = []

  /// Seconds of the heartbeat so far.
  private var second = 0
  /// Connections that are due for a heartbeat and have not had it.
  private var beating: ArraySlice<Session> = []
  private var isBeatPlanned = false
  /// Connections by number, in the order in which they were opened, until they have had the time to say hello.
  private var young: ArraySlice<(number: UInt64, since: Nanoseconds)> = []
  /// Connections that have begun a message and not ended it.
  private var unfinished: [Session] = []

  init(_ link: ShardLink) {
    self.link = link
    loop = link.loop
    configuration = link.configuration
    log = link.services.log
    sessions = Array(repeating: [:], count: max(1, Int(configuration.heartbeat.components.seconds)))
  }

  deinit {
    // Sessions and subscriptions hold each other.
    for session in sessions.flatMap(\.values) { session.subscriptions = [] }
  }

  // MARK: the table

  /// Adds a session under the next number.
  func add(_ make: (_ number: UInt64) -> Session) -> Session {
    lastNumber += 1
    let session = make(lastNumber)
    sessions[slot(of: session.number)][session.number] = session
    return session
  }

  subscript(number: UInt64) -> Session? { sessions[slot(of: number)][number] }

  var all: some Sequence<Session> { sessions.lazy.flatMap(\.values) }

  /// The second of the heartbeat in which a session is served.
  private func slot(of number: UInt64) -> Int { Int(number % UInt64(sessions.count)) }

  /// Expects a hello from a connection in time.
  func expectHello(from session: Session) {
    young.append((session.number, Nanoseconds(wrappedValue: loop.uptime)))
  }

  func remove(_ session: Session) {
    leaveRooms(session)
    sessions[slot(of: session.number)][session.number] = nil
  }

  /// Ends every subscription of a session, here and elsewhere, and its place among those signed in.
  func leaveRooms(_ session: Session) {
    for subscription in session.subscriptions {
      subscription.seat.subscriptions.removeAll { $0 === subscription }
      shard.notePresence(of: session.person, in: subscription.seat)
    }
    session.subscriptions.removeAll()
    session.watchCount = 0
    shard.accounts.close(session)
    shard.neighbours.dismissGuests(of: session)
    session.person = nil
  }

  // MARK: full streams

  /// Has `writable` called on a session once its stream has drained.
  func noteFull(_ session: Session) {
    guard !session.isNotedFull else { return }
    session.isNotedFull = true
    full.append((session, session.stream?.sentByteCount ?? 0))
    loop.wantBatchEnd()
  }

  /// Looks at the sessions that were full before: streams are flushed behind the end of a batch.
  func lookAfterFull() {
    for (session, sentByteCount) in fullBefore {
      session.isNotedFull = false
      if !isFull(session) {
        session.writable()
      } else if session.stream?.sentByteCount != sentByteCount {
        // The old backlog has drained, but this batch has filled the buffer again: no `writable` will follow.
        noteFull(session)
      }
    }
    fullBefore.removeAll(keepingCapacity: true)
    if full.isEmpty { return }
    swap(&full, &fullBefore)
    loop.wantBatchEnd()
  }

  // MARK: unfinished messages

  /// Remembers since when a message has been incomplete, however much of it still comes (RELIABILITY E4).
  func noteUnfinished(_ session: Session, _ isUnfinished: Bool) {
    guard isUnfinished else {
      session.messageSince = nil
      return
    }
    if session.messageSince == nil { session.messageSince = loop.uptime }
    guard !session.isNotedUnfinished else { return }
    session.isNotedUnfinished = true
    unfinished.append(session)
  }

  /// Closes connections whose message is not complete in time.
  private func closeUnfinished() {
    unfinished.removeAll { session in
      guard session.isOpen, let since = session.messageSince else {
        session.isNotedUnfinished = false
        return true
      }
      // The rest may have arrived while the server does not read: the client is not to blame.
      if session.stream?.isReadingPaused == true {
        session.messageSince = loop.uptime
        return false
      }
      guard loop.uptime - since >= configuration.messageTimeout else { return false }
      session.close(.policyViolation, "a message was not complete in time")
      return true
    }
  }

  // MARK: every second

  /// Serves the connections that are due in this second; answers its number.
  func everySecond() -> Int {
    second += 1
    closeYoung()
    closeUnfinished()
    beating += sessions[second % sessions.count].values
    beatSome()
    return second
  }

  /// Closes connections that have not said hello in time, in the order in which they were opened.
  private func closeYoung() {
    defer { if young.isEmpty { young = [] } }
    while let (number, since) = young.first, loop.uptime - since.wrappedValue >= configuration.helloTimeout {
      young.removeFirst()
      guard let session = self[number] else { continue }
      // HTTP connections have deadlines of their own.
      if case .http = session.phase { continue }
      guard session.person == nil, session.stream != nil else { continue }
      log(.debug, "connection.refused", ["why": "no hello in time"])
      if session.isOpen { session.close(.noHello, "no hello in time") } else { session.drop() }
    }
  }

  /// A few at a time: hundreds may be due in the same second, and all other work would wait for them.
  private func beatSome() {
    // A tick reports how old the watchers' position is, so they must have the newest one.
    if !beating.isEmpty { shard.teller.live.tellNow() }
    // Large enough to serve any number of them within this second.
    let count = max(configuration.beatsPerTurn, sessions[second % sessions.count].count / 50)
    for session in beating.prefix(count) { beat(session) }
    beating = beating.dropFirst(count)
    guard !beating.isEmpty else {
      beating = []
      return
    }
    guard !isBeatPlanned else { return }
    isBeatPlanned = true
    loop.schedule(after: .milliseconds(10)) { [weak reference = shard.reference] in
      guard let table = reference?.shard.connections else { return }
      table.isBeatPlanned = false
      table.beatSome()
    }
  }
}
