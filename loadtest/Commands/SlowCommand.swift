import ArgumentParser
import JSON

struct SlowCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "slow",
    abstract: "Connections that read nothing, and their cost to the server and to others (SYN-7).",
    discussion: """
      First all connections read; then the slow ones stop. Both times, the same changes are made. In the end, the slow \
      ones read again, or come back if the server has closed them, and must miss no change.
      """)

  @OptionGroup var target: TargetOptions
  @OptionGroup var sample: SampleOptions

  @Option(help: "The number of households.")
  var rooms = 50

  @Option(help: "The connected members of each household.")
  var members = 4

  @Option(help: "The connections that read nothing; callers are never among them.")
  var slow = 50

  @OptionGroup var load: HouseholdLoad

  @Option(help: "Seconds to measure, without the slow connections and again with them.")
  var seconds = 40.0

  @Option(help: "Seconds of warm-up.")
  var warmup = 3.0

  func validate() throws {
    guard rooms > 0, load.callers <= members, seconds > 0, warmup >= 0, slow > 0,
      slow <= rooms * (members - load.callers)
    else {
      throw ValidationError("Check --rooms, --members, --callers, --seconds and --slow: callers are never slow.")
    }
  }

  func run() throws {
    let households = try Person.households(Person.read(sample.people), count: rooms, size: members)
    let generator = try Generator(target)
    var load = load
    // Closed loops would measure how the generator shares its time.
    load.rate = load.rate ?? 500
    let perRoom = (slow + rooms - 1) / rooms
    var lazy: [Connection] = []
    let scenario = HouseholdScenario(load, generator, households) { connection, index in
      guard index >= members - perRoom, lazy.count < slow else { return }
      // The kernel's buffer would otherwise hide for long that the connection reads nothing.
      connection.receiveBufferBytes = 4096
      lazy.append(connection)
    }
    let returning = ReturningScenario(scenario, generator)
    generator.scenario = returning
    try generator.openAll()
    try scenario.prepare()
    say("\(generator.readyCount) connections are ready; \(lazy.count) of them will stop reading.")
    scenario.start()
    _ = scenario.window(seconds: warmup, of: target.pid, "warm-up")
    let before = scenario.window(seconds: seconds, of: target.pid, "all read")
    returning.readsNothing = true
    for connection in lazy { connection.setReading(false) }
    let with = scenario.window(seconds: seconds, of: target.pid, "some do not")
    scenario.stop()
    let behind = lazy.reduce(0) { $0 + scenario.room(of: $1).answeredVersion - $1.positions[0] }
    returning.readsNothing = false
    for connection in lazy { connection.setReading(true) }
    scenario.drain(seconds: 30)

    var report = Report("slow")
    report.add("slow connections", "slow", Double(lazy.count))
    report.add("deliveries, all read", "deliveriesBefore_per_s", Self.rate(before), "/s")
    report.add("  some do not", "deliveriesWith_per_s", Self.rate(with), "/s")
    report.add("delivery after, all read", "deliveryBefore", latency: before.deliveryLatency)
    report.add("  to those that read", "deliveryWith", latency: with.deliveryLatency)
    if let memory = before.usage.server?.memory, let later = with.usage.server?.memory {
      report.add("server's memory, all read", "memoryBefore_MB", Double(memory) / 1e6, digits: 1, "MB")
      report.add("  some do not", "memoryWith_MB", Double(later) / 1e6, digits: 1, "MB")
      report.add(
        "  per slow connection", "memoryPerSlow_bytes", Double(later - memory) / Double(lazy.count), "bytes")
      report.require(
        later - memory <= lazy.count * Self.memoryLimit + Self.memorySlack,
        "A slow connection takes more than \(Self.memoryLimit) bytes.")
    }
    report.add("versions behind, each", "behind", Double(behind) / Double(lazy.count), digits: 1)
    report.add("came back after a close", "returned", Double(returning.count))
    report.add(with.usage, per: [])
    report.add(scenario)
    report.add(losses: generator.losses)
    if behind == 0 { report.remark("The slow connections were not behind: raise --rate, --text or --seconds.") }
    report.require(generator.losses.isEmpty, "Connections were lost.")
    try report.publish(target)
  }

  /// The server's memory for a slow connection (RELIABILITY E1), and for other things meanwhile, in bytes.
  private static let memoryLimit = 64 * 1024
  private static let memorySlack = 16 << 20

  private static func rate(_ figures: LoadFigures) -> Double {
    Double(figures.tally.deliveries) / (Double(figures.usage.duration) / 1e9)
  }
}

/// The load with connections that return after the server has closed them.
private final class ReturningScenario: Scenario {
  private let load: HouseholdScenario
  private let generator: Generator
  private var lost: [Connection] = []
  private(set) var count = 0
  /// Whether a returning connection stops reading again.
  var readsNothing = false

  init(_ load: HouseholdScenario, _ generator: Generator) {
    self.load = load
    self.generator = generator
  }

  func ready(_ connection: Connection) {
    if readsNothing, connection.receiveBufferBytes != nil { connection.setReading(false) }
  }

  func lost(_ connection: Connection, _ reason: String) -> Bool {
    guard connection.receiveBufferBytes != nil else { return false }
    count += 1
    lost.append(connection)
    return true
  }

  func turn(at now: Int64) -> Int64 {
    for connection in lost { generator.reopen(connection) }
    lost = []
    return load.turn(at: now)
  }

  func subscribed(_ connection: Connection, _ room: Int, _ result: View) { load.subscribed(connection, room, result) }
  func received(_ message: View, _ connection: Connection) { load.received(message, connection) }
  func mayFail(_ id: String, _ error: View) -> Bool { load.mayFail(id, error) }
}
