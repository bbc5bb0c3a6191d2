import JSON

/// People that watch their own rooms and then, one after another, their households.
final class ColdScenario: Scenario {
  private let generator: Generator
  private let connections: [Connection]
  private var pace: Pace?
  /// By connection number: when watching the household was due.
  private var dueAt: [Int64] = []
  /// From the due time to the answer, so that a stall counts for all that were due during it.
  private(set) var latency = Histogram()

  init(_ generator: Generator, _ people: [Person]) {
    self.generator = generator
    connections = people.map { generator.add($0, rooms: ["me"]) }
  }

  /// Starts watching households at `moment`, at `rate` per second.
  func begin(at moment: Int64, rate: Double) { pace = Pace(from: moment, rate: rate) }

  /// Watches the households. Returns when all are answered or `patience` is over.
  func load(rate: Double, patience: Double) {
    let startedAt = System.nanoseconds
    begin(at: startedAt, rate: rate)
    let end = startedAt + Int64((Double(connections.count) / rate + patience) * 1e9)
    generator.run { latency.count == connections.count || !generator.losses.isEmpty || generator.now >= end }
  }

  func turn(at now: Int64) -> Int64 {
    while dueAt.count < connections.count, let due = pace?.take(at: now) {
      let connection = connections[dueAt.count]
      dueAt.append(due)
      connection.watch(connection.person.room)
    }
    return dueAt.count < connections.count ? pace?.due ?? .max : .max
  }

  func subscribed(_ connection: Connection, _ room: Int, _ result: View) {
    guard room == 1 else { return }
    latency.record(generator.now - dueAt[connection.number])
  }
}
