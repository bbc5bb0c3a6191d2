import ArgumentParser

struct RelayCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "relay",
    abstract: "The load of `household` on a bare relay of loadtest/peers, for comparison.",
    discussion: """
      Connections join /room/N with the handshake. The relay sends each message unchanged to all members of the room; \
      the copy to its sender is the answer. The figures have the same names as those of `household`. With --idle, \
      connections join rooms of --members and do nothing, as in `idle`.
      """)

  @OptionGroup var target: TargetOptions

  @Option(help: "The number of rooms.")
  var rooms = 500

  @Option(help: "The members of each room.")
  var members = 4

  @Option(help: "The number of members that send.")
  var callers = 1

  @Option(help: "The messages that a sender has in flight.")
  var inFlight = 1

  @Option(help: "Messages a second in all rooms; without it, the next follows an answer.")
  var rate: Double?

  @Option(help: "Bytes of each message.")
  var text = 200

  @Option(help: "Seconds to measure.")
  var seconds = 20.0

  @Option(help: "Seconds of warm-up.")
  var warmup = 3.0

  @Option(help: "Opens this number of idle connections instead.")
  var idle: Int?

  func validate() throws {
    guard rooms > 0, members > 0, 1...members ~= callers, inFlight > 0, rate.map({ $0 > 0 }) ?? true else {
      throw ValidationError("Check --rooms, --members (not fewer than --callers), --in-flight and --rate.")
    }
    guard 64...65_536 ~= text, seconds > 0, warmup >= 0, idle.map({ $0 > 0 }) ?? true else {
      throw ValidationError("Check --text (64 to 65536), --seconds, --warmup and --idle.")
    }
  }

  func run() throws {
    let generator = try Generator(target)
    if let idle { return try measureIdle(idle, generator) }
    let scenario = RelayScenario(self, generator)
    generator.scenario = scenario
    try generator.openAll()
    let figures = scenario.run(warmup: warmup, seconds: seconds, of: target.pid)

    var report = Report("relay")
    report.add(figures)
    report.add(
      figures.usage,
      per: [
        ("delivered message", "serverCPUPerDelivery", figures.tally.deliveries),
        ("message", "serverCPUPerChange", figures.tally.answers),
        // As in `receivers`: a message that returns to its sender counts as an answer.
        ("message delivered to others", "serverCPUPerReceiver", figures.tally.deliveries - figures.tally.answers),
      ])
    report.add("messages missing", "missing", Double(scenario.missingCount))
    report.add("messages twice", "twice", Double(scenario.twiceCount))
    report.add("messages out of order", "disorder", Double(scenario.disorderCount))
    report.add("messages wrong", "wrong", Double(scenario.strangeCount))
    report.add(losses: generator.losses)
    report.require(scenario.missingCount == 0, "\(scenario.missingCount) messages are missing.")
    report.require(scenario.twiceCount == 0, "\(scenario.twiceCount) messages came twice.")
    report.require(scenario.disorderCount == 0, "\(scenario.disorderCount) messages came after later ones.")
    report.require(scenario.strangeCount == 0, "\(scenario.strangeCount) messages are none that were sent.")
    report.require(generator.losses.isEmpty, "Connections were lost.")
    try report.publish(target)
  }

  private func measureIdle(_ count: Int, _ generator: Generator) throws {
    let scenario = IdleScenario(generator)
    generator.scenario = scenario
    func memory() -> Int64? { target.pid.flatMap { ServerFigures(of: $0)?.memory } }

    // Measures the server's fixed memory, without connections.
    scenario.closesWhenReady = true
    for number in 0..<100 { generator.add(RelayConnection(generator, room: number, scenario)) }
    try generator.openAll(atOnce: 8)
    let empty = memory()

    scenario.closesWhenReady = false
    for number in 0..<count { generator.add(RelayConnection(generator, room: number / members, scenario)) }
    let usage = Usage(of: target.pid)
    try generator.openAll()
    let opened = usage.sum
    let full = memory()

    var report = Report("relay")
    report.add("connections", "connections", Double(count))
    report.add("set up", "setups_per_s", Double(count) / (Double(opened.duration) / 1e9), "/s")
    if let empty, let full {
      report.add("  per connection", "memoryPerConnection_bytes", Double(full - empty) / Double(count), "bytes")
    }
    report.add(opened, per: [("connection set up", "serverCPUPerSetup", count)])
    report.add(losses: generator.losses)
    try report.publish(target)
  }
}
