/// The results of one kind of attack.
struct AttackFigures {
  let kind: Attack.Kind
  /// Attacks that have ended; some attackers repeat theirs.
  private(set) var attackCount = 0
  /// Attackers that could not start the attack, by reason.
  private(set) var failures: [String: Int] = [:]
  private(set) var endings: [Attack.Ending: Int] = [:]
  /// Ends that no attacker should have seen, by kind.
  private(set) var wrong: [String: Int] = [:]
  /// Seconds from the start of the deadline to the end, of all attacks.
  private(set) var times: [Double] = []
  /// The largest delay after the deadline in seconds, and the number of delays above the allowed one.
  private(set) var lateness = 0.0
  private(set) var lateCount = 0
  private(set) var earlyCount = 0

  init(_ kind: Attack.Kind) { self.kind = kind }

  /// Seconds that the server has after a deadline (RELIABILITY E2), plus those that this generator needs to notice: the
  /// server checks once a second.
  static let grace = 1.0
  static let measurement = 0.25
  /// The resolution of clocks and timers on both sides, in seconds.
  private static let earliness = 0.05

  /// - Parameter seconds: counted from the start of the deadline.
  mutating func add(_ ending: Attack.Ending, after seconds: Double, of variant: Attack.Variant) {
    attackCount += 1
    endings[ending, default: 0] += 1
    times.append(seconds)
    if ending != variant.ending {
      wrong["\(variant.name): \(ending) and not \(variant.ending)", default: 0] += 1
    }
    guard let deadline = variant.deadline else { return }
    lateness = max(lateness, seconds - deadline)
    if seconds > deadline + Self.grace + Self.measurement { lateCount += 1 }
    if variant.isPatient, seconds < deadline - Self.earliness { earlyCount += 1 }
  }

  mutating func add(failure: String) { failures[failure, default: 0] += 1 }

  /// The shortest, median and longest time.
  var spread: (least: Double, median: Double, most: Double)? {
    let sorted = times.sorted()
    guard let least = sorted.first, let most = sorted.last else { return nil }
    return (least, sorted[sorted.count / 2], most)
  }

  /// The kinds of ends, the most frequent first.
  var endingText: String {
    endings.sorted { ($1.value, $0.key.description) < ($0.value, $1.key.description) }
      .map { "\($0.value) \($0.key)" }.joined(separator: ", ")
  }

  /// The server's duties that were not met.
  var broken: [String] {
    var broken = wrong.sorted { $0.key < $1.key }.map { "\($0.value) × \($0.key)." }
    broken += failures.sorted { $0.key < $1.key }.map { "\($0.value) attackers could not begin: \($0.key)." }
    if attackCount == 0 { broken.append("Nobody has attacked.") }
    if lateCount > 0 {
      let most = Report.text(lateness, digits: 3)
      broken.append("\(lateCount) were ended more than \(Self.grace) s after their deadline: \(most) s at most.")
    }
    if earlyCount > 0 { broken.append("\(earlyCount) were ended before their deadline: by something else.") }
    return broken
  }
}

/// Limits on the effect of attacks on honest clients and on the server's memory.
struct AttackLimits {
  /// The 99th percentile of delivery to honest clients in milliseconds: this value, or a factor of the one before.
  var delivery = 50.0
  static let deliveryGrowth = 1.2
  /// The 99th percentile of the time from connecting to the answer to hello for honest newcomers, in milliseconds
  /// (RELIABILITY E2).
  var handshake = 200.0
  /// The server's memory per attacker in bytes, as for a slow reader (RELIABILITY E1). Clients that read no answers
  /// make the server hold as much, in a buffer that grows by doubling.
  static func memoryEach(_ kind: Attack.Kind) -> Int { kind == .unread ? 256 * 1024 : 64 * 1024 }
  /// Memory for everything else meanwhile, since honest clients continue.
  static let memorySlack = 16 << 20

  /// The waits of honest clients that exceed the limits; all in milliseconds.
  func waits(deliveryBefore: Double, deliveryDuring: Double, handshakeDuring: Double) -> [String] {
    var waits: [String] = []
    let bound = max(delivery, Self.deliveryGrowth * deliveryBefore)
    if deliveryDuring > bound {
      waits.append("Honest deliveries took \(Report.text(deliveryDuring, digits: 1)) ms (p99), not \(bound) ms.")
    }
    if handshakeDuring > handshake {
      waits.append("Honest newcomers waited \(Report.text(handshakeDuring, digits: 1)) ms (p99), not \(handshake) ms.")
    }
    return waits
  }

  /// Reports if the server's memory grew by more than allowed.
  func overgrown(_ kind: Attack.Kind, growth: Int64, attackers: Int) -> [String] {
    let allowed = Int64(attackers * Self.memoryEach(kind) + Self.memorySlack)
    return growth > allowed ? ["The server grew by \(growth) bytes, not \(allowed)."] : []
  }

  /// The memory that attackers which come and go may leave behind, in bytes (RELIABILITY E9): a hundredth, or this
  /// much, since honest clients continue and memory is returned in pieces.
  static let leftBehindSlack = 4 << 20
  /// The descriptors that may be left behind: the store opens its database again when many reads are concurrent.
  static let descriptorSlack = 16

  /// Reports memory and descriptors that are still in use after the attackers have left.
  func leftBehind(_ kind: Attack.Kind, before: AttackRound.Footprint, after: AttackRound.Footprint) -> [String] {
    var left: [String] = []
    if after.descriptors > before.descriptors + Self.descriptorSlack {
      left.append("The server has \(after.descriptors) descriptors, not \(before.descriptors).")
    }
    let growth = after.memory - before.memory
    let allowed = max(before.memory / 100, Int64(Self.leftBehindSlack))
    if kind == .visits, growth > allowed { left.append("\(growth) bytes were left behind, not \(allowed).") }
    return left
  }
}
