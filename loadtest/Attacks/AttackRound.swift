/// One kind of attack, from the first attacker to the end of the last one, while households continue.
struct AttackRound {
  struct Result {
    let figures: AttackFigures
    let during: LoadFigures
    let handshakes: Histogram
    let failedHandshakes: [String: Int]
    /// The server's peak of resident bytes.
    let peakMemory: Int64?
    /// The server's resources before the attack, and after all attackers have left.
    let before: Footprint?
    let after: Footprint?
  }

  /// The server's resources while only honest clients are connected.
  struct Footprint {
    /// Resident bytes.
    var memory: Int64
    var descriptors: Int
  }

  private let attack: Attack
  private let siege: AttackScenario
  private let load: HouseholdScenario
  private let generator: Generator
  private let server: Int32?
  /// Seconds after which the server closes a connection without hello.
  private let helloTimeout: Double

  init(
    _ attack: Attack, _ siege: AttackScenario, _ load: HouseholdScenario, _ generator: Generator, server: Int32?,
    helloTimeout: Double
  ) {
    self.attack = attack
    self.siege = siege
    self.load = load
    self.generator = generator
    self.server = server
    self.helloTimeout = helloTimeout
  }

  func run(attackers: Int, seconds: Double) -> Result {
    // The process keeps memory it once used for many connections, so measure after a first wave.
    if attack.kind == .visits {
      siege.begin(attack, count: attackers, seconds: helloTimeout + 5)
      generator.run { siege.isOver }
    }
    let before = footprint()
    if let server { ServerFigures.forgetPeak(of: server) }
    // The server checks once a second, and the attackers start within nearly a second.
    let length = max(seconds, (attack.longestDeadline ?? 0) + 2)
    siege.begin(attack, count: attackers, seconds: length)
    let during = load.window(seconds: length, of: server, attack.kind.rawValue)
    siege.stopReturning()
    generator.run { siege.isOver }
    let peak = server.flatMap { ServerFigures.peakMemory(of: $0) }
    return Result(
      figures: siege.figures, during: during, handshakes: siege.handshakes,
      failedHandshakes: siege.failedHandshakes, peakMemory: peak, before: before, after: footprint())
  }

  private func footprint() -> Footprint? {
    guard let server else { return nil }
    siege.welcome(false)
    generator.run { siege.areNewcomersGone }
    // Their resources are released a little after they have left.
    let end = System.nanoseconds + 1_000_000_000 + (attack.kind == .visits ? Int64(helloTimeout * 1e9) : 0)
    generator.run { generator.now >= end }
    siege.welcome(true)
    guard let memory = ServerFigures(of: server)?.memory,
      let descriptors = ServerFigures.descriptorCount(of: server)
    else { return nil }
    return Footprint(memory: memory, descriptors: descriptors)
  }
}

extension AttackRound.Result {
  /// The 99th percentile of delivery to honest clients, in milliseconds.
  var delivery: Double { Double(during.deliveryLatency.percentile(0.99)) / 1e6 }
  /// The 99th percentile of the time from connecting to the answer to hello, in milliseconds.
  var handshake: Double { Double(handshakes.percentile(0.99)) / 1e6 }

  /// The waits of honest clients that exceed the limits, as the only possible fault.
  func waits(_ limits: AttackLimits, deliveryBefore: Double) -> [String] {
    limits.waits(deliveryBefore: deliveryBefore, deliveryDuring: delivery, handshakeDuring: handshake)
  }

  /// All other faults.
  func faults(_ limits: AttackLimits, attackers: Int) -> [String] {
    var faults = figures.broken + failedHandshakes.map { "\($1) newcomers failed: \($0)." }
    if handshakes.count == 0 { faults.append("no newcomer was greeted.") }
    if during.deliveryLatency.count == 0 { faults.append("nothing was delivered.") }
    if let before, let peakMemory {
      faults += limits.overgrown(figures.kind, growth: peakMemory - before.memory, attackers: attackers)
    }
    if let before, let after { faults += limits.leftBehind(figures.kind, before: before, after: after) }
    return faults
  }
}

extension Report {
  /// Adds a kind of attack in three lines.
  /// - Parameter alone: delivery without attackers, 99th percentile, in milliseconds.
  mutating func add(_ result: AttackRound.Result, alone: Double) {
    let figures = result.figures
    let kind = figures.kind.rawValue
    var line = "\(figures.attackCount) attacks: \(figures.endingText)"
    var numbers = [("\(kind)_attacks", Double(figures.attackCount))]
    if let times = figures.spread {
      line += "; after \(Self.text(times.least, digits: 3)) / \(Self.text(times.median, digits: 3)) / "
      line += "\(Self.text(times.most, digits: 3)) s"
      numbers += [
        ("\(kind)_least_s", times.least), ("\(kind)_median_s", times.median), ("\(kind)_most_s", times.most),
      ]
    }
    add(kind, line: line, numbers)

    let median = Double(result.during.deliveryLatency.percentile(0.5)) / 1e6
    let ratio = result.delivery / max(alone, 0.001)
    add(
      "  the honest",
      line: "delivery p50 \(Self.text(median, digits: 2))  p99 \(Self.text(result.delivery, digits: 2)) ms "
        + "(× \(Self.text(ratio, digits: 2))); hello p99 \(Self.text(result.handshake, digits: 2)) ms of "
        + "\(result.handshakes.count)",
      [
        ("\(kind)_delivery_p50_ms", median), ("\(kind)_delivery_p99_ms", result.delivery),
        ("\(kind)_delivery_ratio", ratio), ("\(kind)_hello_p99_ms", result.handshake),
      ])
    guard let before = result.before, let peak = result.peakMemory, let after = result.after,
      let share = result.during.usage.serverShare
    else { return }
    let all = [before.memory, peak, after.memory].map { Double($0) / 1e6 }
    add(
      "  the server",
      line: "\(Self.text(all[0], digits: 1)) MB, at most \(Self.text(all[1], digits: 1)), "
        + "then \(Self.text(all[2], digits: 1)); \(before.descriptors) descriptors, then \(after.descriptors); "
        + "processor \(Self.text(100 * share, digits: 1)) %",
      [
        ("\(kind)_memoryBefore_MB", all[0]), ("\(kind)_memoryPeak_MB", all[1]), ("\(kind)_memoryAfter_MB", all[2]),
        ("\(kind)_descriptorsBefore", Double(before.descriptors)),
        ("\(kind)_descriptorsAfter", Double(after.descriptors)), ("\(kind)_serverCPU_percent", 100 * share),
      ])
  }
}
