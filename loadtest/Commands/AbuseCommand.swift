import ArgumentParser

struct AbuseCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "abuse",
    abstract: "Attackers beside honest households, and the effect on both (RELIABILITY E2 to E9).",
    discussion: """
      First the households are alone; then one kind of attack follows another. An attacker whose connection has ended \
      comes back a second later. Meanwhile, forty honest newcomers a second say hello.

      Kinds: \(Attack.Kind.allCases.map(\.rawValue).joined(separator: ", ")).

      The run fails if the server did not end an attack as the protocol says and in time, if honest clients had to \
      wait, if the server grew, or if it kept descriptors.
      """)

  @OptionGroup var target: TargetOptions
  @OptionGroup var sample: SampleOptions

  @Option(help: "The kinds, separated by commas; without it, all. tls-hello needs --tls.")
  var attack: String?

  @Option(help: "The attackers at once. If they are members, they come from households beyond --rooms.")
  var attackers = 100

  @Option(help: "The number of honest households.")
  var rooms = 50

  @Option(help: "The connected members of each household.")
  var members = 4

  @OptionGroup var load: HouseholdLoad

  @Option(help: "Seconds to measure without attackers, and with each kind; longer if the deadline is.")
  var seconds = 10.0

  @Option(help: "Seconds of warm-up.")
  var warmup = 3.0

  @Option(help: "Seconds between two bytes, or fragments, of slow writers.")
  var dribble = 5.0

  @Option(help: "The server's --hello-timeout, in seconds.")
  var helloTimeout = 10.0

  @Option(help: "The server's --message-timeout, in seconds.")
  var messageTimeout = 30.0

  @Option(help: "Seconds after which the server closes a connection that reads nothing.")
  var stallLimit = 60.0

  @Option(help: "The limit on honest deliveries in milliseconds (p99), unless they took nearly as long before.")
  var deliveryLimit = 50.0

  @Option(help: "The limit from connecting to the answer to hello of honest newcomers, in milliseconds (p99).")
  var handshakeLimit = 200.0

  @Option(
    help: """
      The most attempts at a kind of attack in which honest clients waited and nothing else was wrong. A shared disk \
      or machine may stall once; a fault of the server appears again.
      """)
  var tries = 1

  /// The bytes of a frame header, the last of which must not arrive before the message's deadline.
  private static let headerBytes = 14.0

  private func kinds() throws -> [Attack.Kind] {
    guard let attack else { return Attack.Kind.allCases.filter { $0 != .tlsHello || target.tls } }
    return try attack.split(separator: ",").map { name in
      guard let kind = Attack.Kind(rawValue: String(name)) else { throw ValidationError("There is no attack \(name).") }
      return kind
    }
  }

  func validate() throws {
    guard rooms > 0, attackers > 0, load.callers <= members, seconds > 0, warmup >= 0, deliveryLimit > 0,
      handshakeLimit > 0, tries > 0, helloTimeout > 0, messageTimeout > 0, stallLimit > 0
    else {
      throw ValidationError("Check --rooms, --members, --callers, --attackers, --seconds, --tries and the limits.")
    }
    guard dribble > 0, dribble * (Self.headerBytes - 1) > max(helloTimeout, messageTimeout) else {
      throw ValidationError("--dribble is too short: a frame header would be there before its deadline.")
    }
    let kinds = try kinds()
    if kinds.isEmpty { throw ValidationError("--attack names nothing.") }
    if kinds.contains(.tlsHello), !target.tls { throw ValidationError("tls-hello needs --tls.") }
  }

  func run() throws {
    let people = try Person.read(sample.people)
    let households = try Person.households(people, count: rooms, size: members)
    let honest = Set(households.flatMap { $0.map(\.household) })
    let suspects = people.filter { !honest.contains($0.household) }
    let settings = AttackSettings(
      helloTimeout: helloTimeout, messageTimeout: messageTimeout, stallLimit: stallLimit, dribble: dribble)
    let attacks = try kinds().map { try settings.attack($0) }
    let generator = try Generator(target)
    var load = load
    // Closed loops would measure how the generator shares its time.
    load.rate = load.rate ?? 500
    let scenario = HouseholdScenario(load, generator, households)
    let siege = AttackScenario(scenario, generator, honest: households.flatMap(\.self), suspects: suspects)
    guard siege.capacity >= attackers || attacks.allSatisfy({ $0.variants.allSatisfy { $0.entry != .member } }) else {
      throw ValidationError(
        "Members of households beyond --rooms may have \(siege.capacity) connections: there are too few of them.")
    }
    generator.scenario = siege
    generator.outsiders = siege
    try generator.openAll()
    try scenario.prepare()
    say("\(generator.readyCount) connections are ready.")
    siege.welcome(true)
    scenario.start()
    _ = scenario.window(seconds: warmup, of: target.pid, "warm-up")
    siege.clearHandshakes()
    let before = scenario.window(seconds: seconds, of: target.pid, "alone")

    var report = Report("abuse")
    report.add("attackers", "attackers", Double(attackers))
    report.add("delivery after, alone", "deliveryAlone", latency: before.deliveryLatency)
    report.add("hello answered after, alone", "helloAlone", latency: siege.handshakes)
    let alone = Double(before.deliveryLatency.percentile(0.99)) / 1e6
    let limits = AttackLimits(delivery: deliveryLimit, handshake: handshakeLimit)
    var isBusy = before.usage.isGeneratorBusy
    for attack in attacks {
      let round = AttackRound(attack, siege, scenario, generator, server: target.pid, helloTimeout: helloTimeout)
      for attempt in 1... {
        let result = round.run(attackers: attackers, seconds: seconds)
        let waits = result.waits(limits, deliveryBefore: alone)
        let faults = result.faults(limits, attackers: attackers)
        if attempt < tries, !waits.isEmpty, faults.isEmpty {
          say("\(attack.kind.rawValue): again, since \(waits.joined(separator: " "))")
          continue
        }
        isBusy = isBusy || result.during.usage.isGeneratorBusy
        report.add(result, alone: alone)
        for text in faults + waits { report.require(false, "\(attack.kind.rawValue): \(text)") }
        break
      }
    }
    siege.welcome(false)
    scenario.stop()
    scenario.drain(seconds: 10)
    generator.run { siege.areNewcomersGone }
    if target.pid == nil { report.remark("Without --pid, the server's CPU time and memory are unknown.") }
    if isBusy { report.remark("The generator was busy all the time: latencies contain its own queue.") }
    report.add(scenario)
    report.add(losses: generator.losses)
    report.require(generator.losses.isEmpty, "Honest connections were lost.")
    try report.publish(target)
  }
}
