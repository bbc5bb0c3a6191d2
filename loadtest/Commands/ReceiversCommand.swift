import ArgumentParser

struct ReceiversCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "receivers",
    abstract: "Shared positions: one member of each household shares, and the others watch (LOC-5, LOC-7, SYN-6).",
    discussion: """
      All members watch their own room, the household and the share. Each sharer reports every --interval seconds, at \
      evenly spread times. With --saturate, the next report follows each answer. Every frame goes through a checker.

      Receivers may be slow, come and go, and live through a crash: --slow-readers, --reconnects-per-second and \
      --restart-at. A connection counts as long as it is there, from the answer to each of its subscriptions; what a \
      slow reader has not read yet, it has not heard.

      The run fails if a connected member heard nothing of a room, or of a position or its age, for more than --limit \
      seconds, or if a frame was missing, out of order or wrong, or if a member has not come back. Without --saturate \
      and --restart-at, it also fails if positions took more than 250 ms to their receivers at the 99th percentile.
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

  @Option(help: "The shares whose phones report only every tenth time, so that their receivers live on the age.")
  var quiet = 0

  @Option(help: "Characters of each written text.")
  var text = 100

  @Option(help: "The receivers that read only now and then. Every other change is in their few households.")
  var slowReaders = 0

  @Option(help: "Seconds in which a slow reader reads nothing; at least the server's --heartbeat below --limit.")
  var slowPause = 20.0

  @Option(help: "The receivers that drop in a second, and come back with the versions that they have.")
  var reconnectsPerSecond: Double?

  @Option(help: "The longest time in seconds that a receiver that has dropped stays away.")
  var away = 5.0

  @Option(help: "Seconds after which the server (--pid) is killed. Another program must restart it.")
  var restartAt: Double?

  @OptionGroup var restart: RestartOptions

  @Option(help: "Seconds at the end until the last receiver must be back.")
  var patience = 120.0

  @Option(help: "The longest silence allowed, in seconds. If the server has a shorter --heartbeat, it may be less.")
  var limit = 60.0

  @Option(help: "Seconds to measure: more than --limit, or no silence can be found.")
  var seconds = 120.0

  func validate() throws {
    guard shares > 0, 1...31 ~= receivers, interval > 0, seconds > 0, seconds <= 82_000, limit > 0,
      changes.map({ $0 > 0 }) ?? true
    else {
      throw ValidationError("Check --shares, --receivers (1 to 31), --interval, --changes, --limit and --seconds.")
    }
    guard 0...shares ~= quiet, 0..<shares * receivers ~= slowReaders, slowPause > 0, slowPause < limit, away >= 0,
      16...400 ~= text, reconnectsPerSecond.map({ $0 > 0 }) ?? true, patience > 0
    else {
      throw ValidationError(
        """
        Check --text (16 to 400), --quiet, --slow-readers, --slow-pause (below --limit), --reconnects-per-second, \
        --away and --patience.
        """)
    }
    guard let restartAt else { return }
    guard restartAt > 0, restartAt < seconds, target.pid != nil else {
      throw ValidationError("--restart-at must be within the run, and needs --pid.")
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
    report.add("connections", "connections", Double(shares * (receivers + 1)))
    report.add("reports", "reports_per_s", Double(scenario.reports) / duration, digits: 1, "/s")
    report.add("positions delivered", "deliveries_per_s", Double(scenario.deliveries) / duration, digits: 1, "/s")
    report.add("  reports covered", "covered_per_s", Double(scenario.covered) / duration, digits: 1, "/s")
    report.add("other changes", "changes_per_s", Double(scenario.changes) / duration, digits: 1, "/s")
    report.add("delivery after", "delivery", latency: scenario.latency)
    report.add("frames that speak of a room", "frames", Double(checker.gaps.count))
    report.add(usage, per: [("delivered position", "serverCPUPerDelivery", scenario.deliveries)])
    let turnover = scenario.turnover
    report.add("dropped and came back", "drops", Double(turnover.dropCount))
    report.add("  refused, tried again", "refused", Double(turnover.refusedCount))
    report.add("slow readers closed by the server", "closed", Double(turnover.closedCount))
    report.add("patches that had to be merged", "merged", Double(scenario.mergedCount))
    if let killedAt = turnover.killedAt, turnover.allBackAt > 0 {
      report.add("all back after the kill", "last_s", Double(turnover.allBackAt - killedAt) / 1e9, digits: 2, "s")
    }
    report.add("not back", "absent", Double(turnover.awayCount))
    report.add("silences above \(Report.text(limit, digits: 1)) s", "late", Double(checker.lateCount))
    report.add("  of a position", "latePositions", Double(checker.latePositionCount))
    report.add("versions missing", "missing", Double(checker.missingCount))
    report.add("versions twice", "twice", Double(checker.twiceCount))
    report.add("out of order", "disorder", Double(checker.disorderCount))
    report.add("ticks wrong", "wrong", Double(checker.wrongCount))
    report.add("rooms at an earlier version", "forgotten", Double(checker.forgottenCount))
    report.add(
      table: "seconds",
      [
        ("between two hearings of a position", "positionGap", checker.positionGaps),
        ("between two hearings of a room", "gap", checker.gaps),
        ("age of a position when heard", "toldAge", checker.toldAges),
        ("age of a position as seen each second", "age", checker.ages),
        ("until back", "back", turnover.back),
      ])
    for (reason, count) in scenario.refusals { report.remark("\(count) calls were refused: \(reason).") }
    if slowReaders > 0, changes != nil, scenario.mergedCount == 0 {
      report.remark("The slow readers were not behind: raise --changes, --text or --slow-pause.")
    }
    if seconds <= limit {
      report.remark("In \(Report.text(seconds)) s no silence of more than \(limit) s can be found.")
    }
    report.add(losses: generator.losses)
    judge(scenario, &report)
    report.require(generator.losses.isEmpty, "Connections were lost.")
    try report.publish(target)
  }

  private func judge(_ scenario: ReceiversScenario, _ report: inout Report) {
    let checker = scenario.checker
    let p99 = Double(scenario.latency.percentile(0.99)) / 1e6
    report.require(
      checker.lateCount == 0, "SYN-6: \(checker.lateCount) times nothing was heard of a room for \(limit) s.")
    report.require(
      checker.latePositionCount == 0,
      "LOC-7: \(checker.latePositionCount) times nothing was heard of a position or its age for \(limit) s.")
    report.require(checker.missingCount == 0, "SYN-1: \(checker.missingCount) versions are missing.")
    report.require(checker.disorderCount == 0, "SYN-5: \(checker.disorderCount) frames came after later ones.")
    report.require(checker.wrongCount == 0, "SYN-6: \(checker.wrongCount) ticks were wrong.")
    report.require(scenario.strangeCount == 0, "\(scenario.strangeCount) positions are none that were reported.")
    report.require(scenario.deliveries > 0, "LOC-5: no position has come.")
    report.require(checker.forgottenCount == 0, "SYN-4: \(checker.forgottenCount) rooms have forgotten a version.")
    let turnover = scenario.turnover
    report.require(turnover.awayCount == 0, "SYN-2: \(turnover.awayCount) connections did not come back.")
    report.require(turnover.failure == nil, "The server could not be killed: \(turnover.failure ?? "").")
    report.require(
      saturate || restartAt != nil || p99 <= 250,
      "LOC-5: p99 from report to receivers is \(Report.text(p99)) ms, above 250 ms.")
  }
}
