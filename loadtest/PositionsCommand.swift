import ArgumentParser

struct PositionsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "positions",
    abstract: "Shared positions: one member of each household shares his, the others watch.",
    discussion: """
      Each sharer reports every --interval seconds, all of them spread evenly; with --saturate the next report follows \
      each answer. A gap is the time between two positions of a share at a receiver; an age is how old a position has \
      become when the next one takes its place.
      """)

  @OptionGroup var target: TargetOptions

  @Option(help: "How many shares, each in a household of its own.")
  var shares = 500

  @Option(help: "How many receivers each has, 1 to 31.")
  var receivers = 3

  @Option(help: "Seconds between two reports of a share.")
  var interval = 30.0

  @Flag(help: "Reports as often as the server answers.")
  var saturate = false

  @Option(help: "Seconds that are measured.")
  var seconds = 90.0

  func validate() throws {
    guard shares > 0, 1...31 ~= receivers, interval > 0, seconds > 0 else {
      throw ValidationError("Check --shares, --receivers, --interval and --seconds.")
    }
  }

  func run() throws {
    let households = try Person.households(Person.read(target.people), count: shares, size: receivers + 1)
    let generator = try Generator(target)
    let scenario = PositionsScenario(self, generator, households)
    generator.scenario = scenario
    try generator.openAll()
    try scenario.prepare()
    say("\(shares) positions are shared with \(receivers) people each.")
    let usage = scenario.measure()

    var report = Report("positions")
    let duration = Double(usage.duration) / 1e9
    report.add("reports", "reports_per_s", Double(scenario.reports) / duration, digits: 1, "/s")
    report.add("positions delivered", "deliveries_per_s", Double(scenario.deliveries) / duration, digits: 1, "/s")
    report.add("  reports covered", "covered_per_s", Double(scenario.covered) / duration, digits: 1, "/s")
    report.add("delivery after", "delivery", latency: scenario.latency)
    report.add("gap", "gap", latency: scenario.gaps)
    report.add("age when replaced", "age", latency: scenario.ages)
    report.add(usage, per: [("delivered position", "serverCPUPerDelivery", scenario.deliveries)])
    report.add("positions out of order", "disorder", Double(scenario.disorder))
    for (reason, count) in scenario.refusals { report.remark("\(count) reports were refused: \(reason).") }
    report.add(losses: generator.losses)
    try report.publish(target)
  }
}
