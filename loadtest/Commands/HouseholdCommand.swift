import ArgumentParser

/// The repeated change of a household's callers.
enum Mix: String, ExpressibleByArgument, CaseIterable {
  /// Each call edits an item of the shopping list, which notifies nobody.
  case edit
  /// Each call checks an item off, or on again.
  case check
  /// Notes are added and removed alternately; each new one notifies all other members in their own rooms.
  case notes
  /// Chores are claimed, done, skipped and added, beside dinner, drinks and statistics; most of it notifies the others.
  case chores

  var rule: ContentChecker.Rule {
    switch self {
    case .edit: .growing
    case .check: .toAndFro
    case .notes, .chores: .fixed
    }
  }
}

/// The options of the load: callers, changes and rates.
struct HouseholdLoad: ParsableArguments {
  @Option(help: "The number of members that call.")
  var callers = 1

  @Option(help: "The calls that a caller has in flight, 1 to 64.")
  var inFlight = 1

  @Option(help: "Changes a second in all households; without it, as many as the server answers.")
  var rate: Double?

  @Option(help: "The kind of change: \(Mix.allCases.map(\.rawValue).joined(separator: ", ")).")
  var mix = Mix.edit

  @Option(help: "Characters of each written text.")
  var text = 100

  func validate() throws {
    guard callers > 0, 1...64 ~= inFlight, 16...400 ~= text, rate.map({ $0 > 0 }) ?? true else {
      throw ValidationError("Check --callers, --in-flight (1 to 64), --text (16 to 400) and --rate.")
    }
  }
}

struct HouseholdCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "household",
    abstract: "Changes in households that all members watch.",
    discussion: """
      Without --rate, each caller sends its next change after an answer. With --rate, changes are sent by the clock, \
      whatever the server does, and their latency counts from the time at which they were due.

      The run fails if a version was missing, came out of order or had a wrong value.
      """)

  @OptionGroup var target: TargetOptions
  @OptionGroup var sample: SampleOptions

  @Option(help: "The number of households.")
  var rooms = 500

  @Option(help: "The connected members of each household.")
  var members = 4

  @OptionGroup var load: HouseholdLoad

  @Option(help: "The connections of each member, each with its own client id.")
  var connectionsPerMember = 1

  @Option(help: "Seconds to measure.")
  var seconds = 20.0

  @Option(help: "Seconds of warm-up.")
  var warmup = 3.0

  func validate() throws {
    guard rooms > 0, members > 0, connectionsPerMember > 0, load.callers <= members, seconds > 0, warmup >= 0 else {
      throw ValidationError("Check --rooms, --members (not fewer than --callers), --seconds and --warmup.")
    }
  }

  func run() throws {
    let households = try Person.households(Person.read(sample.people), count: rooms, size: members)
      // The first connection of each member, then the second of each, so that callers are different people.
      .map { household in (0..<connectionsPerMember).flatMap { _ in household } }
    let generator = try Generator(target)
    let scenario = HouseholdScenario(load, generator, households)
    generator.scenario = scenario
    try generator.openAll()
    try scenario.prepare()
    let figures = scenario.run(warmup: warmup, seconds: seconds, of: target.pid)
    let isCounted = try scenario.countChores()

    var report = Report("household")
    report.add(figures)
    report.add(
      figures.usage,
      per: [
        ("delivered change", "serverCPUPerDelivery", figures.tally.deliveries),
        ("change", "serverCPUPerChange", figures.tally.answers),
      ])
    report.add(scenario)
    report.add(losses: generator.losses)
    report.require(generator.losses.isEmpty, "Connections were lost.")
    report.require(isCounted, "CHO-9: statistics do not count each completion once.")
    try report.publish(target)
  }
}

extension Report {
  /// Adds the counts that must be zero at the end.
  mutating func add(_ scenario: HouseholdScenario) {
    let whole = scenario.record.tally
    let missing = whole.missing + scenario.missingAtEnd
    let wrong = scenario.wrongCount
    add("refused", "refused", Double(whole.refused))
    add("versions missing", "missing", Double(missing))
    add("versions twice", "twice", Double(whole.twice))
    add("versions out of order", "disorder", Double(whole.disorder))
    add("contents wrong", "wrong", Double(wrong))
    for (reason, count) in scenario.refusals { remark("\(count) calls were refused: \(reason).") }
    if scenario.unanswered > 0 { remark("\(scenario.unanswered) calls had no answer in the end.") }
    require(missing == 0, "SYN-1: \(missing) versions are missing.")
    require(whole.disorder == 0, "SYN-5: \(whole.disorder) patches came after later ones.")
    require(wrong == 0, "SYN-1: \(wrong) contents are not what was written.")
  }
}
