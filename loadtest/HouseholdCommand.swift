import ArgumentParser

/// What the callers of a household do again and again.
enum Mix: String, ExpressibleByArgument, CaseIterable {
  /// Each call writes another remark on an item of the shopping list: nobody is notified.
  case edit
  /// Each call ticks an item off, or on again.
  case check
  /// Notes are added and removed by turns; each new one notifies all others in their own rooms.
  case notes
}

struct HouseholdCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "household",
    abstract: "Changes in households whose members all watch them.",
    discussion: """
      Without --rate as many changes as the server answers: each caller keeps its calls in flight. With --rate changes \
      are sent by the clock, whatever the server does, and their latency counts from the moment they were due.
      """)

  @OptionGroup var target: TargetOptions

  @Option(help: "How many households.")
  var rooms = 500

  @Option(help: "How many connected members in each.")
  var members = 4

  @Option(help: "How many of the members call.")
  var callers = 1

  @Option(help: "How many calls a caller may have in flight, 1 to 64.")
  var inFlight = 1

  @Option(help: "Changes a second in all, by the clock; without it, as many as are answered.")
  var rate: Double?

  @Option(help: "What changes: \(Mix.allCases.map(\.rawValue).joined(separator: ", ")).")
  var mix = Mix.edit

  @Option(help: "Characters of each text that is written.")
  var text = 100

  @Option(help: "Seconds that are measured.")
  var seconds = 20.0

  @Option(help: "Seconds before them.")
  var warmup = 3.0

  func validate() throws {
    guard rooms > 0, members > 0, 1...members ~= callers, 1...64 ~= inFlight, 16...400 ~= text, seconds > 0,
      rate.map({ $0 > 0 }) ?? true
    else { throw ValidationError("Check --rooms, --members, --callers, --in-flight, --text, --rate and --seconds.") }
  }

  func run() throws {
    let households = try Person.households(Person.read(target.people), count: rooms, size: members)
    let generator = try Generator(target)
    let scenario = HouseholdScenario(self, generator, households)
    generator.scenario = scenario
    try generator.openAll()
    try scenario.prepare()
    say("\(generator.readyCount) connections are ready.")
    let figures = scenario.measure()
    scenario.drain()

    var report = Report("household")
    let (tally, usage) = (figures.tally, figures.usage)
    let duration = Double(usage.duration) / 1e9
    report.add("changes sent", "sent_per_s", Double(tally.sent) / duration, "/s")
    report.add("answers", "answers_per_s", Double(tally.answers) / duration, "/s")
    report.add("deliveries", "deliveries_per_s", Double(tally.deliveries) / duration, "/s")
    report.add(
      "  changes per patch", "changesPerPatch", Double(tally.deliveries) / Double(max(1, tally.patches)), digits: 2)
    report.add("received", "received_MB_per_s", Double(tally.bytes) / 1e6 / duration, digits: 1, "MB/s")
    report.add("answer after", "answer", latency: figures.answerLatency)
    report.add("delivery after", "delivery", latency: figures.deliveryLatency)
    report.add(
      usage,
      per: [
        ("delivered change", "serverCPUPerDelivery", tally.deliveries), ("change", "serverCPUPerChange", tally.answers),
      ])
    let whole = scenario.tally
    report.add("refused", "refused", Double(whole.refused))
    report.add("versions missing", "missing", Double(whole.missing + scenario.missingAtEnd))
    report.add("versions twice", "twice", Double(whole.twice))
    for (reason, count) in scenario.refusals { report.remark("\(count) calls were refused: \(reason).") }
    if scenario.unanswered > 0 { report.remark("\(scenario.unanswered) calls had no answer in the end.") }
    report.add(losses: generator.losses)
    try report.publish(target)
  }
}
