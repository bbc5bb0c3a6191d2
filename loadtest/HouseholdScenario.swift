import JSON

/// Counts of a run; what happened in a window is the difference of two.
struct Tally {
  var sent = 0
  var answers = 0
  /// Versions that came, of all connections; and the patches they came in.
  var deliveries = 0
  var patches = 0
  var bytes = 0
  var refused = 0
  /// Versions that a connection's patches left out, and those they told again.
  var missing = 0
  var twice = 0

  static func - (later: Tally, earlier: Tally) -> Tally {
    Tally(
      sent: later.sent - earlier.sent, answers: later.answers - earlier.answers,
      deliveries: later.deliveries - earlier.deliveries, patches: later.patches - earlier.patches,
      bytes: later.bytes - earlier.bytes, refused: later.refused - earlier.refused,
      missing: later.missing - earlier.missing, twice: later.twice - earlier.twice)
  }
}

final class HouseholdScenario: Scenario {
  private let options: HouseholdCommand
  private let generator: Generator
  private var rooms: [WatchedRoom] = []
  /// By the number of the connection.
  private var roomOf: [WatchedRoom] = []
  private var callerOf: [Caller?] = []
  private var callers: [Caller] = []

  private(set) var tally = Tally()
  private var answerLatency = Histogram()
  private var deliveryLatency = Histogram()
  private(set) var refusals: [String: Int] = [:]

  private var isSending = false
  private var startedAt: Int64 = 0
  /// Calls that were due so far, where there is a rate.
  private var dueCount = 0

  init(_ options: HouseholdCommand, _ generator: Generator, _ households: [[Person]]) {
    self.options = options
    self.generator = generator
    for household in households {
      let room = WatchedRoom()
      for (index, person) in household.enumerated() {
        let connection = generator.add(person, rooms: [person.room])
        room.connections.append(connection)
        roomOf.append(room)
        guard index < options.callers else {
          callerOf.append(nil)
          continue
        }
        let caller = Caller(
          connection, room, options.mix, inFlight: options.inFlight, textLength: options.text)
        callerOf.append(caller)
        callers.append(caller)
      }
      rooms.append(room)
    }
    // First one caller of every room, then the second of every room: neighbours in time are not neighbours in a room.
    callers = (0..<options.callers).flatMap { index in
      stride(from: index, to: callers.count, by: options.callers).map { callers[$0] }
    }
  }

  // MARK: the run

  /// Makes what will be changed, and waits until everybody knows of it.
  func prepare() throws {
    for caller in callers { caller.prepare() }
    let deadline = generator.now + 60_000_000_000
    generator.run { (callers.allSatisfy(\.connection.isSettled) && isEvenEverywhere) || generator.now > deadline }
    guard generator.now <= deadline, generator.losses.isEmpty else {
      throw LoadError("the households could not be prepared: \(generator.losses)")
    }
  }

  private var isEvenEverywhere: Bool {
    rooms.allSatisfy { room in Set(room.connections.map { $0.positions[0] }).count == 1 }
  }

  /// What happened in the measured window.
  struct Figures {
    var usage: Usage.Sum
    var tally: Tally
    var answerLatency: Histogram
    var deliveryLatency: Histogram
  }

  func measure() -> Figures {
    for room in rooms { room.begin() }
    tally = Tally()
    isSending = true
    defer { isSending = false }
    startedAt = System.nanoseconds
    if options.rate == nil {
      for caller in callers {
        for _ in 0..<options.inFlight { begin(caller, dueAt: startedAt) }
      }
    }
    run(seconds: options.warmup)
    answerLatency.clear()
    deliveryLatency.clear()
    tally.bytes = generator.receivedByteCount
    let before = tally
    let usage = Usage(of: options.target.pid)
    run(seconds: options.seconds)
    tally.bytes = generator.receivedByteCount
    return Figures(
      usage: usage.sum, tally: tally - before, answerLatency: answerLatency, deliveryLatency: deliveryLatency)
  }

  private func run(seconds: Double) {
    let end = System.nanoseconds + Int64(seconds * 1e9)
    var next = System.nanoseconds + 5_000_000_000
    var last = tally
    generator.run {
      if generator.now >= next {
        next += 5_000_000_000
        let recent = tally - last
        last = tally
        say(
          "\(Report.text(Double(recent.sent) / 5))/s sent, \(Report.text(Double(recent.answers) / 5))/s answered, "
            + "\(Report.text(Double(recent.deliveries) / 5))/s delivered")
      }
      return generator.now >= end
    }
  }

  /// Waits for what is on its way.
  func drain() {
    let end = System.nanoseconds + 10_000_000_000
    generator.run { (unanswered == 0 && missingAtEnd == 0) || generator.now >= end }
  }

  var unanswered: Int { callers.reduce(0) { $0 + ($1.connection.isOpen ? $1.inFlightCount : 0) } }
  var missingAtEnd: Int { rooms.reduce(0) { $0 + $1.missingCount } }

  private func begin(_ caller: Caller, dueAt due: Int64) {
    guard caller.connection.isOpen else { return }
    if caller.call(dueAt: due, generator.writer) { tally.sent += 1 }
  }

  // MARK: scenario

  func ready(_ connection: Connection) {}

  /// What an earlier run has put on the list is there already.
  func mayFail(_ id: String, _ error: View) -> Bool {
    id.hasPrefix("item") && error[key: "data"]?[key: "reason"]?.equals("exists") == true
  }

  func turn(at now: Int64) -> Int64 {
    guard isSending, let rate = options.rate else { return .max }
    while true {
      let due = startedAt + Int64(Double(dueCount) * 1e9 / rate)
      guard due <= now else { return due }
      begin(callers[dueCount % callers.count], dueAt: due)
      dueCount += 1
    }
  }

  func received(_ message: View, _ connection: Connection) {
    guard let parameters = message[key: "params"] else { return takeAnswer(message, connection) }
    guard message[key: "method"]?.equals("room.patch") == true else { return }
    guard let from = parameters[key: "from"]?.int, let version = parameters[key: "version"]?.int else { return }
    let position = connection.positions[0]
    tally.patches += 1
    if from > position { tally.missing += from - position }
    // A merged patch may begin before where the client is; what it tells again is counted, and harmless.
    if from < position { tally.twice += min(version, position) - from }
    guard version > position else { return }
    tally.deliveries += version - position
    connection.positions[0] = version
    roomOf[connection.number].delivered(position + 1...version, at: generator.now, deliveries: &deliveryLatency)
  }

  private func takeAnswer(_ message: View, _ connection: Connection) {
    guard let caller = callerOf[connection.number], let number = message[key: "id"]?.int else { return }
    let error = message[key: "error"]
    guard let startedAt = caller.answered(number, isRefused: error != nil) else { return }
    tally.answers += 1
    answerLatency.record(generator.now - startedAt)
    if let error {
      tally.refused += 1
      refusals[error[key: "data"]?[key: "reason"]?.string ?? "without a reason", default: 0] += 1
    } else if let version = message[key: "result"]?[key: "version"]?.int {
      caller.room.answered(version, startedAt: startedAt, deliveries: &deliveryLatency)
    }
    if let due = caller.popBacklog() {
      begin(caller, dueAt: due)
    } else if isSending, options.rate == nil {
      begin(caller, dueAt: generator.now)
    }
  }
}
