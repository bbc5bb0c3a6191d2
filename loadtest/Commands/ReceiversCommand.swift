import ArgumentParser

struct ReceiversCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "receivers",
    abstract: "Shared positions: one member of each household shares, and the others watch (LOC-5, LOC-7, SYN-6).",
    discussion: """
      All members watch their own room, the household and the share. Each sharer reports every --interval seconds, at \
      evenly spread times. With --saturate, the next report follows each answer. Every frame goes through a checker.

      The run fails if a member heard nothing of a room, or of a position or its age, for more than 60 s, or if a \
      frame was missing, out of order or wrong. Without --saturate, it also fails if positions took more than 250 ms \
      to their receivers at the 99th percentile.
      """)

  @OptionGroup var target: TargetOptions
  @OptionGroup var sample: SampleOptions

  @Option(help: "The number of shares, each in its own household.")
  var shares = 500

  @Option(help: "The receivers of each share, 1 to 31.")
  var receivers = 3

  @Option(help: "Seconds between two reports of a share.")
  var interval = 30.0

  @Flag(help: "Sends the next report after each answer.")
  var saturate = false

  @Option(help: "Other changes a second, in all households together.")
  var changes: Double?

  @Option(help: "Seconds to measure: more than 60, or no silence can be found.")
  var seconds = 120.0

  func validate() throws {
    guard shares > 0, 1...31 ~= receivers, interval > 0, seconds > 0, seconds <= 82_000,
      changes.map({ $0 > 0 }) ?? true
    else {
      throw ValidationError("Check --shares, --receivers (1 to 31), --interval, --changes and --seconds.")
    }
  }

  func run() throws {
    let households = try Person.households(Person.read(sample.people), count: shares, size: receivers + 1)
    let generator = try Generator(target)
    let scenario = ReceiversScenario(self, generator, households)
    generator.scenario = scenario
    try generator.openAll()
    try scenario.prepare()
    say("\(shares) positions are shared with \(receivers) people each: \(generator.readyCount) connections.")
    let usage = scenario.measure()

    var report = Report("receivers")
    let duration = Double(usage.duration) / 1e9
    let checker = scenario.checker
    report.add("connections", "connections", Double(generator.readyCount))
    report.add("reports", "reports_per_s", Double(scenario.reports) / duration, digits: 1, "/s")
    report.add("positions delivered", "deliveries_per_s", Double(scenario.deliveries) / duration, digits: 1, "/s")
    report.add("  reports covered", "covered_per_s", Double(scenario.covered) / duration, digits: 1, "/s")
    report.add("other changes", "changes_per_s", Double(scenario.changes) / duration, digits: 1, "/s")
    report.add("delivery after", "delivery", latency: scenario.latency)
    report.add("silence of a room", "gap", latency: checker.gaps)
    report.add("  of a position", "positionGap", latency: checker.positionGaps)
    report.add("age as seen", "age", latency: checker.ages)
    report.add("frames that speak of a room", "frames", Double(checker.gaps.count))
    report.add(usage, per: [("delivered position", "serverCPUPerDelivery", scenario.deliveries)])
    report.add("silences above 60 s", "late", Double(checker.lateCount))
    report.add("  of a position", "latePositions", Double(checker.latePositionCount))
    report.add("versions missing", "missing", Double(checker.missingCount))
    report.add("versions twice", "twice", Double(checker.twiceCount))
    report.add("out of order", "disorder", Double(checker.disorderCount))
    report.add("ticks wrong", "wrong", Double(checker.wrongCount))
    for (reason, count) in scenario.refusals { report.remark("\(count) calls were refused: \(reason).") }
    if seconds <= 60 { report.remark("In \(Report.text(seconds)) s no silence of more than 60 s can be found.") }
    report.add(losses: generator.losses)
    judge(scenario, &report)
    report.require(generator.losses.isEmpty, "Connections were lost.")
    try report.publish(target)
  }

  private func judge(_ scenario: ReceiversScenario, _ report: inout Report) {
    let checker = scenario.checker
    let p99 = Double(scenario.latency.percentile(0.99)) / 1e6
    report.require(checker.lateCount == 0, "SYN-6: \(checker.lateCount) times nothing was heard of a room for 60 s.")
    report.require(
      checker.latePositionCount == 0,
      "LOC-7: \(checker.latePositionCount) times nothing was heard of a position for 60 s.")
    report.require(checker.missingCount == 0, "SYN-1: \(checker.missingCount) versions are missing.")
    report.require(checker.disorderCount == 0, "SYN-5: \(checker.disorderCount) frames came after later ones.")
    report.require(checker.wrongCount == 0, "SYN-6: \(checker.wrongCount) ticks were wrong.")
    report.require(scenario.strangeCount == 0, "\(scenario.strangeCount) positions are none that were reported.")
    report.require(scenario.deliveries > 0, "LOC-5: no position has come.")
    report.require(
      saturate || p99 <= 250, "LOC-5: p99 from report to receivers is \(Report.text(p99)) ms, above 250 ms.")
  }
}
