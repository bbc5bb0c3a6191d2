import ArgumentParser
import JSON

struct IdleCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "idle",
    abstract: "Connections that watch and do nothing: the memory of each on the server.",
    discussion: """
      First every person connects once, a few at a time, so that all rooms are in memory. That growth counts for the \
      rooms. Then the connections are opened and held. Raise the limit of descriptors on both sides (ulimit -n).
      """)

  @OptionGroup var target: TargetOptions
  @OptionGroup var sample: SampleOptions
  @OptionGroup var calm: CalmOptions

  @Option(help: "The number of connections. People are used in turn, and each connection has its own client id.")
  var connections = 10_000

  @Option(help: "The connections that are set up at once.")
  var opening = 100

  @Option(help: "Seconds to hold all connections.")
  var hold = 30.0

  func validate() throws {
    guard connections > 0, opening > 0, hold > 0 else { throw ValidationError("All numbers must be above 0.") }
  }

  func run() throws {
    let people = try Array(Person.read(sample.people).prefix(connections))
    guard !people.isEmpty else { throw ValidationError("\(sample.people) is empty.") }
    let generator = try Generator(target)
    let scenario = IdleScenario(generator)
    generator.scenario = scenario
    let empty = memory

    scenario.closesWhenReady = true
    for person in people { _ = generator.add(person, rooms: Self.rooms(of: person)) }
    try generator.openAll(atOnce: 8)
    calm.keep(generator)
    let loaded = memory
    let roomCount = people.count + Set(people.map(\.household)).count

    scenario.closesWhenReady = false
    for index in 0..<connections {
      let person = people[index % people.count]
      _ = generator.add(person, rooms: Self.rooms(of: person))
    }
    let handshakes = Usage(of: target.pid)
    try generator.openAll(atOnce: opening)
    let opened = handshakes.sum
    say("\(generator.readyCount) connections are open.")
    calm.keep(generator)
    let opening = memory

    let idle = Usage(of: target.pid)
    let end = System.nanoseconds + Int64(hold * 1e9)
    generator.run { generator.now >= end }
    let held = memory

    var report = Report("idle")
    report.add("connections", "connections", Double(connections))
    report.add(
      "set up", "setups_per_s", Double(connections) / (Double(opened.duration) / 1e9), "/s, hello and 2 rooms each")
    if let time = opened.serverTime, let share = opened.serverShare {
      report.add("  server, per connection", "serverCPUPerSetup_us", Double(time) / 1e3 / Double(connections), "µs")
      report.add("  server, processor", "setupServerCPU_percent", 100 * share, digits: 1, "%")
    }
    report.add("  generator, processor", "setupGeneratorCPU_percent", 100 * opened.ownShare, digits: 1, "%")
    if let empty, let loaded, let opening, let held {
      report.add("server, before", "serverMemoryBefore_MB", Double(empty) / 1e6, digits: 1, "MB")
      report.add(
        "  per room", "memoryPerRoom_bytes", Double(loaded - empty) / Double(roomCount),
        "bytes, \(roomCount) rooms (a server that has them in memory already shows 0)")
      report.add(
        "  per connection", "memoryPerConnection_bytes", Double(opening - loaded) / Double(connections), "bytes")
      report.add(
        "  the same after holding", "memoryPerConnectionHeld_bytes", Double(held - loaded) / Double(connections),
        "bytes")
    }
    report.add(idle.sum, per: [])
    report.add(losses: generator.losses)
    try report.publish(target)
  }

  private var memory: Int64? { target.pid.flatMap { ServerFigures(of: $0)?.memory } }
  private static func rooms(of person: Person) -> [String] { ["me", person.room] }
}

final class IdleScenario: Scenario, RelayListener {
  private let generator: Generator
  var closesWhenReady = false

  init(_ generator: Generator) { self.generator = generator }

  func ready(_ connection: Connection) {
    if closesWhenReady { generator.close(connection) }
  }

  func ready(_ connection: RelayConnection) {
    if closesWhenReady { generator.close(connection) }
  }

  func received(_ text: Span<UInt8>, _ connection: RelayConnection) {}
}
