import Crypto
import JSON

/// Connections that all drop at once and reconnect.
final class ReconnectScenario: Scenario {
  /// A household with its caller, its watchers, and its expected content.
  private final class Household {
    var connections: [Connection] = []
    let item: String
    /// The text that the last answered change wrote, and its version.
    var text = ""
    var version = 0
    /// The text that each watcher has seen, by its index.
    var seen: [String] = []

    init(_ household: String) { item = uuid(SHA256.hash(Array("reconnect \(household)".utf8))) }

    var caller: Connection { connections[0] }
  }

  private let options: ReconnectCommand
  private let generator: Generator
  private var households: [Household] = []
  private var connections: [Connection] = []
  /// By connection number.
  private var placeOf: [(household: Household, index: Int)] = []

  /// The number of refusals of each connection since it dropped, and the start of its last attempt.
  private var refusedBy: [Int]
  private var triedAt: [Int64]
  /// Connections that reconnect in a slot of ten milliseconds.
  private var waiting: [Int64: [Connection]] = [:]
  private var doneSlot: Int64 = 0
  private static let slot: Int64 = 10_000_000

  private var isDropped = false
  private(set) var droppedAt: Int64 = 0
  private(set) var lastResumedAt: Int64 = 0
  private(set) var resumed = Histogram()
  private(set) var setUp = Histogram()
  private(set) var patchCount = 0
  private(set) var stateCount = 0
  private(set) var refusedCount = 0
  private(set) var refusals: [String: Int] = [:]
  private(set) var receivedByteCount = 0
  private(set) var backwardCount = 0
  private var gapCount = 0
  private var backCount = 0
  /// The versions of each connection when it last started to reconnect.
  private var versionsBefore: [[Int]] = []

  init(_ options: ReconnectCommand, _ generator: Generator, _ people: [Person]) {
    self.options = options
    self.generator = generator
    refusedBy = Array(repeating: 0, count: people.count)
    triedAt = Array(repeating: 0, count: people.count)
    var byID: [String: Household] = [:]
    for person in people {
      let household = byID[person.household] ?? Household(person.household)
      if household.connections.isEmpty {
        byID[person.household] = household
        households.append(household)
      }
      let connection = generator.add(person, rooms: ["me", person.room])
      placeOf.append((household, household.connections.count))
      household.connections.append(connection)
      connections.append(connection)
      household.seen.append("")
    }
  }

  // MARK: the run

  /// Creates the objects to change, then changes them while all but one connection of each household read nothing.
  func prepare() throws {
    for household in households {
      call("groceries.add", household, id: "item") { writer in
        writer.key("name")
        writer.string("Reconnect")
      }
    }
    try settle("the items could not be made") { household in
      household.connections.allSatisfy { $0.positions[1] == household.caller.positions[1] }
    }
    for household in households {
      for connection in household.connections.dropFirst() { connection.setReading(false) }
    }
    for number in 1...options.changes { for household in households { change(household, "missed\(number)") } }
    try settle("the households could not be changed") { _ in true }
  }

  private func settle(_ failure: String, _ isEven: (Household) -> Bool) throws {
    let deadline = System.nanoseconds + 60_000_000_000
    generator.run {
      households.allSatisfy { $0.caller.isSettled && isEven($0) } || generator.now > deadline
        || !generator.losses.isEmpty
    }
    guard generator.now <= deadline, generator.losses.isEmpty else {
      throw LoadError("\(failure): \(generator.losses)")
    }
  }

  private func change(_ household: Household, _ name: String) {
    call("groceries.edit", household, id: "edit \(name)") { writer in
      writer.key("note")
      writer.string("\(name) \(droppedAt)")
    }
  }

  private func call(
    _ method: StaticString, _ household: Household, id: String, _ parameters: (Writer) -> Void
  ) {
    household.caller.call(method, id: id) { writer in
      writer.key("room")
      writer.string(household.caller.person.room)
      writer.key("id")
      writer.string(household.item)
      parameters(writer)
    }
  }

  /// Drops all connections. Returns when all are back or the time limit has passed.
  func drop() throws {
    versionsBefore = connections.map(\.positions)
    generator.setOpeningLimit(options.atOnce ?? .max)
    let bytes = generator.receivedByteCount
    droppedAt = System.nanoseconds
    doneSlot = droppedAt / Self.slot
    isDropped = true
    if options.restartServer, let process = options.target.pid {
      // A connection that reads nothing would not notice the drop.
      for connection in connections { connection.setReading(true) }
      try System.end(process, atOnce: true)
    } else {
      for connection in connections {
        generator.close(connection)
        let share = Double(connection.number) / Double(connections.count)
        comeBack(connection, at: droppedAt + Int64(options.spread * 1e9 * share))
      }
    }
    let end = droppedAt + Int64(options.patience * 1e9)
    var line = ProgressLine()
    generator.run {
      if line.due(at: generator.now) != nil {
        line.say(
          "\(backCount) of \(connections.count) are back, \(refusedCount) refused, "
            + "p99 so far \(Report.text(Double(resumed.percentile(0.99)) / 1e6)) ms")
      }
      return backCount == connections.count || generator.now >= end
    }
    receivedByteCount = generator.receivedByteCount - bytes
  }

  /// Checks that one more change in each household reaches all connections.
  func confirm() {
    for household in households where household.caller.isReady { change(household, "after") }
    let end = System.nanoseconds + 20_000_000_000
    generator.run { (missingCount == 0 && wrongCount == 0) || generator.now >= end }
  }

  var absentCount: Int { connections.count { !$0.isReady } }

  /// Versions known from answers that some connection lacks, and gaps between patches.
  var missingCount: Int {
    households.reduce(gapCount) { sum, household in
      household.connections.reduce(sum) { $0 + ($1.isReady ? max(0, household.version - $1.positions[1]) : 0) }
    }
  }

  /// Connections whose text differs from that of the last answered change.
  var wrongCount: Int {
    households.reduce(0) { sum, household in
      sum
        + household.connections.indices.count {
          household.connections[$0].isReady && household.seen[$0] != household.text
        }
    }
  }

  // MARK: coming back

  private func comeBack(_ connection: Connection, at moment: Int64) {
    waiting[max(moment / Self.slot, doneSlot + 1), default: []].append(connection)
  }

  func turn(at now: Int64) -> Int64 {
    while doneSlot < now / Self.slot {
      doneSlot += 1
      for connection in waiting.removeValue(forKey: doneSlot) ?? [] {
        versionsBefore[connection.number] = connection.positions
        triedAt[connection.number] = now
        generator.reopen(connection)
      }
      if waiting.isEmpty { doneSlot = now / Self.slot }
    }
    return waiting.isEmpty ? .max : (doneSlot + 1) * Self.slot
  }

  func lost(_ connection: Connection, _ reason: String) -> Bool {
    guard isDropped else { return false }
    // The first attempt follows the restart at once; then delays grow and are spread randomly.
    let isFirst = triedAt[connection.number] == 0
    if !isFirst {
      refusedBy[connection.number] += 1
      refusedCount += 1
      refusals[reason, default: 0] += 1
    }
    let longest = min(5_000_000_000, 100_000_000 << min(refusedBy[connection.number], 10))
    comeBack(connection, at: generator.now + (isFirst ? 0 : Int64.random(in: 0...Int64(longest))))
    return true
  }

  func ready(_ connection: Connection) {
    guard isDropped else { return }
    backCount += 1
    lastResumedAt = generator.now
    resumed.record(generator.now - droppedAt)
    setUp.record(generator.now - triedAt[connection.number])
  }

  func subscribed(_ connection: Connection, _ room: Int, _ result: View) {
    guard isDropped else { return }
    if result[key: "state"] != nil { stateCount += 1 } else { patchCount += 1 }
    let before = versionsBefore[connection.number][room]
    if connection.positions[room] < before { backwardCount += 1 }
    if let from = result[key: "from"]?.int { gapCount += max(0, from - before) }
    if room == 1 { inspect(result[key: "patch"] ?? result[key: "state"], connection) }
  }

  // MARK: changes

  func mayFail(_ id: String, _ error: View) -> Bool {
    id == "item" && error[key: "data"]?[key: "reason"]?.equals("exists") == true
  }

  func answered(_ connection: Connection, _ id: String, _ message: View) {
    guard id.hasPrefix("edit "), let version = message[key: "result"]?[key: "version"]?.int else { return }
    let household = placeOf[connection.number].household
    household.version = max(household.version, version)
    household.text = "\(id.dropFirst(5)) \(droppedAt)"
  }

  func received(_ message: View, _ connection: Connection) {
    guard let parameters = message[key: "params"], message[key: "method"]?.equals("room.patch") == true,
      let room = connection.index(of: parameters[key: "room"]), let from = parameters[key: "from"]?.int,
      let version = parameters[key: "version"]?.int, version > connection.positions[room]
    else { return }
    gapCount += max(0, from - connection.positions[room])
    connection.positions[room] = version
    if room == 1 { inspect(parameters[key: "patch"], connection) }
  }

  private func inspect(_ patch: View?, _ connection: Connection) {
    let (household, index) = placeOf[connection.number]
    let source = patch?[key: "groceries"]?[key: household.item]?[key: "sources"]?[key: household.item]
    if let text = source?[key: "note"]?.string { household.seen[index] = text }
  }
}
