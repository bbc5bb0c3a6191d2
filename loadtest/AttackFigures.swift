/// What came of one kind of attack.
struct AttackFigures {
  let kind: Attack.Kind
  /// Attacks that were begun and have ended; some attackers come back.
  private(set) var attackCount = 0
  /// Attackers who did not get as far as the attack, and why.
  private(set) var failures: [String: Int] = [:]
  private(set) var endings: [Attack.Ending: Int] = [:]
  /// Ends that nobody was owed, by what they are.
  private(set) var wrong: [String: Int] = [:]
  /// Seconds from where the deadline counts to the end, of all.
  private(set) var times: [Double] = []
  /// How much later than the deadline the latest came, in seconds; and how many by more than is allowed.
  private(set) var lateness = 0.0
  private(set) var lateCount = 0
  private(set) var earlyCount = 0

  init(_ kind: Attack.Kind) { self.kind = kind }

  /// What a deadline leaves the server to act, in seconds (RELIABILITY E2), and what this generator may take to see it:
  /// the server looks once a second.
  static let grace = 1.0
  static let measurement = 0.25
  /// Clocks and timers of both sides are no finer, in seconds.
  private static let earliness = 0.05

  /// - Parameter seconds: from where the deadline counts.
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

  /// The shortest, the median and the longest.
  var spread: (least: Double, median: Double, most: Double)? {
    let sorted = times.sorted()
    guard let least = sorted.first, let most = sorted.last else { return nil }
    return (least, sorted[sorted.count / 2], most)
  }

  /// How all ended, the most frequent first.
  var endingText: String {
    endings.sorted { ($1.value, $0.key.description) < ($0.value, $1.key.description) }
      .map { "\($0.value) \($0.key)" }.joined(separator: ", ")
  }

  /// What the attackers were owed and have not got.
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

/// What honest clients must keep while others attack, and what attackers may cost.
struct AttackLimits {
  /// Delivery to honest clients, 99th percentile, in milliseconds: this, or so much more than before.
  var delivery = 50.0
  static let deliveryGrowth = 1.2
  /// From connecting to the answer to hello, of honest newcomers, 99th percentile, in milliseconds (RELIABILITY E2).
  var handshake = 200.0
  /// What the server may take for an attacker, in bytes: as for a slow reader (RELIABILITY E1); of whoever takes no
  /// answers so much waits, and the memory in which it does has grown by doubling.
  static func memoryEach(_ kind: Attack.Kind) -> Int { kind == .unread ? 256 * 1024 : 64 * 1024 }
  /// And for all else meanwhile, since the honest go on.
  static let memorySlack = 16 << 20

  /// How the honest waited for longer than they may; all in milliseconds.
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

  /// That the server grew by more bytes than it may.
  func overgrown(_ kind: Attack.Kind, growth: Int64, attackers: Int) -> [String] {
    let allowed = Int64(attackers * Self.memoryEach(kind) + Self.memorySlack)
    return growth > allowed ? ["The server grew by \(growth) bytes, not \(allowed)."] : []
  }

  /// What of a server's memory may be left behind by those who come and go (RELIABILITY E9): a hundredth, or, since the
  /// honest go on and memory is given back in pieces, so many bytes.
  static let leftBehindSlack = 4 << 20
  /// And of its descriptors: the store opens its database once more when much is read at once.
  static let descriptorSlack = 16

  /// What should have gone with the attackers and has not.
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
