import JSON

/// The load of honest households, together with attackers, and honest newcomers that only say hello and leave.
final class AttackScenario: Scenario, Outsiders {
  private let load: HouseholdScenario
  private let generator: Generator
  /// The members that attack; no honest member shares a household with them.
  private let suspects: [Person]

  private var attackers: [Attacker] = []
  private var newcomers: [Attacker] = []
  private var timetable = Timetable<Attacker>(from: System.nanoseconds)
  /// Attackers that have not started yet.
  private var absentCount = 0
  /// Attackers return until this time, if it leaves time for their deadline.
  private var comeBackUntil: Int64 = 0
  private(set) var figures = AttackFigures(.headers)
  private(set) var handshakes = Histogram()
  private(set) var failedHandshakes: [String: Int] = [:]
  private var isWelcoming = false
  private var nextArrival: Int64 = 0
  private var arrivalCount = 0

  /// Tokens of this scenario's own sockets, which no connection has.
  private static let attackerToken = 1 << 32
  private static let newcomerToken = 1 << 33
  /// Connections per person: below the server's limit, since a closed one may not be gone at once.
  private static let connectionsPerPerson = 12
  /// Nanoseconds between honest newcomers, and the most at a time.
  private static let arrivalPause: Int64 = 25_000_000
  private static let newcomerCount = 40
  /// Nanoseconds after which an expected message counts as lost.
  private static let patience: Int64 = 10_000_000_000
  /// Seconds until an attacker returns.
  private static let rest = 1.0

  init(_ load: HouseholdScenario, _ generator: Generator, honest: [Person], suspects: [Person]) {
    self.load = load
    self.generator = generator
    self.suspects = suspects
    let honestVariant = Attack.Variant(name: "hello", entry: .member, script: Attack.Script(), ending: .admitted)
    newcomers = (0..<Self.newcomerCount).map {
      Attacker(token: Self.newcomerToken + $0, generator, honestVariant, honest[$0 * honest.count / Self.newcomerCount])
    }
  }

  // MARK: the run

  /// The most attackers for attacks that need a member.
  var capacity: Int { suspects.count * Self.connectionsPerPerson }

  /// Starts an attack with `count` attackers, which return for `seconds`.
  func begin(_ attack: Attack, count: Int, seconds: Double) {
    figures = AttackFigures(attack.kind)
    // Attackers of an earlier attack are gone.
    timetable = Timetable(from: System.nanoseconds)
    attackers = (0..<count).map { index in
      let variant = attack.variants[index % attack.variants.count]
      let person = suspects.isEmpty ? nil : suspects[index % suspects.count]
      return Attacker(token: Self.attackerToken + index, generator, variant, person)
    }
    // They start, and return, spread over each second, like independent people.
    let now = System.nanoseconds
    absentCount = count
    for (index, attacker) in attackers.enumerated() {
      timetable.add(attacker, at: now + Int64(Self.rest * 1e9) * Int64(index) / Int64(count))
    }
    comeBackUntil = now + Int64(seconds * 1e9)
    clearHandshakes()
  }

  /// Whether the attacks of all attackers have ended or can no longer end in time.
  var isOver: Bool { absentCount == 0 && attackers.allSatisfy(\.isOver) }

  func stopReturning() { comeBackUntil = 0 }

  func welcome(_ isWelcoming: Bool) { self.isWelcoming = isWelcoming }

  var areNewcomersGone: Bool { newcomers.allSatisfy(\.isOver) }

  func clearHandshakes() {
    handshakes.clear()
    failedHandshakes = [:]
  }

  // MARK: attackers

  func ready(_ token: Int, isReadable: Bool, isWritable: Bool) {
    if token >= Self.newcomerToken {
      let newcomer = newcomers[token - Self.newcomerToken]
      // One batch may have further events after the end.
      if newcomer.isOver { return }
      newcomer.ready(isReadable: isReadable, isWritable: isWritable)
      if newcomer.isOver { left(newcomer) }
    } else if token >= Self.attackerToken, token - Self.attackerToken < attackers.count {
      let attacker = attackers[token - Self.attackerToken]
      if attacker.isOver { return }
      let wasAttacking = attacker.isAttacking
      attacker.ready(isReadable: isReadable, isWritable: isWritable)
      if attacker.isOver { return ended(attacker) }
      if !wasAttacking, attacker.isAttacking { scheduleAttack(of: attacker) }
    }
  }

  private func begin(_ attacker: Attacker) {
    if attacker.startedAt == 0 { absentCount -= 1 }
    attacker.begin()
    if attacker.isOver { return ended(attacker) }
    timetable.add(attacker, at: attacker.startedAt + Self.patience)
  }

  private func scheduleAttack(of attacker: Attacker) {
    timetable.add(attacker, at: giveUpAt(attacker))
    if let due = attacker.pieceDueAt { timetable.add(attacker, at: due) }
  }

  private func giveUpAt(_ attacker: Attacker) -> Int64 {
    guard attacker.isAttacking else { return attacker.startedAt + Self.patience }
    return attacker.countsFrom + Int64((attacker.variant.deadline ?? 0) * 1e9) + Self.patience
  }

  /// Handles an attacker whose time has come: to return, to send a piece, or to give up.
  private func attend(to attacker: Attacker, at now: Int64) {
    if attacker.isOver {
      let isRested = now >= attacker.endedAt + Int64(Self.rest * 1e9)
      if attacker.startedAt == 0 || isRested && comesBack(attacker, at: now) { begin(attacker) }
      return
    }
    let next = attacker.tick(at: now)
    if !attacker.isOver, now >= giveUpAt(attacker) { attacker.giveUp() }
    if attacker.isOver { return ended(attacker) }
    if let next { timetable.add(attacker, at: next) }
  }

  private func comesBack(_ attacker: Attacker, at moment: Int64) -> Bool {
    moment + Int64(((attacker.variant.deadline ?? 0) + 1) * 1e9) < comeBackUntil
  }

  private func ended(_ attacker: Attacker) {
    if let ending = attacker.ending {
      figures.add(ending, after: Double(attacker.endedAt - attacker.countsFrom) / 1e9, of: attacker.variant)
    } else {
      figures.add(failure: attacker.failure ?? "unknown")
    }
    let back = attacker.endedAt + Int64(Self.rest * 1e9)
    if comesBack(attacker, at: back) { timetable.add(attacker, at: back) }
  }

  // MARK: newcomers

  private func left(_ newcomer: Attacker) {
    if newcomer.ending == .admitted {
      handshakes.record(newcomer.endedAt - newcomer.startedAt)
    } else {
      failedHandshakes[newcomer.failure ?? "unknown", default: 0] += 1
    }
  }

  private func welcome(at now: Int64) {
    for newcomer in newcomers where !newcomer.isOver && now > newcomer.startedAt + Self.patience {
      newcomer.giveUp()
      left(newcomer)
    }
    guard isWelcoming, now >= nextArrival else { return }
    nextArrival = now + Self.arrivalPause
    let newcomer = newcomers[arrivalCount % newcomers.count]
    arrivalCount += 1
    // A newcomer that has waited for a whole round still counts.
    guard newcomer.isOver else { return }
    newcomer.begin()
    if newcomer.isOver { left(newcomer) }
  }

  // MARK: scenario

  func turn(at now: Int64) -> Int64 {
    for attacker in timetable.take(at: now) { attend(to: attacker, at: now) }
    welcome(at: now)
    return min(timetable.next, isWelcoming ? nextArrival : .max, load.turn(at: now))
  }

  func subscribed(_ connection: Connection, _ room: Int, _ result: View) { load.subscribed(connection, room, result) }
  func received(_ message: View, _ connection: Connection) { load.received(message, connection) }
  func mayFail(_ id: String, _ error: View) -> Bool { load.mayFail(id, error) }
}
