/// Receivers that come and go during a run: some drop and return, some read only now and then, and at one moment the
/// server is killed, after which everybody returns.
final class Turnover {
  private let options: ReceiversCommand
  private let generator: Generator
  /// All connections, and those that drop by themselves.
  private let connections: [Connection]
  private let restless: [Connection]
  private let slow: [Connection]
  private let isSlow: Set<Int>

  private var drops: Pace?
  private var returns: Timetable<Connection>
  private var pauses: Timetable<Connection>
  private var restartAt = Int64.max
  private(set) var killedAt: Int64?
  /// Connections that the kill has ended and that have not noticed yet, and those that are not back yet.
  private var doomed: Set<Int> = []
  private var killed: Set<Int> = []
  private var dropNumber = 0
  /// By connection number: when it wanted to be back, and how often it was refused since.
  private var away: [Int: (since: Int64, refusals: Int)] = [:]

  private(set) var dropCount = 0
  /// Slow readers that the server has closed.
  private(set) var closedCount = 0
  private(set) var refusedCount = 0
  /// From wanting to be back to the last answer to subscribing.
  private(set) var back = Histogram()
  /// When the last connection was back after the kill.
  private(set) var allBackAt: Int64 = 0
  /// Why the server could not be killed.
  private(set) var failure: String?

  /// - Parameters:
  ///   - connections: those of sharers and of receivers.
  ///   - receivers: of them the first `options.slowReaders` are slow.
  init(_ options: ReceiversCommand, _ generator: Generator, _ connections: [Connection], receivers: [Connection]) {
    self.options = options
    self.generator = generator
    self.connections = connections
    slow = Array(receivers.prefix(options.slowReaders))
    restless = Array(receivers.dropFirst(options.slowReaders))
    isSlow = Set(slow.map(\.number))
    returns = Timetable(from: generator.now)
    pauses = Timetable(from: generator.now)
    // Without a large buffer of the kernel's, the server notices that a connection reads nothing.
    for connection in slow { connection.receiveBufferBytes = 4096 }
  }

  var awayCount: Int { connections.count { !$0.isReady } }

  func begin(at startedAt: Int64) {
    generator.setOpeningLimit(.max)
    drops = options.reconnectsPerSecond.map { Pace(from: startedAt, rate: $0) }
    restartAt = options.restartAt.map { startedAt + Int64($0 * 1e9) } ?? .max
    let step = Int64(options.slowPause * 1e9) / Int64(max(1, slow.count))
    for (index, connection) in slow.enumerated() { pauses.add(connection, at: startedAt + Int64(index) * step) }
  }

  /// Lets everybody read, and nobody drop any more.
  func end() {
    drops = nil
    restartAt = .max
    pauses = Timetable(from: generator.now)
    for connection in slow { connection.setReading(true) }
  }

  /// Does what is due. `leaving` learns of each connection that is about to drop.
  func turn(at now: Int64, leaving: (Connection) -> Void) -> Int64 {
    if now >= restartAt { kill(at: now) }
    for connection in pauses.take(at: now) {
      // A slow reader pauses, then reads until its socket is empty, and pauses again.
      if connection.isReady, !doomed.contains(connection.number) { connection.setReading(!connection.isReading) }
      let wait = connection.isReading ? Self.reading : Int64(options.slowPause * 1e9)
      pauses.add(connection, at: now + wait)
    }
    while drops?.take(at: now) != nil { drop(at: now, leaving) }
    for connection in returns.take(at: now) { generator.reopen(connection) }
    return min(restartAt, drops?.due ?? .max, pauses.next, returns.next)
  }

  /// How long a slow reader reads.
  private static let reading: Int64 = 500_000_000

  private func drop(at now: Int64, _ leaving: (Connection) -> Void) {
    // The step has no divisor in common with most counts, so that neighbours do not drop together.
    let connection = restless[dropNumber &* 7919 % restless.count]
    dropNumber += 1
    guard connection.isReady, doomed.isEmpty else { return }
    dropCount += 1
    leaving(connection)
    generator.close(connection)
    let since = now + Int64.random(in: 0...Int64(options.away * 1e9))
    away[connection.number] = (since, 0)
    returns.add(connection, at: since)
  }

  private func kill(at now: Int64) {
    restartAt = .max
    guard let process = options.target.pid else { return }
    do { try System.end(process, atOnce: true) } catch { failure = "\(error)" }
    killedAt = now
    doomed = Set(connections.filter(\.isReady).map(\.number))
    killed = doomed
    // A connection that reads nothing would not notice its end.
    for connection in slow { connection.setReading(true) }
  }

  /// Takes the loss of a connection; answers `false` if nothing here explains it.
  func lost(_ connection: Connection) -> Bool {
    let number = connection.number
    let now = generator.now
    if var state = away[number] {
      state.refusals += 1
      refusedCount += 1
      away[number] = state
      let longest = min(5_000_000_000, Int64(100_000_000) << Int64(min(state.refusals, 10)))
      returns.add(connection, at: now + Int64.random(in: 0...longest))
      return true
    }
    if doomed.remove(number) == nil {
      // The server may close a connection that does not read.
      guard isSlow.contains(number) else { return false }
      closedCount += 1
    }
    away[number] = (now, 0)
    returns.add(connection, at: now)
    return true
  }

  func ready(_ connection: Connection) {
    guard let state = away.removeValue(forKey: connection.number) else { return }
    back.record(generator.now - state.since)
    if killed.remove(connection.number) != nil, killed.isEmpty { allBackAt = generator.now }
  }
}
