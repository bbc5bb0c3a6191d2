import JSON

/// Shares of positions, and when each receiver gets each position.
///
/// A position identifies its report: its latitude is the report's number in units of the fifth decimal, which the
/// server preserves. Call numbers of reports are negative, to distinguish them from other changes.
final class ReceiversScenario: Scenario {
  private final class SharedPosition {
    let id = randomUUID()
    let connection: Connection
    var receivers: [Connection] = []
    /// When the reports were sent or due, by number; there are few enough to keep all.
    var sentAt: [Int64] = []
    var dueAt: Int64 = 0
    let caller: Caller
    /// The number of times at which a report was due.
    var roundCount = 0
    // The content is not checked here; the silence checker follows the versions.
    private let changed = WatchedRoom([], .edit)

    init(_ connection: Connection, textLength: Int) {
      self.connection = connection
      caller = Caller(connection, changed, .edit, inFlight: 4, textLength: textLength)
    }

    var room: String { "share/\(id)" }
  }

  /// The state of a connection.
  private struct Seat {
    let share: SharedPosition
    let isReceiver: Bool
    /// The numbers of its watches in the checker, by room; `nil` until answered.
    var watches: [Int?] = [nil, nil, nil]
    /// The newest report received.
    var report = -1
  }

  private let options: ReceiversCommand
  private let generator: Generator
  private let shares: [SharedPosition]
  private let connections: [Connection]
  /// By connection number.
  private var seats: [Seat] = []
  private var isSending = false
  /// The share that is due next.
  private var nextShare = 0
  private var nextSample: Int64 = 0
  /// The due times of changes, if there are any.
  private var pace: Pace?
  /// The shares with slow readers, whose households get every other change, so that there is something to read.
  private let slowShares: Int

  private(set) var checker: HearingChecker
  let turnover: Turnover
  private(set) var reports = 0
  private(set) var changes = 0
  private(set) var deliveries = 0
  /// Reports covered by the delivered positions: several at the same moment become one position.
  private(set) var covered = 0
  private(set) var strangeCount = 0
  private(set) var latency = Histogram()
  private(set) var refusals: [String: Int] = [:]
  /// Patches with several changes of a household: their watchers were behind.
  private(set) var mergedCount = 0

  init(_ options: ReceiversCommand, _ generator: Generator, _ households: [[Person]]) {
    self.options = options
    self.generator = generator
    checker = HearingChecker(limit: Int64(options.limit * 1e9))
    var shares: [SharedPosition] = []
    for household in households {
      let connections = household.map { generator.add($0, rooms: ["me", $0.room]) }
      let share = SharedPosition(connections[0], textLength: options.text)
      share.receivers = Array(connections.dropFirst())
      shares.append(share)
      for index in connections.indices { seats.append(Seat(share: share, isReceiver: index > 0)) }
    }
    self.shares = shares
    connections = shares.flatMap { [$0.connection] + $0.receivers }
    // In few shares, so that slow readers get many changes each.
    slowShares = (options.slowReaders + options.receivers - 1) / options.receivers
    turnover = Turnover(options, generator, connections, receivers: shares.flatMap(\.receivers))
  }

  // MARK: the run

  /// Starts the shares and subscribes all receivers.
  func prepare() throws {
    // A person may have five shares at once, and those of an earlier run end by themselves.
    let until = System.wallMilliseconds + 900_000 + Int64((options.seconds + 60) * 1000)
    for share in shares {
      share.connection.call("shares.start", id: "share") { writer in
        writer.key("seq")
        writer.int(1)
        writer.key("id")
        writer.string(share.id)
        writer.key("until")
        writer.string(timestamp(until))
        writer.key("receivers")
        writer.openArray()
        for receiver in share.receivers { writer.string(receiver.person.id) }
        writer.closeArray()
      }
      if options.changes != nil { share.caller.prepare() }
    }
    try settle()
    // The reporting device may still be one of an earlier run.
    for share in shares {
      share.connection.call("shares.takeOver", id: "takeOver") { writer in
        writer.key("seq")
        writer.int(2)
      }
    }
    try settle()
    for seat in seats.indices { connections[seat].watch(seats[seat].share.room) }
    try settle()
  }

  private func settle() throws {
    let deadline = System.nanoseconds + 60_000_000_000 + Int64(shares.count) * 20_000_000
    generator.run { generator.connections.allSatisfy(\.isSettled) || generator.now > deadline }
    guard generator.now <= deadline, generator.losses.isEmpty else {
      throw LoadError("the shares could not be prepared: \(generator.losses)")
    }
  }

  /// Shares positions for the time of the run, then waits until everybody is back.
  func measure() -> Usage.Sum {
    let usage = Usage(of: options.target.pid)
    let startedAt = usage.startedAt
    pace = options.changes.map { Pace(from: startedAt, rate: $0) }
    nextSample = startedAt
    for (index, share) in shares.enumerated() {
      let wait = options.saturate ? 0 : Int64(options.interval * 1e9) * Int64(index) / Int64(shares.count)
      share.dueAt = startedAt + wait
    }
    isSending = true
    turnover.begin(at: startedAt)
    let end = startedAt + Int64(options.seconds * 1e9)
    var line = ProgressLine()
    var last = (reports, deliveries)
    generator.run {
      if let duration = line.due(at: generator.now) {
        let recent = (Double(reports - last.0) / duration, Double(deliveries - last.1) / duration)
        last = (reports, deliveries)
        line.say(
          "\(Report.text(recent.0))/s sent, \(Report.text(recent.1))/s delivered, "
            + "p99 so far \(Report.text(Double(latency.percentile(0.99)) / 1e6, digits: 2)) ms, longest silence so far "
            + "\(Report.text(Double(checker.gaps.largest) / 1e9, digits: 1)) s")
      }
      return generator.now >= end
    }
    isSending = false
    let sum = options.restartAt == nil ? usage.sum : usage.sum(of: options.restart.pid)
    turnover.end()
    let patience = System.nanoseconds + Int64(options.patience * 1e9)
    generator.run { turnover.awayCount == 0 || generator.now >= patience }
    checker.finish(at: generator.now)
    return sum
  }

  private func report(_ share: SharedPosition, dueAt due: Int64) {
    guard share.connection.isReady else { return }
    let number = share.sentAt.count
    share.sentAt.append(due)
    reports += 1
    let writer = generator.writer
    let now = timestamp(System.wallMilliseconds)
    writer.clear()
    writer.raw("{\"jsonrpc\":\"2.0\",\"id\":")
    writer.int(-1 - number)
    writer.raw(",\"method\":\"positions.report\",\"params\":{")
    writer.key("sentAt")
    writer.string(now)
    writer.raw(",\"fixes\":[{\"lat\":")
    writer.double(Double(number % 9_000_000) / 1e5)
    writer.raw(",\"lon\":4.3,\"accuracy\":8,\"battery\":80,\"fixTime\":")
    writer.string(now)
    writer.raw("}]}}")
    share.connection.send(message: writer)
  }

  // MARK: scenario

  /// The item on the list exists after an earlier run.
  func mayFail(_ id: String, _ error: View) -> Bool {
    id.hasPrefix("item") && error[key: "data"]?[key: "reason"]?.equals("exists") == true
  }

  func ready(_ connection: Connection) {
    turnover.ready(connection)
    let seat = seats[connection.number]
    if isSending, options.saturate, !seat.isReceiver { report(seat.share, dueAt: generator.now) }
  }

  func lost(_ connection: Connection, _ reason: String) -> Bool {
    pause(connection)
    let seat = seats[connection.number]
    if !seat.isReceiver { seat.share.caller.forgetCalls() }
    return turnover.lost(connection)
  }

  private func pause(_ connection: Connection) {
    for case .some(let watch) in seats[connection.number].watches { checker.pause(watch, at: generator.now) }
  }

  func subscribed(_ connection: Connection, _ room: Int, _ result: View) {
    let position = result[key: "live"]?[key: "position"]
    let fixedAt = Self.moment(position?[key: "at"])
    let version = connection.positions[room]
    if let watch = seats[connection.number].watches[room] {
      checker.resume(
        watch, at: generator.now, from: result[key: "from"]?.int, version: version, fixedAt: fixedAt, wall: wall)
    } else {
      let watch = checker.begin(at: generator.now, version: version, fixedAt: fixedAt, wall: wall)
      seats[connection.number].watches[room] = watch
    }
    // An answer may bring a report that was missed, or, after a crash, an earlier one.
    if let report = Self.report(at: position) {
      seats[connection.number].report = max(report, seats[connection.number].report)
    }
  }

  private var wall: Int64 { System.wallMilliseconds }

  func turn(at now: Int64) -> Int64 {
    // Everybody comes back even when the run is over.
    let next = turnover.turn(at: now) { pause($0) }
    guard isSending else { return next }
    if now >= nextSample {
      checker.sampleAges(wallMilliseconds: System.wallMilliseconds)
      nextSample += 1_000_000_000
    }
    var due = min(nextSample, next)
    due = min(due, change(at: now))
    if options.saturate {
      // The first report of each share; afterwards each answer triggers the next.
      for share in shares where share.sentAt.isEmpty { report(share, dueAt: now) }
      return due
    }
    // The shares are due in order, again and again.
    while shares[nextShare].dueAt <= now {
      let share = shares[nextShare]
      if nextShare >= options.quiet || share.roundCount % Self.quietRounds == 0 { report(share, dueAt: share.dueAt) }
      share.roundCount += 1
      share.dueAt += Int64(options.interval * 1e9)
      nextShare = (nextShare + 1) % shares.count
    }
    return min(due, shares[nextShare].dueAt)
  }

  /// A quiet phone reports once in so many intervals.
  private static let quietRounds = 10

  private func change(at now: Int64) -> Int64 {
    while let number = pace?.count, let due = pace?.take(at: now) {
      let isForSlow = slowShares > 0 && number % 2 == 1
      let share = shares[isForSlow ? number / 2 % slowShares : number % shares.count]
      if share.connection.isReady, share.caller.call(dueAt: due, generator.writer) { changes += 1 }
    }
    return pace?.due ?? .max
  }

  func received(_ message: View, _ connection: Connection) {
    guard let parameters = message[key: "params"], let method = message[key: "method"] else {
      return takeAnswer(message, connection)
    }
    if method.equals("room.tick") { return takeTick(parameters, connection) }
    guard let watch = watch(of: parameters[key: "room"], connection) else { return }
    if method.equals("room.patch") {
      guard let from = parameters[key: "from"]?.int, let version = parameters[key: "version"]?.int else { return }
      checker.patch(watch, from: from, version: version, at: generator.now)
      if let room = connection.index(of: parameters[key: "room"]) {
        if isSending, room == 1, version - from > 1 { mergedCount += 1 }
        connection.positions[room] = max(version, connection.positions[room])
      }
    } else if method.equals("room.live") {
      let position = parameters[key: "patch"]?[key: "position"]
      checker.live(watch, fixedAt: Self.moment(position?[key: "at"]), at: generator.now, wall: wall)
      if let report = Self.report(at: position) { take(report, connection.number) }
    } else if method.equals("room.closed") {
      checker.close(watch)
    }
  }

  private func takeTick(_ parameters: View, _ connection: Connection) {
    parameters[key: "rooms"]?.forEachMember { room, version in
      guard let watch = watch(of: room, connection), let version = version.int else { return }
      checker.tick(watch, version: version, at: generator.now)
    }
    parameters[key: "live"]?.forEachMember { room, live in
      guard let watch = watch(of: room, connection), let fixedAt = Self.moment(live[key: "at"]) else { return }
      checker.tickPosition(watch, fixedAt: fixedAt, at: generator.now, wall: wall)
    }
  }

  private func watch(of room: View?, _ connection: Connection) -> Int? {
    connection.index(of: room).flatMap { seats[connection.number].watches[$0] }
  }

  private func takeAnswer(_ message: View, _ connection: Connection) {
    if let error = message[key: "error"] {
      refusals[error[key: "data"]?[key: "reason"]?.string ?? "without a reason", default: 0] += 1
    }
    guard let number = message[key: "id"]?.int else { return }
    let share = seats[connection.number].share
    guard number < 0 else {
      _ = share.caller.answered(number, isRefused: message[key: "error"] != nil)
      if let due = share.caller.popBacklog(), share.caller.call(dueAt: due, generator.writer) { changes += 1 }
      return
    }
    if isSending, options.saturate { report(share, dueAt: generator.now) }
  }

  private func take(_ report: Int, _ seat: Int) {
    let share = seats[seat].share
    guard share.sentAt.indices.contains(report), report > seats[seat].report else {
      strangeCount += 1
      return
    }
    defer { seats[seat].report = report }
    // The sharer receives its own position, too; only deliveries to others count.
    guard seats[seat].isReceiver else { return }
    deliveries += 1
    covered += report - seats[seat].report
    latency.record(generator.arrivedAt - share.sentAt[report])
  }

  /// The report that made a position.
  private static func report(at position: View?) -> Int? {
    position?[key: "lat"]?.double.map { Int(($0 * 1e5).rounded()) }
  }

  private static func moment(_ text: View?) -> Int64? { text?.withBytes { milliseconds(ofTimestamp: $0) } }
}
