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
    // The content is not checked here; the silence checker follows the versions.
    private let changed = WatchedRoom([], .edit)

    init(_ connection: Connection) {
      self.connection = connection
      caller = Caller(connection, changed, .edit, inFlight: 4, textLength: 100)
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
  private var shares: [SharedPosition] = []
  private var connections: [Connection] = []
  /// By connection number.
  private var seats: [Seat] = []
  private var isSending = false
  private var next = 0
  private var nextSample: Int64 = 0
  /// The due times of changes, if there are any.
  private var pace: Pace?

  private(set) var checker = HearingChecker()
  private(set) var reports = 0
  private(set) var changes = 0
  private(set) var deliveries = 0
  /// Reports covered by the delivered positions: several at the same moment become one position.
  private(set) var covered = 0
  private(set) var strangeCount = 0
  private(set) var latency = Histogram()
  private(set) var refusals: [String: Int] = [:]

  init(_ options: ReceiversCommand, _ generator: Generator, _ households: [[Person]]) {
    self.options = options
    self.generator = generator
    for household in households {
      let connections = household.map { generator.add($0, rooms: ["me", $0.room]) }
      self.connections += connections
      let share = SharedPosition(connections[0])
      share.receivers = Array(connections.dropFirst())
      shares.append(share)
      for index in connections.indices { seats.append(Seat(share: share, isReceiver: index > 0)) }
    }
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
    let deadline = System.nanoseconds + 60_000_000_000
    generator.run { generator.connections.allSatisfy(\.isSettled) || generator.now > deadline }
    guard generator.now <= deadline, generator.losses.isEmpty else {
      throw LoadError("the shares could not be prepared: \(generator.losses)")
    }
  }

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
    let sum = usage.sum
    checker.finish(at: generator.now)
    return sum
  }

  private func report(_ share: SharedPosition, dueAt due: Int64) {
    guard share.connection.isOpen else { return }
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

  func subscribed(_ connection: Connection, _ room: Int, _ result: View) {
    let fixedAt = Self.moment(result[key: "live"]?[key: "position"]?[key: "at"])
    let watch = checker.begin(at: generator.now, version: connection.positions[room], fixedAt: fixedAt)
    seats[connection.number].watches[room] = watch
  }

  func turn(at now: Int64) -> Int64 {
    guard isSending else { return .max }
    if now >= nextSample {
      checker.sampleAges(wallMilliseconds: System.wallMilliseconds)
      nextSample += 1_000_000_000
    }
    var due = nextSample
    due = min(due, change(at: now))
    if options.saturate {
      // The first report of each share; afterwards each answer triggers the next.
      for share in shares where share.sentAt.isEmpty { report(share, dueAt: now) }
      return due
    }
    // The shares are due in order, again and again.
    while shares[next].dueAt <= now {
      report(shares[next], dueAt: shares[next].dueAt)
      shares[next].dueAt += Int64(options.interval * 1e9)
      next = (next + 1) % shares.count
    }
    return min(due, shares[next].dueAt)
  }

  private func change(at now: Int64) -> Int64 {
    while let number = pace?.count, let due = pace?.take(at: now) {
      let share = shares[number % shares.count]
      if share.connection.isOpen, share.caller.call(dueAt: due, generator.writer) { changes += 1 }
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
    } else if method.equals("room.live") {
      let position = parameters[key: "patch"]?[key: "position"]
      checker.live(watch, fixedAt: Self.moment(position?[key: "at"]), at: generator.now)
      if let latitude = position?[key: "lat"]?.double { take(Int((latitude * 1e5).rounded()), connection.number) }
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
      checker.tickPosition(watch, fixedAt: fixedAt, at: generator.now)
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

  private static func moment(_ text: View?) -> Int64? { text?.withBytes { milliseconds(ofTimestamp: $0) } }
}
