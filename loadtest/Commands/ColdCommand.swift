import ArgumentParser

struct ColdCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "cold",
    abstract: "A cold server: the time of its start, and the cost of loading households.",
    discussion: """
      The command kills the server (--pid). Another program must restart it and write its process id to --pid-file. \
      Then one member of each household connects and watches their own room. When all do, one after another watches \
      the household, which is not in memory yet. The growth of the server meanwhile counts for the households.
      """)

  @OptionGroup var target: TargetOptions
  @OptionGroup var sample: SampleOptions
  @OptionGroup var restart: RestartOptions
  @OptionGroup var calm: CalmOptions

  @Option(help: "The number of households, spread evenly over the file.")
  var rooms = 2000

  @Option(help: "Households a second.")
  var rate = 200.0

  @Option(help: "Seconds after which a server that does not listen or answer counts as lost.")
  var patience = 60.0

  func validate() throws {
    guard rooms > 0, rate > 0, patience > 0 else { throw ValidationError("All numbers must be above 0.") }
    guard target.pid != nil, restart.pidFile != nil else { throw ValidationError("This takes --pid and --pid-file.") }
  }

  func run() throws {
    let people = try Person.oneOfEach(Person.read(sample.people), count: rooms)
    let generator = try Generator(target)
    let (server, startUp) = try startAgain()
    let scenario = ColdScenario(generator, people)
    generator.scenario = scenario
    try generator.openAll(atOnce: 8)
    say("\(generator.readyCount) connections are ready.")
    calm.keep(generator)
    let before = ServerFigures(of: server)
    let bytes = generator.receivedByteCount
    let usage = Usage(of: server)
    scenario.load(rate: rate, patience: patience)
    let sum = usage.sum
    calm.keep(generator)
    let after = ServerFigures(of: server)

    var report = Report("cold")
    report.add("start to listening", "startUp_s", Double(startUp) / 1e9, digits: 2, "s")
    report.add("households loaded", "rooms", Double(scenario.latency.count))
    report.add("answer to subscribing after", "subscribe", latency: scenario.latency)
    report.add("  received for each", "receivedPerRoom_bytes", perRoom(generator.receivedByteCount - bytes), "bytes")
    if let before, let after {
      report.add("memory per household", "memoryPerRoom_bytes", perRoom(Int(after.memory - before.memory)), "bytes")
    }
    report.add(sum, per: [("household", "serverCPUPerRoom", rooms)])
    report.add(losses: generator.losses)
    report.require(generator.losses.isEmpty, "Connections were lost.")
    report.require(
      scenario.latency.count == rooms, "\(rooms - Int(scenario.latency.count)) households were not answered.")
    try report.publish(target)
  }

  private func perRoom(_ bytes: Int) -> Double { Double(bytes) / Double(rooms) }

  /// Kills the server and waits for its successor. Returns the new process and its start-up time in nanoseconds.
  private func startAgain() throws -> (server: Int32, startUp: Int64) {
    guard let old = target.pid else { throw LoadError("nobody knows the server's process") }
    try System.end(old, atOnce: true)
    let deadline = System.nanoseconds + Int64(patience * 1e9)
    while System.nanoseconds < deadline {
      if let server = restart.pid, server != old,
        let connection = try? System.connect(to: target.host, port: target.port, waits: true)
      {
        let now = System.nanosecondsSinceBoot
        System.close(connection)
        guard let figures = ServerFigures(of: server) else { throw LoadError("the server has ended again") }
        return (server, now - figures.startedAt)
      }
      System.pause()
    }
    throw LoadError("no server has listened within \(Report.text(patience)) s")
  }
}
