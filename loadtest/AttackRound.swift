/// One kind of attack, from the first attacker to the end of the last, while the households go on.
struct AttackRound {
  struct Result {
    let figures: AttackFigures
    let during: LoadFigures
    let handshakes: Histogram
    let failedHandshakes: [String: Int]
    /// The server's resident bytes at most.
    let peakMemory: Int64?
    /// What the server held before, and when all attackers had gone.
    let before: Footprint?
    let after: Footprint?
  }

  /// What the server holds while nobody is there but the honest who stay.
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
  /// For how long the server thinks of somebody who has only connected, in seconds.
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
    // What was taken for so many at once stays the process's own: what is left behind shows once it does not grow.
    if attack.kind == .visits {
      siege.begin(attack, count: attackers, seconds: helloTimeout + 5)
      generator.run { siege.isOver }
    }
    let before = footprint()
    if let server { ServerFigures.forgetPeak(of: server) }
    // The server looks once a second, and the generator begins with all in a moment that is not quite one.
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
    // What was theirs goes back a little later than they.
    let end = System.nanoseconds + 1_000_000_000 + (attack.kind == .visits ? Int64(helloTimeout * 1e9) : 0)
    generator.run { generator.now >= end }
    siege.welcome(true)
    guard let memory = ServerFigures(of: server)?.memory,
      let descriptors = ServerFigures.descriptorCount(of: server)
    else { return nil }
    return Footprint(memory: memory, descriptors: descriptors)
  }
}

extension Report {
  /// A kind of attack in three lines, and what it has broken.
  mutating func add(_ result: AttackRound.Result, before: LoadFigures, attackers: Int, _ limits: AttackLimits) {
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

    let alone = Double(before.deliveryLatency.percentile(0.99)) / 1e6
    let delivery = result.during.deliveryLatency
    let meanwhile = Double(delivery.percentile(0.99)) / 1e6
    let hello = Double(result.handshakes.percentile(0.99)) / 1e6
    let ratio = meanwhile / max(alone, 0.001)
    add(
      "  the honest",
      line: "delivery p50 \(Self.text(Double(delivery.percentile(0.5)) / 1e6, digits: 2))  "
        + "p99 \(Self.text(meanwhile, digits: 2)) ms (× \(Self.text(ratio, digits: 2))); "
        + "hello p99 \(Self.text(hello, digits: 2)) ms of \(result.handshakes.count)",
      [
        ("\(kind)_delivery_p50_ms", Double(delivery.percentile(0.5)) / 1e6), ("\(kind)_delivery_p99_ms", meanwhile),
        ("\(kind)_delivery_ratio", ratio), ("\(kind)_hello_p99_ms", hello),
      ])
    if let before = result.before, let peak = result.peakMemory, let after = result.after,
      let share = result.during.usage.serverShare
    {
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
      for text in limits.leftBehind(figures.kind, before: before, after: after) { require(false, "\(kind): \(text)") }
    }
    for text in figures.broken { require(false, "\(kind): \(text)") }
    for (reason, count) in result.failedHandshakes { require(false, "\(kind): \(count) newcomers failed: \(reason).") }
    require(result.handshakes.count > 0, "\(kind): no newcomer was greeted.")
    require(delivery.count > 0, "\(kind): nothing was delivered.")
    let broken = limits.broken(
      figures.kind, deliveryBefore: alone, deliveryDuring: meanwhile, handshakeDuring: hello,
      memoryGrowth: result.before.flatMap { before in result.peakMemory.map { $0 - before.memory } },
      attackers: attackers)
    for text in broken { require(false, "\(kind): \(text)") }
  }
}
