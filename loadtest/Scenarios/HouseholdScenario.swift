import JSON

final class HouseholdScenario: LoadScenario {
  private let load: HouseholdLoad
  let generator: Generator
  private(set) var rooms: [WatchedRoom] = []
  /// By connection number.
  private var placeOf: [(room: WatchedRoom, watcher: Int)] = []
  private var callerOf: [Caller?] = []
  private var callers: [Caller] = []

  let record = LoadRecord()
  private(set) var refusals: [String: Int] = [:]

  private var isSending = false
  /// The due times of calls, if there is a rate.
  private var pace: Pace?

  init(
    _ load: HouseholdLoad, _ generator: Generator, _ households: [[Person]],
    configure: (Connection, _ index: Int) -> Void = { _, _ in }
  ) {
    self.load = load
    self.generator = generator
    for household in households {
      let connections = household.map { generator.add($0, rooms: [$0.room]) }
      let room = WatchedRoom(connections, load.mix)
      for (index, connection) in connections.enumerated() {
        configure(connection, index)
        placeOf.append((room, index))
        guard index < load.callers else {
          callerOf.append(nil)
          continue
        }
        let caller = Caller(connection, room, load.mix, inFlight: load.inFlight, textLength: load.text)
        callerOf.append(caller)
        callers.append(caller)
      }
      rooms.append(room)
    }
    // First one caller of every room, then the second of every room, so that successive calls are in different rooms.
    callers = (0..<load.callers).flatMap { index in
      stride(from: index, to: callers.count, by: load.callers).map { callers[$0] }
    }
  }

  func room(of connection: Connection) -> WatchedRoom { placeOf[connection.number].room }

  // MARK: the run

  /// Creates the objects to change, and waits until all watchers have them.
  func prepare() throws {
    for caller in callers { caller.prepare() }
    let deadline = System.nanoseconds + 60_000_000_000
    generator.run { (callers.allSatisfy(\.connection.isSettled) && isEvenEverywhere) || generator.now > deadline }
    guard generator.now <= deadline, generator.losses.isEmpty else {
      throw LoadError("the households could not be prepared: \(generator.losses)")
    }
    _ = try countChores()
  }

  /// Asks each household for its statistics. Returns whether they have grown since the last time by what was done.
  func countChores() throws -> Bool {
    guard load.mix == .chores else { return true }
    for room in rooms {
      room.connections[0].call("chores.statistics", id: "count") { writer in
        writer.key("room")
        writer.string(room.connections[0].person.room)
        ChoreRound.writeDays(to: writer)
      }
    }
    let deadline = System.nanoseconds + 60_000_000_000
    generator.run { rooms.allSatisfy(\.connections[0].isSettled) || generator.now > deadline }
    guard generator.now <= deadline else { throw LoadError("the households do not count their chores") }
    return rooms.allSatisfy(\.countsChoresOnce)
  }

  func answered(_ connection: Connection, _ id: String, _ message: View) {
    guard id == "count" else { return }
    room(of: connection).choreSums.append(ChoreRound.sum(of: message[key: "result"]))
  }

  private var isEvenEverywhere: Bool {
    rooms.allSatisfy { room in Set(room.connections.map { $0.positions[0] }).count == 1 }
  }

  func start() {
    for room in rooms { room.begin() }
    record.tally = Tally()
    isSending = true
    let startedAt = System.nanoseconds
    pace = load.rate.map { Pace(from: startedAt, rate: $0) }
    guard pace == nil else { return }
    for caller in callers {
      for _ in 0..<load.inFlight { begin(caller, dueAt: startedAt) }
    }
  }

  func stop() { isSending = false }

  func drain(seconds: Double) {
    let end = System.nanoseconds + Int64(seconds * 1e9)
    generator.run { (unanswered == 0 && missingAtEnd == 0 && isEverybodyBack) || generator.now >= end }
  }

  /// Lost connections do not return.
  private var isEverybodyBack: Bool {
    !generator.isOpening && (!generator.losses.isEmpty || generator.connections.allSatisfy(\.isReady))
  }

  var unanswered: Int { callers.reduce(0) { $0 + ($1.connection.isOpen ? $1.inFlightCount : 0) } }
  var missingAtEnd: Int { rooms.reduce(0) { $0 + $1.missingCount } }
  /// Wrong contents received so far, and stale contents when all is quiet.
  var wrongCount: Int { rooms.reduce(0) { $0 + $1.content.wrongCount + $1.staleCount } }

  private func begin(_ caller: Caller, dueAt due: Int64) {
    guard caller.connection.isOpen else { return }
    if caller.call(dueAt: due, generator.writer) { record.tally.sent += 1 }
  }

  // MARK: scenario

  /// Objects of an earlier run already exist.
  func mayFail(_ id: String, _ error: View) -> Bool {
    id.hasPrefix("item") && error[key: "data"]?[key: "reason"]?.equals("exists") == true
  }

  /// A client that returns receives what it missed.
  func subscribed(_ connection: Connection, _ room: Int, _ result: View) {
    let (room, watcher) = placeOf[connection.number]
    room.inspect(result[key: "patch"] ?? result[key: "state"], by: watcher)
  }

  func turn(at now: Int64) -> Int64 {
    guard isSending else { return .max }
    while let number = pace?.count, let due = pace?.take(at: now) {
      begin(callers[number % callers.count], dueAt: due)
    }
    return pace?.due ?? .max
  }

  func received(_ message: View, _ connection: Connection) {
    guard let parameters = message[key: "params"] else { return takeAnswer(message, connection) }
    guard message[key: "method"]?.equals("room.patch") == true else { return }
    guard let from = parameters[key: "from"]?.int, let version = parameters[key: "version"]?.int else { return }
    let position = connection.positions[0]
    record.tally.patches += 1
    guard version > position else {
      record.tally.disorder += 1
      return
    }
    if from > position { record.tally.missing += from - position }
    // A merged patch may start before the client's version; repeated versions are counted and harmless.
    if from < position { record.tally.twice += position - from }
    record.tally.deliveries += version - position
    connection.positions[0] = version
    let (room, watcher) = placeOf[connection.number]
    room.delivered(
      position + 1...version, at: generator.arrivedAt, deliveries: &record.deliveryLatency,
      last: &record.lastDeliveryLatency)
    room.inspect(parameters[key: "patch"], by: watcher)
  }

  private func takeAnswer(_ message: View, _ connection: Connection) {
    guard let caller = callerOf[connection.number], let number = message[key: "id"]?.int else { return }
    let error = message[key: "error"]
    guard let startedAt = caller.answered(number, isRefused: error != nil, message[key: "result"]) else { return }
    record.tally.answers += 1
    record.answerLatency.record(generator.arrivedAt - startedAt)
    if let error {
      record.tally.refused += 1
      refusals[error[key: "data"]?[key: "reason"]?.string ?? "without a reason", default: 0] += 1
    } else if let version = message[key: "result"]?[key: "version"]?.int {
      caller.room.answered(
        version, startedAt: startedAt, deliveries: &record.deliveryLatency, last: &record.lastDeliveryLatency)
    }
    if let due = caller.popBacklog() {
      begin(caller, dueAt: due)
    } else if isSending, load.rate == nil {
      begin(caller, dueAt: generator.now)
    }
  }
}
